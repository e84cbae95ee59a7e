//! What solvers share that find pressures by iteration: a guest in the step between velocities and positions.
//!
//! All of them solve the same system ([`System`]) with the same iteration ([`Projected`]). They differ in how the
//! compression after the step is predicted, in which norm it is bounded, and in where they start.
//!
//! Bodies respond to pressures in every iteration, nearly ([`response`](crate::response)). When they have answered exactly, the
//! difference is part of the velocities that pressures are to correct, and they are solved for again from where they are.

mod balance;
mod correction;

use rayon::prelude::*;

use super::iterated::Iteration;
use super::lattice::stiffness;
use super::state_equation::highest_speed_squared;
use super::system::{Aim, System};
use super::{Corrector, Integrator, Moment, PressureSolver, Scheme, StepLimits, WallForces};
use crate::density::compute_densities;
use crate::force::StepContext;
use crate::kernel::Kernel;
use crate::measure::speed_about_mean;
use crate::neighbors::{Pairs, Passes};
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::response::BodyResponse;
use crate::solve::{Assessment, Projected};
use crate::time::AT_REST;
use crate::world::{Memory, Remembered, World};

/// Particles per piece of parallel work.
const PARTICLES_PER_TASK: usize = 4096;

/// An error that sums in single precision cannot resolve [-].
const NOISE: f64 = 1e-6;

/// From this share on, a line search of a problem that is not linear goes all the way, to where it was evaluated: the energy
/// there is at most that where it began, and no product is needed to know what is there.
const FULL_STEP: Real = 0.5;

/// With a density error this many times its bound a step was too long: iterations did not end, or particles came near that
/// are in no list.
const EXCEEDED: f64 = 2.0;

/// How the error of a solve is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    /// Mean over all particles of what is left: compression, and where there is pressure also expansion, which is as
    /// wrong: too much pressure throws a column into the air.
    Mean,
    /// Compression of the worst particle; the mean counts beside it.
    Worst,
}

/// How the compression after a step is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prediction {
    /// From velocities, to first order in the step.
    FirstOrder,
    /// By summing densities at the predicted positions.
    AfterMoving,
}

/// When an iteration may end, beside what all solvers are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// The largest error [-].
    pub(crate) error: Real,
    pub(crate) norm: Norm,
}

/// When an iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Within(Bounds),
    /// As soon as pressures add no more energy than they may.
    WithoutGain,
}

/// A way to solve for pressures.
pub(crate) trait Method: Send + Sync {
    /// Its name in scene files and diagnoses.
    const NAME: &'static str;
    /// How the compression after a step is predicted.
    const PREDICTION: Prediction;

    /// What all such solvers are told.
    fn parameters(&self) -> Iteration;

    /// When the iteration may end.
    fn bounds(&self) -> Bounds;

    /// When the iteration may end that keeps velocities from compressing, if there is one.
    fn divergence_bounds(&self) -> Option<Bounds> {
        None
    }
}

/// A method at work.
pub(crate) struct IncompressibleSolver<M> {
    method: M,
    system: System,
    pressures: Projected,
    /// Accelerations of solids by the pressures of a first solve, and by all of them, were each particle alone.
    first_push: Vec<Vec3>,
    push: Vec<Vec3>,
    /// The share of what the last solve found that acts.
    share: Real,
    /// The pressures from which it started, if there are bodies; those of another solve.
    started: Vec<Real>,
    asked: Vec<Real>,
    excess: Vec<Real>,
    partials: Vec<f64>,
    sums: Vec<[Real; 2]>,
    energies: Vec<[f64; 3]>,
    speeds: Vec<[f64; 4]>,
    /// How much faster matter moves than what rests is allowed to: at least 1.
    liveliness: f64,
    /// Forces on the particles of walls in this step [N]; none unless there are accounts.
    on_walls: Vec<Vec3>,
    /// κ of oscillations at ω² = κ P/(ρ d²).
    stiffness: Real,
    kept: Kept,
}

