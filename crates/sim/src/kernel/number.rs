//! What kernel formulas need of a number.

use std::ops::{Add, Div, Mul, Sub};

use crate::neighbors::{Lanes, Simd};
use crate::real::Real;

/// What kernel formulas need of a number: one, or eight at a time.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// Another value, the same in every lane.
    fn like(self, value: Real) -> Self;
    /// The larger, lane by lane.
    fn at_least(self, low: Self) -> Self;
    /// The square root, lane by lane.
    fn root(self) -> Self;
    /// Is it smaller in every lane?
    fn is_below(self, limit: Real) -> bool;
}

impl Number for Real {
    #[inline(always)]
    fn like(self, value: Real) -> Self {
        value
    }
    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        if self > low { self } else { low }
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn is_below(self, limit: Real) -> bool {
        self < limit
    }
}

impl<S: Simd> Number for Lanes<S> {
    #[inline(always)]
    fn like(self, value: Real) -> Self {
        Lanes::like(self, value)
    }
    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        self.max(low)
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn is_below(self, limit: Real) -> bool {
        self.less(self.like(limit)) == 0xff
    }
}
