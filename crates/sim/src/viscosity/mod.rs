//! Inner friction of fluids: one file per method.

mod laplacian;
mod xsph;

use serde::{Deserialize, Serialize};

pub use laplacian::Laplacian;
pub use xsph::Xsph;

use crate::force::Force;
use crate::parameters::{Check, Parameters};

/// The viscosity of a fluid: `viscosity.xsph = { strength = 0.02 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Viscosity {
    /// No friction at all.
    None(Frictionless),
    /// Velocities drawn towards those of the neighbourhood: cheap, not physical.
    Xsph(Xsph),
    /// Newtonian friction by the Laplacian of the velocity.
    Laplacian(Laplacian),
}

impl Default for Viscosity {
    fn default() -> Self {
        Viscosity::Xsph(Xsph::default())
    }
}

impl Parameters for Viscosity {
    fn check(&self, check: &mut Check) {
        match self {
            Viscosity::None(Frictionless {}) => {}
            Viscosity::Xsph(xsph) => check.group("xsph", xsph),
            Viscosity::Laplacian(laplacian) => check.group("laplacian", laplacian),
        }
    }
}

/// No friction has no parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Frictionless {}

/// All viscous forces; each acts on the fluids that ask for it.
pub(crate) fn forces() -> Vec<Box<dyn Force>> {
    vec![Box::new(xsph::XsphForce::default()), Box::new(laplacian::LaplacianForce::default())]
}
