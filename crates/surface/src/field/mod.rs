//! Implicit surfaces: a number at every point of space, positive inside matter, zero on its surface.

mod calibration;
mod centre_of_mass;
mod iso_density;
mod patch;

pub use centre_of_mass::{CentreOfMass, CentreOfMassField};
pub use iso_density::{DensityField, Iso, IsoDensity};
pub use patch::{Nearby, PATCH, POINTS, Patch};

use glam::Vec3;

use crate::samples::{Bounds, Samples};

/// A surface given by a function: positive inside, zero on the surface, negative outside.
///
/// A ray tracer needs no more: beyond [`Field::bounds`] there is nothing, and within it the surface lies in the
/// boxes of [`Samples::boxes`], grown by the reach.
pub trait Field: Sync {
    /// The particles that the field is made of. Farther than their reach it is the same everywhere, and negative.
    fn samples(&self) -> &Samples;

    /// The value at a point.
    fn value(&self, at: Vec3) -> f32;

    /// The value at a point, and how it grows along the axes [1/m]. Inwards is up: the normal of the surface is the
    /// other way round.
    fn value_and_gradient(&self, at: Vec3) -> (f32, Vec3);

    /// The values at the points of a little grid. `nearby` holds the particles that reach it.
    fn fill(&self, patch: &Patch, nearby: &[Nearby], values: &mut [f32; POINTS]);

    /// What the particle at each place in the order of cells counts for.
    fn weights(&self) -> &[f32];

    /// The shape of the kernel by which quantities of particles are carried to the surface.
    fn kernel(&self) -> crate::kernel::Kernel;

    /// A box that holds the whole surface; none if there are no particles.
    fn bounds(&self) -> Option<Bounds> {
        self.samples().bounds().map(|bounds| bounds.grown(self.samples().reach()))
    }

    /// The outward unit normal of the surface through, or next to, a point.
    fn normal(&self, at: Vec3) -> Vec3 {
        (-self.value_and_gradient(at).1).normalize_or(Vec3::Y)
    }
}
