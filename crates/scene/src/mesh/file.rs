//! The file of a mesh.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::format::{self, to_ply};
use super::sheet::Sheet;
use super::solid::{MeshSolid, NoInside};
use super::tree::Tree;
use super::triangles::{OpenEdges, Triangles};
use crate::shape::Solid;

/// A file this large is surely no mesh, and must not fill the memory.
const LARGEST: u64 = 1 << 30;

/// What a file contains, in the units of the file.
#[derive(Debug)]
pub(crate) struct MeshFile {
    triangles: Triangles,
    checksum: String,
    solid: Result<Arc<MeshSolid>, NoInside>,
    /// The surface and its rim, if anyone asked for a sheet.
    sheet: OnceLock<(Arc<Tree>, Option<Arc<Tree>>)>,
}

impl MeshFile {
    /// Reads a file, or says what is wrong with it.
    pub(crate) fn read(path: &Path) -> Result<MeshFile, String> {
        let bytes = read_limited(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let beside = |name: &str| read_limited(&folder.join(name));
        let triangles = format::read(path, &bytes, &beside).map_err(|fault| fault.to_string())?;
        let solid = MeshSolid::new(&triangles).map(Arc::new);
        Ok(MeshFile { triangles, checksum: checksum(&bytes), solid, sheet: OnceLock::new() })
    }

    /// What it encloses, or why it encloses nothing.
    pub(crate) fn solid(&self) -> Result<Arc<MeshSolid>, String> {
        self.solid.clone().map_err(|refused| explained(&refused))
    }

    /// Its surface, which ends so much before its rim [units of the file]: that of what it encloses, if it has no rim.
    pub(crate) fn surface(&self, margin: f64) -> Arc<dyn Solid> {
        let (surface, rim) = self.sheet.get_or_init(|| {
            let tree = |triangles: &Triangles| Arc::new(Tree::new(triangles));
            (tree(&self.triangles), self.triangles.rim().as_ref().map(tree))
        });
        match (&self.solid, rim) {
            (Ok(solid), None) => Arc::clone(solid) as Arc<dyn Solid>,
            _ => Arc::new(Sheet { surface: Arc::clone(surface), rim: rim.clone(), margin }),
        }
    }

    /// Its vertices and triangles [units of the file].
    pub(crate) fn faces(&self) -> (&[DVec3], &[[u32; 3]]) {
        (&self.triangles.vertices, &self.triangles.faces)
    }

    /// The area of its surface, if that has a rim [units of the file, squared].
    pub(crate) fn open_area(&self) -> Option<f64> {
        self.triangles.rim().map(|_| self.triangles.area())
    }

    /// Refuses contents that are not those of the checksum.
    pub(crate) fn verify(&self, expected: Option<&str>) -> Result<(), String> {
        verified(&self.checksum, expected)
    }

    /// The mesh as PLY.
    pub(crate) fn copy(&self) -> Vec<u8> {
        to_ply(&self.triangles)
    }
}

/// What triangles enclose, or why they enclose nothing.
pub(crate) fn enclosed(triangles: Triangles) -> Result<MeshSolid, String> {
    MeshSolid::new(&triangles.checked()?).map_err(|refused| explained(&refused))
}

/// Refuses a checksum that is not the expected one.
pub(super) fn verified(checksum: &str, expected: Option<&str>) -> Result<(), String> {
    match expected {
        Some(expected) if expected != checksum => {
            Err(format!("it was changed: its checksum is {checksum}, not {expected}"))
        }
        _ => Ok(()),
    }
}

pub(super) fn checksum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

pub(super) fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => format!("there is no file {}", path.display()),
        ErrorKind::IsADirectory => format!("{} is a folder", path.display()),
        ErrorKind::PermissionDenied => format!("{} may not be read", path.display()),
        _ => format!("{}: {error}", path.display()),
    };
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{} is larger than {} MB", path.display(), LARGEST >> 20));
    }
    Ok(bytes)
}

/// Why a mesh has no inside, with places.
fn explained(NoInside { open: OpenEdges { count, first }, undecided }: &NoInside) -> String {
    if *count == 0 {
        return "it encloses no volume: its faces lie back to back".into();
    }
    let place = |point: &DVec3| format!("({:.4}, {:.4}, {:.4})", point.x, point.y, point.z);
    let edges: Vec<_> = first.iter().map(|[a, b]| format!("{} to {}", place(a), place(b))).collect();
    let inside = match undecided {
        Some(share) => format!("{:.0} % of its volume is neither inside nor outside", 100.0 * share.min(1.0)),
        None => "nothing is inside".into(),
    };
    let plural = if *count == 1 { "" } else { "s" };
    format!("it is not closed: {inside}; it has {count} open edge{plural}, such as {}", edges.join(", "))
}
