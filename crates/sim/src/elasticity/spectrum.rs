//! The eigenvalues of B A, the preconditioned matrix of an implicit body, by the Lanczos process.
//!
//! Preconditioned conjugate gradients are a Lanczos process: with their lengths α and shares β, the eigenvalues of the tridiagonal
//! matrix
//!
//! ```text
//! T_kk = 1/α_k + β_(k−1)/α_(k−1),    T_k,k+1 = √β_k/α_k
//! ```
//!
//! lie between those of B A, and the outermost of both soon agree (Saad 2003, 6.7.3). What is sought is a property of the
//! undeformed body, in a step in which sound crosses a hundred spacings: it depends on neither the motion nor the length of
//! any step, so that a run that is resumed finds the same. The start is random, by the identifiers of particles.

use rayon::prelude::*;

use super::conjugate::TASK_LENGTH;
use super::implicit::free_law_of;
use super::law::Law;
use super::step_matrix::StepMatrix;
use super::vectors::{plus, plus_products};
use crate::neighbors::{Simd, pack, row};
use crate::real::{Real, Vec3};
use crate::reduce::Sums;
use crate::stage::stage;
use crate::with_set;
use crate::world::World;

/// The square of how many spacings sound crosses: in a longer step hardly more of a body counts as stiff, and rounding more.
const COURANT_SQUARED: Real = 1e4;

/// The largest eigenvalue of bodies that their mesh knows. Figures with limbs of two particles have up to 53 (Poisson ratio
/// 0.4975); limbs of one particle have no stiffness in the mesh, and eigenvalues of a hundred and more, the more the longer the step.
const LARGEST: f64 = 64.0;

/// The order of the tridiagonal matrix. With 32 the least eigenvalue of hardly compressible figures is not found, and they would
/// answer by 0.36 of what they do; with 48, by 0.7.
const ITERATIONS: usize = 48;

/// The Lanczos process of one body.
#[derive(Clone, Debug, Default)]
struct Process {
    product: f64,
    length: f64,
    share: f64,
    /// Its tridiagonal matrix: the diagonal, and what is beside it.
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    is_over: bool,
}

impl Process {
    /// With the next r·B r.
    fn turn(&mut self, product: f64) {
        self.share = if self.product > 0.0 { product / self.product } else { 0.0 };
        if self.length > 0.0 {
            self.beside.push(self.share.max(0.0).sqrt() / self.length);
        }
        self.product = product;
        // What is left is rounding.
        let is_alive = product > 0.0 && (self.diagonal.is_empty() || self.share > 1e-10);
        self.is_over |= !is_alive;
    }

    /// With the next p·A p.
    fn advance(&mut self, curvature: f64) {
        self.is_over |= !(curvature > 0.0 && self.product > 0.0);
        if !self.is_over {
            let before = if self.length > 0.0 { self.share / self.length } else { 0.0 };
            self.length = self.product / curvature;
            self.diagonal.push(1.0 / self.length + before);
        }
    }
}

/// Finds the least and the largest eigenvalue of B A of every body whose mesh was not asked yet; none if the largest is so large that
/// the mesh does not know the body.
pub(crate) fn find_eigenvalues(world: &World) {
    let solids = &world.solids;
    let is_unknown = |body: u32| {
        let is_solved = solids.body_law(body).is_some_and(|law| law.is_implicit());
        is_solved && solids.meshes[body as usize].as_ref().is_some_and(|mesh| mesh.eigenvalues.get().is_none())
    };
    if !(0..solids.slots() as u32).any(is_unknown) {
        return;
    }
    stage!("eigenvalues");
    let mut processes = vec![Process::default(); solids.slots()];
    (0..).zip(&mut processes).for_each(|(body, process)| process.is_over = !is_unknown(body));
    with_set!(solids.bonds.available(), |set| run(set, world, &mut processes));
    for (mesh, process) in solids.meshes.iter().zip(processes) {
        if let (Some(mesh), [_, ..]) = (mesh, &process.diagonal[..]) {
            let [least, most] = outermost(&process.diagonal, &process.beside);
            mesh.eigenvalues.get_or_init(|| (least > 0.0 && most < LARGEST).then_some([least, most]));
        }
    }
}

