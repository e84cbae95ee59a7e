//! What keeps matter from being squeezed: one file per pressure solver.
//!
//! All of them act through one pair formula in rest volumes, for fluids, solids and walls alike
//! (see [`pair_force`]).

pub(crate) mod pair_force;
pub(crate) mod walls;
mod wcsph;

use serde::{Deserialize, Serialize};

pub use wcsph::Wcsph;
use wcsph::WcsphSolver;

use crate::force::StepContext;
use crate::neighbors::Pairs;
use crate::parameters::{Check, Parameters};
use crate::real::{Real, Vec3};
use crate::world::World;

/// The pressure solver of a scene: `[pressure.wcsph]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pressure {
    /// Weakly compressible: pressure from a stiff state equation, small steps.
    Wcsph(Wcsph),
}

impl Default for Pressure {
    fn default() -> Self {
        Pressure::Wcsph(Wcsph::default())
    }
}

impl Parameters for Pressure {
    fn check(&self, check: &mut Check) {
        match self {
            Pressure::Wcsph(wcsph) => check.group("wcsph", wcsph),
        }
    }
}

impl Pressure {
    /// The solver with these parameters.
    pub(crate) fn solver(&self) -> Box<dyn PressureSolver> {
        match self {
            Pressure::Wcsph(wcsph) => Box::new(WcsphSolver::new(wcsph.clone())),
        }
    }
}

/// A pressure solver is a guest in the step: it is asked, in this order, and owns nothing of it.
pub(crate) trait PressureSolver: Send + Sync {
    /// Its name in scene files and diagnoses.
    fn name(&self) -> &'static str;

    /// Bodies or walls have changed.
    fn set_up(&mut self, world: &World);

    /// Densities are new: writes the pressures that follow from them, of matter and walls.
    fn update_pressures(&mut self, world: &mut World, pairs: &Pairs);

    /// The speed at which pressure travels in the most compressed matter [m/s], which limits the step.
    fn signal_speed(&self, compression: Real) -> Real;

    /// Adds the accelerations by pressure.
    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]);

    /// Energy of compression per rest volume e(φ) [J/m³], with p = φ² de/dφ.
    fn energy_density(&self, phi: f64, rest_density: f64) -> f64;

    /// What it must remember to go on after a restart, beyond the columns.
    fn memory(&self) -> Vec<Real>;

    /// Takes back what [`memory`](Self::memory) gave.
    fn recall(&mut self, memory: &[Real]);
}
