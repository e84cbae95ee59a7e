//! Eight numbers at a time.
//!
//! Plain arrays: the compiler turns them into vector instructions of whatever set the surrounding function is
//! compiled for. Every operation is the same IEEE operation in each lane on every set, and nothing is fused,
//! so that all instruction sets give the same bits.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::real::{Real, Vec3};

/// How many numbers are handled at a time, on every instruction set.
pub const LANES: usize = 8;

/// Eight numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub struct Lanes([Real; LANES]);

impl Lanes {
    /// The same number eight times.
    #[inline(always)]
    pub fn splat(value: Real) -> Self {
        Lanes([value; LANES])
    }

    /// Eight given numbers.
    #[inline(always)]
    pub fn from_array(values: [Real; LANES]) -> Self {
        Lanes(values)
    }

    /// The eight numbers.
    #[inline(always)]
    pub fn to_array(self) -> [Real; LANES] {
        self.0
    }

    #[inline(always)]
    fn map(self, f: impl Fn(Real) -> Real) -> Self {
        Lanes(std::array::from_fn(|k| f(self.0[k])))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(Real, Real) -> Real) -> Self {
        Lanes(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    /// The larger, lane by lane; of NaN and a number the number in `other`.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    /// The smaller, lane by lane; of NaN and a number the number in `other`.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    /// The square root, lane by lane.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.map(Real::sqrt)
    }

    /// This number where `condition` is greater than zero, `other` elsewhere.
    #[inline(always)]
    pub fn where_positive(self, condition: Self, other: Self) -> Self {
        Lanes(std::array::from_fn(|k| if condition.0[k] > 0.0 { self.0[k] } else { other.0[k] }))
    }

    /// The sum, in an order that is the same everywhere.
    #[inline(always)]
    pub fn total(self) -> Real {
        let a = self.0;
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }
}

macro_rules! lane_operator {
    ($trait:ident, $function:ident, $operator:tt) => {
        impl $trait for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $function(self, other: Lanes) -> Lanes {
                self.zip(other, |a, b| a $operator b)
            }
        }
        impl $trait<Real> for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $function(self, other: Real) -> Lanes {
                self.map(|a| a $operator other)
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);
lane_operator!(Div, div, /);

impl Neg for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn neg(self) -> Lanes {
        self.map(|a| -a)
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Lanes) {
        *self = *self + other;
    }
}

/// Eight vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VecLanes {
    /// The eight x coordinates.
    pub x: Lanes,
    /// The eight y coordinates.
    pub y: Lanes,
    /// The eight z coordinates.
    pub z: Lanes,
}

impl VecLanes {
    /// The same vector eight times.
    #[inline(always)]
    pub fn splat(value: Vec3) -> Self {
        VecLanes { x: Lanes::splat(value.x), y: Lanes::splat(value.y), z: Lanes::splat(value.z) }
    }

    /// The scalar product, lane by lane.
    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

impl Add for VecLanes {
    type Output = VecLanes;
    #[inline(always)]
    fn add(self, other: VecLanes) -> VecLanes {
        VecLanes { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for VecLanes {
    type Output = VecLanes;
    #[inline(always)]
    fn sub(self, other: VecLanes) -> VecLanes {
        VecLanes { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<Lanes> for VecLanes {
    type Output = VecLanes;
    #[inline(always)]
    fn mul(self, factor: Lanes) -> VecLanes {
        VecLanes { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// What can be summed over neighbours, eight at a time.
pub trait Wide: Copy {
    /// The sum of eight.
    type Total;
    /// Nothing yet.
    const ZERO: Self;
    /// Adds the lanes of `other` that are valid: those where `valid` is greater than zero.
    fn add_where(&mut self, valid: Lanes, other: Self);
    /// The sum over the lanes.
    fn total(self) -> Self::Total;
}

impl Wide for Lanes {
    type Total = Real;
    const ZERO: Self = Lanes([0.0; LANES]);
    #[inline(always)]
    fn add_where(&mut self, valid: Lanes, other: Self) {
        *self += other.where_positive(valid, Self::ZERO);
    }
    #[inline(always)]
    fn total(self) -> Real {
        Lanes::total(self)
    }
}

impl Wide for VecLanes {
    type Total = Vec3;
    const ZERO: Self = VecLanes { x: Lanes::ZERO, y: Lanes::ZERO, z: Lanes::ZERO };
    #[inline(always)]
    fn add_where(&mut self, valid: Lanes, other: Self) {
        self.x.add_where(valid, other.x);
        self.y.add_where(valid, other.y);
        self.z.add_where(valid, other.z);
    }
    #[inline(always)]
    fn total(self) -> Vec3 {
        Vec3::new(self.x.total(), self.y.total(), self.z.total())
    }
}

impl<A: Wide, B: Wide> Wide for (A, B) {
    type Total = (A::Total, B::Total);
    const ZERO: Self = (A::ZERO, B::ZERO);
    #[inline(always)]
    fn add_where(&mut self, valid: Lanes, other: Self) {
        self.0.add_where(valid, other.0);
        self.1.add_where(valid, other.1);
    }
    #[inline(always)]
    fn total(self) -> Self::Total {
        (self.0.total(), self.1.total())
    }
}
