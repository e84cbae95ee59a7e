//! The pressure system on a lattice at rest: its diagonal, its largest eigenvalue, and the relaxation of an iteration.

use crate::kernel::{Kernel, lattice_offsets};
use crate::real::Real;

/// The largest relaxation factor of a Jacobi step.
const LARGEST_RELAXATION: f64 = 0.5;

/// Relaxation times the largest eigenvalue: with momentum the iteration is stable up to 4/3.
const RELAXATION_BY_EIGENVALUE: f64 = 1.2;

/// The relaxation factor of an iteration: the share of the inverse diagonal in a step.
pub(super) fn relaxation(kernel: &Kernel, spacing: Real) -> Real {
    LARGEST_RELAXATION.min(RELAXATION_BY_EIGENVALUE / stiffness(kernel, spacing)) as Real
}

/// Σ V0² |∇W|² over a lattice at rest.
pub(super) fn spread(kernel: &Kernel, spacing: Real) -> f64 {
    slopes(kernel, spacing).map(|(_, slope)| slope.iter().map(|s| s * s).sum::<f64>()).sum()
}

/// The largest eigenvalue of the system on a lattice at rest, by its diagonal.
///
/// Waves e^(ik·x) are its eigenvectors, |Σ V0 ∇W sin(k·x)|² their eigenvalues: about 3 for 30 neighbours, 6 for 90. A
/// Jacobi step of more than twice its inverse diverges.
fn stiffness(kernel: &Kernel, spacing: Real) -> f64 {
    const WAVES: u32 = 12;
    let along = |k: u32| std::f64::consts::PI * f64::from(k) / f64::from(WAVES);
    let places: Vec<_> = slopes(kernel, spacing).collect();
    let waves = (0..=WAVES).flat_map(|x| (0..=WAVES).flat_map(move |y| (0..=WAVES).map(move |z| [x, y, z].map(along))));
    let eigenvalue = |wave: [f64; 3]| {
        let mut sum = [0.0; 3];
        for (offset, slope) in &places {
            let sine = (0..3).map(|axis| wave[axis] * offset[axis]).sum::<f64>().sin();
            (0..3).for_each(|axis| sum[axis] += sine * slope[axis]);
        }
        sum.iter().map(|s| s * s).sum::<f64>()
    };
    waves.map(eigenvalue).fold(0.0, f64::max) / spread(kernel, spacing)
}

/// Places on a lattice, in spacings, and V0 ∇W there.
fn slopes(kernel: &Kernel, spacing: Real) -> impl Iterator<Item = ([f64; 3], [f64; 3])> {
    let volume = kernel.dimension().cell_volume(spacing);
    lattice_offsets(kernel.support() / spacing, kernel.dimension()).map(move |offset| {
        let slope = kernel.gradient(offset * spacing) * volume;
        (offset.to_array().map(f64::from), slope.to_array().map(f64::from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Shape;
    use crate::real::Dimension::{Three, Two};

    #[test]
    fn relaxation_keeps_below_twice_the_inverse_of_the_largest_eigenvalue() {
        for (reach, dimension, expected) in [(2.0, Three, 2.60), (3.0, Two, 3.33), (3.0, Three, 6.25)] {
            let kernel = Kernel::new(Shape::WendlandC2, reach * 0.1, dimension);
            let largest = stiffness(&kernel, 0.1);
            assert!((largest / expected - 1.0).abs() < 0.02, "{reach} {dimension:?}: {largest}");
            assert!(f64::from(relaxation(&kernel, 0.1)) * largest < 4.0 / 3.0);
        }
    }
}
