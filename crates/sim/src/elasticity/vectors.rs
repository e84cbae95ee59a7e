//! Sums and products of rows of four numbers, of which the last is padding.

use crate::real::Real;

/// a factor.
#[inline(always)]
pub(super) fn times(a: [Real; 4], factor: Real) -> [Real; 4] {
    [a[0] * factor, a[1] * factor, a[2] * factor, a[3] * factor]
}

/// a + b c.
#[inline(always)]
pub(super) fn plus(a: [Real; 4], b: [Real; 4], c: Real) -> [Real; 4] {
    [a[0] + b[0] * c, a[1] + b[1] * c, a[2] + b[2] * c, a[3] + b[3] * c]
}

/// sums + a b, number by number.
#[inline(always)]
pub(super) fn plus_products(sums: [f64; 4], a: [Real; 4], b: [Real; 4]) -> [f64; 4] {
    [
        sums[0] + f64::from(a[0] * b[0]),
        sums[1] + f64::from(a[1] * b[1]),
        sums[2] + f64::from(a[2] * b[2]),
        sums[3] + f64::from(a[3] * b[3]),
    ]
}
