//! The level of a field around which there is a given volume.
//!
//! The share of a cube that is inside follows from the mean v of its corners and the slope g across it: ½ + v/g,
//! between 0 and 1. That is exact for planes along the cubes and right on average for others, and needs no mesh.

use rayon::prelude::*;

use super::Sampled;
use super::brick::Window;
use crate::field::PATCH;

/// Levels that are tried: matter in pieces too small for the grid must not puff up the rest.
const LOWEST: f32 = -0.25;
const HIGHEST: f32 = 0.4;

/// Halvings of the interval.
const HALVINGS: u32 = 24;

/// Cubes that are added up at a time: sums do not depend on the number of threads.
const CUBES_PER_SUM: usize = 4096;

/// A cube that may be partly inside.
#[derive(Clone, Copy)]
struct Cube {
    mean: f32,
    slope: f32,
}

impl Cube {
    fn share(self, level: f32) -> f64 {
        f64::from((0.5 + (self.mean - level) / self.slope).clamp(0.0, 1.0))
    }
}

/// The level around which there is that volume [m³], or the nearest one that is tried.
pub(super) fn of_volume(sampled: &Sampled, volume: f64) -> f32 {
    let parts: Vec<(u32, Vec<Cube>)> =
        sampled.bricks.par_iter().map(|brick| cubes_of(&Window::around(&sampled.bricks, brick, 0.0))).collect();
    let full: f64 = parts.iter().map(|(full, _)| f64::from(*full)).sum();
    let cubes: Vec<Cube> = parts.into_iter().flat_map(|(_, cubes)| cubes).collect();
    let wanted = volume / sampled.grid.cell.powi(3) - full;
    let inside = |level: f32| {
        let sums: Vec<f64> =
            cubes.par_chunks(CUBES_PER_SUM).map(|cubes| cubes.iter().map(|cube| cube.share(level)).sum()).collect();
        sums.iter().sum::<f64>()
    };
    let (mut low, mut high) = (LOWEST, HIGHEST);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if inside(middle) > wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// How many cubes of a brick are inside at every level that is tried, and those that are at some.
fn cubes_of(window: &Window) -> (u32, Vec<Cube>) {
    let (mut full, mut cubes) = (0, Vec::new());
    for z in 0..PATCH {
        for y in 0..PATCH {
            for x in 0..PATCH {
                let corner: [f32; 8] =
                    std::array::from_fn(|k| window.value([x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)]));
                let mean = corner.iter().sum::<f32>() / 8.0;
                let difference = |bit: usize| {
                    let side = |k: usize| if k & bit == 0 { -corner[k] } else { corner[k] };
                    (0..8).map(side).sum::<f32>() / 4.0
                };
                let [a, b, c] = [1, 2, 4].map(difference);
                let slope = (a * a + b * b + c * c).sqrt().max(1e-6);
                if mean - 0.5 * slope > HIGHEST {
                    full += 1;
                } else if mean + 0.5 * slope > LOWEST {
                    cubes.push(Cube { mean, slope });
                }
            }
        }
    }
    (full, cubes)
}

#[cfg(test)]
mod tests {
    use crate::field::{Field, IsoDensity};
    use crate::marching::{triangulate, triangulate_volume};
    use crate::testing::lattice;

    #[test]
    fn balls_and_boxes_get_the_volume_of_their_particles() {
        let ball = lattice(0.1, 1.1, 0.2, |at| at.length() < 1.0);
        // The box has its faces on grid points.
        let cube = lattice(0.1, 1.1, 0.0, |at| at.abs().max_element() < 0.8);
        for (name, particles) in [("ball", ball), ("box", cube)] {
            let volume = particles.len() as f64 * 1e-3;
            for cell in [0.04, 0.05, 0.07] {
                let mut field = IsoDensity::default().field(&particles, 0.1).unwrap();
                let mesh = triangulate_volume(&mut field, cell, volume).unwrap();
                assert!((mesh.volume() / volume - 1.0).abs() < 0.006, "{name} {cell}: {}", mesh.volume() / volume);
                // The field has been set to the same surface.
                let again = triangulate(&field, cell).unwrap();
                assert!((again.volume() / mesh.volume() - 1.0).abs() < 1e-4);
                assert!(mesh.position.iter().all(|&at| field.value(at).abs() < 0.3));
            }
        }
    }
}
