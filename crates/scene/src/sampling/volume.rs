//! How large a solid is.
//!
//! Space is divided into cells. Those inside count whole; in each that the surface may cut, one random point decides.
//! The points of different cells do not know of each other, so their errors cancel as those of coins do: with `n` cut
//! cells of `N` filled ones the error is about `√n / 2N`. Cells are halved until that is small enough. Only the sign
//! of distances matters, so that solids which underrate their distances are measured as well.

use glam::DVec3;

use super::walk::{Met, walk};
use super::{Lattice, random};
use crate::shape::Solid;

/// The error of a measurement, relative to the volume.
pub(super) const EXACT: f64 = 2e-4;

/// The error of an estimate.
pub(super) const ROUGH: f64 = 1e-2;

/// Cells along the longest side to begin with.
const COARSEST: f64 = 32.0;

/// No finer, if so many cells are cut.
const MOST_CUT: u64 = 150_000;

/// Times that cells are halved: what touches nothing but points and lines is cut by few cells, however small.
const MOST_HALVINGS: usize = 12;

/// Volume, or area in 2D [m^axes], to within about the `error`; zero if it has none that can be seen, infinite if it
/// has no end.
pub(crate) fn volume(solid: &dyn Solid, axes: usize, error: f64) -> f64 {
    let bounds = solid.bounds();
    let size = (bounds.max - bounds.min).to_array();
    if !size[..axes].iter().all(|side| side.is_finite() && *side >= 0.0) {
        return if size[..axes].iter().any(|side| *side < 0.0) { 0.0 } else { f64::INFINITY };
    }
    let longest = size[..axes].iter().copied().fold(0.0, f64::max);
    let mut edge = longest / COARSEST;
    if edge == 0.0 {
        return 0.0;
    }
    let mut volume = 0.0;
    for _ in 0..MOST_HALVINGS {
        let Census { filled, cut } = Census::take(solid, bounds.min, size, edge, axes);
        volume = filled as f64 * edge.powi(axes as i32);
        if 0.5 * (cut as f64).sqrt() < error * filled as f64 || cut > MOST_CUT || cut == 0 {
            break;
        }
        edge *= 0.5;
    }
    volume
}

/// Cells that count, and cells that a point decided.
#[derive(Clone, Copy, Debug, Default)]
struct Census {
    filled: u64,
    cut: u64,
}

impl Census {
    fn take(solid: &dyn Solid, corner: DVec3, size: [f64; 3], edge: f64, axes: usize) -> Census {
        let cells =
            std::array::from_fn(|axis| if axis < axes { (size[axis] / edge).ceil().max(1.0) as i64 } else { 1 });
        let lattice = Lattice { corner, cells, spacing: edge, axes };
        let to_corner = 0.5 * edge * (axes as f64).sqrt();
        let parts = walk(solid, &lattice, to_corner, |census: &mut Census, met| match met {
            Met::Inside(block) => census.filled += block.count(),
            Met::Near(cell, distance) => {
                census.cut += 1;
                let within = match distance.abs() > to_corner {
                    true => distance < 0.0,
                    false => solid.distance(lattice.centre(cell) + jitter(cell, edge, axes)) < 0.0,
                };
                census.filled += u64::from(within);
            }
        });
        let add = |a: Census, b: Census| Census { filled: a.filled + b.filled, cut: a.cut + b.cut };
        parts.into_iter().fold(Census::default(), add)
    }
}

/// From the centre of a cell to a random point in it [m].
fn jitter(cell: [i64; 3], edge: f64, axes: usize) -> DVec3 {
    let half = DVec3::splat(0.5 * edge);
    let offset = random::of_cell(0, cell).point(-half, half);
    if axes == 2 { offset.with_z(0.0) } else { offset }
}
