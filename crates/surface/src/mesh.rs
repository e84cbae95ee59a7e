//! Triangle meshes, and what can be said of them.

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::field::Field;

/// A quantity at every vertex of a mesh, or at every point of a cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// What it is: `velocity`.
    pub name: String,
    /// Numbers per vertex: 1, or 3 for a vector.
    pub components: usize,
    /// The numbers, vertex after vertex.
    pub values: Vec<f32>,
}

/// A triangle mesh. Seen from outside, the vertices of a triangle run counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices [m].
    pub position: Vec<Vec3>,
    /// Outward unit normals of the vertices.
    pub normal: Vec<Vec3>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Quantities at the vertices.
    pub attributes: Vec<Attribute>,
}

/// What keeps a mesh from being the closed surface of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    /// Sides that only one triangle has.
    pub open: usize,
    /// Sides that more than two triangles have, or two that disagree about what is outside.
    pub tangled: usize,
    /// Vertices at which several parts of the surface touch, or that no triangle has.
    pub pinched: usize,
    /// Vertices at the very place of another.
    pub doubled: usize,
    /// Triangles that have a vertex twice.
    pub degenerate: usize,
}

impl Flaws {
    /// Is the mesh closed, oriented and manifold, every vertex once?
    pub fn is_none(&self) -> bool {
        *self == Flaws::default()
    }
}

impl Mesh {
    /// The corners of a triangle [m].
    fn corners(&self, triangle: &[u32; 3]) -> [DVec3; 3] {
        triangle.map(|vertex| self.position[vertex as usize].as_dvec3())
    }

    /// Total area [m²].
    pub fn area(&self) -> f64 {
        let double = |triangle| {
            let [a, b, c] = self.corners(triangle);
            (b - a).cross(c - a).length()
        };
        0.5 * self.triangles.iter().map(double).sum::<f64>()
    }

    /// Enclosed volume [m³], if the mesh is closed.
    pub fn volume(&self) -> f64 {
        // Measured from a vertex: from a far origin digits would cancel.
        let origin = self.position.first().map_or(DVec3::ZERO, |first| first.as_dvec3());
        let sixfold = |triangle| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - origin);
            a.dot(b.cross(c))
        };
        self.triangles.iter().map(sixfold).sum::<f64>() / 6.0
    }

    /// Sets normals by the slope of a field at the vertices.
    pub fn set_normals_by_field(&mut self, field: &impl Field) {
        self.normal = self.position.par_iter().with_min_len(256).map(|&at| field.normal(at)).collect();
    }

    /// Sets normals by the triangles around each vertex, large ones counting more.
    pub fn set_normals_by_triangles(&mut self) {
        let mut sums = vec![DVec3::ZERO; self.position.len()];
        for triangle in &self.triangles {
            let [a, b, c] = self.corners(triangle);
            let double = (b - a).cross(c - a);
            triangle.iter().for_each(|&vertex| sums[vertex as usize] += double);
        }
        self.normal = sums.iter().map(|sum| sum.normalize_or(DVec3::Y).as_vec3()).collect();
    }

    /// Gives vertices a copy for every smooth part of the surface around them, so that normals are those of the parts: one ends
    /// where triangles are turned against each other by more than the angle of this cosine. The mesh has no quantities yet.
    pub fn split_at_edges(&mut self, cosine: f64) {
        let mut parts: Vec<Vec<(u32, DVec3)>> = vec![Vec::new(); self.position.len()];
        for number in 0..self.triangles.len() {
            let [a, b, c] = self.corners(&self.triangles[number]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for vertex in &mut self.triangles[number] {
                let known = &mut parts[*vertex as usize];
                let own = known.iter().find(|(_, first)| first.dot(normal) >= cosine).map(|(copy, _)| *copy);
                *vertex = own.unwrap_or_else(|| {
                    let copy = if known.is_empty() { *vertex } else { self.position.len() as u32 };
                    if !known.is_empty() {
                        self.position.push(self.position[*vertex as usize]);
                    }
                    known.push((copy, normal));
                    copy
                });
            }
        }
    }

    /// The piece that each vertex belongs to, and how many there are. Pieces are numbered by their first vertex.
    pub fn pieces(&self) -> (Vec<u32>, usize) {
        let mut parent: Vec<u32> = (0..self.position.len() as u32).collect();
        for &[a, b, c] in &self.triangles {
            for other in [b, c] {
                let (low, high) = (root(&mut parent, a), root(&mut parent, other));
                parent[low.max(high) as usize] = low.min(high);
            }
        }
        let mut count = 0;
        let mut piece = vec![0; parent.len()];
        for vertex in 0..parent.len() {
            let first = root(&mut parent, vertex as u32) as usize;
            if first == vertex {
                piece[vertex] = count;
                count += 1;
            } else {
                piece[vertex] = piece[first];
            }
        }
        (piece, count as usize)
    }

    /// Puts another mesh beside this one. Both must have the same attributes.
    pub fn append(&mut self, other: Mesh) {
        let first = self.position.len() as u32;
        if first == 0 {
            *self = other;
            return;
        }
        self.position.extend(other.position);
        self.normal.extend(other.normal);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        for (mine, theirs) in self.attributes.iter_mut().zip(other.attributes) {
            mine.values.extend(theirs.values);
        }
    }

    /// Looks for everything that a closed surface must not have.
    pub fn flaws(&self) -> Flaws {
        let mut flaws = Flaws::default();
        // How often each side is run through forwards and backwards.
        let mut sides: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        for &[a, b, c] in &self.triangles {
            flaws.degenerate += usize::from(a == b || b == c || c == a);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let runs = sides.entry((from.min(to), from.max(to))).or_default();
                if from < to { runs.0 += 1 } else { runs.1 += 1 }
            }
        }
        for runs in sides.values() {
            match runs {
                (1, 1) => {}
                (1, 0) | (0, 1) => flaws.open += 1,
                _ => flaws.tangled += 1,
            }
        }
        flaws.pinched = self.pinched_vertices();
        let mut places: Vec<[u32; 3]> = self.position.iter().map(|place| place.to_array().map(f32::to_bits)).collect();
        places.sort_unstable();
        flaws.doubled = places.windows(2).filter(|pair| pair[0] == pair[1]).count();
        flaws
    }

    /// Vertices whose triangles do not form one ring.
    fn pinched_vertices(&self) -> usize {
        // Round each vertex, the side opposite to it leads from one neighbour to the next.
        let mut next: HashMap<(u32, u32), u32> = HashMap::new();
        let mut ring = vec![(0_u32, 0_u32); self.position.len()];
        for &[a, b, c] in &self.triangles {
            for (vertex, from, to) in [(a, b, c), (b, c, a), (c, a, b)] {
                next.insert((vertex, from), to);
                ring[vertex as usize] = (ring[vertex as usize].0 + 1, from);
            }
        }
        let is_ring = |vertex: u32, (count, first): (u32, u32)| {
            let mut at = first;
            for step in 1..=count {
                match next.get(&(vertex, at)) {
                    Some(&to) if to == first => return step == count,
                    Some(&to) => at = to,
                    None => return false,
                }
            }
            false
        };
        ring.iter().enumerate().filter(|&(vertex, &ring)| !is_ring(vertex as u32, ring)).count()
    }
}

