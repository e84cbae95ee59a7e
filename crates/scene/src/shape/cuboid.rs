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
}

impl BoxShape {
    pub(super) fn solid(&self, world: &World) -> Box<dyn Solid> {
        let (min, max) = (DVec3::from_array(self.min), DVec3::from_array(self.max));
        // In 2D it has no faces across z.
        let (min, max) = match world.dimension {
            2 => (min.with_z(f64::NEG_INFINITY), max.with_z(f64::INFINITY)),
            _ => (min, max),
        };
        Box::new(Cuboid { faces: Bounds { min, max } })
    }
}

#[derive(Debug)]
struct Cuboid {
    faces: Bounds,
}

impl Solid for Cuboid {
    fn distance(&self, point: DVec3) -> f64 {
        self.faces.distance(point)
    }

    fn bounds(&self) -> Bounds {
        self.faces
    }
}
