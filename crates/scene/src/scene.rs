//! The scene file, declared once.
//!
//! These structs are what a scene file may say. Their doc comments become the JSON schema and the scene
//! reference; the checks of a file walk that schema. Limits stand beside the numbers they limit.

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{
    Dimension, Domain, Field, Interpolation, KernelChoice, Keyframe, Material, Pressure, Real, Shifting, StepSize,
};

use crate::clamp::Clamp;
use crate::load::Load;
use crate::mesh::Files;
use crate::motion::VelocityField;
use crate::pictures::{Camera, Images};
use crate::sampling::{Arrangement, Fill, Memory, Overlap, Sampling, Seed};
use crate::shape::{Shape, Surroundings};
use crate::skin::Skin;

/// Three numbers: x, y, z. In 2D z is ignored.
pub type Vector = [f64; 3];

/// Standard gravity [m/s^2].
const GRAVITY: f64 = 9.81;

/// A scene: what is in the world, and how long it is watched. SI units throughout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Space: resolution, gravity, dimension.
    pub world: World,
    /// How long, and in which steps.
    pub time: Time,
    /// What keeps matter from being squeezed.
    #[serde(default)]
    pub pressure: Pressure,
    /// What bodies are made of, by name.
    #[serde(default)]
    pub materials: BTreeMap<String, Material>,
    /// Shapes by name, to be used as `shape.named = "NAME"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shapes: BTreeMap<String, Shape>,
    /// The matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Body>,
    /// What holds or stops the matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<Wall>,
    /// What else pushes the matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// What is measured at every step, written to `probes.csv`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Probe>,
    /// What is written.
    #[serde(default)]
    pub output: Output,
    /// From where pictures are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
    /// Which program wrote this file; found in the `run.toml` of a run, and ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Which pressure solver was chosen and why, if the scene left the choice.
    #[serde(skip)]
    pub(crate) chosen: Option<String>,
    /// The files that its shapes name.
    #[serde(skip)]
    pub(crate) files: Files,
    /// The particles that were sampled last.
    #[serde(skip)]
    pub(crate) samples: Memory,
}

/// Space: resolution, gravity, dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Distance between particles [m]. Halving it costs 8 times the particles, and more steps.
    // Beyond these limits the constants of the kernels leave single precision.
    #[schemars(range(min = 1e-6, max = 1e6))]
    pub spacing: f64,
    /// Which way is up; decides the default of `gravity`.
    #[serde(default)]
    pub up: Up,
    /// Gravity [m/s^2]; 9.81 downwards unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Vector>,
    /// 3: space. 2: the plane z = 0, one metre deep.
    #[serde(default = "three")]
    #[schemars(extend("enum" = [2, 3]))]
    pub dimension: u8,
    /// Axes along which space repeats itself: what leaves on one side comes in on the other.
    #[serde(default, skip_serializing_if = "Periodic::is_none")]
    pub periodic: Periodic,
    /// How particles weigh their neighbours, and how far they see.
    #[serde(default)]
    pub kernel: KernelChoice,
    /// Keeps particles evenly spread where fluid is stirred; no effect near free surfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shifting: Option<Shifting>,
    /// Start of all random numbers.
    #[serde(default)]
    #[schemars(range(max = u32::MAX))]
    pub seed: u32,
}

/// Axes along which space repeats itself, each from one coordinate to another: `periodic.x = [0.0, 1.0]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Periodic {
    /// Where x starts and ends [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 2]>,
    /// Where y starts and ends [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 2]>,
    /// Where z starts and ends [m]; 3D only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 2]>,
}

impl Periodic {
    /// The three axes.
    pub(crate) fn axes(&self) -> [Option<[f64; 2]>; 3] {
        [self.x, self.y, self.z]
    }

    fn is_none(&self) -> bool {
        self.axes() == [None; 3]
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Up {
    /// y points up.
    #[default]
    Y,
    /// z points up.
    Z,
}

/// How long the world is watched, and in which steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// When the run ends [s].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub end: f64,
    /// Frames per second [1/s]. Frame n lies exactly at n/fps, frame 0 is the start.
    #[serde(default = "thirty")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub fps: f64,
    /// How the length of a step is found.
    #[serde(default)]
    pub step: StepSize,
}

/// A body: matter that fills a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its name; no two bodies or walls share one.
    pub name: String,
    /// The name of its material.
    pub material: String,
    /// The space it fills at the start.
    pub shape: Shape,
    /// What of its shape is filled with particles.
    #[serde(default)]
    pub fill: Fill,
    /// How the particles are spread: in a cubic lattice unless given, over a surface relaxed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// What happens where it meets another body of the same priority.
    #[serde(default)]
    pub overlap: Overlap,
    /// Where it meets a body of higher priority its particles are left out; where it meets one of lower priority, those
    /// of the other.
    #[serde(default)]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: i32,
    /// How fast it moves at the start [m/s].
    #[serde(default)]
    pub velocity: Vector,
    /// What is added to `velocity`, place by place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity_field: Option<VelocityField>,
    /// What holds parts of it, if it is elastic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clamps: Vec<Clamp>,
    /// What pulls parts of it, if it is elastic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Load>,
    /// The fine mesh that it carries, if it is elastic; written with the surfaces, instead of one around its particles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<Skin>,
}

