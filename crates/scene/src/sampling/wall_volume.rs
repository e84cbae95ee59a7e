//! Rest volumes of wall particles that are no lattice.
//!
//! They are weighted to count as much as those of a flat lattice wall:
//!
//! ```text
//! V0_b = d^dim (Σ_k W_bk of the flat wall) / Σ_k W_bk
//! ```

use glam::DVec3;
use thixo_sim::{Kernel, Real};

use super::{WallParticle, wall_layers};
use crate::World;
use crate::near::Near;

/// Rest volume of each particle of a wall [m^dimension].
pub(crate) fn rest_volumes(particles: &[WallParticle], world: &World) -> Vec<f64> {
    let kernel = world.kernel.kernel(world.spacing as Real, world.dimension());
    let layers = wall_layers(world);
    let axes = usize::from(world.dimension);
    let flat: Vec<_> = (0..layers).map(|layer| flat_wall_sum(&kernel, world.spacing, axes, (layer, layers))).collect();
    let near = Near::of(particles.iter().map(|particle| particle.position), f64::from(kernel.support()));
    let volume = |particle: &WallParticle| {
        let weights = near.around(particle.position).map(|(_, way)| f64::from(kernel.value(way.length() as Real)));
        let sum: f64 = weights.sum();
        let layer = (particle.to_surface.length() / world.spacing) as usize;
        world.cell_volume() * flat[layer.min(layers - 1)] / sum
    };
    particles.iter().map(volume).collect()
}

/// Σ_k W_bk over a flat lattice wall, for a particle of one of its layers.
pub(super) fn flat_wall_sum(kernel: &Kernel, spacing: f64, axes: usize, (layer, layers): (usize, usize)) -> f64 {
    let reach = (f64::from(kernel.support()) / spacing).ceil() as i64;
    let across = if axes == 2 { 0..=0 } else { -reach..=reach };
    let mut sum = 0.0;
    for other in 0..layers {
        for x in -reach..=reach {
            for z in across.clone() {
                let offset = DVec3::new(x as f64, other as f64 - layer as f64, z as f64);
                sum += f64::from(kernel.value((offset.length() * spacing) as Real));
            }
        }
    }
    sum
}
