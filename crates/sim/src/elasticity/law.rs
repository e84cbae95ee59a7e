//! The constitutive law, from the deformation of a neighbourhood to its stress: one for all models, with four choices.
//!
//! With the vectors x⁰_ji to the bonded neighbours at rest, x_ji now, and weights ω_ij,
//!
//! ```text
//! F_i = (Σ_j ω_ij x_ji ⊗ x⁰_ji) L_i,    F⁰_i the same at rest
//! ∇u  = RᵀF − F⁰
//! ε   = ½ (∇u + ∇uᵀ)                    linear strain
//!     = ½ (JᵀJ − 1), J = 1 + ∇u         Green strain
//! σ   = 2 μ ε + λ tr(ε) 1
//! T   = R σ L  or  R J σ L
//! f_i = V_i Σ_j ω_ij (T_i + T_j) x⁰_ji
//! ```
//!
//! The kernel's gradient at rest points along x⁰_ji: ∇W_ij = (|W'|/r) x⁰_ji. So with ω_ij = V_j |W'|/r this is Peer18 Eq. 3
//! and 9, and F is at the same time the linear map that fits the neighbours best, with squares weighted by ω: moving least
//! squares differ by their weights alone, ω_ij = V_j W. L = (Σ_j ω_ij x⁰_ji ⊗ x⁰_ji)⁻¹ is the correction of Peer18 Eq. 1;
//! without it (L = 1, and in sheets and lines what takes away all across them) a neighbourhood at rest has F⁰ ≠ 1 near the
//! surface. f is minus the gradient of `Σ_i V_i ½ ε:σ` for any volumes, if R is the rotation of F itself; if it is another's,
//! forces have a term more ([`frame`](super::frame)).
//!
//! **Zero-energy modes** (Ganzenmüller 2015; Peer18 5.6). F does not contain how neighbours differ from the linear map:
//! a checkerboard of displacements has no energy. So the differences are penalised, by an energy that is zero in every
//! affine field and independent of rotations:
//!
//! ```text
//! U = Σ_i V_i ½ β Σ_j ω_ij |x_ji − F_i x⁰_ji|²
//! ```
//!
//! As F is the best fit, Σ_j ω_ij (x_ji − F_i x⁰_ji) ⊗ x⁰_ji = 0, and the derivative of F drops out: the force is
//! V_i Σ_j ω_ij (2 β x_ji − (β F_i + β F_j) x⁰_ji), which needs but T − β F instead of T. Ganzenmüller's force acts along
//! x_ji only and has no energy.

use super::frame::{Frame, crossing};
use super::moduli::Moduli;
use super::plasticity::elastic_part;
use super::rotation::{Extent, rotation_in};
use super::stepping::ImplicitScheme;
use crate::real::{Mat3, Real, Vec3};

/// How deformation is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Strain {
    /// Linear in the displacements: cheap, right where stretches are small.
    #[default]
    Linear,
    /// Green's, quadratic in the displacements: grows stiffer when stretched.
    Green,
}

/// From what the rotation of a neighbourhood is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turning {
    /// Not at all.
    Ignored,
    /// From its deformation F.
    Deformation,
    /// From `A = Σ_j V_j W_ij x_ji ⊗ x⁰_ji` (BIT09 Eq. 12).
    ShapeMatching,
}

/// What neighbours weigh by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weighting {
    /// The gradient of the kernel: V_j |W'|/r.
    Gradient,
    /// The kernel itself: V_j W.
    Kernel,
}

/// Time integration of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scheme {
    /// With positions before the step.
    Explicit,
    /// With positions that the step leads to.
    Implicit {
        /// With which.
        scheme: ImplicitScheme,
        /// The largest residual, as a share of the impulses that must balance.
        tolerance: Real,
        /// The largest mean error of velocities [m/s].
        velocity_error: Real,
    },
}

/// The law of an elastic material.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law {
    pub(crate) moduli: Moduli,
    pub(crate) strain: Strain,
    pub(crate) turning: Turning,
    pub(crate) weighting: Weighting,
    /// Are gradients corrected?
    pub(crate) corrected: bool,
    /// β: stiffness of the zero-energy control [Pa].
    pub(crate) control: Real,
    /// The time by which stress runs ahead of strain [s].
    pub(crate) damping: Real,
    pub(crate) scheme: Scheme,
}

/// Constants of a particle's neighbourhood at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// Σ_j ω_ij x⁰_ji ⊗ x⁰_ji.
    pub(crate) moment: Mat3,
    /// L.
    pub(crate) correction: Mat3,
    /// F⁰.
    pub(crate) identity: Mat3,
    /// Σ_j ω_ij x⁰_ji.
    pub(crate) lean: Vec3,
    /// Σ_j V_j W_ij x⁰_ji.
    pub(crate) kernel_lean: Vec3,
    pub(crate) extent: Extent,
    /// λ, less where the neighbourhood is free to thin [Pa].
    pub(crate) lambda: Real,
    /// The stiffness against moving this particle alone, over its volume [Pa/m²].
    pub(crate) stiffness: Mat3,
}

/// Stress and energy of a deformed neighbourhood.
pub(crate) struct Response {
    /// T [Pa].
    pub(crate) stress: Mat3,
    /// T' [Pa]: what the neighbourhood answers to being turned.
    pub(crate) twist: Mat3,
    /// Energy density ½ ε:σ [J/m³].
    pub(crate) energy: Real,
}

