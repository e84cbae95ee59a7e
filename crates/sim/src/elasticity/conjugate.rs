//! Conjugate gradients, for each elastic body on its own.
//!
//! Elasticity does not couple bodies, so each has step lengths of its own and stops when it has converged. As one
//! system with one step length for all, nine bodies with moduli from 2 kPa to 20 MPa take five times as long.

use rayon::prelude::*;

use super::law::Law;
use super::preconditioner::{Block, Preconditioner};
use super::pull::vector;
use super::step_matrix::StepMatrix;
use super::stepping::Stepping;
use super::vectors::{plus, plus_products, times};
use crate::neighbors::{Simd, row};
use crate::real::Real;
use crate::reduce::{Sum, Sums};
use crate::stage::stage;
use crate::with_set;
use crate::world::World;

/// No solve takes more iterations. The mean of the hardest scene is 77, `nine-moduli` (docs/elasticity.md,
/// "Iterations").
const MOST_ITERATIONS: u32 = 300;

/// The iteration at which the coarse preconditioner is set up: bodies at rest or in steady motion converge before,
/// without.
const FIRST_COARSE_ITERATION: u32 = 2;

/// Particles per task of parallel work.
pub(super) const TASK_LENGTH: usize = 1024;

/// When the solve of a body has converged: either bound will do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Goal {
    /// Bound of Σ |r|²/m, with the residual r [kg m²/s²].
    pub(super) square: f64,
    /// Bound of Σ |r|/m [m/s].
    pub(super) sum: f64,
}

/// State of the iteration of one body.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// It has not converged.
    is_active: bool,
    /// r·z, with the preconditioned residual z.
    product: f64,
    /// β: the share of the last direction in the next.
    share: Real,
    /// α: the step length along the direction.
    length: Real,
    /// Is the coarse preconditioner in use?
    is_coarse: bool,
}

/// Memory for a solve.
#[derive(Debug, Default)]
pub(super) struct ConjugateGradients {
    /// The bounds of each body; none for those that are not solved.
    pub(super) goals: Vec<Option<Goal>>,
    /// Right side less matrix times velocities.
    pub(super) residual: Vec<[Real; 4]>,
    progress: Vec<Progress>,
    preconditioned: Vec<[Real; 4]>,
    direction: Vec<[Real; 4]>,
    product: Vec<[Real; 4]>,
    partials: Vec<[f64; 3]>,
    totals: Vec<[f64; 3]>,
    /// What the coarse solutions add to them.
    coarse_totals: Vec<[f64; 3]>,
}

impl ConjugateGradients {
    /// Changes velocities until the residuals of all bodies are within their bounds; returns the number of iterations.
    pub(super) fn solve(&mut self, world: &World, matrix: &mut StepMatrix, velocity: &mut [[Real; 4]]) -> u32 {
        stage!("elastic solve");
        let solids = &world.solids;
        let start =
            |goal: &Option<Goal>| Progress { is_active: goal.is_some(), product: f64::INFINITY, ..Progress::default() };
        self.progress.clear();
        self.progress.extend(self.goals.iter().map(start));
        self.direction.clear();
        self.direction.resize(solids.len(), [0.0; 4]);
        self.product.clear();
        self.product.resize(solids.len(), [0.0; 4]);
        self.totals.resize(self.goals.len(), [0.0; 3]);
        self.preconditioned.resize(solids.len(), [0.0; 4]);
        with_set!(solids.bonds.available(), |set| self.iterate(set, world, matrix, velocity))
    }

    fn iterate<S: Simd>(&mut self, set: S, world: &World, matrix: &mut StepMatrix, velocity: &mut [[Real; 4]]) -> u32 {
        for iterations in 0..MOST_ITERATIONS {
            self.update_velocities_and_residuals(set, world, &matrix.preconditioner.inverses, velocity);
            if iterations == FIRST_COARSE_ITERATION {
                self.set_up_coarse_meshes(world, matrix);
            }
            self.apply_coarse_preconditioner(world, &mut matrix.preconditioner);
            if !self.update_directions(&world.particles.body) {
                return iterations;
            }
            self.multiply(set, world, matrix);
        }
        MOST_ITERATIONS
    }

