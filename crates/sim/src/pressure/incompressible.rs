//! What solvers share that find pressures by iteration: a guest in the step between velocities and positions.
//!
//! All of them solve the same system ([`System`]) with the same iteration ([`Projected`]). They differ in how the
//! compression after the step is predicted, in which norm it is bounded, and in where they start.
//!
//! **Inertia of elastic bodies.** What pushes the surface of a stiff body moves what is behind it too, as far as waves run
//! in a step: the body answers impulses J with A⁻¹J, which is less than M⁻¹J. So that a push suffices, particles of a body
//! seem heavier to it, all by one factor that is measured when the body has answered:
//!
//! ```text
//! inertia = J·M⁻¹J / J·A⁻¹J ≥ 1
//! ```
//!
//! That is an exact line search: along J no other length of the push leaves less energy. A factor that proves more than
//! twice as large as measured would add energy, one much smaller lets the body sink in: then pressures are solved for
//! again, with the factor measured, and finally with 1, which never adds any.

use rayon::prelude::*;

use super::iterated::Iteration;
use super::state_equation::highest_speed_squared;
use super::system::{Aim, System};
use super::{Correction, Integrator, PressureSolver};
use crate::kernel::Kernel;
use crate::neighbors::{Pairs, Passes};
use crate::real::{Real, Vec3};
use crate::reduce::{self, largest};
use crate::solve::Projected;
use crate::world::{Particles, World};

/// Particles per piece of parallel work.
const PIECE: usize = 4096;

/// An error that sums in single precision cannot resolve [-].
const NOISE: f64 = 1e-6;

/// An error that has grown by so much is a sign that iterations diverge; momentum alone makes it rise a little.
const GROWTH: f64 = 3.0;

/// By how much caution is relaxed in each solve.
const RECOVERY: Real = 1.01;

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
    /// Accelerations of solids before pressures push them.
    before: Vec<Vec3>,
    excess: Vec<Real>,
    partials: Vec<f64>,
    energies: Vec<[f64; 3]>,
    /// A speed by which artificial friction is measured [m/s].
    speed: Real,
    /// The push of the last step on fluids by anything but pressure [m/s²]: as root mean square in one fluid, the hardest
    /// where several push each other about.
    push: Real,
    /// The hardest on solids.
    push_of_solids: Real,
    /// Share of the usual step of an iteration that has proved safe.
    caution: Real,
}

impl<M: Method> IncompressibleSolver<M> {
    /// A solver in a world whose densities are found with `kernel` and whose particles are `spacing` apart.
    pub(crate) fn new(method: M, kernel: &Kernel, spacing: Real) -> Self {
        IncompressibleSolver {
            system: System::new(kernel, spacing, method.parameters().pair_pressure),
            method,
            pressures: Projected::default(),
            before: Vec::new(),
            excess: Vec::new(),
            partials: Vec::new(),
            energies: Vec::new(),
            speed: 0.0,
            push: 0.0,
            push_of_solids: 0.0,
            caution: 1.0,
        }
    }

    /// Iterates until the error is within its bounds; the accelerations are those of the last push of the system.
    fn iterate(&mut self, world: &World, pairs: &Pairs, aim: Aim, bounds: Bounds) -> (u32, f64) {
        let Iteration { relative_error, min_iterations, max_iterations, .. } = self.method.parameters();
        let IncompressibleSolver { system, pressures, excess, partials, caution, .. } = self;
        *caution = (*caution * RECOVERY).min(1.0);
        let count = world.movable;
        excess.resize(count, 0.0);
        let per_particle = 1.0 / count.max(1) as f64;
        let bound = f64::from(bounds.error);
        let mut enough = bound;
        if relative_error < 1.0 {
            let source = reduce::sum(count, partials, |i| f64::from(system.excess(i).max(0.0))) * per_particle;
            enough = bound.min((f64::from(relative_error) * source).max(NOISE));
        }
        let fewest = if aim == Aim::Density { min_iterations } else { 1 };
        let (mut iterations, mut least) = (0, f64::INFINITY);
        loop {
            match (aim, M::PREDICTION) {
                // From nothing: no need to sum over zeros.
                (Aim::Divergence, _) if iterations == 0 => system.compression_without_push(world, excess),
                (Aim::Density, Prediction::AfterMoving) => {
                    system.push(world, pairs, pressures.trial());
                    system.compression_after_moving(world, pairs, excess);
                }
                _ => {
                    system.push(world, pairs, pressures.trial());
                    system.compression_to_first_order(pairs, excess);
                }
            }
            iterations += 1;
            let all = pressures.assess(|i, pressure| system.residual(i, pressure, excess[i], *caution));
            let open = all.open * per_particle;
            let error = match bounds.norm {
                Norm::Worst => all.worst,
                Norm::Mean => open,
            };
            let is_done = error <= bound && open <= enough && iterations >= fewest;
            let is_better = open <= GROWTH * least;
            if is_done || (iterations >= max_iterations && (is_better || iterations > max_iterations)) {
                return (iterations, error);
            }
            if open < least {
                least = open;
                pressures.keep();
            }
            if is_better {
                pressures.advance();
            } else {
                // Steps were too large for this neighbourhood: smaller ones, from the best that there was.
                pressures.go_back();
                *caution *= 0.7;
            }
        }
    }

