//! Thin rods: the edges of tanks.

use glam::Vec3;

use super::{Hit, Shape};
use crate::bvh::Bvh;
use crate::colour::Colour;
use crate::ray::{Bounds, Ray};

/// Rods of one radius and colour, with round ends.
#[derive(Clone, Debug)]
pub struct Rods {
    /// In the order of the tree.
    ends: Vec<[Vec3; 2]>,
    radius: f32,
    colour: Colour,
    bvh: Bvh,
}

/// The twelve edges of a box, as pairs of its corners.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

impl Rods {
    /// From end to end.
    pub fn new(ends: &[[Vec3; 2]], radius: f32, colour: Colour) -> Rods {
        let (bvh, order) = Bvh::new(ends.iter().map(|&ends| Bounds::around(ends).grown(radius)));
        Rods { ends: order.iter().map(|&place| ends[place as usize]).collect(), radius, colour, bvh }
    }

    /// The edges of a box; of a flat one, those of its rectangle.
    pub fn edges(bounds: &Bounds) -> Vec<[Vec3; 2]> {
        let corners = bounds.corners();
        let edges = EDGES.map(|[a, b]| [corners[a], corners[b]]);
        edges.into_iter().filter(|[a, b]| a != b).collect()
    }
}

impl Shape for Rods {
    fn bounds(&self) -> Bounds {
        self.bvh.bounds()
    }

    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        let meet = |k: usize| rod(ray, self.ends[k], self.radius);
        let (k, distance) = self.bvh.nearest(ray, limit, |k| meet(k).map(|(distance, _)| distance))?;
        meet(k).map(|(_, normal)| Hit { distance, normal, colour: self.colour })
    }
}

/// Where a ray enters a rod from outside, and the normal there.
///
/// Along the axis a + s (b - a), the ray is nearest to the axis where both connecting lines are upright; the surface is
/// met before by the share of the radius that is left. Outside 0 <= s <= 1 the sphere at the nearer end counts.
fn rod(ray: &Ray, [a, b]: [Vec3; 2], radius: f32) -> Option<(f32, Vec3)> {
    let axis = b - a;
    let way = ray.origin - a;
    let (length, slant, behind) = (axis.dot(axis), axis.dot(ray.direction), axis.dot(way));
    // Roots of the distance of o + t d to the infinite axis, squared, minus the radius squared, times the length.
    let square = length - slant * slant;
    let linear = length * way.dot(ray.direction) - behind * slant;
    let constant = length * (way.length_squared() - radius * radius) - behind * behind;
    let inside = linear * linear - square * constant;
    let distance = (-linear - inside.max(0.0).sqrt()) / square;
    let share = (behind + distance * slant) / length;
    if inside >= 0.0 && square > 0.0 && (0.0..=1.0).contains(&share) {
        let normal = (ray.at(distance) - (a + share * axis)) / radius;
        return (distance > 0.0).then_some((distance, normal));
    }
    let ends = [a, b].into_iter().filter_map(|end| {
        let distance = super::spheres::sphere_distance(ray, end, radius)?;
        Some((distance, (ray.at(distance) - end) / radius))
    });
    ends.min_by(|a, b| a.0.total_cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rods_are_met_on_their_sides_and_at_their_ends() {
        let rods = Rods::new(&[[Vec3::ZERO, 2.0 * Vec3::X]], 0.5, Colour::ONE);
        let meet = |x: f32, y: f32| rods.nearest(&Ray::new(Vec3::new(x, y, 9.0), -Vec3::Z), f32::INFINITY);
        assert_eq!(meet(1.0, 0.0).unwrap(), Hit { distance: 8.5, normal: Vec3::Z, colour: Colour::ONE });
        // 0.3-0.4-0.5.
        assert!((meet(1.0, 0.3).unwrap().distance - 8.6).abs() < 1e-5);
        assert!((meet(-0.3, 0.0).unwrap().distance - 8.6).abs() < 1e-5);
        assert!((meet(2.3, 0.0).unwrap().normal - Vec3::new(0.6, 0.0, 0.8)).length() < 1e-5);
        assert!(meet(1.0, 0.51).is_none() && meet(2.51, 0.0).is_none());
        let along = rods.nearest(&Ray::new(Vec3::new(-3.0, 0.0, 0.0), Vec3::X), f32::INFINITY).unwrap();
        assert!((along.distance - 2.5).abs() < 1e-5 && (along.normal + Vec3::X).length() < 1e-5);
        assert!(rods.nearest(&Ray::new(Vec3::new(1.0, 0.0, 9.0), Vec3::Z), f32::INFINITY).is_none());
    }

    #[test]
    fn box_has_twelve_edges_and_rectangle_four_twice() {
        let space = Bounds { low: Vec3::ZERO, high: Vec3::ONE };
        assert_eq!(Rods::edges(&space).len(), 12);
        assert!(Rods::edges(&space).iter().all(|[a, b]| (*b - *a).length() == 1.0));
        let flat = Bounds { low: Vec3::ZERO, high: Vec3::new(1.0, 1.0, 0.0) };
        assert_eq!(Rods::edges(&flat).len(), 8);
    }
}
