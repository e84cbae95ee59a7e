//! Newtonian friction by the Laplacian of the viscosity kernel (Müller 2003, Sol09 Eq. 2.19 in rest volumes).
//!
//! ```text
//! ω_ij = ∇²W_ij                                  see newtonian.rs for the sum it stands in
//! ```
//!
//! On a lattice the effective viscosity is 0.99 μ in 3D at a support of two spacings, 0.86 μ in 2D at two: the error of
//! this discretisation, not of the walls. Morris' is nearer.

use super::newtonian::{Discretisation, newtonian};
use crate::kernel::Kernel;
use crate::neighbors::{Block, Lanes, Setting, Simd};
use crate::real::Real;

newtonian! {
    /// Newtonian friction by the viscosity kernel.
    Laplacian
}

impl Discretisation for Laplacian {
    const STIFFNESS: Real = 15.0;

    #[inline(always)]
    fn weight<S: Simd, K: Setting>(j: &Block<'_, S, K>, _kernel: &Kernel) -> Lanes<S> {
        j.viscosity_laplacian()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Viscosity;
    use super::super::newtonian::tests::accelerations_are_those_worked_by_hand;
    use super::*;

    #[test]
    fn accelerations_are_those_worked_by_hand_and_conserve_momentum() {
        let torque = accelerations_are_those_worked_by_hand::<Laplacian>(
            |dynamic_viscosity| Viscosity::Laplacian(Laplacian { dynamic_viscosity }),
            |kernel, x_ij, v_ji| kernel.viscosity_laplacian(x_ij.length()) * v_ji,
        );
        assert!(torque > 0.01, "the form is not central, but {torque}");
    }
}
