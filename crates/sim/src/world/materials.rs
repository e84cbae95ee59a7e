//! What bodies are made of.

use crate::elasticity::Elastic;
use crate::parameters::{Limits, parameters};
use crate::real::Real;
use crate::viscosity::Viscosity;

parameters! {
    /// A material, shared by any number of bodies.
    #[serde(deny_unknown_fields)]
    pub struct Material {
        /// Density at rest [kg/m^3]. Water has 1000.
        density: Real = 1000.0, Limits::POSITIVE;
        /// It flows.
        #[serde(default)]
        fluid: Fluid = Fluid::default() => group;
        /// It springs back: a solid, which does not flow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elastic: Option<Elastic> = None => group;
    }
}

parameters! {
    /// How a material flows.
    pub struct Fluid {
        /// Its inner friction.
        viscosity: Viscosity = Viscosity::default() => group;
    }
}
