//! Shapes that are moved, turned, scaled and repeated.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Shape, Solid};
use crate::Vector;

/// A shape that is scaled, then turned about the origin, then moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// The shape.
    pub shape: Box<Shape>,
    /// How many times larger it becomes [-].
    #[serde(default = "one")]
    #[schemars(range(min = 1e-6, max = 1e6))]
    pub scale: f64,
    /// How many times longer it becomes along each axis, before it is turned [-]; negative numbers mirror it. Distances
    /// become low estimates, so walls of stretched shapes are less even than others.
    #[serde(default = "ones")]
    pub stretch: Vector,
    /// How it is turned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Turn>,
    /// How far it is moved [m].
    #[serde(default)]
    pub translation: Vector,
}

/// A rotation about an axis through the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The angle, counterclockwise about the axis [rad].
    pub angle: f64,
    /// The direction of the axis; its length does not matter.
    #[serde(default = "along_z")]
    pub axis: Vector,
}

fn one() -> f64 {
    1.0
}

fn ones() -> Vector {
    [1.0; 3]
}

fn along_z() -> Vector {
    [0.0, 0.0, 1.0]
}

impl Turn {
    /// None if the axis is zero.
    pub(crate) fn rotation(&self) -> Option<DQuat> {
        let axis = DVec3::from_array(self.axis).try_normalize()?;
        Some(DQuat::from_axis_angle(axis, self.angle))
    }
}

/// A solid at another place, turned and scaled.
#[derive(Debug)]
pub(super) struct Placed {
    solid: Arc<dyn Solid>,
    /// Where its origin went.
    origin: DVec3,
    /// From directions of the world to those of the solid.
    inwards: DMat3,
    /// How much longer the shortest of its lengths became.
    scale: f64,
    bounds: Bounds,
}

impl Placed {
    /// `stretch` must not be zero along any axis.
    pub(super) fn new(solid: Arc<dyn Solid>, stretch: DVec3, rotation: DQuat, origin: DVec3) -> Placed {
        let turn = DMat3::from_quat(rotation);
        let outwards = turn * DMat3::from_diagonal(stretch);
        let inwards = DMat3::from_diagonal(stretch.recip()) * turn.transpose();
        let bounds = turned(solid.bounds(), outwards, origin);
        Placed { solid, origin, inwards, scale: stretch.abs().min_element(), bounds }
    }

    /// Only moved.
    pub(super) fn moved(solid: Arc<dyn Solid>, origin: DVec3) -> Placed {
        Placed::new(solid, DVec3::ONE, DQuat::IDENTITY, origin)
    }
}

impl Solid for Placed {
    fn distance(&self, point: DVec3) -> f64 {
        self.scale * self.solid.distance(self.inwards * (point - self.origin))
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }
}

/// A box around a box that is turned and stretched. Each coordinate is a sum of three, which reach from one number to
/// another.
fn turned(bounds: Bounds, outwards: DMat3, origin: DVec3) -> Bounds {
    if bounds.is_empty() {
        return Bounds::EMPTY;
    }
    let mut turned = Bounds { min: origin, max: origin };
    for axis in 0..3 {
        let column = outwards.col(axis);
        for row in 0..3 {
            // Nothing of something infinite is nothing; rounding makes a quarter turn not quite one.
            let factor = if column[row].abs() < 1e-12 * column.length() { 0.0 } else { column[row] };
            if factor != 0.0 {
                let (a, b) = (factor * bounds.min[axis], factor * bounds.max[axis]);
                turned.min[row] += a.min(b);
                turned.max[row] += a.max(b);
            }
        }
    }
    turned
}
