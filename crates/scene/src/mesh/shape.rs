//! Meshes as a scene names them, and where they are found.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use glam::DQuat;

use super::file::checksum;
use super::{MeshFile, Template};
use crate::{Description, Shape, Skin, Turn, Vector};

/// A mesh from a file: `shape.mesh = { file = "duck.obj", scale = 0.01 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// The file, seen from the folder of the scene; its name ends in `.obj`, `.stl`, `.ply`, `.gltf` or `.glb`. A
    /// picture that ends in `.png` is a landscape on the unit square around the origin, black at height 0, white at 1.
    pub file: String,
    /// How long a unit of the file is [m].
    #[serde(default = "one")]
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub scale: f64,
    /// How it is turned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Turn>,
    /// How far it is moved [m].
    #[serde(default)]
    pub translation: Vector,
    /// What the file must contain, as a CRC-32; other contents are refused. Runs write it into their `run.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
}

impl Mesh {
    /// How it is turned; none if the axis is zero.
    pub(crate) fn turn(&self) -> Option<DQuat> {
        self.rotation.as_ref().map_or(Some(DQuat::IDENTITY), Turn::rotation)
    }
}

fn one() -> f64 {
    1.0
}

/// The files that a scene names, each read once.
#[derive(Clone, Default)]
pub(crate) struct Files {
    /// Where relative names begin.
    folder: PathBuf,
    known: Arc<Mutex<BTreeMap<String, Known>>>,
}

type Known = Result<Arc<MeshFile>, String>;

impl Files {
    /// Files beside a scene in this folder.
    pub(crate) fn beside(folder: &Path) -> Files {
        Files { folder: folder.into(), known: Arc::default() }
    }

    /// What a mesh file contains, or why it cannot be used.
    pub(crate) fn mesh(&self, mesh: &Mesh) -> Known {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || MeshFile::read(&self.folder.join(&mesh.file)).map(Arc::new);
        let file = known.entry(mesh.file.clone()).or_insert_with(read).clone()?;
        file.verify(mesh.checksum.as_deref())?;
        Ok(file)
    }

    /// A mesh file whose vertices can be moved, or why it cannot be used.
    pub(crate) fn template(&self, mesh: &Mesh) -> Result<Template, String> {
        Template::read(&self.folder.join(&mesh.file), mesh.checksum.as_deref())
    }
}

impl PartialEq for Files {
    fn eq(&self, _: &Files) -> bool {
        // What they contain is no part of what a scene says.
        true
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Files({})", self.folder.display())
    }
}

/// A file that a scene needs.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptFile {
    /// Where it lies, seen from the folder of the scene.
    pub path: String,
    /// What it contains.
    pub contents: Vec<u8>,
}

impl Description {
    /// Makes the scene independent of where its meshes are now: from here on it names copies in a folder beside it,
    /// with their checksums. The copies are the caller's to write.
    pub(crate) fn keep_files(&mut self, folder: &str) -> Vec<KeptFile> {
        let mut kept: BTreeMap<String, (Mesh, KeptFile)> = BTreeMap::new();
        let files = self.files.clone();
        let bodies = self.bodies.iter_mut().map(|body| &mut body.shape);
        let walls = self.walls.iter_mut().map(|wall| &mut wall.shape);
        let mut shapes: Vec<_> = bodies.chain(walls).chain(self.shapes.values_mut()).collect();
        while let Some(shape) = shapes.pop() {
            let Shape::Mesh(mesh) = shape else {
                shapes.extend(shape.parts_mut());
                continue;
            };
            let Ok(file) = files.mesh(mesh) else { continue };
            let (copy, _) = kept.entry(mesh.file.clone()).or_insert_with(|| copy(mesh, &file, folder));
            (mesh.file, mesh.checksum) = (copy.file.clone(), copy.checksum.clone());
        }
        let skins = self.bodies.iter_mut().filter_map(|body| match &mut body.skin {
            Some(Skin::Mesh(mesh)) => Some(mesh),
            _ => None,
        });
        let skins = skins.filter_map(|mesh| {
            let template = files.template(mesh).ok()?;
            let (name, file) = named(mesh, template.original(), folder, template.ending);
            *mesh = name;
            Some(file)
        });
        let skins: Vec<_> = skins.collect();
        kept.into_values().map(|(_, file)| file).chain(skins).collect()
    }
}

/// The mesh with the name of its copy, and the copy.
fn copy(mesh: &Mesh, file: &MeshFile, folder: &str) -> (Mesh, KeptFile) {
    named(mesh, file.copy(), folder, "ply")
}

/// The mesh with the name of a file of these contents, and the file.
fn named(mesh: &Mesh, contents: Vec<u8>, folder: &str, ending: &str) -> (Mesh, KeptFile) {
    let checksum = checksum(&contents);
    let stem = Path::new(&mesh.file).file_stem().unwrap_or_default().to_string_lossy();
    let path = format!("{folder}/{stem}-{checksum}.{ending}");
    (Mesh { file: path.clone(), checksum: Some(checksum), ..mesh.clone() }, KeptFile { path, contents })
}
