//! A surface made of triangles, and what is wrong with it.

use std::collections::HashMap;

use glam::DVec3;

/// Most triangles of a mesh: a few gigabytes.
pub(super) const MOST_TRIANGLES: usize = 20_000_000;

/// The farthest coordinate that is believed [units of the file]. Beyond, areas and volumes leave the numbers.
const FARTHEST: f64 = 1e12;

/// Triangles that share vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Triangles {
    /// Where the vertices are.
    pub(crate) vertices: Vec<DVec3>,
    /// Three vertices each, counter-clockwise as seen from outside.
    pub(crate) faces: Vec<[u32; 3]>,
}

/// Edges that are not shared by two faces in opposite directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OpenEdges {
    /// How many there are.
    pub(crate) count: usize,
    /// Both ends of the first few.
    pub(crate) first: Vec<[DVec3; 2]>,
}

impl Triangles {
    /// Adds a polygon as a fan of triangles, which has the same rim and hence the same winding number.
    pub(super) fn add_polygon(&mut self, corners: &[u32]) -> Result<(), String> {
        if let [first, rest @ ..] = corners {
            self.faces.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        }
        if self.faces.len() > MOST_TRIANGLES {
            return Err(format!("there are more than {MOST_TRIANGLES} triangles"));
        }
        Ok(())
    }

    /// Refuses what no computation could use, and lets vertices at the same place be one.
    pub(super) fn checked(self) -> Result<Triangles, String> {
        if self.faces.is_empty() {
            return Err("it has no triangles".into());
        }
        let used = self.faces.iter().flatten().map(|&vertex| (vertex, self.vertices.get(vertex as usize)));
        for (number, vertex) in used {
            match vertex {
                None => return Err(missing_vertex(i64::from(number) + 1, self.vertices.len())),
                Some(place) if !place.is_finite() => {
                    return Err(format!("vertex {} is at {place}, which is no place", number + 1));
                }
                Some(place) if place.abs().max_element() > FARTHEST => {
                    return Err(format!("vertex {} is at {place}, which is absurdly far away", number + 1));
                }
                Some(_) => {}
            }
        }
        let welded = self.welded();
        if welded.faces.is_empty() {
            return Err("none of its triangles has an area".into());
        }
        Ok(welded)
    }

    /// One vertex for each place, in the order of first use; faces with fewer than three places are dropped. What
    /// is welded already stays as it is.
    fn welded(&self) -> Triangles {
        let mut numbers: HashMap<[u64; 3], u32> = HashMap::with_capacity(self.vertices.len());
        let mut vertices = Vec::new();
        let mut faces = Vec::with_capacity(self.faces.len());
        for face in &self.faces {
            let places = face.map(|vertex| self.vertices[vertex as usize]);
            if places[0] == places[1] || places[1] == places[2] || places[2] == places[0] {
                continue;
            }
            faces.push(places.map(|place| {
                // Zero has two signs and is one place.
                let key = (place + DVec3::ZERO).to_array().map(f64::to_bits);
                *numbers.entry(key).or_insert_with(|| {
                    vertices.push(place);
                    vertices.len() as u32 - 1
                })
            }));
        }
        Triangles { vertices, faces }
    }

    /// The corners of a face.
    pub(crate) fn corners(&self, face: usize) -> [DVec3; 3] {
        self.faces[face].map(|vertex| self.vertices[vertex as usize])
    }

