//! Contact of elastic bodies without pressure, where there are no fluids. One file per model.
//!
//! Friction of bodies on walls, which contact and solved pressures share, is here too.

pub(crate) mod friction;
mod penalty;
mod predictor_corrector;
mod wall_plane;

pub use penalty::Penalty;
pub(crate) use penalty::PenaltySolver;
pub use predictor_corrector::PredictorCorrector;
pub(crate) use predictor_corrector::PredictorCorrectorSolver;

use crate::force::StepContext;
use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::time::Motion;
use crate::world::World;

/// A model of contact, which has no pressure.
pub(crate) trait Contact: Send + Sync {
    /// Its name in scene files and diagnoses.
    fn name(&self) -> &'static str;

    /// Bodies or walls have changed.
    fn set_up(&mut self, world: &World) {
        let _ = world;
    }

    /// Speed of sound of the contact springs [m/s], which limits the step; 0 if contact is by impulses.
    fn speed(&self) -> Real {
        0.0
    }

    /// Adds the accelerations that are known before the step.
    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let _ = (step, acceleration);
    }

    /// What walls add to the accelerations in this step [m/s²], of every particle of matter: part of what the others add.
    fn by_walls(&self) -> &[Vec3];

    /// Adds the accelerations that depend on those by everything else, in a step.
    fn correct(&mut self, world: &World, pairs: &Pairs, motion: Motion, acceleration: &mut [Vec3]);
}
