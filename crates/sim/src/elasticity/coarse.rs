//! Two-level preconditioner of conjugate gradients: a coarse finite-element mesh of each implicit body.
//!
//! The block-diagonal preconditioner D hardly reduces smooth errors, in which a body moves, turns and bends as a whole:
//! these take as many iterations as there are particles from end to end. The coarse mesh removes them. With the
//! trilinear shape functions N_n of its nodes and its finite-element matrix A_c, preconditioned residuals are
//!
//! ```text
//! z = D⁻¹ r + P A_c⁻¹ Pᵀ r,    (P y)_i = Σ_n N_n(x⁰_i) y_n
//! A_c = Σ_i m_i N_n N_m + Δt (Δt + τ) Σ_i V_i (μ (g·h) 1 + μ (R h) ⊗ (R g) + λ (R g) ⊗ (R h)),    g = ∇N_n, h = ∇N_m
//! ```
//!
//! Integrals are sums over particles, those of stiffness half in full and half of the mean strain of a cell ([`grid`]). All particles of a cell share a rotation R, the mean of theirs: then the sums of
//! g ⊗ h are made once, and a bent body costs no more than a straight one. Rigid motions have no stiffness in A_c, only
//! inertia. What clamps hold has no mass but a spring to its place, as stiff as its bonds (k, a third of the trace of its own
//! block): all fields of the mesh move it, which it cannot. Sheets and rods have no mesh: they resist bending by
//! the control of zero-energy modes, which A_c does not contain.

mod grid;

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use grid::Grid;

use super::law::Law;
use super::pull::vector;
use super::rotation::{Extent, rotation_in};
use super::skyline::Skyline;
use crate::real::{Mat3, Real, Vec3, narrow, wide};
use crate::world::World;

/// The least width of a cell, in particle spacings.
const LEAST_CELL_WIDTH: f64 = 3.0;

/// The most nodes of a mesh: factorising its matrix, in every solve, must not cost more than some iterations.
const MOST_NODES: usize = 128;

/// The square of the acoustic Courant number c Δt/d above which a coarse mesh pays: sound crosses four spacings in a
/// step. Mean iterations, without a mesh and with it: 5.6 and 5.6 at 1.8 spacings, 44.7 and 19.0 at 18
/// (docs/elasticity.md, "Iterations").
pub(super) const STIFF_COURANT_SQUARED: Real = 16.0;

/// The fewest particles of a body with a mesh.
const FEWEST_PARTICLES: usize = 8;

/// A cell of a mesh.
#[derive(Clone, Debug)]
struct Cell {
    /// Its nodes, numbered within the body; those that do not exist have the number of all nodes.
    nodes: [u32; 8],
    /// Its particles, as a range of the members of the mesh.
    members: Range<usize>,
    /// Σ m N_n N_m, and of what clamps hold Σ V k N_n N_m.
    masses: [[Real; 8]; 8],
    holds: [[Real; 8]; 8],
    /// Σ V ∇N_n ⊗ ∇N_m.
    slopes: [[Mat3; 8]; 8],
}

/// The mesh of a body.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    nodes: usize,
    cells: Vec<Cell>,
    /// The particles, cell by cell, with their local coordinates between 0 and 1.
    members: Vec<(u32, Vec3)>,
    skyline: Skyline,
    /// ρ d², with the particle spacing d [kg/m].
    inertia: Real,
    /// The least and the largest eigenvalue of the preconditioned matrix of the undeformed body, once they were looked for
    /// ([`spectrum`](super::spectrum)).
    pub(super) eigenvalues: OnceLock<Option<[f64; 2]>>,
}

/// Where a particle is in the mesh of its body: its index among the members, and its cell.
pub(crate) type Place = (u32, u32);

/// The bonded particles of a body, and where they are at rest.
pub(super) struct Shape<'a> {
    pub(super) world: &'a World,
    pub(super) members: &'a [usize],
    pub(super) rest: &'a [Vec3],
    /// The mean stiffness k against moving a particle alone, over its volume [Pa/m²].
    pub(super) stiffness: &'a dyn Fn(usize) -> Real,
}

/// Matrix and vectors of the coarse system of a body in one solve.
#[derive(Clone, Debug, Default)]
pub(super) struct CoarseSolution {
    /// Cholesky factor of A_c.
    matrix: Vec<f64>,
    /// Pᵀ r, then A_c⁻¹ Pᵀ r, node by node.
    values: Vec<f64>,
    /// The solution by node, with a zero for nodes that do not exist.
    nodal: Vec<Vec3>,
    /// What each cell adds to Pᵀ r.
    cell_residuals: Vec<[Vec3; 8]>,
}

impl CoarseSolution {
    /// Allocates what the mesh needs.
    pub(super) fn reserve(&mut self, mesh: &Mesh) {
        self.matrix.resize(mesh.skyline.len(), 0.0);
        self.values.resize(3 * (mesh.nodes + 1), 0.0);
        self.nodal.clear();
        self.nodal.resize(mesh.nodes + 1, Vec3::ZERO);
        self.cell_residuals.resize(mesh.cells.len(), [Vec3::ZERO; 8]);
    }
}

