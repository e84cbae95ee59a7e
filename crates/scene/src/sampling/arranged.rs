//! Bodies on a lattice: which of its cells a solid fills.
//!
//! A cell belongs to the body if its centre is inside. Where the surface is curved, that is right in the mean only: so
//! the cells along the surface are taken in the order of their depth, until as many are filled as the volume of the
//! solid is worth. Every particle keeps the volume of its cell. Cells that are images
//! of each other are all taken or none, so that what is symmetric stays so; and so are the rows along flat faces, as those
//! of a box are.

use glam::DVec3;

use super::Lattice;
use super::packed::Packed;
use super::walk::{Met, centres, walk};
use crate::shape::{Bounds, Solid};

/// How far the centres of filled cells may be outside, or of empty ones inside, in spacings: less than 1 − √½, or posts two
/// cells thick would be filled.
const MARGIN: f64 = 0.29;

/// Depths that differ by less are the same, in spacings: rounding must not break a symmetry.
const SAME: f64 = 1e-6;

/// What becomes of the order of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// It stays: what is symmetric must be so to the last particle.
    Kept,
    /// It is lost, so the number of particles may be exact.
    Lost,
}

/// Particles on a lattice.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    /// Where they are [m].
    pub(super) positions: Vec<DVec3>,
    /// How far the outermost is outside the solid [m]; never negative.
    pub(super) beyond: f64,
}

/// The cells of `lattice` that a solid of a known volume fills.
pub(super) fn fill(solid: &dyn Solid, lattice: &Lattice, volume: f64, order: Order) -> Filled {
    let margin = MARGIN * lattice.spacing;
    let parts = walk(solid, lattice, margin, |part: &mut Vec<(DVec3, f64)>, met| match met {
        Met::Inside(block) => part.extend(centres(lattice, block).map(|centre| (centre, f64::NEG_INFINITY))),
        Met::Near(cell, distance) => part.push((lattice.centre(cell), distance)),
    });
    let wanted = volume / lattice.spacing.powi(lattice.axes as i32);
    select(parts.into_iter().flatten().collect(), lattice, order, wanted)
}

/// The particles of a hexagonal lattice that a solid of a known volume has; `lattice` is the cubic one of its spacing.
pub(super) fn fill_packed(solid: &dyn Solid, lattice: &Lattice, packed: Packed, volume: f64) -> Filled {
    const BRICK: i64 = 4;
    let (spacing, axes) = (lattice.spacing, lattice.axes);
    let bricks = Lattice {
        spacing: BRICK as f64 * spacing,
        cells: lattice.cells.map(|cells| (cells + BRICK - 1) / BRICK),
        ..lattice.clone()
    };
    let margin = MARGIN * spacing;
    let reach = 0.5 * bricks.spacing * (axes as f64).sqrt() + margin;
    let within =
        |brick: [i64; 3]| packed.within(Bounds::around(bricks.centre(brick), DVec3::splat(0.5 * bricks.spacing)));
    let parts = walk(solid, &bricks, reach, |part: &mut Vec<(DVec3, f64)>, met| match met {
        Met::Inside(block) => part.extend(block.cells().flat_map(within).map(|place| (place, f64::NEG_INFINITY))),
        Met::Near(brick, _) => part.extend(within(brick).filter_map(|place| {
            let distance = solid.distance(place);
            (distance <= margin).then_some((place, if distance < -margin { f64::NEG_INFINITY } else { distance }))
        })),
    });
    select(parts.into_iter().flatten().collect(), lattice, Order::Kept, volume / packed.cell_volume())
}

/// As many as are wanted of the cells inside (at minus infinity) and along the surface.
fn select(cells: Vec<(DVec3, f64)>, lattice: &Lattice, order: Order, wanted: f64) -> Filled {
    let middle = 0.5 * (lattice.corner + lattice.far_corner());
    let mut rim = Vec::new();
    for (index, (position, distance)) in cells.iter().enumerate().filter(|(_, (_, distance))| distance.is_finite()) {
        let way = (*position - middle) / lattice.spacing;
        rim.push(Rim { distance: *distance, way, shape: (way * way * way * way).element_sum(), index });
    }
    let inside = cells.len() - rim.len();
    let same = if order == Order::Kept { SAME * lattice.spacing } else { 0.0 };
    let chosen = choose(&mut rim, wanted - inside as f64, same, lattice.axes);
    let beyond = rim[..chosen].iter().map(|cell| cell.distance).fold(0.0, f64::max);
    let mut keep = vec![true; cells.len()];
    rim[chosen..].iter().for_each(|cell| keep[cell.index] = false);
    let positions = cells.iter().zip(keep).filter(|(_, keep)| *keep).map(|((position, _), _)| *position).collect();
    Filled { positions, beyond }
}

/// A cell along the surface.
#[derive(Clone, Copy, Debug)]
struct Rim {
    distance: f64,
    /// From the middle of the lattice, in spacings.
    way: DVec3,
    /// A number that is the same for cells which are images of each other, and else hardly ever (x⁴ + y⁴ + z⁴).
    shape: f64,
    index: usize,
}

/// Sorts the cells by depth and says how many of them to take, so that it is as near to `wanted` as can be.
fn choose(rim: &mut [Rim], wanted: f64, same: f64, axes: usize) -> usize {
    rim.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.index.cmp(&b.index)));
    let (mut count, mut best) = (0, (0, wanted.abs()));
    for level in rim.chunk_by_mut(|a, b| b.distance - a.distance < same) {
        level.sort_unstable_by(|a, b| a.shape.total_cmp(&b.shape).then(a.index.cmp(&b.index)));
        let is_row = is_row(level, axes);
        for images in level.chunk_by(|a, b| same > 0.0 && (is_row || b.shape - a.shape < 1e-6 * b.shape)) {
            count += images.len();
            let error = (count as f64 - wanted).abs();
            if error < best.1 {
                best = (count, error);
            }
        }
    }
    best.0
}

/// Are cells of the same depth the row along a flat face across an axis, or along two opposite faces?
fn is_row(level: &[Rim], axes: usize) -> bool {
    (0..axes).any(|axis| {
        let along = || level.iter().map(|cell| cell.way[axis]);
        let (low, high) = (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max));
        level.len() > 1 && along().all(|x| x - low < SAME || high - x < SAME)
    })
}
