//! What holds parts of elastic bodies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Interpolation, Keyframe, Path, Region};

use crate::Description;
use crate::motion::path_along;

/// Something that holds the part of an elastic body that starts in a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clamp {
    /// Where it holds the body.
    pub region: Region,
    /// The wall it is fixed to: it moves along the path of that instead of one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<String>,
    /// Where it moves that part when; it holds it still without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Keyframe>,
    /// How it moves between the keyframes of its path.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// Its path begins again after the last keyframe.
    #[serde(default)]
    pub repeat: bool,
}

impl Clamp {
    /// The path it follows, if it moves.
    pub(crate) fn motion(&self) -> Option<Path> {
        path_along(&self.path, self.interpolation, self.repeat)
    }
}

impl Description {
    /// The path that a clamp follows, its own or that of its wall, if it moves.
    pub(crate) fn clamp_path(&self, clamp: &Clamp) -> Option<Path> {
        match &clamp.wall {
            Some(name) => self.walls.iter().find(|wall| wall.name == *name)?.motion(),
            None => clamp.motion(),
        }
    }
}
