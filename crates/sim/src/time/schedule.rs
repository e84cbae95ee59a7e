//! Powers of two: which steps particles make where steps are individual, and when each of them is due.
//!
//! A macro step is made of 2ⁿ steps of level n. A particle of level n is due at the moments that are multiples of its step; nothing
//! else need be remembered of it: a particle may be given another level at any moment, and is next due at the next moment
//! of that. At the end of a macro step everybody is due.

use serde::{Deserialize, Serialize};

use crate::real::Real;

/// The deepest level: the smallest step is a macro step over 2 to the power of it.
pub(crate) const DEPTH: u32 = 16;

/// The smallest steps that a macro step is made of.
const UNITS: u32 = 1 << DEPTH;

/// Longest steps are counted in classes, so many in each octave.
const CLASSES: usize = 8;

/// The longest steps of particles are told apart up to this many octaves above the shortest.
const OCTAVES: usize = DEPTH as usize;

/// What every smallest step costs for each particle, due or not, in evaluations of its forces: moving, listing, densities.
pub(super) const OVERHEAD: f64 = 0.5;

/// Where a macro step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// When it began [s].
    start: f64,
    /// When it will end [s].
    end: f64,
    /// How many of the smallest steps are done; 0 between two macro steps.
    done: u32,
}

/// The smallest steps in one of a level.
fn units(level: u32) -> u32 {
    UNITS >> level.min(DEPTH)
}

impl Schedule {
    /// A macro step from one time to another [s].
    pub(super) fn new(start: f64, end: f64) -> Self {
        Schedule { start, end, done: 0 }
    }

    /// Is this between two macro steps?
    pub fn is_open(&self) -> bool {
        self.done == 0
    }

    /// Its length [s].
    pub(super) fn length(&self) -> f64 {
        self.end - self.start
    }

    /// The macro step is not gone on with.
    pub(crate) fn abandon(&mut self) {
        self.done = 0;
    }

    /// Is a particle of this level due? One without a level (below 0) always is.
    pub(super) fn is_due(&self, level: Real) -> bool {
        level < 0.0 || self.done.is_multiple_of(units(level as u32))
    }

    /// The next moment of the deepest level in use [s], and the schedule then.
    pub(super) fn next(&self, deepest: u32) -> (f64, Schedule) {
        let unit = units(deepest);
        let done = (self.done / unit + 1) * unit;
        match done == UNITS {
            true => (self.end, Schedule { done: 0, ..*self }),
            false => {
                let share = f64::from(done) / f64::from(UNITS);
                (self.start + share * self.length(), Schedule { done, ..*self })
            }
        }
    }
}

/// The lowest level whose step is no longer than `longest` in a macro step of `whole` [s].
pub(super) fn level_of(longest: f64, whole: f64) -> u32 {
    let (mut reach, mut level) = (longest, 0);
    while reach < whole && level < DEPTH {
        reach *= 2.0;
        level += 1;
    }
    level
}

/// How many particles have longest steps of which class: class k holds those from 2^(k/8) times the shortest on.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    counts: [u64; CLASSES * OCTAVES + 1],
    shortest: f64,
}

impl Classes {
    /// Those of particles with such longest steps [s].
    pub(super) fn of(longest: impl Iterator<Item = f64> + Clone) -> Self {
        let shortest = longest.clone().fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
        let mut counts = [0; CLASSES * OCTAVES + 1];
        let (edges, last) = (edges(), counts.len() - 1);
        for longest in longest {
            let (mut octave, mut share) = (0, longest / shortest);
            while share >= 2.0 && octave < OCTAVES {
                (share, octave) = (0.5 * share, octave + 1);
            }
            let within = edges.iter().filter(|edge| **edge <= share).count().saturating_sub(1);
            counts[(octave * CLASSES + within).min(last)] += 1;
        }
        Classes { counts, shortest }
    }

    /// The macro step, of at most `levels` levels below it, in which least is to be done per time [s].
    pub(super) fn whole_step(&self, levels: u32) -> f64 {
        let all: u64 = self.counts.iter().sum();
        let edges = edges();
        let length = |k: usize| self.shortest * edges[k % CLASSES] * (1u64 << (k / CLASSES)) as f64;
        let level = |k: usize, class: usize| k.saturating_sub(class).div_ceil(CLASSES);
        let cost = |k: usize| {
            let forces = |(class, count): (usize, &u64)| *count as f64 * (1u64 << level(k, class)) as f64;
            let forces: f64 = self.counts.iter().enumerate().map(forces).sum();
            (forces + OVERHEAD * all as f64 * (1u64 << level(k, 0)) as f64) / length(k)
        };
        let most = (CLASSES * levels as usize).min(self.counts.len() - 1);
        // Of two that cost as much the shorter.
        let best = (0..=most).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        length(best.unwrap_or(0))
    }
}

/// 2^(k/8), by roots that are rounded alike everywhere.
fn edges() -> [f64; CLASSES] {
    let (half, quarter) = (2f64.sqrt(), 2f64.sqrt().sqrt());
    let eighth = quarter.sqrt();
    let mut edges = [1.0; CLASSES];
    for (k, edge) in edges.iter_mut().enumerate() {
        *edge *= if k & 4 > 0 { half } else { 1.0 };
        *edge *= if k & 2 > 0 { quarter } else { 1.0 };
        *edge *= if k & 1 > 0 { eighth } else { 1.0 };
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_due_at_the_ends_of_its_steps_and_all_at_the_end() {
        let mut schedule = Schedule::new(1.0, 3.0);
        let (mut times, mut due) = (Vec::new(), [0; 4]);
        loop {
            for (level, due) in due.iter_mut().enumerate() {
                *due += usize::from(schedule.is_due(level as Real));
            }
            let (time, next) = schedule.next(3);
            times.push(time);
            schedule = next;
            if schedule.is_open() {
                break;
            }
        }
        assert_eq!(times, [1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0]);
        assert_eq!(due, [1, 2, 4, 8]);
        assert!((0..=DEPTH).all(|level| schedule.is_due(level as Real)));
    }

    #[test]
    fn steps_of_another_level_begin_where_those_of_the_deepest_end() {
        // Two of level 3, then nobody needs more than level 1: on to the next moment of that.
        let schedule = Schedule::new(0.0, 1.0).next(3).1.next(3).1;
        assert!(schedule.is_due(2.0) && !schedule.is_due(1.0) && schedule.is_due(-1.0));
        assert_eq!(schedule.next(1).0, 0.5);
        assert_eq!(Schedule::new(0.0, 1.0).next(3).1.next(1).0, 0.5);
    }

    #[test]
    fn levels_are_the_lowest_that_are_short_enough() {
        assert_eq!([1.0, 0.99, 0.5, 0.26, 0.25, 0.0].map(|longest| level_of(longest, 1.0)), [0, 1, 1, 2, 2, DEPTH]);
    }

    #[test]
    fn the_macro_step_is_that_in_which_least_is_done() {
        let whole = |longest: &[f64], levels| Classes::of(longest.iter().copied()).whole_step(levels);
        // All alike: one step for all.
        assert_eq!(whole(&[0.3; 50], 6), 0.3);
        // One needs a fifth: it makes four steps and all others one, if so many levels are allowed.
        let mut few = [0.5; 1000];
        few[0] = 0.1;
        let found = whole(&few, 6);
        assert!((found / 0.4 - 1.0).abs() < 1e-9, "{found}");
        assert_eq!(whole(&few, 0), 0.1);
        assert!((whole(&few, 1) / 0.2 - 1.0).abs() < 1e-9);
    }
}
