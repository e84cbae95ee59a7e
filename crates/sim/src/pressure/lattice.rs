//! The pressure system on a lattice at rest.

use crate::kernel::{Kernel, lattice_offsets};
use crate::real::{Real, Vec3};

/// How stiffly pressure holds particles in a lattice: κ, with which neighbouring layers oscillate against each other at
/// ω² = κ P/(ρ d²).
///
/// Forces by a constant pressure cancel on a lattice, but not where it is disturbed: displacements u change them by
///
/// ```text
/// δa_i = −(2P/ρ) Σ_j V0 ∇∇W_ij (u_i − u_j)
/// ```
///
/// whatever the solver finds to add. The stiffest mode that compresses nothing is that of layers in turn, u ~ cos(π x/d) along a
/// row of the lattice: steps longer than 2/ω let it grow. κ is 8.2 in the plane and 9.1 in space with a support of two
/// spacings, 1.2 with three (Wendland; searched over all waves of the lattice, those that compress left out).
pub(super) fn stiffness(kernel: &Kernel, spacing: Real) -> f64 {
    let (volume, dimension) = (kernel.dimension().cell_volume(spacing), kernel.dimension());
    let step = 1e-2 * spacing;
    let along = |axis: Vec3| -> f64 {
        let offsets = lattice_offsets(kernel.support() / spacing, dimension).filter(|offset| offset.x as i32 % 2 != 0);
        let change = offsets.map(|offset| {
            let ahead = kernel.gradient(offset * spacing + axis * step).dot(axis);
            f64::from(ahead - kernel.gradient(offset * spacing - axis * step).dot(axis))
        });
        // 1 − cos π is 2, between odd and even layers.
        2.0 * 2.0 * f64::from(volume) * change.sum::<f64>() / f64::from(2.0 * step)
    };
    f64::from(spacing * spacing) * along(Vec3::X).max(along(Vec3::Y)).max(0.0)
}

/// Σ V0² |∇W|² over a lattice at rest.
pub(super) fn spread(kernel: &Kernel, spacing: Real) -> f64 {
    let volume = kernel.dimension().cell_volume(spacing);
    let offsets = lattice_offsets(kernel.support() / spacing, kernel.dimension());
    offsets.map(|offset| f64::from((kernel.gradient(offset * spacing) * volume).length_squared())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Shape;
    use crate::real::Dimension;

    /// Found by a search over all waves of a lattice (see above); here densities of a lattice are not divided by its sum.
    #[test]
    fn stiffness_is_that_of_the_stiffest_wave() {
        for (dimension, support, known) in [
            (Dimension::Two, 2.0, 8.20),
            (Dimension::Two, 3.0, 1.20),
            (Dimension::Three, 2.0, 9.15),
            (Dimension::Three, 3.0, 1.25),
        ] {
            let spacing = 0.05;
            let kernel = Kernel::new(Shape::WendlandC2, support * spacing, dimension);
            let found = stiffness(&kernel, spacing) / f64::from(kernel.lattice_sum(spacing));
            assert!((found / known - 1.0).abs() < 0.01, "{dimension:?} {support}: {found} {known}");
        }
    }
}
