//! What pictures are asked for: by the scene, and by the command line, which has the last word.

use serde::Serialize;
use serde_json::Value;
use thixo_render::{MapName, Size};
use thixo_scene::{ColorMap, Film, Images, Style};

use super::{Arguments, Effort};
use crate::failure::Failure;

/// What pictures are asked for. Pictures of equal requests are equal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Request {
    pub(super) style: Style,
    pub(super) color: Option<String>,
    pub(super) range: Option<[f64; 2]>,
    /// The name of the map.
    pub(super) map: Option<&'static str>,
    pub(super) size: [u32; 2],
    /// The surface is traced without a mesh.
    pub(super) direct: bool,
    pub(super) quality: Effort,
    pub(super) turntable: bool,
    /// The film does not change the pictures.
    #[serde(skip)]
    pub(super) film: Film,
}

impl Request {
    /// What the scene asks for, changed by the arguments.
    pub(super) fn new(images: &Images, arguments: &Arguments) -> Request {
        let request = Request::of(images);
        Request {
            style: arguments.style(request.style),
            color: arguments.color.clone().or(request.color),
            // A range belongs to its quantity.
            range: arguments.range.or(request.range.filter(|_| arguments.color.is_none())),
            map: arguments.map.map(MapName::name).or(request.map),
            size: arguments.size.map_or(request.size, |size| [size.width, size.height]),
            direct: arguments.direct,
            quality: arguments.quality.unwrap_or_default(),
            turntable: arguments.turntable,
            film: arguments.film.map_or(request.film, Into::into),
        }
    }

    /// What a scene asks for.
    pub(super) fn of(images: &Images) -> Request {
        let Images { style, color, range, map, size, film } = images.clone();
        Request {
            style,
            color,
            range,
            map: map.map(name),
            size,
            direct: false,
            quality: Effort::default(),
            turntable: false,
            film,
        }
    }

    /// Do pictures that follow this request look like those that follow the other?
    pub(super) fn looks_like(&self, other: &Request) -> bool {
        self.to_json() == other.to_json()
    }

    /// What decides how pictures look, as it is recorded.
    pub(super) fn to_json(&self) -> Value {
        // Strings and numbers can always be written.
        serde_json::to_value(self).unwrap_or_default()
    }

    pub(super) fn size(&self) -> Size {
        let [width, height] = self.size;
        Size { width, height }
    }

    /// Does no light go through what is shown? Then its colours can mean something.
    pub(super) fn is_opaque(&self) -> bool {
        matches!(self.style, Style::Particles | Style::Matte | Style::Points)
    }

    pub(super) fn map(&self) -> Option<MapName> {
        self.map.and_then(|name| name.parse().ok())
    }

    /// Refuses what this program was not built for.
    pub(super) fn check(&self) -> Result<(), Failure> {
        refuse_missing_feature(self.film)
    }
}

/// Refuses a film that this program was not built for.
pub(crate) fn refuse_missing_feature(film: Film) -> Result<(), Failure> {
    if film == Film::Mp4 && !cfg!(feature = "mp4") {
        return Err(Failure::BadInput(
            "this program was built without MP4; build it with `cargo build --release --features mp4`, or ask for \
             `--film gif`"
                .into(),
        ));
    }
    Ok(())
}

fn name(map: ColorMap) -> &'static str {
    match map {
        ColorMap::Ocean => MapName::Ocean,
        ColorMap::Meadow => MapName::Meadow,
        ColorMap::Ember => MapName::Ember,
        ColorMap::Slate => MapName::Slate,
        ColorMap::Rainbow => MapName::Rainbow,
        ColorMap::Balance => MapName::Balance,
    }
    .name()
}
