//! From particles to surfaces.
//!
//! Positions go in, as slices; a surface comes out: as an implicit [`Field`] that a ray tracer can follow, as a closed
//! triangle [`Mesh`], or as a cloud of points that is finer than the particles.

mod error;
mod field;
mod kernel;
mod marching;
mod mesh;
mod points;
mod quantity;
mod samples;
mod smooth;
mod symmetric;
#[cfg(test)]
mod testing;

pub use error::SurfaceError;
pub use field::{CentreOfMass, CentreOfMassField, DensityField, Field, Iso, IsoDensity, Nearby, PATCH, POINTS, Patch};
pub use kernel::{Kernel, Shape};
pub use marching::{triangulate, triangulate_volume};
pub use mesh::{Attribute, Flaws, Mesh};
pub use points::{
    Detection, Displacement, Normals, Oriented, PointCloud, Refinement, Rule, between, detect, normals, refine, shrink,
};
pub use quantity::{Quantity, carry};
pub use samples::{Bounds, Samples};
pub use smooth::smooth;
