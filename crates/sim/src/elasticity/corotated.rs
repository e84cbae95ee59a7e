//! Corotated SPH (BIT09 5, Eq. 11 to 16).
//!
//! The rotation R of each neighbourhood is that of its shape matching matrix, strain is measured on the neighbourhood turned
//! back by it, and forces are turned again:
//!
//! ```text
//! A_i  = Σ_j m_j W_ij x_ji ⊗ x⁰_ji = R_i S_i
//! ∇u_i = Σ_j V_j (R_iᵀ x_ji − x⁰_ji) ⊗ ∇W_ij
//! f_i  = Σ_j (−R_i f_ji + R_j f_ij)
//! ```
//!
//! with f_ji as in [`sph`](super::sph). The printed sum (Eq. 16) has a factor ½, with which bodies are half as stiff as they
//! are said to be; the energy has none. Volumes are those of the cells, not summed up (Eq. 5), which would count the surface
//! too large. As gradients are not corrected, what lies near a surface is 6 to 18 % too soft.
//!
//! BIT09 holds rotations fixed where forces are derived. As R is not the rotation of the deformation itself, its forces are the
//! gradient of no energy: a beam that swings a little gains energy without end, at any step, and bodies turn by themselves.
//! Here forces have what is missing ([`frame`](super::frame)), so that energy and both momenta are kept. The form of BIT09 is
//! not offered: its figures need none of what it does wrong.

use super::law::{Law, Scheme, Strain, Turning, Weighting};
use super::moduli::elastic_parameters;
use crate::parameters::Limits;
use crate::real::Real;

elastic_parameters! {
    /// Corotated SPH, from positions before the step.
    pub struct Corotated {
        /// How deformation is measured.
        strain: Strain = Strain::Linear;
        /// Time by which stress runs ahead of strain [s]: higher damps faster.
        damping: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

impl Corotated {
    pub(super) fn law(&self) -> Law {
        Law {
            moduli: self.given().moduli(),
            strain: self.strain,
            turning: Turning::ShapeMatching,
            weighting: Weighting::Gradient,
            corrected: false,
            control: 0.0,
            damping: self.damping,
            scheme: Scheme::Explicit,
        }
    }
}
