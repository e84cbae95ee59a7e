//! Shapes that are round about an axis: cylinders, capsules, cones, tori.
//!
//! Each is what a flat figure sweeps when it turns about the axis; distances are those of that figure, at the place of
//! the point along the axis and across it.

use glam::{DVec2, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Solid};
use crate::Vector;

/// A cylinder with flat ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// The middle of one end [m].
    pub from: Vector,
    /// The middle of the other end [m].
    pub to: Vector,
    /// Its radius [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
}

/// A cylinder with round ends: everything near a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Where the line begins [m].
    pub from: Vector,
    /// Where the line ends [m].
    pub to: Vector,
    /// Its radius [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
}

/// A cone with flat ends, or with a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cone {
    /// The middle of its base [m].
    pub from: Vector,
    /// The middle of its other end, or its point [m].
    pub to: Vector,
    /// Radius of its base [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
    /// Radius of its other end [m]; it has a point without.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub end_radius: f64,
}

/// A ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torus {
    /// Its centre [m].
    pub centre: Vector,
    /// The axis about which it is round; its length does not matter.
    #[serde(default = "upwards")]
    pub axis: Vector,
    /// From the centre to the middle of the tube [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
    /// Radius of the tube [m], less than `radius`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub tube_radius: f64,
}

fn upwards() -> Vector {
    [0.0, 1.0, 0.0]
}

impl Cylinder {
    /// None if its ends coincide.
    pub(super) fn solid(&self) -> Option<Box<dyn Solid>> {
        let axis = Axis::between(self.from, self.to)?;
        Some(Box::new(Trunk { axis, radii: [self.radius; 2] }))
    }
}

impl Capsule {
    /// None if its ends coincide.
    pub(super) fn solid(&self) -> Option<Box<dyn Solid>> {
        let axis = Axis::between(self.from, self.to)?;
        Some(Box::new(Sausage { axis, radius: self.radius }))
    }
}

impl Cone {
    /// None if its ends coincide.
    pub(super) fn solid(&self) -> Option<Box<dyn Solid>> {
        let axis = Axis::between(self.from, self.to)?;
        Some(Box::new(Trunk { axis, radii: [self.radius, self.end_radius] }))
    }
}

impl Torus {
    /// None if its axis is zero.
    pub(super) fn solid(&self) -> Option<Box<dyn Solid>> {
        let along = DVec3::from_array(self.axis).try_normalize()?;
        let axis = Axis { from: DVec3::from_array(self.centre), along, length: 0.0 };
        Some(Box::new(Ring { axis, radius: self.radius, tube_radius: self.tube_radius }))
    }
}

/// A piece of a line.
#[derive(Clone, Copy, Debug)]
struct Axis {
    from: DVec3,
    along: DVec3,
    length: f64,
}

impl Axis {
    fn between(from: Vector, to: Vector) -> Option<Axis> {
        let (from, to) = (DVec3::from_array(from), DVec3::from_array(to));
        let along = (to - from).try_normalize()?;
        Some(Axis { from, along, length: from.distance(to) })
    }

    /// Place of a point along the axis and across it [m].
    fn place(&self, point: DVec3) -> DVec2 {
        let offset = point - self.from;
        let along = offset.dot(self.along);
        DVec2::new(along, (offset - along * self.along).length())
    }

    /// Around discs across the axis, one at each end.
    fn bounds(&self, radii: [f64; 2]) -> Bounds {
        let across = (DVec3::ONE - self.along * self.along).max(DVec3::ZERO).map(f64::sqrt);
        let end = self.from + self.length * self.along;
        Bounds::around(self.from, across * radii[0]).joined(Bounds::around(end, across * radii[1]))
    }
}

/// A cylinder, or a cone with or without its point.
#[derive(Debug)]
struct Trunk {
    axis: Axis,
    radii: [f64; 2],
}

impl Solid for Trunk {
    fn distance(&self, point: DVec3) -> f64 {
        let place = self.axis.place(point);
        let length = self.axis.length;
        let [base, end] = self.radii;
        let corners = [DVec2::ZERO, DVec2::new(0.0, base), DVec2::new(length, end), DVec2::new(length, 0.0)];
        let to_edge = |k: usize| distance_to_segment(place, corners[k], corners[k + 1]);
        let nearest = (0..3).map(to_edge).fold(f64::INFINITY, f64::min);
        let is_inside = (0.0..=length).contains(&place.x) && place.y <= base + (end - base) * place.x / length;
        if is_inside { -nearest } else { nearest }
    }

    fn bounds(&self) -> Bounds {
        self.axis.bounds(self.radii)
    }
}

fn distance_to_segment(point: DVec2, from: DVec2, to: DVec2) -> f64 {
    let way = to - from;
    let share = ((point - from).dot(way) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    point.distance(from + share * way)
}

/// Everything near a piece of a line.
#[derive(Debug)]
struct Sausage {
    axis: Axis,
    radius: f64,
}

impl Solid for Sausage {
    fn distance(&self, point: DVec3) -> f64 {
        let place = self.axis.place(point);
        place.distance(DVec2::new(place.x.clamp(0.0, self.axis.length), 0.0)) - self.radius
    }

    fn bounds(&self) -> Bounds {
        self.axis.bounds([0.0; 2]).grown(self.radius)
    }
}

/// Everything near a circle.
#[derive(Debug)]
struct Ring {
    axis: Axis,
    radius: f64,
    tube_radius: f64,
}

impl Solid for Ring {
    fn distance(&self, point: DVec3) -> f64 {
        self.axis.place(point).distance(DVec2::new(0.0, self.radius)) - self.tube_radius
    }

    fn bounds(&self) -> Bounds {
        self.axis.bounds([self.radius; 2]).grown(self.tube_radius)
    }
}
