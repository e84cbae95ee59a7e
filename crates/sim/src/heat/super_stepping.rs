//! Steps longer than an explicit one may be: super-time-stepping of the first order (RKL1; Meyer, Balsara & Aslam 2012).
//!
//! ```text
//! Y_1 = Y_0 + μ'_1 Δt L(Y_0),    Y_j = μ_j Y_(j−1) + ν_j Y_(j−2) + μ'_j Δt L(Y_(j−1))
//! μ_j = (2j − 1)/j,    ν_j = (1 − j)/j,    μ'_j = μ_j 2/(s² + s)
//! ```
//!
//! With s stages a step may be (s² + s)/2 times as long as an explicit one, in which no particle gives away more than it is warmer
//! than its neighbours; so any step is stable, and what is in a step grows with its square root alone. Nothing is iterated, so
//! there is no tolerance, and every stage is made of flows between pairs, so that nothing is lost. One stage is an explicit step,
//! and keeps temperatures in the range they are in; so do several, as far as tests have seen, where hot and cold meet at once. An
//! implicit step takes as many sums over neighbours, for its matrix has the same eigenvalues, and is solved anew where T(h) bends.

/// What a stage makes of those before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    /// μ: of the last stage.
    pub(super) last: f64,
    /// ν: of that before.
    pub(super) before: f64,
    /// μ': of the rate of the last stage times the step.
    pub(super) rate: f64,
}

/// How many stages a step takes that is so many times as long as an explicit one.
pub(super) fn stages(ratio: f64) -> u32 {
    // (s² + s)/2 ≥ ratio, with some room for rounding.
    (0.5 * ((1.0 + 8.0 * ratio * 1.0001).sqrt() - 1.0)).ceil().max(1.0) as u32
}

impl Stage {
    /// The j-th of `all`, counted from 1.
    pub(super) fn new(j: u32, all: u32) -> Self {
        let (j, s) = (f64::from(j), f64::from(all));
        let last = (2.0 * j - 1.0) / j;
        Stage { last, before: (1.0 - j) / j, rate: last * 2.0 / (s * s + s) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factor by which a mode that decays at a rate is multiplied in a step.
    fn growth(rate_times_step: f64, all: u32) -> f64 {
        let (mut before, mut last) = (0.0, 1.0);
        for j in 1..=all {
            let Stage { last: mu, before: nu, rate } = Stage::new(j, all);
            let next = mu * last + nu * before - rate * rate_times_step * last;
            (before, last) = (last, next);
        }
        last
    }

    #[test]
    fn one_stage_is_an_explicit_step() {
        assert_eq!((stages(0.0), stages(0.9), stages(1.1), stages(2.9), stages(3.1)), (1, 1, 2, 2, 3));
        assert_eq!(growth(0.3, 1), 0.7);
    }

    /// Rates are at most two over the explicit step.
    #[test]
    fn no_mode_grows_and_slow_ones_decay_as_they_should() {
        for ratio in [0.5, 1.0, 2.5, 30.0, 1000.0] {
            let all = stages(ratio);
            for k in 0..=1000 {
                let rate = 2.0 * ratio * f64::from(k) / 1000.0;
                assert!(growth(rate, all).abs() <= 1.0 + 1e-9, "{ratio} {rate} {}", growth(rate, all));
            }
            // First order: half the square of the rate is missing, or less.
            let slow = 1e-3;
            assert!((growth(slow, all) - (-slow).exp()).abs() < 0.5 * slow * slow, "{ratio}");
        }
    }
}
