//! Criteria for the length of the next step.
//!
//! With the support radius H, the fastest signal c + |v|, and the accelerations a:
//!
//! ```text
//! dt ≤ cfl H / (c + max |v|)             Sol09 Eq. 2.27, with the particles' own speed added
//! dt ≤ ¼ min sqrt(H / |a|)               Sol09 Eq. 2.28 (the printed form lacks the root)
//! dt ≤ the limit of each force           viscosity: DG96 Eq. 8, Morris 1997
//! ```
//!
//! For solvers that iterate there is no sound, and no particle may pass another. With the spacing d, the parameter
//! `push`, and the accelerations by everything but pressure:
//!
//! ```text
//! dt ≤ cfl d / max |v|
//! dt ≤ push max(√(d a), |v|) / a         with a as root mean square: a step adds only so much to speeds
//! dt ≤ push √(d / max |a|)               of fluids of different density
//! dt ≤ ¼ min sqrt(d / |a|)               of solids: stiff forces in them are implicit, or have their own limit
//! ```
//!
//! Implicit bodies add a limit of accuracy, where what vibrates has most of the energy ([`stepping`](crate::elasticity)).
//!
//! √(d a), about the speed after a fall by a spacing, is the scale for matter at rest. The part of the added speed that
//! pressure does not remove is noise: with `push` much above 0.035 water does not come to rest.
//!
//! The accelerations are those of the step before: they are known before the new ones are.

use super::individual::Individual;
use crate::measure::Extremes;
use crate::models::Models;
use crate::neighbors::Pairs;
use crate::parameters::{Limits, parameters};
use crate::real::Real;
use crate::world::World;

/// The longest step, over the inverse of the fastest oscillation that is not solved for. Symplectic steps are stable up to 2 on a
/// lattice; in disorder some particles are held more stiffly.
const OSCILLATION_SHARE: f64 = 1.5;

/// The factor of √(H/|a|): Sol09 Eq. 2.28.
const FORCE_SHARE: f64 = 0.25;

parameters! {
    /// How the length of a step is found: `step.adaptive = { cfl = 0.4 }` or `step.fixed = 0.001`.
    pub enum StepSize = Adaptive {
        /// As long as stability allows.
        Adaptive(Adaptive),
        /// Each particle as long as it can: forces are found only where they are due.
        Individual(Individual),
        /// This long [s], or as little shorter as it takes to meet frames with equal steps.
        Fixed(Real) in Limits::POSITIVE,
    }
}

/// By what share a step may be longer than its criteria allow, to meet a frame with fewer steps: the criteria leave a
/// larger margin to instability.
pub(super) const SLACK: f64 = 0.05;

parameters! {
    /// Steps as long as stability allows.
    pub struct Adaptive {
        /// Share of the support (of the spacing, if pressure is iterated) crossed in a step [-]. Lower is safer and slower.
        cfl: Real = 0.4, Limits::above_up_to(0.0, 1.0);
        /// No step is longer than this [s].
        longest: Real = 0.01, Limits::POSITIVE;
        /// Share that forces may add to speeds in a step, if pressure is iterated [-]. Lower: water at rest is quieter.
        push: Real = 0.035, Limits::above_up_to(0.0, 1.0);
    }
}

impl Adaptive {
    /// The step that matter of this speed and acceleration allows [s], in which pressure travels with `signal`, if it is
    /// not everywhere at once [m/s].
    pub fn longest_step(&self, signal: Option<Real>, speed: f64, acceleration: f64, reach: Real, spacing: Real) -> f64 {
        let by_force = match signal {
            Some(_) => FORCE_SHARE * (f64::from(reach) / acceleration).sqrt(),
            None => self.by_acceleration(speed, acceleration, spacing),
        };
        self.by_speed(signal, speed, reach, spacing).min(by_force).min(f64::from(self.longest))
    }

    /// By what share steps may be longer than `dt`, which is allowed.
    pub(super) fn slack(&self, dt: Real) -> f64 {
        f64::from(self.longest / dt - 1.0).clamp(0.0, SLACK)
    }

    /// The step in which an acceleration adds no more than the share `push` to this speed, or to that of a fall [s].
    fn by_acceleration(&self, speed: f64, acceleration: f64, spacing: Real) -> f64 {
        f64::from(self.push) * (f64::from(spacing) * acceleration).sqrt().max(speed) / acceleration
    }

    /// The step in which nothing goes too far at this speed [s].
    fn by_speed(&self, signal: Option<Real>, speed: f64, reach: Real, spacing: Real) -> f64 {
        match signal {
            Some(signal) => f64::from(self.cfl * reach) / (f64::from(signal) + speed),
            None => f64::from(self.cfl * spacing) / speed,
        }
    }
}

impl StepSize {
    /// Individual steps, if they are.
    pub fn individual(&self) -> Option<&Individual> {
        match self {
            StepSize::Individual(individual) => Some(individual),
            _ => None,
        }
    }

    /// A step of `dt` that is to be made, shortened if accelerations have made matter too fast for it [s].
    pub(crate) fn reconsider(&self, dt: Real, speed: f64, world: &World, pairs: &Pairs, models: &Models) -> Real {
        match self {
            // What is solved for has no individual steps.
            StepSize::Fixed(_) | StepSize::Individual(_) => dt,
            StepSize::Adaptive(adaptive) => {
                let signal = models.signal_speed(&models.pressure.limits(world, 1.0, 0.0));
                let allowed = adaptive.by_speed(signal, speed, pairs.kernel().support(), world.spacing);
                if allowed < f64::from(dt) { allowed as Real } else { dt }
            }
        }
    }

    /// By what share steps may be longer than `dt`, which is allowed.
    pub(crate) fn slack(&self, dt: Real) -> f64 {
        match self {
            StepSize::Adaptive(adaptive) => adaptive.slack(dt),
            StepSize::Individual(individual) => individual.criteria().slack(dt),
            StepSize::Fixed(_) => 0.0,
        }
    }

    /// The longest step that may be made now, by matter that moves at most at this speed [m/s] [s].
    pub(crate) fn choose(
        &self,
        speed: f64,
        world: &World,
        pairs: &Pairs,
        extremes: &Extremes,
        models: &Models,
    ) -> Real {
        let adaptive = match self {
            StepSize::Fixed(dt) => return *dt,
            StepSize::Adaptive(adaptive) => adaptive,
            StepSize::Individual(individual) => &individual.criteria(),
        };
        let reach = pairs.kernel().support();
        // Before the first step there are no accelerations yet; there will be gravity.
        let limits = models.pressure.limits(world, extremes.compression() as Real, extremes.acceleration());
        let acceleration = limits.acceleration.max(f64::from(world.gravity.length()));
        let signal = models.signal_speed(&limits);
        let own = adaptive.longest_step(signal, speed, acceleration, reach, world.spacing);
        let own = match signal.is_none() && !limits.is_paced_by_speed {
            true => own.min(adaptive.by_acceleration(0.0, acceleration, world.spacing)),
            false => own,
        };
        let own = own.min(FORCE_SHARE * (f64::from(world.spacing) / limits.acceleration_of_solids).sqrt());
        let own = world.resolving_step(own.min(OSCILLATION_SHARE / limits.oscillation));
        let sound = models.pressure.sound_speed(world);
        let by_models = models.forces.iter().filter_map(|force| force.longest_step(world, pairs, sound)).map(f64::from);
        let processes = models.processes.iter().map(|owner| &owner.process);
        let by_processes = processes.filter_map(|process| process.longest_step(world, pairs)).map(f64::from);
        by_models.chain(by_processes).fold(own, f64::min) as Real
    }
}
