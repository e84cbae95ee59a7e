//! Points on the surface: which particles lie there, which way it faces, and more points between them (Sol09 6.2).

mod crowd;
mod detect;
mod interpolate;
mod lists;
mod normals;
mod offspring;
mod refine;

pub use detect::{Detection, detect};
pub use interpolate::{Displacement, Oriented, Rule, between};
pub use normals::{Normals, normals};
pub use refine::{PointCloud, Refinement, refine, shrink};
