//! Sums and maxima over all particles, the same for any number of threads.
//!
//! A sum adds fixed chunks in fixed order; a maximum does not depend on order.

use std::ops::Range;

use rayon::prelude::*;

use crate::neighbors::LANES;
use crate::real::Real;

/// Particles per partial sum. Part of the result's definition: changing it changes bits.
const CHUNK: usize = 4096;

/// The largest of `value(i)`, at least 0. A value that is not a number counts as infinite, so that it is seen.
pub(crate) fn max(count: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    max_chunks(count, |range| range.map(&value).fold(0.0, larger))
}

/// The largest of `chunk(range)` over ranges that together are all particles, for loops that want whole slices.
pub(crate) fn max_chunks(count: usize, chunk: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    ranges(count).map(&chunk).reduce(|| 0.0, larger)
}

/// All particles, chunk by chunk.
fn ranges(count: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    (0..count.div_ceil(CHUNK)).into_par_iter().map(move |c| c * CHUNK..((c + 1) * CHUNK).min(count))
}

/// The largest `value` of the elements of a slice, at least 0; infinity if one is not a number.
///
/// Eight at a time: one comparison need not wait for the one before.
pub(crate) fn largest<T>(elements: &[T], value: impl Fn(&T) -> Real) -> f64 {
    let (mut most, mut undefined) = ([0.0; LANES], [false; LANES]);
    let mut see = |lane: usize, value: Real| {
        undefined[lane] |= value.is_nan();
        most[lane] = if value > most[lane] { value } else { most[lane] };
    };
    let (blocks, rest) = elements.as_chunks::<LANES>();
    for block in blocks {
        (0..LANES).for_each(|lane| see(lane, value(&block[lane])));
    }
    rest.iter().for_each(|element| see(0, value(element)));
    if undefined.contains(&true) { f64::INFINITY } else { most.into_iter().map(f64::from).fold(0.0, f64::max) }
}

/// The larger of a number and a value; infinity for a value that is not a number. Mostly one comparison.
#[inline(always)]
pub(crate) fn larger(most: f64, value: f64) -> f64 {
    match value <= most {
        true => most,
        false if value.is_nan() => f64::INFINITY,
        false => value,
    }
}

/// What can be summed.
pub(crate) trait Sum: Copy + Default + Send {
    /// The sum of two.
    fn plus(self, other: Self) -> Self;
}

impl Sum for f64 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

impl Sum for [f64; 3] {
    fn plus(self, other: Self) -> Self {
        [self[0] + other[0], self[1] + other[1], self[2] + other[2]]
    }
}

/// The sum of `value(i)`. `partials` is memory for the chunks' sums; give the same each time and none is allocated.
pub(crate) fn sum<T: Sum>(count: usize, partials: &mut Vec<T>, value: impl Fn(usize) -> T + Sync) -> T {
    sum_chunks(count, partials, |range| range.map(&value).fold(T::default(), T::plus))
}

/// The sum of `chunk(range)` over ranges that together are all particles, for loops that want whole slices.
pub(crate) fn sum_chunks<T: Sum>(count: usize, partials: &mut Vec<T>, chunk: impl Fn(Range<usize>) -> T + Sync) -> T {
    ranges(count).map(&chunk).collect_into_vec(partials);
    partials.iter().copied().fold(T::default(), T::plus)
}

/// A range of particles, cut into the chunks of a sum.
pub(crate) fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(CHUNK).map(move |start| start..(start + CHUNK).min(end))
}

/// The sums of `value(i)` over each of several bodies, whose particles are given in [`pieces`]; zero for those that are not
/// asked for. `partials` is memory, `totals` has one for each body.
pub(crate) fn sums<T: Sum>(
    pieces: &[(u32, Range<usize>)],
    (partials, totals): (&mut Vec<T>, &mut [T]),
    is_asked: impl Fn(u32) -> bool + Sync,
    value: impl Fn(usize) -> T + Sync,
) {
    let sum = |(body, range): &(u32, Range<usize>)| match is_asked(*body) {
        true => range.clone().map(&value).fold(T::default(), T::plus),
        false => T::default(),
    };
    pieces.par_iter().map(sum).collect_into_vec(partials);
    totals.fill(T::default());
    for ((body, _), partial) in pieces.iter().zip(partials) {
        totals[*body as usize] = totals[*body as usize].plus(*partial);
    }
}

/// The same while something is written: `chunk` is given the piece of `out` that begins with its first argument.
pub(crate) fn sum_while_writing<T: Sum, U: Send>(
    out: &mut [U],
    partials: &mut Vec<T>,
    chunk: impl Fn(usize, &mut [U]) -> T + Sync,
) -> T {
    out.par_chunks_mut(CHUNK).enumerate().map(|(c, out)| chunk(c * CHUNK, out)).collect_into_vec(partials);
    partials.iter().copied().fold(T::default(), T::plus)
}
