//! Scene files of thixo: TOML to a checked [`Scene`] to a simulation.
//!
//! ```text
//! text -> document (every value knows its place) -> structure (against the schema) -> meaning -> Scene
//! Scene -> sampling (shapes to particles) -> Simulation
//! ```
//!
//! [`Scene::read`] finds all problems at once, each with place, cause and remedy. `scene.rs` declares what a scene
//! may say; the JSON schema, the checks and the scene reference all come from there.

mod auto;
mod build;
mod clamp;
mod document;
mod estimate;
#[cfg(test)]
mod fixtures;
mod gallery;
mod load;
mod meaning;
mod mesh;
mod motion;
mod near;
mod pictures;
mod probes;
mod problem;
mod random;
mod read;
mod reference;
mod sampling;
mod scene;
mod schema;
mod shape;
mod skin;
mod structure;
mod wording;

pub use build::BuildError;
pub use clamp::Clamp;
pub use estimate::Estimate;
pub use gallery::{GalleryScene, gallery};
pub use load::{Load, LoadPlace};
pub use mesh::{KeptFile, Mesh};
pub use motion::{LinearVelocity, RotationVelocity, VelocityField};
pub use pictures::{Camera, ColorMap, Film, Images, Style};
pub use probes::Probes;
pub use problem::{Excerpt, Problem, Problems};
pub use reference::reference;
pub use sampling::{Arrangement, Fill, Overlap, Rows, Sampling, Seed};
pub use scene::{
    Body, ForceProbe, FrameFormat, FrontProbe, Measure, Output, Periodic, PositionProbe, PressureProbe, Probe,
    Provenance, Scene, Time, TotalProbe, Up, Vector, Wall, World,
};
pub use schema::schema;
pub use shape::{
    BoxShape, Capsule, Cone, Curve, Cylinder, Ellipsoid, Grid, HeightField, Outline, Plane, Repeat, Scatter, Shape,
    Shell, SmoothUnion, Sphere, Torus, Transform, Turn,
};
pub use skin::{Skin, SkinFile, SkinShape};
pub use wording::nearest;
