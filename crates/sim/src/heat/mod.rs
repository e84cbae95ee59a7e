//! Heat: what it takes to warm matter, how it passes from particle to particle, and what brings it in.
//!
//! The state is the specific enthalpy of every particle; its temperature follows by one curve (`material.rs`). Heat flows
//! between all particles within the support of each other, bonded or not, fluid, elastic or rigid, and from walls that have a
//! temperature (`conduction.rs`). Heaters hold temperatures or give power, and free surfaces lose heat to the surroundings
//! (`heaters.rs`). Steps are stable however long they are (`super_stepping.rs`).
//!
//! In single precision an enthalpy has a remainder, as positions have: what is given away is then exactly what is received, and
//! what comes from outside is booked by where it comes from. The total changes by what is booked to 1e-12.

mod conduction;
mod freezing;
mod heaters;
mod material;
mod outside;
mod parting;
mod phases;
mod process;
mod super_stepping;
#[cfg(test)]
mod tests;

pub use heaters::{Course, Heater, HeaterTarget, Supply, Surroundings};
pub use material::{Curve, Heat};
pub(crate) use process::HeatProcess;

use serde::{Deserialize, Serialize};

use crate::error::SetupError;
use crate::real::Real;
use crate::reduce::{self, Sum};
use crate::simulation::Simulation;
use crate::world::{BodyId, OwnColumn, World};

/// The temperature of what is given none [degC].
pub const ROOM: Real = 20.0;

/// The name of the column of temperatures.
const TEMPERATURE: &str = "temperature";

/// The columns of heat.
fn columns() -> Vec<OwnColumn> {
    vec![
        OwnColumn::new(TEMPERATURE, "degC", ROOM),
        OwnColumn::new("enthalpy", "J/kg", 0.0).for_program(),
        OwnColumn::new("enthalpy_remainder", "J/kg", 0.0).for_program(),
    ]
}

/// Heat that came from outside since the start [J]; in 2D per metre of depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatReceived {
    /// From walls.
    pub walls: f64,
    /// From heaters of regions and bodies.
    pub heaters: f64,
    /// From the surroundings.
    pub surroundings: f64,
    /// From motion that was lost where matter changed its phase.
    pub motion: f64,
    /// With fluid that came in through emitters, less that which went into sinks.
    pub flow: f64,
}

impl HeatReceived {
    /// All of it.
    pub fn sum(&self) -> f64 {
        self.walls + self.heaters + self.surroundings + self.motion + self.flow
    }

    fn scaled(self, factor: f64) -> Self {
        HeatReceived {
            walls: self.walls * factor,
            heaters: self.heaters * factor,
            surroundings: self.surroundings * factor,
            motion: self.motion * factor,
            flow: self.flow * factor,
        }
    }
}

impl Sum for HeatReceived {
    fn plus(self, other: Self) -> Self {
        HeatReceived {
            walls: self.walls + other.walls,
            heaters: self.heaters + other.heaters,
            surroundings: self.surroundings + other.surroundings,
            motion: self.motion + other.motion,
            flow: self.flow + other.flow,
        }
    }
}

/// Heat of a body, or of all matter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeatTotals {
    /// Enthalpy, that of solids at 0 degC being zero [J].
    pub enthalpy: f64,
    /// What it takes to warm it by a degree, apart from melting [J/K].
    pub capacity: f64,
    /// Mean temperature, by heat capacity [degC].
    pub temperature: f64,
    /// The mass of what is liquid, where it melts [kg].
    pub liquid: f64,
}

impl Simulation {
    /// Is there heat in this world? There is if any material has `heat`.
    pub fn has_heat(&self) -> bool {
        self.heat_columns().is_some()
    }

