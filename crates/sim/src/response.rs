//! How matter answers impulses: what pressures and friction must know of what they push.
//!
//! An impulse J moves fluid and loose particles by J/m, and what a path or a clamp holds not at all. A body moves as a whole:
//! implicit bodies by A⁻¹J, with the matrix A of their step ([`elasticity`](crate::elasticity)). A solve for pressures asks
//! in every iteration, so that the answer must be cheap: an approximation Â⁻¹ will do which never is much less than what it
//! stands for, nor much more,
//!
//! ```text
//! ¾ J·A⁻¹J ≤ J·Â⁻¹J ≤ 3 J·A⁻¹J
//! ```
//!
//! Then the exchange of push and answer converges, within a step and from step to step ([`coupling`](crate::coupling)).

use crate::real::{Real, Vec3};
use crate::world::World;

/// How the particles of bodies answer impulses, nearly.
pub(crate) trait BodyResponse: Sync {
    /// Replaces the accelerations that forces would give to the coherent particles of the world, were each alone, by those with
    /// which their bodies move.
    fn respond(&mut self, world: &World, acceleration: &mut [Vec3]);

    /// The share of its mobility alone that coherent particle `i` has if it is pushed alone, in the mean over directions.
    fn share(&self, world: &World, i: usize) -> Real;
}

/// All particles are alone.
#[cfg(test)]
pub(crate) struct Alone;

#[cfg(test)]
impl BodyResponse for Alone {
    fn respond(&mut self, _world: &World, _acceleration: &mut [Vec3]) {}

    fn share(&self, _world: &World, _i: usize) -> Real {
        1.0
    }
}
