//! Plain SPH elasticity (BIT09 4, Eq. 6 to 10; Sol09 5.2), kept because comparing against it is the point.
//!
//! ```text
//! ∇u_i = Σ_j V_j u_ji ⊗ ∇W_ij,    J = 1 + ∇u
//! f_ji = −V_i V_j J σ_i ∇W_ij  (Green strain),    −V_i V_j σ_i ∇W_ij  (linear)
//! ```
//!
//! Its gradient is not exact for linear fields, so a rotation reads as strain and is resisted: bodies do not turn as they
//! should. BIT09 Eq. 8 prints J transposed, with Eq. 6 that is not the gradient of the energy; Sol09 Eq. 5.3 has a factor 2
//! that belongs to a strain without the ½.

use super::law::{Law, Scheme, Strain, Turning, Weighting};
use super::moduli::elastic_parameters;
use crate::parameters::Limits;
use crate::real::Real;

elastic_parameters! {
    /// Plain SPH elasticity: it resists being turned.
    pub struct PlainSph {
        /// How deformation is measured.
        strain: Strain = Strain::Green;
        /// Time by which stress runs ahead of strain [s]: higher damps faster.
        damping: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

impl PlainSph {
    pub(super) fn law(&self) -> Law {
        Law {
            moduli: self.given().moduli(),
            strain: self.strain,
            turning: Turning::Ignored,
            weighting: Weighting::Gradient,
            corrected: false,
            control: 0.0,
            damping: self.damping,
            scheme: Scheme::Explicit,
        }
    }
}
