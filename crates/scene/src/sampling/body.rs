//! The particles of a body.

use glam::DVec3;

use super::Lattice;
use crate::shape::Surroundings;
use crate::{Shape, Sphere};

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
    pub(crate) fn new(shape: &Shape, surroundings: Surroundings<'_>) -> BodyCells {
        let world = surroundings.world;
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
            Some(_) => self.positions().count() as u64,
        }
    }

    /// The block of cells around the body.
    pub(crate) fn block(&self) -> &Lattice {
        &self.lattice
    }

    /// Where the particles are [m], in a fixed order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = DVec3> + use<> {
        let BodyCells { lattice, ball } = self.clone();
        self.lattice.iter().map(move |cell| lattice.centre(cell)).filter(move |&point| is_in(ball, point))
    }

    /// The first particle that lies in a cell of `other`. Particles on its faces do not.
    pub(crate) fn first_overlap(&self, other: &BodyCells) -> Option<DVec3> {
        let nudge = DVec3::splat(1e-6 * self.lattice.spacing);
        let within = |position: DVec3| {
            [position - nudge, position + nudge].into_iter().all(|point| {
                let cell = other.lattice.cell(point);
                other.lattice.has(cell) && other.fills(cell)
            })
        };
        let (first, last) = (self.lattice.cell(other.lattice.corner), self.lattice.cell(other.lattice.far_corner()));
        let [x, y, z] = std::array::from_fn(|axis| {
            let cells = self.lattice.cells[axis];
            first[axis].clamp(0, cells)..last[axis].clamp(-1, cells - 1) + 1
        });
        let common = x.flat_map(move |x| {
            let z = z.clone();
            y.clone().flat_map(move |y| z.clone().map(move |z| [x, y, z]))
        });
        common.filter(|&cell| self.fills(cell)).map(|cell| self.lattice.centre(cell)).find(|&position| within(position))
    }

    fn fills(&self, cell: [i64; 3]) -> bool {
        is_in(self.ball, self.lattice.centre(cell))
    }
}

/// Is the point in the ball, if there is one?
fn is_in(ball: Option<(DVec3, f64)>, point: DVec3) -> bool {
    ball.is_none_or(|(centre, radius)| point.distance_squared(centre) <= radius * radius)
}
