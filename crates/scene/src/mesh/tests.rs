//! Meshes for the tests, and what a solid must keep.

use std::collections::HashMap;

use glam::DVec3;

use super::solid::{MeshSolid, NoInside};
use super::triangles::Triangles;
use crate::shape::Solid;

/// The cube from −1 to 1.
pub(super) fn cube() -> Triangles {
    let vertices = (0..8).map(|k| DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64) * 2.0 - 1.0);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut mesh = Triangles { vertices: vertices.collect(), faces: Vec::new() };
    quads.iter().for_each(|quad| mesh.add_polygon(quad).unwrap());
    mesh
}

/// An octahedron whose faces are quartered so often, on the unit sphere.
pub(crate) fn ball(quartered: usize) -> Triangles {
    let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let faces = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let mut mesh = Triangles { vertices: axes.to_vec(), faces };
    for _ in 0..quartered {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let Triangles { vertices, faces } = &mut mesh;
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        let quarters = faces.iter().flat_map(|&[a, b, c]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        });
        *faces = quarters.collect();
    }
    mesh
}

/// Points that are spread over a cube of this half edge, always the same (R3 sequence of Roberts 2018).
pub(super) fn points(count: usize, half: f64) -> impl Iterator<Item = DVec3> {
    let step = DVec3::new(0.819_172_513_396_164_5, 0.671_043_606_703_789_3, 0.549_700_477_901_970_3);
    (0..count).map(move |k| ((step * k as f64 + 0.5).fract() * 2.0 - 1.0) * half)
}

fn solid(mesh: &Triangles) -> MeshSolid {
    MeshSolid::new(mesh).unwrap()
}

#[test]
fn a_cube_has_the_distances_of_a_cube() {
    let solid = solid(&cube());
    let exact = crate::shape::Bounds { min: DVec3::NEG_ONE, max: DVec3::ONE };
    for point in points(3000, 1.7) {
        assert!((solid.distance(point) - exact.distance(point)).abs() < 1e-9, "{point}");
    }
    assert_eq!(solid.bounds(), exact);
}

#[test]
fn a_ball_has_the_distances_of_a_ball_inverted_or_doubled() {
    let mut inverted = ball(5);
    inverted.faces.iter_mut().for_each(|face| face.swap(0, 1));
    let mut doubled = ball(5);
    doubled.faces.extend_from_within(..3000);
    for mesh in [ball(5), inverted, doubled] {
        let solid = solid(&mesh);
        for point in points(2000, 1.3) {
            let exact = point.length() - 1.0;
            assert!((solid.distance(point) - exact).abs() < 1e-3, "{point}: {}", solid.distance(point));
        }
    }
}

#[test]
fn two_balls_that_meet_are_one_solid() {
    let shift = 0.7 * DVec3::X;
    let mut both = ball(4).moved(|place| place - shift);
    let first = both.vertices.len() as u32;
    let other = ball(4).moved(|place| place + shift);
    both.vertices.extend(other.vertices);
    both.faces.extend(other.faces.iter().map(|face| face.map(|vertex| vertex + first)));
    let solid = solid(&both);
    for point in points(2000, 2.0) {
        let exact = (point - shift).length().min((point + shift).length()) - 1.0;
        if exact.abs() > 0.005 {
            assert_eq!(solid.distance(point) < 0.0, exact < 0.0, "{point}");
        }
    }
}

#[test]
fn a_small_hole_is_closed_and_its_cover_is_part_of_the_surface() {
    let mut mesh = ball(5);
    // The top of the ball is missing, as wide as 0.35.
    mesh.faces.retain(|face| face.iter().any(|&vertex| mesh.vertices[vertex as usize].z < 0.94));
    assert!(mesh.open_edges().count > 20);
    let solid = solid(&mesh);
    for point in points(3000, 1.2) {
        let exact = point.length() - 1.0;
        let distance = solid.distance(point);
        if point.z < -0.1 {
            assert!((distance - exact).abs() < 0.01, "{point}: {distance} {exact}");
        } else if exact > 0.02 || exact < -0.02 && point.z < 0.85 {
            // The cover lies between a plane and the ball.
            assert_eq!(distance < 0.0, exact < 0.0, "{point}: {distance} {exact}");
        }
    }
    // Going through the cover, the distance shrinks to nothing: it does not jump from one side to the other.
    let mut least = f64::INFINITY;
    for k in 0..200 {
        let height = 0.8 + 0.002 * k as f64;
        least = least.min(solid.distance(DVec3::new(0.01, 0.02, height)).abs());
    }
    assert!(least < 0.02, "{least}");
}

#[test]
fn a_bowl_and_a_sheet_have_no_inside() {
    let mut bowl = ball(4);
    bowl.faces.retain(|face| face.iter().all(|&vertex| bowl.vertices[vertex as usize].z < 0.2));
    let NoInside { open, undecided } = MeshSolid::new(&bowl).unwrap_err();
    assert!(open.count > 10 && open.first.len() == 3);
    assert!(undecided.unwrap() > 0.2, "{undecided:?}");
    let sheet = Triangles { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], faces: vec![[0, 1, 2]] };
    let refused = MeshSolid::new(&sheet).unwrap_err();
    assert_eq!((refused.open.count, refused.undecided), (3, None));
}

#[test]
fn any_number_of_threads_gives_the_same_distances() {
    let mesh = ball(4);
    let distances = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let solid = pool.install(|| solid(&mesh));
        points(500, 1.5).map(|point| solid.distance(point).to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(distances(1), distances(3));
}
