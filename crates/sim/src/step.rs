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
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::simulation::Simulation;
use crate::time::{Leapfrog, SymplecticEuler};
use crate::world::{World, keep_out_of_walls};

/// How often a diverging step is tried before the run stops: the last try is 1/64 of the first.
const TRIES: u32 = 7;

/// How often a step may be taken back because it compressed more than was predicted.
const REGRETS: u32 = 2;

impl Simulation {
    /// Moves the world forward by one step and reports what it took.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_until(f64::INFINITY)
    }

    /// Moves the world forward by one of the steps of equal length that reach the time `limit` [s].
    pub fn step_until(&mut self, limit: f64) -> Result<StepReport, StepError> {
        self.step_towards(limit, limit)
    }

    /// Moves the world forward by one of the steps of equal length that reach the time `aim` [s], but not past `limit`: until
    /// shortly before, it goes as if there were no limit.
    pub fn step_towards(&mut self, aim: f64, limit: f64) -> Result<StepReport, StepError> {
        // Were bodies added, walls moved, or is it time to put memory in order?
        self.prepare()?;

        // How far may we go?
        let allowed = self.settings.step.choose(&self.world, &self.pairs, &self.extremes, &self.models);
        let dt = self.world.clock.shorten(allowed, aim, self.settings.step.slack(allowed));
        let mut dt = self.world.clock.cut(dt, limit);

        // Go. A step that diverges is taken back and tried again at half its length.
        self.scratch.saved.keep(&self.world.particles, self.world.movable);
        let mut tries = 1;
        let correction = loop {
            match self.attempt(dt, limit) {
                Ok((correction, _))
                    if tries <= REGRETS
                        && self.models.pressure.regrets(&correction, self.extremes.worst_density_error()) =>
                {
                    self.take_back()?
                }
                Ok((correction, made)) => {
                    dt = made;
                    break correction;
                }
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
        let report = correction.report(self.extremes.report(self.world.movable - self.world.solids.len()));
        Ok(StepReport { dt, tries, coincident_pairs, elastic_iterations, ..report })
    }

    /// Pushes and moves every particle by `dt`, not past the time `limit`, then looks around again. Tells by how much it
    /// moved them: less, if elasticity made them too fast.
    fn attempt(&mut self, dt: Real, limit: f64) -> Result<(Correction, Real), Divergence> {
        let Simulation { world, models, pairs, scratch, settings, .. } = self;
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

        // How far now? Accelerations that were solved for stay as they are (Peer18 Alg. 3).
        world.hold(acceleration);
        let dt = match fastest_solved(world, acceleration, dt) {
            Some(speed) => settings.step.reconsider(dt, speed, world, pairs, models),
            None => dt,
        };

        // Would that compress matter? Some solvers find the pressures that prevent it only now, and stiff bodies answer.
        let correction = scratch.coupling.correct(models, world, pairs, dt, acceleration);

        // Where will particles be too close together?
        if let Some(shifting) = &settings.shifting {
            scratch.shifts.find(shifting, world, pairs, dt);
        }

        // Velocities and positions follow, walls and clamps follow their paths, and nobody gets into a wall.
        match models.integrator(world) {
            Integrator::SymplecticEuler => SymplecticEuler::advance(world, acceleration, dt),
            Integrator::Leapfrog => Leapfrog::advance(world, acceleration, dt),
        }
        if settings.shifting.is_some() {
            scratch.shifts.apply(world);
        }
        world.follow_paths(world.clock.after(dt, limit));
        keep_out_of_walls(world, pairs);

        // Who is next to whom now, and how dense is it there?
        self.refresh(dt).map_err(Divergence::crowded)?;
        refuse_infinity(&self.world, &self.extremes)?;
        Ok((correction, dt))
    }
}

/// The speed that implicit elasticity gives the fastest of its particles in a step of `dt`, if there are any [m/s].
fn fastest_solved(world: &World, acceleration: &[Vec3], dt: Real) -> Option<f64> {
    let velocity = &world.particles.velocity;
    let square = |i: usize| f64::from((velocity[i] + dt * acceleration[i]).length_squared());
    world.solids.any(Law::is_implicit).then(|| reduce::max(world.solids.len(), square).sqrt())
}
