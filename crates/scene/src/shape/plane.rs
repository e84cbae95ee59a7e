//! Planes: everything on one side.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Solid};
use crate::Vector;

/// Everything behind a plane. It has no end: as a body, intersect it with something that has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point of the plane [m].
    pub point: Vector,
    /// The direction out of the shape; its length does not matter.
    pub normal: Vector,
}

impl Plane {
    /// None if the normal is zero.
    pub(super) fn solid(&self) -> Option<Box<dyn Solid>> {
        let normal = DVec3::from_array(self.normal).try_normalize()?;
        Some(Box::new(HalfSpace { point: DVec3::from_array(self.point), normal }))
    }
}

#[derive(Debug)]
struct HalfSpace {
    point: DVec3,
    normal: DVec3,
}

impl Solid for HalfSpace {
    fn distance(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }

    /// It ends only where it faces along an axis.
    fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EVERYWHERE;
        for axis in 0..3 {
            match self.normal[axis] {
                1.0 => bounds.max[axis] = self.point[axis],
                -1.0 => bounds.min[axis] = self.point[axis],
                _ => {}
            }
        }
        bounds
    }
}
