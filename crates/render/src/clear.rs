//! Clear matter: glass, water, jelly.

use glam::Vec3;

use crate::colour::Colour;

/// What light meets in clear matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clear {
    /// How much slower light is in it than outside: 1.33 for water [-].
    pub index: f32,
    /// What it takes from red, green and blue light along a length [1/m].
    pub absorption: Vec3,
    /// The share of the light that does not go through but comes back from just below the surface [-].
    pub milk: f32,
}

impl Clear {
    /// Water, in a body of that size: as blue as a pool, however small it is.
    pub fn water(size: f32) -> Clear {
        Clear { index: 1.33, absorption: Vec3::new(3.8, 1.15, 0.55) / size.max(f32::MIN_POSITIVE), milk: 0.0 }
    }

    /// Window glass: a trace of green.
    pub fn glass(size: f32) -> Clear {
        Clear { index: 1.52, absorption: Vec3::new(0.5, 0.18, 0.3) / size.max(f32::MIN_POSITIVE), milk: 0.0 }
    }

    /// Jelly of a colour: it scatters much of the light.
    pub fn jelly(colour: Colour, size: f32) -> Clear {
        let absorption = colour.max(Colour::splat(0.02)).map(|share| -4.0 * share.ln()) / size.max(f32::MIN_POSITIVE);
        Clear { index: 1.35, absorption, milk: 0.45 }
    }

    /// What is left of light after a length (Beer and Lambert): exp(-a x).
    pub fn transmittance(&self, length: f32) -> Colour {
        (-self.absorption * length.max(0.0)).map(f32::exp)
    }
}

/// The share of light that an interface reflects (Fresnel, both polarisations alike).
///
/// `cosine` is that of the angle between the ray and the normal, `ratio` the index on the side where the light comes
/// from over that on the other side. With the cosines c1 and c2 of both sides
/// R = (((r c1 - c2) / (r c1 + c2))² + ((r c2 - c1) / (r c2 + c1))²) / 2; all of it beyond the critical angle.
pub fn reflectance(cosine: f32, ratio: f32) -> f32 {
    let cosine = cosine.clamp(0.0, 1.0);
    let sine_squared = ratio * ratio * (1.0 - cosine * cosine);
    if sine_squared >= 1.0 {
        return 1.0;
    }
    let other = (1.0 - sine_squared).sqrt();
    let upright = (ratio * cosine - other) / (ratio * cosine + other);
    let lying = (ratio * other - cosine) / (ratio * other + cosine);
    0.5 * (upright * upright + lying * lying)
}

/// The direction of a ray behind an interface (Snell: the sines are as the indices), if it gets there.
///
/// `normal` points to where the light comes from; both are of length one.
pub fn refract(direction: Vec3, normal: Vec3, ratio: f32) -> Option<Vec3> {
    let cosine = -direction.dot(normal);
    let under = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    (under > 0.0).then(|| (ratio * direction + (ratio * cosine - under.sqrt()) * normal).normalize_or(direction))
}

/// The direction of a ray that an interface sends back.
pub fn reflect(direction: Vec3, normal: Vec3) -> Vec3 {
    direction - 2.0 * direction.dot(normal) * normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_ahead_glass_reflects_four_percent() {
        // ((1.5 - 1) / (1.5 + 1))².
        assert!((reflectance(1.0, 1.0 / 1.5) - 0.04).abs() < 1e-6);
        assert!((reflectance(1.0, 1.5) - 0.04).abs() < 1e-6);
        assert_eq!(reflectance(0.0, 1.0 / 1.5), 1.0);
        assert!(reflectance(0.3, 1.0) < 1e-6);
    }

    #[test]
    fn slanting_light_is_reflected_as_fresnel_says() {
        // 60 degrees onto glass of 1.5: behind it sin = 0.57735, cos = 0.81650; across 0.42043, along -0.04222.
        let across = ((0.5 - 1.5 * 0.816_497) / (0.5 + 1.5 * 0.816_497_f32)).powi(2);
        let along = ((1.5 * 0.5 - 0.816_497) / (1.5 * 0.5 + 0.816_497_f32)).powi(2);
        let found = reflectance(0.5, 1.0 / 1.5);
        assert!((found - 0.5 * (across + along)).abs() < 1e-5 && (found - 0.0892).abs() < 1e-4, "{found}");
        // The same from the other side, at the angle behind the interface.
        assert!((reflectance(0.816_497, 1.5) - found).abs() < 1e-5);
        // At Brewster's angle tan = 1.5 only the part across is reflected.
        let brewster = 1.5_f32.atan().cos();
        let sin = (1.0 - brewster * brewster).sqrt() / 1.5;
        let across =
            ((brewster - 1.5 * (1.0 - sin * sin).sqrt()) / (brewster + 1.5 * (1.0 - sin * sin).sqrt())).powi(2);
        assert!((reflectance(brewster, 1.0 / 1.5) - 0.5 * across).abs() < 1e-6);
    }

    #[test]
    fn sines_are_as_the_indices() {
        for degrees in [0.0_f32, 10.0, 45.0, 80.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let behind = refract(Vec3::new(sin, -cos, 0.0), Vec3::Y, 1.0 / 1.33).unwrap();
            assert!((behind.x - sin / 1.33).abs() < 1e-6 && behind.y < 0.0 && (behind.length() - 1.0).abs() < 1e-6);
        }
        // From water, beyond asin(1/1.33) = 48.75 degrees, nothing gets out.
        let towards = |degrees: f32| {
            refract(Vec3::new(degrees.to_radians().sin(), degrees.to_radians().cos(), 0.0), -Vec3::Y, 1.33)
        };
        assert!(towards(48.6).is_some() && towards(48.9).is_none());
        assert_eq!(reflectance(48.9_f32.to_radians().cos(), 1.33), 1.0);
        assert_eq!(reflect(Vec3::new(0.6, -0.8, 0.0), Vec3::Y), Vec3::new(0.6, 0.8, 0.0));
    }

    #[test]
    fn twice_the_way_leaves_the_square() {
        let clear = Clear { index: 1.0, absorption: Vec3::new(2.0_f32.ln(), 0.0, 1.0), milk: 0.0 };
        assert!((clear.transmittance(1.0) - Vec3::new(0.5, 1.0, (-1.0_f32).exp())).length() < 1e-6);
        assert!((clear.transmittance(2.0) - clear.transmittance(1.0).powf(2.0)).length() < 1e-6);
        assert_eq!(clear.transmittance(-1.0), Colour::ONE);
    }
}
