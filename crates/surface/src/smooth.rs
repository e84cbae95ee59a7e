//! Smoothing that keeps the volume.
//!
//! Taubin 1995: vertices move towards the mean of their neighbours by λ, and then away from it by μ, a little more.
//! Waves that are short against the pass band die out, long ones stay. What volume a piece has lost or won after all
//! is given back by moving its vertices along their normals.
//!
//! Pieces of a few triangles, drops of one or two particles, have no waves that are long: smoothing would collapse
//! them. Their vertices are moved onto the surface of the field instead.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::field::Field;
use crate::mesh::Mesh;

/// Towards the mean of the neighbours.
const INWARDS: f32 = 0.5;

/// Away from it. 1/λ + 1/μ is the pass band, 0.05.
const OUTWARDS: f32 = -1.0 / (1.0 / INWARDS - 0.05);

/// Pieces with fewer vertices are not smoothed.
const SMALL: u32 = 150;

/// Smooths a mesh, so many times in and out, and sets its normals. Every piece keeps its volume, but small ones, which
/// follow the field more closely than before.
pub fn smooth(mesh: &mut Mesh, times: u32, field: &impl Field) {
    if times == 0 || mesh.triangles.is_empty() {
        mesh.set_normals_by_field(field);
        return;
    }
    let (piece, pieces) = mesh.pieces();
    let mut vertices = vec![0_u32; pieces];
    piece.iter().for_each(|&piece| vertices[piece as usize] += 1);
    let is_small: Vec<bool> = piece.iter().map(|&piece| vertices[piece as usize] < SMALL).collect();
    let neighbors = Neighbors::new(mesh, &is_small);
    let before = volumes(mesh, &piece, pieces);
    let mut moved = vec![Vec3::ZERO; mesh.position.len()];
    for _ in 0..times {
        for share in [INWARDS, OUTWARDS] {
            neighbors.relax(&mesh.position, share, &mut moved);
            std::mem::swap(&mut mesh.position, &mut moved);
        }
    }
    // Once is not enough for pieces that are small and crooked.
    (0..3).for_each(|_| give_back(mesh, &piece, &before));
    mesh.set_normals_by_triangles();
    let small = mesh.position.par_iter_mut().zip(mesh.normal.par_iter_mut()).zip(&is_small);
    small.filter(|(_, is_small)| **is_small).for_each(|((place, normal), _)| {
        *place = settle(field, *place);
        *normal = field.normal(*place);
    });
}

/// The point of the surface near a point, by Newton's method along the gradient, not farther than a tenth of the reach.
fn settle(field: &impl Field, from: Vec3) -> Vec3 {
    const NEWTON_STEPS: u32 = 3;
    let mut at = from;
    for _ in 0..NEWTON_STEPS {
        let (value, gradient) = field.value_and_gradient(at);
        let way = -gradient * (value / gradient.length_squared().max(f32::MIN_POSITIVE));
        if way.is_finite() {
            at += way;
        }
    }
    from + (at - from).clamp_length_max(0.1 * field.samples().reach())
}

/// The vertices that each vertex shares a side with.
struct Neighbors {
    start: Vec<u32>,
    neighbor: Vec<u32>,
}

impl Neighbors {
    /// Of a closed mesh: there, each side is run through once in either direction. Vertices that stay have none.
    fn new(mesh: &Mesh, stays: &[bool]) -> Neighbors {
        let moving = mesh.triangles.iter().filter(|triangle| !stays[triangle[0] as usize]);
        let sides = || moving.clone().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let mut start = vec![0_u32; mesh.position.len() + 1];
        for (from, _) in sides() {
            start[from as usize + 1] += 1;
        }
        for vertex in 1..start.len() {
            start[vertex] += start[vertex - 1];
        }
        let mut next = start.clone();
        let mut neighbor = vec![0; start[mesh.position.len()] as usize];
        for (from, to) in sides() {
            let place = &mut next[from as usize];
            neighbor[*place as usize] = to;
            *place += 1;
        }
        Neighbors { start, neighbor }
    }

    /// Moves each vertex by a share of the way to the mean of its neighbours.
    fn relax(&self, position: &[Vec3], share: f32, moved: &mut [Vec3]) {
        moved.par_iter_mut().enumerate().with_min_len(1024).for_each(|(vertex, moved)| {
            let here = position[vertex];
            let around = &self.neighbor[self.start[vertex] as usize..self.start[vertex + 1] as usize];
            let mean = around.iter().map(|&other| position[other as usize] - here).sum::<Vec3>();
            *moved = here + mean * (share / around.len().max(1) as f32);
        });
    }
}

