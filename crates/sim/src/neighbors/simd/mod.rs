//! Eight numbers in registers, for each instruction set.
//!
//! Every operation is the same IEEE operation in each lane on every set, sums over lanes have one order, and
//! nothing is fused: all sets give the same bits, so a run can move between machines.
//!
//! A value of a set is the proof that this processor has its instructions: it is made only where they were detected.
//! Every operation takes one, so no safe code can use an instruction that is not there.

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
mod avx2;
mod portable;

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
pub use avx2::Avx2;
pub use portable::Portable;
#[cfg(not(all(target_arch = "x86_64", not(feature = "f64"))))]
pub use portable::Portable as Avx2;

use super::lanes::LANES;
use crate::real::Real;

/// A set of vector instructions. A value of the type is the proof that this processor has them.
#[expect(private_bounds, reason = "other crates compute with lanes, and never see a register")]
pub trait Simd: Arithmetic + Selection + Rows + Send + Sync + 'static {
    /// Runs `work` compiled for the set.
    fn run<R>(self, work: impl FnOnce() -> R) -> R;
}

/// What is held in a register.
pub(crate) trait Registers: Copy {
    /// Eight numbers.
    type Register: Copy;

    /// The same number eight times.
    fn splat(self, value: Real) -> Self::Register;
    /// Eight given numbers.
    fn load(self, values: [Real; LANES]) -> Self::Register;
    /// The eight numbers.
    fn store(self, register: Self::Register) -> [Real; LANES];
}

/// Operations on numbers, lane by lane but for the total.
pub(crate) trait Arithmetic: Registers {
    /// a + b.
    fn add(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// a − b.
    fn sub(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// a b.
    fn mul(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// a / b.
    fn div(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// √a.
    fn sqrt(self, a: Self::Register) -> Self::Register;
    /// To the nearest whole number, halves to the even one.
    fn round(self, a: Self::Register) -> Self::Register;
    /// ((0+4) + (2+6)) + ((1+5) + (3+7)).
    fn total(self, a: Self::Register) -> Real;
}

/// Choices between numbers.
pub(crate) trait Selection: Registers {
    /// `a > b ? a : b`, lane by lane.
    fn max(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// `a < b ? a : b`, lane by lane.
    fn min(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// `condition > 0 ? a : b`, lane by lane.
    fn where_positive(self, condition: Self::Register, a: Self::Register, b: Self::Register) -> Self::Register;
    /// `condition > 0 ? a : 0`, lane by lane.
    fn keep_positive(self, condition: Self::Register, a: Self::Register) -> Self::Register;
    /// One bit per lane where `a < b`.
    fn less(self, a: Self::Register, b: Self::Register) -> u32;
    /// Writes those of `values` whose bit is set to the front of `out`, in order; what follows them is undefined.
    fn compress(self, values: &[u32; LANES], bits: u32, out: &mut [u32; LANES]);
    /// The same for numbers.
    fn compress_numbers(self, values: Self::Register, bits: u32, out: &mut [Real; LANES]);
}

/// Rows of four numbers.
pub(crate) trait Rows: Registers {
    /// How to spread four numbers over eight lanes.
    type Spread: Copy;

    /// The four numbers of eight rows, column by column.
    fn transpose(self, rows: [&[Real; 4]; LANES]) -> [Self::Register; 4];
    /// The way back: eight rows of four numbers.
    fn untranspose(self, columns: [Self::Register; 4]) -> [[Real; 4]; LANES];
    /// Four numbers, twice.
    fn twice(self, row: &[Real; 4]) -> Self::Register;
    /// How to spread numbers; to be asked for once before a loop.
    fn spread(self) -> Self::Spread;
    /// Of four numbers twice, the first four times, then the second.
    fn first_two(self, spread: Self::Spread, row: Self::Register) -> Self::Register;
    /// The third four times, then the fourth.
    fn last_two(self, spread: Self::Spread, row: Self::Register) -> Self::Register;
}

#[cfg(all(test, target_arch = "x86_64", not(feature = "f64")))]
mod tests {
    use super::*;

    /// Numbers that tell operations apart: signs, zeros, infinities, NaN.
    const SAMPLES: [[Real; LANES]; 3] = [
        [0.0, -0.0, 1.5, -2.5, 3.25e-7, 7.0e8, Real::INFINITY, 0.1],
        [1.0, 2.0, -0.5, -2.5, 1.0e-7, -3.0, 2.0, 0.3],
        [5.0, 0.0, -1.0, 2.0, 9.0, 0.25, 1.0, -0.0],
    ];

    #[test]
    fn avx2_gives_the_bits_of_plain_arrays() {
        let Some(avx2) = Avx2::new() else { return };
        fn results<S: Simd>(set: S) -> Vec<u32> {
            set.run(|| {
                let mut bits = Vec::new();
                for a in SAMPLES {
                    for b in SAMPLES {
                        let (x, y) = (set.load(a), set.load(b));
                        let all = [
                            set.add(x, y),
                            set.sub(x, y),
                            set.mul(x, y),
                            set.div(x, y),
                            set.max(x, y),
                            set.min(x, y),
                            set.sqrt(x),
                            set.round(x),
                            set.where_positive(x, y, x),
                            set.keep_positive(x, y),
                            set.twice(&[a[0], a[1], a[2], a[3]]),
                            set.first_two(set.spread(), set.twice(&[a[4], a[5], a[6], a[7]])),
                            set.last_two(set.spread(), set.twice(&[a[4], a[5], a[6], a[7]])),
                        ];
                        let numbers = all.into_iter().flat_map(|x| set.store(x)).chain([set.total(x), set.total(y)]);
                        // NaN has many forms; any is NaN.
                        bits.extend(numbers.map(|v| if v.is_nan() { 1 } else { v.to_bits() }));
                        bits.push(set.less(x, y));
                        for pattern in 0..256 {
                            let mut out = [0; LANES];
                            set.compress(&[1, 2, 3, 4, 5, 6, 7, 8], pattern, &mut out);
                            bits.extend(&out[..pattern.count_ones() as usize]);
                            let mut out = [0.0; LANES];
                            set.compress_numbers(y, pattern, &mut out);
                            bits.extend(out[..pattern.count_ones() as usize].iter().map(|v| v.to_bits()));
                        }
                    }
                }
                let rows: [[Real; 4]; LANES] = std::array::from_fn(|r| std::array::from_fn(|c| (10 * r + c) as Real));
                bits.extend(set.transpose(rows.each_ref()).into_iter().flat_map(|x| set.store(x)).map(Real::to_bits));
                assert_eq!(set.untranspose(set.transpose(rows.each_ref())), rows);
                bits
            })
        }
        assert_eq!(results(avx2), results(Portable));
    }
}
