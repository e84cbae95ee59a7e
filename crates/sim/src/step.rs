//! One time step, top to bottom: start here.
//!
//! Between two steps the world is of one piece: positions, velocities, neighbours, densities and pressures all
//! belong to the same moment.

use crate::divergence::{Divergence, refuse_infinity, refuse_large_acceleration, refuse_leap};
use crate::error::StepError;
use crate::force::StepContext;
use crate::measure::StepReport;
use crate::pressure::Correction;
use crate::real::Real;
use crate::simulation::{Scratch, Simulation};
use crate::stages::Stage;
use crate::time::Bounds;
use crate::world::keep_out_of_walls;

/// How often a diverging step is tried before the run stops: the last try is 1/64 of the first.
const MOST_TRIES: u32 = 7;

/// How often a step may be taken back because it compressed more than was predicted.
const REGRETS: u32 = 2;

/// A step that is being made.
pub(crate) struct Attempt {
    /// Its length [s]: less than it was given, if elasticity makes matter too fast.
    pub(crate) dt: Real,
    /// The time that steps of equal length are to reach, and the time that it must not pass [s].
    aim: f64,
    limit: f64,
    /// By how many levels individual steps are to be shorter than they might.
    finer: u32,
    /// How many particles had their forces found.
    due: usize,
    /// What it took to keep matter from being compressed.
    correction: Correction,
}

impl Simulation {
    /// Moves the world forward by one of the steps of equal length that reach the time `aim` [s], but not past `limit`: until
    /// shortly before, it goes as if there were no limit.
    pub fn step_towards(&mut self, aim: f64, limit: f64) -> Result<StepReport, StepError> {
        // Does fluid come in or go out?
        self.feed();

        // Were bodies added, walls moved, or is it time to put memory in order?
        self.prepare()?;

        // Who has melted, and who has frozen?
        self.change_phases()?;

        // What has been stretched too far?
        self.break_stretched_bonds()?;

        // How far may we go?
        let mut dt = match self.models.steps {
            // They are chosen when forces are known.
            Some(_) => self.world.clock.last_dt,
            None => self.fit(self.longest_step(self.extremes.speed()), aim, limit),
        };

        // Go. A step that diverges, or compresses far more than was predicted, is taken back without a trace and tried again
        // at half its length.
        self.begin_balance(dt);
        self.keep();
        self.open_ledger();
        let mut tries = 1;
        let Attempt { dt, due, correction, .. } = loop {
            let attempt = Attempt { dt, aim, limit, finer: tries - 1, due: 0, correction: Correction::default() };
            match self.attempt(attempt) {
                Ok(attempt) if tries > REGRETS || !self.is_regretted(&attempt.correction) => break attempt,
                Ok(_) => self.take_back(),
                Err(divergence) => {
                    self.take_back();
                    if tries == MOST_TRIES {
                        return Err(self.diagnose(divergence, dt, tries));
                    }
                }
            }
            tries += 1;
            dt *= 0.5;
        };

        self.flow_plastically();
        self.settle(dt);
        self.enter_work(dt);
        self.world.clock.tick(dt, limit);
        self.draw_up_balance();
        let coincident_pairs = self.pairs.coincident_pairs();
        let elastic_iterations = self.models.implicit.iterations();
        let viscous_iterations = self.models.viscosity.iterations();
        let report = correction.report(self.extremes.report(self.world.kinds.flowing().len()));
        Ok(StepReport {
            dt,
            tries,
            force_evaluations: due,
            coincident_pairs,
            elastic_iterations,
            viscous_iterations,
            ..report
        })
    }

    /// The length that the steps between frames `interval` [s] apart would have, were everything as it is now but the fastest
    /// particle moved at `speed` [m/s] [s]: for estimates.
    pub fn expected_step(&self, speed: f64, interval: f64) -> f64 {
        let allowed = self.longest_step(speed);
        let clock = &self.world.clock;
        f64::from(clock.shorten(allowed, clock.time + interval, self.settings.step.slack(allowed)))
    }

    /// The longest step that is allowed now if the fastest particle moves at `speed` [m/s] [s].
    fn longest_step(&self, speed: f64) -> Real {
        let at = |speed: f64| self.settings.step.choose(speed, &self.world, &self.pairs, &self.extremes, &self.models);
        let allowed = at(speed);
        // Streams that begin in the step.
        let streams = self.world.stream_speed(self.world.clock.time + f64::from(allowed));
        if streams > speed { at(streams) } else { allowed }
    }

    /// The length of the next step, of which such a length is allowed.
    fn fit(&self, allowed: Real, aim: f64, limit: f64) -> Real {
        let clock = &self.world.clock;
        clock.cut(clock.shorten(allowed, aim, self.settings.step.slack(allowed)), limit)
    }

    /// Makes a step, stage by stage.
    fn attempt(&mut self, mut attempt: Attempt) -> Result<Attempt, Divergence> {
        for stage in Stage::ALL {
            match stage {
                Stage::Accelerate => self.accelerate(&mut attempt)?,
                Stage::Reconsider => self.reconsider(&mut attempt),
                Stage::Correct => self.correct(&mut attempt),
                Stage::Spread => self.spread(&attempt),
                Stage::Process => self.advance_processes(attempt.dt)?,
                Stage::Move => self.advance_matter(&attempt),
                Stage::Follow => self.follow_paths(&attempt),
                Stage::Look => self.look(&attempt)?,
            }
            #[cfg(test)]
            self.fault.after(stage)?;
        }
        Ok(attempt)
    }

