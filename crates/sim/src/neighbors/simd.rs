//! Eight numbers in registers, for each instruction set.
//!
//! Every operation is the same IEEE operation in each lane on every set, sums over lanes have one order, and
//! nothing is fused: all sets give the same bits, so a run can move between machines.

use super::lanes::LANES;
use crate::real::Real;

/// A set of vector instructions. A value of the type is the permission to use it.
pub trait Simd: Copy + Send + Sync + 'static {
    /// Eight numbers.
    type Register: Copy;
    /// How to spread four numbers over eight lanes.
    type Spread: Copy;

    /// Runs `work` compiled for the set.
    fn run<R>(self, work: impl FnOnce() -> R) -> R;

    /// The same number eight times.
    fn splat(value: Real) -> Self::Register;
    /// Eight given numbers.
    fn from_array(values: [Real; LANES]) -> Self::Register;
    /// The eight numbers.
    fn to_array(register: Self::Register) -> [Real; LANES];
    /// Lane by lane.
    fn add(a: Self::Register, b: Self::Register) -> Self::Register;
    /// Lane by lane.
    fn sub(a: Self::Register, b: Self::Register) -> Self::Register;
    /// Lane by lane.
    fn mul(a: Self::Register, b: Self::Register) -> Self::Register;
    /// Lane by lane.
    fn div(a: Self::Register, b: Self::Register) -> Self::Register;
    /// `a > b ? a : b`, lane by lane.
    fn max(a: Self::Register, b: Self::Register) -> Self::Register;
    /// `a < b ? a : b`, lane by lane.
    fn min(a: Self::Register, b: Self::Register) -> Self::Register;
    /// Lane by lane.
    fn sqrt(a: Self::Register) -> Self::Register;
    /// To the nearest whole number, halves to the even one, lane by lane.
    fn round(a: Self::Register) -> Self::Register;
    /// `condition > 0 ? a : b`, lane by lane.
    fn where_positive(condition: Self::Register, a: Self::Register, b: Self::Register) -> Self::Register;
    /// `condition > 0 ? a : 0`, lane by lane.
    fn keep_positive(condition: Self::Register, a: Self::Register) -> Self::Register;
    /// ((0+4) + (2+6)) + ((1+5) + (3+7)).
    fn total(a: Self::Register) -> Real;
    /// The four numbers of eight rows, column by column.
    fn transpose(rows: [&[Real; 4]; LANES]) -> [Self::Register; 4];
    /// The way back: eight rows of four numbers.
    fn untranspose(columns: [Self::Register; 4]) -> [[Real; 4]; LANES];
    /// Four numbers, twice.
    fn twice(row: &[Real; 4]) -> Self::Register;
    /// How to spread numbers; to be asked for once before a loop.
    fn spread() -> Self::Spread;
    /// Of four numbers twice, the first four times, then the second.
    fn first_two(spread: Self::Spread, row: Self::Register) -> Self::Register;
    /// The third four times, then the fourth.
    fn last_two(spread: Self::Spread, row: Self::Register) -> Self::Register;
    /// One bit per lane where `a < b`.
    fn less(a: Self::Register, b: Self::Register) -> u32;
    /// Writes those of `values` whose bit is set to the front of `out`, in order; what follows them is undefined.
    fn compress(values: &[u32; LANES], bits: u32, out: &mut [u32; LANES]);
    /// The same for numbers.
    fn compress_numbers(values: Self::Register, bits: u32, out: &mut [Real; LANES]);
}

/// Plain arrays: what every processor can do, in either precision.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

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