fn run<S: Simd>(set: S, world: &World, processes: &mut [Process]) {
    let (solids, body) = (&world.solids, &world.particles.body);
    let (count, slots) = (solids.len(), solids.slots());
    let mut matrix = StepMatrix::at_rest(set, world, COURANT_SQUARED);
    let stiffness: Vec<_> = (0..slots).map(|body| matrix.preconditioner.stiffness(body)).collect();
    matrix.preconditioner.set_up_meshes(world, |body, _| !processes[body].is_over);
    let start = |i: usize| free_law_of(world, i).map_or(Vec3::ZERO, |_| noise(world, i));
    let mut residual = Vec::new();
    pack(&mut residual, count, |i| row(start(i), 0.0));
    let (mut direction, mut product) = (vec![[0.0; 4]; count], vec![[0.0; 4]; count]);
    let mut preconditioned = vec![[0.0; 4]; count];
    let (mut partials, mut totals) = (Vec::new(), vec![[0.0; 3]; slots]);
    for _ in 0..ITERATIONS {
        let is_asked = |body: u32| !processes[body as usize].is_over;
        matrix.preconditioner.solve_meshes(world, &residual, |body| is_asked(body as u32));
        let preconditioner = &matrix.preconditioner;
        let pieces = &solids.pieces;
        let sums = Sums { pieces, partials: &mut partials, totals: &mut totals, is_asked };
        sums.over(&mut preconditioned[..], |range, preconditioned| {
            let products = range.zip(preconditioned).fold([0.0; 4], |sum, (i, z)| {
                *z = preconditioner.of(world, &residual, i);
                plus_products(sum, residual[i], *z)
            });
            [products[0] + products[1] + products[2], 0.0, 0.0]
        });
        processes.iter_mut().zip(&totals).for_each(|(process, [product, ..])| process.turn(*product));
        let of = |i: usize| &processes[body[i] as usize];
        let columns = (&mut direction[..], &preconditioned[..]).into_par_iter().with_min_len(TASK_LENGTH);
        columns.enumerate().for_each(|(i, (p, z))| *p = plus(*z, *p, of(i).share as Real));
        let is_asked = |body: u32| !processes[body as usize].is_over;
        let s = |body: u32, _: &Law| stiffness[body as usize];
        let columns = (&direction[..], &mut product[..]);
        matrix.multiply(set, world, columns, (&mut partials, &mut totals), (is_asked, s));
        processes.iter_mut().zip(&totals).for_each(|(process, [curvature, ..])| process.advance(*curvature));
        let of = |i: usize| &processes[body[i] as usize];
        let columns = (&mut residual[..], &product[..]).into_par_iter().with_min_len(TASK_LENGTH);
        columns.enumerate().filter(|(i, _)| !of(*i).is_over).for_each(|(i, (r, product))| {
            *r = plus(*r, *product, -of(i).length as Real);
        });
    }
}

/// A vector that looks random, the same for a particle wherever it is in memory.
fn noise(world: &World, i: usize) -> Vec3 {
    let mut state = u64::from(world.particles.id[i]).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state ^= state >> 30;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 27;
        (state >> 40) as Real / (1u64 << 23) as Real - 1.0
    };
    world.dimension.flatten(Vec3::new(next(), next(), next()))
}

/// The least and the largest eigenvalue of a symmetric tridiagonal matrix.
pub(super) fn outermost(diagonal: &[f64], beside: &[f64]) -> [f64; 2] {
    let mirrored: Vec<_> = diagonal.iter().map(|d| -d).collect();
    [smallest(diagonal, beside), -smallest(&mirrored, beside)]
}

/// The smallest eigenvalue of a symmetric tridiagonal matrix, by bisection: as many of the pivots of T − x are negative as
/// eigenvalues are below x.
fn smallest(diagonal: &[f64], beside: &[f64]) -> f64 {
    let has_below = |x: f64| {
        let mut pivot = 1.0;
        diagonal.iter().enumerate().any(|(k, d)| {
            let before = if k == 0 { 0.0 } else { beside[k - 1] * beside[k - 1] / pivot };
            pivot = d - x - before;
            pivot < 0.0
        })
    };
    // Within the discs of Gershgorin.
    let reach = |k: usize| beside.get(k).map_or(0.0, |b| b.abs()) + if k > 0 { beside[k - 1].abs() } else { 0.0 };
    let bound = diagonal.iter().enumerate().map(|(k, d)| d.abs() + reach(k)).fold(0.0, f64::max);
    let (mut low, mut high) = (-bound, bound);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if has_below(middle) { high = middle } else { low = middle }
    }
    low
}
