//! Conjugate gradients, for each elastic body on its own.
//!
//! Elasticity does not join bodies, so each has lengths of steps of its own and ends when it is done. In one system with one
//! length for all, nine bodies with moduli from 2 kPa to 20 MPa take five times as long.

use rayon::prelude::*;

use super::coarse::Answer;
use super::explicit::push_back;
use super::pull::vector;
use crate::force::StepContext;
use crate::neighbors::{Tension, row};
use crate::real::{Mat3, Real, Vec3, wide};
use crate::reduce;
use crate::stage::stage;
use crate::world::World;

/// No solve takes more iterations.
const MOST_ITERATIONS: u32 = 300;

/// From this iteration on coarse meshes help: what goes on as before, or rests, does without.
const PATIENCE: u32 = 2;

/// Elements per piece of parallel work.
pub(super) const PIECE: usize = 1024;

/// When the solve of a body is done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Goal {
    /// The sum of |r|²/m that may be left [kg m²/s²].
    pub(super) square: f64,
    /// The sum of |r|/m that may be left [m/s].
    pub(super) sum: f64,
}

/// How far the solve of a body is.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    is_sought: bool,
    /// r·z, with the preconditioned residual z.
    product: f64,
    /// How much of the last direction is in the next.
    share: Real,
    /// How far to go along the direction.
    length: Real,
    /// Does a coarse mesh help?
    is_helped: bool,
}

/// Memory for a solve.
#[derive(Debug, Default)]
pub(super) struct ConjugateGradients {
    /// When each body is done; not there for those that are not sought.
    pub(super) goals: Vec<Option<Goal>>,
    /// What is left of the right side.
    pub(super) residual: Vec<Vec3>,
    /// The inverse of each particle's own block of the matrix; zero for those that are not sought.
    pub(super) inverses: Vec<Mat3>,
    /// What the coarse meshes of bodies work with.
    answers: Vec<Answer>,
    progress: Vec<Progress>,
    /// The preconditioned residual.
    wanted: Vec<Vec3>,
    direction: Vec<[Real; 4]>,
    product: Vec<Vec3>,
    partials: Vec<[f64; 3]>,
    totals: Vec<[f64; 3]>,
}

impl ConjugateGradients {
    /// Changes velocities until the residuals of all bodies meet their goals; returns the number of iterations.
    pub(super) fn solve(
        &mut self,
        step: &StepContext<'_>,
        rotations: &[Mat3],
        tensions: &mut [Tension],
        velocity: &mut [[Real; 4]],
    ) -> u32 {
        stage!("elastic solve");
        let world = step.world;
        let start =
            |goal: &Option<Goal>| Progress { is_sought: goal.is_some(), product: f64::INFINITY, ..Progress::default() };
        self.progress.clear();
        self.progress.extend(self.goals.iter().map(start));
        self.direction.clear();
        self.direction.resize(world.solids.len(), [0.0; 4]);
        self.product.resize(world.solids.len(), Vec3::ZERO);
        self.totals.resize(self.goals.len(), [0.0; 3]);
        self.answers.resize(self.goals.len(), Answer::default());
        for (answer, mesh) in self.answers.iter_mut().zip(&world.solids.meshes) {
            mesh.iter().for_each(|mesh| answer.reserve(mesh));
        }
        self.wanted.resize(world.solids.len(), Vec3::ZERO);
        for iterations in 0..MOST_ITERATIONS {
            if iterations == PATIENCE {
                self.get_help(step, rotations);
            }
            if !self.look_where_to_go(world) {
                return iterations;
            }
            self.multiply(step, rotations, tensions);
            self.go(world, velocity);
        }
        MOST_ITERATIONS
    }

    /// Sets up the coarse meshes of bodies that are not done.
    fn get_help(&mut self, step: &StepContext<'_>, rotations: &[Mat3]) {
        stage!("elastic mesh");
        let (solids, dt) = (&step.world.solids, step.dt);
        let columns = (&mut self.progress, &mut self.answers, &solids.meshes, &solids.laws);
        columns.into_par_iter().for_each(|(progress, answer, mesh, law)| {
            let (Some(mesh), Some(law), true) = (mesh, law, progress.is_sought) else { return };
            let s = dt * (dt + law.damping);
            if mesh.pays(law, s) {
                mesh.set_up(answer, law, rotations, s);
                *progress = Progress { is_helped: true, product: f64::INFINITY, ..*progress };
            }
        });
    }

