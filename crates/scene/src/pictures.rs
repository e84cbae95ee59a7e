//! What a scene file may say about pictures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Vector;

/// From where pictures are taken. What is left out is chosen so that everything is seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Camera {
    /// The point it looks at [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look_at: Option<Vector>,
    /// Where it stands [m]. A 2D scene is seen from straight ahead, whatever is said here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vector>,
    /// The angle from the lower to the upper edge of the picture [degrees]; 30 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 150.0))]
    pub field_of_view: Option<f64>,
}

/// The pictures that are drawn when a run has ended: `[output.images]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Images {
    /// What is shown: the particles, or the surface around them, which `thixo surface` makes.
    pub style: Style,
    /// What particles are coloured by: `speed`, `body`, `material`, or a column of the frames such as `density` or
    /// `velocity.x`. Materials if there are several, otherwise speed, unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The values at the two ends of the colour map; what the frames hold unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// The colour map; `balance` for what is below and above zero, otherwise `ocean`, unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<ColorMap>,
    /// Width and height [pixels].
    #[schemars(inner(range(min = 1, max = 16384)))]
    pub size: [u32; 2],
    /// The film that is made of them.
    pub film: Film,
}

impl Default for Images {
    fn default() -> Self {
        Images {
            style: Style::default(),
            color: None,
            range: None,
            map: None,
            size: [1280, 720],
            film: Film::default(),
        }
    }
}

/// What pictures show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// The particles, as spheres.
    #[default]
    Particles,
    /// The surface, as water: it refracts, reflects, and is blue where it is deep.
    Water,
    /// The surface, as glass.
    Glass,
    /// The surface, as jelly, which scatters light.
    Jelly,
    /// The surface, opaque; coloured as particles would be if its vertices know how.
    Matte,
    /// The vertices of the surface, as discs.
    Points,
}

/// A map from numbers to colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColorMap {
    /// Deep blue to foam.
    Ocean,
    /// Purple through teal to yellow.
    Meadow,
    /// Black through red to pale yellow: heat.
    Ember,
    /// Blue through grey to yellow.
    Slate,
    /// All hues from blue to red.
    Rainbow,
    /// Blue through white to red: below and above a middle.
    Balance,
}

/// The film that is made of the pictures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Film {
    /// `film.gif`, at most 640 pixels wide.
    #[default]
    Gif,
    /// `film.mp4`; the program must be built with the feature `mp4`.
    Mp4,
    /// None.
    None,
}
