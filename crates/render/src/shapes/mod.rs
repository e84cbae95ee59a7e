//! What rays can meet: spheres, discs, triangles, rods, the level of a field.

mod discs;
mod level;
mod mesh;
mod rods;
mod spheres;

use glam::Vec3;

use crate::colour::Colour;
use crate::ray::{Bounds, Ray};

pub use discs::Discs;
pub use level::{Field, Level, Stride};
pub use mesh::Mesh;
pub use rods::Rods;
pub use spheres::Spheres;
#[cfg(test)]
pub(crate) use spheres::sphere_distance;

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How far along the ray.
    pub distance: f32,
    /// The outward normal there, of length one.
    pub normal: Vec3,
    /// The colour of the shape there.
    pub colour: Colour,
}

/// Something that rays can meet.
pub trait Shape: Send + Sync {
    /// Around all of it.
    fn bounds(&self) -> Bounds;

    /// The first place where a ray meets it, before `limit`.
    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Hit>;

    /// Does a ray meet it before `limit`?
    fn is_met(&self, ray: &Ray, limit: f32) -> bool {
        self.nearest(ray, limit).is_some()
    }
}

/// A colour for each of many things, or one for all.
pub(crate) fn colour_of(colours: &[Colour], index: usize) -> Colour {
    colours.get(index).or(colours.last()).copied().unwrap_or(Colour::splat(0.5))
}
