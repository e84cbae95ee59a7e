//! Triangle meshes.

use glam::Vec3;

use super::{Hit, Shape, colour_of};
use crate::bvh::Bvh;
use crate::colour::Colour;
use crate::ray::{Bounds, Ray};

/// How far beyond its edges a triangle reaches, as a share of itself: no ray slips through between two.
const SEAM: f32 = 1e-5;

/// Triangles that share vertices. They are seen from both sides.
#[derive(Clone, Debug)]
pub struct Mesh {
    positions: Vec<Vec3>,
    /// One for each vertex; none for a faceted look.
    normals: Vec<Vec3>,
    colours: Vec<Colour>,
    /// In the order of the tree.
    triangles: Vec<[u32; 3]>,
    bvh: Bvh,
}

impl Mesh {
    /// Triangles, counterclockwise from outside, over vertices with normals (or none: flat faces) and colours (one for
    /// each vertex, or one for all). A triangle whose vertices are missing or not finite is left out.
    pub fn new(positions: &[Vec3], normals: &[Vec3], triangles: &[[u32; 3]], colours: &[Colour]) -> Mesh {
        let corners = |triangle: &[u32; 3]| triangle.map(|k| positions.get(k as usize).copied().unwrap_or(Vec3::NAN));
        let is_sound = |triangle: &&[u32; 3]| corners(triangle).iter().all(|corner| corner.is_finite());
        let sound: Vec<[u32; 3]> = triangles.iter().filter(is_sound).copied().collect();
        let (bvh, order) = Bvh::new(sound.iter().map(|triangle| {
            let bounds = Bounds::around(corners(triangle));
            bounds.grown(SEAM * bounds.diagonal())
        }));
        Mesh {
            positions: positions.to_vec(),
            normals: if normals.len() == positions.len() { normals.to_vec() } else { Vec::new() },
            colours: colours.to_vec(),
            triangles: order.iter().map(|&place| sound[place as usize]).collect(),
            bvh,
        }
    }

    /// A box.
    pub fn cuboid(bounds: &Bounds, colour: Colour) -> Mesh {
        // Counterclockwise from outside, over the corners as they are numbered: bit 0 for x, bit 1 for y, bit 2 for z.
        const FACES: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<_> = FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Mesh::new(&bounds.corners(), &[], &triangles, &[colour])
    }

    fn corners(&self, k: usize) -> [Vec3; 3] {
        self.triangles[k].map(|vertex| self.positions[vertex as usize])
    }

    fn meet(&self, ray: &Ray, k: usize) -> Option<f32> {
        triangle(ray, self.corners(k)).map(|(distance, _, _)| distance)
    }
}

impl Shape for Mesh {
    fn bounds(&self) -> Bounds {
        self.bvh.bounds()
    }

    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        let (k, _) = self.bvh.nearest(ray, limit, |k| self.meet(ray, k))?;
        let [a, b, c] = self.corners(k);
        let (distance, u, v) = triangle(ray, [a, b, c])?;
        let shares = [1.0 - u - v, u, v];
        let blend = |value: &dyn Fn(usize) -> Vec3| -> Vec3 {
            self.triangles[k].iter().zip(shares).map(|(&vertex, share)| value(vertex as usize) * share).sum()
        };
        let face = (b - a).cross(c - a).normalize_or(-ray.direction);
        let smooth = self.normals.get(..1).map(|_| blend(&|vertex| self.normals[vertex]).normalize_or(face));
        // A smooth normal must not turn a face seen from outside into one seen from inside.
        let is_same_side = |normal: &Vec3| normal.dot(ray.direction) * face.dot(ray.direction) > 0.0;
        let normal = smooth.filter(is_same_side).unwrap_or(face);
        Some(Hit { distance, normal, colour: blend(&|vertex| colour_of(&self.colours, vertex)) })
    }

    fn is_met(&self, ray: &Ray, limit: f32) -> bool {
        self.bvh.is_met(ray, limit, |k| self.meet(ray, k))
    }
}

/// Where a ray meets a triangle, and the shares of its second and third corner there (Möller and Trumbore 1997).
fn triangle(ray: &Ray, [a, b, c]: [Vec3; 3]) -> Option<(f32, f32, f32)> {
    let (to_b, to_c) = (b - a, c - a);
    let across = ray.direction.cross(to_c);
    let volume = to_b.dot(across);
    let from = ray.origin - a;
    let u = from.dot(across) / volume;
    let turned = from.cross(to_b);
    let v = ray.direction.dot(turned) / volume;
    let distance = to_c.dot(turned) / volume;
    // A ray within the plane divides by zero and fails here.
    (u >= -SEAM && v >= -SEAM && u + v <= 1.0 + SEAM && distance > 0.0 && distance.is_finite())
        .then_some((distance, u, v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangle_is_met_where_geometry_says() {
        let corners = [Vec3::new(0.0, 0.0, -2.0), Vec3::new(4.0, 0.0, -2.0), Vec3::new(0.0, 4.0, -2.0)];
        let meet = |x, y, direction| triangle(&Ray::new(Vec3::new(x, y, 0.0), direction), corners);
        assert_eq!(meet(1.0, 2.0, -Vec3::Z), Some((2.0, 0.25, 0.5)));
        assert_eq!(meet(1.0, 2.0, Vec3::Z), None);
        assert_eq!(meet(3.0, 2.0, -Vec3::Z), None);
        assert_eq!(meet(-0.1, 2.0, -Vec3::Z), None);
        assert_eq!(meet(1.0, 2.0, Vec3::X), None);
        assert_eq!(triangle(&Ray::new(Vec3::ZERO, -Vec3::Z), [Vec3::ONE; 3]), None);
    }

    #[test]
    fn box_has_outward_normals_from_outside_and_from_within() {
        let bounds = Bounds { low: -Vec3::ONE, high: Vec3::ONE };
        let mesh = Mesh::cuboid(&bounds, Colour::X);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
            // Off the diagonal, so that one triangle is met.
            let aside = axis.any_orthonormal_vector() * 0.3;
            let hit = mesh.nearest(&Ray::new(3.0 * axis + aside, -axis), f32::INFINITY).unwrap();
            assert_eq!((hit.distance, hit.normal, hit.colour), (2.0, axis, Colour::X));
            let within = mesh.nearest(&Ray::new(aside, axis), f32::INFINITY).unwrap();
            assert_eq!((within.distance, within.normal), (1.0, axis));
        }
    }

    #[test]
    fn normals_and_colours_are_blended_and_broken_triangles_left_out() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN];
        let normals = [Vec3::Z, Vec3::new(0.6, 0.0, 0.8), Vec3::Z, Vec3::Z];
        let colours = [Colour::ZERO, Colour::ONE, Colour::ZERO, Colour::ZERO];
        let mesh = Mesh::new(&positions, &normals, &[[0, 1, 2], [0, 1, 3], [0, 1, 9]], &colours);
        assert_eq!(mesh.triangles.len(), 1);
        let hit = mesh.nearest(&Ray::new(Vec3::new(0.5, 0.25, 1.0), -Vec3::Z), f32::INFINITY).unwrap();
        assert!((hit.normal - Vec3::new(0.3, 0.0, 0.9).normalize()).length() < 1e-6);
        assert!((hit.colour - Colour::splat(0.5)).length() < 1e-6);
    }
}
