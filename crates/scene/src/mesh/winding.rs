//! How often a surface winds around a point, also if it has holes, folds or wrong sides.
//!
//! The generalised winding number (Jacobson 2013) is the solid angle of all triangles over 4π. Each triangle counts
//! exactly (Van Oosterom & Strackee 1983):
//!
//! ```text
//! tan(Ω/2) = a·(b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)
//! ```
//!
//! Triangles that are far together are summed at once (Barill 2018): from afar they look like one area vector `A` at
//! their centre, `Ω ≈ A·r / |r|³`. Only this first term of the series is used: what matters is on which side of one
//! half the number lies.

use glam::DVec3;

/// How far a group must be to be seen as one, in its own radii.
const FAR: f64 = 2.5;

/// A group of triangles as seen from afar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dipole {
    centre: DVec3,
    area: DVec3,
    /// From how far the group counts as one, squared [m²].
    far: f64,
}

impl Dipole {
    /// The dipole of some triangles.
    pub(super) fn new(triangles: &[[DVec3; 3]]) -> Dipole {
        let (mut area, mut weight, mut centre) = (DVec3::ZERO, 0.0, DVec3::ZERO);
        for [a, b, c] in triangles {
            let own = 0.5 * (b - a).cross(c - a);
            area += own;
            weight += own.length();
            centre += own.length() * (a + b + c) / 3.0;
        }
        let centre = if weight > 0.0 { centre / weight } else { triangles[0][0] };
        let reach = triangles.iter().flatten().map(|corner| corner.distance_squared(centre)).fold(0.0, f64::max);
        Dipole { centre, area, far: FAR * FAR * reach }
    }

    /// Its solid angle [sr], if the point is far enough.
    pub(super) fn solid_angle(&self, point: DVec3) -> Option<f64> {
        let way = self.centre - point;
        let distance = way.length_squared();
        (distance > self.far).then(|| self.area.dot(way) / (distance * distance.sqrt()))
    }
}

/// The solid angle of a triangle [sr], positive if it is seen from behind; zero in its own plane.
pub(super) fn solid_angle(point: DVec3, triangle: &[DVec3; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - point);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let projection = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    if volume == 0.0 { 0.0 } else { 2.0 * volume.atan2(projection) }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::mesh::tests::{ball, points};
    use crate::mesh::tree::Tree;

    #[test]
    fn a_face_of_a_cube_fills_a_sixth_of_the_view_from_its_middle() {
        let corner = |y: f64, z: f64| DVec3::new(1.0, y, z);
        let half = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)];
        let angle = solid_angle(DVec3::ZERO, &half);
        assert!((angle - 4.0 * PI / 12.0).abs() < 1e-12, "{angle}");
        let turned = [half[0], half[2], half[1]];
        assert_eq!(solid_angle(DVec3::ZERO, &turned), -angle);
    }

    #[test]
    fn a_closed_mesh_winds_once_around_its_inside() {
        let mesh = ball(4);
        let tree = Tree::new(&mesh);
        let mut worst = 0.0_f64;
        for point in points(2000, 1.5) {
            if (point.length() - 1.0).abs() > 0.01 {
                let exact = if point.length() < 1.0 { 1.0 } else { 0.0 };
                worst = worst.max((tree.winding_number(point) - exact).abs());
            }
        }
        assert!(worst < 0.03, "{worst}");
    }

    #[test]
    fn the_sum_over_groups_is_that_over_triangles() {
        let mut mesh = ball(3);
        // A surface with holes, folds and wrong sides.
        mesh.faces.retain(|face| face[0] % 5 != 0);
        mesh.faces.iter_mut().step_by(7).for_each(|face| face.swap(0, 1));
        let tree = Tree::new(&mesh);
        for point in points(300, 1.5) {
            let exact: f64 = (0..mesh.faces.len()).map(|face| solid_angle(point, &mesh.corners(face))).sum();
            assert!((tree.winding_number(point) - exact / (4.0 * PI)).abs() < 0.02);
        }
    }
}