    /// Accelerations: gravity, pressures and contact that are known, and every other force.
    fn accelerate(&mut self, attempt: &mut Attempt) -> Result<(), Divergence> {
        let Simulation { world, models, pairs, scratch: Scratch { coupling, energy, acceleration, .. }, .. } = self;
        acceleration.clear();
        acceleration.resize(world.kinds.matter().len(), world.gravity);
        models.implicit.choose_implicitness(world, pairs, attempt.dt, models.contact.is_some());
        attempt.due = models.steps.as_ref().map_or(acceleration.len(), |steps| steps.find_due(world, pairs));
        let dt = models.steps.as_ref().map_or(attempt.dt, |steps| steps.longest_of_all(world, pairs, models));
        let step = StepContext { world, pairs, sound_speed: models.pressure.sound_speed(world), dt };
        models.pressure.accelerate(&step, acceleration);
        models.contact.iter_mut().for_each(|contact| contact.accelerate(&step, acceleration));
        for force in &mut models.forces {
            force.add(&step, acceleration);
        }
        models.steps.iter().for_each(|steps| steps.keep_others(world, pairs, acceleration));
        energy.clear();
        energy.power += models.forces.iter().map(|force| force.power()).sum::<f64>();
        energy.enter_clamps(world, acceleration);
        energy.enter_clamps_of_implicit_bodies(world, pairs);
        coupling.accelerate(models, &step, acceleration);
        // Individual steps are yet to be chosen: only what is infinite is refused.
        let dt = if models.steps.is_some() { 0.0 } else { attempt.dt };
        refuse_large_acceleration(world, acceleration, dt, pairs.kernel().support())?;
        world.hold(acceleration);
        Ok(())
    }

    /// How far now? Accelerations that were solved for stay as they are (Peer18 Alg. 3).
    fn reconsider(&mut self, attempt: &mut Attempt) {
        let Simulation { world, models, pairs, scratch, settings, .. } = self;
        if let Some(mut steps) = models.steps.take() {
            let bounds = Bounds { aim: attempt.aim, limit: attempt.limit, finer: attempt.finer };
            let fastest = self.extremes.speed();
            attempt.dt = steps.choose((world, pairs, models), &scratch.acceleration, fastest, bounds);
            models.steps = Some(steps);
            return;
        }
        if let Some(speed) = world.solids.fastest_after(world, &scratch.acceleration, attempt.dt) {
            let allowed = settings.step.reconsider(attempt.dt, speed, world, pairs, models);
            // In equal steps again: cut by a little, a step would leave a sliver before the next frame.
            attempt.dt = attempt.dt.min(self.fit(allowed, attempt.aim, attempt.limit));
        }
    }

    /// Would that compress matter? Some solvers find the pressures that prevent it only now, and stiff bodies answer.
    fn correct(&mut self, attempt: &mut Attempt) {
        let Simulation {
            world, models, pairs, scratch: Scratch { coupling, ledger, energy, acceleration, .. }, ..
        } = self;
        attempt.correction = coupling.correct(models, world, pairs, attempt.dt, acceleration);
        if let Some(pressure) = models.pressure.corrector() {
            energy.enter_clamps(world, pressure.surface_acceleration());
        }
        energy.enter_clamps(world, models.viscosity.push());
        let step = StepContext { world, pairs, sound_speed: models.pressure.sound_speed(world), dt: attempt.dt };
        energy.power += ledger.enter_forces(models, coupling.friction(), &step);
        energy.power += models.rigid.power_of_joints(step.world, attempt.dt);
    }

    /// Where will particles be too close together?
    fn spread(&mut self, attempt: &Attempt) {
        if let Some(shifting) = &self.settings.shifting {
            self.scratch.shifts.find(shifting, &self.world, &self.pairs, attempt.dt);
        }
    }

    /// Velocities and positions follow.
    fn advance_matter(&mut self, attempt: &Attempt) {
        let Simulation { world, models, pairs, scratch: Scratch { acceleration, shifts, .. }, settings, .. } = self;
        let motion = world.motion(attempt.dt);
        match &models.steps {
            Some(steps) => steps.advance(world, pairs, acceleration, attempt.dt),
            None => world.advance(acceleration, attempt.dt),
        }
        models.rigid.advance(world, motion);
        if settings.shifting.is_some() {
            shifts.apply(world);
        }
    }

    /// Walls and clamps follow their paths, and nobody gets into a wall.
    fn follow_paths(&mut self, attempt: &Attempt) {
        self.world.follow_paths(self.world.clock.after(attempt.dt, attempt.limit));
        let Simulation { world, pairs, scratch: Scratch { ledger, energy, .. }, .. } = self;
        ledger.before_blows(world);
        keep_out_of_walls(world, pairs, attempt.dt);
        energy.blow = ledger.enter_blows(world, pairs);
    }

    /// Who is next to whom now, and how dense is it there?
    fn look(&mut self, attempt: &Attempt) -> Result<(), Divergence> {
        self.refresh(attempt.dt).map_err(Divergence::crowded)?;
        refuse_infinity(&self.world, &self.extremes)?;
        refuse_leap(&self.world, &self.extremes, attempt.dt, self.pairs.kernel().support())
    }

    /// Did a step compress the worst particle so much more than was predicted that it should be shorter?
    fn is_regretted(&self, correction: &Correction) -> bool {
        correction.too_much.is_some_and(|too_much| self.extremes.worst_density_error() > too_much)
    }
}
