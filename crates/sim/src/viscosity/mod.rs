//! Inner friction of fluids: one file per method.

mod artificial;
mod central;
mod laplacian;
mod morris;
mod newtonian;
mod walls;
mod xsph;

use serde::{Deserialize, Serialize};

pub use artificial::Artificial;
pub use central::Central;
pub use laplacian::Laplacian;
pub use morris::Morris;
pub use xsph::Xsph;

use crate::force::Force;
use crate::parameters::{Check, Parameters, parameters};

parameters! {
    /// The viscosity of a fluid: `viscosity.xsph = { strength = 0.02 }`.
    pub enum Viscosity = Xsph {
        /// No friction at all.
        None(Frictionless),
        /// Velocities drawn towards those of the neighbourhood: cheap, not physical.
        Xsph(Xsph),
        /// Newtonian friction by the Laplacian of the viscosity kernel.
        Laplacian(Laplacian),
        /// Newtonian friction in the form of Morris: right for flow between walls.
        Morris(Morris),
        /// Newtonian friction along the line between particles: right at free surfaces, and brakes no rotation.
        Central(Central),
        /// Friction between particles that approach each other: against shocks and noise.
        Artificial(Artificial),
    }
}

/// No friction has no parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Frictionless {}

impl Parameters for Frictionless {
    fn check(&self, _check: &mut Check) {}
}

/// All viscous forces; each acts on the fluids that ask for it.
pub(crate) fn forces() -> Vec<Box<dyn Force>> {
    vec![
        Box::new(xsph::XsphForce::default()),
        Box::new(newtonian::NewtonianForce::<Laplacian>::default()),
        Box::new(newtonian::NewtonianForce::<Morris>::default()),
        Box::new(newtonian::NewtonianForce::<Central>::default()),
        Box::new(artificial::ArtificialForce::default()),
    ]
}
