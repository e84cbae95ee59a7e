//! The particles of a body.

use glam::DVec3;
use thixo_sim::Region;

use super::Lattice;
use super::choice::{Arrangement, Fill, Sampling};
use super::filler::{Filler, Particles};
use super::poisson::Where;
use crate::build::narrow;
use crate::document::Path;
use crate::meaning::{Finding, finding};
use crate::near::Near;
use crate::shape::{Bounds, Solid, Surroundings};
use crate::{Body, World};

/// Particles of two bodies may not be nearer to each other, in spacings.
const TOO_NEAR: f64 = 0.5;

/// Where a body gives way, this much room is left around the particles of the other, in spacings.
const ROOM: f64 = 0.75;

/// The particles of a body as they start.
#[derive(Debug)]
pub(crate) struct BodySample {
    cells: Cells,
    solid: Box<dyn Solid>,
    fill: Fill,
    spacing: f64,
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
        Ok(BodySample { cells, solid, fill: body.fill, spacing, rest_volume, beyond })
    }

    /// How many particles.
    pub(crate) fn count(&self) -> u64 {
        match &self.cells {
            Cells::Block(lattice) => lattice.count() as u64,
            Cells::Points(points) => points.len() as u64,
        }
    }

    /// A box around the body [m].
    pub(crate) fn bounds(&self) -> Bounds {
        match &self.cells {
            Cells::Block(lattice) => Bounds { min: lattice.corner, max: lattice.far_corner() },
            Cells::Points(_) => self.solid.bounds(),
        }
    }

    /// Where the particles are [m], in a fixed order.
    pub(crate) fn positions(&self) -> Box<dyn Iterator<Item = DVec3> + '_> {
        match &self.cells {
            Cells::Block(lattice) => Box::new(lattice.iter().map(|cell| lattice.centre(cell))),
            Cells::Points(points) => Box::new(points.iter().copied()),
        }
    }

    /// The particles that start in a region, counted from the first of the body.
    pub(crate) fn starting_in(&self, world: &World, region: &Region) -> Vec<usize> {
        let (dimension, domain) = (world.dimension(), world.domain());
        let numbered = self.positions().enumerate();
        numbered.filter(|(_, x)| region.contains(dimension, &domain, narrow(*x))).map(|(i, _)| i).collect()
    }

    /// The first particle that lies in the other body. Particles on its faces do not.
    pub(crate) fn first_overlap(&self, other: &BodySample) -> Option<DVec3> {
        let Bounds { min, max } = other.bounds().grown(self.spacing);
        let occupied = other.occupied(TOO_NEAR);
        let meets = |position: &DVec3| occupied.holds(*position, self.beyond);
        match &self.cells {
            Cells::Block(lattice) => {
                lattice.between(min, max).map(|cell| lattice.centre(cell)).find(|position| meets(position))
            }
            Cells::Points(points) => {
                let near = points.iter().filter(|point| point.cmpge(min).all() && point.cmple(max).all());
                near.copied().find(|position| meets(position))
            }
        }
    }

    /// Leaves out the particles that lie in the other body, or too near to its particles.
    pub(super) fn give_way(&mut self, other: &BodySample) {
        let Bounds { min, max } = other.bounds().grown(self.spacing);
        let occupied = Occupied { thick: other.is_thick().then_some(other), ..other.near(ROOM) };
        let stays = |point: &DVec3| {
            let near = point.cmpge(min).all() && point.cmple(max).all();
            !(near && occupied.holds(*point, 0.0))
        };
        let points: Vec<_> = self.positions().filter(stays).collect();
        if (points.len() as u64) < self.count() {
            self.cells = Cells::Points(points);
        }
    }

    /// What is in its space: everything in its shape, or what is near its particles if it is thin.
    fn occupied(&self, room: f64) -> Occupied<'_> {
        match self.is_thick() {
            true => Occupied { thick: Some(self), near: None },
            false => self.near(room),
        }
    }

    fn near(&self, room: f64) -> Occupied<'_> {
        Occupied { thick: None, near: Some(Near::of(self.positions(), room * self.spacing)) }
    }

    fn is_thick(&self) -> bool {
        self.fill == Fill::Volume
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