/// What a solver remembers from step to step.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// A speed by which artificial friction is measured [m/s].
    speed: Remembered,
    /// The acceleration of fluids by anything but pressure in the last step [m/s²]: as root mean square in one fluid, the
    /// largest where several displace each other.
    acceleration: Remembered,
    /// The largest of solids.
    acceleration_of_solids: Remembered,
    /// The pressure of fluids over their density where it is high [m²/s²].
    head: Remembered,
}

impl<M: Method> IncompressibleSolver<M> {
    /// A solver in a world whose densities are found with `kernel` and whose particles are `spacing` apart.
    pub(crate) fn new(method: M, kernel: &Kernel, spacing: Real, memory: &mut Memory) -> Self {
        let kept = Kept {
            speed: memory.reserve("speed", 0.0),
            acceleration: memory.reserve("acceleration", 0.0),
            acceleration_of_solids: memory.reserve("acceleration of solids", 0.0),
            head: memory.reserve("pressure over density", 0.0),
        };
        IncompressibleSolver {
            system: System::new(kernel, spacing, method.parameters().pair_pressure),
            method,
            pressures: Projected::default(),
            first_push: Vec::new(),
            push: Vec::new(),
            share: 1.0,
            started: Vec::new(),
            asked: Vec::new(),
            excess: Vec::new(),
            partials: Vec::new(),
            sums: Vec::new(),
            energies: Vec::new(),
            speeds: Vec::new(),
            liveliness: 1.0,
            on_walls: Vec::new(),
            stiffness: stiffness(kernel, spacing) as Real,
            kept,
        }
    }

    /// Iterates until the error is within its bounds; the accelerations of the system are those of what is found.
    fn iterate(
        &mut self,
        (world, pairs): (&World, &Pairs),
        response: &mut dyn BodyResponse,
        aim: Aim,
        end: End,
    ) -> (u32, f64) {
        let Iteration { relative_error, min_iterations, max_iterations, .. } = self.method.parameters();
        let count = world.kinds.matter().len();
        self.excess.resize(count, 0.0);
        let per_particle = 1.0 / count.max(1) as f64;
        let bound = match end {
            End::Within(bounds) => f64::from(bounds.error),
            End::WithoutGain => f64::INFINITY,
        };
        let mut enough = bound;
        if relative_error < 1.0 {
            let system = &self.system;
            let source = |i: usize| f64::from(system.source_term(i).max(0.0));
            let source = reduce::sum(count, &mut self.partials, source) * per_particle;
            enough = bound.min((f64::from(relative_error) * self.liveliness * source).max(NOISE));
        }
        let fewest = if aim == Aim::Density && end != End::WithoutGain { min_iterations } else { 1 };
        // What only stops velocities is of first order in the step.
        let is_exact = M::PREDICTION == Prediction::FirstOrder || aim == Aim::Divergence || end == End::WithoutGain;
        match aim {
            // From nothing: no need to sum over zeros.
            Aim::Divergence => self.system.compression_without_pressure(world, &mut self.excess),
            Aim::Density => self.evaluate((world, pairs), response, is_exact),
        }
        let mut all = self.restart();
        if aim == Aim::Density && !self.started.is_empty() {
            self.system.remember_start();
        }
        let mut iterations = 1;
        loop {
            let open = all.open * per_particle;
            let error = match end {
                End::Within(Bounds { norm: Norm::Worst, .. }) => all.worst,
                _ => open,
            };
            let is_done = match end {
                End::Within(_) => error <= bound && open <= enough && iterations >= fewest,
                End::WithoutGain => self.gain(world).is_none(),
            };
            if is_done || iterations >= max_iterations || !self.pressures.propose() {
                self.system.press(world, pairs, self.pressures.finish());
                return (iterations, error);
            }
            self.evaluate((world, pairs), response, is_exact);
            iterations += 1;
            let IncompressibleSolver { system, pressures, excess, .. } = self;
            let share = pressures.search(excess);
            // What moves does not compress as it would to first order: only where it was evaluated is it known.
            let share = if !is_exact && share >= FULL_STEP { 1.0 } else { share };
            all = pressures.advance(share, excess);
            system.accept(share);
            if !is_exact && share < 1.0 {
                pressures.finish();
                self.evaluate((world, pairs), response, is_exact);
                iterations += 1;
                all = self.restart();
            }
        }
    }

