//! From particles to surfaces.
//!
//! Positions go in, as slices; a surface comes out: as an implicit [`Field`] that a ray tracer can follow, as a closed
//! triangle [`Mesh`], or as a [`PointCloud`] that is finer than the particles. Everything runs in the rayon pool it is
//! called in, and gives the same bits for any number of threads.
//!
//! ```
//! use glam::Vec3;
//! use thixo_surface::{Quantity, Reconstruction, ply};
//!
//! // Two particles, 0.1 m apart at rest, one fast and one slow.
//! let position = [Vec3::ZERO, Vec3::X * 0.1];
//! let speed = Quantity { name: "speed", components: 1, values: &[0.0, 2.0] };
//! let surface = Reconstruction::default().surface(&position, 0.1, &[speed])?;
//! assert!(surface.mesh.flaws().is_none());
//! assert!((surface.mesh.volume() - 0.002).abs() < 2e-4);
//! let mut file = Vec::new();
//! ply::write_mesh(&mut file, &surface.mesh, &["a dumb-bell"])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to start: `reconstruct` is the whole way on a page; `field` has the two implicit surfaces, `marching` the
//! triangles, `points` the refinement.

mod error;
mod field;
mod kernel;
mod marching;
mod mesh;
pub mod ply;
mod points;
mod quantity;
mod reconstruct;
mod samples;
mod skin;
mod smooth;
#[cfg(feature = "splashsurf")]
mod splashsurf;
mod symmetric;
#[cfg(test)]
mod testing;

pub use error::SurfaceError;
pub use field::{CentreOfMass, CentreOfMassField, DensityField, Field, Iso, IsoDensity, Nearby, PATCH, POINTS, Patch};
pub use glam::{DVec3, Vec3};
pub use kernel::{Kernel, Shape};
pub use marching::{triangulate, triangulate_volume};
pub use mesh::{Attribute, Flaws, Mesh};
pub use points::{
    Detection, Displacement, Normals, Oriented, PointCloud, Refinement, Rule, between, detect, normals, refine, shrink,
};
pub use quantity::{Quantity, carry};
pub use reconstruct::{Method, Reconstruction, Refining, Surface};
pub use samples::{Bounds, Samples};
pub use skin::{Carried, Skin};
pub use smooth::smooth;
#[cfg(feature = "splashsurf")]
pub use splashsurf::Splashsurf;
