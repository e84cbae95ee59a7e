//! No pressure at all: where contact keeps bodies apart, densities are but reported.

use super::{Integrator, Moment, PressureSolver, Scheme, StepLimits, WallForces};
use crate::density::compute_densities;
use crate::force::StepContext;
use crate::neighbors::Passes;
use crate::real::{Real, Vec3};
use crate::world::World;

/// Matter without pressure.
#[derive(Default)]
pub(crate) struct NoPressure {
    sums: Vec<[Real; 2]>,
}

impl WallForces for NoPressure {
    fn add_wall_forces(&self, _step: &StepContext<'_>, _force: &mut [Vec3]) {}
}

impl PressureSolver for NoPressure {
    fn scheme(&self) -> Scheme {
        Scheme { name: "none", integrator: Integrator::Leapfrog, passes: Passes::Few }
    }

    fn set_up(&mut self, _world: &mut World, _expected: f64) {}

    fn update(&mut self, world: &mut World, moment: Moment<'_>) {
        compute_densities(world, &moment, false, &mut self.sums);
    }

    /// There are no fluids that could ask.
    fn sound_speed(&self, _world: &World) -> Real {
        0.0
    }

    fn limits(&self, _world: &World, _compression: Real, acceleration: f64) -> StepLimits {
        StepLimits {
            signal_speed: None,
            acceleration,
            is_paced_by_speed: true,
            acceleration_of_solids: 0.0,
            oscillation: 0.0,
        }
    }
}