    /// Adds a share of what pressures push by, of particles as heavy as they seem.
    fn add_push(&self, acceleration: &mut [Vec3], share: Real) {
        let all = acceleration.par_iter_mut().with_min_len(PIECE).enumerate();
        all.for_each(|(i, a)| *a += share * self.system.acceleration(i));
    }

    /// The share of the last push that adds no more energy than it may: that of compression undone as fast as is asked for.
    /// What only stops velocities adds none. But pressures of walls are guessed from those of matter, weights make them
    /// large, and iterations end early: a particle in a corner would be shot out. Where walls or clamps move, they add energy.
    fn share_without_gain(&mut self, world: &World, dt: Real) -> Real {
        let (particles, system) = (&world.particles, &self.system);
        let energies = |i: usize| {
            let (push, mass) = (dt * system.acceleration(i), f64::from(particles.mass(i) * world.inertia(i)));
            let apart = f64::from(system.asked(world, i) * world.spacing / dt);
            [
                mass * f64::from(push.dot(system.velocity(i))),
                0.5 * mass * f64::from(push.length_squared()),
                0.5 * mass * apart * apart,
            ]
        };
        let [work, square, allowed] = reduce::sum(world.movable, &mut self.energies, energies);
        let drives = |i: usize| (i >= world.movable || particles.clamp[i] > 0) && particles.velocity[i] != Vec3::ZERO;
        let is_driven = || (0..world.solids.len()).chain(world.movable..particles.len()).any(drives);
        if work + square <= allowed || is_driven() {
            return 1.0;
        }
        // work s + square s² = allowed.
        ((-work + (work * work + 4.0 * square * allowed).sqrt()) / (2.0 * square)) as Real
    }
}

/// Are there fluids of different density?
fn is_mixed(world: &World) -> bool {
    let mut densities = world.materials.iter().filter(|material| material.elastic.is_none()).map(|fluid| fluid.density);
    let first = densities.next();
    densities.any(|density| Some(density) != first)
}

