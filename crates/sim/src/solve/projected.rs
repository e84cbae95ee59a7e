//! Conjugate gradients for unknowns that must not be negative, with an exact line search that keeps them so.
//!
//! The linear complementarity problem: x ≥ 0 with a residual r(x) = b − A x that is zero where x > 0 and not positive
//! elsewhere; A is symmetric and not negative in the scalar product ⟨x, y⟩ = Σ m_i x_i y_i. With a diagonal D near that of A,
//! and the last change s of x,
//!
//! ```text
//! z = r/D, but 0 where x = 0 and r ≤ 0
//! d = z + β s,    β = −⟨z, A s⟩/⟨s, A s⟩        conjugate to s; β = 0 if d would point uphill
//! y = max(0, x + α d)                          the trial, at which r(y) is evaluated: one product
//! x ← x + τ (y − x),   r ← r + τ (r(y) − r)     τ = ⟨r, y − x⟩/⟨y − x, A (y − x)⟩, as far as x ≥ 0
//! ```
//!
//! All between x and y is feasible, and along it A (y − x) = r − r(y) is known. τ minimises the energy ½⟨x, A x⟩ − ⟨b, x⟩
//! there without another product. So energy falls in every iteration, whatever the spectrum of A: no bound of its
//! eigenvalues is needed. α is the last step length, α τ.
//! Where no unknown meets its bound this is the method of conjugate gradients with Jacobi's preconditioner.
//!
//! Dostál's MPRGP, whose steps end at the first bound that they meet, takes four times as many products in water in motion:
//! thousands of particles come to the surface or leave it in each step. Nesterov's projected gradients need a bound
//! of the eigenvalues, and twice as many products in water at rest (docs/fluids.md, "Iterations").

use rayon::prelude::*;

use crate::real::Real;
use crate::reduce::{self, larger};

/// Unknowns per task of parallel work.
const UNKNOWNS_PER_TASK: usize = 4096;

/// The first step length: half a Jacobi step, as IISPH and PCISPH take.
const FIRST_LENGTH: f64 = 0.5;

/// A line search that goes less of the way than this goes nowhere.
const LEAST_SHARE: f64 = 1e-3;

/// What the problem says of one unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown {
    /// 1/D_i; 0 for an unknown that changes nothing.
    pub(crate) inverse_diagonal: Real,
    /// m_i, its weight in scalar products.
    pub(crate) weight: Real,
}

/// The residuals of all unknowns together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Assessment {
    /// Sum of |r| where x > 0, of max(r, 0) elsewhere; an x that is nearly 0 counts with the r that it can undo.
    pub(crate) open: f64,
    /// Largest residual.
    pub(crate) worst: f64,
    /// ⟨z, A s⟩, ⟨z, r⟩ and ⟨s, r⟩.
    products: [f64; 3],
}

impl reduce::Sum for Assessment {
    fn plus(self, other: Self) -> Self {
        Assessment {
            open: self.open + other.open,
            worst: larger(self.worst, other.worst),
            products: reduce::Sum::plus(self.products, other.products),
        }
    }
}

/// What is known of an unknown.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// x and r.
    value: Real,
    residual: Real,
    /// s and A s.
    change: Real,
    response: Real,
}

impl Row {
    /// z.
    #[inline(always)]
    fn direction(&self, unknown: Unknown) -> Real {
        let is_held = self.value <= 0.0 && self.residual <= 0.0;
        if is_held { 0.0 } else { self.residual * unknown.inverse_diagonal }
    }

    #[inline(always)]
    fn assess(&self, unknown: Unknown) -> Assessment {
        let Unknown { inverse_diagonal, weight } = unknown;
        let z = self.direction(unknown);
        let open = if inverse_diagonal > 0.0 { self.residual.max(-self.value / inverse_diagonal) } else { 0.0 };
        let product = |a: Real, b: Real| f64::from(weight * a * b);
        Assessment {
            open: f64::from(open.abs()),
            worst: f64::from(self.residual),
            products: [product(z, self.response), product(z, self.residual), product(self.change, self.residual)],
        }
    }
}

/// What a line search sums along its line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// ⟨r, y − x⟩ and ⟨y − x, A (y − x)⟩.
    descent: f64,
    curvature: f64,
    /// The largest (x − y)/x: the inverse of the share at which the first unknown is 0.
    nearest: f64,
}

impl reduce::Sum for Line {
    fn plus(self, other: Self) -> Self {
        Line {
            descent: self.descent + other.descent,
            curvature: self.curvature + other.curvature,
            nearest: larger(self.nearest, other.nearest),
        }
    }
}

/// The state of an iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projected {
    rows: Vec<Row>,
    unknowns: Vec<Unknown>,
    trial: Vec<Real>,
    /// α, and ⟨s, A s⟩; the latter is 0 before the first step.
    length: f64,
    curvature: f64,
    /// Does not even steepest descent go on? Then what is left is rounding.
    is_stuck: bool,
    /// ⟨z, A s⟩, ⟨z, r⟩ and ⟨s, r⟩ at x.
    products: [f64; 3],
    partials: Vec<Assessment>,
    lines: Vec<Line>,
}

