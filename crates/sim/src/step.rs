//! One time step, top to bottom: start here.
//!
//! Between two steps the world is of one piece: positions, velocities, neighbours, densities and pressures all
//! belong to the same moment.

use crate::divergence::{Divergence, refuse_hard_push, refuse_infinity};
use crate::elasticity::Law;
use crate::error::StepError;
use crate::force::StepContext;
use crate::measure::StepReport;
use crate::pressure::{Correction, Integrator};
use crate::real::Real;
use crate::simulation::Simulation;
use crate::time::{Leapfrog, SymplecticEuler};
use crate::world::keep_out_of_walls;

/// How often a diverging step is tried before the run stops: the last try is 1/64 of the first.
const TRIES: u32 = 7;

/// How often a step may be taken back because it compressed more than was predicted.
const REGRETS: u32 = 2;

impl Simulation {
    /// Moves the world forward by one step and reports what it took.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_until(f64::INFINITY)
    }

    /// Moves the world forward by one step that does not pass the time `limit` [s].
    pub fn step_until(&mut self, limit: f64) -> Result<StepReport, StepError> {
        // Were bodies added, walls moved, or is it time to put memory in order?
        self.prepare()?;

        // How far may we go?
        let allowed = self.settings.step.choose(&self.world, &self.pairs, &self.extremes, &self.models);
        let mut dt = self.world.clock.shorten(allowed, limit);

        // Go. A step that diverges is taken back and tried again at half its length.
        self.scratch.saved.keep(&self.world.particles, self.world.movable);
        let mut tries = 1;
        let correction = loop {
            match self.attempt(dt, self.world.clock.after(dt, limit)) {
                Ok(correction)
                    if tries <= REGRETS
                        && self.models.pressure.regrets(&correction, self.extremes.worst_density_error()) =>
                {
                    self.take_back()?
                }
                Ok(correction) => break correction,
                Err(divergence) => {
                    self.take_back()?;
                    if tries == TRIES {
                        return Err(self.diagnose(divergence, dt, tries));
                    }
                }
            }
            tries += 1;
            dt *= 0.5;
        };

        self.world.clock.tick(dt, limit);
        let coincident_pairs = self.pairs.coincident_pairs();
        let elastic_iterations = self.models.forces.iter().map(|force| force.iterations()).sum();
        let report = correction.report(self.extremes.report(self.world.movable));
        Ok(StepReport { dt, tries, coincident_pairs, elastic_iterations, ..report })
    }

    /// Pushes and moves every particle by `dt`, to the time `end`, then looks around again.
    fn attempt(&mut self, dt: Real, end: f64) -> Result<Correction, Divergence> {
        let Simulation { world, models, pairs, scratch, .. } = self;
        let acceleration = &mut scratch.acceleration;

        // What pushes?
        acceleration.clear();
        acceleration.resize(world.movable, world.gravity);
        let step = StepContext { world, pairs, sound_speed: models.pressure.sound_speed(), dt };
        models.pressure.accelerate(&step, acceleration);
        for force in &mut models.forces {
            force.add(&step, acceleration);
        }
        refuse_hard_push(world, acceleration, dt, pairs.kernel().support())?;

        // Would that compress matter? Some solvers find the pressures that prevent it only now.
        world.hold(acceleration);
        let correction = models.pressure.correct(world, pairs, dt, acceleration);
        world.hold(acceleration);

        // Velocities and positions follow, walls and clamps follow their paths, and nobody gets into a wall.
        if models.pressure.integrator() == Integrator::SymplecticEuler || world.solids.any(Law::is_implicit) {
            SymplecticEuler::advance(world, acceleration, dt);
        } else {
            Leapfrog::advance(world, acceleration, dt);
        }
        world.follow_paths(end);
        keep_out_of_walls(world, pairs);

        // Who is next to whom now, and how dense is it there?
        self.refresh(dt).map_err(Divergence::crowded)?;
        refuse_infinity(&self.world, &self.extremes)?;
        Ok(correction)
    }
}
