//! Implicit corotated elasticity (Peer18 3 and 4, Alg. 1 and 2): forces from positions that the step leads to.
//!
//! With rotations held fixed during a step, forces are linear in positions. A step that moves particles by Δt w solves
//!
//! ```text
//! (M + s K) w = M v* + h f(x),    v* = v(n) + h a*
//! ```
//!
//! where a* are the accelerations by everything else, f the elastic force (see [`law`](super::law)), and s and h the scheme's
//! ([`stepping`](super::stepping)); in that of Peer18, backward Euler, s = Δt (Δt + τ) with the damping τ, and h = Δt.
//! Each row is multiplied by its mass: then the matrix is symmetric and positive for any masses and volumes, several
//! bodies and materials at once. (Peer18 4.3 divides, and asks for equal masses.) It is solved without being stored, by
//! conjugate gradients, for each body on its own ([`conjugate`](super::conjugate)); K p is the force of displacements
//! p, two sums over bonds. The preconditioner is each particle's own 3×3 block, its stiffness at rest turned by its
//! rotation, and at a large acoustic Courant number a coarse mesh of the body ([`coarse`](super::coarse)). The start is
//! v(n) + h a(n−1): bodies at rest or in steady motion need no iteration.
//!
//! Pressures that are solved for and friction come with this solve: as in the last step first, and again when they are found
//! ([`coupling`](crate::coupling)). Then energy cannot grow: with impulses J that stop the velocities v, and the matrix A of
//! the equation, in backward Euler
//!
//! ```text
//! J·v + ½ J·A⁻¹J = −½ J·A⁻¹J < 0
//! ```
//!
//! and J·w = 0 in all schemes, as far as contact stops the velocities w that move.
//!
//! The iteration ends when the mean error of velocities is below Peer18's bound (4.3), or the residual a small share of
//! the impulses that must balance. What is left must do no work ([`vibration`](super::vibration)). Then the momentum and angular momentum of each body that no clamp holds are restored
//! ([`conservation`](super::conservation)), which Peer18 conserves only as far as the solve is exact and strains are
//! small.

use rayon::prelude::*;

use super::chebyshev::{Response, Responses};
use super::conjugate::{ConjugateGradients, Goal, TASK_LENGTH};
use super::conservation::Conservation;
use super::law::{Law, Scheme, Strain, Turning, Weighting};
use super::moduli::elastic_parameters;
use super::pull::{force_density, vector};
use super::step_matrix::StepMatrix;
use super::stepping::{ImplicitScheme, Stepping};
use super::stiffness::Linearised;
use super::vibration::Deforming;
use crate::force::StepContext;
use crate::neighbors::{Places, each_bond, pack, row};
use crate::parameters::Limits;
use crate::real::{Real, Vec3, wide};
use crate::reduce::Sums;
use crate::stage::stage;
use crate::with_set;
use crate::world::World;

elastic_parameters! {
    /// Corotated elasticity with corrected gradients, solved implicitly: stable at large steps.
    pub struct Implicit {
        /// Stiffness against displacements that leave no strain, as a share of Young's modulus [-].
        zero_energy_control: Real = 0.1, Limits::NOT_NEGATIVE;
        /// Time by which stress runs ahead of strain [s]: higher damps faster. Steps of backward Euler add half their length.
        damping: Real = 0.0, Limits::NOT_NEGATIVE;
        /// How steps are made.
        scheme: ImplicitScheme = ImplicitScheme::SecondOrder;
        /// The iteration ends when this share of the impulses that must balance is left [-].
        tolerance: Real = 1e-3, Limits::between(0.0, 1.0);
        /// The iteration ends when velocities are wrong by this much in the mean [m/s].
        velocity_error: Real = 1e-6, Limits::NOT_NEGATIVE;
    }
}

impl Implicit {
    pub(super) fn law(&self) -> Law {
        let moduli = self.given().moduli();
        Law {
            moduli,
            strain: Strain::Linear,
            turning: Turning::Deformation,
            weighting: Weighting::Gradient,
            corrected: true,
            control: self.zero_energy_control * moduli.young(),
            damping: self.damping,
            scheme: Scheme::Implicit {
                scheme: self.scheme,
                tolerance: self.tolerance,
                velocity_error: self.velocity_error,
            },
        }
    }
}

