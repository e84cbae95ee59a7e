//! Plain arrays.

use super::{Arithmetic, Registers, Rows, Selection, Simd};
use crate::neighbors::lanes::LANES;
use crate::real::Real;

/// Plain arrays: what every processor can do, in either precision.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Registers for Portable {
    type Register = [Real; LANES];

    #[inline(always)]
    fn splat(self, value: Real) -> [Real; LANES] {
        [value; LANES]
    }
    #[inline(always)]
    fn load(self, values: [Real; LANES]) -> [Real; LANES] {
        values
    }
    #[inline(always)]
    fn store(self, register: [Real; LANES]) -> [Real; LANES] {
        register
    }
}

impl Arithmetic for Portable {
    #[inline(always)]
    fn add(self, a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(self, a: [Real; LANES]) -> [Real; LANES] {
        a.map(Real::sqrt)
    }
    #[inline(always)]
    fn round(self, a: [Real; LANES]) -> [Real; LANES] {
        a.map(Real::round_ties_even)
    }
    #[inline(always)]
    fn total(self, a: [Real; LANES]) -> Real {
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }
}

impl Selection for Portable {
    #[inline(always)]
    fn max(self, a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn where_positive(self, condition: [Real; LANES], a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        std::array::from_fn(|k| if condition[k] > 0.0 { a[k] } else { b[k] })
    }
    #[inline(always)]
    fn keep_positive(self, condition: [Real; LANES], a: [Real; LANES]) -> [Real; LANES] {
        map(condition, a, |condition, a| if condition > 0.0 { a } else { 0.0 })
    }
    #[inline(always)]
    fn less(self, a: [Real; LANES], b: [Real; LANES]) -> u32 {
        (0..LANES).fold(0, |bits, k| bits | u32::from(a[k] < b[k]) << k)
    }
    #[inline(always)]
    fn compress(self, values: &[u32; LANES], bits: u32, out: &mut [u32; LANES]) {
        compress(values, bits, out);
    }
    #[inline(always)]
    fn compress_numbers(self, values: [Real; LANES], bits: u32, out: &mut [Real; LANES]) {
        compress(&values, bits, out);
    }
}

impl Rows for Portable {
    type Spread = ();

    #[inline(always)]
    fn transpose(self, rows: [&[Real; 4]; LANES]) -> [[Real; LANES]; 4] {
        std::array::from_fn(|c| rows.map(|row| row[c]))
    }
    #[inline(always)]
    fn untranspose(self, columns: [[Real; LANES]; 4]) -> [[Real; 4]; LANES] {
        std::array::from_fn(|r| columns.map(|column| column[r]))
    }
    #[inline(always)]
    fn twice(self, row: &[Real; 4]) -> [Real; LANES] {
        std::array::from_fn(|k| row[k % 4])
    }
    #[inline(always)]
    fn spread(self) {}
    #[inline(always)]
    fn first_two(self, (): (), row: [Real; LANES]) -> [Real; LANES] {
        std::array::from_fn(|k| row[k / 4])
    }
    #[inline(always)]
    fn last_two(self, (): (), row: [Real; LANES]) -> [Real; LANES] {
        std::array::from_fn(|k| row[2 + k / 4])
    }
}

impl Simd for Portable {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }
}

#[inline(always)]
fn map(a: [Real; LANES], b: [Real; LANES], f: impl Fn(Real, Real) -> Real) -> [Real; LANES] {
    std::array::from_fn(|k| f(a[k], b[k]))
}

#[inline(always)]
fn compress<T: Copy>(values: &[T; LANES], bits: u32, out: &mut [T; LANES]) {
    let mut end = 0;
    for (k, &value) in values.iter().enumerate() {
        // The end never passes the lane: at most k values were kept before lane k.
        out[end & (LANES - 1)] = value;
        end += (bits >> k & 1) as usize;
    }
}