impl Simd for Portable {
    type Register = [Real; LANES];
    type Spread = ();

    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }
    #[inline(always)]
    fn splat(value: Real) -> [Real; LANES] {
        [value; LANES]
    }
    #[inline(always)]
    fn from_array(values: [Real; LANES]) -> [Real; LANES] {
        values
    }
    #[inline(always)]
    fn to_array(register: [Real; LANES]) -> [Real; LANES] {
        register
    }
    #[inline(always)]
    fn add(a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn max(a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        map(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn sqrt(a: [Real; LANES]) -> [Real; LANES] {
        a.map(Real::sqrt)
    }
    #[inline(always)]
    fn round(a: [Real; LANES]) -> [Real; LANES] {
        a.map(Real::round_ties_even)
    }
    #[inline(always)]
    fn where_positive(condition: [Real; LANES], a: [Real; LANES], b: [Real; LANES]) -> [Real; LANES] {
        std::array::from_fn(|k| if condition[k] > 0.0 { a[k] } else { b[k] })
    }
    #[inline(always)]
    fn keep_positive(condition: [Real; LANES], a: [Real; LANES]) -> [Real; LANES] {
        map(condition, a, |condition, a| if condition > 0.0 { a } else { 0.0 })
    }
    #[inline(always)]
    fn total(a: [Real; LANES]) -> Real {
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }
    #[inline(always)]
    fn transpose(rows: [&[Real; 4]; LANES]) -> [[Real; LANES]; 4] {
        std::array::from_fn(|c| rows.map(|row| row[c]))
    }
    #[inline(always)]
    fn untranspose(columns: [[Real; LANES]; 4]) -> [[Real; 4]; LANES] {
        std::array::from_fn(|r| columns.map(|column| column[r]))
    }
    #[inline(always)]
    fn twice(row: &[Real; 4]) -> [Real; LANES] {
        std::array::from_fn(|k| row[k % 4])
    }
    #[inline(always)]
    fn spread() {}
    #[inline(always)]
    fn first_two((): (), row: [Real; LANES]) -> [Real; LANES] {
        std::array::from_fn(|k| row[k / 4])
    }
    #[inline(always)]
    fn last_two((): (), row: [Real; LANES]) -> [Real; LANES] {
        std::array::from_fn(|k| row[2 + k / 4])
    }
    #[inline(always)]
    fn less(a: [Real; LANES], b: [Real; LANES]) -> u32 {
        (0..LANES).fold(0, |bits, k| bits | u32::from(a[k] < b[k]) << k)
    }
    #[inline(always)]
    fn compress(values: &[u32; LANES], bits: u32, out: &mut [u32; LANES]) {
        compress(values, bits, out);
    }
    #[inline(always)]
    fn compress_numbers(values: [Real; LANES], bits: u32, out: &mut [Real; LANES]) {
        compress(&values, bits, out);
    }
}

#[cfg(not(all(target_arch = "x86_64", not(feature = "f64"))))]
pub use Portable as Avx2;

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
pub use avx2::Avx2;

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
mod avx2 {
    //! Intrinsics in functions that are always inlined into [`Avx2::run`], which is compiled for AVX2.

    use std::arch::x86_64::*;

    use super::super::lanes::LANES;
    use super::{Real, Simd};

    /// 256-bit vectors of x86-64. Made only by this crate, and only where the processor has them.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx2(());

    impl Avx2 {
        /// The permission to use AVX2, if this processor has it.
        pub(crate) fn new() -> Option<Self> {
            let detected = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt");
            detected.then_some(Avx2(()))
        }
    }

    // Every processor with AVX2 counts bits, but the compiler does not take that for granted.
    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn run_with_avx2<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    /// For each set of bits, the lanes that are set, in order.
    static ORDERS: [[u32; LANES]; 256] = orders();

    /// Where the numbers of `first_two` and `last_two` come from.
    static SPREAD: Spread = Spread([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);

    /// As aligned as registers.
    #[repr(align(32))]
    struct Spread([i32; 2 * LANES]);

    const fn orders() -> [[u32; LANES]; 256] {
        let mut orders = [[0; LANES]; 256];
        let mut bits = 0;
        while bits < 256 {
            let (mut lane, mut end) = (0, 0);
            while lane < LANES {
                if bits >> lane & 1 == 1 {
                    orders[bits][end] = lane as u32;
                    end += 1;
                }
                lane += 1;
            }
            bits += 1;
        }
        orders
    }

    // SAFETY of every block below: the functions are reached only through a value of `Avx2`, which exists only
    // where the processor has the instructions; loads and stores go to references of the right size.
    #[allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, just above")]
    impl Simd for Avx2 {
        type Register = __m256;
        type Spread = [__m256i; 2];

        #[inline(always)]
        fn run<R>(self, work: impl FnOnce() -> R) -> R {
            unsafe { run_with_avx2(work) }
        }
        #[inline(always)]
        fn splat(value: Real) -> __m256 {
            unsafe { _mm256_set1_ps(value) }
        }
        #[inline(always)]
        fn from_array(values: [Real; LANES]) -> __m256 {
            unsafe { _mm256_loadu_ps(values.as_ptr()) }
        }
        #[inline(always)]
        fn to_array(register: __m256) -> [Real; LANES] {
            let mut values = [0.0; LANES];
            unsafe { _mm256_storeu_ps(values.as_mut_ptr(), register) };
            values
        }
        #[inline(always)]
        fn add(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_add_ps(a, b) }
        }
        #[inline(always)]
        fn sub(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_sub_ps(a, b) }
        }
        #[inline(always)]
        fn mul(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_mul_ps(a, b) }
        }
        #[inline(always)]
        fn div(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_div_ps(a, b) }
        }
        #[inline(always)]
        fn max(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_max_ps(a, b) }
        }
        #[inline(always)]
        fn min(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_min_ps(a, b) }
        }
        #[inline(always)]
        fn sqrt(a: __m256) -> __m256 {
            unsafe { _mm256_sqrt_ps(a) }
        }
        #[inline(always)]
        fn round(a: __m256) -> __m256 {
            unsafe { _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
        }
        #[inline(always)]
        fn where_positive(condition: __m256, a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_blendv_ps(b, a, _mm256_cmp_ps::<_CMP_GT_OQ>(condition, _mm256_setzero_ps())) }
        }
        #[inline(always)]
        fn keep_positive(condition: __m256, a: __m256) -> __m256 {
            unsafe { _mm256_and_ps(a, _mm256_cmp_ps::<_CMP_GT_OQ>(condition, _mm256_setzero_ps())) }
        }
        #[inline(always)]
        fn total(a: __m256) -> Real {
            unsafe {
                let four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
                let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
                _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
            }
        }
        #[inline(always)]
        fn transpose(rows: [&[Real; 4]; LANES]) -> [__m256; 4] {
            unsafe {
                let both = |low: usize, high: usize| {
                    let low = _mm256_castps128_ps256(_mm_loadu_ps(rows[low].as_ptr()));
                    _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(rows[high].as_ptr()))
                };
                let (r0, r1, r2, r3) = (both(0, 4), both(1, 5), both(2, 6), both(3, 7));
                let (xy01, xy23) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpacklo_ps(r2, r3));
                let (zw01, zw23) = (_mm256_unpackhi_ps(r0, r1), _mm256_unpackhi_ps(r2, r3));
                [
                    _mm256_shuffle_ps::<0b01_00_01_00>(xy01, xy23),
                    _mm256_shuffle_ps::<0b11_10_11_10>(xy01, xy23),
                    _mm256_shuffle_ps::<0b01_00_01_00>(zw01, zw23),
                    _mm256_shuffle_ps::<0b11_10_11_10>(zw01, zw23),
                ]
            }
        }
        #[inline(always)]
        fn untranspose([x, y, z, w]: [__m256; 4]) -> [[Real; 4]; LANES] {
            unsafe {
                let (xy01, xy23) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
                let (zw01, zw23) = (_mm256_unpacklo_ps(z, w), _mm256_unpackhi_ps(z, w));
                let rows = [
                    _mm256_shuffle_ps::<0b01_00_01_00>(xy01, zw01),
                    _mm256_shuffle_ps::<0b11_10_11_10>(xy01, zw01),
                    _mm256_shuffle_ps::<0b01_00_01_00>(xy23, zw23),
                    _mm256_shuffle_ps::<0b11_10_11_10>(xy23, zw23),
                ];
                let mut out = [[0.0; 4]; LANES];
                for (k, row) in rows.into_iter().enumerate() {
                    _mm_storeu_ps(out[k].as_mut_ptr(), _mm256_castps256_ps128(row));
                    _mm_storeu_ps(out[k + 4].as_mut_ptr(), _mm256_extractf128_ps::<1>(row));
                }
                out
            }
        }
        #[inline(always)]
        fn twice(row: &[Real; 4]) -> __m256 {
            unsafe {
                let row = _mm_loadu_ps(row.as_ptr());
                _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(row), row)
            }
        }
        #[inline(always)]
        fn spread() -> [__m256i; 2] {
            // Known to the compiler, they would become two instructions for each, of which one crosses lanes.
            unsafe { std::ptr::read_volatile(SPREAD.0.as_ptr().cast()) }
        }
        #[inline(always)]
        fn first_two([first, _]: [__m256i; 2], row: __m256) -> __m256 {
            unsafe { _mm256_permutevar_ps(row, first) }
        }
        #[inline(always)]
        fn last_two([_, last]: [__m256i; 2], row: __m256) -> __m256 {
            unsafe { _mm256_permutevar_ps(row, last) }
        }
        #[inline(always)]
        fn less(a: __m256, b: __m256) -> u32 {
            unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) as u32 }
        }
        #[inline(always)]
        fn compress(values: &[u32; LANES], bits: u32, out: &mut [u32; LANES]) {
            unsafe {
                let order = _mm256_loadu_si256(ORDERS[(bits & 0xff) as usize].as_ptr().cast());
                let values = _mm256_loadu_si256(values.as_ptr().cast());
                _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(values, order));
            }
        }
        #[inline(always)]
        fn compress_numbers(values: __m256, bits: u32, out: &mut [Real; LANES]) {
            unsafe {
                let order = _mm256_loadu_si256(ORDERS[(bits & 0xff) as usize].as_ptr().cast());
                _mm256_storeu_ps(out.as_mut_ptr(), _mm256_permutevar8x32_ps(values, order));
            }
        }
    }
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
                        let (x, y) = (S::from_array(a), S::from_array(b));
                        let all = [
                            S::add(x, y),
                            S::sub(x, y),
                            S::mul(x, y),
                            S::div(x, y),
                            S::max(x, y),
                            S::min(x, y),
                            S::sqrt(x),
                            S::round(x),
                            S::where_positive(x, y, x),
                            S::keep_positive(x, y),
                            S::twice(&[a[0], a[1], a[2], a[3]]),
                            S::first_two(S::spread(), S::twice(&[a[4], a[5], a[6], a[7]])),
                            S::last_two(S::spread(), S::twice(&[a[4], a[5], a[6], a[7]])),
                        ];
                        let numbers = all.into_iter().flat_map(S::to_array).chain([S::total(x), S::total(y)]);
                        // NaN has many forms; any is NaN.
                        bits.extend(numbers.map(|v| if v.is_nan() { 1 } else { v.to_bits() }));
                        bits.push(S::less(x, y));
                        for pattern in 0..256 {
                            let mut out = [0; LANES];
                            S::compress(&[1, 2, 3, 4, 5, 6, 7, 8], pattern, &mut out);
                            bits.extend(&out[..pattern.count_ones() as usize]);
                            let mut out = [0.0; LANES];
                            S::compress_numbers(y, pattern, &mut out);
                            bits.extend(out[..pattern.count_ones() as usize].iter().map(|v| v.to_bits()));
                        }
                    }
                }
                let rows: [[Real; 4]; LANES] = std::array::from_fn(|r| std::array::from_fn(|c| (10 * r + c) as Real));
                bits.extend(S::transpose(rows.each_ref()).into_iter().flat_map(S::to_array).map(Real::to_bits));
                assert_eq!(S::untranspose(S::transpose(rows.each_ref())), rows);
                bits
            })
        }
        assert_eq!(results(avx2), results(Portable));
    }
}