impl Mesh {
    /// The mesh of a body, if it is large and thick enough; fills in the `places` of its particles.
    pub(super) fn new(shape: &Shape<'_>, extents: impl Fn(usize) -> Extent, places: &mut [Place]) -> Option<Self> {
        let &Shape { world, members, .. } = shape;
        let is_thin = |i: &usize| !matches!(extents(*i), Extent::Volume | Extent::Plane);
        let each = || members.iter().copied();
        if members.len() < FEWEST_PARTICLES || 2 * each().filter(is_thin).count() > members.len() {
            return None;
        }
        let particles = &world.particles;
        let volume: f64 = each().map(|i| f64::from(particles.rest_volume[i])).sum();
        let power = 1.0 / world.dimension.count() as f64;
        let spacing = (volume / members.len() as f64).powf(power);
        let mut width = (LEAST_CELL_WIDTH * spacing).max((volume / MOST_NODES as f64).powf(power));
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

    /// Does it save time in a step whose matrix is M + s K? The iterations of a solve without it grow with the
    /// acoustic Courant number.
    pub(super) fn pays(&self, law: &Law, s: Real) -> bool {
        self.courant_squared(law, s) > STIFF_COURANT_SQUARED
    }

    /// The square of the acoustic Courant number in such a step.
    pub(super) fn courant_squared(&self, law: &Law, s: Real) -> Real {
        law.moduli.longitudinal() * s / self.inertia
    }

    /// s of a step in which sound crosses so many spacings, squared.
    pub(super) fn stiffness_at(&self, law: &Law, courant_squared: Real) -> Real {
        courant_squared * self.inertia / law.moduli.longitudinal()
    }

    /// Assembles and factorises A_c for such a step.
    pub(super) fn set_up(&self, coarse: &mut CoarseSolution, law: &Law, rotations: &[Mat3], s: Real) {
        self.assemble(coarse, law, rotations, s);
        self.skyline.factorise(&mut coarse.matrix);
    }

    fn assemble(&self, coarse: &mut CoarseSolution, law: &Law, rotations: &[Mat3], s: Real) {
        coarse.matrix.fill(0.0);
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
                    let isotropic = cell.masses[row][column] + s * cell.holds[row][column] + mu * trace;
                    let block = turned + Mat3::from_diagonal(Vec3::splat(isotropic));
                    self.skyline.add(&mut coarse.matrix, (n as usize, m as usize), block);
                }
            }
        }
    }

    /// Solves A_c y = Pᵀ r.
    pub(super) fn solve(&self, coarse: &mut CoarseSolution, residual: &[[Real; 4]]) {
        let Self { cells, members, .. } = self;
        let CoarseSolution { matrix, values, nodal, cell_residuals } = coarse;
        let restrict = |cell: &Cell| {
            let mut sums = [Vec3::ZERO; 8];
            for (i, place) in &members[cell.members.clone()] {
                for (sum, weight) in sums.iter_mut().zip(weights(*place)) {
                    *sum += vector(residual[*i as usize]) * weight;
                }
            }
            sums
        };
        cells.par_iter().with_min_len(8).map(restrict).collect_into_vec(cell_residuals);
        values.fill(0.0);
        for (cell, sums) in cells.iter().zip(cell_residuals) {
            for (&n, sum) in cell.nodes.iter().zip(sums) {
                let value = &mut values[3 * n as usize..][..3];
                value.iter_mut().zip(wide(*sum).to_array()).for_each(|(value, sum)| *value += sum);
            }
        }
        let (values, _) = values.split_at_mut(3 * self.nodes);
        self.skyline.solve(matrix, values);
        for (nodal, value) in nodal.iter_mut().zip(values.as_chunks().0) {
            *nodal = narrow(glam::DVec3::from_array(*value));
        }
    }

    /// The coarse solution at a particle, (P y)_i.
    #[inline(always)]
    pub(super) fn interpolate(&self, coarse: &CoarseSolution, (member, cell): Place) -> Vec3 {
        let corners = self.cells[cell as usize].nodes.iter().zip(weights(self.members[member as usize].1));
        corners.fold(Vec3::ZERO, |sum, (&n, weight)| sum + coarse.nodal[n as usize] * weight)
    }
}

