//! What a force adds, and the power of it.

use crate::force::StepContext;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::time::Integrator;

/// Accelerations of one force, kept apart until they are added so that their power is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// The accelerations [m/s²], one for each particle of matter.
    pub(super) acceleration: Vec<Vec3>,
    /// What they gave to matter when they were last added [W]. The energy of surfaces is in no balance: it counts as brought
    /// from outside.
    pub(super) power: f64,
    partials: Vec<f64>,
}

impl Work {
    /// Nothing yet, for all matter.
    pub(super) fn clear(&mut self, count: usize) {
        self.acceleration.clear();
        self.acceleration.resize(count, Vec3::ZERO);
        self.power = 0.0;
    }

    /// Adds what has been found to the accelerations of matter.
    pub(super) fn add_to(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let (world, own) = (step.world, &self.acceleration);
        let particles = &world.particles;
        // Velocities that are half a step old will be as old again when the step is made: their mean does the work.
        let half: Real = match world.motion(step.dt).integrator {
            Integrator::Leapfrog => 0.0,
            Integrator::SymplecticEuler => 0.5 * step.dt,
        };
        self.power = reduce::sum_while_writing(acceleration, &mut self.partials, |first, out| {
            let mut power = 0.0;
            for (i, acceleration) in (first..).zip(out) {
                *acceleration += own[i];
                let velocity = particles.velocity[i] + half * (own[i] + world.gravity);
                power += f64::from(particles.mass(i) * own[i].dot(velocity));
            }
            power
        });
    }
}
