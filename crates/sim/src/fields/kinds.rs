//! What a field can do.
//!
//! ```text
//! uniform    a = given
//! point      a = −s (x − at) / (|x − at|² + ε²)^(3/2)        attracts if s > 0, repels if s < 0
//! vortex     a = α axis × (x − centre)                       spins matter up like a rigid body
//! damping    a = −v / τ                                      brings everything to rest
//! ```

use glam::BVec3;

use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::world::World;

parameters! {
    /// What a field does.
    #[serde(rename_all = "snake_case")]
    pub enum FieldKind {
        /// The same acceleration everywhere.
        Uniform(Uniform),
        /// Attraction to a point, or repulsion from it.
        Point(Point),
        /// An acceleration around an axis, in proportion to the distance from it.
        Vortex(Vortex),
        /// A brake on all motion.
        Damping(Damping),
    }
}

parameters! {
    /// The same acceleration everywhere.
    #[serde(deny_unknown_fields)]
    pub struct Uniform {
        /// The acceleration [m/s^2].
        acceleration: [Real; 3], Limits::FINITE;
    }
}

parameters! {
    /// Attraction to a point that fades with the square of the distance.
    #[serde(deny_unknown_fields)]
    pub struct Point {
        /// The point [m].
        at: [Real; 3], Limits::FINITE;
        /// Acceleration times the square of the distance [m^3/s^2]; negative to repel.
        strength: Real, Limits::FINITE;
        /// Distance below which the pull fades again [m]: it is zero at the point itself.
        softening: Real, Limits::POSITIVE;
    }
}

parameters! {
    /// An acceleration around an axis.
    #[serde(deny_unknown_fields)]
    pub struct Vortex {
        /// A point on the axis [m].
        centre: [Real; 3], Limits::FINITE;
        /// The direction of the axis; its length does not matter.
        #[serde(default = "along_z")]
        axis: [Real; 3], Limits::FINITE;
        /// Angular acceleration, counterclockwise about the axis [rad/s^2].
        angular_acceleration: Real, Limits::FINITE;
    }
}

parameters! {
    /// A brake on all motion.
    #[serde(deny_unknown_fields)]
    pub struct Damping {
        /// Time in which speeds fall to 37 per cent [s].
        relaxation_time: Real, Limits::POSITIVE;
    }
}

fn along_z() -> [Real; 3] {
    [0.0, 0.0, 1.0]
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

    /// The strongest acceleration of matter at rest in a box [m/s²].
    pub(super) fn strongest_between(&self, low: Vec3, high: Vec3) -> f64 {
        let corners = (0..8).map(|k| Vec3::select(BVec3::new(k & 1 > 0, k & 2 > 0, k & 4 > 0), high, low));
        let strongest = match self {
            FieldKind::Uniform(uniform) => Vec3::from_array(uniform.acceleration).length(),
            FieldKind::Point(Point { at, strength, softening }) => {
                let at = Vec3::from_array(*at);
                let nearest = at.clamp(low, high).distance(at);
                let farthest = corners.map(|corner| corner.distance(at)).fold(nearest, Real::max);
                // Nearer than this the pull fades.
                let away = (softening * Real::sqrt(0.5)).clamp(nearest, farthest);
                strength.abs() * away / (away * away + softening * softening).powf(1.5)
            }
            FieldKind::Vortex(Vortex { centre, axis, angular_acceleration }) => {
                let axis = Vec3::from_array(*axis).normalize_or_zero();
                let from_axis = corners.map(|corner| axis.cross(corner - Vec3::from_array(*centre)).length());
                angular_acceleration.abs() * from_axis.fold(0.0, Real::max)
            }
            FieldKind::Damping(_) => 0.0,
        };
        f64::from(strongest)
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
