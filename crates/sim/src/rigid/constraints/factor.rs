//! Cholesky's factorisation L Lᵀ of symmetric matrices with ones on the diagonal that may be singular: largest pivot
//! first, until all that is left is redundant (Higham 1990). Of such a matrix the rows that had pivots are inverted, and
//! the others take no part; which is exact where they follow from those.

/// Pivots below which a row is redundant. Far below, rows of a closed loop that differ by nothing but their drift, a
/// millionth whose square is the pivot, get impulses that are nonsense; far above, rows that count are lost.
pub(super) const REDUNDANT: f64 = 1e-9;

/// Factors of several matrices, one after the other in one memory.
#[derive(Debug, Default)]
pub(super) struct Factors {
    lower: Vec<f64>,
    pivots: Vec<usize>,
    scratch: Vec<f64>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    lower: usize,
    pivots: usize,
    rank: usize,
}

impl Factors {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.lower.clear();
        self.pivots.clear();
    }

    /// Factors the matrix of some entries, of which only as many columns are asked for as its rank.
    pub(super) fn push(&mut self, count: usize, entry: impl Fn(usize, usize) -> f64) -> Factor {
        let mut factor = Factor { lower: self.lower.len(), pivots: self.pivots.len(), rank: 0 };
        self.lower.resize(factor.lower + count * count, 0.0);
        self.pivots.extend(0..count);
        let (lower, pivots) = (&mut self.lower[factor.lower..], &mut self.pivots[factor.pivots..]);
        let left = &mut self.scratch;
        left.clear();
        left.resize(count, 1.0);
        for rank in 0..count {
            let larger = |best: usize, k: usize| if left[pivots[k]] > left[pivots[best]] { k } else { best };
            pivots.swap(rank, (rank..count).fold(rank, larger));
            let pivot = pivots[rank];
            if left[pivot] <= REDUNDANT || left[pivot].is_nan() {
                break;
            }
            let root = left[pivot].sqrt();
            lower[pivot * count + rank] = root;
            for &other in &pivots[rank + 1..] {
                let known = dot(&lower[other * count..][..rank], &lower[pivot * count..][..rank]);
                let value = (entry(other, pivot) - known) / root;
                lower[other * count + rank] = value;
                left[other] -= value * value;
            }
            factor.rank += 1;
        }
        factor
    }

    /// The rows that are not redundant.
    pub(super) fn kept(&self, factor: Factor) -> &[usize] {
        &self.pivots[factor.pivots..][..factor.rank]
    }

    /// Replaces values by the inverse times them; redundant rows get zero.
    pub(super) fn solve(&mut self, factor: Factor, values: &mut [f64]) {
        let Self { lower, pivots, scratch } = self;
        let count = values.len();
        let (lower, pivots) = (&lower[factor.lower..], &pivots[factor.pivots..][..factor.rank]);
        scratch.clear();
        for (k, &pivot) in pivots.iter().enumerate() {
            let row = &lower[pivot * count..];
            scratch.push((values[pivot] - dot(&row[..k], scratch)) / row[k]);
        }
        values.fill(0.0);
        for (k, &pivot) in pivots.iter().enumerate().rev() {
            let later: f64 = pivots[k + 1..].iter().map(|&other| lower[other * count + k] * values[other]).sum();
            values[pivot] = (scratch[k] - later) / lower[pivot * count + k];
        }
    }
}

/// The sum of products.
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of unit length in three dimensions, of which the fourth follows from two others.
    #[test]
    fn redundant_rows_take_no_part_and_all_are_met() {
        let rows = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8], [0.8, -0.6, 0.0]];
        let mut factors = Factors::default();
        for count in [3, 4] {
            let factor = factors.push(count, |i, j| dot(&rows[i], &rows[j]));
            assert_eq!(factor.rank, 3);
            let wanted = [0.3, -1.0, 2.0];
            let mut values: Vec<f64> = rows[..count].iter().map(|row| dot(row, &wanted)).collect();
            factors.solve(factor, &mut values);
            for (axis, wanted) in wanted.iter().enumerate() {
                let found: f64 = values.iter().zip(&rows).map(|(value, row)| value * row[axis]).sum();
                assert!((found - wanted).abs() < 1e-14, "{found} {wanted}");
            }
        }
    }
}
