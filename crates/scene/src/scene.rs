//! The scene file, declared once.
//!
//! The structs here, in `world.rs` and in `probe.rs` are what a scene file may say. Their doc comments become the JSON schema and the scene
//! reference; the checks of a file walk that schema. Limits stand beside the numbers they limit.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::measure::Derived;
use thixo_sim::{Field, Interpolation, Keyframe, Material, Pressure, Real, StepSize, Viscosity};

use crate::clamp::Clamp;
use crate::emitter::{Emitter, Sink};
use crate::heat::Heater;
use crate::interface::{Interface, Wetting};
use crate::joint::Joint;
use crate::load::Load;
use crate::mesh::Files;
use crate::motion::{Deformation, VelocityField};
use crate::pictures::{Camera, Images};
use crate::probe::Probe;
use crate::sampling::{Arrangement, Fill, Overlap, Sampling, Seed};
use crate::shape::{Shape, Surroundings};
use crate::skin::Skin;
use crate::world::World;

/// Three numbers: x, y, z. In 2D z is ignored.
pub type Vector = [f64; 3];

/// A scene: what is in the world, and how long it is watched. SI units throughout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Scene")]
pub struct Description {
    /// Space: resolution, gravity, dimension.
    pub world: World,
    /// How long, and in which steps.
    pub time: Time,
    /// What keeps matter from being squeezed. Left out, it is `auto`: what suits the scene.
    #[serde(default = "automatic")]
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
    /// What lets fluid in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emitters: Vec<Emitter>,
    /// What takes fluid out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<Sink>,
    /// What joins rigid bodies to each other, to walls and to the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint>,
    /// What acts where two fluids meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<Interface>,
    /// What else accelerates the matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// What heats or cools the matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heaters: Vec<Heater>,
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
    /// The files that its shapes name.
    #[serde(skip)]
    pub(crate) files: Files,
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
    /// How far each particle may be from its place at the start, at random, along each axis, in spacings. Fluids then are
    /// moved apart where that compresses them; solids are at rest so.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub jitter: f64,
    /// Where it starts, if it is elastic and not at rest. Regions and points of clamps and loads are those of the shape at
    /// rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deformation: Option<Deformation>,
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
    /// How fast it turns about its centre of mass at the start, beside that [rad/s]; in 2D about z alone.
    #[serde(default, skip_serializing_if = "is_still")]
    pub spin: Vector,
    /// What is added to `velocity`, place by place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity_field: Option<VelocityField>,
    /// Its temperature at the start, if its material has `heat` [degC]; 20 unless given. What melts below it starts as a fluid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// What holds parts of it, if it is elastic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clamps: Vec<Clamp>,
    /// What pulls parts of it, if it is elastic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Load>,
    /// The fine mesh that it carries, if it is solid; written with the surfaces, instead of one around its particles. What is
    /// rigid shows its own shape without.
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
    /// Fluid sticks to it; otherwise it slips freely. Unless given, fluids stick if the friction of any is a viscosity:
    /// neither `xsph` nor `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_slip: Option<bool>,
    /// Friction of elastic bodies on it: the share of the normal force that it bears [-]. Ice has 0.05, rubber 1.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// The temperature of its surface [degC]; it is insulated unless given, or heated by a heater.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How fluids wet it, by the name of their material, where it is not as the material says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wetting: BTreeMap<String, Wetting>,
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

/// What is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The formats of particle frames.
    #[serde(default = "native")]
    #[schemars(length(min = 1))]
    pub frames: Vec<FrameFormat>,
    /// Columns of frames beside those that there always are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Derived>,
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

fn automatic() -> Pressure {
    Pressure::Auto
}

impl Default for Output {
    fn default() -> Self {
        Output { frames: native(), columns: Vec::new(), images: None }
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

impl Description {
    /// The same scene with every default written out that depends on other values.
    pub(crate) fn with_defaults(mut self) -> Description {
        let down = self.world.gravity();
        self.world.gravity.get_or_insert(down.to_array());
        self.world.kernel = self.world.kernel.resolved(self.world.dimension());
        // XSPH keeps particles quiet. At a wall it would hold back water a thousand times as much as water does.
        let is_viscous = |viscosity: &Viscosity| !matches!(viscosity, Viscosity::Xsph(_) | Viscosity::None(_));
        let mut fluids = self.materials.values().filter(|material| material.can_flow());
        let no_slip = fluids.any(|material| is_viscous(&material.fluid.viscosity));
        self.walls.iter_mut().for_each(|wall| _ = wall.no_slip.get_or_insert(no_slip));
        self.settle_hinges();
        self
    }

    /// Is a body a fluid at the start?
    pub(crate) fn is_fluid(&self, body: &Body) -> bool {
        let starts_fluid = |material: &Material| material.is_fluid_at(body.temperature.map(|t| t as Real));
        self.materials.get(&body.material).is_some_and(starts_fluid)
    }

    /// May a body be elastic? One whose material is missing may.
    pub(crate) fn is_elastic(&self, body: &Body) -> bool {
        self.materials.get(&body.material).is_none_or(|material| material.elastic.is_some()) && !self.is_fluid(body)
    }

    /// Is a body rigid?
    pub(crate) fn is_rigid(&self, body: &Body) -> bool {
        self.materials.get(&body.material).is_some_and(|material| material.rigid.is_some())
    }

    /// The scene as a file: reading it gives the same scene.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

fn thirty() -> f64 {
    30.0
}

fn native() -> Vec<FrameFormat> {
    vec![FrameFormat::Native]
}

fn is_still(spin: &Vector) -> bool {
    *spin == [0.0; 3]
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