impl Projected {
    /// Starts from what `fill` writes; none of it may be negative.
    pub(crate) fn start(&mut self, count: usize, fill: impl FnOnce(&mut [Real])) {
        self.rows.resize(count, Row::default());
        self.trial.resize(count, 0.0);
        fill(&mut self.trial);
    }

    /// Where the residual is to be evaluated: the start, then each trial.
    pub(crate) fn trial(&self) -> &[Real] {
        &self.trial
    }

    /// Takes the start, or the place to which the last step led, with the residual there.
    pub(crate) fn restart(
        &mut self,
        residual: &[Real],
        unknown: impl Fn(usize) -> Unknown + Sync + Send,
    ) -> Assessment {
        (0..residual.len())
            .into_par_iter()
            .with_min_len(UNKNOWNS_PER_TASK)
            .map(unknown)
            .collect_into_vec(&mut self.unknowns);
        (self.length, self.curvature, self.is_stuck) = (FIRST_LENGTH, 0.0, false);
        let (trial, unknowns) = (&self.trial, &self.unknowns);
        let all = reduce::sum_while_writing(&mut self.rows, &mut self.partials, |first, rows| {
            let mut all = Assessment::default();
            let columns = rows.iter_mut().zip(&unknowns[first..]).zip(&trial[first..]).zip(&residual[first..]);
            for (((row, unknown), value), residual) in columns {
                *row = Row { value: *value, residual: *residual, ..Row::default() };
                all = reduce::Sum::plus(all, row.assess(*unknown));
            }
            all
        });
        self.products = all.products;
        all
    }

    /// The residual of unknown `i`.
    pub(crate) fn residual(&self, i: usize) -> Real {
        self.rows[i].residual
    }

    /// Finds the next trial. Is there one? Not if nothing is left to do.
    pub(crate) fn propose(&mut self) -> bool {
        let [conjugacy, descent, slope] = self.products;
        let beta = if self.curvature > 0.0 { -conjugacy / self.curvature } else { 0.0 };
        let beta = if descent + beta * slope > 0.0 { beta as Real } else { 0.0 };
        let length = self.length as Real;
        let columns = (&mut self.trial[..], &self.rows[..], &self.unknowns[..]).into_par_iter();
        columns.with_min_len(UNKNOWNS_PER_TASK).for_each(|(trial, row, unknown)| {
            *trial = (row.value + length * (row.direction(*unknown) + beta * row.change)).max(0.0);
        });
        descent > 0.0 && !self.is_stuck
    }

    /// The share τ of the way to the trial that the line search goes, with the residual there.
    pub(crate) fn search(&mut self, residual: &[Real]) -> Real {
        let (rows, trial, unknowns) = (&self.rows, &self.trial, &self.unknowns);
        let Line { descent, curvature, nearest } = reduce::sum_chunks(rows.len(), &mut self.lines, |range| {
            let columns = rows[range.clone()].iter().zip(&unknowns[range.clone()]);
            let trials = trial[range.clone()].iter().zip(&residual[range]);
            columns.zip(trials).fold(Line::default(), |all, ((row, unknown), (trial, residual))| {
                let change = trial - row.value;
                let weighed = unknown.weight * change;
                reduce::Sum::plus(
                    all,
                    Line {
                        descent: f64::from(weighed * row.residual),
                        curvature: f64::from(weighed * (row.residual - residual)),
                        nearest: if change < 0.0 { f64::from(-change / row.value) } else { 0.0 },
                    },
                )
            })
        });
        let share = if curvature > 0.0 { descent / curvature } else { 0.0 };
        if share < LEAST_SHARE {
            // Bounds have turned the direction too far: once more along that of steepest descent.
            (self.is_stuck, self.length, self.curvature) = (self.curvature == 0.0, FIRST_LENGTH, 0.0);
            return 0.0;
        }
        self.length *= share;
        self.curvature = curvature;
        // Beyond the trial as far as no unknown becomes negative.
        share.min((1.0 / nearest).max(1.0)) as Real
    }

    /// Goes a share of the way to the trial, with the residual there.
    pub(crate) fn advance(&mut self, share: Real, residual: &[Real]) -> Assessment {
        self.curvature *= f64::from(share) * f64::from(share);
        let (trial, unknowns) = (&self.trial, &self.unknowns);
        let all = reduce::sum_while_writing(&mut self.rows, &mut self.partials, |first, rows| {
            let mut all = Assessment::default();
            let columns = rows.iter_mut().zip(&unknowns[first..]).zip(&trial[first..]).zip(&residual[first..]);
            for (((row, unknown), trial), residual) in columns {
                let change = share * (trial - row.value);
                let response = share * (row.residual - residual);
                // A trial on the bound is reached exactly.
                let value = if share == 1.0 { *trial } else { (row.value + change).max(0.0) };
                *row = Row { value, residual: row.residual - response, change, response };
                all = reduce::Sum::plus(all, row.assess(*unknown));
            }
            all
        });
        self.products = all.products;
        all
    }

