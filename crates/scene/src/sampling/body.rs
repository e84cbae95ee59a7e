//! The particles of a body.

use glam::DVec3;
use thixo_sim::Region;

use super::choice::{Arrangement, Fill, Sampling};
use super::faces::surface_points;
use super::filler::{Filler, Particles};
use super::poisson::Where;
use super::{Lattice, random};
use crate::build::narrow;
use crate::document::Path;
use crate::meaning::{Finding, finding};
use crate::motion::Deformation;
use crate::near::Near;
use crate::shape::{Bounds, Solid, Surroundings, gradient};
use crate::{Body, World};

/// Particles of two bodies may not be nearer to each other, in spacings.
const TOO_NEAR: f64 = 0.5;

/// Where a body gives way, this much room is left around the particles of the other, in spacings.
const ROOM: f64 = 0.75;

/// The particles of a body as they start.
#[derive(Debug)]
pub(crate) struct BodySample {
    cells: Cells,
    /// Where each particle starts, if that is not where it is at rest.
    deformed: Option<Vec<DVec3>>,
    solid: Box<dyn Solid>,
    fill: Fill,
    spacing: f64,
    /// Its particles lie in the rows of a cubic lattice.
    pub(super) is_cubic: bool,
    /// The volume of each particle [m^dimension]; none if it is that of a lattice cell.
    pub(crate) rest_volume: Option<f64>,
    /// How far particles may lie outside their shape [m].
    pub(crate) beyond: f64,
}

/// Where particles are.
#[derive(Debug)]
pub(super) enum Cells {
    /// In every cell of a block; enumerated, never stored.
    Block(Lattice),
    /// At these places.
    Points(Vec<DVec3>),
}

impl BodySample {
    /// Fills the shape of a body, which stands at `path` in the scene.
    pub(crate) fn new(body: &Body, surroundings: Surroundings<'_>, path: &Path) -> Result<BodySample, Vec<Finding>> {
        let surroundings = body.surroundings(surroundings);
        let solid = body.shape.solid(surroundings, &path.key("shape"))?;
        let filler = Filler { body, solid: &*solid, surroundings };
        let Particles { cells, rest_volume, beyond } = match (body.fill, body.sampling()) {
            (Fill::Volume, Sampling::Lattice(Arrangement { arrangement })) => filler.lattice(arrangement),
            (Fill::Volume, Sampling::PoissonDisk(seed)) => filler.darts(&seed, Where::Inside),
            (Fill::Volume, Sampling::Relaxed(seed)) => filler.relaxed(&seed),
            (Fill::Surface, Sampling::PoissonDisk(seed)) => filler.darts(&seed, Where::Surface),
            (Fill::Surface, Sampling::Relaxed(seed)) => filler.membrane(&seed),
            (Fill::Surface, Sampling::Lattice(_)) => return Err(vec![no_rows(path)]),
            (Fill::Line, _) => filler.line().ok_or_else(|| vec![no_line(path)])?,
        };
        let spacing = surroundings.world.spacing;
        let (fill, is_cubic) = (body.fill, rest_volume.is_none());
        let sample = BodySample { cells, deformed: None, solid, fill, spacing, is_cubic, rest_volume, beyond };
        Ok(sample.jittered(body.jitter, surroundings.world).deformed(body.deformation.as_ref(), surroundings.world))
    }

    /// With every particle somewhere in a cube around its place, of a half edge in spacings.
    fn jittered(mut self, jitter: f64, world: &World) -> BodySample {
        if jitter > 0.0 {
            let half = world.flat([jitter * self.spacing; 3]);
            let moved = |(k, place): (usize, DVec3)| {
                place + random::of_cell(u64::from(world.seed), [k as i64, 0, 0]).point(-half, half)
            };
            self.cells = Cells::Points(self.at_rest().enumerate().map(moved).collect());
            self.beyond += half.length();
            self.is_cubic = false;
        }
        self
    }

