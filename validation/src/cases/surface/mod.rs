//! V1 to V4: surfaces of particles against shapes that are known, and DG96 Fig. 7.

pub(crate) mod concave;
pub(crate) mod detection;
pub(crate) mod refinement;
mod samplings;
pub(crate) mod volume;
pub(crate) mod volume_in_time;

use thixo_surface::{DVec3, Vec3};

use crate::experiment::Conditions;

/// Circumstances of a surface of so many particles.
fn conditions(particles: usize, support_over_spacing: f64) -> Conditions {
    Conditions { particles: particles as u64, support_over_spacing, precision: "f32", ..Conditions::default() }
}

/// A place of the simulation in single precision, whatever it is built in.
fn single(at: thixo_sim::Vec3) -> Vec3 {
    DVec3::new(f64::from(at.x), f64::from(at.y), f64::from(at.z)).as_vec3()
}