    /// How many times faster matter moves about its mean, as root mean square, than it may and still count as at rest; at
    /// least 1. Noise that would be seen in water at rest is lost in what moves faster.
    fn liveliness(&mut self, world: &World) -> f64 {
        let speed = speed_about_mean(world, &mut self.speeds);
        let fall = f64::from(world.spacing * world.memory[self.kept.acceleration]);
        if fall > 0.0 { (speed / fall.sqrt() / AT_REST).max(1.0) } else { 1.0 }
    }

    /// Evaluates the compression that is left with the pressures of the trial.
    fn evaluate(&mut self, (world, pairs): (&World, &Pairs), response: &mut dyn BodyResponse, is_exact: bool) {
        let IncompressibleSolver { system, pressures, excess, .. } = self;
        system.accelerate(world, pairs, pressures.trial(), response);
        match is_exact {
            true => system.compression_to_first_order(world, pairs, excess),
            false => system.compression_after_moving(world, pairs, excess),
        }
    }

    /// Starts the iteration from the trial that was evaluated.
    fn restart(&mut self) -> Assessment {
        let IncompressibleSolver { system, pressures, excess, .. } = self;
        system.accept(1.0);
        pressures.restart(excess, |i| system.unknown(i))
    }

    /// Adds a share of the accelerations by the pressures that are found.
    fn add_pressure_acceleration(&self, acceleration: &mut [Vec3], share: Real) {
        let all = acceleration.par_iter_mut().with_min_len(PARTICLES_PER_TASK).enumerate();
        all.for_each(|(i, a)| *a += share * self.system.acceleration(i));
    }
}

impl<M: Method> WallForces for IncompressibleSolver<M> {
    fn add_wall_forces(&self, _step: &StepContext<'_>, force: &mut [Vec3]) {
        force.iter_mut().zip(&self.on_walls).for_each(|(force, push)| *force += *push);
    }
}

impl<M: Method> PressureSolver for IncompressibleSolver<M> {
    fn scheme(&self) -> Scheme {
        let passes = match M::PREDICTION {
            Prediction::FirstOrder => Passes::Many,
            Prediction::AfterMoving => Passes::ManyAfterMoving,
        };
        Scheme { name: M::NAME, integrator: Integrator::SymplecticEuler, passes }
    }

    fn set_up(&mut self, world: &mut World, expected: f64) {
        let expected = (highest_speed_squared(world) + expected).sqrt() as Real;
        let (gravity, memory, kept) = (world.gravity.length(), &mut world.memory, self.kept);
        memory[kept.speed] = memory[kept.speed].max(expected);
        memory[kept.acceleration] = memory[kept.acceleration].max(gravity);
    }

    /// Pressures are what the last step left: the next one starts from them.
    fn update(&mut self, world: &mut World, moment: Moment<'_>) {
        // Where heavy fluid stirs light fluid, disorder would be taken for surfaces, and the room that it asks for feeds energy.
        let is_corrected = !world.has_mixed_fluids();
        compute_densities(world, &moment, is_corrected, &mut self.sums);
    }

    fn sound_speed(&self, world: &World) -> Real {
        world.memory[self.kept.speed]
    }

    fn limits(&self, world: &World, _compression: Real, _acceleration: f64) -> StepLimits {
        StepLimits {
            signal_speed: None,
            // In one fluid, a particle that is accelerated strongly does not shake the others.
            acceleration: f64::from(world.memory[self.kept.acceleration]),
            // Not where heavy fluid displaces light fluid: it gains energy in longer steps. Nor where only
            // solids touch: contact is of first order in the step.
            is_paced_by_speed: !world.has_mixed_fluids() && !world.kinds.flowing().is_empty(),
            acceleration_of_solids: f64::from(world.memory[self.kept.acceleration_of_solids]),
            oscillation: f64::from(self.stiffness * world.memory[self.kept.head]).sqrt() / f64::from(world.spacing),
        }
    }

    fn corrector(&mut self) -> Option<&mut dyn Corrector> {
        Some(self)
    }
}
