//! Individual time steps (DG96 5.2, Hernquist & Katz 1989): forces are found only where they are due.
//!
//! Each particle has a longest step of its own, with the support H, its own speed of sound c, speed and acceleration, and the
//! largest speed of any neighbour relative to it:
//!
//! ```text
//! dt_i ≤ cfl H / (c_i + max(|v_i|, max_j |v_ij|))      DG96 Eq. 8 and below
//! dt_i ≤ ¼ sqrt(H / |a_i|)                             Sol09 Eq. 2.28
//! dt_i ≤ the limit of each force at the particle       artificial viscosity: DG96 Eq. 8 with max |μ_ij|
//! ```
//!
//! Its step is the macro step over the power of two (its level) that is short enough. Every particle moves in every one of the
//! smallest steps that are made, and its forces are found where its own step ends, at the time t:
//!
//! ```text
//! x ← x + Δt v + ½ Δt² a,   v ← v + Δt a               in every smallest step, with the last a that was found
//! v ← v + ½ s (a(t) − a),   a ← a(t)                   when it is due, s after it was due last
//! ```
//!
//! That is leapfrog in its own steps: of second order whatever length they have and whenever it changes, since each is a whole
//! step from one pair (x, v) to the next. What is not due is where its parabola is, which its neighbours see, and so it may be
//! waked at any moment without a correction. DG96 has forces in the middle of steps, so that a change of steps asks for Δx = (Δt_new² − Δt_old²) a/8
//! there; Eq. 9 with the new step beside it, as printed, is of first order (the tests below hold both).
//!
//! **Neighbours** (Saitoh & Makino 2009): no step is more than four times as long as that of a neighbour, wall particles included, which
//! count by their speed. Otherwise what is hit by a fast particle would not notice before it has been run through. This is asked in every smallest
//! step, of all particles: one that is not due may be given a shorter step, and is due as soon as a step of that ends.
//!
//! A step is chosen with the accelerations that were just found, so that who is hit is slower from then on, not one step later; it
//! may grow by a factor of 2 each time. The macro step is that in which least is to be done per time, and all macro steps to a
//! frame are alike. Pairs with different levels exchange momentum at different moments: it is conserved to the order of the steps, not exactly.
//!
//! Densities and pressures are found for all particles at every smallest step: what is predicted of them between would save as
//! much again, but would be another thing to remember, and a sum never drifts. Elastic bodies (explicit ones) are always due.

mod fit;

use rayon::prelude::*;

use super::displace;
use super::schedule::{Classes, DEPTH, Schedule, level_of};
use super::step_size::{Adaptive, SLACK};
use crate::force::StepContext;
use crate::models::Models;
use crate::neighbors::{Largest, Pairs, Who, pack, row};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{OwnColumn, Particles, World};
use crate::{each, exchange};

parameters! {
    /// Each particle has a step of its own: for fluids with a state equation (`wcsph`, `cohesion`) of which a small part needs short steps.
    pub struct Individual {
        /// Share of the support crossed in a step [-]. Lower is safer and slower.
        cfl: Real = 0.4, Limits::above_up_to(0.0, 1.0);
        /// No step is longer than this [s].
        longest: Real = 0.01, Limits::POSITIVE;
        /// The shortest step is the longest over 2 to the power of this, at least [-]. With 0 all particles have the shortest of all.
        levels: u32 = 6, Limits::within(0.0, 10.0);
    }
}

/// By how many levels neighbours may differ: Saitoh & Makino 2009 find a factor of 4 to be enough.
const NEIGHBORS_DIFFER_BY: Real = 2.0;

/// The columns that are kept, by their place among those that processes own: before all others.
const LEVEL: usize = 0;
const AGE: usize = 1;

/// What one does not know of itself: the largest square of the speed of a neighbour relative to it, and the largest level of any.
type Seen = (Real, Real);

