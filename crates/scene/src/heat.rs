//! Heaters, as a scene file says them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Course, Region, Supply};

/// Something that holds a temperature or gives power: in a region, at a wall or in a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heater {
    /// The wall whose surface it heats. A wall that nothing heats, and that has no `temperature`, is insulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<String>,
    /// The body that it heats, instead of a wall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The piece of space in which it heats matter, instead of a wall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The temperature that it holds [degC].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The power that it gives [W], instead of a temperature; it cools if that is negative. In 2D per metre of depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<f64>,
    /// Temperatures [degC] that it holds one after another, instead of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub temperatures: Vec<Moment>,
    /// Powers [W] that it gives one after another, instead of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub powers: Vec<Moment>,
    /// When it begins [s].
    #[serde(default)]
    pub from: f64,
    /// When it ends [s]; never unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// A value at a time: linear in between, constant before the first and after the last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The time [s].
    pub time: f64,
    /// The temperature [degC] or power [W] then.
    pub value: f64,
}

impl Heater {
    /// What it does, if that is one thing.
    pub(crate) fn supply(&self) -> Option<Supply> {
        let course = |moments: &[Moment]| {
            (!moments.is_empty())
                .then(|| Course { points: moments.iter().map(|moment| [moment.time, moment.value]).collect() })
        };
        let supplies = [
            self.temperature.map(|value| Supply::Temperature(Course::constant(value))),
            self.power.map(|value| Supply::Power(Course::constant(value))),
            course(&self.temperatures).map(Supply::Temperature),
            course(&self.powers).map(Supply::Power),
        ];
        let mut given = supplies.into_iter().flatten();
        given.next().filter(|_| given.next().is_none())
    }
}