/// The volume of every piece [m³].
fn volumes(mesh: &Mesh, piece: &[u32], pieces: usize) -> Vec<f64> {
    let mut origin = vec![None; pieces];
    let mut sixfold = vec![0.0; pieces];
    for triangle in &mesh.triangles {
        let piece = piece[triangle[0] as usize] as usize;
        let [a, b, c] = triangle.map(|vertex| mesh.position[vertex as usize].as_dvec3());
        // From a vertex of the piece: from a far origin digits would cancel.
        let origin: DVec3 = *origin[piece].get_or_insert(a);
        sixfold[piece] += (a - origin).dot((b - origin).cross(c - origin));
    }
    sixfold.iter().map(|volume| volume / 6.0).collect()
}

fn give_back(mesh: &mut Mesh, piece: &[u32], before: &[f64]) {
    // A vertex moved along the area vectors of its triangles, a third of each, changes the volume by their product.
    let mut area = vec![DVec3::ZERO; mesh.position.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.position[vertex as usize].as_dvec3());
        let third = (b - a).cross(c - a) / 6.0;
        triangle.iter().for_each(|&vertex| area[vertex as usize] += third);
    }
    let mut gain = vec![0.0; before.len()];
    for (area, &piece) in area.iter().zip(piece) {
        gain[piece as usize] += area.length();
    }
    let now = volumes(mesh, piece, before.len());
    for ((place, area), &piece) in mesh.position.iter_mut().zip(&area).zip(piece) {
        let piece = piece as usize;
        if gain[piece] > 0.0 {
            let distance = (before[piece] - now[piece]) / gain[piece];
            *place += (area.normalize_or_zero() * distance).as_vec3();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::IsoDensity;
    use crate::marching::triangulate;
    use crate::testing::lattice;

    #[test]
    fn bumps_go_and_every_piece_keeps_its_volume() {
        let mut cloud = lattice(0.1, 1.0, 0.2, |at| at.length() < 0.8);
        cloud.push(Vec3::new(3.0, 0.0, 0.0));
        cloud.extend([Vec3::new(-3.0, 0.0, 0.0), Vec3::new(-3.1, 0.0, 0.0)]);
        let field = IsoDensity::default().field(&cloud, 0.1).unwrap();
        let mut mesh = triangulate(&field, 0.05).unwrap();
        // How far vertices are from the mean of their neighbours.
        let roughness = |mesh: &Mesh| {
            let mut mean = vec![Vec3::ZERO; mesh.position.len()];
            Neighbors::new(mesh, &vec![false; mesh.position.len()]).relax(&mesh.position, 1.0, &mut mean);
            mesh.position.iter().zip(mean).map(|(place, mean)| place.distance(mean)).sum::<f32>()
        };
        let (piece, pieces) = mesh.pieces();
        assert_eq!(pieces, 3);
        let (rough, before) = (roughness(&mesh), volumes(&mesh, &piece, pieces));
        smooth(&mut mesh, 10, &field);
        let after = volumes(&mesh, &piece, pieces);
        assert!(
            (after.iter().copied().fold(0.0, f64::max) / 4.0 * 3.0 / 0.512 / std::f64::consts::PI - 1.0).abs() < 0.05
        );
        for (after, before) in after.iter().zip(before) {
            // Drops of one or two particles are settled on the field, not smoothed.
            let tolerance = if before > 0.1 { 1e-3 } else { 0.4 };
            assert!((after / before - 1.0).abs() < tolerance, "{after} {before}");
        }
        let lone = mesh.position.iter().filter(|at| at.x > 2.0);
        assert!(lone.clone().count() > 5);
        lone.for_each(|at| assert!((at.distance(Vec3::X * 3.0) - 0.062).abs() < 1e-3, "{at}"));
        assert!(roughness(&mesh) < 0.6 * rough, "{} {rough}", roughness(&mesh));
        assert!(mesh.flaws().is_none());
    }

    #[test]
    fn nothing_to_do_is_done() {
        let mut mesh = Mesh::default();
        smooth(&mut mesh, 5, &IsoDensity::default().field(&[], 0.1).unwrap());
        assert_eq!(mesh, Mesh::default());
    }
}
