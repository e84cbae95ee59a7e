//! What keeps matter from being squeezed: one file per pressure solver.
//!
//! All of them act through one pair formula in rest volumes, for fluids, solids and walls alike
//! (see [`pair_force`]).

mod cohesion;
pub(crate) mod pair_force;
mod state_equation;
pub(crate) mod walls;
mod wcsph;

use serde::{Deserialize, Serialize};

pub use cohesion::Cohesion;
use state_equation::StateEquationSolver;
pub use wcsph::Wcsph;

use crate::density::DensityMethod;
use crate::force::StepContext;
use crate::kernel::Kernel;
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
    /// Attraction as well as repulsion: matter holds together.
    Cohesion(Cohesion),
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
            Pressure::Cohesion(cohesion) => check.group("cohesion", cohesion),
        }
    }
}

impl Pressure {
    /// The stiffness that matter of this squared speed asks for, or the one given [m^2/s^2].
    pub fn stiffness(&self, speed_squared: f64) -> f64 {
        let (given, density_error) = match self {
            Pressure::Wcsph(wcsph) => (wcsph.stiffness, wcsph.density_error),
            Pressure::Cohesion(cohesion) => (cohesion.stiffness, cohesion.density_error),
        };
        given.map_or_else(|| speed_squared / f64::from(density_error), f64::from)
    }

    /// The solver with these parameters, in a world whose densities are found with `kernel`.
    pub(crate) fn solver(&self, kernel: &Kernel) -> Box<dyn PressureSolver> {
        match self {
            Pressure::Wcsph(wcsph) => Box::new(StateEquationSolver::new(wcsph.clone(), kernel)),
            Pressure::Cohesion(cohesion) => Box::new(StateEquationSolver::new(cohesion.clone(), kernel)),
        }
    }
}

/// A pressure solver is a guest in the step: it is asked, in this order, and owns nothing of it.
pub(crate) trait PressureSolver: Send + Sync {
    /// Its name in scene files and diagnoses.
    fn name(&self) -> &'static str;

    /// How densities are found.
    fn density_method(&self) -> DensityMethod {
        DensityMethod::Summation
    }

    /// The kernel of pressure gradients, if it is not that of densities.
    fn gradient_kernel(&self) -> Option<&Kernel> {
        None
    }

    /// Bodies or walls have changed. Fields and paths will add `expected` to the squared speed of matter [m²/s²].
    fn set_up(&mut self, world: &World, expected: f64);

    /// Densities are new: writes the pressures that follow from them, of matter and walls.
    fn update_pressures(&mut self, world: &mut World, pairs: &Pairs);

    /// The speed of sound in matter at rest [m/s], by which artificial friction is measured.
    fn sound_speed(&self) -> Real;

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