/// Individual steps at work: parameters and scratch. What is remembered is in two columns, and the [`Schedule`].
#[derive(Clone, Debug)]
pub(crate) struct IndividualSteps {
    individual: Individual,
    /// The longest step of each particle of matter that is due [s].
    longest: Vec<Real>,
    /// The levels that particles get.
    levels: Vec<Real>,
    seen: Vec<Seen>,
    /// Velocities and levels.
    moving: Vec<[Real; 4]>,
}

/// How far a step may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The time that steps of equal length are to reach, and the time that none must pass [s].
    pub(crate) aim: f64,
    pub(crate) limit: f64,
    /// By how many levels all steps are to be shorter than they might, since longer ones have diverged.
    pub(crate) finer: u32,
}

impl IndividualSteps {
    pub(crate) fn new(individual: &Individual) -> Self {
        let individual = individual.clone();
        IndividualSteps { individual, longest: Vec::new(), levels: Vec::new(), seen: Vec::new(), moving: Vec::new() }
    }

    /// The columns that it keeps, which must come before those of processes: level, and time since forces were found.
    pub(crate) fn columns() -> [OwnColumn; 2] {
        [OwnColumn::new("step_level", "-", -1.0).for_program(), OwnColumn::new("force_age", "s", 0.0).for_program()]
    }

    /// The longest step that any particle makes [s].
    pub(crate) fn longest_of_all(&self, world: &World, pairs: &Pairs, models: &Models) -> Real {
        let signal = models.signal_speed(&models.pressure.limits(world, 1.0, 0.0));
        self.individual.criteria().longest_step(signal, 0.0, 0.0, pairs.kernel().support(), world.spacing) as Real
    }

    /// Finds out whose forces are due now; returns how many they are.
    pub(crate) fn find_due(&self, world: &World, pairs: &mut Pairs) -> usize {
        let (kinds, schedule) = (&world.kinds, world.memory.schedule);
        let level = &world.particles.own[LEVEL].values[kinds.matter()];
        let (due, bonded) = (pairs.due_mut(), kinds.bonded());
        due.clear();
        due.extend(level.iter().enumerate().map(|(i, &level)| schedule.is_due(level) || bonded.contains(&i)));
        due.iter().filter(|due| **due).count()
    }

    /// Those who are not due keep the accelerations that they have.
    pub(crate) fn keep_others(&self, world: &World, pairs: &Pairs, acceleration: &mut [Vec3]) {
        let columns = (acceleration, pairs.due(), &world.particles.acceleration[world.kinds.matter()]);
        columns.into_par_iter().with_min_len(4096).for_each(|(a, &due, &last)| {
            if !due {
                *a = last;
            }
        });
    }

    /// Gives new levels, now that the accelerations of those who are due are known, and chooses the step to the next moment at which anybody is.
    pub(crate) fn choose(
        &mut self,
        (world, pairs, models): (&mut World, &Pairs, &Models),
        acceleration: &[Vec3],
        fastest: f64,
        bounds: Bounds,
    ) -> Real {
        stage!("individual steps");
        self.find_longest(world, pairs, models, acceleration);
        let mut schedule = world.memory.schedule;
        if schedule.is_open() {
            schedule = self.begin(world, pairs, models, bounds);
        } else {
            self.go_on(world, pairs, models, (fastest, schedule.length()));
        }
        let finer = bounds.finer as Real;
        let deepest = self.levels.iter().fold(0.0, |deepest: Real, &level| deepest.max(level));
        let deepest = (deepest + finer).min(DEPTH as Real);
        let columns = (&mut world.particles.own[LEVEL].values[world.kinds.matter()], &self.levels);
        columns.into_par_iter().with_min_len(4096).for_each(|(out, &level)| *out = (level + finer).min(deepest));
        let (time, next) = schedule.next(deepest as u32);
        world.memory.schedule = next;
        if time > bounds.limit {
            world.memory.schedule.abandon();
        }
        (time.min(bounds.limit) - world.clock.time) as Real
    }

