//! What bodies are made of.

use serde::{Deserialize, Serialize};

use crate::elasticity::Elastic;
use crate::parameters::{Check, Limits, Parameters};
use crate::real::Real;
use crate::viscosity::Viscosity;

/// A material, shared by any number of bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Material>))]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Density at rest [kg/m^3]. Water has 1000.
    pub density: Real,
    /// It flows.
    #[serde(default)]
    pub fluid: Fluid,
    /// It springs back: a solid, which does not flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elastic: Option<Elastic>,
}

impl Default for Material {
    fn default() -> Self {
        Material { density: 1000.0, fluid: Fluid::default(), elastic: None }
    }
}

impl Parameters for Material {
    fn check(&self, check: &mut Check) {
        check.number("density", self.density, Limits::POSITIVE);
        check.group("fluid", &self.fluid);
        if let Some(elastic) = &self.elastic {
            check.group("elastic", elastic);
        }
    }
}

/// How a material flows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Fluid {
    /// Its inner friction.
    pub viscosity: Viscosity,
}

impl Parameters for Fluid {
    fn check(&self, check: &mut Check) {
        check.group("viscosity", &self.viscosity);
    }
}
