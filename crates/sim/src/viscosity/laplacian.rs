//! Newtonian friction by the Laplacian of the viscosity kernel (Müller 2003, Sol09 Eq. 2.19 in rest volumes).
//!
//! ```text
//! ω_ij = ∇²W_ij                                  see newtonian.rs for the sum it stands in
//! ```
//!
//! On a lattice the effective viscosity is 0.99 μ in 3D at a support of two spacings, 0.86 μ in 2D at two: the error of
//! this discretisation, not of the walls. Morris' is nearer.

use serde::{Deserialize, Serialize};

use super::Viscosity;
use super::newtonian::Discretisation;
use crate::kernel::Kernel;
use crate::neighbors::{Block, Lanes, Setting, Simd};
use crate::parameters::{Check, Limits, Parameters};
use crate::real::Real;

/// Newtonian friction by the viscosity kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Laplacian>))]
#[serde(default, deny_unknown_fields)]
pub struct Laplacian {
    /// Dynamic viscosity μ [Pa s]. Water has 0.001, honey about 10.
    pub dynamic_viscosity: Real,
}

impl Default for Laplacian {
    fn default() -> Self {
        Laplacian { dynamic_viscosity: 0.001 }
    }
}

impl Parameters for Laplacian {
    fn check(&self, check: &mut Check) {
        check.number("dynamic_viscosity", self.dynamic_viscosity, Limits::NOT_NEGATIVE);
    }
}

impl Discretisation for Laplacian {
    fn dynamic_viscosity(viscosity: &Viscosity) -> Option<Real> {
        match viscosity {
            Viscosity::Laplacian(this) => Some(this.dynamic_viscosity),
            _ => None,
        }
    }

    const STIFFNESS: Real = 15.0;

    #[inline(always)]
    fn weight<S: Simd, K: Setting>(j: &Block<'_, S, K>, _kernel: &Kernel) -> Lanes<S> {
        j.viscosity_laplacian()
    }
}

#[cfg(test)]
mod tests {
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