/// The forces of all bodies that are solved implicitly.
#[derive(Debug, Default)]
pub(crate) struct ImplicitElasticity {
    pub(super) matrix: StepMatrix,
    /// From positions to those at which stress is evaluated, with the velocities of the start.
    ahead: Vec<[Real; 4]>,
    /// The velocities sought.
    pub(super) velocity: Vec<[Real; 4]>,
    pub(super) gradients: ConjugateGradients,
    pub(super) partials: Vec<[f64; 3]>,
    pub(super) totals: Vec<[f64; 3]>,
    /// a*: accelerations by everything else.
    external: Vec<Vec3>,
    /// Velocities without elasticity.
    free: Vec<Vec3>,
    pub(super) conservation: Conservation,
    responses: Responses,
    iterations: u32,
    pub(super) deforming: Deforming,
    /// The body of every particle, as a number.
    pub(super) owners: Vec<Real>,
    /// More than zero where something of another body or wall is within the support.
    pub(super) nearness: Vec<Real>,
    /// Did something push a surface in the last solve?
    is_pushed: bool,
}

impl ImplicitElasticity {
    /// Adds the accelerations of implicit bodies [m/s²], which those in `acceleration` and `surface` accelerate: the latter
    /// are what pressures and friction are expected to do to their particles.
    pub(crate) fn add(&mut self, step: &StepContext<'_>, surface: &[Vec3], acceleration: &mut [Vec3]) {
        self.iterations = 0;
        if !step.world.solids.any(Law::is_implicit) {
            return;
        }
        let solids = &step.world.solids;
        self.external.clear();
        self.external.extend_from_slice(&acceleration[..solids.len()]);
        self.matrix.set_up(step, &mut self.ahead);
        self.is_pushed = surface.iter().any(|&push| push != Vec3::ZERO);
        self.find_free_velocities(step, surface);
        self.expect_last_accelerations(step);
        self.find_velocities(step);
        self.write_accelerations(step, acceleration);
    }

    /// Replaces the accelerations of implicit bodies by those that follow from what pressures and
    /// friction do to their surface.
    pub(crate) fn answer(&mut self, step: &StepContext<'_>, surface: &[Vec3], acceleration: &mut [Vec3]) {
        let is_pushed = surface.iter().any(|&push| push != Vec3::ZERO);
        let was_pushed = std::mem::replace(&mut self.is_pushed, is_pushed);
        if !step.world.solids.any(Law::is_implicit) || !(is_pushed || was_pushed) {
            return;
        }
        self.find_free_velocities(step, surface);
        // From the last answer: what has changed since may be nothing, and what was told is rough.
        self.look_ahead(step);
        self.find_velocities(step);
        self.write_accelerations(step, acceleration);
    }

    /// How bodies respond to impulses in such a step, nearly.
    pub(crate) fn response(&mut self, step: &StepContext<'_>) -> Response<'_> {
        if step.world.solids.any(Law::is_implicit) {
            if self.matrix.dt != step.dt {
                self.matrix.set_up(step, &mut self.ahead);
            }
            self.responses.set_up(step.world, &self.matrix);
        }
        Response { matrix: &mut self.matrix, responses: &mut self.responses }
    }

    /// How often it iterated in the last step.
    pub(crate) fn iterations(&self) -> u32 {
        self.iterations
    }
}

/// The law of particle `i`, if it is solved implicitly.
#[inline(always)]
pub(super) fn law_of(world: &World, i: usize) -> Option<&Law> {
    world.solids.law(world.particles.material[i]).filter(|law| law.is_implicit())
}

/// The same, if no clamp holds the particle.
#[inline(always)]
pub(super) fn free_law_of(world: &World, i: usize) -> Option<&Law> {
    law_of(world, i).filter(|_| world.particles.clamp[i] == 0)
}

/// The velocity that moves particle `i` in a step, of which a path knows it.
#[inline(always)]
fn held_velocity(step: &StepContext<'_>, i: usize) -> Vec3 {
    let particles = &step.world.particles;
    let ahead = (1.0 - step.world.implicitness(i)) * step.dt;
    particles.velocity[i] + ahead * particles.acceleration[i]
}

/// The lengths of the step of particle `i`, if it is solved for.
#[inline(always)]
fn stepping_of(step: &StepContext<'_>, i: usize) -> Option<Stepping> {
    law_of(step.world, i).map(|law| Stepping::of(step.world, step.world.particles.body[i], law, step.dt))
}

impl ImplicitElasticity {
    /// Solves for the velocities that move bodies, from those that are expected.
    fn find_velocities(&mut self, step: &StepContext<'_>) {
        self.first_residual(step);
        self.set_goals(step);
        let Self { gradients, matrix, free, velocity, conservation, .. } = self;
        self.iterations += gradients.solve(step.world, matrix, velocity);
        conservation.restore_momentum((step.world, step.dt), |i| free[i], velocity);
    }