/// A wall: the surface of a shape, which matter cannot cross.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Its name; no two bodies or walls share one.
    pub name: String,
    /// The shape whose surface it is.
    pub shape: Shape,
    /// Matter is inside the shape (a tank); otherwise outside (an obstacle).
    #[serde(default)]
    pub inside: bool,
    /// Fluid sticks to it; otherwise it slips freely.
    #[serde(default = "yes")]
    pub no_slip: bool,
    /// Friction of elastic bodies on it: the share of the normal force that it bears [-]. Ice has 0.05, rubber 1.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Where it is when; it stands still without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Keyframe>,
    /// How it moves between the keyframes of its path.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// Its path begins again after the last keyframe.
    #[serde(default)]
    pub repeat: bool,
}

/// A probe: a name and what is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Probe {
    /// Its name, the beginning of its columns in `probes.csv`; no two probes share one.
    pub name: String,
    /// What it measures.
    #[serde(flatten)]
    pub measure: Measure,
}

/// What a probe measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Pressure at a point [Pa].
    Pressure(PressureProbe),
    /// How far matter has come along a direction [m].
    Front(FrontProbe),
    /// Mean position of the particles that start in a region of a body [m].
    Position(PositionProbe),
    /// Kinetic energy, energy of height, of compression, of elastic deformation [J].
    Energy(TotalProbe),
    /// Momentum [kg m/s] and angular momentum about the origin [kg m^2/s].
    Momentum(TotalProbe),
    /// What accelerates a body, its weight included, or what matter presses on a wall with [N].
    Force(ForceProbe),
}

/// Where pressure is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressureProbe {
    /// The point [m].
    pub at: Vector,
    /// How far around the point is averaged [m]; at least as far as a particle sees.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
}

/// Whose front is measured, and which way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrontProbe {
    /// The direction; its length does not matter.
    pub direction: Vector,
    /// The body; all of them unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// Which part of a body is followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionProbe {
    /// The body.
    pub body: String,
    /// Lowest corner of the region [m]; no limit unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Vector>,
    /// Highest corner of the region [m]; no limit unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Vector>,
}

/// Whose total is measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TotalProbe {
    /// The body; all of them unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// On what the force is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceProbe {
    /// The name of a body or wall.
    pub on: String,
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The formats of particle frames.
    #[serde(default = "native")]
    #[schemars(length(min = 1))]
    pub frames: Vec<FrameFormat>,
    /// Pictures and a film when the run has ended; none unless given. `images = {}` is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<Images>,
}

/// A file format for particle frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameFormat {
    /// The format of this program: every column, with a checksum.
    Native,
    /// VTK, for ParaView.
    Vtk,
}

/// Which program wrote a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The version of the program.
    pub version: String,
    /// The instruction set it used.
    pub instruction_set: String,
    /// How precise its numbers are: `f32` or `f64`.
    pub precision: String,
    /// Which pressure solver it chose and why, if the scene left the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<String>,
}

impl Default for Output {
    fn default() -> Self {
        Output { frames: native(), images: None }
    }
}

impl World {
    /// The dimension, as the simulation knows it.
    pub fn dimension(&self) -> Dimension {
        if self.dimension == 2 { Dimension::Two } else { Dimension::Three }
    }

    /// Gravity as given, or 9.81 m/s² against `up`; flat in 2D.
    pub fn gravity(&self) -> DVec3 {
        let down = match self.up {
            Up::Y => [0.0, -GRAVITY, 0.0],
            Up::Z => [0.0, 0.0, -GRAVITY],
        };
        self.flat(self.gravity.unwrap_or(down))
    }

    /// The vector without the coordinates that do not exist.
    pub(crate) fn flat(&self, vector: Vector) -> DVec3 {
        let [x, y, z] = vector;
        DVec3::new(x, y, if self.dimension == 2 { 0.0 } else { z })
    }

    /// Where space repeats itself.
    pub(crate) fn domain(&self) -> Domain {
        Domain::new(self.periods())
    }

    /// From and to, for each axis that repeats itself [m].
    pub(crate) fn periods(&self) -> [Option<[Real; 2]>; 3] {
        self.periodic.axes().map(|axis| axis.map(|ends| ends.map(|end| end as Real)))
    }

    /// How far a particle sees [m].
    pub fn support(&self) -> f64 {
        self.support_over_spacing() * self.spacing
    }

    /// How far a particle sees, in spacings [-].
    pub(crate) fn support_over_spacing(&self) -> f64 {
        f64::from(self.kernel.support_over_spacing(self.dimension()))
    }

    /// Volume of one lattice cell [m^dimension].
    pub fn cell_volume(&self) -> f64 {
        self.spacing.powi(i32::from(self.dimension))
    }
}

impl Body {
    /// How its particles are spread.
    pub(crate) fn sampling(&self) -> Sampling {
        let usual = match self.fill {
            Fill::Surface => Sampling::Relaxed(Seed::default()),
            Fill::Volume | Fill::Line => Sampling::Lattice(Arrangement::default()),
        };
        self.sampling.clone().unwrap_or(usual)
    }

    /// What its shape depends on.
    pub(crate) fn surroundings<'a>(&self, scene: Surroundings<'a>) -> Surroundings<'a> {
        Surroundings { surface: self.fill == Fill::Surface, ..scene }
    }
}

impl Scene {
    /// The same scene with every default written out that depends on other values.
    pub(crate) fn resolved(mut self) -> Scene {
        let down = self.world.gravity();
        self.world.gravity.get_or_insert(down.to_array());
        self.world.kernel = self.world.kernel.resolved(self.world.dimension());
        self
    }
}

fn three() -> u8 {
    3
}

fn thirty() -> f64 {
    30.0
}

fn yes() -> bool {
    true
}

fn native() -> Vec<FrameFormat> {
    vec![FrameFormat::Native]
}
