//! Kernels in three dimensions, normalised: ∫ W dV = 1. All reach as far as their support h.
//!
//! | shape | W, with q = r/h | source |
//! |---|---|---|
//! | poly6 | 315/(64π h³) (1 − q²)³ | Müller 2003; the density kernel of Sol09 |
//! | spiky | 15/(π h³) (1 − q)³ | DG96 3.3, whose h is half the support |
//! | cubic spline | 8/(π h³) (1 − 6q² + 6q³), beyond h/2: 2 (1 − q)³ | Monaghan 1992 |

use std::f32::consts::PI;

/// The shape of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Smooth and wide; needs no square root.
    #[default]
    Poly6,
    /// Pointed: the kernel of DG96.
    Spiky,
    /// The classic of SPH.
    CubicSpline,
}

impl Shape {
    /// W(0) h³.
    const fn peak(self) -> f32 {
        match self {
            Shape::Poly6 => 315.0 / (64.0 * PI),
            Shape::Spiky => 15.0 / PI,
            Shape::CubicSpline => 8.0 / PI,
        }
    }
}

/// A shape whose value depends on the squared distance alone, in units of the support. Known when compiled, so that
/// the loop over grid points becomes vector instructions.
pub(crate) trait Profile {
    /// W/W(0); zero from q² = 1 on.
    fn value(q2: f32) -> f32;
    /// dW/dq / (q W(0)).
    fn slope(q2: f32) -> f32;
}

/// (1 − q²)³.
pub(crate) struct Poly6;
/// (1 − q)³.
pub(crate) struct Spiky;
/// The cubic spline.
pub(crate) struct CubicSpline;

impl Profile for Poly6 {
    #[inline(always)]
    fn value(q2: f32) -> f32 {
        let t = (1.0 - q2).max(0.0);
        t * t * t
    }
    #[inline(always)]
    fn slope(q2: f32) -> f32 {
        let t = (1.0 - q2).max(0.0);
        -6.0 * t * t
    }
}

impl Profile for Spiky {
    #[inline(always)]
    fn value(q2: f32) -> f32 {
        let t = (1.0 - q2.sqrt()).max(0.0);
        t * t * t
    }
    #[inline(always)]
    fn slope(q2: f32) -> f32 {
        let q = q2.sqrt();
        let t = (1.0 - q).max(0.0);
        // At its tip the kernel has no slope; a tiny q keeps the number finite.
        -3.0 * t * t / q.max(1e-6)
    }
}

impl Profile for CubicSpline {
    #[inline(always)]
    fn value(q2: f32) -> f32 {
        let q = q2.sqrt();
        let t = (1.0 - q).max(0.0);
        if q < 0.5 { 1.0 + 6.0 * q2 * (q - 1.0) } else { 2.0 * t * t * t }
    }
    #[inline(always)]
    fn slope(q2: f32) -> f32 {
        let q = q2.sqrt();
        let t = (1.0 - q).max(0.0);
        if q < 0.5 { 18.0 * q - 12.0 } else { -6.0 * t * t / q }
    }
}

/// A kernel of a certain support.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// Its shape.
    pub shape: Shape,
    /// Where it ends [m].
    pub support: f32,
}

impl Kernel {
    /// W [1/m³] at a squared distance [m²].
    pub fn value(&self, squared: f32) -> f32 {
        let q2 = squared / (self.support * self.support);
        let value = match self.shape {
            Shape::Poly6 => Poly6::value(q2),
            Shape::Spiky => Spiky::value(q2),
            Shape::CubicSpline => CubicSpline::value(q2),
        };
        self.peak() * value
    }

    /// dW/dr / r [1/m⁵] at a squared distance [m²]: times the vector from a sample, it is the gradient.
    pub fn slope(&self, squared: f32) -> f32 {
        let inverse = 1.0 / (self.support * self.support);
        let q2 = squared * inverse;
        let slope = match self.shape {
            Shape::Poly6 => Poly6::slope(q2),
            Shape::Spiky => Spiky::slope(q2),
            Shape::CubicSpline => CubicSpline::slope(q2),
        };
        self.peak() * slope * inverse
    }

    /// W(0) [1/m³].
    pub fn peak(&self) -> f32 {
        self.shape.peak() / self.support.powi(3)
    }

    /// ∫ W over the plane at that distance [1/m]: 2π ∫ W r dr from the distance to the support.
    pub fn over_plane(&self, distance: f32) -> f32 {
        const PARTS: u32 = 64;
        let from = distance.abs();
        if from >= self.support {
            return 0.0;
        }
        let width = (self.support - from) / PARTS as f32;
        let part = |k: u32| {
            let r = from + (k as f32 + 0.5) * width;
            self.value(r * r) * r
        };
        2.0 * PI * width * (0..PARTS).map(part).sum::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 3] = [Shape::Poly6, Shape::Spiky, Shape::CubicSpline];

    #[test]
    fn kernels_integrate_to_one() {
        for shape in SHAPES {
            let kernel = Kernel { shape, support: 0.3 };
            let width = 0.3 / 2000.0;
            let radius = |k: u32| (k as f32 + 0.5) * width;
            let whole: f32 = (0..2000).map(|k| 4.0 * PI * radius(k).powi(2) * kernel.value(radius(k).powi(2))).sum();
            assert!((whole * width - 1.0).abs() < 1e-4, "{shape:?}: {}", whole * width);
            let planes: f32 = (0..600).map(|k| kernel.over_plane((k as f32 + 0.5) / 1000.0 - 0.3)).sum();
            assert!((planes / 1000.0 - 1.0).abs() < 1e-3, "{shape:?}: {planes}");
        }
    }

    #[test]
    fn slopes_are_those_of_the_values_and_end_at_the_support() {
        for shape in SHAPES {
            let kernel = Kernel { shape, support: 2.0 };
            for r in [0.1_f32, 0.7, 0.99, 1.01, 1.5, 1.9] {
                let step = 1e-2;
                let difference = kernel.value((r + step).powi(2)) - kernel.value((r - step).powi(2));
                let slope = kernel.slope(r * r) * r;
                assert!((difference / (2.0 * step) - slope).abs() < 2e-3 * kernel.peak(), "{shape:?} at {r}");
            }
            assert_eq!([kernel.value(4.0), kernel.slope(4.0), kernel.value(9.0)], [0.0; 3]);
            assert!(kernel.slope(0.0).is_finite());
        }
    }
}
