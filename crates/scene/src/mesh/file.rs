//! The file of a mesh, as a scene names it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::format::{self, ENDINGS};
use super::solid::{MeshSolid, NoInside};
use super::to_ply;
use super::triangles::{OpenEdges, Triangles};
use crate::Vector;

/// A file this large is surely no mesh, and must not fill the memory.
const LARGEST: u64 = 1 << 30;

/// A mesh from a file: `shape.mesh = { file = "duck.obj", scale = 0.01 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// The file: OBJ, STL, PLY, glTF or GLB, by its name's ending; seen from the folder of the scene.
    pub file: String,
    /// How many metres a unit of the file is [m].
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub scale: f64,
    /// Turn about the x, y and z axis through the origin, one after the other [degrees].
    #[serde(default)]
    pub rotate: Vector,
    /// Then moved by so much [m].
    #[serde(default)]
    pub translate: Vector,
    /// What the file must contain: its CRC-32, written by `thixo run`. Another content is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// What the file contains.
    #[serde(skip)]
    pub(crate) contents: Option<Arc<MeshFile>>,
}

/// What a file contains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeshFile {
    triangles: Triangles,
    checksum: String,
}

fn one() -> f64 {
    1.0
}

impl MeshShape {
    /// Reads the file, unless it was read; relative to `folder`.
    pub(crate) fn read(&mut self, folder: &Path) -> Result<(), String> {
        if self.contents.is_none() {
            let file = MeshFile::read(&folder.join(&self.file))?;
            if let Some(expected) = self.checksum.as_ref().filter(|expected| **expected != file.checksum) {
                return Err(format!(
                    "it has the checksum {}, but {expected} is expected: it was changed",
                    file.checksum
                ));
            }
            self.contents = Some(Arc::new(file));
        }
        Ok(())
    }

    /// The solid it encloses, in place, or why it encloses none.
    pub(crate) fn solid(&self) -> Result<MeshSolid, String> {
        let contents = self.contents.as_ref().ok_or("it was not read")?;
        MeshSolid::new(&self.placed(&contents.triangles)).map_err(|refused| explained(&refused))
    }

    fn placed(&self, triangles: &Triangles) -> Triangles {
        let [x, y, z] = self.rotate.map(f64::to_radians);
        let turn = DMat3::from_rotation_z(z) * DMat3::from_rotation_y(y) * DMat3::from_rotation_x(x);
        let move_by = DVec3::from_array(self.translate);
        triangles.clone().moved(|place| turn * (self.scale * place) + move_by)
    }

    /// A name for a copy of the file, and its contents as PLY.
    pub(crate) fn copy(&self) -> Option<(String, Vec<u8>)> {
        let contents = self.contents.as_ref()?;
        let stem = Path::new(&self.file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = to_ply(&contents.triangles);
        Some((format!("{stem}-{}.ply", checksum(&bytes)), bytes))
    }
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

impl MeshFile {
    fn read(path: &Path) -> Result<MeshFile, String> {
        let bytes = read_limited(path)?;
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        let beside = |name: &str| read_limited(&folder.join(name)).map_err(|cause| format!("`{name}`: {cause}"));
        let triangles = format::read(path, &bytes, &beside).map_err(|fault| fault.to_string())?;
        Ok(MeshFile { triangles, checksum: checksum(&bytes) })
    }
}

fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    if path.is_dir() {
        return Err("it is a folder".into());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MB", LARGEST >> 20));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {}", path.display()),
        std::io::ErrorKind::PermissionDenied => "it may not be read".into(),
        _ => error.to_string(),
    }
}

/// Why a mesh has no inside, with places.
fn explained(NoInside { open: OpenEdges { count, first }, undecided }: &NoInside) -> String {
    let place = |point: &DVec3| format!("({:.4}, {:.4}, {:.4})", point.x, point.y, point.z);
    let edges: Vec<_> = first.iter().map(|[a, b]| format!("{} to {}", place(a), place(b))).collect();
    let inside = match undecided {
        Some(share) => format!("{:.0} % of its volume is neither inside nor outside", 100.0 * share.min(9.99)),
        None => "nothing is inside".into(),
    };
    let plural = if *count == 1 { "" } else { "s" };
    format!("it is not closed: {inside}; it has {count} open edge{plural}, such as {}", edges.join(", "))
}

/// What to do about a mesh that cannot be used.
pub(crate) fn remedy() -> String {
    format!("files are looked for beside the scene; they may be {}", ENDINGS.map(|e| e.to_uppercase()).join(", "))
}
