//! The files that meshes come in. Readers take bytes, never panic, and need memory in proportion to the file.

mod accessor;
mod glb;
mod gltf;
mod obj;
mod ply;
mod png;
mod stl;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;
use std::path::Path;

pub(super) use accessor::Buffers;
pub(super) use glb::chunks;
pub(super) use gltf::{Drawn, collect as collect_gltf, parse as parse_json};
pub(super) use obj::{index as obj_index, lines as obj_lines, read as read_obj};
pub(crate) use ply::to_ply;
pub(super) use ply::{PlySite, walk as walk_ply};
pub(super) use text::Words;

use super::triangles::Triangles;

/// What is wrong with a file, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    place: Option<String>,
    cause: String,
}

impl Fault {
    pub(super) fn whole(cause: impl Into<String>) -> Fault {
        Fault { place: None, cause: cause.into() }
    }

    fn line(number: usize, cause: impl Into<String>) -> Fault {
        Fault { place: Some(format!("line {number}")), cause: cause.into() }
    }

    fn byte(offset: usize, cause: impl Into<String>) -> Fault {
        Fault { place: Some(format!("byte {}", offset + 1)), cause: cause.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.cause),
            None => f.write_str(&self.cause),
        }
    }
}

/// Names of the formats, as files end.
const ENDINGS: [&str; 6] = ["obj", "stl", "ply", "gltf", "glb", "png"];

/// Reads a mesh. `path` tells the format; `beside` reads another file that the mesh names.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Triangles, Fault> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if bytes.trim_ascii().is_empty() {
        return Err(Fault::whole("it is empty"));
    }
    let mesh = match ending.as_str() {
        "obj" => obj::read(bytes),
        "stl" => stl::read(bytes),
        "ply" => ply::read(bytes),
        "png" => png::read(bytes),
        "gltf" => gltf::read(bytes, None, beside),
        "glb" => glb::read(bytes, beside),
        _ => Err(Fault::whole(format!("its name ends in none of .{}", ENDINGS.join(", .")))),
    };
    mesh?.checked().map_err(Fault::whole)
}
