//! Particles as spheres.

use glam::Vec3;

use super::{Hit, Shape, colour_of};
use crate::bvh::Bvh;
use crate::colour::Colour;
use crate::ray::{Bounds, Ray};

/// Spheres of one radius. They are seen from outside only: a camera within one looks through it.
#[derive(Clone, Debug)]
pub struct Spheres {
    radius: f32,
    /// In the order of the tree.
    centres: Vec<Vec3>,
    colours: Vec<Colour>,
    bvh: Bvh,
}

impl Spheres {
    /// Around the given centres, in the given colours: one for each, or one for all. A centre that is not finite is
    /// left out.
    pub fn new(centres: &[Vec3], radius: f32, colours: &[Colour]) -> Spheres {
        let shown: Vec<usize> = (0..centres.len()).filter(|&k| centres[k].is_finite()).collect();
        let bounds = shown.iter().map(|&k| Bounds { low: centres[k], high: centres[k] }.grown(radius));
        let (bvh, order) = Bvh::new(bounds);
        let sorted: Vec<usize> = order.iter().map(|&place| shown[place as usize]).collect();
        Spheres {
            radius,
            centres: sorted.iter().map(|&k| centres[k]).collect(),
            colours: sorted.iter().map(|&k| colour_of(colours, k)).collect(),
            bvh,
        }
    }
}

impl Shape for Spheres {
    fn bounds(&self) -> Bounds {
        self.bvh.bounds()
    }

    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        let (k, distance) = self.bvh.nearest(ray, limit, |k| sphere_distance(ray, self.centres[k], self.radius))?;
        let normal = (ray.at(distance) - self.centres[k]).normalize_or(-ray.direction);
        Some(Hit { distance, normal, colour: self.colours[k] })
    }

    fn is_met(&self, ray: &Ray, limit: f32) -> bool {
        self.bvh.is_met(ray, limit, |k| sphere_distance(ray, self.centres[k], self.radius))
    }
}

/// Where a ray enters a sphere from outside.
///
/// With the part of the way to the centre that is across the ray, not with its whole length: a small sphere far away
/// keeps its digits.
#[inline]
pub(crate) fn sphere_distance(ray: &Ray, centre: Vec3, radius: f32) -> Option<f32> {
    let way = centre - ray.origin;
    let along = way.dot(ray.direction);
    let across = way - along * ray.direction;
    let inside = radius * radius - across.length_squared();
    if inside < 0.0 {
        return None;
    }
    let distance = along - inside.sqrt();
    (distance > 0.0).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ray_enters_a_sphere_where_geometry_says() {
        let centre = Vec3::new(0.0, 0.0, -5.0);
        let distance = |x: f32, radius| sphere_distance(&Ray::new(Vec3::new(x, 0.0, 0.0), -Vec3::Z), centre, radius);
        assert_eq!(distance(0.0, 2.0), Some(3.0));
        // 3-4-5: the ray passes 3 beside the centre of a sphere of radius 5, which it enters 4 before.
        assert_eq!(distance(3.0, 4.9), Some(5.0 - (4.9_f32 * 4.9 - 9.0).sqrt()));
        assert_eq!(distance(3.0, 2.9), None);
        // From within, and looking away.
        assert_eq!(distance(0.0, 6.0), None);
        assert_eq!(sphere_distance(&Ray::new(Vec3::ZERO, Vec3::Z), centre, 2.0), None);
    }

    #[test]
    fn small_spheres_far_away_keep_their_shape() {
        let ray = Ray::new(Vec3::ZERO, Vec3::Z);
        let found = sphere_distance(&ray, Vec3::new(0.006, 0.0, 1e4), 0.01).unwrap();
        assert!((found - (1e4 - 0.008)).abs() < 2e-3);
        assert_eq!(sphere_distance(&ray, Vec3::new(0.0101, 0.0, 1e4), 0.01), None);
    }

    #[test]
    fn nearest_sphere_is_seen_in_its_colour_and_lost_ones_are_left_out() {
        let centres = [Vec3::new(0.0, 0.0, -9.0), Vec3::new(0.0, 0.0, -5.0), Vec3::NAN, Vec3::new(0.0, 0.0, -7.0)];
        let colours = [Colour::X, Colour::Y, Colour::Z, Colour::ONE];
        let spheres = Spheres::new(&centres, 1.0, &colours);
        let hit = spheres.nearest(&Ray::new(Vec3::ZERO, -Vec3::Z), f32::INFINITY).unwrap();
        assert_eq!(hit, Hit { distance: 4.0, normal: Vec3::Z, colour: Colour::Y });
        assert!(!spheres.is_met(&Ray::new(Vec3::ZERO, -Vec3::Z), 3.9));
        assert_eq!(spheres.centres.len(), 3);
        assert!(Spheres::new(&[], 1.0, &[]).bounds().is_empty());
    }
}
