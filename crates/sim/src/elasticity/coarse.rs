//! A coarse mesh of each implicit body, which tells conjugate gradients what the whole of it does.
//!
//! A particle's own block of the matrix knows nothing of how a body moves, turns and bends: such motions take as many
//! iterations as there are particles from end to end. A coarse mesh knows. With the trilinear functions N_n of its nodes and
//! the matrix A_c that it has as a mesh of finite elements, preconditioned residuals are
//!
//! ```text
//! z = D⁻¹ r + P A_c⁻¹ Pᵀ r,    (P y)_i = Σ_n N_n(x⁰_i) y_n
//! A_c = Σ_i m_i N_n N_m + Δt (Δt + τ) Σ_i V_i (μ (g·h) 1 + μ (R h) ⊗ (R g) + λ (R g) ⊗ (R h)),    g = ∇N_n, h = ∇N_m
//! ```
//!
//! Integrals are sums over particles. All particles of a cell share a rotation R, the mean of theirs: then sums of g ⊗ h are
//! made once, and a bent body costs no more than a straight one. Whatever moves as a whole costs nothing but its inertia.
//! Functions of nodes beside particles that a clamp holds are left out. Sheets and rods have no mesh: what keeps them from
//! bending is the control of zero-energy modes, of which it knows nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use super::law::Law;
use super::pull::vector;
use super::rotation::{Extent, outer, rotation_in};
use super::skyline::Skyline;
use crate::real::{Mat3, Real, Vec3, narrow, wide};
use crate::world::World;

/// Cells are so many times as wide as particles are apart, or wider.
const WIDTH: f64 = 3.0;

/// No body has more nodes: factorising its matrix must not cost more than some iterations.
const MOST_NODES: usize = 128;

/// A mesh pays when sound gets farther than four particles in a step: the square of that.
pub(super) const STIFF: Real = 16.0;

/// Bodies of fewer particles have no mesh: a solve needs no more iterations than there are unknowns.
const FEWEST: usize = 64;

/// A cell of a mesh.
#[derive(Clone, Debug)]
struct Cell {
    /// Its nodes, counted within its body; their number, where one is left out.
    nodes: [u32; 8],
    /// Where its particles are in the list.
    members: Range<usize>,
    /// Σ m N_n N_m.
    masses: [[Real; 8]; 8],
    /// Σ V ∇N_n ⊗ ∇N_m.
    slopes: [[Mat3; 8]; 8],
}

/// The mesh of a body.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    nodes: usize,
    cells: Vec<Cell>,
    /// The particles, cell by cell, with their place in it between 0 and 1.
    members: Vec<(u32, Vec3)>,
    skyline: Skyline,
    /// ρ d², with the distance d of particles [kg/m].
    inertia: Real,
}

/// Where a particle is in the mesh of its body: among the members, and in which cell.
pub(crate) type Place = (u32, u32);

/// The bonded particles of a body, and where they are at rest.
pub(super) struct Shape<'a> {
    pub(super) world: &'a World,
    pub(super) members: &'a [usize],
    pub(super) rest: &'a [Vec3],
}

/// What a mesh works with in a solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// The matrix, factorised.
    matrix: Vec<f64>,
    /// What is asked and answered, by nodes.
    values: Vec<f64>,
    /// The answer, with a zero for nodes that are left out.
    moved: Vec<Vec3>,
    /// What each cell adds to that.
    shares: Vec<[Vec3; 8]>,
}

impl Answer {
    /// Has all the memory that the mesh needs.
    pub(super) fn reserve(&mut self, mesh: &Mesh) {
        self.matrix.resize(mesh.skyline.len(), 0.0);
        self.values.resize(3 * (mesh.nodes + 1), 0.0);
        self.moved.clear();
        self.moved.resize(mesh.nodes + 1, Vec3::ZERO);
        self.shares.resize(mesh.cells.len(), [Vec3::ZERO; 8]);
    }
}