    /// Steps along the directions: v += α p, r −= α A p, z = D⁻¹ r; sums r·z and what is compared with the bounds.
    fn update_velocities_and_residuals<S: Simd>(
        &mut self,
        set: S,
        world: &World,
        inverses: &[Block],
        velocity: &mut [[Real; 4]],
    ) {
        let Self { residual, progress, preconditioned, direction, product, partials, totals, .. } = self;
        let (particles, progress) = (&world.particles, &progress[..]);
        let columns = (velocity, (&mut residual[..], &mut preconditioned[..]));
        let is_asked = |body: u32| progress[body as usize].is_active;
        Sums { pieces: &world.solids.pieces, partials, totals, is_asked }.over(columns, |range, columns| {
            let (velocity, (residual, preconditioned)) = columns;
            let length = progress[particles.body[range.start] as usize].length;
            set.run(
                #[inline(always)]
                || {
                    let results = velocity.iter_mut().zip(residual).zip(preconditioned);
                    let given =
                        direction[range.clone()].iter().zip(&product[range.clone()]).zip(&inverses[range.clone()]);
                    let (mut products, mut square, mut sum) = ([0.0; 4], 0.0, 0.0);
                    for ((i, ((velocity, residual), preconditioned)), ((direction, product), inverse)) in
                        range.clone().zip(results).zip(given)
                    {
                        *velocity = plus(*velocity, *direction, length);
                        *residual = plus(*residual, *product, -length);
                        let [x, y, z, _] = *residual;
                        *preconditioned = plus(plus(times(inverse[0], x), inverse[1], y), inverse[2], z);
                        products = plus_products(products, *residual, *preconditioned);
                        let (over_mass, square_of_residual) = (1.0 / particles.mass(i), x * x + y * y + z * z);
                        square += f64::from(square_of_residual * over_mass);
                        sum += f64::from(square_of_residual.sqrt() * over_mass);
                    }
                    [products[0] + products[1] + products[2], square, sum]
                },
            )
        });
    }

    /// Sets up the coarse meshes of bodies that have not converged. Their directions start anew.
    fn set_up_coarse_meshes(&mut self, world: &World, matrix: &mut StepMatrix) {
        stage!("elastic mesh");
        let preconditioner = &mut matrix.preconditioner;
        let progress = &mut self.progress;
        preconditioner.set_up_meshes(world, |body, stiffness| {
            let (mesh, law) = (&world.solids.meshes[body], world.solids.body_law(body as u32));
            mesh.as_ref().zip(law).is_some_and(|(mesh, law)| progress[body].is_active && mesh.pays(law, stiffness))
        });
        for (body, progress) in progress.iter_mut().enumerate().filter(|(_, progress)| progress.is_active) {
            if preconditioner.is_ready(body) {
                *progress = Progress { is_coarse: true, product: f64::INFINITY, ..*progress };
            }
        }
    }

    /// Adds the coarse correction P A_c⁻¹ Pᵀ r to the preconditioned residual.
    fn apply_coarse_preconditioner(&mut self, world: &World, preconditioner: &mut Preconditioner) {
        let Self { residual, progress, preconditioned, partials, totals, coarse_totals, .. } = self;
        let is_coarse = |body: usize| progress[body].is_active && progress[body].is_coarse;
        if !(0..progress.len()).any(is_coarse) {
            return;
        }
        preconditioner.solve_meshes(world, residual, is_coarse);
        let preconditioner = &*preconditioner;
        coarse_totals.resize(totals.len(), [0.0; 3]);
        let is_asked = |body: u32| is_coarse(body as usize);
        let sums = Sums { pieces: &world.solids.pieces, partials, totals: coarse_totals, is_asked };
        sums.over(&mut preconditioned[..], |range, preconditioned| {
            let add = |sum: f64, (i, preconditioned): (usize, &mut [Real; 4])| {
                let Some(correction) = preconditioner.correction(world, i) else { return sum };
                *preconditioned = plus(*preconditioned, row(correction, 0.0), 1.0);
                sum + f64::from(vector(residual[i]).dot(correction))
            };
            [range.zip(preconditioned).fold(0.0, add), 0.0, 0.0]
        });
        totals.iter_mut().zip(coarse_totals).for_each(|(total, more)| *total = total.plus(*more));
    }

    /// The next directions of the bodies that have not converged, p = z + β p. Is there one?
    fn update_directions(&mut self, body: &[u32]) -> bool {
        let Self { goals, progress, preconditioned, direction, totals, .. } = self;
        for ((goal, progress), [product, square, sum]) in goals.iter().zip(&mut *progress).zip(totals) {
            progress.is_active &= goal.is_some_and(|goal| *square > goal.square && *sum > goal.sum);
            progress.share = (*product / progress.product) as Real;
            progress.product = *product;
        }
        let progress = &progress[..];
        let is_any = progress.iter().any(|progress| progress.is_active);
        if is_any {
            let columns = (&mut direction[..], &preconditioned[..]);
            columns.into_par_iter().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, (direction, z))| {
                let progress = &progress[body[i] as usize];
                if progress.is_active {
                    *direction = plus(*z, *direction, progress.share);
                }
            });
        }
        is_any
    }

    /// The matrix times the directions, and the step lengths α = r·z / p·A p.
    fn multiply<S: Simd>(&mut self, set: S, world: &World, matrix: &mut StepMatrix) {
        let Self { progress, direction, product, partials, totals, .. } = self;
        let is_asked = |body: u32| progress[body as usize].is_active;
        let dt = matrix.dt;
        let stiffness = |body: u32, law: &Law| Stepping::of(world, body, law, dt).stiffness();
        matrix.multiply(set, world, (direction, product), (partials, totals), (is_asked, stiffness));
        for (progress, [curvature, ..]) in progress.iter_mut().zip(totals) {
            // The matrix is positive definite: this ends a body whose numbers are not finite.
            progress.is_active &= *curvature > 0.0;
            progress.length = (progress.product / *curvature) as Real;
        }
    }
}