    /// Finds the longest step of everybody who is due, but for what neighbours ask of it.
    fn find_longest(&mut self, world: &World, pairs: &Pairs, models: &Models, acceleration: &[Vec3]) {
        let (criteria, particles) = (self.individual.criteria(), &world.particles);
        let (reach, spacing) = (pairs.kernel().support(), world.spacing);
        self.longest.resize(acceleration.len(), 0.0);
        let columns = (&mut self.longest, pairs.due(), acceleration).into_par_iter().with_min_len(4096);
        columns.enumerate().for_each(|(i, (longest, &due, a))| {
            if due {
                let a = f64::from(a.length());
                let limits = models.pressure.limits(world, particles.compression(i), a);
                let (signal, speed) = (models.signal_speed(&limits), f64::from(particles.velocity[i].length()));
                *longest = criteria.longest_step(signal, speed, limits.acceleration, reach, spacing) as Real;
            }
        });
        let sound_speed = models.pressure.sound_speed(world);
        let step = StepContext { world, pairs, sound_speed, dt: self.longest_of_all(world, pairs, models) };
        models.forces.iter().for_each(|force| force.limit_steps(&step, &mut self.longest));
        let processes = models.processes.iter().filter_map(|owner| owner.process.longest_step(world, pairs));
        if let Some(limit) = processes.reduce(Real::min) {
            self.longest.iter_mut().for_each(|longest| *longest = longest.min(limit));
        }
    }

    /// Everybody is due: begins a macro step.
    fn begin(&mut self, world: &World, pairs: &Pairs, models: &Models, bounds: Bounds) -> Schedule {
        let signal = f64::from(models.pressure.sound_speed(world));
        let courant = |speed: f64| self.individual.courant(pairs, signal, speed);
        let (seen, moving) = (&mut self.seen, &mut self.moving);
        pack(moving, world.particles.len(), |i| row(world.particles.velocity[i], 0.0));
        look_around(pairs, moving, seen, |_| true);
        let columns = (&mut self.longest, &*seen).into_par_iter().with_min_len(4096);
        columns.for_each(|(longest, &(speed, _))| *longest = longest.min(courant(f64::from(speed).sqrt()) as Real));

        let levels = self.individual.levels;
        let longest = self.longest.iter().map(|longest| f64::from(*longest));
        let allowed = match self.longest.is_empty() {
            true => self.individual.longest,
            false => Classes::of(longest).whole_step(levels).min(f64::from(self.individual.longest)) as Real,
        };
        let clock = &world.clock;
        let slack = self.individual.criteria().slack(allowed);
        let whole = clock.cut(clock.shorten(allowed, bounds.aim, slack), bounds.limit);
        let schedule = Schedule::new(clock.time, clock.after(whole, bounds.limit));

        self.levels.resize(self.longest.len(), 0.0);
        let columns = (&mut self.levels, &self.longest).into_par_iter().with_min_len(4096);
        columns.for_each(|(level, &longest)| {
            *level = level_of(f64::from(longest) * (1.0 + SLACK), schedule.length()) as Real;
        });
        let deepest = self.levels.iter().fold(0.0, |deepest: Real, &level| deepest.max(level));
        // From neighbour to neighbour, until everybody has heard.
        let mut sweeps = (deepest / NEIGHBORS_DIFFER_BY) as u32;
        while sweeps > 0 && self.raise(world, pairs, signal, (f64::INFINITY, schedule.length())) {
            sweeps -= 1;
        }
        schedule
    }

    /// Within a macro step: those who are due get new levels, and those beside much deeper ones.
    fn go_on(&mut self, world: &World, pairs: &Pairs, models: &Models, (fastest, whole): (f64, f64)) {
        let signal = f64::from(models.pressure.sound_speed(world));
        let old = &world.particles.own[LEVEL].values[world.kinds.matter()];
        self.levels.resize(old.len(), 0.0);
        let columns = (&mut self.levels, old, &self.longest, pairs.due()).into_par_iter().with_min_len(4096);
        columns.for_each(|(level, &old, &longest, &due)| {
            let needed = level_of(f64::from(longest) * (1.0 + SLACK), whole) as Real;
            // A new one has none yet.
            *level = if due { needed.max(old - 1.0) } else { old };
        });
        self.raise(world, pairs, signal, (fastest, whole));
    }

