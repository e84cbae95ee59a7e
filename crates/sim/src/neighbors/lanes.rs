//! Eight numbers at a time, as formulas see them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::simd::Simd;
use crate::real::{Real, Vec3};
use crate::world::Domain;

/// How many numbers are handled at a time, on every instruction set.
pub const LANES: usize = 8;

/// The number of each lane.
pub(super) const LANE_NUMBERS: [Real; LANES] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Eight numbers, with the proof that this processor has the instructions `S`: whoever has lanes may compute with them.
///
/// Lanes are made from a value of the set, or from other lanes. Everybody has [`Portable`](super::Portable):
/// ```
/// use thixo_sim::Lanes;
/// use thixo_sim::dispatch::Portable;
/// assert_eq!(Lanes::splat(Portable, 1.0).to_array(), [1.0; 8]);
/// ```
/// but nobody can make the value of another set, or do without it:
/// ```compile_fail,E0061
/// use thixo_sim::Lanes;
/// use thixo_sim::dispatch::Avx2;
/// Lanes::<Avx2>::splat(1.0);
/// ```
/// ```compile_fail,E0423
/// use thixo_sim::Lanes;
/// use thixo_sim::dispatch::Avx2;
/// Lanes::splat(Avx2(()), 1.0);
/// ```
/// nor have a register without lanes:
/// ```compile_fail,E0624
/// fn register<S: thixo_sim::Simd>(set: S) {
///     set.splat(1.0);
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Lanes<S: Simd> {
    register: S::Register,
    set: S,
}

impl<S: Simd> Lanes<S> {
    /// The same number eight times.
    #[inline(always)]
    pub fn splat(set: S, value: Real) -> Self {
        Lanes { register: set.splat(value), set }
    }

    /// Eight given numbers.
    #[inline(always)]
    pub fn from_array(set: S, values: [Real; LANES]) -> Self {
        Lanes { register: set.load(values), set }
    }

    /// Another number, eight times.
    #[inline(always)]
    pub fn like(self, value: Real) -> Self {
        Lanes::splat(self.set, value)
    }

    /// The eight numbers.
    #[inline(always)]
    pub fn to_array(self) -> [Real; LANES] {
        self.set.store(self.register)
    }

    /// The four numbers of eight rows, column by column.
    #[inline(always)]
    pub(crate) fn rows(set: S, rows: [&[Real; 4]; LANES]) -> [Self; 4] {
        let [a, b, c, d] = set.transpose(rows);
        [Lanes { register: a, set }, Lanes { register: b, set }, Lanes { register: c, set }, Lanes { register: d, set }]
    }

    /// Eight rows of four numbers that are given column by column.
    #[inline(always)]
    pub(crate) fn to_rows([a, b, c, d]: [Self; 4]) -> [[Real; 4]; LANES] {
        a.set.untranspose([a.register, b.register, c.register, d.register])
    }

    /// Four numbers, twice.
    #[inline(always)]
    pub(super) fn twice(set: S, row: &[Real; 4]) -> Self {
        Lanes { register: set.twice(row), set }
    }

    /// Of four numbers twice, the first four times, then the second.
    #[inline(always)]
    pub(super) fn first_two(self, spread: S::Spread) -> Self {
        self.with(self.set.first_two(spread, self.register))
    }

    /// The third four times, then the fourth.
    #[inline(always)]
    pub(super) fn last_two(self, spread: S::Spread) -> Self {
        self.with(self.set.last_two(spread, self.register))
    }