impl<M: Method> PressureSolver for IncompressibleSolver<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn passes(&self) -> Passes {
        match M::PREDICTION {
            Prediction::FirstOrder => Passes::Many,
            Prediction::AfterMoving => Passes::ManyAfterMoving,
        }
    }

    fn integrator(&self) -> Integrator {
        Integrator::SymplecticEuler
    }

    fn set_up(&mut self, world: &World, expected: f64) {
        self.speed = self.speed.max((highest_speed_squared(world) + expected).sqrt() as Real);
        self.push = self.push.max(world.gravity.length());
    }

    /// Pressures are what the last step left: the next one starts from them.
    fn update_pressures(&mut self, _world: &mut World, _pairs: &Pairs) {}

    fn sound_speed(&self) -> Real {
        self.speed
    }

    fn signal_speed(&self, _compression: Real) -> Option<Real> {
        None
    }

    /// In one fluid, a particle that is pushed hard does not shake the others.
    fn limiting_push(&self, _hardest: f64) -> f64 {
        f64::from(self.push)
    }

    /// Not where light fluid is pushed about by heavy fluid: it gains energy in longer steps. Nor where only solids touch:
    /// contact is of first order in the step.
    fn is_paced_by_speed(&self, world: &World) -> bool {
        !is_mixed(world) && world.solids.len() < world.movable
    }

    fn hardest_push_of_solids(&self) -> f64 {
        f64::from(self.push_of_solids)
    }

    fn correct(&mut self, world: &mut World, pairs: &Pairs, dt: Real, acceleration: &mut [Vec3]) -> Correction {
        let mut correction = Correction::default();
        if world.movable == 0 {
            return correction;
        }
        let square = |a: &Vec3| a.length_squared();
        let (solids, fluids) = acceleration.split_at(world.solids.len());
        let hardest = |all: &[Vec3]| reduce::max_chunks(all.len(), |range| largest(&all[range], square)).sqrt() as Real;
        self.push_of_solids = hardest(solids);
        self.push = match is_mixed(world) {
            true => hardest(fluids),
            false => {
                let squares = reduce::sum(fluids.len(), &mut self.partials, |i| f64::from(square(&fluids[i])));
                (squares / fluids.len().max(1) as f64).sqrt() as Real
            }
        };
        self.before.clear();
        self.before.extend_from_slice(&acceleration[..world.solids.len()]);
        self.system.expect(self.speed / world.spacing);
        if let Some(bounds) = self.method.divergence_bounds() {
            // Of the velocities as they are, before anything pushes.
            self.system.set_up(world, pairs, &[], dt, Aim::Divergence);
            self.pressures.start(world.movable, |start| start.fill(0.0));
            correction.divergence_iterations = self.iterate(world, pairs, Aim::Divergence, bounds).0;
            self.system.set_aside(correction.divergence_iterations > 1);
            let share = self.share_without_gain(world, dt);
            self.add_push(acceleration, share);
        }
        match correction.divergence_iterations {
            0 => self.system.set_up(world, pairs, acceleration, dt, Aim::Density),
            _ => self.system.aim_at_density(world, pairs, acceleration),
        }
        let (particles, warm_start) = (&world.particles, self.method.parameters().warm_start);
        let system = &self.system;
        self.pressures.start(world.movable, |start| {
            start.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(i, start)| {
                let phi = particles.compression(i);
                // Pressures of a step are what all its solves find: some of it is found already.
                let expected = particles.pressure[i] / (phi * phi) - system.aside(world, i);
                *start = warm_start * expected.max(0.0);
            });
        });
        let bounds = self.method.bounds();
        (correction.iterations, correction.error) = self.iterate(world, pairs, Aim::Density, bounds);
        correction.bound = f64::from(bounds.error);
        // Without weights compression is undone in time, and whole columns of it add energy.
        let share = if self.system.is_weighted() { self.share_without_gain(world, dt) } else { 1.0 };
        self.add_push(acceleration, share);
        // From here on, forces over masses again: the body itself says how heavy it is.
        for (i, (a, before)) in acceleration.iter_mut().zip(&self.before).enumerate() {
            *a = *before + (*a - *before) * world.inertia(i);
        }

        let movable = world.movable;
        self.system.smooth(world, pairs, acceleration, &mut self.excess);
        let mut pressure = std::mem::take(&mut world.particles.pressure);
        self.system.write_wall_pressures(world, &mut pressure[movable..]);
        let Particles { density, rest_density, .. } = &world.particles;
        let columns = (&mut pressure[..movable], &self.excess, &density[..movable], &rest_density[..movable]);
        columns.into_par_iter().with_min_len(PIECE).for_each(|(pressure, scaled, density, rest_density)| {
            let phi = density / rest_density;
            *pressure = scaled * phi * phi;
        });
        world.particles.pressure = pressure;
        correction
    }

    fn regrets(&self, correction: &Correction, worst: f64) -> bool {
        let is_bounded = self.method.bounds().norm == Norm::Worst && !self.system.is_weighted();
        is_bounded && worst > EXCEEDED * correction.bound
    }

    fn memory(&self) -> Vec<Real> {
        vec![self.speed, self.push, self.push_of_solids, self.caution]
    }

    fn recall(&mut self, memory: &[Real]) {
        if let &[speed, push, push_of_solids, caution] = memory {
            (self.speed, self.push, self.push_of_solids, self.caution) = (speed, push, push_of_solids, caution);
        }
    }
}
