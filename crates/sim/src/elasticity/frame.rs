//! The frame in which strain is measured: the rotation of a neighbourhood, and how it follows the places of particles.
//!
//! A force that holds rotations fixed is the gradient of no energy, unless R is the rotation of F itself: a body then swings
//! higher and higher. With A = R S, a small turn R [w]× follows from dA, and the energy density ψ(G), G = RᵀF, P = ∂ψ/∂G,
//! follows from both (derived here; no source):
//!
//! ```text
//! RᵀdA = [w]× S + dS                    so (tr S − S) w = axl(RᵀdA),    axl([w]×) = 2 w
//! dG   = RᵀdF − [w]× G
//! dψ   = R P : dF − R [q]× : dA,        q = (tr S − S)⁻¹ axl(P Gᵀ)
//! ```
//!
//! Beside T = R P there is T' = −R [q]×, which pulls with the weights of A. For linear strain P = σ. With it the energy depends
//! on nothing but distances, so that forces leave no torque either.
//!
//! In a plane w has one component. A sheet says how it turns, for its normal stays one. About its own axis a line may turn as
//! it likes; as its energy does not change by that, q has nothing there.

use super::matrix::{cofactors, dot, numbers};
use super::rotation::{Extent, rotation_in};
use crate::real::{Mat3, Real, Vec3};

/// The least determinant of tr S − S, over the cube of its trace, for which it is inverted. It is 1/27 where neighbours lie in
/// all directions alike, and 0.007 where they all but lie on a line. What is crushed to a line does not say how it turns, and
/// would be thrown about: the answer grows no more from here on.
const LEAST_DETERMINANT: Real = 1e-3;

/// The same in a plane: the least tr S, over the size of A.
const LEAST_TRACE: Real = 0.01;

/// The rotation of a neighbourhood, and how it follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// R.
    pub(crate) rotation: Mat3,
    /// (tr S − S)⁻¹; zero where nothing follows from A.
    pub(crate) lever: Mat3,
}

impl Frame {
    /// That does not follow, or that is the one of F itself.
    #[inline(always)]
    pub(crate) fn fixed(rotation: Mat3) -> Self {
        Frame { rotation, lever: Mat3::ZERO }
    }

    /// Of the matrix A of neighbours that extend so far.
    #[inline(always)]
    pub(crate) fn of(matched: Mat3, extent: Extent) -> Self {
        Frame::about(rotation_in(matched, extent), matched, extent)
    }

    /// The same, if its rotation is known.
    #[inline(always)]
    pub(crate) fn about(rotation: Mat3, matched: Mat3, extent: Extent) -> Self {
        let stretch = rotation.transpose() * matched;
        let trace = stretch.x_axis.x + stretch.y_axis.y + stretch.z_axis.z;
        let lever = match extent {
            Extent::Volume | Extent::Sheet(_) => inverse(trace, stretch),
            Extent::Plane => {
                let [x, y] = [stretch.x_axis, stretch.y_axis];
                let size = (x.length_squared() + y.length_squared()).sqrt();
                Mat3::from_diagonal(Vec3::Z / trace.max(LEAST_TRACE * size).max(Real::MIN_POSITIVE))
            }
            Extent::Line(_) => Mat3::from_diagonal(Vec3::splat(1.0 / trace.max(Real::MIN_POSITIVE))),
            Extent::Point => Mat3::ZERO,
        };
        Frame { rotation, lever }
    }

    /// w [rad] of a change of A.
    #[inline(always)]
    pub(crate) fn turn(&self, change: Mat3) -> Vec3 {
        self.lever * axial(self.rotation.transpose() * change)
    }

    /// T' of P and G.
    #[inline(always)]
    pub(crate) fn twist(&self, pulled: Mat3, turned: Mat3) -> Mat3 {
        self.rotation * crossing(self.lever * -axial(pulled * turned.transpose()))
    }
}

/// (tr S − S)⁻¹ of a symmetric matrix, bounded.
#[inline(always)]
fn inverse(trace: Real, stretch: Mat3) -> Mat3 {
    let [x, y, z] = numbers(stretch);
    let (a, b, c) = (-0.5 * (x[1] + y[0]), -0.5 * (x[2] + z[0]), -0.5 * (y[2] + z[1]));
    let matrix = [[trace - x[0], a, b], [a, trace - y[1], c], [b, c, trace - z[2]]];
    let cofactors = cofactors(matrix);
    let least = LEAST_DETERMINANT * 8.0 * trace * trace * trace;
    Mat3::from_cols_array_2d(&cofactors) * (1.0 / dot(matrix[0], cofactors[0]).max(least).max(Real::MIN_POSITIVE))
}

/// The vector of the skew part, twice: axl([w]×) = 2 w.
#[inline(always)]
fn axial(m: Mat3) -> Vec3 {
    Vec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x)
}

/// [w]×: its product with a vector is the cross product.
#[inline(always)]
pub(crate) fn crossing(w: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, w.z, -w.y), Vec3::new(-w.z, 0.0, w.x), Vec3::new(w.y, -w.x, 0.0))
}
