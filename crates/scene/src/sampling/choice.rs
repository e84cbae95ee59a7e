//! How a scene says where the particles of a body are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How particles are spread over a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Sampling {
    /// In rows. Every particle has the volume of a cell, and there are as many as fit the volume of the body.
    Lattice(Arrangement),
    /// At random, but never too near to each other. All particles have the same volume, together that of the body.
    PoissonDisk(Seed),
    /// Without any order, but as even as can be. All particles have the same volume, together that of the body.
    Relaxed(Seed),
}

/// The rows of a lattice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrangement {
    /// How they lie.
    #[serde(default)]
    pub arrangement: Rows,
}

/// How the rows of a lattice lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rows {
    /// In cubes; in squares in 2D.
    #[default]
    Cubic,
    /// As densely as balls can be packed, in hexagonal layers; in 2D in triangles.
    Hexagonal,
}

/// Where random numbers begin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// Another number gives other places; `world.seed` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = u32::MAX))]
    pub seed: Option<u32>,
}

/// What of a shape is filled with particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// All of it.
    #[default]
    Volume,
    /// Its surface, one particle thick: a membrane. In 2D its outline.
    Surface,
    /// The line of a curve, one particle thick: a rod.
    Line,
}

/// What happens where a body meets another of the same priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The scene is refused, unless the other body gives way.
    #[default]
    Refuse,
    /// Its particles are left out there. Of two bodies that give way, the later one does.
    GiveWay,
}
