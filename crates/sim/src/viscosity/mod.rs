//! Inner friction of fluids: one file per method.

mod artificial;
mod central;
mod implicit;
mod laplacian;
mod morris;
mod newtonian;
mod rheology;
mod shear_rate;
mod thixotropy;
pub(crate) mod walls;
mod xsph;

use serde::{Deserialize, Serialize};

pub use artificial::Artificial;
pub use central::Central;
pub use implicit::ImplicitViscosity;
pub(crate) use implicit::ViscousSolve;
pub use laplacian::Laplacian;
pub use morris::Morris;
pub use rheology::{Carreau, HerschelBulkley, Thixotropy};
pub(crate) use thixotropy::ThixotropicStructure;
pub use xsph::Xsph;

use crate::force::Force;
use crate::parameters::{Check, Parameters, parameters};
use crate::real::Real;

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
        /// Newtonian friction that is solved for: for honey and lava, whose thickness does not limit the step.
        Implicit(ImplicitViscosity),
        /// Flows where stress is above a yield stress: gels and pastes, which may thin when stirred and set again. Solved for.
        HerschelBulkley(HerschelBulkley),
        /// Thins the faster it shears: polymers, paint. Solved for.
        Carreau(Carreau),
        /// Friction between particles that approach each other: against shocks and noise.
        Artificial(Artificial),
    }
}

impl Viscosity {
    /// The longest step that it allows fluid of a density in which particles see as far as `support` [s], if that is known
    /// beforehand.
    pub fn longest_step(&self, density: Real, support: Real) -> Option<Real> {
        match self {
            Viscosity::Laplacian(law) => newtonian::longest_step::<Laplacian>(law.dynamic_viscosity / density, support),
            Viscosity::Morris(law) => newtonian::longest_step::<Morris>(law.dynamic_viscosity / density, support),
            Viscosity::Central(law) => newtonian::longest_step::<Central>(law.dynamic_viscosity / density, support),
            Viscosity::None(_) | Viscosity::Xsph(_) | Viscosity::Artificial(_) => None,
            // What is solved for does not limit it.
            Viscosity::Implicit(_) | Viscosity::HerschelBulkley(_) | Viscosity::Carreau(_) => None,
        }
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
