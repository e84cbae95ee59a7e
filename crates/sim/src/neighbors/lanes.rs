//! Eight numbers at a time, as formulas see them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::simd::Simd;
use crate::real::{Real, Vec3};
use crate::world::Domain;

/// How many numbers are handled at a time, on every instruction set.
pub const LANES: usize = 8;

/// The number of each lane.
pub(super) const LANE_NUMBERS: [Real; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct Lanes<S: Simd>(pub(super) S::Register);

impl<S: Simd> Lanes<S> {
    /// The same number eight times.
    #[inline(always)]
    pub fn splat(value: Real) -> Self {
        Lanes(S::splat(value))
    }

    /// Eight given numbers.
    #[inline(always)]
    pub fn from_array(values: [Real; LANES]) -> Self {
        Lanes(S::from_array(values))
    }

    /// The eight numbers.
    #[inline(always)]
    pub fn to_array(self) -> [Real; LANES] {
        S::to_array(self.0)
    }

    /// The four numbers of eight rows, column by column.
    #[inline(always)]
    pub(crate) fn rows(rows: [&[Real; 4]; LANES]) -> [Self; 4] {
        let [a, b, c, d] = S::transpose(rows);
        [Lanes(a), Lanes(b), Lanes(c), Lanes(d)]
    }

    /// Eight rows of four numbers that are given column by column.
    #[inline(always)]
    pub(crate) fn to_rows([a, b, c, d]: [Self; 4]) -> [[Real; 4]; LANES] {
        S::untranspose([a.0, b.0, c.0, d.0])
    }

    /// The larger, lane by lane; `other` where either is not a number.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Lanes(S::max(self.0, other.0))
    }

    /// The smaller, lane by lane; `other` where either is not a number.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Lanes(S::min(self.0, other.0))
    }

    /// One bit per lane where this number is less.
    #[inline(always)]
    pub(crate) fn less(self, other: Self) -> u32 {
        S::less(self.0, other.0)
    }

    /// The square root, lane by lane.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Lanes(S::sqrt(self.0))
    }

    /// This number where `condition` is greater than zero, `other` elsewhere.
    #[inline(always)]
    pub fn where_positive(self, condition: Self, other: Self) -> Self {
        Lanes(S::where_positive(condition.0, self.0, other.0))
    }
}

macro_rules! lane_operator {
    ($trait:ident, $function:ident) => {
        impl<S: Simd> $trait for Lanes<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Lanes(S::$function(self.0, other.0))
            }
        }
        impl<S: Simd> $trait<Real> for Lanes<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Real) -> Self {
                Lanes(S::$function(self.0, S::splat(other)))
            }
        }
    };
}
lane_operator!(Add, add);
lane_operator!(Sub, sub);
lane_operator!(Mul, mul);
lane_operator!(Div, div);

impl<S: Simd> Neg for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(S::sub(S::splat(0.0), self.0))
    }
}

/// Eight vectors.
#[derive(Clone, Copy)]
pub struct VecLanes<S: Simd> {
    /// The eight x coordinates.
    pub x: Lanes<S>,
    /// The eight y coordinates.
    pub y: Lanes<S>,
    /// The eight z coordinates.
    pub z: Lanes<S>,
}

impl<S: Simd> VecLanes<S> {
    /// The same vector eight times.
    #[inline(always)]
    pub fn splat(value: Vec3) -> Self {
        VecLanes { x: Lanes::splat(value.x), y: Lanes::splat(value.y), z: Lanes::splat(value.z) }
    }

    /// Eight given vectors, by coordinate.
    #[inline(always)]
    pub(super) fn from_arrays([x, y, z]: [&[Real; LANES]; 3]) -> Self {
        VecLanes { x: Lanes::from_array(*x), y: Lanes::from_array(*y), z: Lanes::from_array(*z) }
    }

    /// The shortest vectors that mean the same in a periodic domain.
    #[inline(always)]
    pub fn shortest(self, domain: &Domain) -> Self {
        if !domain.is_periodic() {
            return self;
        }
        let (length, inverse) = (domain.length(), domain.inverse_length());
        let along = |x: Lanes<S>, length: Real, inverse: Real| x - Lanes(S::round((x * inverse).0)) * length;
        VecLanes {
            x: along(self.x, length.x, inverse.x),
            y: along(self.y, length.y, inverse.y),
            z: along(self.z, length.z, inverse.z),
        }
    }

    /// The scalar product, lane by lane.
    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

impl<S: Simd> Add for VecLanes<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        VecLanes { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<S: Simd> Sub for VecLanes<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        VecLanes { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<S: Simd> Mul<Lanes<S>> for VecLanes<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: Lanes<S>) -> Self {
        VecLanes { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// What can be summed over neighbours, eight at a time.
pub trait Wide<S: Simd>: Copy {
    /// The sum of eight.
    type Total;
    /// Nothing yet.
    fn zero() -> Self;
    /// The lanes where `condition` is greater than zero, zero in the others.
    fn where_positive(self, condition: Lanes<S>) -> Self;
    /// Lane by lane.
    fn plus(self, other: Self) -> Self;
    /// The sum over the lanes.
    fn total(self) -> Self::Total;
}

impl<S: Simd> Wide<S> for Lanes<S> {
    type Total = Real;
    #[inline(always)]
    fn zero() -> Self {
        Lanes::splat(0.0)
    }
    #[inline(always)]
    fn where_positive(self, condition: Lanes<S>) -> Self {
        Lanes(S::keep_positive(condition.0, self.0))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn total(self) -> Real {
        S::total(self.0)
    }
}

impl<S: Simd> Wide<S> for VecLanes<S> {
    type Total = Vec3;
    #[inline(always)]
    fn zero() -> Self {
        VecLanes::splat(Vec3::ZERO)
    }
    #[inline(always)]
    fn where_positive(self, condition: Lanes<S>) -> Self {
        let keep = |x: Lanes<S>| Lanes(S::keep_positive(condition.0, x.0));
        VecLanes { x: keep(self.x), y: keep(self.y), z: keep(self.z) }
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn total(self) -> Vec3 {
        Vec3::new(self.x.total(), self.y.total(), self.z.total())
    }
}

impl<S: Simd, A: Wide<S>, B: Wide<S>> Wide<S> for (A, B) {
    type Total = (A::Total, B::Total);
    #[inline(always)]
    fn zero() -> Self {
        (A::zero(), B::zero())
    }
    #[inline(always)]
    fn where_positive(self, condition: Lanes<S>) -> Self {
        (self.0.where_positive(condition), self.1.where_positive(condition))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        (self.0.plus(other.0), self.1.plus(other.1))
    }
    #[inline(always)]
    fn total(self) -> Self::Total {
        (self.0.total(), self.1.total())
    }
}
