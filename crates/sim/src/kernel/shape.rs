//! The shapes of kernels, as functions of q = r / support.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::Number;
use crate::real::{Dimension, Real};

/// Distances below this share of the support count as this share where a slope is divided by them: W'/r of a pointed
/// kernel would be infinite at r = 0, and infinity times the zero vector no number.
const NEAREST: Real = 1e-6;

/// Terms of a series: what is left out is below the rounding of the precision.
const TERMS: u32 = if size_of::<Real>() == 4 { 4 } else { 8 };

/// The shape of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The cubic spline.
    CubicSpline,
    /// Wendland C2.
    WendlandC2,
    /// The spiky kernel.
    Spiky,
    /// Poly6.
    Poly6,
    /// The cosine kernel.
    Cosine,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 5] = [Shape::CubicSpline, Shape::WendlandC2, Shape::Spiky, Shape::Poly6, Shape::Cosine];

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Shape::CubicSpline => "cubic_spline",
            Shape::WendlandC2 => "wendland_c2",
            Shape::Spiky => "spiky",
            Shape::Poly6 => "poly6",
            Shape::Cosine => "cosine",
        }
    }

    /// What the shape is multiplied with, for a support of one, so that its integral is one.
    pub(super) fn constant(self, dimension: Dimension) -> f64 {
        let [one, two, three] = match self {
            Shape::CubicSpline => [4.0 / 3.0, 40.0 / (7.0 * PI), 8.0 / PI],
            Shape::WendlandC2 => [5.0 / 4.0, 7.0 / PI, 21.0 / (2.0 * PI)],
            Shape::Spiky => [2.0, 10.0 / PI, 15.0 / PI],
            Shape::Poly6 => [35.0 / 32.0, 4.0 / PI, 315.0 / (64.0 * PI)],
            Shape::Cosine => {
                let three = 1.0 / 3.0 - 8.0 / (PI * PI) + 16.0 / (PI * PI * PI);
                [0.5 / (1.0 - 2.0 / PI), 1.0 / (PI - 8.0 / PI), 1.0 / (4.0 * PI * three)]
            }
        };
        match dimension {
            Dimension::One => one,
            Dimension::Two => two,
            Dimension::Three => three,
        }
    }

    /// The shape, without its constant.
    #[inline(always)]
    pub(super) fn value<N: Number>(self, dimension: Dimension, q: N) -> N {
        let one = q.like(1.0);
        let inside = (one - q).at_least(q.like(0.0));
        match (self, dimension) {
            (Shape::WendlandC2, Dimension::One) => inside * inside * inside * (one + q.like(3.0) * q),
            (Shape::WendlandC2, _) => (inside * inside) * (inside * inside) * (one + q.like(4.0) * q),
            (Shape::CubicSpline, _) => {
                // 2(1 − q)³₊ − (1 − 2q)³₊ is the two pieces in one, without a branch.
                let b = (one - q - q).at_least(q.like(0.0));
                (inside + inside) * (inside * inside) - b * (b * b)
            }
            (Shape::Spiky, _) => inside * inside * inside,
            (Shape::Poly6, _) => {
                let a = (one - q * q).at_least(q.like(0.0));
                a * a * a
            }
            (Shape::Cosine, _) => {
                // 1 − sin(πq/2) = 2 sin²(π(1 − q)/4): exactly zero at the rim.
                let (sine, _) = sine_and_cosine(inside);
                q.like(2.0) * sine * sine
            }
        }
    }

    /// The slope of the shape over q, without its constant: finite at q = 0, never positive.
    #[inline(always)]
    pub(super) fn slope_over_q<N: Number>(self, dimension: Dimension, q: N) -> N {
        let one = q.like(1.0);
        let inside = (one - q).at_least(q.like(0.0));
        match (self, dimension) {
            (Shape::WendlandC2, Dimension::One) => q.like(-12.0) * inside * inside,
            (Shape::WendlandC2, _) => q.like(-20.0) * inside * inside * inside,
            (Shape::CubicSpline, _) => {
                // 18q − 12 to q = ½, then −6(1 − q)²/q, without a branch and without dividing by q = 0:
                // the outer piece at max(q, ½) stands still at −3 inside, and −18(½ − q) is what is missing there.
                let outer = q.at_least(q.like(0.5));
                let a = (one - outer).at_least(q.like(0.0));
                let b = (q.like(0.5) - q).at_least(q.like(0.0));
                q.like(-6.0) * a * a / outer - q.like(18.0) * b
            }
            (Shape::Spiky, _) => q.like(-3.0) * inside * inside / q.at_least(q.like(NEAREST)),
            (Shape::Poly6, _) => {
                let a = (one - q * q).at_least(q.like(0.0));
                q.like(-6.0) * a * a
            }
            (Shape::Cosine, _) => {
                // −(π/2) cos(πq/2) = −π sin(π(1 − q)/4) cos(π(1 − q)/4).
                let (sine, cosine) = sine_and_cosine(inside);
                q.like(-PI as Real) * sine * cosine / q.at_least(q.like(NEAREST))
            }
        }
    }
}

/// sin(πa/4) and cos(πa/4) for a between 0 and 1, by their series.
#[inline(always)]
fn sine_and_cosine<N: Number>(a: N) -> (N, N) {
    let x = a * a.like((PI / 4.0) as Real);
    let square = x * x;
    // Σ (−x²)^k / (first · (first + 1) · ...), from the smallest term to the largest.
    let series = |first: u32| {
        (0..TERMS).rev().fold(a.like(1.0), |sum, k| {
            let divisor = (first + 2 * k) * (first + 2 * k + 1);
            a.like(1.0) - square * sum * a.like(1.0 / divisor as Real)
        })
    };
    (x * series(2), series(1))
}
