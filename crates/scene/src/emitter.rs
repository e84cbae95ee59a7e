//! Emitters and sinks, as a scene file says them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Flow, Interpolation, Keyframe, NewEmitter, NewSink, Opening, Path, ROOM, Real, Region};

use crate::motion::path_along;
use crate::{Description, Vector};

/// An emitter: a plane opening through which fluid comes in, at rest density and as much as is said. Behind it is a pipe as long
/// as a particle sees, with a casing; where a wall is in its way, it has a hole there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Emitter {
    /// Its name, and that of the body that its stream is; no two bodies, walls or emitters share one.
    pub name: String,
    /// The name of the material that comes out, a fluid.
    pub material: String,
    /// The opening.
    pub shape: OpeningShape,
    /// How fast the stream is [m/s]. Either this or `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub speed: Option<f64>,
    /// How much comes out in a second [m^3/s]; in 2D of a slab of one metre. Either this or `speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub rate: Option<f64>,
    /// Where the stream goes, at most 60 degrees from the normal of the opening; its length does not matter. Along the normal
    /// unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vector>,
    /// By how much the stream fans out: the angle at which its edge leaves [rad].
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub spread: f64,
    /// From when on [s].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub from: f64,
    /// Until when [s]; as long as the scene lasts unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// The most that comes out [m^3]; in 2D of a slab of one metre. No limit unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub most: Option<f64>,
    /// The temperature of what comes out, if its material has `heat` [degC]; 20 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The wall it is fixed to: it moves along the path of that instead of one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<String>,
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

/// A plane opening: `shape.disc = { centre = [0, 1, 0], normal = [0, -1, 0], radius = 0.05 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OpeningShape {
    /// A disc; in 2D a slot as wide as it.
    Disc(Disc),
    /// A rectangle; in 2D a slot.
    Rectangle(Rectangle),
    /// A polygon; not in 2D.
    Polygon(Polygon),
}

/// A disc.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Its centre [m].
    pub centre: Vector,
    /// Where it lets fluid out to; its length does not matter.
    pub normal: Vector,
    /// Its radius [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
}

/// A rectangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rectangle {
    /// Its centre [m].
    pub centre: Vector,
    /// Where it lets fluid out to; its length does not matter.
    pub normal: Vector,
    /// How wide it is [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub width: f64,
    /// How high it is [m]; as high as wide unless given. Of no account in 2D.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub height: Option<f64>,
    /// The direction of its width, if that matters; made perpendicular to the normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Vector>,
}

/// A polygon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Polygon {
    /// Its corners in a plane [m], counterclockwise for who looks against the stream.
    #[schemars(length(min = 3))]
    pub corners: Vec<Vector>,
}

/// A sink: all fluid that gets into its region is taken out of the world. Solids pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    /// Its name, for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it takes.
    pub region: Region,
    /// It takes what is outside of its region instead: the region is all that matters.
    #[serde(default)]
    pub outside: bool,
    /// From when on [s].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub from: f64,
    /// Until when [s]; as long as the scene lasts unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

impl Emitter {
    /// When it ends [s].
    pub(crate) fn end(&self) -> f64 {
        self.until.unwrap_or(f64::INFINITY)
    }

    fn opening(&self) -> Opening {
        match self.shape {
            OpeningShape::Disc(Disc { centre, normal, radius }) => Opening::Disc { centre, normal, radius },
            OpeningShape::Rectangle(Rectangle { centre, normal, width, height, side }) => {
                Opening::Rectangle { centre, normal, side, size: [width, height.unwrap_or(width)] }
            }
            OpeningShape::Polygon(Polygon { ref corners }) => Opening::Polygon { corners: corners.clone() },
        }
    }
}

impl Sink {
    /// What it is called, the `k`-th of the scene.
    pub(crate) fn title(&self, k: usize) -> String {
        self.name.as_ref().map_or_else(|| format!("sink {}", k + 1), |name| format!("sink `{name}`"))
    }

    pub(crate) fn new_sink(&self, k: usize) -> NewSink {
        NewSink {
            name: self.title(k),
            region: self.region.clone(),
            outside: self.outside,
            from: self.from,
            until: self.until.unwrap_or(f64::INFINITY),
        }
    }
}

impl Description {
    /// The path that an emitter follows, its own or that of its wall, if it moves.
    pub(crate) fn emitter_path(&self, emitter: &Emitter) -> Option<Path> {
        match &emitter.wall {
            Some(name) => self.walls.iter().find(|wall| wall.name == *name)?.motion(),
            None => path_along(&emitter.path, emitter.interpolation, emitter.repeat),
        }
    }

    /// An emitter for a simulation.
    pub(crate) fn new_emitter(&self, emitter: &Emitter) -> NewEmitter {
        let material = self.materials.keys().position(|name| *name == emitter.material);
        NewEmitter {
            name: emitter.name.clone(),
            material: material.unwrap_or(usize::MAX),
            opening: emitter.opening(),
            flow: match (emitter.rate, emitter.speed) {
                (Some(rate), _) => Flow::Rate(rate),
                (None, speed) => Flow::Speed(speed.unwrap_or(0.0)),
            },
            direction: emitter.direction,
            spread: emitter.spread,
            from: emitter.from,
            until: emitter.end(),
            most: emitter.most.unwrap_or(f64::INFINITY),
            temperature: emitter.temperature.map_or(ROOM, |temperature| temperature as Real),
            path: self.emitter_path(emitter),
        }
    }

    /// The names of bodies, and of the streams of emitters after them.
    pub(crate) fn names_of_matter(&self) -> impl Iterator<Item = &str> + Clone {
        let bodies = self.bodies.iter().map(|body| body.name.as_str());
        bodies.chain(self.emitters.iter().map(|emitter| emitter.name.as_str()))
    }

    /// The materials that there are or will be, as far as they are defined.
    pub(crate) fn materials_used(&self) -> impl Iterator<Item = &thixo_sim::Material> {
        let names = self.bodies.iter().map(|body| &body.material);
        let names = names.chain(self.emitters.iter().map(|emitter| &emitter.material));
        names.filter_map(|name| self.materials.get(name))
    }
}