/// The symmetric part of a matrix.
#[inline(always)]
pub(crate) fn symmetric(m: Mat3) -> Mat3 {
    (m + m.transpose()) * 0.5
}

#[inline(always)]
pub(crate) fn trace(m: Mat3) -> Real {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

impl Law {
    pub(crate) fn is_implicit(&self) -> bool {
        matches!(self.scheme, Scheme::Implicit { .. })
    }

    /// The frame of a deformation F; `matched` is the matrix of shape matching.
    #[inline(always)]
    pub(crate) fn frame(&self, site: &Site, deformation: Mat3, matched: Mat3) -> Frame {
        match self.turning {
            Turning::Ignored => Frame::fixed(Mat3::IDENTITY),
            Turning::Deformation => Frame::fixed(rotation_in(deformation, site.extent)),
            Turning::ShapeMatching => Frame::of(matched * site.correction, site.extent),
        }
    }

    /// Does the rotation follow from another matrix than F?
    pub(crate) fn is_matched(&self) -> bool {
        self.turning == Turning::ShapeMatching
    }

    /// σ of a strain.
    #[inline(always)]
    pub(crate) fn stress(&self, site: &Site, strain: Mat3) -> Mat3 {
        strain * (2.0 * self.moduli.mu) + Mat3::from_diagonal(Vec3::splat(site.lambda * trace(strain)))
    }

    /// J and ε of RᵀF.
    #[inline(always)]
    fn strain(&self, site: &Site, turned: Mat3) -> (Mat3, Mat3) {
        let gradient = turned - site.identity;
        // The unit matrix; with corrected gradients only in the directions in which the neighbourhood extends.
        let unit = if self.corrected { site.identity } else { Mat3::IDENTITY };
        let jacobian = unit + gradient;
        match self.strain {
            Strain::Linear => (jacobian, symmetric(gradient)),
            Strain::Green => (jacobian, (jacobian.transpose() * jacobian - unit) * 0.5),
        }
    }

    /// ε of a deformation F with the rotation R.
    pub(crate) fn strain_of(&self, site: &Site, deformation: Mat3, rotation: Mat3) -> Mat3 {
        self.strain(site, rotation.transpose() * deformation).1
    }

    /// Stress and energy of a deformation F in a frame, with a plastic strain if there is any; `ahead` is by how much F and A
    /// change until the moment at which damped stress is evaluated.
    #[inline(always)]
    pub(crate) fn response(
        &self,
        site: &Site,
        deformation: Mat3,
        frame: &Frame,
        (ahead, plastic): (Option<[Mat3; 2]>, Option<Mat3>),
    ) -> Response {
        let (rotation, back) = (frame.rotation, frame.rotation.transpose());
        let turned = back * deformation;
        let (jacobian, strain) = self.strain(site, turned);
        let strain = elastic_part(site, strain, plastic);
        let mut sigma = self.stress(site, strain);
        let work = strain.x_axis.dot(sigma.x_axis) + strain.y_axis.dot(sigma.y_axis) + strain.z_axis.dot(sigma.z_axis);
        if let Some([deformation, matched]) = ahead {
            let change = back * deformation - crossing(frame.turn(matched * site.correction)) * turned;
            let strain = match self.strain {
                Strain::Linear => symmetric(change),
                Strain::Green => symmetric(jacobian.transpose() * change),
            };
            sigma += self.stress(site, strain);
        }
        let pulled = match self.strain {
            Strain::Linear => sigma,
            Strain::Green => jacobian * sigma,
        };
        let twist = match self.is_matched() {
            true => frame.twist(pulled, turned) * site.correction,
            false => Mat3::ZERO,
        };
        let mut stress = rotation * pulled * site.correction;
        if let Some(plastic) = plastic {
            stress += self.plastic_twist(site, deformation, rotation, plastic);
        }
        Response { stress, twist, energy: 0.5 * work }
    }

    /// The stress of a deformation F with the rotation R, in space: R σ Rᵀ, or R J σ (R J)ᵀ/|J|.
    pub(crate) fn true_stress(&self, site: &Site, deformation: Mat3, rotation: Mat3, plastic: Option<Mat3>) -> Mat3 {
        let unit = if self.corrected { site.identity } else { Mat3::IDENTITY };
        let jacobian = unit + rotation.transpose() * deformation - site.identity;
        let stress = |strain: Mat3| self.stress(site, elastic_part(site, strain, plastic));
        match self.strain {
            Strain::Linear => rotation * stress(symmetric(jacobian - unit)) * rotation.transpose(),
            Strain::Green => {
                let sigma = stress((jacobian.transpose() * jacobian - unit) * 0.5);
                let (turned, volume) = (rotation * jacobian, (jacobian + Mat3::IDENTITY - unit).determinant());
                turned * sigma * turned.transpose() * (1.0 / volume.abs().max(Real::MIN_POSITIVE))
            }
        }
    }

    /// The stress of small displacements from a state with the rotation R: `gradient` is F of the displacements.
    #[inline(always)]
    pub(crate) fn linear_response(&self, site: &Site, gradient: Mat3, rotation: Mat3) -> Mat3 {
        let mut turned = rotation.transpose() * gradient;
        if matches!(site.extent, Extent::Sheet(_) | Extent::Line(_)) {
            // A displacement across a sheet turns it: that is no strain.
            turned = site.identity * turned;
        }
        rotation * self.stress(site, symmetric(turned)) * site.correction
    }
}
