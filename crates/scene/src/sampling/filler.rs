//! Fills a body with particles, each way that a scene may choose.

use std::f64::consts::PI;

use glam::DVec3;

use super::Lattice;
use super::arranged::{Order, fill, fill_packed};
use super::body::Cells;
use super::choice::{Rows, Seed};
use super::faces::faces;
use super::packed::Packed;
use super::poisson::{Darts, Where};
use super::relaxed::Relaxation;
use super::volume::{EXACT, ROUGH, volume};
use crate::document::Path;
use crate::shape::{Bounds, Solid, Surroundings};
use crate::{Body, Fill, Shape, Sphere, World};

/// The least distance of random particles, in spacings: so many of them fit that there is about one for each cell.
fn least_distance(place: Where, axes: usize) -> f64 {
    match (place, axes) {
        (Where::Inside, 2) => 0.81,
        (Where::Inside, _) => 0.87,
        (Where::Surface, 2) => 0.745,
        (Where::Surface, _) => 0.82,
    }
}

/// How deep inside the outermost particles lie, in spacings: as deep as those of a lattice, so that what shares a face
/// with a wall meets it at one spacing.
pub(super) const OUTERMOST: f64 = 0.5;

/// A body to be filled.
pub(super) struct Filler<'a> {
    pub(super) body: &'a Body,
    pub(super) solid: &'a dyn Solid,
    pub(super) surroundings: Surroundings<'a>,
}

/// The particles of a body.
pub(super) struct Particles {
    pub(super) cells: Cells,
    pub(super) rest_volume: Option<f64>,
    pub(super) beyond: f64,
}

impl Filler<'_> {
    /// In rows.
    pub(super) fn lattice(&self, rows: Rows) -> Particles {
        let shape = &self.body.shape;
        if let (Shape::Box(shape), Rows::Cubic) = (shape, rows)
            && shape.rounding == 0.0
        {
            let cells = Cells::Block(Lattice::of_box(shape, self.world()));
            return Particles { cells, rest_volume: None, beyond: 0.0 };
        }
        let lattice = around(shape, self.solid, self.world());
        let volume = lattice_volume(shape, self.solid, self.world());
        let (filled, rest_volume) = match rows {
            Rows::Cubic => (fill(self.solid, &lattice, volume, Order::Kept), None),
            Rows::Hexagonal => {
                let packed = Packed::fitted(self.solid.bounds(), self.world().spacing, lattice.axes);
                (fill_packed(self.solid, &lattice, packed, volume), Some(packed.cell_volume()))
            }
        };
        Particles { cells: Cells::Points(filled.positions), rest_volume, beyond: filled.beyond }
    }

    /// At random.
    pub(super) fn darts(&self, seed: &Seed, place: Where) -> Particles {
        let points = self.thrown(seed, place);
        let size = if place == Where::Surface { self.skin() } else { self.volume() };
        shared(points, size)
    }

    /// Evenly.
    pub(super) fn relaxed(&self, seed: &Seed) -> Particles {
        let volume = self.volume();
        let lattice = around(&self.body.shape, self.solid, self.world());
        let mut points = fill(self.solid, &lattice, volume, Order::Lost).positions;
        let relaxation = self.relaxation(Where::Inside);
        relaxation.shaken(&mut points, self.seed(seed));
        relaxation.relax(&mut points);
        shared(points, volume)
    }

    /// Evenly over the surface.
    pub(super) fn membrane(&self, seed: &Seed) -> Particles {
        let mut points = self.thrown(seed, Where::Surface);
        self.relaxation(Where::Surface).relax(&mut points);
        shared(points, self.skin())
    }

    /// Along the line of a curve; none if the shape is something else.
    pub(super) fn line(&self) -> Option<Particles> {
        let Shape::Curve(curve) = self.shape()? else { return None };
        let line: Vec<_> = curve.line().into_iter().map(|point| self.world().flat(point.to_array())).collect();
        let length: f64 = line.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let count = (length / self.world().spacing).round().max(1.0);
        let points = (0..count as u64).filter_map(|k| along(&line, (k as f64 + 0.5) * length / count)).collect();
        Some(shared(points, length * self.world().spacing.powi(i32::from(self.world().dimension) - 1)))
    }

    fn thrown(&self, seed: &Seed, place: Where) -> Vec<DVec3> {
        let (spacing, axes) = (self.world().spacing, usize::from(self.world().dimension));
        let radius = least_distance(place, axes) * spacing;
        let depth = if place == Where::Inside { OUTERMOST * spacing } else { 0.0 };
        Darts { solid: self.solid, axes, radius, place, depth, seed: self.seed(seed) }.throw()
    }

    fn relaxation(&self, place: Where) -> Relaxation<'_> {
        let axes = usize::from(self.world().dimension);
        Relaxation { solid: self.solid, axes, spacing: self.world().spacing, place }
    }

    fn seed(&self, seed: &Seed) -> u32 {
        seed.seed.unwrap_or(self.world().seed)
    }

    fn volume(&self) -> f64 {
        measure(&self.body.shape, self.solid, self.world(), EXACT)
    }

    /// The volume of a layer of one spacing on the surface [m^dimension].
    fn skin(&self) -> f64 {
        self.sheet().unwrap_or_else(|| skin(self.solid, self.world(), EXACT))
    }

    /// The same for a mesh that ends somewhere: its particles keep away from its rim, but share all of it.
    fn sheet(&self) -> Option<f64> {
        let Some(Shape::Mesh(mesh)) = self.shape().filter(|_| self.world().dimension == 3) else { return None };
        let area = self.surroundings.files.mesh(mesh).ok()?.open_area()?;
        Some(area * mesh.scale * mesh.scale * self.world().spacing)
    }

    /// The shape itself, if the body only gives its name.
    fn shape(&self) -> Option<&Shape> {
        let mut shape = &self.body.shape;
        while let Shape::Named(name) = shape {
            shape = self.surroundings.shapes.get(name)?;
        }
        Some(shape)
    }

    fn world(&self) -> &World {
        self.surroundings.world
    }
}

