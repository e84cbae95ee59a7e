//! One time step, top to bottom: start here.
//!
//! Between two steps the world is of one piece: positions, velocities, neighbours, densities and pressures all
//! belong to the same moment.

use crate::error::{Diverged, StepError};
use crate::force::StepContext;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::simulation::Simulation;
use crate::time::Leapfrog;
use crate::world::World;

/// How often a diverging step is halved before the run stops: the last try is 1/64 of the first.
const TRIES: u32 = 7;

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Its length [s].
    pub dt: Real,
    /// How often it was tried; more than once if it diverged at first.
    pub tries: u32,
    /// Mean compression beyond rest density, max(ρ/ρ0 − 1, 0) over the movable particles [-].
    pub density_error: f64,
    /// The same of the worst particle [-].
    pub worst_density_error: f64,
    /// Speed of the fastest particle [m/s].
    pub fastest: f64,
    /// Pairs of particles at the very same place.
    pub coincident_pairs: usize,
}

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
        let signal = self.models.pressure.signal_speed(&self.world);
        let allowed = self.settings.step.choose(&self.world, &self.pairs, signal, &self.models.forces);
        let mut dt = self.world.clock.shorten(allowed, limit);

        // Go. A step that diverges is taken back and tried again at half its length.
        self.scratch.saved.keep(&self.world.particles, self.world.movable);
        let mut tries = 1;
        while let Err(divergence) = self.attempt(dt) {
            self.scratch.saved.put_back(&mut self.world.particles);
            self.refresh()?;
            if tries == TRIES {
                return Err(self.diagnose(divergence, dt, tries));
            }
            tries += 1;
            dt *= 0.5;
        }

        self.world.clock.tick(dt, limit);
        Ok(self.report(dt, tries))
    }

    /// Pushes and moves every particle by `dt`, then looks who is next to whom.
    fn attempt(&mut self, dt: Real) -> Result<(), Divergence> {
        let Simulation { world, models, pairs, scratch, .. } = self;
        let acceleration = &mut scratch.acceleration;

        // What pushes?
        acceleration.clear();
        acceleration.resize(world.movable, world.gravity);
        let step = StepContext { world, pairs, dt };
        models.pressure.accelerate(&step, acceleration);
        for force in &mut models.forces {
            force.add(&step, acceleration);
        }
        refuse_divergence(world, acceleration, dt, pairs.kernel().support())?;

        // Velocities and positions follow.
        Leapfrog::advance(world, acceleration, dt);

        // Who is next to whom now, and how dense is it there?
        self.refresh().map_err(|_| Divergence {
            quantity: "the number of neighbours",
            value: f64::INFINITY,
            particle: 0,
        })?;
        refuse_infinity(&self.world)
    }
}

/// What went out of bounds, and where.
struct Divergence {
    quantity: &'static str,
    value: f64,
    particle: usize,
}

/// A push so hard that this step alone would throw a particle farther than the support radius.
fn refuse_divergence(world: &World, acceleration: &[Vec3], dt: Real, reach: Real) -> Result<(), Divergence> {
    let throw = |i: usize| f64::from(acceleration[i].length()) * f64::from(dt) * f64::from(dt);
    if reduce::max(world.movable, throw) <= f64::from(reach) {
        return Ok(());
    }
    let particle = first(world, |i| throw(i) > f64::from(reach) || throw(i).is_nan());
    Err(Divergence { quantity: "the acceleration", value: f64::from(acceleration[particle].length()), particle })
}

/// No value may leave a step that is infinite or undefined.
fn refuse_infinity(world: &World) -> Result<(), Divergence> {
    let particles = &world.particles;
    let columns: [(&str, &(dyn Fn(usize) -> f64 + Sync)); 3] = [
        ("the position", &|i| f64::from(particles.position[i].abs().max_element())),
        ("the velocity", &|i| f64::from(particles.velocity[i].abs().max_element())),
        ("the pressure", &|i| f64::from(particles.pressure[i].abs())),
    ];
    for (quantity, magnitude) in columns {
        if !reduce::max(world.movable, magnitude).is_finite() {
            let particle = first(world, |i| !magnitude(i).is_finite());
            return Err(Divergence { quantity, value: magnitude(particle), particle });
        }
    }
    Ok(())
}

/// The first movable particle for which `is_bad` holds.
fn first(world: &World, is_bad: impl Fn(usize) -> bool) -> usize {
    (0..world.movable).find(|&i| is_bad(i)).unwrap_or(0)
}

impl Simulation {
    fn report(&mut self, dt: Real, tries: u32) -> StepReport {
        let particles = &self.world.particles;
        let count = self.world.movable;
        let excess = |i: usize| (f64::from(particles.compression(i)) - 1.0).max(0.0);
        StepReport {
            dt,
            tries,
            density_error: reduce::sum(count, &mut self.scratch.partials, excess) / count.max(1) as f64,
            worst_density_error: reduce::max(count, excess),
            fastest: reduce::max(count, |i| f64::from(particles.velocity[i].length_squared())).sqrt(),
            coincident_pairs: self.pairs.coincident_pairs(),
        }
    }

    fn diagnose(&self, divergence: Divergence, dt: Real, tries: u32) -> StepError {
        let Divergence { quantity, value, particle } = divergence;
        let diverged = Diverged {
            time: self.world.clock.time,
            step: self.world.clock.step,
            quantity,
            value,
            body: self.world.name_of(particle).to_owned(),
            position: self.world.particles.position.get(particle).map_or([0.0; 3], |x| x.to_array().map(f64::from)),
            tries,
            dt: f64::from(dt),
            solver: self.models.pressure.name(),
            remedy: "use a smaller `time.step`, a softer `pressure`, or look for bodies that start too close to each other",
        };
        StepError::from(Box::new(diverged))
    }
}
