//! 256-bit vectors of x86-64.
//!
//! Intrinsics in functions that are always inlined into [`Simd::run`], which is compiled for AVX2.

#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, below")]

use std::arch::x86_64::*;

use super::{Arithmetic, Registers, Rows, Selection, Simd};
use crate::neighbors::lanes::LANES;
use crate::real::Real;

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

// SAFETY of every block below: each is in a function that takes an `Avx2`, and there is one only where `Avx2::new` has
// found the instructions, because nobody else can make one. Loads and stores go to references of the right size.

impl Registers for Avx2 {
    type Register = __m256;

    #[inline(always)]
    fn splat(self, value: Real) -> __m256 {
        unsafe { _mm256_set1_ps(value) }
    }
    #[inline(always)]
    fn load(self, values: [Real; LANES]) -> __m256 {
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, register: __m256) -> [Real; LANES] {
        let mut values = [0.0; LANES];
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), register) };
        values
    }
}

impl Arithmetic for Avx2 {
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_div_ps(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        unsafe { _mm256_sqrt_ps(a) }
    }
    #[inline(always)]
    fn round(self, a: __m256) -> __m256 {
        unsafe { _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    }
    #[inline(always)]
    fn total(self, a: __m256) -> Real {
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
}

impl Selection for Avx2 {
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_max_ps(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_min_ps(a, b) }
    }
    #[inline(always)]
    fn where_positive(self, condition: __m256, a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_blendv_ps(b, a, _mm256_cmp_ps::<_CMP_GT_OQ>(condition, _mm256_setzero_ps())) }
    }
    #[inline(always)]
    fn keep_positive(self, condition: __m256, a: __m256) -> __m256 {
        unsafe { _mm256_and_ps(a, _mm256_cmp_ps::<_CMP_GT_OQ>(condition, _mm256_setzero_ps())) }
    }
    #[inline(always)]
    fn less(self, a: __m256, b: __m256) -> u32 {
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) as u32 }
    }
    #[inline(always)]
    fn compress(self, values: &[u32; LANES], bits: u32, out: &mut [u32; LANES]) {
        unsafe {
            let order = _mm256_loadu_si256(ORDERS[(bits & 0xff) as usize].as_ptr().cast());
            let values = _mm256_loadu_si256(values.as_ptr().cast());
            _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(values, order));
        }
    }
    #[inline(always)]
    fn compress_numbers(self, values: __m256, bits: u32, out: &mut [Real; LANES]) {
        unsafe {
            let order = _mm256_loadu_si256(ORDERS[(bits & 0xff) as usize].as_ptr().cast());
            _mm256_storeu_ps(out.as_mut_ptr(), _mm256_permutevar8x32_ps(values, order));
        }
    }
}

impl Rows for Avx2 {
    type Spread = [__m256i; 2];

    #[inline(always)]
    fn transpose(self, rows: [&[Real; 4]; LANES]) -> [__m256; 4] {
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
    fn untranspose(self, [x, y, z, w]: [__m256; 4]) -> [[Real; 4]; LANES] {
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
    fn twice(self, row: &[Real; 4]) -> __m256 {
        unsafe {
            let row = _mm_loadu_ps(row.as_ptr());
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(row), row)
        }
    }
    #[inline(always)]
    fn spread(self) -> [__m256i; 2] {
        // Known to the compiler, they would become two instructions for each, of which one crosses lanes.
        unsafe { std::ptr::read_volatile(SPREAD.0.as_ptr().cast()) }
    }
    #[inline(always)]
    fn first_two(self, [first, _]: [__m256i; 2], row: __m256) -> __m256 {
        unsafe { _mm256_permutevar_ps(row, first) }
    }
    #[inline(always)]
    fn last_two(self, [_, last]: [__m256i; 2], row: __m256) -> __m256 {
        unsafe { _mm256_permutevar_ps(row, last) }
    }
}

impl Simd for Avx2 {
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        unsafe { run_with_avx2(work) }
    }
}