/// The shape functions of the corners at local coordinates.
#[inline(always)]
fn weights(place: Vec3) -> [Real; 8] {
    let (far, near) = (place, Vec3::ONE - place);
    let [a, b, c, d] = [near.x * near.y, far.x * near.y, near.x * far.y, far.x * far.y];
    [a * near.z, b * near.z, c * near.z, d * near.z, a * far.z, b * far.z, c * far.z, d * far.z]
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Block, implicit, random_vector, shape};
    use super::grid::slopes;
    use super::*;
    use crate::neighbors::row;
    use crate::real::Dimension;

    /// The right side made of momentum and stress of a linear field x = R (B x⁰ + b) has the nodal values of that field
    /// as its solution: exact for any B, also for a rotation, which has no stress.
    #[test]
    fn linear_fields_are_solved_exactly() {
        for (cells, dimension) in [([11, 6, 5], Dimension::Three), ([14, 9, 1], Dimension::Two)] {
            let block = Block { undeformed: shape(cells, 0.2), dimension, ..Block::new(&implicit()) };
            let simulation = block.deformed(|x| x);
            let world = simulation.world();
            let (law, count) = (world.solids.law(0).unwrap(), world.solids.len());
            let mesh = world.solids.meshes[0].as_ref().unwrap();
            let axis = if dimension == Dimension::Two { Vec3::Z } else { Vec3::new(0.6, 0.0, 0.8) };
            let (rotation, s) = (Mat3::from_axis_angle(axis, 0.8), 1e-3);
            let mut coarse = CoarseSolution::default();
            coarse.reserve(mesh);
            mesh.set_up(&mut coarse, law, &vec![rotation; count], s);
            let spacing = (0..count).map(|i| f64::from(world.particles.rest_volume[i])).sum::<f64>() / count as f64;
            let spacing = spacing.powf(1.0 / dimension.count() as f64);
            let members: Vec<_> = (0..count).collect();
            let shape = Shape { world, members: &members, rest: &world.particles.anchor, stiffness: &|_| 1e9 };
            let grid = Grid::new(&shape, spacing, LEAST_CELL_WIDTH * spacing);
            let flat = if dimension == Dimension::Two { Vec3::new(1.0, 1.0, 0.0) } else { Vec3::ONE };
            let cut = Mat3::from_diagonal(flat);
            let column = |k: usize| random_vector(k + 77);
            let gradient = cut * Mat3::from_cols(column(0), column(1), column(2)) * cut;
            let field = |rest: Vec3| rotation * (gradient * rest + column(3) * flat);
            let strain = (gradient + gradient.transpose()) * 0.5;
            let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
            let sigma = strain * (2.0 * law.moduli.mu) + Mat3::from_diagonal(Vec3::splat(law.moduli.lambda * trace));
            let mut right_side = vec![0.0; 3 * mesh.nodes];
            for cell in &mesh.cells {
                for &(i, place) in &mesh.members[cell.members.clone()] {
                    let i = i as usize;
                    let momentum = field(world.particles.anchor[i]) * world.particles.mass(i);
                    let stress = rotation * sigma * (s * world.particles.rest_volume[i]);
                    let functions = weights(place).into_iter().zip(slopes(place, grid.size));
                    for (&n, (weight, slope)) in cell.nodes.iter().zip(functions).filter(|(n, _)| **n < none(mesh)) {
                        let share = momentum * weight + stress * slope;
                        (0..3).for_each(|k| right_side[3 * n as usize + k] += f64::from(share[k]));
                    }
                }
            }
            mesh.skyline.solve(&coarse.matrix, &mut right_side);
            for (key, n) in grid.nodes(&shape) {
                let steps: [Real; 3] = std::array::from_fn(|axis| {
                    let k = grid.order.iter().position(|other| *other == axis).unwrap();
                    if grid.size[axis].is_finite() { key[k] as Real * grid.size[axis] } else { 0.0 }
                });
                let expected = field((grid.low + Vec3::from_array(steps)) * flat);
                for k in 0..3 {
                    let found = right_side[3 * n as usize + k] as Real;
                    assert!((found - expected[k]).abs() < 1e-3, "{found} {expected} at {key:?}");
                }
            }
        }
    }

    fn none(mesh: &Mesh) -> u32 {
        mesh.nodes as u32
    }

    #[test]
    fn clamped_particles_hold_their_place_and_sheets_have_no_mesh() {
        let mut simulation = Block { undeformed: shape([12, 4, 4], 0.2), ..Block::new(&implicit()) }.deformed(|x| x);
        let held: Vec<_> = (0..192).filter(|&i| simulation.world().particles.anchor[i].x < -0.3).collect();
        assert!(held.len() > 20);
        held.iter().for_each(|&i| simulation.world_mut().particles.clamp[i] = 1);
        let world = simulation.world();
        let (members, mut places): (Vec<_>, _) = ((0..192).collect(), vec![(0, 0); 192]);
        let shape = Shape { world, members: &members, rest: &world.particles.anchor, stiffness: &|_| 1e9 };
        let mesh = Mesh::new(&shape, |_| Extent::Volume, &mut places).unwrap();
        let mut coarse = CoarseSolution::default();
        coarse.reserve(&mesh);
        mesh.set_up(&mut coarse, world.solids.law(0).unwrap(), &[Mat3::IDENTITY; 192], 1e-3);
        let residual: Vec<_> = (0..192).map(|i| row(random_vector(i), 0.0)).collect();
        mesh.solve(&mut coarse, &residual);
        let moved = |i: usize| mesh.interpolate(&coarse, places[i]).length();
        let (there, most) =
            (held.iter().map(|&i| moved(i)).fold(0.0, Real::max), (0..192).map(moved).fold(0.0, Real::max));
        println!("{there} of {most}");
        assert!(there < 0.05 * most, "{there} {most}");
        assert!(Mesh::new(&shape, |_| Extent::Sheet(Vec3::X), &mut places).is_none());
    }
}
