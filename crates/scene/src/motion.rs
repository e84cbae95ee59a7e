//! How bodies move at the start, and walls all the time.

use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Interpolation, Keyframe, Path};

use crate::sampling::BodySample;
use crate::shape::Formula;
use crate::{Body, Vector, Wall, World};

/// A velocity that depends on the place: `velocity_field.rotation = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum VelocityField {
    /// In proportion to the distance from a point: shear, squeezing, stretching.
    Linear(LinearVelocity),
    /// A rotation about an axis.
    Rotation(RotationVelocity),
    /// Any formula: `velocity_field.formula = { x = "0.2 * sin(6 * y)" }`.
    Formula(VelocityFormula),
}

/// A velocity by formulas of the place.
///
/// They may have `x`, `y` and `z`, numbers, `pi`, `+ - * / ^`, brackets, `sin cos tan exp ln sqrt abs` and `min(a, b)`,
/// `max(a, b)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VelocityFormula {
    /// Its component along x [m/s].
    #[serde(default = "nothing")]
    pub x: String,
    /// Its component along y [m/s].
    #[serde(default = "nothing")]
    pub y: String,
    /// Its component along z [m/s].
    #[serde(default = "nothing")]
    pub z: String,
}

/// Where an elastic body starts, unlike its shape at rest: `deformation.linear = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Deformation {
    /// The same everywhere: stretched, sheared, turned.
    Linear(LinearDeformation),
    /// By any formula: `deformation.formula = { y = "y + 0.05 * x ^ 2" }`.
    Formula(DeformationFormula),
}

/// A deformation that is the same everywhere: each point X of the shape starts at centre + gradient (X - centre).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearDeformation {
    /// The deformation gradient [-]: row a, column b holds the change of the place along a with that in the shape along b.
    pub gradient: [Vector; 3],
    /// The point that stays [m].
    #[serde(default)]
    pub centre: Vector,
}

/// The place at which each point `x`, `y`, `z` of the shape starts, by formulas as in `velocity_field.formula`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformationFormula {
    /// Its x [m].
    #[serde(default = "x")]
    pub x: String,
    /// Its y [m].
    #[serde(default = "y")]
    pub y: String,
    /// Its z [m].
    #[serde(default = "z")]
    pub z: String,
}

/// A velocity in proportion to the distance from a point: v = gradient (x - centre).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearVelocity {
    /// How the velocity changes with the place [1/s]: row a, column b holds the change of v_a along b.
    pub gradient: [Vector; 3],
    /// The point where it is zero [m].
    #[serde(default)]
    pub centre: Vector,
}

/// A rotation about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationVelocity {
    /// Angular velocity, counterclockwise about the axis [rad/s].
    pub angular_velocity: f64,
    /// A point on the axis [m].
    #[serde(default)]
    pub centre: Vector,
    /// The direction of the axis; its length does not matter.
    #[serde(default = "along_z")]
    pub axis: Vector,
}

fn along_z() -> Vector {
    [0.0, 0.0, 1.0]
}

fn nothing() -> String {
    "0".into()
}

fn x() -> String {
    "x".into()
}

fn y() -> String {
    "y".into()
}

fn z() -> String {
    "z".into()
}

/// A vector of each place.
pub(crate) type VectorField = Box<dyn Fn(DVec3) -> DVec3>;

/// What is wrong with a formula: its key, the cause.
pub(crate) type FormulaFault = (&'static str, String);

/// The vector whose components are formulas.
fn formulas(components: [&str; 3]) -> Result<VectorField, FormulaFault> {
    let names = ["x", "y", "z"];
    let read = |axis: usize| Formula::read(components[axis], &names).map_err(|cause| (names[axis], cause));
    let components = [read(0)?, read(1)?, read(2)?];
    Ok(Box::new(move |place| {
        let place = place.to_array();
        DVec3::from_array(std::array::from_fn(|axis| components[axis].at(&place)))
    }))
}

/// A matrix times the way from a point.
fn linear(gradient: &[Vector; 3], centre: DVec3) -> VectorField {
    let gradient = DMat3::from_cols_array_2d(gradient).transpose();
    Box::new(move |place| gradient * (place - centre))
}

impl VelocityField {
    /// The velocity of each place [m/s], or what is wrong with a formula.
    pub(crate) fn field(&self, world: &World) -> Result<VectorField, FormulaFault> {
        match self {
            VelocityField::Linear(LinearVelocity { gradient, centre }) => Ok(linear(gradient, world.flat(*centre))),
            VelocityField::Rotation(RotationVelocity { angular_velocity, centre, axis }) => {
                let spin = *angular_velocity * DVec3::from_array(*axis).normalize_or_zero();
                let centre = world.flat(*centre);
                Ok(Box::new(move |place| spin.cross(place - centre)))
            }
            VelocityField::Formula(VelocityFormula { x, y, z }) => formulas([x, y, z]),
        }
    }
}

impl Deformation {
    /// Where each point of the shape starts [m], or what is wrong with a formula.
    pub(crate) fn field(&self, world: &World) -> Result<VectorField, FormulaFault> {
        match self {
            Deformation::Linear(LinearDeformation { gradient, centre }) => {
                let centre = world.flat(*centre);
                let way = linear(gradient, centre);
                Ok(Box::new(move |place| centre + way(place)))
            }
            Deformation::Formula(DeformationFormula { x, y, z }) => formulas([x, y, z]),
        }
    }
}

impl Body {
    /// The velocity it starts with at each place [m/s]: that of all of it, and those of its spin and of the field.
    pub(crate) fn start_velocity(&self, world: &World, sample: &BodySample) -> impl Fn(DVec3) -> DVec3 {
        let (all, spin) = (DVec3::from_array(self.velocity), DVec3::from_array(self.spin));
        let centre = if spin == DVec3::ZERO { DVec3::ZERO } else { sample.centre() };
        // A formula that makes no sense was refused.
        let field = self.velocity_field.as_ref().and_then(|field| field.field(world).ok());
        let axes = usize::from(world.dimension);
        move |place| {
            let velocity = all + spin.cross(place - centre) + field.as_ref().map_or(DVec3::ZERO, |field| field(place));
            if axes == 2 { velocity.with_z(0.0) } else { velocity }
        }
    }
}

impl Wall {
    /// The path it follows, if it moves.
    pub(crate) fn motion(&self) -> Option<Path> {
        path_along(&self.path, self.interpolation, self.repeat)
    }
}

/// The path along some keyframes, if there are any.
pub(crate) fn path_along(keyframes: &[Keyframe], interpolation: Interpolation, repeat: bool) -> Option<Path> {
    (!keyframes.is_empty()).then(|| Path { keyframes: keyframes.to_vec(), interpolation, repeat })
}
