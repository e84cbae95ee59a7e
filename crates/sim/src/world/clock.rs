//! What time it is.

use serde::{Deserialize, Serialize};

use crate::real::Real;

/// Simulated time, and what the integrator must remember of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Simulated time [s].
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// Length of the last step [s]; 0 before the first.
    pub last_dt: Real,
}

impl Clock {
    /// The step to make when `dt` is allowed and `limit` [s] must not be passed: shortened to meet it, and
    /// halved shortly before, so that no sliver of a step remains.
    pub(crate) fn shorten(&self, dt: Real, limit: f64) -> Real {
        let remaining = limit - self.time;
        let wanted = f64::from(dt);
        if wanted >= remaining {
            remaining as Real
        } else if wanted > 0.5 * remaining {
            (0.5 * remaining) as Real
        } else {
            dt
        }
    }

    /// The time after a step of `dt` made towards `limit`, which is met exactly when the step was shortened to it.
    pub(crate) fn after(&self, dt: Real, limit: f64) -> f64 {
        let met = dt == (limit - self.time) as Real;
        if met { limit } else { self.time + f64::from(dt) }
    }

    /// Counts a step of `dt` made towards `limit`.
    pub(crate) fn tick(&mut self, dt: Real, limit: f64) {
        self.time = self.after(dt, limit);
        self.step += 1;
        self.last_dt = dt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_met_exactly_and_without_slivers() {
        let mut clock = Clock::default();
        let mut shortest = f64::INFINITY;
        for frame in 1..=50 {
            let limit = f64::from(frame) / 30.0;
            while clock.time < limit {
                let dt = clock.shorten(0.0037, limit);
                shortest = shortest.min(f64::from(dt));
                clock.tick(dt, limit);
            }
            assert_eq!(clock.time, limit);
        }
        assert!(shortest > 0.4 * 0.0037);
    }
}
