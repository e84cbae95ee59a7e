//! Small mathematics that several cases share.

use std::ops::{Add, Div, Mul, Sub};

use thixo_sim::{Number, Real};

/// Nodes and weights of Gauss' quadrature with five points on [-1, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.0, 128.0 / 225.0),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

/// ∫ f over [low, high], in so many equal panels: exact in each for polynomials up to degree nine.
pub(crate) fn integral(low: f64, high: f64, panels: u32, f: impl Fn(f64) -> f64) -> f64 {
    let half = 0.5 * (high - low) / f64::from(panels);
    let panel = |k: u32| {
        let middle = low + half * f64::from(2 * k + 1);
        GAUSS.iter().map(|(node, weight)| weight * f(middle + half * node)).sum::<f64>() * half
    };
    (0..panels).map(panel).sum()
}

/// A number with its derivative: evaluates a formula and its slope exactly, without a finite difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dual {
    pub(crate) value: f64,
    pub(crate) slope: f64,
}

impl Dual {
    /// The variable itself.
    pub(crate) fn variable(value: f64) -> Dual {
        Dual { value, slope: 1.0 }
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, other: Dual) -> Dual {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, other: Dual) -> Dual {
        Dual { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl Mul for Dual {
    type Output = Dual;
    fn mul(self, other: Dual) -> Dual {
        Dual { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
    }
}

impl Div for Dual {
    type Output = Dual;
    fn div(self, other: Dual) -> Dual {
        let value = self.value / other.value;
        Dual { value, slope: (self.slope - value * other.slope) / other.value }
    }
}

impl Number for Dual {
    fn like(self, value: Real) -> Dual {
        Dual { value: f64::from(value), slope: 0.0 }
    }
    fn at_least(self, low: Dual) -> Dual {
        if self.value > low.value { self } else { low }
    }
    fn root(self) -> Dual {
        let value = self.value.sqrt();
        Dual { value, slope: 0.5 * self.slope / value }
    }
    fn is_below(self, limit: Real) -> bool {
        self.value < f64::from(limit)
    }
}

/// The value of a curve of (x, y) points with rising x, linear in between and constant outside.
pub(crate) fn interpolate(curve: &[(f64, f64)], x: f64) -> f64 {
    let after = curve.partition_point(|point| point.0 < x);
    match (after.checked_sub(1).and_then(|k| curve.get(k)), curve.get(after)) {
        (Some(&(x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
        (Some(&(_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => f64::NAN,
    }
}

/// Slope of the straight line that fits the points best.
pub(crate) fn fitted_slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    both / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

/// The value that is farthest from the expected one; that itself if there is none.
pub(crate) fn farthest(values: impl Iterator<Item = f64>, expected: f64) -> f64 {
    values.fold(expected, |a, b| if (a - expected).abs() >= (b - expected).abs() { a } else { b })
}

/// Numbers between 0 and 1 without pattern, always the same.
pub(crate) fn scattered(count: u32) -> impl Iterator<Item = f64> {
    (1..=count).map(|k| (f64::from(k) * 0.618_033_988_749_894_9).fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrature_is_exact_for_degree_nine() {
        assert!((integral(0.0, 2.0, 1, |x| x.powi(9)) - 102.4).abs() < 1e-10);
    }

    #[test]
    fn the_farthest_value_is_found_and_what_is_no_number_is_seen() {
        assert_eq!(farthest([1.1, 0.7, 1.2].into_iter(), 1.0), 0.7);
        assert!(farthest([1.1, f64::NAN].into_iter(), 1.0).is_nan());
    }

    #[test]
    fn dual_numbers_differentiate() {
        let x = Dual::variable(2.0);
        // f = √(x³ + 1) / x: f(2) = 1.5 and f' = (3x²/2√(x³+1) − f)/x = 0.25
        let f = (x * x * x + x.like(1.0)).root() / x;
        assert!((f.value - 1.5).abs() < 1e-12 && (f.slope - 0.25).abs() < 1e-12);
        assert_eq!(Dual::variable(-1.0).at_least(x.like(0.0)).slope, 0.0);
    }

    #[test]
    fn curves_are_straight_between_points() {
        let curve = [(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)];
        assert_eq!([-1.0, 0.5, 1.0, 1.5, 9.0].map(|x| interpolate(&curve, x)), [1.0, 2.0, 3.0, 2.5, 2.0]);
        assert!(interpolate(&[], 0.0).is_nan());
        assert!((fitted_slope(&[(0.0, 1.0), (1.0, -1.0), (2.0, -3.0)]) + 2.0).abs() < 1e-12);
    }
}