    /// The next directions of the bodies that are not done. Is there one?
    fn look_where_to_go(&mut self, world: &World) -> bool {
        let Self { goals, residual, inverses, answers, progress, wanted, direction, partials, totals, .. } = self;
        let (particles, pieces) = (&world.particles, &world.solids.pieces);
        let helps = |progress: &Progress| progress.is_sought && progress.is_helped;
        let columns = (&mut answers[..], &progress[..], &world.solids.meshes);
        columns.into_par_iter().filter(|(_, progress, _)| helps(progress)).for_each(|(answer, _, mesh)| {
            mesh.iter().for_each(|mesh| mesh.solve(answer, residual));
        });
        let columns = (&mut wanted[..], &residual[..], &inverses[..]);
        columns.into_par_iter().with_min_len(PIECE).enumerate().for_each(|(i, (wanted, residual, inverse))| {
            let body = particles.body[i] as usize;
            *wanted = *inverse * *residual;
            if let Some(mesh) = world.solids.meshes[body].as_ref().filter(|_| helps(&progress[body])) {
                *wanted += mesh.at(&answers[body], i);
            }
        });
        reduce::sums(
            pieces,
            (partials, totals),
            |body| progress[body as usize].is_sought,
            |i| {
                let (left, mass) = (wide(residual[i]), f64::from(particles.mass(i)));
                let length = left.length();
                [left.dot(wide(wanted[i])), length * length / mass, length / mass]
            },
        );
        for ((goal, progress), [product, square, sum]) in goals.iter().zip(&mut *progress).zip(totals) {
            progress.is_sought &= goal.is_some_and(|goal| *square > goal.square && *sum > goal.sum);
            progress.share = (*product / progress.product) as Real;
            progress.product = *product;
        }
        let (progress, body) = (&progress[..], &particles.body);
        let columns = (&mut direction[..], &wanted[..]);
        columns.into_par_iter().with_min_len(PIECE).enumerate().for_each(|(i, (direction, wanted))| {
            let progress = &progress[body[i] as usize];
            if progress.is_sought {
                *direction = row(*wanted + vector(*direction) * progress.share, 0.0);
            }
        });
        progress.iter().any(|progress| progress.is_sought)
    }

    /// The matrix times the directions.
    fn multiply(&mut self, step: &StepContext<'_>, rotations: &[Mat3], tensions: &mut [Tension]) {
        let (world, dt) = (step.world, step.dt);
        let Self { progress, direction, product, .. } = self;
        let particles = &world.particles;
        let is_sought = |body: u32| progress[body as usize].is_sought;
        push_back(world, &world.solids, |body, _| is_sought(body), Some(rotations), direction, tensions, product);
        let columns = (&mut product[..], &direction[..]);
        columns.into_par_iter().with_min_len(PIECE).enumerate().for_each(|(i, (product, direction))| {
            let law = world.solids.law(particles.body[i]).filter(|_| particles.clamp[i] == 0);
            *product = law.map_or(Vec3::ZERO, |law| {
                vector(*direction) * particles.mass(i) - *product * (dt * (dt + law.damping))
            });
        });
    }

    /// Goes along the directions as far as it pays.
    fn go(&mut self, world: &World, velocity: &mut [[Real; 4]]) {
        let Self { residual, progress, direction, product, partials, totals, .. } = self;
        let body = &world.particles.body;
        reduce::sums(
            &world.solids.pieces,
            (partials, totals),
            |body| progress[body as usize].is_sought,
            |i| [wide(vector(direction[i])).dot(wide(product[i])), 0.0, 0.0],
        );
        for (progress, [curvature, ..]) in progress.iter_mut().zip(totals) {
            // The matrix is positive; only numbers that are not can make it seem otherwise.
            progress.is_sought &= *curvature > 0.0;
            progress.length = (progress.product / *curvature) as Real;
        }
        let progress = &progress[..];
        let columns = (velocity, &mut residual[..], &direction[..], &product[..]);
        columns.into_par_iter().with_min_len(PIECE).enumerate().for_each(
            |(i, (velocity, residual, direction, product))| {
                let progress = &progress[body[i] as usize];
                if progress.is_sought {
                    *velocity = row(vector(*velocity) + vector(*direction) * progress.length, 0.0);
                    *residual -= *product * progress.length;
                }
            },
        );
    }
}
