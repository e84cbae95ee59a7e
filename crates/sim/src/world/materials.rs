//! What bodies are made of.

use crate::elasticity::{Breaks, Elastic, Plastic};
use crate::heat::{Heat, ROOM};
use crate::parameters::{Limits, parameters};
use crate::real::Real;
use crate::tension::Tension;
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
        /// What pulls its surface together, if it flows.
        #[serde(default)]
        tension: Tension = Tension::default() => group;
        /// It springs back: a solid, which does not flow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elastic: Option<Elastic> = None => group;
        /// It keeps a part of what it is deformed by, if it is elastic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plastic: Option<Plastic> = None => group;
        /// It breaks where it is stretched too far, if it is elastic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        breaks: Option<Breaks> = None => group;
        /// It does not deform: a solid that moves as a whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rigid: Option<Rigid> = None => group;
        /// It holds and passes heat, and may melt and freeze. Without, it is an insulator.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heat: Option<Heat> = None => group;
    }
}

impl Material {
    /// Does it always flow? What is never solid does.
    pub fn is_fluid(&self) -> bool {
        self.elastic.is_none() && self.rigid.is_none()
    }

    /// Does it melt?
    pub fn melts(&self) -> bool {
        self.heat.as_ref().is_some_and(|heat| heat.melts.is_some())
    }

    /// May it flow, perhaps when it is hot?
    pub fn can_flow(&self) -> bool {
        self.is_fluid() || self.melts()
    }

    /// Does it flow when it starts at a temperature [degC], that of a room unless given?
    pub fn is_fluid_at(&self, temperature: Option<Real>) -> bool {
        let temperature = f64::from(temperature.unwrap_or(ROOM));
        let is_liquid = |heat: &Heat| {
            let curve = heat.curve();
            heat.melts.is_some() && curve.liquid_share(curve.enthalpy(temperature)) >= 1.0
        };
        self.is_fluid() || self.heat.as_ref().is_some_and(is_liquid)
    }
}

parameters! {
    /// How a rigid body meets walls and other rigid bodies.
    pub struct Rigid {
        /// Friction: the share of the normal force that it bears [-]. Where two meet, the larger counts. Ice has 0.05, steel on
        /// steel 0.5, rubber 1.
        friction: Real = 0.4, Limits::NOT_NEGATIVE;
        /// The speed after a blow over that before [-]; where two meet, the larger counts. Clay has 0, a steel ball 0.9.
        restitution: Real = 0.0, Limits::within(0.0, 1.0);
    }
}

parameters! {
    /// How a material flows.
    pub struct Fluid {
        /// Its inner friction.
        viscosity: Viscosity = Viscosity::default() => group;
    }
}
