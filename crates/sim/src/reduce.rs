//! Sums and maxima over all particles, the same for any number of threads.
//!
//! A sum adds fixed chunks in fixed order; a maximum does not depend on order.

use std::ops::Range;

use rayon::prelude::*;

use crate::neighbors::LANES;
use crate::real::Real;

/// Particles per partial sum. Part of the result's definition: changing it changes bits.
const SUM_CHUNK: usize = 4096;

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
    (0..count.div_ceil(SUM_CHUNK)).into_par_iter().map(move |c| c * SUM_CHUNK..((c + 1) * SUM_CHUNK).min(count))
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

impl Sum for [f64; 4] {
    fn plus(self, other: Self) -> Self {
        [self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3]]
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

/// The sum while something is written: `chunk` is given the piece of `out` that begins with its first argument.
pub(crate) fn sum_while_writing<T: Sum, U: Send>(
    out: &mut [U],
    partials: &mut Vec<T>,
    chunk: impl Fn(usize, &mut [U]) -> T + Sync,
) -> T {
    out.par_chunks_mut(SUM_CHUNK).enumerate().map(|(c, out)| chunk(c * SUM_CHUNK, out)).collect_into_vec(partials);
    partials.iter().copied().fold(T::default(), T::plus)
}

/// Particles per partial sum of a body. Part of the result's definition, as [`SUM_CHUNK`] is.
const BODY_CHUNK: usize = 512;

/// A body and a range of its particles.
pub(crate) type Piece = (u32, Range<usize>);

/// A range of the particles of a body, cut into pieces.
pub(crate) fn pieces((body, range): &Piece) -> impl Iterator<Item = Piece> {
    let (body, end) = (*body, range.end);
    range.clone().step_by(BODY_CHUNK).map(move |start| (body, start..(start + BODY_CHUNK).min(end)))
}

/// Columns of which each piece of parallel work gets its part.
pub(crate) trait Columns: Sized + Send {
    /// What belongs to the first `count` particles, and the rest.
    fn cut(self, count: usize) -> (Self, Self);
}

impl Columns for () {
    fn cut(self, _: usize) -> (Self, Self) {
        ((), ())
    }
}

impl<T: Send> Columns for &mut [T] {
    fn cut(self, count: usize) -> (Self, Self) {
        self.split_at_mut(count)
    }
}

impl<A: Columns, B: Columns> Columns for (A, B) {
    fn cut(self, count: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.cut(count), self.1.cut(count));
        ((a, b), (c, d))
    }
}

/// Sums over each of several bodies.
pub(crate) struct Sums<'a, T, A> {
    /// The particles of all bodies, cut into [`pieces`].
    pub(crate) pieces: &'a [Piece],
    /// Memory.
    pub(crate) partials: &'a mut Vec<T>,
    /// The sum of each body; zero for those that are not asked for.
    pub(crate) totals: &'a mut [T],
    pub(crate) is_asked: A,
}

impl<T: Sum, A: Fn(u32) -> bool + Sync> Sums<'_, T, A> {
    /// Of `value(i)`.
    pub(crate) fn of(self, value: impl Fn(usize) -> T + Sync) {
        self.over((), |range, ()| range.map(&value).fold(T::default(), T::plus));
    }

    /// Of `piece(range, columns)`, which is given its part of columns that are written.
    pub(crate) fn over<C: Columns>(self, columns: C, piece: impl Fn(Range<usize>, C) -> T + Sync) {
        let Self { pieces, partials, totals, is_asked } = self;
        partials.clear();
        partials.resize(pieces.len(), T::default());
        each_piece(pieces, (&mut partials[..], columns), &|(body, range), partial, columns| {
            if is_asked(*body) {
                *partial = piece(range.clone(), columns);
            }
        });
        totals.fill(T::default());
        for ((body, _), partial) in pieces.iter().zip(partials) {
            totals[*body as usize] = totals[*body as usize].plus(*partial);
        }
    }
}

/// Halves the work until it is one piece, or several that are as small together.
fn each_piece<T: Send, C: Columns>(
    pieces: &[Piece],
    (partials, columns): (&mut [T], C),
    work: &(impl Fn(&Piece, &mut T, C) + Sync),
) {
    match pieces {
        [] => {}
        [piece] => work(piece, &mut partials[0], columns),
        [first, .., last] if last.1.end - first.1.start <= BODY_CHUNK => {
            pieces.iter().zip(partials).fold(columns, |columns, (piece, partial)| {
                let (own, others) = columns.cut(piece.1.len());
                work(piece, partial, own);
                others
            });
        }
        [first, ..] => {
            let (here, there) = pieces.split_at(pieces.len() / 2);
            let (before, after) = columns.cut(there[0].1.start - first.1.start);
            let (partials, others) = partials.split_at_mut(here.len());
            rayon::join(|| each_piece(here, (partials, before), work), || each_piece(there, (others, after), work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many bodies of few particles share a piece of work, larger ones are cut: each has the sum of its own particles, and
    /// every particle is written once.
    #[test]
    fn each_of_many_small_bodies_has_its_own_sum() {
        let sizes = [1, 2, 1, 3, 700, 2, 1200, 1, 1, 513, 4];
        let mut runs: Vec<Piece> = Vec::new();
        for (body, size) in (0..).zip(sizes.into_iter().cycle().take(1100)) {
            let start = runs.last().map_or(0, |(_, range)| range.end);
            runs.push((body, start..start + size));
        }
        let all: Vec<_> = runs.iter().flat_map(pieces).collect();
        let count = runs.last().map_or(0, |(_, range)| range.end);
        let (mut written, mut totals) = (vec![0.0; count], vec![0.0; runs.len()]);
        let sums = Sums { pieces: &all, partials: &mut Vec::new(), totals: &mut totals, is_asked: |body| body != 3 };
        sums.over(&mut written[..], |range, written| {
            written.iter_mut().zip(range.clone()).for_each(|(written, i)| *written += i as f64);
            range.map(|i| i as f64).sum()
        });
        for ((body, range), total) in runs.iter().zip(totals) {
            let expected: f64 = if *body == 3 { 0.0 } else { range.clone().map(|i| i as f64).sum() };
            assert_eq!(total, expected, "body {body}");
            let is_written = |i: usize| written[i] == if *body == 3 { 0.0 } else { i as f64 };
            assert!(range.clone().all(is_written), "body {body}");
        }
    }
}