    /// How many times as far as from `start` no unknown would become negative.
    pub(crate) fn furthest(&mut self, start: &[Real]) -> Real {
        let rows = &self.rows;
        let nearest = reduce::max(rows.len(), |i| match rows[i].value < start[i] {
            true => f64::from((start[i] - rows[i].value) / start[i]),
            false => 0.0,
        });
        (1.0 / nearest) as Real
    }

    /// Goes a share of the way from `start`, and is a new start.
    pub(crate) fn go_back(&mut self, start: &[Real], share: Real) {
        let columns = (&mut self.trial[..], &mut self.rows[..], start).into_par_iter();
        columns.with_min_len(UNKNOWNS_PER_TASK).for_each(|(trial, row, start)| {
            row.value = (start + share * (row.value - start)).max(0.0);
            *trial = row.value;
        });
    }

    /// Writes the solution where trials are.
    pub(crate) fn finish(&mut self) -> &[Real] {
        let columns = (&mut self.trial[..], &self.rows[..]).into_par_iter();
        columns.with_min_len(UNKNOWNS_PER_TASK).for_each(|(trial, row)| *trial = row.value);
        &self.trial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A one-dimensional Poisson problem, k (−x(i−1) + 2 x(i) − x(i+1)) = b, of stiffness k.
    fn residual(x: &[Real], b: &[Real], stiffness: &[Real]) -> Vec<Real> {
        let at = |i: usize, k: isize| i.checked_add_signed(k).and_then(|i| x.get(i)).copied().unwrap_or(0.0);
        let flow = |i: usize| {
            let [below, above] = [stiffness[i], stiffness[i + 1]];
            below * (at(i, 0) - at(i, -1)) + above * (at(i, 0) - at(i, 1))
        };
        (0..x.len()).map(|i| b[i] - flow(i)).collect()
    }

    /// Products until the residual is small, the solution, and its energies.
    fn solve(b: &[Real], stiffness: &[Real]) -> (usize, Vec<Real>, Vec<f64>) {
        let unknown = |i: usize| Unknown { inverse_diagonal: 1.0 / (stiffness[i] + stiffness[i + 1]), weight: 1.0 };
        let mut solution = Projected::default();
        solution.start(b.len(), |start| start.fill(0.0));
        let r = residual(solution.trial(), b, stiffness);
        solution.restart(&r, unknown);
        let mut energies = vec![0.0];
        for k in 1..20_000 {
            assert!(solution.propose());
            let r = residual(solution.trial(), b, stiffness);
            let share = solution.search(&r);
            solution.advance(share, &r);
            let x: Vec<_> = solution.rows.iter().map(|row| row.value).collect();
            let r = residual(&x, b, stiffness);
            energies.push((0..x.len()).map(|i| -0.5 * f64::from(x[i]) * f64::from(b[i] + r[i])).sum());
            let open = (0..x.len()).map(|i| if x[i] > 1e-3 { r[i].abs() } else { r[i].max(0.0) });
            if open.fold(0.0, Real::max) < 1e-3 {
                return (k, solution.finish().to_vec(), energies);
            }
        }
        panic!("no end");
    }

    #[test]
    fn no_unknown_is_negative_and_the_rest_is_solved() {
        let mut b = vec![1.0; 40];
        b[20] = -1000.0;
        let (_, x, _) = solve(&b, &[1.0; 41]);
        assert!(x.iter().all(|&x| x >= 0.0));
        assert!(x[20] < 1e-3, "{}", x[20]);
        // Between two fixed ends n apart the parabola k (n − k)/2.
        assert!((x[9] - 0.5 * 10.0 * 11.0).abs() < 0.05, "{}", x[9]);
    }

    /// Without bounds n conjugate directions find n unknowns, up to rounding.
    #[test]
    fn directions_are_conjugate() {
        let (products, x, _) = solve(&[1.0; 40], &[1.0; 41]);
        assert!(products <= 25, "{products}: symmetric about the middle, 20 different numbers");
        assert!((x[9] - 0.5 * 10.0 * 31.0).abs() < 0.05, "{}", x[9]);
    }

    /// One stiff row among soft ones: no step length is known beforehand, and energy falls all the way.
    #[test]
    fn energy_falls_in_every_iteration_whatever_the_spectrum() {
        let mut stiffness = vec![1.0; 41];
        stiffness[7..10].fill(300.0);
        let b: Vec<Real> = (0..40).map(|i| if i % 7 == 3 { -5.0 } else { 1.0 }).collect();
        let (products, _, energies) = solve(&b, &stiffness);
        println!("{products} products");
        assert!(energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-3 * pair[0].abs()), "{energies:?}");
        assert!(products < 300, "{products}");
    }
}
