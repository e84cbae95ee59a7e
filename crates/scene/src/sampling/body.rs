//! The particles of a body.

use glam::DVec3;

use super::Lattice;
use crate::{Shape, Sphere, World};

/// Tolerance of comparisons, in spacings: rounding must not decide which cells a shape has.
const ROUNDING: f64 = 1e-9;

/// The cells that a shape fills.
#[derive(Clone, Debug)]
pub(crate) struct BodyCells {
    lattice: Lattice,
    /// Centre and radius, if only the cells of a ball are filled.
    ball: Option<(DVec3, f64)>,
}

impl BodyCells {
    /// The cells of `shape`. Those of a ball have one at its centre.
    pub(crate) fn new(shape: &Shape, world: &World) -> BodyCells {
        match shape {
            Shape::Box(shape) => BodyCells { lattice: Lattice::of_box(shape, world), ball: None },
            Shape::Sphere(Sphere { centre, radius }) => {
                let centre = world.flat(*centre);
                let reach = (radius / world.spacing + ROUNDING).floor() as i64;
                let axes = usize::from(world.dimension);
                let cells =
                    std::array::from_fn(|axis| if axis < axes { reach.saturating_mul(2).saturating_add(1) } else { 1 });
                let half = DVec3::splat((reach as f64 + 0.5) * world.spacing);
                let corner = centre - if axes == 3 { half } else { DVec3::new(half.x, half.y, 0.0) };
                let lattice = Lattice { corner, cells, spacing: world.spacing, axes };
                BodyCells { lattice, ball: Some((centre, radius + ROUNDING * world.spacing)) }
            }
        }
    }

    /// About how many particles, without looking at each; exact for a box.
    pub(crate) fn estimate(&self) -> f64 {
        let fraction = match (self.ball, self.lattice.axes) {
            (None, _) => return self.lattice.count(),
            (Some(_), 2) => std::f64::consts::PI,
            (Some(_), _) => 4.0 / 3.0 * std::f64::consts::PI,
        };
        let radius = self.ball.map_or(0.0, |(_, radius)| radius) / self.lattice.spacing;
        fraction * radius.powi(self.lattice.axes as i32)
    }

    /// How many particles.
    pub(crate) fn count(&self) -> u64 {
        match self.ball {
            None => self.lattice.count() as u64,
            Some(_) => self.cells(&self.lattice).count() as u64,
        }
    }

    /// The block of cells around the body.
    pub(crate) fn block(&self) -> &Lattice {
        &self.lattice
    }

    /// Where the particles are [m], in a fixed order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.cells(&self.lattice).map(|cell| self.lattice.centre(cell))
    }

    /// The first particle that is closer than half a spacing to one of `other`.
    pub(crate) fn first_overlap(&self, other: &BodyCells) -> Option<DVec3> {
        let (low, high) = (other.lattice.corner, other.lattice.far_corner());
        let margin = DVec3::splat(self.lattice.spacing);
        let (first, last) = (self.lattice.cell(low - margin), self.lattice.cell(high + margin));
        let first: [i64; 3] = std::array::from_fn(|axis| first[axis].clamp(0, self.lattice.cells[axis]));
        let common = Lattice {
            corner: self.lattice.corner,
            cells: std::array::from_fn(|axis| last[axis].clamp(-1, self.lattice.cells[axis] - 1) + 1 - first[axis]),
            ..self.lattice.clone()
        };
        let near = 0.5 * self.lattice.spacing * (1.0 - 1e-6);
        let shifted = common.iter().map(|cell| std::array::from_fn(|axis| cell[axis] + first[axis]));
        shifted.filter(|&cell| self.fills(cell)).map(|cell| self.lattice.centre(cell)).find(|&position| {
            // Of a lattice only the nearest point can be closer than half a spacing.
            let cell = other.lattice.cell(position);
            other.lattice.has(cell) && other.fills(cell) && other.lattice.centre(cell).distance(position) < near
        })
    }

    fn fills(&self, cell: [i64; 3]) -> bool {
        self.ball.is_none_or(|(centre, radius)| self.lattice.centre(cell).distance_squared(centre) <= radius * radius)
    }

    fn cells(&self, block: &Lattice) -> impl Iterator<Item = [i64; 3]> + use<'_> {
        block.iter().filter(|&cell| self.fills(cell))
    }
}
