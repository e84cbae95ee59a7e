//! A projected Jacobi iteration with momentum, for unknowns that must not be negative.
//!
//! The linear complementarity problem: x ≥ 0 with a residual r(x) = b − A x that is zero where x > 0 and not positive
//! elsewhere. From a trial y, with a step s_i that is a share of 1/A_ii,
//!
//! ```text
//! x(k+1) = max(0, y(k) + s r(y(k)))
//! y(k+1) = max(0, x(k+1) + β (x(k+1) − x(k))),    β = (t(k) − 1)/t(k+1),  t(k+1) = (1 + √(1 + 4 t(k)²))/2
//! ```
//!
//! With β = 0 this is the relaxed Jacobi iteration of IISPH. The momentum (Nesterov 1983) makes the number of
//! iterations grow with the number of layers that pressure must cross, not with its square; it is dropped whenever it
//! points uphill (O'Donoghue & Candès 2015): (y − x(k+1))·(x(k+1) − x(k)) > 0.

use rayon::prelude::*;

use crate::real::Real;
use crate::reduce::{self, larger};

/// Unknowns per task of parallel work.
const UNKNOWNS_PER_TASK: usize = 4096;

/// The residual of one unknown at the trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual {
    /// s_i r_i.
    pub(crate) change: Real,
    /// The residual of the complementarity problem, of either sign.
    pub(crate) open: Real,
    /// Density excess.
    pub(crate) excess: Real,
    /// Weight of the unknown in scalar products.
    pub(crate) weight: Real,
}

/// The residuals of all unknowns together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Assessment {
    /// Sum of residuals.
    pub(crate) open: f64,
    /// Largest density excess.
    pub(crate) worst: f64,
    /// (y − x(k+1))·(x(k+1) − x(k)): the momentum points uphill if it is positive.
    uphill: f64,
}

impl reduce::Sum for Assessment {
    fn plus(self, other: Self) -> Self {
        Assessment {
            open: self.open + other.open,
            worst: larger(self.worst, other.worst),
            uphill: self.uphill + other.uphill,
        }
    }
}

/// The state of an iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projected {
    trial: Vec<Real>,
    current: Vec<Real>,
    next: Vec<Real>,
    /// The trial with the smallest error so far.
    best: Vec<Real>,
    momentum: f64,
    uphill: f64,
    partials: Vec<Assessment>,
}

impl Projected {
    /// Starts from what `fill` writes; none of it may be negative.
    pub(crate) fn start(&mut self, count: usize, fill: impl FnOnce(&mut [Real])) {
        for column in [&mut self.trial, &mut self.current, &mut self.next, &mut self.best] {
            column.resize(count, 0.0);
        }
        fill(&mut self.trial);
        self.current.copy_from_slice(&self.trial);
        self.momentum = 1.0;
    }

    /// y(k), at which the residual is to be evaluated.
    pub(crate) fn trial(&self) -> &[Real] {
        &self.trial
    }

    /// Stores the trial as the best so far.
    pub(crate) fn keep(&mut self) {
        self.best.copy_from_slice(&self.trial);
    }

    /// Goes back to the best trial, without momentum.
    pub(crate) fn go_back(&mut self) {
        self.trial.copy_from_slice(&self.best);
        self.current.copy_from_slice(&self.best);
        self.momentum = 1.0;
    }

    /// Evaluates `residual(i, trial_i)` of all unknowns, and the next iterate x(k+1).
    pub(crate) fn assess(&mut self, residual: impl Fn(usize, Real) -> Residual + Sync) -> Assessment {
        let Projected { trial, current, next, uphill, partials, .. } = self;
        let all = reduce::sum_while_writing(next, partials, |first, next| {
            let mut all = Assessment::default();
            let columns = next.iter_mut().zip(&trial[first..]).zip(&current[first..]);
            for (i, ((next, &trial), &current)) in (first..).zip(columns) {
                let Residual { change, open, excess, weight } = residual(i, trial);
                *next = (trial + change).max(0.0);
                all.open += f64::from(open.abs());
                all.worst = larger(all.worst, f64::from(excess));
                all.uphill += f64::from(weight * (trial - *next)) * f64::from(*next - current);
            }
            all
        });
        *uphill = all.uphill;
        all
    }

    /// The next trial y(k+1), from the iterate that was assessed.
    pub(crate) fn advance(&mut self) {
        let Projected { trial, current, next, momentum, uphill, .. } = self;
        let before = if *uphill > 0.0 { 1.0 } else { *momentum };
        *momentum = 0.5 * (1.0 + (1.0 + 4.0 * before * before).sqrt());
        let share = ((before - 1.0) / *momentum) as Real;
        let columns = (&mut trial[..], &next[..], &current[..]);
        columns.into_par_iter().with_min_len(UNKNOWNS_PER_TASK).for_each(|(trial, &next, &current)| {
            *trial = (next + share * (next - current)).max(0.0);
        });
        std::mem::swap(current, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A one-dimensional Poisson problem, −x(i−1) + 2 x(i) − x(i+1) = b, with one b for which x would be negative.
    fn residual(x: &[Real], b: &[Real]) -> Vec<Real> {
        let at = |i: usize, k: isize| i.checked_add_signed(k).and_then(|i| x.get(i)).copied().unwrap_or(0.0);
        (0..x.len()).map(|i| b[i] - (2.0 * at(i, 0) - at(i, -1) - at(i, 1))).collect()
    }

    fn iterations(b: &[Real], momentum: bool) -> (usize, Vec<Real>) {
        let mut solution = Projected::default();
        solution.start(b.len(), |start| start.fill(0.0));
        for k in 0..20_000 {
            let x = solution.trial().to_vec();
            let r = residual(&x, b);
            let open = (0..x.len()).map(|i| if x[i] > 0.0 { r[i].abs() } else { r[i].max(0.0) });
            if open.fold(0.0, Real::max) < 1e-3 {
                return (k, x);
            }
            if !momentum {
                solution.momentum = 1.0;
            }
            solution.assess(|i, _| Residual { change: 0.25 * r[i], open: r[i], excess: r[i], weight: 1.0 });
            solution.advance();
        }
        panic!("no end");
    }

    #[test]
    fn no_unknown_is_negative_and_the_rest_is_solved() {
        let mut b = vec![1.0; 40];
        b[20] = -1000.0;
        let (_, x) = iterations(&b, true);
        assert!(x.iter().all(|&x| x >= 0.0));
        assert_eq!(x[20], 0.0);
        // Between two fixed ends n apart the parabola k (n − k)/2.
        assert!((x[9] - 0.5 * 10.0 * 11.0).abs() < 0.05, "{}", x[9]);
    }

    #[test]
    fn momentum_saves_iterations() {
        let b = vec![1.0; 40];
        let (with, x) = iterations(&b, true);
        let (without, y) = iterations(&b, false);
        println!("{with} iterations with momentum, {without} without");
        assert!(4 * with < without);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 0.5));
    }
}
