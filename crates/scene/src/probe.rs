//! Probes, as a scene file says them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Vector;

/// A probe: a name and what is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Probe {
    /// Its name, the beginning of its columns in `probes.csv`; no two probes share one.
    pub name: String,
    /// What it measures.
    #[serde(flatten)]
    pub measure: Measure,
}

/// What a probe measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Pressure at a point [Pa].
    Pressure(PressureProbe),
    /// How far matter has come along a direction [m].
    Front(FrontProbe),
    /// Temperature at a point [degC].
    Temperature(PressureProbe),
    /// Heat of matter: its enthalpy, that of solids at 0 degC being zero [J], its mean temperature [degC], how much of it is liquid
    /// [kg], and what all matter has received from outside [J].
    Heat(TotalProbe),
    /// Mean position of the particles that start in a region of a body [m].
    Position(PositionProbe),
    /// Kinetic energy, energy of height, of compression, of elastic deformation [J].
    Energy(TotalProbe),
    /// Momentum [kg m/s] and angular momentum about the origin [kg m^2/s].
    Momentum(TotalProbe),
    /// Of a rigid body: its centre of mass [m], its turn since the start as a unit quaternion [-], its velocity [m/s] and its spin
    /// [rad/s].
    Motion(MotionProbe),
    /// Of a hinge: its angle since the start [rad] and its spin [rad/s]. Of a slider: its travel since the start [m] and its
    /// speed [m/s].
    Joint(JointProbe),
    /// What a body or wall receives: force and torque about the origin in the last step [N, N m], and all since the start
    /// [N s, N m s]. Of a body that is what its momentum changes by, its weight included; of a wall all that matter loses to it.
    Force(ForceProbe),
}

/// Where pressure or temperature is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressureProbe {
    /// The point [m].
    pub at: Vector,
    /// How far around the point is averaged [m]; at least as far as a particle sees.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
}

/// Whose front is measured, and which way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrontProbe {
    /// The direction; its length does not matter.
    pub direction: Vector,
    /// The body; all of them unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// Which part of a body is followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionProbe {
    /// The body.
    pub body: String,
    /// Lowest corner of the region [m]; no limit unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Vector>,
    /// Highest corner of the region [m]; no limit unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Vector>,
}

/// Whose total is measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TotalProbe {
    /// The body; all of them unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// Whose motion is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionProbe {
    /// The rigid body.
    pub body: String,
}

/// Which joint is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointProbe {
    /// The name of a hinge or slider.
    pub name: String,
}

/// On what the force is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceProbe {
    /// The name of a body or wall.
    pub on: String,
}
