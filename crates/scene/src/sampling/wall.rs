//! The particles of a wall.

use glam::DVec3;

use super::wall_solid::SolidLayers;
use super::wall_sphere::SphereShells;
use super::wall_volume::rest_volumes;
use super::{Lattice, wall_layers};
use crate::document::Path;
use crate::shape::{Bounds, Surroundings};
use crate::{Shape, Wall, World};

/// A particle of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WallParticle {
    /// Where it is [m].
    pub(crate) position: DVec3,
    /// From it to the nearest point of the surface [m].
    pub(crate) to_surface: DVec3,
}

/// The cells behind the surface of a wall.
#[derive(Clone, Debug)]
pub(crate) enum WallCells {
    /// Around or just inside a box.
    Box(BoxShell),
    /// Around or just inside a ball.
    Sphere(SphereShells),
    /// Behind any other surface.
    Solid(SolidLayers),
    /// The shape makes no sense.
    None,
}

/// The lattice cells of `outer` that are not in `inner`.
#[derive(Clone, Debug)]
pub(crate) struct BoxShell {
    /// The box itself, rounded to whole cells.
    surface: Lattice,
    /// How much of its size was rounded away along any axis [m].
    rounded: f64,
    outer: Lattice,
    /// First cell of the hole, in cells of `outer`, and cells of the hole.
    hole: ([i64; 3], [i64; 3]),
    /// Axes along which the box has no faces: the third in 2D, and those of which it fills the whole period.
    open: [bool; 3],
    inside: bool,
}

impl WallCells {
    /// The layers of `wall` that matter can see. A shape without end has them within `limits`.
    pub(crate) fn new(wall: &Wall, surroundings: Surroundings<'_>, limits: Bounds) -> WallCells {
        let world = surroundings.world;
        let layers = wall_layers(world);
        match &wall.shape {
            Shape::Box(shape) if shape.rounding == 0.0 => {
                WallCells::Box(BoxShell::new(shape, layers as i64, wall.inside, world))
            }
            Shape::Sphere(sphere) => WallCells::Sphere(SphereShells::new(sphere, world, layers, wall.inside)),
            shape => match shape.solid(surroundings, &Path::default()) {
                Ok(solid) => WallCells::Solid(SolidLayers::new(solid.into(), wall.inside, limits, layers, world)),
                Err(_) => WallCells::None,
            },
        }
    }

    /// About how many particles, as a floating-point number: there may be more than any integer holds. Exact for boxes
    /// and spheres.
    pub(crate) fn estimate(&self) -> f64 {
        match self {
            WallCells::Box(shell) => shell.count(),
            WallCells::Sphere(shells) => shells.count(),
            WallCells::Solid(layers) => layers.estimate(),
            WallCells::None => 0.0,
        }
    }

    /// The particles, in a fixed order.
    pub(crate) fn particles(&self) -> Box<dyn Iterator<Item = WallParticle> + '_> {
        match self {
            WallCells::Box(shell) => Box::new(shell.particles()),
            WallCells::Sphere(shells) => Box::new(shells.particles()),
            WallCells::Solid(layers) => Box::new(layers.particles().into_iter()),
            WallCells::None => Box::new(std::iter::empty()),
        }
    }

    /// Rest volume of each of its particles [m^dimension]; empty if each is one lattice cell.
    pub(crate) fn rest_volumes(&self, particles: &[WallParticle], world: &World) -> Vec<f64> {
        match self {
            WallCells::Box(_) | WallCells::None => Vec::new(),
            WallCells::Sphere(_) | WallCells::Solid(_) => rest_volumes(particles, world),
        }
    }

    /// How far its surface may be from where the scene has it [m]: a box is rounded to whole cells.
    pub(crate) fn rounded(&self) -> f64 {
        match self {
            WallCells::Box(shell) => shell.rounded,
            WallCells::Sphere(_) | WallCells::Solid(_) | WallCells::None => 0.0,
        }
    }

    /// How deep in the wall a point is [m]; negative on the side of the matter.
    pub(crate) fn depth(&self, point: DVec3) -> f64 {
        match self {
            WallCells::Box(shell) => shell.depth(point),
            WallCells::Sphere(shells) => shells.depth(point),
            WallCells::Solid(layers) => layers.depth(point),
            WallCells::None => f64::NEG_INFINITY,
        }
    }
}

impl BoxShell {
    fn new(shape: &crate::BoxShape, layers: i64, inside: bool, world: &World) -> BoxShell {
        let surface = Lattice::of_box(shape, world);
        let (low, high) = (surface.corner, surface.far_corner());
        let rounded = (world.flat(shape.max) - high).abs().max_element();
        let fills = |axis: usize| {
            let near = |a: f64, b: f64| (a - b).abs() < 0.5 * surface.spacing;
            world.periodic.axes()[axis].is_some_and(|[from, to]| near(low[axis], from) && near(high[axis], to))
        };
        let open: [bool; 3] = std::array::from_fn(|axis| axis >= surface.axes || fills(axis));
        let layers = open.map(|open| if open { 0 } else { layers });
        let (outer, inner) = match inside {
            true => (surface.grown(layers), surface.clone()),
            false => (surface.clone(), surface.grown(layers.map(|layers| -layers))),
        };
        BoxShell { surface, hole: (layers, inner.cells), outer, open, inside, rounded }
    }

    fn count(&self) -> f64 {
        let hole: f64 = self.hole.1.iter().map(|&cells| cells as f64).product();
        self.outer.count() - hole
    }

    /// All cells but those of the hole, without walking through the hole.
    fn particles(&self) -> impl Iterator<Item = WallParticle> + '_ {
        let [nx, ny, nz] = self.outer.cells;
        let (first, hole) = self.hole;
        let within = move |cell: i64, axis: usize| (first[axis]..first[axis] + hole[axis]).contains(&cell);
        let columns = (0..nx).flat_map(move |x| (0..ny).map(move |y| (x, y)));
        columns
            .flat_map(move |(x, y)| {
                let through = within(x, 0) && within(y, 1);
                let (near, far) = match through {
                    false => (0..nz, 0..0),
                    true => (0..first[2].min(nz), (first[2] + hole[2]).min(nz)..nz),
                };
                near.chain(far).map(move |z| [x, y, z])
            })
            .map(|cell| {
                let position = self.outer.centre(cell);
                WallParticle { position, to_surface: self.to_surface(position) }
            })
    }

    fn to_surface(&self, position: DVec3) -> DVec3 {
        let (low, high) = (self.surface.corner, self.surface.far_corner());
        if self.inside {
            return position.clamp(low, high) - position;
        }
        let ways = (0..3).filter(|&axis| !self.open[axis]).flat_map(|axis| {
            [low, high].map(|corner| {
                let mut way = DVec3::ZERO;
                way[axis] = corner[axis] - position[axis];
                way
            })
        });
        let nearest = ways.clone().map(DVec3::length).fold(f64::INFINITY, f64::min);
        // As near to two faces is nearest to neither: such a particle points to the edge or corner they share.
        let ties = ways.filter(|way| way.length() < nearest + 1e-6 * self.surface.spacing);
        let along = ties.sum::<DVec3>();
        if along.length() > 0.5 * nearest { along } else { DVec3::ZERO }
    }

    fn depth(&self, point: DVec3) -> f64 {
        let (low, high) = (self.surface.corner, self.surface.far_corner());
        let mut faces = Bounds { min: low, max: high };
        for axis in (0..3).filter(|&axis| self.open[axis]) {
            (faces.min[axis], faces.max[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        let distance = faces.distance(point);
        if self.inside { distance } else { -distance }
    }
}
