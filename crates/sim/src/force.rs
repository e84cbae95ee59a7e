//! The trait of forces.

use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::world::World;

/// What a force may look at.
pub struct StepContext<'a> {
    /// The world before the step.
    pub world: &'a World,
    /// Its neighbourhoods.
    pub pairs: &'a Pairs,
    /// The speed of sound in matter at rest [m/s].
    pub sound_speed: Real,
    /// Length of the step to be made; the longest that any particle makes, if steps are individual [s].
    pub dt: Real,
}

/// Something that accelerates particles: a plain struct with parameters. See CONTRIBUTING.md, "a new force in five moves".
pub trait Force: Send + Sync {
    /// Adds its accelerations [m/s^2] of matter; `acceleration` has one entry for each of its particles.
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]);

    /// Adds the forces on the particles of walls [N] that are the other side of what it has just added to matter; `force` has
    /// one entry for each of them.
    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        let _ = (step, force);
    }

    /// The power of what it has just added [W], as far as it brings energy into the world from outside.
    fn power(&self) -> f64 {
        0.0
    }

    /// The longest step for which it is stable [s], if it limits the step. It may remember nothing from earlier steps:
    /// a resumed run would not.
    fn longest_step(&self, world: &World, pairs: &Pairs, sound_speed: Real) -> Option<Real> {
        let _ = (world, pairs, sound_speed);
        None
    }

    /// Where steps are individual: lowers the longest step of each particle of matter whose forces are due [s] to one for which it is
    /// stable there. As long everywhere as it allows the world, unless it knows better.
    fn limit_steps(&self, step: &StepContext<'_>, longest: &mut [Real]) {
        if let Some(limit) = self.longest_step(step.world, step.pairs, step.sound_speed) {
            longest.iter_mut().for_each(|longest| *longest = longest.min(limit));
        }
    }
}
