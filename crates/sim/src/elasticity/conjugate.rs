//! Conjugate gradients, for each elastic body on its own.
//!
//! Elasticity does not join bodies, so each has lengths of steps of its own and ends when it is done. In one system with one
//! length for all, nine bodies with moduli from 2 kPa to 20 MPa take five times as long.

use rayon::prelude::*;

use super::coarse::Answer;
use super::pull::{pull, vector};
use super::stiffness::{Eight, Turned};
use crate::force::StepContext;
use crate::neighbors::{Simd, Tension, row};
use crate::real::{Mat3, Real};
use crate::reduce::{Sum, Sums};
use crate::stage::stage;
use crate::with_set;
use crate::world::World;

/// No solve takes more iterations.
const MOST_ITERATIONS: u32 = 300;

/// From this iteration on coarse meshes help: what goes on as before, or rests, does without.
const PATIENCE: u32 = 2;

/// Elements per piece of parallel work.
pub(super) const PIECE: usize = 1024;

/// A 3×3 matrix, by columns; each has a number beside it that is not used.
pub(super) type Block = [[Real; 4]; 3];

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
    pub(super) residual: Vec<[Real; 4]>,
    /// The inverse of each particle's own block of the matrix, by columns; zero for those that are not sought.
    pub(super) inverses: Vec<Block>,
    /// What particles answer to displacements.
    pub(super) answers: Vec<Eight>,
    /// What the coarse meshes of bodies work with.
    help: Vec<Answer>,
    progress: Vec<Progress>,
    /// The preconditioned residual.
    wanted: Vec<[Real; 4]>,
    direction: Vec<[Real; 4]>,
    product: Vec<[Real; 4]>,
    partials: Vec<[f64; 3]>,
    totals: Vec<[f64; 3]>,
    /// What meshes add to them.
    helped: Vec<[f64; 3]>,
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
        let solids = &step.world.solids;
        let start =
            |goal: &Option<Goal>| Progress { is_sought: goal.is_some(), product: f64::INFINITY, ..Progress::default() };
        self.progress.clear();
        self.progress.extend(self.goals.iter().map(start));
        self.direction.clear();
        self.direction.resize(solids.len(), [0.0; 4]);
        self.product.clear();
        self.product.resize(solids.len(), [0.0; 4]);
        self.totals.resize(self.goals.len(), [0.0; 3]);
        self.help.resize(self.goals.len(), Answer::default());
        for (help, mesh) in self.help.iter_mut().zip(&solids.meshes) {
            mesh.iter().for_each(|mesh| help.reserve(mesh));
        }
        self.wanted.resize(solids.len(), [0.0; 4]);
        with_set!(solids.bonds.available(), |set| self.iterate(set, step, rotations, tensions, velocity))
    }

    fn iterate<S: Simd>(
        &mut self,
        set: S,
        step: &StepContext<'_>,
        rotations: &[Mat3],
        tensions: &mut [Tension],
        velocity: &mut [[Real; 4]],
    ) -> u32 {
        for iterations in 0..MOST_ITERATIONS {
            self.go(set, step.world, velocity);
            if iterations == PATIENCE {
                self.get_help(step, rotations);
            }
            self.ask_for_help(step.world);
            if !self.look_where_to_go(&step.world.particles.body) {
                return iterations;
            }
            self.multiply(set, step, rotations, tensions);
        }
        MOST_ITERATIONS
    }

    /// Goes along the directions as far as it pays, and looks what is left.
    fn go<S: Simd>(&mut self, set: S, world: &World, velocity: &mut [[Real; 4]]) {
        let Self { residual, inverses, progress, wanted, direction, product, partials, totals, .. } = self;
        let (particles, progress) = (&world.particles, &progress[..]);
        let columns = (velocity, (&mut residual[..], &mut wanted[..]));
        let is_asked = |body: u32| progress[body as usize].is_sought;
        Sums { pieces: &world.solids.pieces, partials, totals, is_asked }.over(columns, |range, columns| {
            let (velocity, (residual, wanted)) = columns;
            let length = progress[particles.body[range.start] as usize].length;
            set.run(
                #[inline(always)]
                || {
                    let results = velocity.iter_mut().zip(residual).zip(wanted);
                    let given =
                        direction[range.clone()].iter().zip(&product[range.clone()]).zip(&inverses[range.clone()]);
                    let (mut products, mut square, mut sum) = ([0.0; 4], 0.0, 0.0);
                    for ((i, ((velocity, residual), wanted)), ((direction, product), inverse)) in
                        range.clone().zip(results).zip(given)
                    {
                        *velocity = plus(*velocity, *direction, length);
                        *residual = plus(*residual, *product, -length);
                        let [x, y, z, _] = *residual;
                        *wanted = plus(plus(times(inverse[0], x), inverse[1], y), inverse[2], z);
                        products = plus_products(products, *residual, *wanted);
                        let (over_mass, left) = (1.0 / particles.mass(i), x * x + y * y + z * z);
                        square += f64::from(left * over_mass);
                        sum += f64::from(left.sqrt() * over_mass);
                    }
                    [products[0] + products[1] + products[2], square, sum]
                },
            )
        });
    }

    /// Sets up the coarse meshes of bodies that are not done.
    fn get_help(&mut self, step: &StepContext<'_>, rotations: &[Mat3]) {
        stage!("elastic mesh");
        let (solids, dt) = (&step.world.solids, step.dt);
        let columns = (&mut self.progress, &mut self.help, &solids.meshes).into_par_iter().enumerate();
        columns.for_each(|(body, (progress, help, mesh))| {
            let law = solids.body_law(body as u32);
            let (Some(mesh), Some(law), true) = (mesh, law, progress.is_sought) else { return };
            let s = dt * (dt + law.damping);
            if mesh.pays(law, s) {
                mesh.set_up(help, law, rotations, s);
                *progress = Progress { is_helped: true, product: f64::INFINITY, ..*progress };
            }
        });
    }

    /// Adds what coarse meshes answer to what is left.
    fn ask_for_help(&mut self, world: &World) {
        let Self { residual, help, progress, wanted, partials, totals, helped, .. } = self;
        let is_helped = |body: usize| progress[body].is_sought && progress[body].is_helped;
        if !(0..progress.len()).any(is_helped) {
            return;
        }
        let (meshes, places) = (&world.solids.meshes, &world.solids.mesh_places);
        let columns = (&mut help[..], meshes);
        columns.into_par_iter().enumerate().filter(|(body, _)| is_helped(*body)).for_each(|(_, (help, mesh))| {
            mesh.iter().for_each(|mesh| mesh.solve(help, residual));
        });
        let body = &world.particles.body;
        helped.resize(totals.len(), [0.0; 3]);
        let is_asked = |body: u32| is_helped(body as usize);
        let sums = Sums { pieces: &world.solids.pieces, partials, totals: helped, is_asked };
        sums.over(&mut wanted[..], |range, wanted| {
            let body = body[range.start] as usize;
            let Some(mesh) = &meshes[body] else { return [0.0; 3] };
            let add = |sum: f64, (i, wanted): (usize, &mut [Real; 4])| {
                let more = mesh.at(&help[body], places[i]);
                *wanted = plus(*wanted, row(more, 0.0), 1.0);
                sum + f64::from(vector(residual[i]).dot(more))
            };
            [range.zip(wanted).fold(0.0, add), 0.0, 0.0]
        });
        totals.iter_mut().zip(helped).for_each(|(total, more)| *total = total.plus(*more));
    }

    /// The next directions of the bodies that are not done. Is there one?
    fn look_where_to_go(&mut self, body: &[u32]) -> bool {
        let Self { goals, progress, wanted, direction, totals, .. } = self;
        for ((goal, progress), [product, square, sum]) in goals.iter().zip(&mut *progress).zip(totals) {
            progress.is_sought &= goal.is_some_and(|goal| *square > goal.square && *sum > goal.sum);
            progress.share = (*product / progress.product) as Real;
            progress.product = *product;
        }
        let progress = &progress[..];
        let is_any = progress.iter().any(|progress| progress.is_sought);
        if is_any {
            let columns = (&mut direction[..], &wanted[..]);
            columns.into_par_iter().with_min_len(PIECE).enumerate().for_each(|(i, (direction, wanted))| {
                let progress = &progress[body[i] as usize];
                if progress.is_sought {
                    *direction = plus(*wanted, *direction, progress.share);
                }
            });
        }
        is_any
    }

    /// The matrix times the directions, and how far to go along them.
    fn multiply<S: Simd>(&mut self, set: S, step: &StepContext<'_>, rotations: &[Mat3], tensions: &mut [Tension]) {
        let (World { particles, solids, .. }, dt) = (step.world, step.dt);
        let Self { answers, progress, direction, product, partials, totals, .. } = self;
        let is_asked = |body: u32| progress[body as usize].is_sought;
        let law = |i: usize| {
            let law = solids.law(particles.material[i]).filter(|law| law.is_implicit());
            law.filter(|_| is_asked(particles.body[i]))
        };
        let turned = Turned { solids, law, rotation: |i: usize| rotations[i] };
        turned.tensions_of_displacements(set, answers, direction, tensions);
        let sums = Sums { pieces: &solids.pieces, partials, totals, is_asked };
        sums.over(&mut product[..], |range, product| {
            let Some(law) = law(range.start) else { return [0.0; 3] };
            let (control, s) = (law.control, dt * (dt + law.damping));
            set.run(
                #[inline(always)]
                || {
                    let mut curvature = [0.0; 4];
                    for (i, product) in range.clone().zip(product) {
                        if particles.clamp[i] > 0 {
                            *product = [0.0; 4];
                            continue;
                        }
                        let force = pull(&solids.bonds.near(set, i), tensions, i, solids.sites[i].lean, control);
                        let inertia = times(direction[i], particles.mass(i));
                        *product = plus(inertia, row(force, 0.0), -s * particles.rest_volume[i]);
                        curvature = plus_products(curvature, direction[i], *product);
                    }
                    [curvature[0] + curvature[1] + curvature[2], 0.0, 0.0]
                },
            )
        });
        for (progress, [curvature, ..]) in progress.iter_mut().zip(totals) {
            // The matrix is positive; only numbers that are not can make it seem otherwise.
            progress.is_sought &= *curvature > 0.0;
            progress.length = (progress.product / *curvature) as Real;
        }
    }
}

#[inline(always)]
fn times(a: [Real; 4], factor: Real) -> [Real; 4] {
    [a[0] * factor, a[1] * factor, a[2] * factor, a[3] * factor]
}

/// a + b c.
#[inline(always)]
fn plus(a: [Real; 4], b: [Real; 4], c: Real) -> [Real; 4] {
    [a[0] + b[0] * c, a[1] + b[1] * c, a[2] + b[2] * c, a[3] + b[3] * c]
}

/// The products of numbers, added to sums.
#[inline(always)]
fn plus_products(sums: [f64; 4], a: [Real; 4], b: [Real; 4]) -> [f64; 4] {
    [
        sums[0] + f64::from(a[0] * b[0]),
        sums[1] + f64::from(a[1] * b[1]),
        sums[2] + f64::from(a[2] * b[2]),
        sums[3] + f64::from(a[3] * b[3]),
    ]
}