    /// The larger, lane by lane; `other` where either is not a number.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.with(self.set.max(self.register, other.register))
    }

    /// The smaller, lane by lane; `other` where either is not a number.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.with(self.set.min(self.register, other.register))
    }

    /// One bit per lane where this number is less.
    #[inline(always)]
    pub(crate) fn less(self, other: Self) -> u32 {
        self.set.less(self.register, other.register)
    }

    /// Writes the numbers whose bit is set to the front of `out`, in order; what follows them is undefined.
    #[inline(always)]
    pub(super) fn compress(self, bits: u32, out: &mut [Real; LANES]) {
        self.set.compress_numbers(self.register, bits, out);
    }

    /// The square root, lane by lane.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.with(self.set.sqrt(self.register))
    }

    /// The nearest whole number, halves to the even one, lane by lane.
    #[inline(always)]
    pub(super) fn round(self) -> Self {
        self.with(self.set.round(self.register))
    }

    /// This number where `condition` is greater than zero, `other` elsewhere.
    #[inline(always)]
    pub fn where_positive(self, condition: Self, other: Self) -> Self {
        self.with(self.set.where_positive(condition.register, self.register, other.register))
    }

    /// This number where `condition` is greater than zero, zero elsewhere.
    #[inline(always)]
    fn keep_positive(self, condition: Self) -> Self {
        self.with(self.set.keep_positive(condition.register, self.register))
    }

    /// Another register.
    #[inline(always)]
    fn with(self, register: S::Register) -> Self {
        Lanes { register, ..self }
    }
}

macro_rules! lane_operator {
    ($trait:ident, $function:ident) => {
        impl<S: Simd> $trait for Lanes<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                self.with(self.set.$function(self.register, other.register))
            }
        }
        impl<S: Simd> $trait<Real> for Lanes<S> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Real) -> Self {
                $trait::$function(self, self.like(other))
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
        self.like(0.0) - self
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
    pub fn splat(set: S, value: Vec3) -> Self {
        VecLanes { x: Lanes::splat(set, value.x), y: Lanes::splat(set, value.y), z: Lanes::splat(set, value.z) }
    }

    /// Eight given vectors, by coordinate.
    #[inline(always)]
    pub(super) fn from_arrays(set: S, [x, y, z]: [&[Real; LANES]; 3]) -> Self {
        VecLanes { x: Lanes::from_array(set, *x), y: Lanes::from_array(set, *y), z: Lanes::from_array(set, *z) }
    }

    /// The shortest vectors that mean the same in a periodic domain.
    #[inline(always)]
    pub fn shortest(self, domain: &Domain) -> Self {
        if !domain.is_periodic() {
            return self;
        }
        let (length, inverse) = (domain.length(), domain.inverse_length());
        let along = |x: Lanes<S>, length: Real, inverse: Real| x - (x * inverse).round() * length;
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
    fn zero(set: S) -> Self;
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
    fn zero(set: S) -> Self {
        Lanes::splat(set, 0.0)
    }
    #[inline(always)]
    fn where_positive(self, condition: Lanes<S>) -> Self {
        self.keep_positive(condition)
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn total(self) -> Real {
        self.set.total(self.register)
    }
}

impl<S: Simd> Wide<S> for VecLanes<S> {
    type Total = Vec3;
    #[inline(always)]
    fn zero(set: S) -> Self {
        VecLanes::splat(set, Vec3::ZERO)
    }
    #[inline(always)]
    fn where_positive(self, condition: Lanes<S>) -> Self {
        VecLanes {
            x: self.x.keep_positive(condition),
            y: self.y.keep_positive(condition),
            z: self.z.keep_positive(condition),
        }
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

/// The largest instead of the sum, of numbers that are not negative.
#[derive(Clone, Copy)]
pub(crate) struct Largest<S: Simd>(pub(crate) Lanes<S>);

impl<S: Simd> Wide<S> for Largest<S> {
    type Total = Real;
    #[inline(always)]
    fn zero(set: S) -> Self {
        Largest(Lanes::splat(set, 0.0))
    }
    #[inline(always)]
    fn where_positive(self, condition: Lanes<S>) -> Self {
        Largest(self.0.keep_positive(condition))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Largest(self.0.max(other.0))
    }
    #[inline(always)]
    fn total(self) -> Real {
        self.0.to_array().into_iter().fold(0.0, Real::max)
    }
}

impl<S: Simd, A: Wide<S>, B: Wide<S>> Wide<S> for (A, B) {
    type Total = (A::Total, B::Total);
    #[inline(always)]
    fn zero(set: S) -> Self {
        (A::zero(set), B::zero(set))
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
