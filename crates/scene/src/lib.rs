//! Scene files of thixo, in three stages with a type each.
//!
//! ```text
//! text -> WrittenScene: a document in which every value knows its place; overrides change it
//!      -> Scene:        held against the schema, then against what it means; nothing is wrong any more
//!      -> BuiltScene:   a simulation, its probes, and who is who in it
//! ```
//!
//! [`WrittenScene::check`] finds all problems at once, each with place, cause and remedy. [`Description`] declares what
//! a scene may say; the JSON schema, the checks and the scene reference all come from there.

mod auto;
mod build;
mod checked;
mod clamp;
mod document;
mod emitter;
mod estimate;
#[cfg(test)]
mod fixtures;
mod gallery;
mod heat;
mod interface;
mod joint;
mod load;
mod meaning;
mod memory;
mod mesh;
mod motion;
mod near;
mod pictures;
mod probe;
mod probes;
mod problem;
mod random;
mod reference;
mod rehearsal;
mod sampling;
mod scene;
mod schema;
mod shape;
mod skin;
mod structure;
mod warnings;
mod wording;
mod world;
mod written;

pub use build::BuiltScene;
pub use checked::{Filling, KeptScene, Matter, Scene, StreamOf};
pub use clamp::Clamp;
pub use emitter::{Disc, Emitter, OpeningShape, Polygon, Rectangle, Sink};
pub use estimate::{Estimate, Inflow};
pub use gallery::{GalleryScene, gallery};
pub use heat::{Heater, Moment};
pub use interface::{Interface, Wetting};
pub use joint::{Hinge, HingeMotor, Joint, JointKind, Pivot, Slider, SliderMotor};
pub use load::{Load, LoadPlace};
pub use mesh::{KeptFile, Mesh};
pub use motion::{
    Deformation, DeformationFormula, LinearDeformation, LinearVelocity, RotationVelocity, VelocityField,
    VelocityFormula,
};
pub use pictures::{Camera, ColorMap, Film, Images, Style};
pub use probe::{
    ForceProbe, FrontProbe, JointProbe, Measure, MotionProbe, PositionProbe, PressureProbe, Probe, TotalProbe,
};
pub use probes::Probes;
pub use problem::{Excerpt, Problem, Problems};
pub use reference::reference;
pub use rehearsal::{Forecast, Rehearsal};
pub use sampling::{Arrangement, Fill, Overlap, Rows, Sampling, Seed};
pub use scene::{Body, Description, FrameFormat, Output, Provenance, Time, Vector, Wall};
pub use schema::schema;
pub use shape::{
    BoxShape, Capsule, Cone, Curve, Cylinder, Ellipsoid, Faces, Grid, HeightField, Outline, Plane, Repeat, Scatter,
    Shape, Shell, SmoothUnion, Sphere, Torus, Transform, Turn,
};
pub use skin::{Skin, SkinFile, SkinShape};
pub use wording::nearest;
pub use world::{EnergyGain, Periodic, Up, World};
pub use written::WrittenScene;
