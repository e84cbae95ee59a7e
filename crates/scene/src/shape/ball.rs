//! Balls and ellipsoids.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Solid};
use crate::{Vector, World};

/// A ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Its centre [m].
    pub centre: Vector,
    /// Its radius [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
}

/// An ellipsoid along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ellipsoid {
    /// Its centre [m].
    pub centre: Vector,
    /// Its radius along each axis [m].
    #[schemars(inner(range(min = 1e-9)))]
    pub radii: Vector,
}

impl Sphere {
    pub(super) fn solid(&self, world: &World) -> Box<dyn Solid> {
        Box::new(Ball { centre: world.flat(self.centre), radius: self.radius })
    }
}

impl Ellipsoid {
    pub(super) fn solid(&self, world: &World) -> Box<dyn Solid> {
        Box::new(Egg { centre: world.flat(self.centre), radii: DVec3::from_array(self.radii) })
    }
}

#[derive(Debug)]
struct Ball {
    centre: DVec3,
    radius: f64,
}

impl Solid for Ball {
    fn distance(&self, point: DVec3) -> f64 {
        point.distance(self.centre) - self.radius
    }

    fn bounds(&self) -> Bounds {
        Bounds::around(self.centre, DVec3::splat(self.radius))
    }
}

#[derive(Debug)]
struct Egg {
    centre: DVec3,
    radii: DVec3,
}

impl Solid for Egg {
    /// The nearest point of the surface is `r² p / (t + r²)` along each axis, where t is the largest root of
    ///
    /// ```text
    /// g(t) = Σ (r p / (t + r²))² − 1
    /// ```
    ///
    /// There g falls and is convex, so Newton's method that starts below the root climbs to it and never jumps over.
    fn distance(&self, point: DVec3) -> f64 {
        let size = self.radii.max_element();
        let radii = self.radii / size;
        // A point in a plane of symmetry is as far as one that is hardly beside it, which has one nearest point only.
        let p = ((point - self.centre) / size).abs().max(DVec3::splat(1e-12));
        let squares = radii * radii;
        // Counted from the smallest of the squares, where t may be so near that their difference would be lost.
        let beyond = squares - squares.min_element();
        let mut t = (radii * p - beyond).max_element();
        for _ in 0..MOST_STEPS {
            let share = radii * p / (beyond + t);
            let (value, slope) = (share.length_squared() - 1.0, -2.0 * (share * share / (beyond + t)).element_sum());
            let step = -value / slope;
            t += step;
            if step.abs() <= 1e-15 * t {
                break;
            }
        }
        let nearest = squares * p / (beyond + t);
        let sign = if (p / radii).length_squared() < 1.0 { -1.0 } else { 1.0 };
        sign * nearest.distance(p) * size
    }

    fn bounds(&self) -> Bounds {
        Bounds::around(self.centre, self.radii)
    }
}

/// Newton's method needs about ten steps.
const MOST_STEPS: usize = 60;
