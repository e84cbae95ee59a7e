//! Where the surface of matter lies: half a spacing outside its outermost particles, which are centres of cells.
//!
//! Parameters are set on a half space filled with particles. In the one extreme they are a cubic lattice whose layers
//! lie along the surface, as at rest; then the sum over a layer of a kernel becomes the kernel's integral A(z) over a
//! plane. In the other they lie at every depth alike, as in disorder.

use std::f32::consts::LN_2;

use crate::kernel::Kernel;

/// Layers of a half space that a kernel reaches from half a spacing outside.
fn layers(kernel: &Kernel, spacing: f32) -> u32 {
    (kernel.support / spacing).ceil() as u32 + 1
}

/// What Σ W reads at a particle in the given layer of the half space, the outermost being 0 [1/m³].
fn number_density(kernel: &Kernel, spacing: f32, layer: u32) -> f32 {
    let reach = (kernel.support / spacing).ceil() as i32;
    let mut sum = 0.0;
    for z in -reach..=reach.min(layer as i32) {
        for y in -reach..=reach {
            for x in -reach..=reach {
                sum += kernel.value((x * x + y * y + z * z) as f32 * spacing * spacing);
            }
        }
    }
    sum
}

/// The sum Σ V W on the surface of the half space, V being the volume 1/ΣW that each particle has: half-way between
/// order and disorder.
///
/// In disorder, a particle at depth z reads Φ(z) = ½ + ∫ A from 0 to z, and V = 1/Φ. As A = dΦ/dz, the sum is
/// ∫ A/Φ dz = ln Φ between ½ and 1: ln 2, whatever the kernel.
pub(super) fn density_at_surface(kernel: &Kernel, spacing: f32) -> f32 {
    0.5 * (density_at_layer(kernel, spacing) + LN_2)
}

/// The sum on the surface of a lattice with layers along it.
fn density_at_layer(kernel: &Kernel, spacing: f32) -> f32 {
    let layer = |layer: u32| {
        let volume = 1.0 / number_density(kernel, spacing, layer);
        volume / (spacing * spacing) * kernel.over_plane((layer as f32 + 0.5) * spacing)
    };
    (0..layers(kernel, spacing)).map(layer).sum()
}

/// How deep the centre of mass lies below the surface of the half space, for a point on the surface [m].
pub(super) fn depth_of_centre(kernel: &Kernel, spacing: f32) -> f32 {
    let (mut moment, mut sum) = (0.0, 0.0);
    for layer in 0..layers(kernel, spacing) {
        let depth = (layer as f32 + 0.5) * spacing;
        let weight = kernel.over_plane(depth);
        moment += weight * depth;
        sum += weight;
    }
    moment / sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Shape;

    /// With a wide kernel the lattice is a continuum, and integrals of poly6 over planes can be worked by hand.
    #[test]
    fn a_wide_kernel_sees_half_a_continuum() {
        let kernel = Kernel { shape: Shape::Poly6, support: 8.0 };
        // ∫ z (1 − z²)⁴ dz = 1/10, ∫ (1 − z²)⁴ dz = 128/315.
        let centre = 8.0 * 0.1 * 315.0 / 128.0;
        assert!((depth_of_centre(&kernel, 1.0) - centre).abs() < 0.03, "{}", depth_of_centre(&kernel, 1.0));
        // The finer the lattice, the less its layers matter.
        let density = density_at_layer(&kernel, 1.0);
        assert!((density - LN_2).abs() < 0.02, "{density}");
    }

    #[test]
    fn deep_inside_a_lattice_particles_have_their_cells() {
        let kernel = Kernel { shape: Shape::Poly6, support: 0.6 };
        assert!((number_density(&kernel, 0.2, 3) * 0.008 - 1.0).abs() < 0.02);
        assert!(number_density(&kernel, 0.2, 0) < number_density(&kernel, 0.2, 1));
    }
}