impl Mesh {
    /// The mesh of a body, if its particles are worth one; `places` tells where each of them is in it.
    pub(super) fn new(shape: &Shape<'_>, extents: impl Fn(usize) -> Extent, places: &mut [Place]) -> Option<Self> {
        let &Shape { world, members, .. } = shape;
        let is_thin = |i: &usize| !matches!(extents(*i), Extent::Volume | Extent::Plane);
        let each = || members.iter().copied();
        if members.len() < FEWEST || 2 * each().filter(is_thin).count() > members.len() {
            return None;
        }
        let particles = &world.particles;
        let volume: f64 = each().map(|i| f64::from(particles.rest_volume[i])).sum();
        let power = 1.0 / world.dimension.count() as f64;
        let spacing = (volume / members.len() as f64).powf(power);
        let mut width = (WIDTH * spacing).max((volume / MOST_NODES as f64).powf(power));
        loop {
            let grid = Grid::new(shape, spacing, width);
            let nodes = grid.nodes(shape);
            if nodes.len() <= MOST_NODES {
                let mass: f64 = each().map(|i| f64::from(particles.mass(i))).sum();
                let inertia = (mass / volume * spacing * spacing) as Real;
                return (!nodes.is_empty()).then(|| Mesh { inertia, ..grid.mesh(shape, &nodes, places) });
            }
            width *= 1.15;
        }
    }

    /// Does it pay in a step for which s = Δt (Δt + τ) [s²]? How many iterations a solve takes without it follows from how
    /// far sound gets in a step.
    pub(super) fn pays(&self, law: &Law, s: Real) -> bool {
        (law.moduli.lambda + 2.0 * law.moduli.mu) * s > STIFF * self.inertia
    }

    /// Makes and factorises the matrix of such a step.
    pub(super) fn set_up(&self, answer: &mut Answer, law: &Law, rotations: &[Mat3], s: Real) {
        self.sum_up(answer, law, rotations, s);
        self.skyline.factorise(&mut answer.matrix);
    }

    fn sum_up(&self, answer: &mut Answer, law: &Law, rotations: &[Mat3], s: Real) {
        answer.matrix.fill(0.0);
        let none = self.nodes as u32;
        for cell in &self.cells {
            let members = &self.members[cell.members.clone()];
            let turned = members.iter().fold(Mat3::ZERO, |sum, (i, _)| sum + rotations[*i as usize]);
            let rotation = rotation_in(turned, Extent::Volume);
            let (mu, lambda) = (law.moduli.mu * s, law.moduli.lambda * s);
            for (row, &n) in cell.nodes.iter().enumerate().filter(|(_, n)| **n < none) {
                for (column, &m) in cell.nodes.iter().enumerate().filter(|(_, m)| **m <= n) {
                    let slope = cell.slopes[row][column];
                    let trace = slope.x_axis.x + slope.y_axis.y + slope.z_axis.z;
                    let turned = rotation * (slope * lambda + slope.transpose() * mu) * rotation.transpose();
                    let alike = cell.masses[row][column] + mu * trace;
                    let block = turned + Mat3::from_diagonal(Vec3::splat(alike));
                    self.skyline.add(&mut answer.matrix, (n as usize, m as usize), block);
                }
            }
        }
    }

    /// What the mesh answers to a residual.
    pub(super) fn solve(&self, answer: &mut Answer, residual: &[[Real; 4]]) {
        let Self { cells, members, .. } = self;
        let Answer { matrix, values, moved, shares } = answer;
        let share = |cell: &Cell| {
            let mut share = [Vec3::ZERO; 8];
            for (i, place) in &members[cell.members.clone()] {
                for (share, weight) in share.iter_mut().zip(weights(*place)) {
                    *share += vector(residual[*i as usize]) * weight;
                }
            }
            share
        };
        cells.par_iter().with_min_len(8).map(share).collect_into_vec(shares);
        values.fill(0.0);
        for (cell, share) in cells.iter().zip(shares) {
            for (&n, share) in cell.nodes.iter().zip(share) {
                let value = &mut values[3 * n as usize..][..3];
                value.iter_mut().zip(wide(*share).to_array()).for_each(|(value, share)| *value += share);
            }
        }
        let (values, _) = values.split_at_mut(3 * self.nodes);
        self.skyline.solve(matrix, values);
        for (moved, value) in moved.iter_mut().zip(values.as_chunks().0) {
            *moved = narrow(glam::DVec3::from_array(*value));
        }
    }