    /// Raises levels to what neighbours ask for, by their own levels and by their speeds, of which none is above `fastest`. Did any change?
    fn raise(&mut self, world: &World, pairs: &Pairs, signal: f64, (fastest, whole): (f64, f64)) -> bool {
        let IndividualSteps { individual, levels, seen, moving, .. } = self;
        let (particles, matter) = (&world.particles, world.kinds.matter());
        let courant = |speed: f64| individual.courant(pairs, signal, speed) * (1.0 + SLACK);
        pack(moving, particles.len(), |i| {
            let level = match matter.contains(&i) {
                true => levels[i],
                // A wall by its speed.
                false => level_of(courant(f64::from(particles.velocity[i].length())), whole) as Real,
            };
            row(particles.velocity[i], level)
        });
        let deepest = moving.iter().fold(0.0, |deepest: Real, row| deepest.max(row[3]));
        let may_change = |i: usize| {
            let speed = f64::from(particles.velocity[i].length()) + fastest;
            levels[i] < deepest - NEIGHBORS_DIFFER_BY || levels[i] < level_of(courant(speed), whole) as Real
        };
        look_around(pairs, moving, seen, may_change);
        let columns = (levels, &*seen).into_par_iter().with_min_len(4096);
        let changed = columns.map(|(level, &(speed, deepest))| {
            let by_speed = if speed > 0.0 { level_of(courant(f64::from(speed).sqrt()), whole) } else { 0 };
            let raised = level.max(deepest - NEIGHBORS_DIFFER_BY).max(by_speed as Real);
            std::mem::replace(level, raised) != raised
        });
        changed.reduce(|| false, |a, b| a | b)
    }

    /// Moves all matter by `dt`.
    pub(crate) fn advance(&self, world: &mut World, pairs: &Pairs, acceleration: &[Vec3], dt: Real) {
        stage!("move");
        let (matter, dimension, domain) = (world.kinds.matter(), world.dimension, world.domain);
        let Particles { position, remainder, velocity, acceleration: last, own, .. } = &mut world.particles;
        let places = (&mut position[matter.clone()], &mut remainder[matter.clone()]);
        let age = &mut own[AGE].values[matter.clone()];
        let columns = (places, &mut velocity[matter.clone()], &mut last[matter], acceleration, age, pairs.due());
        columns.into_par_iter().with_min_len(4096).for_each(|(place, v, last, &a, age, &due)| {
            let a = dimension.flatten(a);
            let half = 0.5 * dt;
            let middle = *v + (0.5 * *age) * (a - *last) + half * a;
            displace(place, dt * middle, &domain);
            *v = middle + half * a;
            *last = a;
            *age = if due { dt } else { *age + dt };
        });
    }
}

impl Individual {
    /// The criteria of all particles.
    pub fn criteria(&self) -> Adaptive {
        Adaptive { cfl: self.cfl, longest: self.longest, ..Adaptive::default() }
    }

    /// The longest step at this speed [s].
    fn courant(&self, pairs: &Pairs, signal: f64, speed: f64) -> f64 {
        f64::from(self.cfl * pairs.kernel().support()) / (signal + speed)
    }
}

/// What particles of matter see of their neighbours; nothing where it makes no difference.
fn look_around(
    pairs: &Pairs,
    moving: &[[Real; 4]],
    seen: &mut Vec<Seen>,
    makes_a_difference: impl Fn(usize) -> bool + Sync,
) {
    seen.resize(pairs.due().len(), Seen::default());
    each!(pairs, Who::Matter, seen, |i, near, seen| {
        *seen = Seen::default();
        if makes_a_difference(i) {
            let [x, y, z, _] = moving[i];
            *seen = exchange!(near, |j| {
                let (velocity, level) = j.get_packed(moving);
                let relative = velocity - j.splat_vec(Vec3::new(x, y, z));
                (Largest(relative.dot(relative)), Largest(level))
            });
        }
    });
}

#[cfg(test)]
mod tests;
