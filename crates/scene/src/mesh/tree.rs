//! Triangles in a tree of boxes, to find the nearest one and to sum over far ones at once.

use glam::DVec3;

use super::triangles::Triangles;
use super::winding::{Dipole, solid_angle};

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// Halved so often that even as many triangles as memory holds are apart.
const DEEPEST: usize = 64;

/// The tree. Nodes lie in the order in which they are visited, parents before children, so that a child's number is
/// never stored for the left one.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    triangles: Vec<[DVec3; 3]>,
}

/// A box around some of the triangles.
#[derive(Clone, Copy, Debug)]
struct Node {
    min: DVec3,
    max: DVec3,
    /// What its triangles look like from afar.
    dipole: Dipole,
    /// First triangle and how many for a leaf; else the right child and zero. The left child comes next.
    start: u32,
    count: u32,
}

impl Tree {
    /// Sorts the triangles.
    pub(super) fn new(mesh: &Triangles) -> Tree {
        let mut triangles: Vec<_> = (0..mesh.faces.len()).map(|face| mesh.corners(face)).collect();
        let mut nodes = Vec::with_capacity(triangles.len());
        build(&mut triangles, 0, 0, &mut nodes);
        Tree { nodes, triangles }
    }

    /// Lowest and highest corner of everything [m].
    pub(super) fn bounds(&self) -> (DVec3, DVec3) {
        self.nodes.first().map_or((DVec3::INFINITY, DVec3::NEG_INFINITY), |root| (root.min, root.max))
    }

    /// Distance to the nearest triangle [m], if it is less than `reach`; else `reach`.
    pub(super) fn distance(&self, point: DVec3, reach: f64) -> f64 {
        let mut best = reach * reach;
        let mut stack = [(0.0, 0); DEEPEST + 1];
        let mut waiting = 1;
        stack[0] = (self.nodes[0].distance_squared(point), 0);
        while waiting > 0 {
            waiting -= 1;
            let (distance, index) = stack[waiting];
            if distance >= best {
                continue;
            }
            let node = &self.nodes[index];
            if node.count > 0 {
                for triangle in self.leaf(node) {
                    best = best.min(distance_squared(point, triangle));
                }
                continue;
            }
            let children =
                [index + 1, node.start as usize].map(|child| (self.nodes[child].distance_squared(point), child));
            // The nearer one is looked at first: it makes the other unnecessary most often.
            let [near, far] = if children[0].0 <= children[1].0 { children } else { [children[1], children[0]] };
            (stack[waiting], stack[waiting + 1]) = (far, near);
            waiting += 2;
        }
        best.sqrt()
    }

    /// How often a straight way goes into the surface, less how often it goes out; none if it meets an edge, or one of
    /// its ends is on a triangle, so that rounding would decide.
    pub(super) fn crossings(&self, from: DVec3, to: DVec3) -> Option<i32> {
        let (low, high) = (from.min(to), from.max(to));
        let mut stack = [0; DEEPEST + 1];
        let mut waiting = 1;
        let mut sum = 0;
        while waiting > 0 {
            waiting -= 1;
            let index = stack[waiting];
            let node = &self.nodes[index];
            if node.min.cmpgt(high).any() || node.max.cmplt(low).any() {
                continue;
            }
            if node.count > 0 {
                for triangle in self.leaf(node) {
                    sum += crossing(from, to - from, triangle)?;
                }
                continue;
            }
            (stack[waiting], stack[waiting + 1]) = (node.start as usize, index + 1);
            waiting += 2;
        }
        Some(sum)
    }

    /// How often the surface winds around a point [-]: one inside of a closed mesh, zero outside.
    pub(super) fn winding_number(&self, point: DVec3) -> f64 {
        self.winding(0, point) / (4.0 * std::f64::consts::PI)
    }

    fn winding(&self, index: usize, point: DVec3) -> f64 {
        let node = &self.nodes[index];
        if let Some(angle) = node.dipole.solid_angle(point) {
            return angle;
        }
        match node.count {
            0 => self.winding(index + 1, point) + self.winding(node.start as usize, point),
            _ => self.leaf(node).iter().map(|triangle| solid_angle(point, triangle)).sum(),
        }
    }

    fn leaf(&self, node: &Node) -> &[[DVec3; 3]] {
        &self.triangles[node.start as usize..(node.start + node.count) as usize]
    }
}

impl Node {
    fn distance_squared(&self, point: DVec3) -> f64 {
        (self.min - point).max(point - self.max).max(DVec3::ZERO).length_squared()
    }
}