    /// The same at the place of a particle.
    #[inline(always)]
    pub(super) fn at(&self, answer: &Answer, (member, cell): Place) -> Vec3 {
        let corners = self.cells[cell as usize].nodes.iter().zip(weights(self.members[member as usize].1));
        corners.fold(Vec3::ZERO, |sum, (&n, weight)| sum + answer.moved[n as usize] * weight)
    }
}

/// The functions of the corners at a place in a cell.
#[inline(always)]
fn weights(place: Vec3) -> [Real; 8] {
    let (far, near) = (place, Vec3::ONE - place);
    let [a, b, c, d] = [near.x * near.y, far.x * near.y, near.x * far.y, far.x * far.y];
    [a * near.z, b * near.z, c * near.z, d * near.z, a * far.z, b * far.z, c * far.z, d * far.z]
}

/// The derivatives of these functions, if cells are so large.
fn slopes(place: Vec3, size: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        // 1 − x or x along each axis, as the corner lies at its beginning or end.
        let sign = Vec3::from_array(std::array::from_fn(|axis| (corner >> axis & 1) as Real * 2.0 - 1.0));
        let side = Vec3::splat(0.5) + sign * (place - Vec3::splat(0.5));
        sign * Vec3::new(side.y * side.z, side.z * side.x, side.x * side.y) / size
    })
}

/// Cells that cover the undeformed shape of a body.
struct Grid {
    low: Vec3,
    size: Vec3,
    counts: [u32; 3],
    /// The axes, the longest first.
    order: [usize; 3],
    /// How many corners a cell has.
    corners: usize,
}

/// A cell or node: the number along the longest axis first.
type Key = [u32; 3];

impl Grid {
    fn new(shape: &Shape<'_>, spacing: f64, width: f64) -> Self {
        let &Shape { world, members, rest } = shape;
        let (first, rest) = (rest[members[0]], || members.iter().map(|&i| rest[i]));
        let margin = Vec3::splat(0.5 * spacing as Real);
        let low = rest().fold(first, Vec3::min) - margin;
        let extent = rest().fold(first, Vec3::max) + margin - low;
        let counts = extent.to_array().map(|extent| (f64::from(extent) / width).round().max(1.0) as u32);
        let mut size = extent / Vec3::from_array(counts.map(|count| count as Real));
        // Where there is no matter, nothing changes.
        (world.dimension.count()..3).for_each(|axis| size[axis] = Real::INFINITY);
        let mut order = [0, 1, 2];
        order.sort_by_key(|&axis| std::cmp::Reverse(counts[axis]));
        Grid { low, size, counts, order, corners: 1 << world.dimension.count() }
    }

    /// The cell of a particle, and where in it.
    fn find(&self, rest: Vec3) -> (Key, Vec3) {
        let place = (rest - self.low) / self.size;
        let cell: [u32; 3] = std::array::from_fn(|axis| (place[axis] as u32).min(self.counts[axis] - 1));
        (self.order.map(|axis| cell[axis]), place - Vec3::from_array(cell.map(|k| k as Real)))
    }

    /// The node at a corner of a cell.
    fn corner(&self, cell: Key, corner: usize) -> Key {
        std::array::from_fn(|k| cell[k] + (corner >> self.order[k] & 1) as u32)
    }

