//! Sun, sky and ground: what lights a picture and what is behind it.

use glam::Vec3;

use crate::colour::Colour;
use crate::ray::Ray;

/// Sun and sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// What is up.
    pub up: Vec3,
    /// Towards the sun; of length one.
    pub sun: Vec3,
    /// What a surface that faces the sun gets from it.
    pub sunlight: Colour,
    /// How large the sun looks, as the tangent of its radius: soft shadows.
    pub sun_size: f32,
    /// The sky overhead.
    pub zenith: Colour,
    /// The sky above the horizon, and everything below it.
    pub horizon: Colour,
}

impl Light {
    /// A studio in daylight: the sun stands behind the left shoulder of a camera that looks along `view`.
    pub fn studio(view: Vec3, up: Vec3) -> Light {
        let up = up.normalize_or(Vec3::Y);
        let forward = view.normalize_or(-Vec3::Z);
        let level = (forward - up * forward.dot(up)).try_normalize().unwrap_or_else(|| up.any_orthonormal_vector());
        let left = up.cross(level);
        let sun = (1.1 * up - 0.55 * level + 0.75 * left).normalize_or(up);
        Light {
            up,
            sun,
            sunlight: Colour::new(1.20, 1.14, 1.06),
            sun_size: 0.05,
            zenith: Colour::new(0.68, 0.76, 0.86),
            horizon: Colour::new(0.98, 1.0, 1.02),
        }
    }

    /// The sky in a direction, without the sun.
    pub(crate) fn sky(&self, direction: Vec3) -> Colour {
        let height = direction.dot(self.up).clamp(0.0, 1.0);
        self.horizon.lerp(self.zenith, height.sqrt())
    }

    /// The sky as a mirror shows it: with a soft sun.
    pub(crate) fn mirrored_sky(&self, direction: Vec3) -> Colour {
        let towards = direction.dot(self.sun).max(0.0);
        self.sky(direction) + self.sunlight * (4.0 * towards.powi(400) + 0.3 * towards.powi(24))
    }
}

/// A plane that things stand on, or hang in front of. It fades into the horizon far from them unless it is endless.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// A point of it.
    pub point: Vec3,
    /// Its upper side; of length one.
    pub normal: Vec3,
    /// Its colour.
    pub colour: Colour,
    /// It never fades.
    pub is_endless: bool,
}

impl Ground {
    /// Where a ray meets its upper side, before `limit`.
    pub(crate) fn distance(&self, ray: &Ray, limit: f32) -> Option<f32> {
        let falling = -ray.direction.dot(self.normal);
        let height = (ray.origin - self.point).dot(self.normal);
        let distance = height / falling;
        (falling > 0.0 && height > 0.0 && distance < limit).then_some(distance)
    }

    /// How much of it is left at a distance from the middle of things that are `size` large.
    pub(crate) fn presence(&self, distance: f32, size: f32) -> f32 {
        if self.is_endless {
            return 1.0;
        }
        let share = ((distance / size.max(f32::MIN_POSITIVE) - 0.9) / 2.6).clamp(0.0, 1.0);
        1.0 - share * share * (3.0 - 2.0 * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_is_met_from_above_only() {
        let ground = Ground { point: Vec3::Y, normal: Vec3::Y, colour: Colour::ONE, is_endless: false };
        let slanted = Vec3::new(0.6, -0.8, 0.0);
        assert_eq!(ground.distance(&Ray::new(Vec3::new(0.0, 5.0, 0.0), slanted), 9.0), Some(5.0));
        assert_eq!(ground.distance(&Ray::new(Vec3::new(0.0, 5.0, 0.0), slanted), 4.9), None);
        assert_eq!(ground.distance(&Ray::new(Vec3::new(0.0, 5.0, 0.0), -slanted), 9.0), None);
        assert_eq!(ground.distance(&Ray::new(Vec3::ZERO, slanted), 9.0), None);
        assert_eq!((ground.presence(0.5, 1.0), ground.presence(9.0, 1.0)), (1.0, 0.0));
        assert_eq!(Ground { is_endless: true, ..ground }.presence(9.0, 1.0), 1.0);
    }

    #[test]
    fn sun_stands_above_and_in_front_of_what_is_seen() {
        for (view, up) in [(-Vec3::Z, Vec3::Y), (Vec3::new(1.0, 0.3, -0.5), Vec3::Z), (-Vec3::Y, Vec3::Y)] {
            let light = Light::studio(view, up);
            assert!((light.sun.length() - 1.0).abs() < 1e-5 && light.sun.dot(up) > 0.5);
            assert!(light.sun.dot(view) < 0.0);
        }
    }
}
