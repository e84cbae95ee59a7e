//! Smoothing that keeps the volume.
//!
//! Taubin 1995: vertices move towards the mean of their neighbours by λ, and then away from it by μ, a little more.
//! Waves that are short against the pass band die out, long ones stay. What volume a piece has lost or won after all
//! is given back by moving its vertices along their normals.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::mesh::Mesh;

/// Towards the mean of the neighbours.
const INWARDS: f32 = 0.5;

/// Away from it. 1/λ + 1/μ is the pass band, 0.05.
const OUTWARDS: f32 = -1.0 / (1.0 / INWARDS - 0.05);

/// Smooths a mesh, so many times in and out. Every piece keeps its volume. Normals are for later.
pub fn smooth(mesh: &mut Mesh, times: u32) {
    if times == 0 || mesh.triangles.is_empty() {
        return;
    }
    let neighbors = Neighbors::new(mesh);
    let (piece, pieces) = mesh.pieces();
    let before = volumes(mesh, &piece, pieces);
    let mut moved = vec![Vec3::ZERO; mesh.position.len()];
    for _ in 0..times {
        for share in [INWARDS, OUTWARDS] {
            neighbors.relax(&mesh.position, share, &mut moved);
            std::mem::swap(&mut mesh.position, &mut moved);
        }
    }
    // The volume grows with the distance as the area does, so twice is enough.
    for _ in 0..2 {
        give_back(mesh, &piece, &before);
    }
}

/// The vertices that each vertex shares a side with.
struct Neighbors {
    start: Vec<u32>,
    neighbor: Vec<u32>,
}

impl Neighbors {
    /// Of a closed mesh: there, each side is run through once in either direction.
    fn new(mesh: &Mesh) -> Neighbors {
        let sides = || mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let mut start = vec![0_u32; mesh.position.len() + 1];
        for (from, _) in sides() {
            start[from as usize + 1] += 1;
        }
        for vertex in 1..start.len() {
            start[vertex] += start[vertex - 1];
        }
        let mut next = start.clone();
        let mut neighbor = vec![0; 3 * mesh.triangles.len()];
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
    let mut push = vec![DVec3::ZERO; mesh.position.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.position[vertex as usize].as_dvec3());
        let third = (b - a).cross(c - a) / 6.0;
        triangle.iter().for_each(|&vertex| push[vertex as usize] += third);
    }
    let mut gain = vec![0.0; before.len()];
    for (push, &piece) in push.iter().zip(piece) {
        gain[piece as usize] += push.length();
    }
    let now = volumes(mesh, piece, before.len());
    for ((place, push), &piece) in mesh.position.iter_mut().zip(&push).zip(piece) {
        let piece = piece as usize;
        if gain[piece] > 0.0 {
            let distance = (before[piece] - now[piece]) / gain[piece];
            *place += (push.normalize_or_zero() * distance).as_vec3();
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
            Neighbors::new(mesh).relax(&mesh.position, 1.0, &mut mean);
            mesh.position.iter().zip(mean).map(|(place, mean)| place.distance(mean)).sum::<f32>()
        };
        let (piece, pieces) = mesh.pieces();
        assert_eq!(pieces, 3);
        let (rough, before) = (roughness(&mesh), volumes(&mesh, &piece, pieces));
        smooth(&mut mesh, 10);
        for (after, before) in volumes(&mesh, &piece, pieces).iter().zip(before) {
            assert!((after / before - 1.0).abs() < 1e-3, "{after} {before}");
        }
        assert!(roughness(&mesh) < 0.6 * rough, "{} {rough}", roughness(&mesh));
        assert!(mesh.flaws().is_none());
    }

    #[test]
    fn nothing_to_do_is_done() {
        let mut mesh = Mesh::default();
        smooth(&mut mesh, 5);
        assert_eq!(mesh, Mesh::default());
    }
}
