//! Corotated moving least squares (BIT09 6.1, after Müller 2004), for comparison.
//!
//! F is the linear map that fits the neighbours best, with squares weighted by the kernel:
//!
//! ```text
//! F_i = (Σ_j V_j W_ij x_ji ⊗ x⁰_ji) (Σ_j V_j W_ij x⁰_ji ⊗ x⁰_ji)⁻¹
//! ```
//!
//! Strain is linear in the frame turned by the rotation of F. With |W'|/r instead of W it would be the corrected SPH of
//! Peer18. The weights have no volumes in Müller 2004; with them forces are the gradient of the energy for any volumes.
//! The inverse does not exist where neighbours lie in a plane or on a line: such bodies are refused.

use super::law::{Law, Scheme, Strain, Turning, Weighting};
use super::moduli::elastic_parameters;
use crate::parameters::Limits;
use crate::real::Real;

elastic_parameters! {
    /// Corotated moving least squares, from positions before the step.
    pub struct Mls {
        /// Time by which stress runs ahead of strain [s]: higher damps faster.
        damping: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

impl Mls {
    pub(super) fn law(&self) -> Law {
        Law {
            moduli: self.given().moduli(),
            strain: Strain::Linear,
            turning: Turning::Deformation,
            weighting: Weighting::Kernel,
            corrected: true,
            control: 0.0,
            damping: self.damping,
            scheme: Scheme::Explicit,
        }
    }
}
