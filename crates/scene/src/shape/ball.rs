//! Balls.

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

impl Sphere {
    pub(super) fn solid(&self, world: &World) -> Box<dyn Solid> {
        Box::new(Ball { centre: world.flat(self.centre), radius: self.radius })
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
