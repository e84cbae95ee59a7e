//! The viscosity kernel (Müller 2003, Sol09 Eq. 2.21 and 2.22): its Laplacian is never negative, so friction only
//! ever slows.
//!
//! ```text
//! W = 15/(2π support³) (−q³/2 + q² + 1/(2q) − 1)          3D only
//! ∇²W = 45/(π support⁶)(support − r)                      3D
//!       40/(π support⁵)(support − r)                      2D
//!       12/support⁴ (support − r)                         1D
//! ```
//!
//! The shape has its Laplacian in 3D only. The Laplacians in 2D and 1D are those for which ∫ r² ∇²W is 2 × dimension
//! as well; no kernel is known here that they belong to, so asking for its value is an error.

use std::f64::consts::PI;

use super::Number;
use crate::real::{Dimension, Real};

/// A kernel that has no constant in a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {kernel} kernel has no constant in {}D, only in 3D; in 2D and 1D use its Laplacian", .dimension.count())]
pub struct NoConstant {
    /// The kernel.
    pub kernel: &'static str,
    /// The dimension it was asked for.
    pub dimension: Dimension,
}

/// The viscosity kernel with its value and slope: in 3D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViscosityKernel {
    support: Real,
    constant: Real,
    laplacian: Real,
}

/// Distances below this share of the support count as this share: the kernel is infinite at r = 0.
const NEAREST: Real = 1e-6;

impl ViscosityKernel {
    /// The kernel that is zero beyond `support` [m]. Fails where it has no constant.
    pub fn new(support: Real, dimension: Dimension) -> Result<Self, NoConstant> {
        if dimension != Dimension::Three {
            return Err(NoConstant { kernel: "viscosity", dimension });
        }
        let constant = 15.0 / (2.0 * PI * f64::from(support).powi(3));
        let laplacian = laplacian_constant(support, dimension) as Real;
        Ok(ViscosityKernel { support, constant: constant as Real, laplacian })
    }

    /// Radius beyond which the kernel is zero [m].
    pub fn support(&self) -> Real {
        self.support
    }

    /// W(r) [1/m^3].
    pub fn value<N: Number>(&self, r: N) -> N {
        let (one, half) = (r.like(1.0), r.like(0.5));
        let q = (r / r.like(self.support)).at_least(r.like(NEAREST));
        let a = (one - q).at_least(r.like(0.0));
        // (1 − q)²(1/q − q)/2 is the polynomial above, and exactly zero at the rim.
        r.like(self.constant) * half * a * a * (one / q - q).at_least(r.like(0.0))
    }

    /// W'(r)/r [1/m^5]; times x_ij it is the gradient, the zero vector at r = 0.
    pub fn slope_over_r<N: Number>(&self, r: N) -> N {
        let one = r.like(1.0);
        let q = (r / r.like(self.support)).at_least(r.like(NEAREST));
        let a = (one - q).at_least(r.like(0.0));
        // −3q²/2 + 2q − 1/(2q²) = −(1 − q)²(3q² + 2q + 1)/(2q²).
        let slope = r.like(-0.5) * a * a * (r.like(3.0) * q * q + r.like(2.0) * q + one) / (q * q);
        r.like(self.constant / (self.support * self.support)) * slope / q
    }

    /// ∇²W(r) [1/m^5].
    pub fn laplacian<N: Number>(&self, r: N) -> N {
        r.like(self.laplacian) * (r.like(self.support) - r).at_least(r.like(0.0))
    }
}

/// Factor of (support − r) in the Laplacian.
pub(super) fn laplacian_constant(support: Real, dimension: Dimension) -> f64 {
    let reach = f64::from(support);
    match dimension {
        Dimension::One => 12.0 / reach.powi(4),
        Dimension::Two => 40.0 / (PI * reach.powi(5)),
        Dimension::Three => 45.0 / (PI * reach.powi(6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_for_it_in_the_plane_or_on_a_line_is_an_error() {
        for dimension in [Dimension::One, Dimension::Two] {
            let error = ViscosityKernel::new(1.0, dimension).unwrap_err();
            assert!(error.to_string().contains(&format!("no constant in {}D", dimension.count())), "{error}");
        }
    }

    #[test]
    fn it_integrates_to_one() {
        let kernel = ViscosityKernel::new(0.8, Dimension::Three).unwrap();
        let n = 20_000;
        let step = 0.8 / f64::from(n);
        let shell = |k: i32| {
            let r = (f64::from(k) + 0.5) * step;
            4.0 * PI * r * r * f64::from(kernel.value(r as Real)) * step
        };
        let integral: f64 = (0..n).map(shell).sum();
        assert!((integral - 1.0).abs() < 1e-5, "{integral}");
    }

    /// W' against differences of W, and W'' + 2W'/r against the Laplacian.
    #[test]
    fn slope_and_laplacian_belong_to_the_value() {
        let kernel = ViscosityKernel::new(1.0, Dimension::Three).unwrap();
        let slope = |r: f64| r * f64::from(kernel.slope_over_r(r as Real));
        for k in 4..19 {
            let r = f64::from(k) / 20.0;
            let step = 0.01;
            let w = |r: f64| f64::from(kernel.value(r as Real));
            let fourth = |f: &dyn Fn(f64) -> f64| {
                (8.0 * (f(r + step) - f(r - step)) - (f(r + 2.0 * step) - f(r - 2.0 * step))) / (12.0 * step)
            };
            assert!((fourth(&w) / slope(r) - 1.0).abs() < 2e-3, "at {r}");
            let laplacian = fourth(&slope) + 2.0 * slope(r) / r;
            let exact = f64::from(kernel.laplacian(r as Real));
            assert!((laplacian - exact).abs() < 0.02 * 45.0 / PI * 0.1 + 1e-3 * exact, "at {r}: {laplacian} {exact}");
        }
        assert_eq!(kernel.value(1.0 as Real), 0.0);
        assert_eq!(kernel.slope_over_r(1.0 as Real), 0.0);
        assert!(kernel.value(0.0 as Real).is_finite());
        assert_eq!(0.0 * kernel.slope_over_r(0.0 as Real), 0.0);
    }
}