    /// All nodes but those beside what is held, numbered.
    fn nodes(&self, shape: &Shape<'_>) -> BTreeMap<Key, u32> {
        let mut free = BTreeMap::new();
        for &i in shape.members {
            let is_free = shape.world.particles.clamp[i] == 0;
            let (cell, _) = self.find(shape.rest[i]);
            for corner in 0..self.corners {
                *free.entry(self.corner(cell, corner)).or_insert(true) &= is_free;
            }
        }
        free.into_iter().filter(|(_, is_free)| *is_free).zip(0..).map(|((key, _), number)| (key, number)).collect()
    }

    fn mesh(&self, shape: &Shape<'_>, nodes: &BTreeMap<Key, u32>, places: &mut [Place]) -> Mesh {
        let particles = &shape.world.particles;
        let mut inside: Vec<_> = shape.members.iter().map(|&i| (self.find(shape.rest[i]), i)).collect();
        inside.sort_by_key(|((cell, _), i)| (*cell, *i));
        let mut mesh = Mesh {
            nodes: nodes.len(),
            cells: Vec::new(),
            members: inside.iter().map(|((_, place), i)| (*i as u32, *place)).collect(),
            skyline: Skyline::default(),
            inertia: 0.0,
        };
        let (mut start, none) = (0, nodes.len() as u32);
        for members in inside.chunk_by(|((a, _), _), ((b, _), _)| a == b) {
            let key = members[0].0.0;
            let node = |corner| nodes.get(&self.corner(key, corner)).filter(|_| corner < self.corners);
            let nodes = std::array::from_fn(|corner| node(corner).copied().unwrap_or(none));
            let (mut masses, mut sums) = ([[0.0; 8]; 8], [[Mat3::ZERO; 8]; 8]);
            for (k, ((_, place), i)) in members.iter().enumerate() {
                places[*i] = ((start + k) as u32, mesh.cells.len() as u32);
                let (weight, slope) = (weights(*place), slopes(*place, self.size));
                let (mass, volume) = (particles.mass(*i), particles.rest_volume[*i]);
                for n in 0..8 {
                    for m in 0..8 {
                        masses[n][m] += mass * weight[n] * weight[m];
                        sums[n][m] += outer(slope[n], slope[m]) * volume;
                    }
                }
            }
            let members = start..start + members.len();
            start = members.end;
            mesh.cells.push(Cell { nodes, members, masses, slopes: sums });
        }
        let joined = mesh.cells.iter().map(|cell| cell.nodes.into_iter().filter(|n| *n < none));
        mesh.skyline = Skyline::new(nodes.len(), joined);
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Block, implicit, random, random_vector, shape};
    use super::*;
    use crate::neighbors::row;
    use crate::real::Dimension;

