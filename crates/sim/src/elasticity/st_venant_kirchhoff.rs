//! St. Venant-Kirchhoff with corrected gradients (Peer18 5.1 and 5.2).
//!
//! ```text
//! E = ½ (FᵀF − 1),    S = 2 μ E + λ tr(E) 1,    f_i = V_i Σ_j V_j (F_i S_i L_i + F_j S_j L_j) ∇W_ij
//! ```
//!
//! Green's strain does not see rotations, so none must be found. It grows stiffer when stretched and, crushed below 58 % of
//! its length, softer: it does not resist being turned inside out.

use super::law::{Law, Scheme, Strain, Turning, Weighting};
use super::moduli::elastic_parameters;
use crate::parameters::Limits;
use crate::real::Real;

elastic_parameters! {
    /// St. Venant-Kirchhoff with corrected gradients, from positions before the step.
    pub struct StVenantKirchhoff {
        /// Stiffness against displacements that leave no strain, as a share of Young's modulus [-].
        zero_energy_control: Real = 0.1, Limits::NOT_NEGATIVE;
        /// Time by which stress runs ahead of strain [s]: higher damps faster.
        damping: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

impl StVenantKirchhoff {
    pub(super) fn law(&self) -> Law {
        let moduli = self.given().moduli();
        Law {
            moduli,
            strain: Strain::Green,
            turning: Turning::Ignored,
            weighting: Weighting::Gradient,
            corrected: true,
            control: self.zero_energy_control * moduli.young(),
            damping: self.damping,
            scheme: Scheme::Explicit,
        }
    }
}
