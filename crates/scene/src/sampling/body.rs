//! The particles of a body.

use std::f64::consts::PI;

use glam::DVec3;

use super::Lattice;
use super::arranged::{self, Filled};
use super::volume::{EXACT, ROUGH, volume};
use crate::document::Path;
use crate::meaning::Finding;
use crate::shape::{Bounds, Solid, Surroundings};
use crate::{Body, Shape, Sphere, World};

/// The particles of a body as they start.
#[derive(Debug)]
pub(crate) struct BodySample {
    cells: Cells,
    solid: Box<dyn Solid>,
    spacing: f64,
    /// How far particles may lie outside their shape [m].
    pub(crate) beyond: f64,
}

/// Where particles are.
#[derive(Debug)]
enum Cells {
    /// In every cell of a block; enumerated, never stored.
    Block(Lattice),
    /// At these places.
    Points(Vec<DVec3>),
}

impl BodySample {
    /// Fills the shape of a body, which stands at `path` in the scene.
    pub(crate) fn new(body: &Body, surroundings: Surroundings<'_>, path: &Path) -> Result<BodySample, Finding> {
        let world = surroundings.world;
        let solid = body.shape.solid(surroundings, path)?;
        let spacing = world.spacing;
        if let Shape::Box(shape) = &body.shape
            && shape.rounding == 0.0
        {
            let cells = Cells::Block(Lattice::of_box(shape, world));
            return Ok(BodySample { cells, solid, spacing, beyond: 0.0 });
        }
        let lattice = around(&body.shape, solid.bounds(), world);
        let Filled { positions, beyond } =
            arranged::fill(&*solid, &lattice, measure(&body.shape, &*solid, world, EXACT));
        Ok(BodySample { cells: Cells::Points(positions), solid, spacing, beyond })
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

    /// The first particle that lies in the other body. Particles on its faces do not.
    pub(crate) fn first_overlap(&self, other: &BodySample) -> Option<DVec3> {
        let Bounds { min, max } = other.bounds();
        match &self.cells {
            Cells::Block(lattice) => {
                let common = lattice.between(min, max);
                common.map(|cell| lattice.centre(cell)).find(|&position| other.covers(position, self.beyond))
            }
            Cells::Points(points) => {
                let near = points.iter().filter(|point| point.cmpge(min).all() && point.cmple(max).all());
                near.copied().find(|&position| other.covers(position, self.beyond))
            }
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

/// The lattice around a shape: in the middle of its bounds, with a cell at the centre of a ball.
fn around(shape: &Shape, Bounds { min, max }: Bounds, world: &World) -> Lattice {
    let (spacing, axes) = (world.spacing, usize::from(world.dimension));
    let size = (max - min).to_array();
    let cells = std::array::from_fn(|axis| match (axis < axes, shape) {
        (false, _) => 1,
        (true, Shape::Sphere(_)) => (0.5 * size[axis] / spacing).round() as i64 * 2 + 1,
        (true, _) => (size[axis] / spacing).round().max(1.0) as i64,
    });
    let lattice = Lattice { corner: DVec3::ZERO, cells, spacing, axes };
    let corner = world.flat((0.5 * (min + max) - 0.5 * lattice.far_corner()).to_array());
    // A row more on each side: the volume may ask for cells whose centres are a little outside.
    Lattice { corner, ..lattice }.grown(std::array::from_fn(|axis| i64::from(axis < axes)))
}

/// The volume of a shape, or its area in 2D [m^dimension].
fn measure(shape: &Shape, solid: &dyn Solid, world: &World, error: f64) -> f64 {
    match (shape, world.dimension) {
        (Shape::Sphere(Sphere { radius, .. }), 2) => PI * radius.powi(2),
        (Shape::Sphere(Sphere { radius, .. }), _) => 4.0 / 3.0 * PI * radius.powi(3),
        (_, dimension) => volume(solid, usize::from(dimension), error),
    }
}

/// How much a body takes, before any of it is sampled.
#[derive(Clone, Debug)]
pub(crate) enum Size<'a> {
    /// The cells of a box, exactly.
    Box(&'a crate::BoxShape),
    /// Volume, or area in 2D [m^dimension].
    Volume(f64),
}

impl Size<'_> {
    /// The size of a body; nothing if its shape makes no sense.
    pub(crate) fn of<'a>(body: &'a Body, surroundings: Surroundings<'_>) -> Size<'a> {
        let rough = |solid: Box<dyn Solid>| measure(&body.shape, &*solid, surroundings.world, ROUGH);
        match &body.shape {
            Shape::Box(shape) if shape.rounding == 0.0 => Size::Box(shape),
            shape => Size::Volume(shape.solid(surroundings, &Path::default()).map_or(0.0, rough)),
        }
    }

    /// About how many particles.
    pub(crate) fn particles(&self, world: &World) -> f64 {
        match self {
            Size::Box(shape) => Lattice::of_box(shape, world).count(),
            Size::Volume(volume) => volume / world.cell_volume(),
        }
    }
}