    /// In a field x = R (B x⁰ + b) of a turned body, nodes have what the field has there, if they are asked for its momentum
    /// and its stress: exact, whatever B, also where it is a turn and there is no stress.
    #[test]
    fn linear_fields_are_felt_as_by_the_law() {
        for (cells, dimension) in [([11, 6, 5], Dimension::Three), ([14, 9, 1], Dimension::Two)] {
            let block = Block { undeformed: shape(cells, 0.2), dimension, ..Block::new(&implicit()) };
            let simulation = block.deformed(|x| x);
            let world = simulation.world();
            let (law, count) = (world.solids.law(0).unwrap(), world.solids.len());
            let mesh = world.solids.meshes[0].as_ref().unwrap();
            let axis = if dimension == Dimension::Two { Vec3::Z } else { Vec3::new(0.6, 0.0, 0.8) };
            let (rotation, s) = (Mat3::from_axis_angle(axis, 0.8), 1e-3);
            let mut answer = Answer::default();
            answer.reserve(mesh);
            mesh.set_up(&mut answer, law, &vec![rotation; count], s);
            let spacing = (0..count).map(|i| f64::from(world.particles.rest_volume[i])).sum::<f64>() / count as f64;
            let spacing = spacing.powf(1.0 / dimension.count() as f64);
            let members: Vec<_> = (0..count).collect();
            let shape = Shape { world, members: &members, rest: &world.particles.anchor };
            let grid = Grid::new(&shape, spacing, WIDTH * spacing);
            let flat = if dimension == Dimension::Two { Vec3::new(1.0, 1.0, 0.0) } else { Vec3::ONE };
            let cut = Mat3::from_diagonal(flat);
            let column = |k: usize| random_vector(k + 77);
            let gradient = cut * Mat3::from_cols(column(0), column(1), column(2)) * cut;
            let field = |rest: Vec3| rotation * (gradient * rest + column(3) * flat);
            let strain = (gradient + gradient.transpose()) * 0.5;
            let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
            let sigma = strain * (2.0 * law.moduli.mu) + Mat3::from_diagonal(Vec3::splat(law.moduli.lambda * trace));
            let mut asked = vec![0.0; 3 * mesh.nodes];
            for cell in &mesh.cells {
                for &(i, place) in &mesh.members[cell.members.clone()] {
                    let i = i as usize;
                    let momentum = field(world.particles.anchor[i]) * world.particles.mass(i);
                    let stress = rotation * sigma * (s * world.particles.rest_volume[i]);
                    let functions = weights(place).into_iter().zip(slopes(place, grid.size));
                    for (&n, (weight, slope)) in cell.nodes.iter().zip(functions).filter(|(n, _)| **n < none(mesh)) {
                        let share = momentum * weight + stress * slope;
                        (0..3).for_each(|k| asked[3 * n as usize + k] += f64::from(share[k]));
                    }
                }
            }
            mesh.skyline.solve(&answer.matrix, &mut asked);
            for (key, n) in grid.nodes(&shape) {
                let steps: [Real; 3] = std::array::from_fn(|axis| {
                    let k = grid.order.iter().position(|other| *other == axis).unwrap();
                    if grid.size[axis].is_finite() { key[k] as Real * grid.size[axis] } else { 0.0 }
                });
                let expected = field((grid.low + Vec3::from_array(steps)) * flat);
                for k in 0..3 {
                    let found = asked[3 * n as usize + k] as Real;
                    assert!((found - expected[k]).abs() < 1e-3, "{found} {expected} at {key:?}");
                }
            }
        }
    }

    fn none(mesh: &Mesh) -> u32 {
        mesh.nodes as u32
    }

    /// What a clamp holds stays where it is, and sheets have no mesh.
    #[test]
    fn meshes_leave_alone_what_is_held_and_what_is_thin() {
        let mut simulation = Block { undeformed: shape([12, 4, 4], 0.2), ..Block::new(&implicit()) }.deformed(|x| x);
        let held: Vec<_> = (0..192).filter(|&i| simulation.world().particles.anchor[i].x < -0.3).collect();
        assert!(held.len() > 20);
        held.iter().for_each(|&i| simulation.world_mut().particles.clamp[i] = 1);
        let world = simulation.world();
        let (members, mut places): (Vec<_>, _) = ((0..192).collect(), vec![(0, 0); 192]);
        let shape = Shape { world, members: &members, rest: &world.particles.anchor };
        let mesh = Mesh::new(&shape, |_| Extent::Volume, &mut places).unwrap();
        let mut answer = Answer::default();
        answer.reserve(&mesh);
        mesh.set_up(&mut answer, world.solids.law(0).unwrap(), &[Mat3::IDENTITY; 192], 1e-3);
        let residual: Vec<_> = (0..192).map(|i| row(random_vector(i), 0.0)).collect();
        mesh.solve(&mut answer, &residual);
        assert!(held.iter().all(|&i| mesh.at(&answer, places[i]) == Vec3::ZERO));
        assert!((0..192).any(|i| mesh.at(&answer, places[i]).length() > 1e-3 * random(0).abs()));
        assert!(Mesh::new(&shape, |_| Extent::Sheet(Vec3::X), &mut places).is_none());
    }
}
