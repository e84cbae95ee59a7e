//! Points of a surface, splatted: a disc around each, across its normal.

use glam::Vec3;

use super::{Hit, Shape, colour_of};
use crate::bvh::Bvh;
use crate::colour::Colour;
use crate::ray::{Bounds, Ray};

/// Discs of one radius. They are seen from both sides.
#[derive(Clone, Debug)]
pub struct Discs {
    radius: f32,
    /// In the order of the tree.
    discs: Vec<Disc>,
    bvh: Bvh,
}

#[derive(Clone, Copy, Debug)]
struct Disc {
    centre: Vec3,
    normal: Vec3,
    colour: Colour,
}

impl Discs {
    /// Around points, across their normals (of any length), in the given colours: one for each, or one for all. What
    /// is not finite, or has no direction, is left out.
    pub fn new(centres: &[Vec3], normals: &[Vec3], radius: f32, colours: &[Colour]) -> Discs {
        let discs = centres.iter().zip(normals).enumerate().filter_map(|(k, (&centre, normal))| {
            let normal = normal.try_normalize().filter(|_| centre.is_finite())?;
            Some(Disc { centre, normal, colour: colour_of(colours, k) })
        });
        let discs: Vec<Disc> = discs.collect();
        let (bvh, order) = Bvh::new(discs.iter().map(|disc| disc.bounds(radius)));
        Discs { radius, discs: order.iter().map(|&place| discs[place as usize]).collect(), bvh }
    }
}

impl Disc {
    /// A disc of radius r across n reaches r √(1 - n²) along each axis.
    fn bounds(&self, radius: f32) -> Bounds {
        let reach = radius * (Vec3::ONE - self.normal * self.normal).max(Vec3::ZERO).map(f32::sqrt);
        // A little more, so that no box is flat.
        let reach = reach + Vec3::splat(1e-4 * radius);
        Bounds { low: self.centre - reach, high: self.centre + reach }
    }

    fn distance(&self, ray: &Ray, radius: f32) -> Option<f32> {
        let distance = (self.centre - ray.origin).dot(self.normal) / ray.direction.dot(self.normal);
        let is_near = (ray.at(distance) - self.centre).length_squared() <= radius * radius;
        (distance > 0.0 && is_near).then_some(distance)
    }
}

impl Shape for Discs {
    fn bounds(&self) -> Bounds {
        self.bvh.bounds()
    }

    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        let (k, distance) = self.bvh.nearest(ray, limit, |k| self.discs[k].distance(ray, self.radius))?;
        let Disc { normal, colour, .. } = self.discs[k];
        Some(Hit { distance, normal, colour })
    }

    fn is_met(&self, ray: &Ray, limit: f32) -> bool {
        self.bvh.is_met(ray, limit, |k| self.discs[k].distance(ray, self.radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_are_met_within_their_radius_from_both_sides() {
        let normals = [Vec3::new(0.0, 0.0, 7.0), Vec3::ZERO, Vec3::Z];
        let discs = Discs::new(&[Vec3::ZERO, Vec3::X, Vec3::NAN], &normals, 0.5, &[Colour::Y]);
        assert_eq!(discs.discs.len(), 1);
        let meet = |x, z: f32| discs.nearest(&Ray::new(Vec3::new(x, 0.0, z), -Vec3::Z * z.signum()), f32::INFINITY);
        assert_eq!(meet(0.4, 2.0), Some(Hit { distance: 2.0, normal: Vec3::Z, colour: Colour::Y }));
        assert_eq!(meet(0.4, -2.0).unwrap().normal, Vec3::Z);
        assert_eq!(meet(0.6, 2.0), None);
        assert!(!discs.is_met(&Ray::new(Vec3::new(-3.0, 0.0, 0.1), Vec3::X), f32::INFINITY));
    }

    #[test]
    fn slanted_disc_lies_in_its_box() {
        let normal = Vec3::new(1.0, 2.0, 2.0) / 3.0;
        let bounds = Disc { centre: Vec3::ZERO, normal, colour: Colour::ONE }.bounds(3.0);
        let (a, b) = normal.any_orthonormal_pair();
        let rim = Bounds::around((0..3600).map(|k| {
            let (sin, cos) = (k as f32 / 3600.0 * std::f32::consts::TAU).sin_cos();
            3.0 * (a * cos + b * sin)
        }));
        assert!((rim.high - bounds.high).abs().max_element() < 1e-3, "{rim:?} {bounds:?}");
    }
}
