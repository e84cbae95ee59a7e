//! What a field can do.
//!
//! ```text
//! uniform    a = given
//! point      a = −s (x − at) / (|x − at|² + ε²)^(3/2)        attracts if s > 0, repels if s < 0
//! vortex     a = α axis × (x − centre)                       spins matter up like a rigid body
//! damping    a = −v / τ                                      brings everything to rest
//! ```

use serde::{Deserialize, Serialize};

use crate::parameters::{Check, Limits, Parameters};
use crate::real::{Real, Vec3};
use crate::world::World;

/// What a field does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// The same acceleration everywhere.
    Uniform(Uniform),
    /// Attraction to a point, or repulsion from it.
    Point(Point),
    /// A push around an axis, in proportion to the distance from it.
    Vortex(Vortex),
    /// A brake on all motion.
    Damping(Damping),
}

/// The same acceleration everywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    /// The acceleration [m/s^2].
    pub acceleration: [Real; 3],
}

/// Attraction to a point that fades with the square of the distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Point>))]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The point [m].
    pub at: [Real; 3],
    /// Acceleration times the square of the distance [m^3/s^2]; negative to repel.
    pub strength: Real,
    /// Distance below which the pull fades again [m]: it is zero at the point itself.
    pub softening: Real,
}

impl Default for Point {
    fn default() -> Self {
        Point { at: [0.0; 3], strength: 1.0, softening: 0.1 }
    }
}

/// A push around an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vortex {
    /// A point on the axis [m].
    pub centre: [Real; 3],
    /// The direction of the axis; its length does not matter.
    #[serde(default = "along_z")]
    pub axis: [Real; 3],
    /// Angular acceleration, counterclockwise about the axis [rad/s^2].
    pub angular_acceleration: Real,
}

/// A brake on all motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Damping>))]
#[serde(deny_unknown_fields)]
pub struct Damping {
    /// Time in which speeds fall to 37 per cent [s].
    pub relaxation_time: Real,
}

impl Default for Damping {
    fn default() -> Self {
        Damping { relaxation_time: 1.0 }
    }
}

fn along_z() -> [Real; 3] {
    [0.0, 0.0, 1.0]
}

impl Parameters for FieldKind {
    fn check(&self, check: &mut Check) {
        match self {
            FieldKind::Uniform(uniform) => check.group("uniform", uniform),
            FieldKind::Point(point) => check.group("point", point),
            FieldKind::Vortex(vortex) => check.group("vortex", vortex),
            FieldKind::Damping(damping) => check.group("damping", damping),
        }
    }
}

impl Parameters for Uniform {
    fn check(&self, check: &mut Check) {
        check.vector("acceleration", self.acceleration);
    }
}

impl Parameters for Point {
    fn check(&self, check: &mut Check) {
        check.vector("at", self.at);
        check.number("strength", self.strength, Limits::FINITE);
        check.number("softening", self.softening, Limits::POSITIVE);
    }
}

impl Parameters for Vortex {
    fn check(&self, check: &mut Check) {
        check.vector("centre", self.centre);
        check.vector("axis", self.axis);
        check.number("angular_acceleration", self.angular_acceleration, Limits::FINITE);
    }
}

impl Parameters for Damping {
    fn check(&self, check: &mut Check) {
        check.number("relaxation_time", self.relaxation_time, Limits::POSITIVE);
    }
}

impl FieldKind {
    /// The acceleration of a particle [m/s²].
    pub(super) fn acceleration(&self, world: &World, position: Vec3, velocity: Vec3) -> Vec3 {
        let from = |point: [Real; 3]| {
            let point = world.dimension.flatten(Vec3::from_array(point));
            world.domain.shortest(position - point)
        };
        match self {
            FieldKind::Uniform(uniform) => Vec3::from_array(uniform.acceleration),
            FieldKind::Point(Point { at, strength, softening }) => {
                let away = from(*at);
                let squared = away.length_squared() + softening * softening;
                away * (-strength / (squared * squared.sqrt()))
            }
            FieldKind::Vortex(Vortex { centre, axis, angular_acceleration }) => {
                let axis = Vec3::from_array(*axis).normalize_or_zero();
                axis.cross(from(*centre)) * *angular_acceleration
            }
            FieldKind::Damping(Damping { relaxation_time }) => velocity / -relaxation_time,
        }
    }

    /// Square of the speed gained by falling into it from far away [m²/s²]; infinite if there is no end to it.
    pub(super) fn deepest_fall(&self) -> f64 {
        match self {
            FieldKind::Point(point) => 2.0 * f64::from(point.strength.abs()) / f64::from(point.softening),
            _ => f64::INFINITY,
        }
    }

    /// The longest step for which it is stable [s].
    pub(super) fn longest_step(&self) -> Option<Real> {
        match self {
            FieldKind::Damping(damping) => Some(0.5 * damping.relaxation_time),
            _ => None,
        }
    }
}
