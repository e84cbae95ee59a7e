//! Joints between two bodies, or a body and the world.
//!
//! Each body carries a frame of the joint: an anchor a and an orientation F, the x axis along the joint's own. With
//! p = x + R a, where both frames are is
//!
//! ```text
//! d = p₁ − p₂,        δ: the rotation (as a vector) that turns F₂ into F₁;   of a hinge x₂ × x₁
//!
//! fixed   d = 0, δ = 0                       ball     d = 0
//! hinge   d = 0, δ across the axis = 0       slider   d across the axis = 0, δ = 0
//! ```
//!
//! in axes of F₂. What is left free along the axis, the angle of a hinge or the travel of a slider, may have limits and a
//! motor. Impulses act on both bodies in p₁, so that angular momentum is kept whatever d is.
//!
//! A wall that moves is a body that does not give way: all zero in its `Inertia`, its twist given by whoever moves it.

use std::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::Twist;

/// What is joined, and how; points and axes as they are when the joint is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Definition {
    /// The body whose motion relative to the second is the motion of the joint.
    pub(crate) first: usize,
    /// The other; none: the world, which stands still.
    pub(crate) second: Option<usize>,
    /// Where they are joined [m].
    pub(crate) point: [f64; 3],
    /// What they may still do.
    pub(crate) kind: Kind,
}

/// What two bodies that are joined may still do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nothing: they move as one.
    Fixed,
    /// Turn about the point.
    Ball,
    /// Turn about an axis through the point.
    Hinge(Axis),
    /// Move along an axis.
    Slider(Axis),
}

/// What is free along an axis, or about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its direction; its length does not matter.
    pub direction: [f64; 3],
    /// How far it may go.
    pub limits: Option<Limits>,
    /// What drives it.
    pub motor: Option<Motor>,
}

/// How far a joint may go, from how it is when it is made: angle, counterclockwise about the axis [rad], or travel [m].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The least angle or travel.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

/// What drives a joint: as hard as it must to have its speed, and as it can.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// [rad/s] or [m/s]; zero is a brake.
    pub speed: f64,
    /// The largest torque [N m] or force [N].
    pub most: f64,
}

impl Definition {
    /// What is wrong with it, if anything.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        if self.second == Some(self.first) {
            return Some("it joins a body to itself");
        }
        if !finite(&self.point) {
            return Some("a number is not finite");
        }
        let (Kind::Hinge(axis) | Kind::Slider(axis)) = &self.kind else { return None };
        let limits = axis.limits.map_or([0.0; 2], |limits| [limits.least, limits.most]);
        let motor = axis.motor.map_or([0.0; 2], |motor| [motor.speed, motor.most]);
        if !(finite(&axis.direction) && finite(&limits) && finite(&motor)) {
            return Some("a number is not finite");
        }
        if DVec3::from_array(axis.direction).try_normalize().is_none() {
            return Some("the axis is zero");
        }
        if limits[0] > limits[1] {
            return Some("the least it may go is above the most");
        }
        (motor[1] < 0.0).then_some("the most that its motor can do is negative")
    }
}

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    /// The centre of mass [m].
    pub(crate) centre: DVec3,
    /// From the body's own axes to those of the world.
    pub(crate) orientation: DQuat,
}

impl Pose {
    /// Of the world.
    pub(crate) const WORLD: Self = Self { centre: DVec3::ZERO, orientation: DQuat::IDENTITY };
}

/// A joint, and all that it must remember.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Joint {
    /// As it was made.
    pub(crate) definition: Definition,
    /// Its place and orientation as each body sees it.
    anchors: [[f64; 3]; 2],
    frames: [[f64; 4]; 2],
    /// The angle [rad], which does not start again after a turn, or the travel [m].
    pub(crate) coordinate: f64,
    /// Impulse of the motor and of the limits in the last step [N m s or N s].
    pub(crate) drive: [f64; 2],
}

/// What a joint measures.
pub(crate) struct Geometry {
    /// p₁.
    pub(crate) point: DVec3,
    /// The axes of F₂.
    pub(super) axes: DMat3,
    separation: DVec3,
    rotation: DVec3,
    pub(crate) coordinate: f64,
}

/// One number that a joint keeps at zero: d or δ along one of its axes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Linear(usize),
    Angular(usize),
}