fn root(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        // Halving the way keeps later searches short.
        parent[vertex as usize] = parent[parent[vertex as usize] as usize];
        vertex = parent[vertex as usize];
    }
    vertex
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tetrahedron with three right angles at the origin.
    pub(crate) fn tetrahedron() -> Mesh {
        Mesh {
            position: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            ..Mesh::default()
        }
    }

    #[test]
    fn a_tetrahedron_is_sound_and_measured() {
        let mut mesh = tetrahedron();
        assert!(mesh.flaws().is_none(), "{:?}", mesh.flaws());
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-12);
        assert!((mesh.area() - 1.5 - 0.75_f64.sqrt()).abs() < 1e-7);
        mesh.set_normals_by_triangles();
        assert!((mesh.normal[0] + Vec3::splat(3.0_f32.sqrt().recip())).length() < 1e-6);
        assert!(mesh.normal[1].x > 0.0);
    }

    /// Three of its faces meet at right angles, and each of these and the fourth at 125 degrees.
    #[test]
    fn sharp_edges_have_normals_of_both_sides() {
        let mut blunt = tetrahedron();
        blunt.split_at_edges(-0.9);
        assert_eq!(blunt, tetrahedron());
        let mut sharp = tetrahedron();
        sharp.split_at_edges(0.5);
        assert_eq!((sharp.position.len(), sharp.area()), (12, tetrahedron().area()));
        sharp.set_normals_by_triangles();
        for triangle in &sharp.triangles {
            let [a, b, c] = triangle.map(|vertex| sharp.normal[vertex as usize]);
            assert!(a.distance(b) + b.distance(c) < 1e-6);
        }
    }

    #[test]
    fn every_flaw_is_found() {
        let broken = |change: fn(&mut Mesh)| {
            let mut mesh = tetrahedron();
            change(&mut mesh);
            mesh.flaws()
        };
        assert_eq!(broken(|mesh| mesh.triangles.truncate(3)).open, 3);
        assert_eq!(broken(|mesh| mesh.triangles[0].swap(0, 1)).tangled, 3);
        assert_eq!(broken(|mesh| mesh.position.push(Vec3::ONE)).pinched, 1);
        assert_eq!(broken(|mesh| mesh.position[1] = Vec3::ZERO).doubled, 1);
        assert_eq!(broken(|mesh| mesh.triangles[0] = [0, 0, 1]).degenerate, 1);
        // Two tetrahedra that share a corner are pinched there.
        let mut mesh = tetrahedron();
        let other = [[0, 5, 4], [0, 4, 6], [0, 6, 5], [4, 5, 6]];
        mesh.position.extend([Vec3::NEG_X, Vec3::NEG_Z, Vec3::NEG_Y]);
        mesh.triangles.extend(other);
        assert_eq!(mesh.flaws(), Flaws { pinched: 1, ..Flaws::default() });
    }

    #[test]
    fn pieces_are_told_apart_and_put_together() {
        let mut mesh = tetrahedron();
        let mut other = tetrahedron();
        other.position.iter_mut().for_each(|place| *place += 5.0);
        mesh.append(other);
        assert_eq!(mesh.pieces(), (vec![0, 0, 0, 0, 1, 1, 1, 1], 2));
        assert!(mesh.flaws().is_none() && (mesh.volume() - 1.0 / 3.0).abs() < 1e-6);
    }
}
