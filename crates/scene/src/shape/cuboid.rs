//! Boxes.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Solid};
use crate::{Vector, World};

/// A box along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Its lowest corner [m].
    pub min: Vector,
    /// Its highest corner [m].
    pub max: Vector,
    /// Radius of its edges and corners [m]; sharp without.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0))]
    pub rounding: f64,
}

impl BoxShape {
    pub(super) fn solid(&self, world: &World) -> Box<dyn Solid> {
        let (min, max) = (DVec3::from_array(self.min), DVec3::from_array(self.max));
        // In 2D it has no faces across z.
        let (min, max) = match world.dimension {
            2 => (min.with_z(f64::NEG_INFINITY), max.with_z(f64::INFINITY)),
            _ => (min, max),
        };
        Box::new(Cuboid { core: Bounds { min, max }.grown(-self.rounding), rounding: self.rounding })
    }
}

/// Everything that is as near as `rounding` to a box.
#[derive(Debug)]
struct Cuboid {
    core: Bounds,
    rounding: f64,
}

impl Solid for Cuboid {
    fn distance(&self, point: DVec3) -> f64 {
        self.core.distance(point) - self.rounding
    }

    fn bounds(&self) -> Bounds {
        self.core.grown(self.rounding)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