    /// The velocities that would move particles if nothing bonded them.
    fn find_free_velocities(&mut self, step: &StepContext<'_>, surface: &[Vec3]) {
        let Self { free, external, .. } = self;
        let velocity = &step.world.particles.velocity;
        free.resize(external.len(), Vec3::ZERO);
        free.par_iter_mut().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, free)| {
            let pushed = surface.get(i).copied().unwrap_or(Vec3::ZERO);
            let lead = stepping_of(step, i).map_or(0.0, |stepping| stepping.lead);
            *free = velocity[i] + lead * external[i] + lead * pushed;
        });
    }

    /// Writes the accelerations that lead to the velocities found.
    fn write_accelerations(&self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let motion = step.world.motion(step.dt);
        let columns = (&mut acceleration[..self.velocity.len()], &self.velocity);
        columns.into_par_iter().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, (acceleration, velocity))| {
            if law_of(step.world, i).is_some() {
                *acceleration =
                    (vector(*velocity) - motion.velocity(step.world, i, Vec3::ZERO)) / motion.lead(step.world);
            }
        });
    }

    /// Starts from the velocities that the accelerations of the last step lead to.
    fn expect_last_accelerations(&mut self, step: &StepContext<'_>) {
        let World { particles, solids, .. } = step.world;
        let guess = |i: usize| match stepping_of(step, i) {
            // What a clamp holds has the velocity and acceleration of its path.
            Some(stepping) if particles.clamp[i] == 0 => {
                particles.velocity[i] + stepping.lead * particles.acceleration[i]
            }
            _ => held_velocity(step, i),
        };
        pack(&mut self.velocity, solids.len(), |i| row(guess(i), 0.0));
        self.look_ahead(step);
    }

    /// Where stress is evaluated with the velocities of the start.
    fn look_ahead(&mut self, step: &StepContext<'_>) {
        let World { particles, solids, .. } = step.world;
        let velocity = &self.velocity;
        let ahead = |i: usize| stepping_of(step, i).map_or(Vec3::ZERO, |stepping| vector(velocity[i]) * stepping.reach);
        pack(&mut self.ahead, solids.len(), |i| row(particles.remainder[i] + ahead(i), 0.0));
    }

    /// The residual of the initial guess: r = M (v* − w) + h f(y).
    fn first_residual(&mut self, step: &StepContext<'_>) {
        stage!("elastic start");
        let world = step.world;
        let World { particles, solids, domain, .. } = world;
        self.gradients.residual.resize(solids.len(), [0.0; 4]);
        let Self { ahead, velocity, matrix, gradients, free, .. } = self;
        let StepMatrix { stresses, tensions, preconditioner, initial, .. } = matrix;
        let rotations = &preconditioner.rotations;
        let linearised = Linearised { solids, law: |i: usize| law_of(world, i), rotation: |i: usize| rotations[i] };
        let places = Places { coarse: step.pairs.places(), fine: ahead, domain };
        with_set!(solids.bonds.available(), |set| {
            linearised.tensions_of_places(set, stresses, &places, tensions);
        });
        initial.add_to(tensions);
        each_bond!(&solids.bonds, &mut gradients.residual, |i, near, residual| {
            *residual = free_law_of(world, i).map_or([0.0; 4], |law| {
                let force = force_density(near, tensions, i, solids.sites[i].lean, law.control);
                let missing = free[i] - vector(velocity[i]);
                let impulse = force * Stepping::of(world, particles.body[i], law, step.dt).lead;
                row(missing * particles.mass(i) + impulse * particles.rest_volume[i], 0.0)
            });
        });
    }

    /// Bounds of the residuals, relative to the impulses that must balance: external, or elastic where these are larger.
    fn set_goals(&mut self, step: &StepContext<'_>) {
        let World { particles, solids, .. } = step.world;
        let Self { velocity, gradients, free, partials, totals, .. } = self;
        totals.resize(solids.slots(), [0.0; 3]);
        let is_implicit = |body: u32| solids.body_law(body).is_some_and(Law::is_implicit);
        Sums { pieces: &solids.pieces, partials, totals, is_asked: is_implicit }.of(|i| {
            if particles.clamp[i] > 0 {
                return [0.0; 3];
            }
            let mass = f64::from(particles.mass(i));
            let missing = wide(free[i] - vector(velocity[i]));
            let external = wide(free[i] - particles.velocity[i]);
            let elastic = wide(vector(gradients.residual[i])) / mass - missing;
            [mass * external.length_squared(), mass * elastic.length_squared(), 1.0]
        });
        let goal = |(body, [outer, inner, free]): (u32, &[f64; 3])| match solids.body_law(body)?.scheme {
            Scheme::Explicit => None,
            Scheme::Implicit { tolerance, velocity_error, .. } => Some(Goal {
                square: f64::from(tolerance).powi(2) * outer.max(*inner),
                sum: f64::from(velocity_error) * free,
            }),
        };
        gradients.goals.clear();
        gradients.goals.extend((0..).zip(&*totals).map(goal));
    }
}
