//! A symmetric matrix of 3×3 blocks, factorised: L Lᵀ, with the rows of L from their first entry that is not zero.

use crate::real::Mat3;

/// A pivot that is a smaller share of its diagonal is rounding: that unknown follows from those before.
const SMALLEST_PIVOT: f64 = 1e-9;

/// Where the entries of the matrix are, and of its factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Skyline {
    /// The first column of each row.
    first: Vec<usize>,
    /// Where each row starts.
    starts: Vec<usize>,
    end: usize,
}

impl Skyline {
    /// A matrix of so many blocks in a row, where any two of each group meet.
    pub(super) fn new<G: Iterator<Item = u32> + Clone>(count: usize, groups: impl Iterator<Item = G>) -> Self {
        let mut least: Vec<usize> = (0..count).collect();
        for group in groups {
            let smallest = group.clone().min().unwrap_or_default() as usize;
            for n in group {
                least[n as usize] = least[n as usize].min(smallest);
            }
        }
        let first: Vec<_> = (0..3 * count).map(|row| 3 * least[row / 3]).collect();
        let (mut starts, mut end) = (Vec::with_capacity(first.len()), 0);
        for (row, first) in first.iter().enumerate() {
            starts.push(end);
            end += row + 1 - first;
        }
        Skyline { first, starts, end }
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.end
    }

    /// Adds a block in or below the diagonal.
    pub(super) fn add(&self, entries: &mut [f64], (row, column): (usize, usize), block: Mat3) {
        for r in 0..3 {
            for c in (0..3).filter(|c| 3 * column + c <= 3 * row + r) {
                let at = self.starts[3 * row + r] + 3 * column + c - self.first[3 * row + r];
                entries[at] += f64::from(block.col(c)[r]);
            }
        }
    }

    /// Replaces the matrix by its factor.
    pub(super) fn factorise(&self, entries: &mut [f64]) {
        let Self { first, starts, .. } = self;
        for row in 0..first.len() {
            let (done, rest) = entries.split_at_mut(starts[row]);
            let begin = first[row];
            let (before, diagonal) = rest[..=row - begin].split_at_mut(row - begin);
            for column in begin..row {
                let from = begin.max(first[column]);
                let other = &done[starts[column] + from - first[column]..=starts[column] + column - first[column]];
                let (pivot, other) = (other[column - from], &other[..column - from]);
                let left = before[column - begin] - dot(&before[from - begin..column - begin], other);
                before[column - begin] = left * pivot;
            }
            let pivot = diagonal[0] - dot(before, before);
            // The reciprocal: divisions are dear. Zero takes the unknown out.
            diagonal[0] = if pivot > SMALLEST_PIVOT * diagonal[0] { 1.0 / pivot.sqrt() } else { 0.0 };
        }
    }

    /// Replaces a right side by the solution; the matrix must be factorised.
    pub(super) fn solve(&self, factor: &[f64], values: &mut [f64]) {
        let rows = |row: usize| {
            let entries = &factor[self.starts[row]..=self.starts[row] + row - self.first[row]];
            (self.first[row], entries)
        };
        for row in 0..values.len() {
            let (first, entries) = rows(row);
            let count = row - first;
            values[row] = (values[row] - dot(&entries[..count], &values[first..row])) * entries[count];
        }
        for row in (0..values.len()).rev() {
            let (first, entries) = rows(row);
            let count = row - first;
            let value = values[row] * entries[count];
            values[row] = value;
            values[first..row].iter_mut().zip(entries).for_each(|(other, entry)| *other -= value * entry);
        }
    }
}

/// a·b, eight products at a time.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, rest_a) = a.as_chunks::<8>();
    let (b, rest_b) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::{Real, Vec3};

    /// Blocks in a row, each joined with the next two: A x = b is solved, and an unknown that another repeats does no harm.
    #[test]
    fn what_a_matrix_makes_of_a_solution_is_solved() {
        let count = 7;
        let matrix = Skyline::new(count, (2..count as u32).map(|n| n - 2..=n));
        let mut entries = vec![0.0; matrix.len()];
        let mut full = vec![vec![0.0; 3 * count]; 3 * count];
        for n in 0..count {
            for m in n.saturating_sub(2)..=n {
                let k = (3 * n + m) as Real;
                let block = match n == m {
                    true => Mat3::from_diagonal(Vec3::new(9.0, 8.0, 10.0)),
                    false => Mat3::from_cols(Vec3::new(0.1 * k, 1.0, -0.5), Vec3::new(0.3, -0.7, 0.2), Vec3::X),
                };
                matrix.add(&mut entries, (n, m), block);
                for r in 0..3 {
                    for c in 0..3 {
                        full[3 * n + r][3 * m + c] = f64::from(block.col(c)[r]);
                        full[3 * m + c][3 * n + r] = f64::from(block.col(c)[r]);
                    }
                }
            }
        }
        let solution: Vec<f64> = (0..3 * count).map(|k| (k as f64).sin()).collect();
        let mut values: Vec<f64> = full.iter().map(|row| dot(row, &solution)).collect();
        matrix.factorise(&mut entries);
        matrix.solve(&entries, &mut values);
        for (found, expected) in values.iter().zip(&solution) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