    /// With every particle where a deformation has it. One that makes no sense was found out elsewhere.
    fn deformed(mut self, deformation: Option<&Deformation>, world: &World) -> BodySample {
        let field = deformation.and_then(|deformation| deformation.field(world).ok());
        self.deformed = field.map(|field| self.at_rest().map(|x| world.flat(field(x).to_array())).collect());
        self
    }

    /// Does it start elsewhere than where it is at rest?
    pub(crate) fn is_deformed(&self) -> bool {
        self.deformed.is_some()
    }

    /// How many particles.
    pub(crate) fn count(&self) -> u64 {
        match &self.cells {
            Cells::Block(lattice) => lattice.count() as u64,
            Cells::Points(points) => points.len() as u64,
        }
    }

    /// A box around the body as it starts [m].
    pub(crate) fn bounds(&self) -> Bounds {
        match (&self.cells, &self.deformed) {
            (_, Some(places)) => {
                places.iter().fold(Bounds::EMPTY, |bounds, &place| bounds.joined(Bounds::around(place, DVec3::ZERO)))
            }
            (Cells::Block(lattice), None) => Bounds { min: lattice.corner, max: lattice.far_corner() },
            (Cells::Points(_), None) => self.solid.bounds(),
        }
    }

    /// Where the particles start [m], in a fixed order.
    pub(crate) fn positions(&self) -> Box<dyn Iterator<Item = DVec3> + '_> {
        match &self.deformed {
            Some(places) => Box::new(places.iter().copied()),
            None => self.at_rest(),
        }
    }

    /// Where the particles are at rest [m], in the same order.
    pub(crate) fn at_rest(&self) -> Box<dyn Iterator<Item = DVec3> + '_> {
        match &self.cells {
            Cells::Block(lattice) => Box::new(lattice.iter().map(|cell| lattice.centre(cell))),
            Cells::Points(points) => Box::new(points.iter().copied()),
        }
    }

    /// Its centre of mass as it starts [m].
    pub(crate) fn centre(&self) -> DVec3 {
        self.positions().sum::<DVec3>() / self.count().max(1) as f64
    }

    /// The particles that are at rest in a region, counted from the first of the body.
    pub(crate) fn starting_in(&self, world: &World, region: &Region) -> Vec<usize> {
        let (dimension, domain) = (world.dimension(), world.domain());
        let numbered = self.at_rest().enumerate();
        numbered.filter(|(_, x)| region.contains(dimension, &domain, narrow(*x))).map(|(i, _)| i).collect()
    }

    /// The first particle that lies in the other body. Particles on its faces do not.
    pub(crate) fn first_overlap(&self, other: &BodySample) -> Option<DVec3> {
        let Bounds { min, max } = other.bounds().grown(self.spacing);
        let occupied = other.occupied(TOO_NEAR);
        let meets = |position: &DVec3| occupied.holds(*position, self.beyond);
        match (&self.cells, &self.deformed) {
            (Cells::Block(lattice), None) => {
                lattice.between(min, max).map(|cell| lattice.centre(cell)).find(|position| meets(position))
            }
            _ => {
                let mut near = self.positions().filter(|point| point.cmpge(min).all() && point.cmple(max).all());
                near.find(|position| meets(position))
            }
        }
    }

    /// Leaves out the particles that lie in the other body, or too near to its particles.
    pub(super) fn give_way(&mut self, other: &BodySample) {
        let Bounds { min, max } = other.bounds().grown(self.spacing);
        let occupied = Occupied { thick: other.fills().then_some(other), ..other.near(ROOM) };
        let stays = |point: &DVec3| {
            let near = point.cmpge(min).all() && point.cmple(max).all();
            !(near && occupied.holds(*point, 0.0))
        };
        let stay: Vec<_> = self.positions().map(|point| stays(&point)).collect();
        self.keep(&stay);
    }

    /// Leaves out the particles that are near some points.
    pub(crate) fn keep_out(&mut self, near: &Near) {
        let stay: Vec<_> = self.positions().map(|point| !near.has_any(point)).collect();
        self.keep(&stay);
    }

    fn keep(&mut self, stay: &[bool]) {
        if stay.contains(&false) {
            let kept = |(place, &stays): (DVec3, &bool)| stays.then_some(place);
            self.cells = Cells::Points(self.at_rest().zip(stay).filter_map(kept).collect());
            let deformed = self.deformed.take();
            self.deformed = deformed.map(|places| places.into_iter().zip(stay).filter_map(kept).collect());
        }
    }

    /// What is in its space: everything in its shape, or what is near its particles if it is thin.
    fn occupied(&self, room: f64) -> Occupied<'_> {
        match self.fills() {
            true => Occupied { thick: Some(self), near: None },
            false => self.near(room),
        }
    }

    fn near(&self, room: f64) -> Occupied<'_> {
        Occupied { thick: None, near: Some(Near::of(self.positions(), room * self.spacing)) }
    }

    /// Does it start wherever its shape is?
    fn fills(&self) -> bool {
        self.is_thick() && !self.is_deformed()
    }

    /// Does it fill a volume?
    pub(super) fn is_thick(&self) -> bool {
        self.fill == Fill::Volume
    }

    /// The share of its surface that none of some points is near to, and a place there [m].
    pub(crate) fn bare(&self, near: &Near, axes: usize) -> Option<(f64, DVec3)> {
        let mut points = surface_points(&*self.solid, axes);
        // Where two parts cancel each other out the distance is zero as well, but nothing is behind.
        let reach = 0.01 * self.spacing;
        points.retain(|&point| self.solid.distance(point - reach * gradient(&*self.solid, point, reach)) < 0.0);
        let mut bare = points.iter().filter(|point| !near.has_any(**point));
        let first = *bare.next()?;
        Some(((1 + bare.count()) as f64 / points.len() as f64, first))
    }

    /// Does it fill every cell of a box?
    pub(crate) fn is_block(&self) -> bool {
        matches!(self.cells, Cells::Block(_))
    }

    /// The volume of each particle [m^dimension].
    pub(super) fn volume(&self, world: &World) -> f64 {
        self.rest_volume.unwrap_or(world.cell_volume())
    }

    /// Its particles are at these places instead, in their order.
    pub(super) fn place(&mut self, places: &[DVec3]) {
        if !self.positions().eq(places.iter().copied()) {
            self.cells = Cells::Points(places.to_vec());
        }
    }

    /// Is a point in the body, deeper than `beyond`?
    fn covers(&self, point: DVec3, beyond: f64) -> bool {
        let deep = beyond + 1e-6 * self.spacing;
        match &self.cells {
            Cells::Block(lattice) => {
                let nudge = DVec3::splat(deep);
                [point - nudge, point + nudge].into_iter().all(|point| lattice.has(lattice.cell(point)))
            }
            Cells::Points(_) => self.solid.distance(point) < -deep,
        }
    }
}

/// Where no other body may be.
struct Occupied<'a> {
    /// Inside this one.
    thick: Option<&'a BodySample>,
    /// Near these points.
    near: Option<Near>,
}

impl Occupied<'_> {
    fn holds(&self, point: DVec3, beyond: f64) -> bool {
        self.thick.is_some_and(|body| body.covers(point, beyond))
            || self.near.as_ref().is_some_and(|points| points.has_any(point))
    }
}

fn no_rows(path: &Path) -> Finding {
    let help = "choose `poisson_disk` or `relaxed`, or leave `sampling` out";
    finding(path.key("sampling"), "a surface cannot be filled by a lattice".into(), help)
}

fn no_line(path: &Path) -> Finding {
    let help = "give it a `curve` as its shape, or fill its `volume` or `surface`";
    finding(path.key("fill"), "only a curve has a line".into(), help)
}
