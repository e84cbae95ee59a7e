//! Shapes from mesh files.

mod file;
mod format;
mod holes;
mod solid;
#[cfg(test)]
mod tests;
mod tree;
mod triangles;
mod winding;

pub(crate) use file::MeshFile;
pub use file::MeshShape;
pub(crate) use format::to_ply;
