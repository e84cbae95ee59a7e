//! Shapes from mesh files.

mod file;
mod format;
mod holes;
mod landscape;
mod shape;
mod sheet;
mod solid;
mod template;
#[cfg(test)]
mod tests;
mod tree;
mod triangles;
mod winding;

pub(crate) use file::{MeshFile, enclosed};
pub(crate) use landscape::Landscape;
pub(crate) use shape::Files;
pub use shape::{KeptFile, Mesh};
pub(crate) use template::{Moved, Template};
