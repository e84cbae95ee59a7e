//! How bodies move at the start, and walls all the time.

use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Interpolation, Keyframe, Path};

use crate::{Body, Vector, Wall, World};

/// A velocity that depends on the place: `velocity_field.rotation = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum VelocityField {
    /// In proportion to the distance from a point: shear, squeezing, stretching.
    Linear(LinearVelocity),
    /// A rotation about an axis.
    Rotation(RotationVelocity),
}

/// A velocity in proportion to the distance from a point: v = gradient (x - centre).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearVelocity {
    /// How the velocity changes with the place [1/s]: row a, column b holds the change of v_a along b.
    pub gradient: [Vector; 3],
    /// The point where it is zero [m].
    #[serde(default)]
    pub centre: Vector,
}

/// A rotation about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationVelocity {
    /// Angular velocity, counterclockwise about the axis [rad/s].
    pub angular_velocity: f64,
    /// A point on the axis [m].
    #[serde(default)]
    pub centre: Vector,
    /// The direction of the axis; its length does not matter.
    #[serde(default = "along_z")]
    pub axis: Vector,
}

fn along_z() -> Vector {
    [0.0, 0.0, 1.0]
}

impl Body {
    /// The velocity it starts with at a place [m/s]: that of all of it, and that of the field.
    pub(crate) fn velocity_at(&self, world: &World, position: DVec3) -> DVec3 {
        let field = match &self.velocity_field {
            None => DVec3::ZERO,
            Some(VelocityField::Linear(LinearVelocity { gradient, centre })) => {
                let rows = DMat3::from_cols_array_2d(gradient);
                rows.transpose() * (position - world.flat(*centre))
            }
            Some(VelocityField::Rotation(RotationVelocity { angular_velocity, centre, axis })) => {
                let axis = DVec3::from_array(*axis).normalize_or_zero();
                *angular_velocity * axis.cross(position - world.flat(*centre))
            }
        };
        world.flat((DVec3::from_array(self.velocity) + field).to_array())
    }
}

impl Wall {
    /// The path it follows, if it moves.
    pub(crate) fn motion(&self) -> Option<Path> {
        path_along(&self.path, self.interpolation, self.repeat)
    }
}

/// The path along some keyframes, if there are any.
pub(crate) fn path_along(keyframes: &[Keyframe], interpolation: Interpolation, repeat: bool) -> Option<Path> {
    (!keyframes.is_empty()).then(|| Path { keyframes: keyframes.to_vec(), interpolation, repeat })
}
