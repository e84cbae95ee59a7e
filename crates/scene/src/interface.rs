//! What acts where fluids meet each other and walls, as a scene file says it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What acts where two fluids meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// The names of their materials.
    pub between: [String; 2],
    /// Tension between them [N/m]. Oil and water have 0.05.
    #[schemars(range(min = 0.0))]
    pub tension: f64,
}

/// How a fluid wets a wall.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wetting {
    /// Angle at which the surface of the fluid meets the wall, measured in the fluid [degrees]: that of the material unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 180.0))]
    pub contact_angle: Option<f64>,
    /// Adhesion of Akinci 2013, β [m^3/kg s^2]: that of the material unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub adhesion: Option<f64>,
}
