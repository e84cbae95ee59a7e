//! The triangles of a cube, for each of the 256 ways in which its corners can be inside or outside.
//!
//! The table is derived, not typed. On each face of the cube the surface cuts off every run of inside corners by
//! itself (of two inside corners that face each other across a diagonal, each one alone), a rule that both cubes of
//! a face follow: so meshes have no cracks. The cuts join to loops around the cube. A loop is divided into triangles
//! by diagonals that lie on no face, so that no other cube can have the same: then every side has two triangles.

use std::sync::LazyLock;

/// An edge of the cube: its direction, and the corner it starts from. Corner k has the coordinates k & 1, k >> 1 & 1, k >> 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub(super) axis: u8,
    pub(super) corner: u8,
}

impl Edge {
    fn between(a: u8, b: u8) -> Edge {
        Edge { axis: (a ^ b).trailing_zeros() as u8, corner: a.min(b) }
    }

    /// Its place among 24 (of which 12 are used).
    fn place(self) -> usize {
        usize::from(self.axis) * 8 + usize::from(self.corner)
    }

    fn ends(self) -> [u8; 2] {
        [self.corner, self.corner | 1 << self.axis]
    }
}

/// The triangles of every case; bit k of a case says that corner k is inside.
pub(super) static TABLE: LazyLock<Vec<Vec<[Edge; 3]>>> = LazyLock::new(|| {
    (0..=255).map(|case| loops(case).into_iter().flat_map(|edges| divide(&edges)).collect()).collect()
});

/// The corners of each face, counter-clockwise as seen from outside.
fn faces() -> impl Iterator<Item = [u8; 4]> {
    (0..3_u8).flat_map(|axis| {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let far = 1 << axis;
        [[v, u | v, u, 0], [far, far | u, far | u | v, far | v]]
    })
}

fn share_a_face(a: Edge, b: Edge) -> bool {
    faces().any(|face| a.ends().iter().chain(&b.ends()).all(|corner| face.contains(corner)))
}

/// The closed lines in which the surface cuts the faces.
fn loops(case: u8) -> Vec<Vec<Edge>> {
    let is_inside = |corner: u8| case >> corner & 1 == 1;
    let mut next: [Option<Edge>; 24] = [None; 24];
    let mut starts = Vec::new();
    for face in faces() {
        for k in 0..4 {
            let (before, first) = (face[(k + 3) % 4], face[k]);
            if !is_inside(first) || is_inside(before) {
                continue;
            }
            let mut last = k;
            while is_inside(face[(last + 1) % 4]) {
                last += 1;
            }
            let (enters, leaves) = (Edge::between(before, first), Edge::between(face[last % 4], face[(last + 1) % 4]));
            next[enters.place()] = Some(leaves);
            starts.push(enters);
        }
    }
    starts.sort_unstable();
    let mut loops = Vec::new();
    for start in starts {
        let (mut edges, mut at) = (Vec::new(), start);
        while let Some(following) = next[at.place()].take() {
            edges.push(at);
            at = following;
        }
        if !edges.is_empty() {
            loops.push(edges);
        }
    }
    loops
}

/// Cuts off corner after corner by diagonals on no face. There is always a way, as a test shows.
fn divide(edges: &[Edge]) -> Vec<[Edge; 3]> {
    if let &[a, b, c] = edges {
        return vec![[a, b, c]];
    }
    let count = edges.len();
    for k in 0..count {
        let (before, at, after) = (edges[(k + count - 1) % count], edges[k], edges[(k + 1) % count]);
        if share_a_face(before, after) {
            continue;
        }
        let rest: Vec<Edge> = edges.iter().copied().filter(|&edge| edge != at).collect();
        let mut triangles = divide(&rest);
        if !triangles.is_empty() {
            triangles.push([before, at, after]);
            return triangles;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_of_every_case_is_divided() {
        assert_eq!(TABLE.len(), 256);
        for case in 0..=255_u8 {
            let corners: usize = loops(case).iter().map(|edges| edges.len() - 2).sum();
            assert_eq!(TABLE[usize::from(case)].len(), corners, "{case}");
            assert!(corners <= 5);
        }
        assert!(TABLE[0].is_empty() && TABLE[255].is_empty());
    }

    #[test]
    fn vertices_lie_where_one_end_is_inside() {
        for case in 0..=255_u8 {
            let crossed = |edge: &Edge| edge.ends().map(|corner| case >> corner & 1).iter().sum::<u8>() == 1;
            assert!(TABLE[usize::from(case)].iter().flatten().all(crossed), "{case}");
        }
    }

    #[test]
    fn the_corner_at_the_origin_is_cut_off_outwards() {
        let edge = |axis| Edge { axis, corner: 0 };
        assert_eq!(TABLE[1], [[edge(0), edge(1), edge(2)]]);
    }
}
