//! The cells of a coarse mesh, and their sums over particles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::super::rotation::outer;
use super::super::skyline::Skyline;
use super::{Cell, Mesh, Place, Shape, weights};
use crate::real::{Mat3, Real, Vec3};

/// The share of stiffness that is integrated over all particles of a cell; the rest is that of its mean strain. One cell
/// across a plate is too stiff against bending if it is integrated in full, by 1 + (length/thickness)²/2, and without
/// stiffness if only the mean strain counts.
const FULL_INTEGRATION: Real = 0.5;

/// The gradients of the shape functions, in cells of a size.
pub(super) fn slopes(place: Vec3, size: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        // 1 − x or x along each axis, as the corner lies at its beginning or end.
        let sign = Vec3::from_array(std::array::from_fn(|axis| (corner >> axis & 1) as Real * 2.0 - 1.0));
        let side = Vec3::splat(0.5) + sign * (place - Vec3::splat(0.5));
        sign * Vec3::new(side.y * side.z, side.z * side.x, side.x * side.y) / size
    })
}

/// Cells that cover the undeformed shape of a body.
pub(super) struct Grid {
    pub(super) low: Vec3,
    pub(super) size: Vec3,
    counts: [u32; 3],
    /// The axes, the longest first.
    pub(super) order: [usize; 3],
    /// How many corners a cell has.
    corners: usize,
}

/// Indices of a cell or node, along the longest axis first: this keeps the skyline low.
pub(super) type Key = [u32; 3];

impl Grid {
    pub(super) fn new(shape: &Shape<'_>, spacing: f64, width: f64) -> Self {
        let &Shape { world, members, rest, .. } = shape;
        let (first, rest) = (rest[members[0]], || members.iter().map(|&i| rest[i]));
        let margin = Vec3::splat(0.5 * spacing as Real);
        let low = rest().fold(first, Vec3::min) - margin;
        let extent = rest().fold(first, Vec3::max) + margin - low;
        let counts = extent.to_array().map(|extent| (f64::from(extent) / width).round().max(1.0) as u32);
        let mut size = extent / Vec3::from_array(counts.map(|count| count as Real));
        // No gradient along axes in which matter does not extend.
        (world.dimension.count()..3).for_each(|axis| size[axis] = Real::INFINITY);
        let mut order = [0, 1, 2];
        order.sort_by_key(|&axis| std::cmp::Reverse(counts[axis]));
        Grid { low, size, counts, order, corners: 1 << world.dimension.count() }
    }

    /// The cell of a particle, and its local coordinates.
    fn find(&self, rest: Vec3) -> (Key, Vec3) {
        let place = (rest - self.low) / self.size;
        let cell: [u32; 3] = std::array::from_fn(|axis| (place[axis] as u32).min(self.counts[axis] - 1));
        (self.order.map(|axis| cell[axis]), place - Vec3::from_array(cell.map(|k| k as Real)))
    }

    /// The node at a corner of a cell.
    fn corner(&self, cell: Key, corner: usize) -> Key {
        std::array::from_fn(|k| cell[k] + (corner >> self.order[k] & 1) as u32)
    }

    /// Numbers of all nodes.
    pub(super) fn nodes(&self, shape: &Shape<'_>) -> BTreeMap<Key, u32> {
        let cells = shape.members.iter().map(|&i| self.find(shape.rest[i]).0);
        let keys: BTreeSet<_> = cells.flat_map(|cell| (0..self.corners).map(move |k| self.corner(cell, k))).collect();
        keys.into_iter().zip(0..).collect()
    }

    pub(super) fn mesh(&self, shape: &Shape<'_>, nodes: &BTreeMap<Key, u32>, places: &mut [Place]) -> Mesh {
        let particles = &shape.world.particles;
        let mut inside: Vec<_> = shape.members.iter().map(|&i| (self.find(shape.rest[i]), i)).collect();
        inside.sort_by_key(|((cell, _), i)| (*cell, *i));
        let mut mesh = Mesh {
            nodes: nodes.len(),
            cells: Vec::new(),
            members: inside.iter().map(|((_, place), i)| (*i as u32, *place)).collect(),
            skyline: Skyline::default(),
            inertia: 0.0,
            eigenvalues: OnceLock::new(),
        };
        let (mut start, none) = (0, nodes.len() as u32);
        for members in inside.chunk_by(|((a, _), _), ((b, _), _)| a == b) {
            let key = members[0].0.0;
            let node = |corner| nodes.get(&self.corner(key, corner)).filter(|_| corner < self.corners);
            let nodes = std::array::from_fn(|corner| node(corner).copied().unwrap_or(none));
            let (mut masses, mut holds, mut sums) = ([[0.0; 8]; 8], [[0.0; 8]; 8], [[Mat3::ZERO; 8]; 8]);
            let (mut cell_volume, mut of_cell) = (0.0, [Vec3::ZERO; 8]);
            for (k, ((_, place), i)) in members.iter().enumerate() {
                places[*i] = ((start + k) as u32, mesh.cells.len() as u32);
                let (weight, slope) = (weights(*place), slopes(*place, self.size));
                let volume = particles.rest_volume[*i];
                let (mass, hold) = match particles.clamp[*i] {
                    0 => (particles.mass(*i), 0.0),
                    _ => (0.0, volume * (shape.stiffness)(*i)),
                };
                for n in 0..8 {
                    for m in 0..8 {
                        masses[n][m] += mass * weight[n] * weight[m];
                        holds[n][m] += hold * weight[n] * weight[m];
                        sums[n][m] += outer(slope[n], slope[m]) * (volume * FULL_INTEGRATION);
                    }
                    of_cell[n] += slope[n] * volume;
                }
                cell_volume += volume;
            }
            for n in 0..8 {
                for m in 0..8 {
                    sums[n][m] += outer(of_cell[n], of_cell[m]) * ((1.0 - FULL_INTEGRATION) / cell_volume);
                }
            }
            let members = start..start + members.len();
            start = members.end;
            mesh.cells.push(Cell { nodes, members, masses, holds, slopes: sums });
        }
        let joined = mesh.cells.iter().map(|cell| cell.nodes.into_iter().filter(|n| *n < none));
        mesh.skyline = Skyline::new(nodes.len(), joined);
        mesh
    }
}
