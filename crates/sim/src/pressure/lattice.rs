//! The pressure system on a lattice at rest.

use crate::kernel::{Kernel, lattice_offsets};
use crate::real::Real;

/// Σ V0² |∇W|² over a lattice at rest.
pub(super) fn spread(kernel: &Kernel, spacing: Real) -> f64 {
    let volume = kernel.dimension().cell_volume(spacing);
    let offsets = lattice_offsets(kernel.support() / spacing, kernel.dimension());
    offsets.map(|offset| f64::from((kernel.gradient(offset * spacing) * volume).length_squared())).sum()
}