    /// The edges along which the surface ends, or changes its side.
    pub(crate) fn open_edges(&self) -> OpenEdges {
        const TOLD: usize = 3;
        let mut edges: Vec<(u32, u32, i8)> = Vec::with_capacity(3 * self.faces.len());
        for [a, b, c] in &self.faces {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.push(if from < to { (*from, *to, 1) } else { (*to, *from, -1) });
            }
        }
        edges.sort_unstable();
        let mut open = OpenEdges::default();
        for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if same.iter().map(|edge| i64::from(edge.2)).sum::<i64>() != 0 {
                open.count += 1;
                if open.first.len() < TOLD {
                    open.first.push([same[0].0, same[0].1].map(|vertex| self.vertices[vertex as usize]));
                }
            }
        }
        open
    }

    /// The edges that only one face has, as triangles without area; none if there are none.
    pub(super) fn rim(&self) -> Option<Triangles> {
        let mut edges: Vec<_> = Vec::with_capacity(3 * self.faces.len());
        for [a, b, c] in &self.faces {
            edges.extend([(a, b), (b, c), (c, a)].map(|(from, to)| [*from.min(to), *from.max(to)]));
        }
        edges.sort_unstable();
        let single = edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]);
        let faces: Vec<_> = single.map(|[a, b]| [a, b, b]).collect();
        (!faces.is_empty()).then(|| Triangles { vertices: self.vertices.clone(), faces })
    }

    /// The area of all faces.
    pub(super) fn area(&self) -> f64 {
        let of_face = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
        (0..self.faces.len()).map(|face| of_face(self.corners(face))).sum()
    }

    /// The volume that they enclose if they are closed; negative if they are inside out. By the divergence theorem.
    pub(super) fn volume(&self) -> f64 {
        let cone = |face| {
            let [a, b, c] = self.corners(face).map(|corner| corner - self.vertices[0]);
            a.dot(b.cross(c)) / 6.0
        };
        (0..self.faces.len()).map(cone).sum()
    }

    /// The longest edge of a box around them.
    pub(super) fn extent(&self) -> f64 {
        let [low, high] = [DVec3::min, DVec3::max].map(|end| self.vertices.iter().copied().reduce(end));
        low.zip(high).map_or(0.0, |(low, high)| (high - low).max_element())
    }

    /// The same triangles, moved.
    #[cfg(test)]
    pub(crate) fn moved(mut self, to: impl Fn(DVec3) -> DVec3) -> Triangles {
        self.vertices.iter_mut().for_each(|vertex| *vertex = to(*vertex));
        self
    }
}

/// What a face is told that names a vertex which does not exist; vertices are counted from 1.
pub(super) fn missing_vertex(number: i64, count: usize) -> String {
    format!("a face has vertex {number}, but there are {count}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{ball, cube};

    #[test]
    fn vertices_at_one_place_become_one_and_stay_so() {
        let separate = cube().moved(|place| place + DVec3::X);
        let mut soup = Triangles::default();
        for face in 0..separate.faces.len() {
            let first = soup.vertices.len() as u32;
            soup.vertices.extend(separate.corners(face));
            soup.faces.push([first, first + 1, first + 2]);
        }
        // Zero of either sign is the same place.
        soup.vertices.iter_mut().step_by(2).filter(|place| place.x == 0.0).for_each(|place| place.x = -0.0);
        let welded = soup.clone().checked().unwrap();
        assert_eq!((welded.vertices.len(), welded.faces.len()), (8, 12));
        assert_eq!(welded.clone().checked().unwrap(), welded);
        assert_eq!(welded.open_edges(), OpenEdges::default());
        assert!(soup.open_edges().count == 36);
    }

    #[test]
    fn open_edges_are_counted_and_shown() {
        let mut mesh = ball(2);
        assert_eq!(mesh.open_edges().count, 0);
        let [a, b, _] = mesh.corners(0);
        mesh.faces.remove(0);
        let open = mesh.open_edges();
        assert_eq!((open.count, open.first.len()), (3, 3));
        assert!(open.first.iter().any(|edge| edge.contains(&a) && edge.contains(&b)));
        // A face turned over agrees with none of its neighbours; one that is there twice neither.
        let mut turned = ball(2);
        turned.faces[0].swap(1, 2);
        assert_eq!(turned.open_edges().count, 3);
        let mut twice = ball(2);
        twice.faces.push(twice.faces[0]);
        assert_eq!(twice.open_edges().count, 3);
    }

    #[test]
    fn senseless_triangles_are_refused() {
        let with = |vertex: DVec3, face: [u32; 3]| Triangles {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, vertex],
            faces: vec![[0, 1, 2], face],
        };
        let cause = |mesh: Triangles| mesh.checked().unwrap_err();
        assert_eq!(cause(Triangles::default()), "it has no triangles");
        assert_eq!(cause(with(DVec3::Z, [0, 1, 4])), "a face has vertex 5, but there are 4");
        assert_eq!(cause(with(DVec3::NAN, [0, 1, 3])), "vertex 4 is at [NaN, NaN, NaN], which is no place");
        assert!(cause(with(DVec3::Z * 1e13, [0, 1, 3])).contains("absurdly far"));
        assert!(with(DVec3::NAN, [0, 1, 2]).checked().is_ok(), "an unused vertex does no harm");
        let flat = Triangles { vertices: vec![DVec3::X; 3], faces: vec![[0, 1, 2]] };
        assert_eq!(cause(flat), "none of its triangles has an area");
    }
}