/// Appends the node of some triangles and all below it; `first` is where they lie among all triangles.
fn build(triangles: &mut [[DVec3; 3]], first: usize, depth: usize, nodes: &mut Vec<Node>) {
    let corners = triangles.iter().flatten();
    let min = corners.clone().fold(DVec3::INFINITY, |low, corner| low.min(*corner));
    let max = corners.fold(DVec3::NEG_INFINITY, |high, corner| high.max(*corner));
    let dipole = Dipole::new(triangles);
    let own = nodes.len();
    nodes.push(Node { min, max, dipole, start: first as u32, count: triangles.len() as u32 });
    if triangles.len() <= LEAF || depth + 2 >= DEEPEST {
        return;
    }
    let middle = triangles.len() / 2;
    let axis = (max - min).max_position();
    let centre = |triangle: &[DVec3; 3]| triangle[0][axis] + triangle[1][axis] + triangle[2][axis];
    triangles.select_nth_unstable_by(middle, |a, b| centre(a).total_cmp(&centre(b)));
    let (left, right) = triangles.split_at_mut(middle);
    build(left, first, depth + 1, nodes);
    (nodes[own].start, nodes[own].count) = (nodes.len() as u32, 0);
    build(right, first + middle, depth + 1, nodes);
}

/// 1 if the way goes through a triangle from the front, −1 from behind, else 0; none if rounding would decide
/// (Möller & Trumbore 1997).
fn crossing(from: DVec3, way: DVec3, [a, b, c]: &[DVec3; 3]) -> Option<i32> {
    const ROUNDING: f64 = 1e-9;
    let (ab, ac, start) = (b - a, c - a, from - a);
    let across = way.cross(ac);
    let volume = ab.dot(across);
    let normal = ab.cross(ac);
    if volume.abs() <= ROUNDING * normal.length() * way.length() {
        // Along the triangle: harmless unless in its plane.
        let height = start.dot(normal).abs();
        return (height > ROUNDING * normal.length() * way.length()).then_some(0);
    }
    let turned = start.cross(ab);
    let (u, v) = (start.dot(across) / volume, way.dot(turned) / volume);
    let along = ac.dot(turned) / volume;
    let least = u.min(v).min(1.0 - u - v).min(along).min(1.0 - along);
    match least {
        least if least > ROUNDING => Some(if volume > 0.0 { 1 } else { -1 }),
        least if least < -ROUNDING => Some(0),
        _ => None,
    }
}

/// Squared distance of a point to a triangle [m²] (the regions of Ericson 2005, 5.1.5).
fn distance_squared(point: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ap.length_squared();
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return bp.length_squared();
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (ap - ab * (d1 / (d1 - d3))).length_squared();
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return cp.length_squared();
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (ap - ac * (d2 / (d2 - d6))).length_squared();
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (bp - (c - b) * along).length_squared();
    }
    let inside = 1.0 / (va + vb + vc);
    (ap - ab * (vb * inside) - ac * (vc * inside)).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{ball, points};

    #[test]
    fn the_nearest_triangle_is_the_nearest_of_many_points_of_all() {
        let mesh = ball(3);
        let tree = Tree::new(&mesh);
        for point in points(200, 2.0) {
            let brute = (0..mesh.faces.len()).map(|face| distance_squared(point, &mesh.corners(face)));
            let brute = brute.fold(f64::INFINITY, f64::min).sqrt();
            assert!((tree.distance(point, f64::INFINITY) - brute).abs() < 1e-12);
            assert_eq!(tree.distance(point, 0.5 * brute), 0.5 * brute);
        }
    }

    #[test]
    fn a_way_into_a_ball_crosses_its_surface_once() {
        let tree = Tree::new(&ball(3));
        let ends: Vec<_> = points(400, 1.6).collect();
        for pair in ends.windows(2) {
            let within = |point: DVec3| i32::from(tree.winding_number(point).round() == 1.0);
            if let Some(found) = tree.crossings(pair[0], pair[1]) {
                assert_eq!(found, within(pair[1]) - within(pair[0]), "{pair:?}");
            }
        }
        let through_edges = tree.crossings(DVec3::new(0.3, -2.0, 0.0), DVec3::new(0.3, 2.0, 0.0));
        assert_eq!(through_edges, None);
    }

    #[test]
    fn the_distance_to_a_triangle_is_that_to_its_nearest_point() {
        let triangle = [DVec3::new(0.1, 0.0, -0.2), DVec3::new(1.0, 0.3, 0.0), DVec3::new(0.2, 0.9, 0.4)];
        const STEPS: usize = 300;
        for point in points(60, 2.0) {
            let mut nearest = f64::INFINITY;
            for i in 0..=STEPS {
                for j in 0..=STEPS - i {
                    let (u, v) = (i as f64 / STEPS as f64, j as f64 / STEPS as f64);
                    let place = triangle[0] + u * (triangle[1] - triangle[0]) + v * (triangle[2] - triangle[0]);
                    nearest = place.distance(point).min(nearest);
                }
            }
            let found = distance_squared(point, &triangle).sqrt();
            assert!(found <= nearest + 1e-12 && nearest < found + 0.006, "{point}: {found} {nearest}");
        }
    }
}
