//! All walls of a scene together.
//!
//! Walls with matter inside are cavities in a solid world: what is outside all of them is solid. Two that overlap, or
//! share a face, are one cavity; the particles of each that would stand in another are left out. Walls on a path keep
//! theirs, since the hole would not move along. Obstacles are solid wherever they are.

use glam::DVec3;

use super::{WallCells, WallParticle};
use crate::near::Near;
use crate::shape::{Bounds, Solid, Surroundings};
use crate::{Description, Wall};

/// The walls of a scene. As a solid it is the space that they leave to matter.
#[derive(Debug)]
pub(crate) struct Walls<'a> {
    walls: &'a [Wall],
    cells: Vec<WallCells>,
    around: Surroundings<'a>,
}

/// A wall as particles.
#[derive(Debug)]
pub(crate) struct SampledWall {
    /// The particles, in a fixed order.
    pub(crate) particles: Vec<WallParticle>,
    /// The rest volume of each [m^dimension]; empty if each is one lattice cell.
    pub(crate) rest_volumes: Vec<f64>,
}

impl SampledWall {
    /// Leaves out the particles that are near some points.
    pub(crate) fn keep_out(&mut self, near: &Near) {
        let kept: Vec<_> = self.particles.iter().map(|particle| !near.has_any(particle.position)).collect();
        keep(&mut self.particles, &kept);
        keep(&mut self.rest_volumes, &kept);
    }

    /// How many particles.
    pub(crate) fn count(&self) -> u64 {
        self.particles.len() as u64
    }
}

impl<'a> Walls<'a> {
    /// The walls of `scene`.
    pub(crate) fn of(scene: &'a Description) -> Walls<'a> {
        let (around, limits) = (scene.surroundings(), limits(scene));
        let cells = scene.walls.iter().map(|wall| WallCells::new(wall, around, limits)).collect();
        Walls { walls: &scene.walls, cells, around }
    }

    /// About how many particles each of them has.
    pub(crate) fn estimates(&self) -> impl Iterator<Item = f64> {
        self.cells.iter().map(WallCells::estimate)
    }

    /// The particles of one of them.
    pub(crate) fn sample(&self, wall: usize) -> SampledWall {
        let mut particles: Vec<_> = self.cells[wall].particles().collect();
        let mut rest_volumes = self.cells[wall].rest_volumes(&particles, self.around.world);
        if self.is_still_cavity(wall) {
            let kept: Vec<_> = particles.iter().map(|particle| !self.is_open(wall, particle.position)).collect();
            keep(&mut particles, &kept);
            keep(&mut rest_volumes, &kept);
        }
        SampledWall { particles, rest_volumes }
    }

    /// The wall in whose matter a point lies deeper than `tolerated` [m], and for what is `soft` than the wall was rounded;
    /// if it is outside all cavities, the first of them.
    pub(crate) fn holding(&self, point: DVec3, tolerated: f64, soft: bool) -> Option<usize> {
        let slack = tolerated + 1e-6 * self.around.world.spacing;
        let rounded = |wall: &WallCells| if soft { wall.rounded() } else { 0.0 };
        let is_buried = |wall: usize| self.cells[wall].depth(point) > slack + rounded(&self.cells[wall]);
        let cavities = || (0..self.walls.len()).filter(|&wall| self.walls[wall].inside);
        let obstacle = (0..self.walls.len()).find(|&wall| !self.walls[wall].inside && is_buried(wall));
        obstacle.or_else(|| cavities().all(is_buried).then(|| cavities().next()).flatten())
    }

    fn is_still_cavity(&self, wall: usize) -> bool {
        self.walls[wall].inside && self.walls[wall].path.is_empty()
    }

    /// Is the place in another cavity, or so little behind its surface that the two are one?
    fn is_open(&self, wall: usize, place: DVec3) -> bool {
        let mut others = (0..self.walls.len()).filter(|&other| other != wall && self.is_still_cavity(other));
        others.any(|other| self.cells[other].depth(place) < 0.25 * self.around.world.spacing)
    }
}

impl Solid for Walls<'_> {
    fn distance(&self, point: DVec3) -> f64 {
        let (mut solid, mut nearest_cavity) = (f64::NEG_INFINITY, f64::INFINITY);
        for (wall, cells) in self.walls.iter().zip(&self.cells) {
            let depth = cells.depth(point);
            match wall.inside {
                true => nearest_cavity = nearest_cavity.min(depth),
                false => solid = solid.max(depth),
            }
        }
        if nearest_cavity < f64::INFINITY { solid.max(nearest_cavity) } else { solid }
    }

    fn bounds(&self) -> Bounds {
        Bounds::EVERYWHERE
    }
}

fn keep<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next().is_none_or(|kept| *kept));
}

/// How far walls without end reach [m]: half the size of everything else beyond everything else, and never out of a
/// period.
fn limits(scene: &Description) -> Bounds {
    let shapes = scene.bodies.iter().map(|body| &body.shape).chain(scene.walls.iter().map(|wall| &wall.shape));
    let finite = shapes.map(|shape| scene.bounds(shape)).filter(Bounds::is_finite);
    let everything = finite.fold(Bounds::EMPTY, Bounds::joined);
    if everything.is_empty() {
        return Bounds::EMPTY;
    }
    let mut limits = everything.grown(0.5 * (everything.max - everything.min).max_element());
    if scene.world.dimension == 2 {
        (limits.min.z, limits.max.z) = (0.0, 0.0);
    }
    for (axis, period) in scene.world.periodic.axes().into_iter().enumerate() {
        if let Some([from, to]) = period {
            (limits.min[axis], limits.max[axis]) = (from, to);
        }
    }
    limits
}