/// Particles that share a volume.
fn shared(points: Vec<DVec3>, volume: f64) -> Particles {
    let rest_volume = (!points.is_empty()).then(|| volume / points.len() as f64);
    Particles { cells: Cells::Points(points), rest_volume, beyond: 0.0 }
}

/// The volume of a layer of one spacing on the surface of a solid [m^dimension].
fn skin(solid: &dyn Solid, world: &World, error: f64) -> f64 {
    // Half of it is measured: curvature matters less.
    let layer = Layer { solid, half: 0.25 * world.spacing };
    2.0 * volume(&layer, usize::from(world.dimension), error)
}

/// What is near the surface of a solid.
#[derive(Debug)]
struct Layer<'a> {
    solid: &'a dyn Solid,
    half: f64,
}

impl Solid for Layer<'_> {
    fn distance(&self, point: DVec3) -> f64 {
        self.solid.distance(point).abs() - self.half
    }

    fn bounds(&self) -> Bounds {
        self.solid.bounds().grown(self.half)
    }
}

/// The point of a line that is so far from its start.
fn along(line: &[DVec3], mut way: f64) -> Option<DVec3> {
    for pair in line.windows(2) {
        let length = pair[0].distance(pair[1]);
        if way <= length {
            return Some(pair[0].lerp(pair[1], way / length.max(f64::MIN_POSITIVE)));
        }
        way -= length;
    }
    line.last().copied()
}

/// The lattice around a shape: its cells meet the flat faces of the shape along an axis; without any it lies in the middle
/// of the bounds, with a cell at the centre of a ball.
fn around(shape: &Shape, solid: &dyn Solid, world: &World) -> Lattice {
    let Bounds { min, max } = solid.bounds();
    let (spacing, axes) = (world.spacing, usize::from(world.dimension));
    let size = max - min;
    let faces = match shape {
        Shape::Sphere(_) => [None; 3],
        _ => faces(solid, spacing, axes),
    };
    let mut corner = DVec3::ZERO;
    let cells = std::array::from_fn(|axis| {
        if axis >= axes {
            return 1;
        }
        let (cells, start) = match (faces[axis], shape) {
            (Some(face), _) => {
                let before = ((face - min[axis]) / spacing - 1e-6).ceil().max(0.0);
                let start = face - before * spacing;
                (((max[axis] - start) / spacing - 1e-6).ceil(), start)
            }
            (None, Shape::Sphere(_)) => {
                let cells = (0.5 * size[axis] / spacing).round() * 2.0 + 1.0;
                (cells, 0.5 * (min[axis] + max[axis]) - 0.5 * cells * spacing)
            }
            (None, _) => {
                let cells = (size[axis] / spacing).round().max(1.0);
                (cells, 0.5 * (min[axis] + max[axis]) - 0.5 * cells * spacing)
            }
        };
        corner[axis] = start;
        cells as i64
    });
    let lattice = Lattice { corner, cells, spacing, axes };
    // A row more on each side: the volume may ask for cells whose centres are a little outside.
    lattice.grown(std::array::from_fn(|axis| i64::from(axis < axes)))
}

/// The volume of a shape, or its area in 2D [m^dimension].
pub(super) fn measure(shape: &Shape, solid: &dyn Solid, world: &World, error: f64) -> f64 {
    match (shape, world.dimension) {
        (Shape::Sphere(Sphere { radius, .. }), 2) => PI * radius.powi(2),
        (Shape::Sphere(Sphere { radius, .. }), _) => 4.0 / 3.0 * PI * radius.powi(3),
        (_, dimension) => volume(solid, usize::from(dimension), error),
    }
}

/// The volume of a shape, as exact as whole cells can tell [m^dimension].
fn lattice_volume(shape: &Shape, solid: &dyn Solid, world: &World) -> f64 {
    let rough = measure(shape, solid, world, ROUGH);
    let one_in_four_cells = 0.25 * world.cell_volume() / rough.max(world.cell_volume());
    if one_in_four_cells >= ROUGH { rough } else { measure(shape, solid, world, one_in_four_cells.max(EXACT)) }
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
        let world = surroundings.world;
        let rough = |solid: Box<dyn Solid>| match body.fill {
            Fill::Surface => skin(&*solid, world, ROUGH),
            _ => measure(&body.shape, &*solid, world, ROUGH),
        };
        match &body.shape {
            Shape::Box(shape) if shape.rounding == 0.0 && body.fill == Fill::Volume => Size::Box(shape),
            shape => {
                let solid = shape.solid(body.surroundings(surroundings), &Path::default());
                Size::Volume(solid.map_or(0.0, rough))
            }
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