    /// Adds a heater.
    pub fn add_heater(&mut self, heater: Heater) -> Result<(), SetupError> {
        let bad = |fault| Err(SetupError::BadHeater { fault });
        if !self.has_heat() {
            return bad("no material has heat");
        }
        if heater.course().fault().is_some() {
            return bad("its values are not finite, or their times do not increase");
        }
        let is_there = match heater.target {
            HeaterTarget::Region(_) => true,
            HeaterTarget::Wall(id) => self.world.body(id).is_some_and(|body| body.kind.is_wall()),
            HeaterTarget::Body(id) => self.world.body(id).is_some_and(|body| !body.kind.is_wall()),
        };
        if !is_there {
            return bad("there is no such body or wall");
        }
        self.world.heaters.push(heater);
        Ok(())
    }

    /// Gives particles, by index, a temperature [degC].
    pub fn set_temperature(&mut self, particles: impl IntoIterator<Item = usize>, temperature: Real) {
        let Some(first) = self.heat_columns() else { return };
        let (matter, materials) = (self.world.kinds.matter(), &self.world.materials);
        let particles_of = &mut self.world.particles;
        for i in particles.into_iter().filter(|i| matter.contains(i)) {
            let heat = materials[particles_of.material[i] as usize].heat.as_ref();
            let enthalpy = heat.map_or_else(Curve::default, Heat::curve).enthalpy(f64::from(temperature));
            let [high, low] = split(enthalpy);
            particles_of.own[first].values[i] = temperature;
            particles_of.own[first + 1].values[i] = high;
            particles_of.own[first + 2].values[i] = low;
        }
    }

    /// Temperatures of all particles [degC], if there is heat.
    pub fn temperatures(&self) -> Option<&[Real]> {
        Some(&self.world.particles.own[self.heat_columns()?].values)
    }

    /// Heat of a body, or of all matter.
    pub fn heat(&self, body: Option<BodyId>) -> HeatTotals {
        let Some(first) = self.heat_columns() else { return HeatTotals::default() };
        let world = &self.world;
        let own = &world.particles.own;
        let of = |i: usize| {
            if body.is_some_and(|body| world.particles.body[i] != body.slot) {
                return [0.0; 4];
            }
            let curve =
                world.material_at(i).and_then(|material| material.heat.as_ref()).map(Heat::curve).unwrap_or_default();
            let mass = f64::from(world.particles.rest_density[i]) * f64::from(world.particles.rest_volume[i]);
            let enthalpy = f64::from(own[first + 1].values[i]) + f64::from(own[first + 2].values[i]);
            let (capacity, temperature) = (mass * curve.capacity, f64::from(own[first].values[i]));
            [mass * enthalpy, capacity, capacity * temperature, mass * curve.liquid_share(enthalpy)]
        };
        let [enthalpy, capacity, sensible, liquid] = reduce::sum(world.kinds.matter().len(), &mut Vec::new(), of);
        HeatTotals { enthalpy, capacity, temperature: sensible / capacity.max(f64::MIN_POSITIVE), liquid }
    }

    /// Books the heat of particles that come, or with −1 of those that go.
    pub(crate) fn book_heat_of(&mut self, particles: &[usize], sign: f64) {
        let Some(first) = self.heat_columns() else { return };
        let World { particles: all, memory, .. } = &mut self.world;
        let heat_of = |i: usize| {
            let mass = f64::from(all.rest_density[i]) * f64::from(all.rest_volume[i]);
            mass * (f64::from(all.own[first + 1].values[i]) + f64::from(all.own[first + 2].values[i]))
        };
        let heat: f64 = particles.iter().map(|&i| heat_of(i)).sum();
        memory.heat.flow += sign * heat;
    }

    /// Heat that came from outside since the start.
    pub fn heat_received(&self) -> HeatReceived {
        self.world.memory.heat
    }

    /// The first of the columns of heat, if there is heat.
    pub(crate) fn heat_columns(&self) -> Option<usize> {
        let has_heat = self.world.materials.iter().any(|material| material.heat.is_some());
        // Processes of the caller are added later.
        has_heat.then_some(0)
    }
}

/// A number in double precision as one of particle data and its remainder.
fn split(value: f64) -> [Real; 2] {
    let high = value as Real;
    [high, (value - f64::from(high)) as Real]
}
