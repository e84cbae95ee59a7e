//! What a force is.

use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::world::World;

/// What a force may look at.
pub struct StepContext<'a> {
    /// The world before the step.
    pub world: &'a World,
    /// Its neighbourhoods.
    pub pairs: &'a Pairs,
    /// Length of the step to be made [s].
    pub dt: Real,
}

/// Something that accelerates particles: a plain struct with parameters. See CONTRIBUTING.md, "a new force in five moves".
pub trait Force: Send + Sync {
    /// Adds its accelerations [m/s^2] of the movable particles; `acceleration` has one entry for each.
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]);

    /// The longest step for which it is stable [s], if it has an opinion.
    fn longest_step(&self, world: &World, pairs: &Pairs) -> Option<Real> {
        let _ = (world, pairs);
        None
    }
}
