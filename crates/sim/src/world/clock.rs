//! Simulated time, and how steps meet frames.

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

/// Shares of a time below this are rounding.
const ROUNDING: f64 = 1e-6;

impl Clock {
    /// The step to make when `dt` is allowed and `limit` [s] must not be passed: that time is met by steps of one length,
    /// which may be longer than allowed by a share of `slack` if there are fewer of them then.
    ///
    /// Were only the last steps before a frame shorter, they would feed energy to oscillations at the rhythm of frames:
    /// leapfrog conserves it only while its steps are equal. A beam of rubber had ten thousand times its energy after a
    /// second.
    pub(crate) fn shorten(&self, dt: Real, limit: f64, slack: f64) -> Real {
        let (remaining, wanted) = (limit - self.time, f64::from(dt));
        if remaining == f64::INFINITY {
            return dt;
        }
        // What the last steps were too long or too short by, because lengths are rounded, the next ones share.
        let steps = (remaining / (wanted * (1.0 + slack.max(ROUNDING)))).ceil().max(1.0);
        (remaining / steps) as Real
    }

    /// The same if a limit comes before: halved shortly before it, so that no sliver of a step remains.
    pub(crate) fn cut(&self, dt: Real, limit: f64) -> Real {
        let (remaining, wanted) = (limit - self.time, f64::from(dt));
        if wanted >= remaining * (1.0 - ROUNDING) {
            remaining as Real
        } else if wanted > 0.5 * remaining * (1.0 + ROUNDING) {
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
    fn limits_are_met_exactly_by_equal_steps() {
        let exact = [(0.0037, 30.0, 0.0, 10), (0.05, 30.0, 0.0, 1), (0.001, 50.0, 0.0, 20), (0.0251, 20.0, 0.0, 2)];
        for (allowed, fps, slack, steps) in
            exact.into_iter().chain([(0.0049, 20.0, 0.05, 10), (0.0049, 20.0, 0.01, 11)])
        {
            let (mut clock, mut lengths) = (Clock::default(), Vec::new());
            for frame in 1..=50 {
                let limit = f64::from(frame) / fps;
                while clock.time < limit {
                    let dt = clock.shorten(allowed, limit, slack);
                    lengths.push(f64::from(dt));
                    clock.tick(dt, limit);
                }
                assert_eq!(clock.time, limit);
            }
            assert_eq!(lengths.len(), 50 * steps);
            let longest = lengths.iter().copied().fold(0.0, f64::max);
            assert!(lengths.iter().all(|dt| (dt / longest - 1.0).abs() < 1e-5), "{lengths:?}");
            assert!(longest < f64::from(allowed) * (1.0 + slack + 1e-5));
        }
    }

    #[test]
    fn limits_between_are_met_without_slivers_and_change_nothing_before() {
        for limit in [0.01, 0.0131, 0.0155, 0.0199, 0.02] {
            let (mut clock, mut free) = (Clock::default(), Clock::default());
            while clock.time < limit {
                let dt = clock.shorten(0.0037, 0.04, 0.0);
                let cut = clock.cut(dt, limit);
                assert!(cut == dt || limit - clock.time < 2.001 * f64::from(dt), "{cut} {dt} at {}", clock.time);
                assert!(f64::from(cut) > 0.4 * 0.0036);
                if cut == dt {
                    assert_eq!(clock.time, free.time);
                    free.tick(free.shorten(0.0037, 0.04, 0.0), 0.04);
                }
                clock.tick(cut, limit);
            }
            assert_eq!(clock.time, limit);
        }
    }

    #[test]
    fn steps_that_fit_stay_as_they_are_but_for_the_last_digit() {
        for (step, per_frame) in [(1e-3, 20), (1e-4, 400), (3e-6, 20_000)] {
            let (mut clock, frame) = (Clock::default(), step * f64::from(per_frame));
            for n in 1..=3 {
                while clock.time < f64::from(n) * frame {
                    let dt = clock.shorten(step as Real, f64::from(n) * frame, 0.0);
                    assert!((f64::from(dt) / step - 1.0).abs() < 4.0 * f64::from(f32::EPSILON), "{dt} {step}");
                    clock.tick(dt, f64::from(n) * frame);
                }
            }
            assert_eq!(clock.step, 3 * per_frame as u64);
        }
        assert_eq!(Clock::default().shorten(0.003, f64::INFINITY, 0.05), 0.003);
    }

    #[test]
    fn the_longest_step_may_be_a_frame_or_a_part_of_it() {
        for (fps, parts) in (1..=120).flat_map(|fps| [1, 2, 3, 7, 24].map(|parts| (f64::from(fps), parts))) {
            let (mut clock, longest) = (Clock::default(), 1.0 / (fps * f64::from(parts)));
            for frame in 1..=100 {
                let limit = f64::from(frame) / fps;
                while clock.time < limit {
                    let dt = clock.shorten(longest as Real, limit, 0.0);
                    let share = f64::from(dt) / longest;
                    assert!((share - 1.0).abs() < 1e-5, "{fps} {parts}: {share} at {}", clock.time);
                    clock.tick(clock.cut(dt, limit), limit);
                }
            }
            assert_eq!(clock.step, 100 * parts as u64);
        }
    }
}