impl Joint {
    /// Joins bodies that are where they are; nothing if the definition has a fault.
    pub(crate) fn new(definition: Definition, poses: &[Pose]) -> Option<Self> {
        if definition.fault().is_some() {
            return None;
        }
        let frame = match &definition.kind {
            Kind::Fixed | Kind::Ball => DQuat::IDENTITY,
            Kind::Hinge(axis) | Kind::Slider(axis) => {
                DQuat::from_rotation_arc(DVec3::X, DVec3::from_array(axis.direction).normalize())
            }
        };
        let point = DVec3::from_array(definition.point);
        let second = definition.second.map_or(Some(&Pose::WORLD), |second| poses.get(second))?;
        let seen = [poses.get(definition.first)?, second].map(|pose| {
            let back = pose.orientation.inverse();
            ((back * (point - pose.centre)).to_array(), (back * frame).to_array())
        });
        let (anchors, frames) = (seen.map(|seen| seen.0), seen.map(|seen| seen.1));
        Some(Self { definition, anchors, frames, coordinate: 0.0, drive: [0.0; 2] })
    }

    /// The axis, if there is one.
    pub(super) fn axis(&self) -> Option<&Axis> {
        match &self.definition.kind {
            Kind::Hinge(axis) | Kind::Slider(axis) => Some(axis),
            Kind::Fixed | Kind::Ball => None,
        }
    }

    /// What it keeps at zero.
    pub(super) fn entries(&self) -> &'static [Entry] {
        use Entry::{Angular, Linear};
        match self.definition.kind {
            Kind::Fixed => &[Linear(0), Linear(1), Linear(2), Angular(0), Angular(1), Angular(2)],
            Kind::Ball => &[Linear(0), Linear(1), Linear(2)],
            Kind::Hinge(_) => &[Linear(0), Linear(1), Linear(2), Angular(1), Angular(2)],
            Kind::Slider(_) => &[Linear(1), Linear(2), Angular(0), Angular(1), Angular(2)],
        }
    }

    /// What is free along the axis.
    pub(super) fn free(&self) -> Entry {
        if matches!(self.definition.kind, Kind::Slider(_)) { Entry::Linear(0) } else { Entry::Angular(0) }
    }

    /// Where both frames are.
    pub(crate) fn geometry(&self, first: &Pose, second: &Pose) -> Geometry {
        let place = |side: usize, pose: &Pose| {
            let point = pose.centre + pose.orientation * DVec3::from_array(self.anchors[side]);
            (point, pose.orientation * DQuat::from_array(self.frames[side]))
        };
        let ((point, frame), (second_point, second_frame)) = (place(0, first), place(1, second));
        let axes = DMat3::from_quat(second_frame.normalize());
        let separation = point - second_point;
        let hinge = matches!(self.definition.kind, Kind::Hinge(_));
        let rotation = if hinge {
            axes.x_axis.cross(frame * DVec3::X)
        } else {
            let between = frame * second_frame.inverse();
            (if between.w < 0.0 { -between } else { between }).to_scaled_axis()
        };
        let coordinate = match self.definition.kind {
            Kind::Hinge(_) => {
                let between = second_frame.inverse() * frame;
                let angle = 2.0 * between.x.atan2(between.w);
                angle + TAU * ((self.coordinate - angle) / TAU).round()
            }
            Kind::Slider(_) => separation.dot(axes.x_axis),
            Kind::Fixed | Kind::Ball => 0.0,
        };
        Geometry { point, axes, separation, rotation, coordinate }
    }
}

impl Geometry {
    /// How fast it moves along or about its axis, if it has one, by how both bodies move in p₁ [m/s or rad/s].
    pub(crate) fn speed(&self, joint: &Joint, first: &Twist, second: &Twist) -> Option<f64> {
        match joint.definition.kind {
            Kind::Fixed | Kind::Ball => None,
            Kind::Hinge(_) => Some(self.axes.x_axis.dot(first.spin - second.spin)),
            Kind::Slider(_) => Some(self.axes.x_axis.dot(first.velocity - second.velocity)),
        }
    }

    /// What should be zero.
    pub(super) fn error(&self, entry: Entry) -> f64 {
        match entry {
            Entry::Linear(axis) => self.axes.col(axis).dot(self.separation),
            Entry::Angular(axis) => self.axes.col(axis).dot(self.rotation),
        }
    }
}
