//! Joints between rigid bodies, walls and the world, as a scene file says them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Axis, JointKind as Kind, JointLimits, Motor};

use crate::{Description, Vector, World};

/// What joins a rigid body to another, to a wall or to the world, as they are at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Joint {
    /// Its name; no two joints share one.
    pub name: String,
    /// A rigid body, whose motion relative to the second is that of the joint, and another or a wall; the world without a
    /// second.
    #[schemars(length(min = 1, max = 2))]
    pub between: Vec<String>,
    /// What they may still do.
    #[serde(flatten)]
    pub kind: JointKind,
    /// They touch each other as if they were not joined. Otherwise nothing keeps them apart, and they may overlap, as an axle
    /// and its hub do.
    #[serde(default)]
    pub contact: bool,
}

/// What two bodies that are joined may still do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// Nothing: they move as one.
    Fixed(Pivot),
    /// Turn about a point.
    Ball(Pivot),
    /// Turn about an axis.
    Hinge(Hinge),
    /// Move along an axis, without a turn.
    Slider(Slider),
}

/// Where bodies are joined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pivot {
    /// The point [m].
    pub at: Vector,
}

/// What turns about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hinge {
    /// A point on the axis [m].
    pub at: Vector,
    /// The direction of the axis; its length does not matter. In 2D it is along z, and may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// The least and the greatest angle from how it starts, counterclockwise about the axis [rad]; none unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// What drives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<HingeMotor>,
}

/// What turns a hinge: as hard as it must, and as it can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HingeMotor {
    /// How fast it turns [rad/s]; zero is a brake.
    pub speed: f64,
    /// The greatest torque [N m].
    #[schemars(range(min = 0.0))]
    pub torque: f64,
}

/// What moves along an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slider {
    /// A point on the axis [m].
    pub at: Vector,
    /// The direction of the axis; its length does not matter.
    pub axis: Vector,
    /// The least and the greatest way from where it starts, along the axis [m]; none unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// What drives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<SliderMotor>,
}

/// What moves a slider: as hard as it must, and as it can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliderMotor {
    /// How fast it moves [m/s]; zero is a brake.
    pub speed: f64,
    /// The greatest force [N].
    #[schemars(range(min = 0.0))]
    pub force: f64,
}

impl Joint {
    /// Where it is [m].
    pub(crate) fn point(&self, world: &World) -> [f64; 3] {
        let (JointKind::Fixed(Pivot { at })
        | JointKind::Ball(Pivot { at })
        | JointKind::Hinge(Hinge { at, .. })
        | JointKind::Slider(Slider { at, .. })) = &self.kind;
        world.flat(*at).to_array()
    }

    /// Does it let these two pass through each other?
    fn parts(&self, a: &str, b: &str) -> bool {
        let is_between = |name: &str| self.between.iter().any(|other| other == name);
        !self.contact && a != b && is_between(a) && is_between(b)
    }
}

impl JointKind {
    /// How far it may go.
    pub(crate) fn limits(&self) -> Option<[f64; 2]> {
        match self {
            JointKind::Fixed(_) | JointKind::Ball(_) => None,
            JointKind::Hinge(hinge) => hinge.limits,
            JointKind::Slider(slider) => slider.limits,
        }
    }

    /// As the simulation knows it.
    pub(crate) fn kind(&self, world: &World) -> Kind {
        let limits = self.limits().map(|[least, most]| JointLimits { least, most });
        match self {
            JointKind::Fixed(_) => Kind::Fixed,
            JointKind::Ball(_) => Kind::Ball,
            JointKind::Hinge(Hinge { axis, motor, .. }) => {
                let motor = motor.as_ref().map(|motor| Motor { speed: motor.speed, most: motor.torque });
                Kind::Hinge(Axis { direction: axis.unwrap_or(UPRIGHT), limits, motor })
            }
            JointKind::Slider(Slider { axis, motor, .. }) => {
                let motor = motor.as_ref().map(|motor| Motor { speed: motor.speed, most: motor.force });
                Kind::Slider(Axis { direction: world.flat(*axis).to_array(), limits, motor })
            }
        }
    }
}

/// The axis of hinges in a plane.
const UPRIGHT: Vector = [0.0, 0.0, 1.0];

impl Description {
    /// Writes out the axes of hinges in a plane.
    pub(crate) fn settle_hinges(&mut self) {
        for joint in self.joints.iter_mut().filter(|_| self.world.dimension == 2) {
            if let JointKind::Hinge(hinge) = &mut joint.kind {
                hinge.axis.get_or_insert(UPRIGHT);
            }
        }
    }

    /// Does a joint let these two, bodies or walls, pass through each other?
    pub(crate) fn are_parted(&self, a: &str, b: &str) -> bool {
        self.joints.iter().any(|joint| joint.parts(a, b))
    }
}
