//! Newtonian friction after Morris 1997: a difference of velocities over a kernel's slope.
//!
//! ```text
//! a_i = Σ_j m_j (μ_i + μ_j)/(ρ_i ρ_j) (x_ij·∇W_ij)/r² (v_i − v_j)
//! ω_ij = −2 W'(r)/r                              the same in the sum of newtonian.rs
//! ```
//!
//! Morris adds 0.01 support²/4 to r², against division by zero; W'/r is finite here as it is, so nothing is added.
//! On a lattice the effective viscosity is μ K_xx, K_xx = −V Σ x ∂W/∂x: 0.997 μ in 2D at three spacings, 0.98 μ in 3D
//! at two. Profiles between walls are right to one per cent with 25 particles across; at a free surface shear decays
//! half as fast as it should, because the form is not central (`central.rs` is).

use super::newtonian::{Discretisation, newtonian};
use crate::kernel::Kernel;
use crate::neighbors::{Block, Lanes, Setting, Simd};
use crate::real::Real;

newtonian! {
    /// Newtonian friction, as of water, oil or honey: right for flow between walls.
    Morris
}

impl Discretisation for Morris {
    const STIFFNESS: Real = 30.0;

    #[inline(always)]
    fn weight<S: Simd, K: Setting>(j: &Block<'_, S, K>, kernel: &Kernel) -> Lanes<S> {
        kernel.slope_over_r(j.r()) * -2.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::Viscosity;
    use super::super::newtonian::tests::accelerations_are_those_worked_by_hand;
    use super::*;

    #[test]
    fn accelerations_are_those_worked_by_hand_and_conserve_momentum() {
        let torque = accelerations_are_those_worked_by_hand::<Morris>(
            |dynamic_viscosity| Viscosity::Morris(Morris { dynamic_viscosity }),
            |kernel, x_ij, v_ji| -2.0 * kernel.slope_over_r(x_ij.length()) * v_ji,
        );
        assert!(torque > 0.01, "the form is not central, but {torque}");
    }
}
