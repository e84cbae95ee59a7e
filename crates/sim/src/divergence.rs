//! Divergence of a step: its criteria, and the diagnosis.

use std::ops::Range;

use crate::error::{Diverged, StepError};
use crate::measure::Extremes;
use crate::neighbors::Crowded;
use crate::real::{Real, Vec3};
use crate::reduce::{self, largest};
use crate::simulation::Simulation;
use crate::stage::stage;
use crate::world::{Closing, OwnColumn, World};

/// What went out of bounds, and where.
pub(crate) struct Divergence {
    quantity: &'static str,
    value: f64,
    particle: usize,
}

impl Divergence {
    /// More particles in one place than can be listed.
    pub(crate) fn crowded(crowded: Crowded) -> Self {
        let Crowded { particle } = crowded;
        Divergence { quantity: "the number of neighbours", value: f64::INFINITY, particle }
    }
}

#[cfg(test)]
impl Divergence {
    /// One that a test asks for.
    pub(crate) fn injected() -> Self {
        Divergence { quantity: "nothing", value: 0.0, particle: 0 }
    }
}

/// Refuses an acceleration that would displace a particle by more than the support radius in this step alone.
pub(crate) fn refuse_large_acceleration(
    world: &World,
    acceleration: &[Vec3],
    dt: Real,
    reach: Real,
) -> Result<(), Divergence> {
    stage!("largest acceleration");
    let displacement = |i: usize| f64::from(acceleration[i].length()) * f64::from(dt) * f64::from(dt);
    let squares = |range: Range<usize>| largest(&acceleration[range], |a| a.length_squared());
    let hardest = reduce::max_chunks(acceleration.len(), squares).sqrt();
    if hardest * f64::from(dt) * f64::from(dt) <= f64::from(reach) {
        return Ok(());
    }
    let particle = first(world, |i| displacement(i) > f64::from(reach) || displacement(i).is_nan());
    Err(Divergence { quantity: "the acceleration", value: f64::from(acceleration[particle].length()), particle })
}

/// The same after a step, when pressures that are solved for have had their part.
pub(crate) fn refuse_leap(world: &World, extremes: &Extremes, dt: Real, reach: Real) -> Result<(), Divergence> {
    if extremes.acceleration() * f64::from(dt).powi(2) <= f64::from(reach) {
        return Ok(());
    }
    let acceleration = &world.particles.acceleration;
    refuse_large_acceleration(world, &acceleration[world.kinds.matter()], dt, reach)
}

/// Refuses values that are infinite or undefined: none may leave a step.
pub(crate) fn refuse_infinity(world: &World, extremes: &Extremes) -> Result<(), Divergence> {
    let Some(quantity) = extremes.infinite() else { return Ok(()) };
    let particles = &world.particles;
    let magnitude = |i: usize| {
        let vectors = particles.position[i].abs().max_element() + particles.velocity[i].length_squared();
        f64::from(vectors) + f64::from(particles.pressure[i].abs())
    };
    let particle = first(world, |i| !magnitude(i).is_finite());
    Err(Divergence { quantity, value: f64::INFINITY, particle })
}

/// The same for the columns of processes.
pub(crate) fn refuse_infinite_columns(world: &World) -> Result<(), Divergence> {
    let infinite = |column: &OwnColumn| column.values.iter().position(|value| !value.is_finite());
    match world.particles.own.iter().find_map(infinite) {
        Some(particle) => Err(Divergence { quantity: "a column of a process", value: f64::INFINITY, particle }),
        None => Ok(()),
    }
}

/// The first particle of matter for which `is_bad` holds.
fn first(world: &World, is_bad: impl Fn(usize) -> bool) -> usize {
    world.kinds.matter().find(|&i| is_bad(i)).unwrap_or(0)
}

impl Simulation {
    /// The story of a step that failed however short it was made.
    pub(crate) fn diagnose(&self, divergence: Divergence, dt: Real, tries: u32) -> StepError {
        // What has no room is the cause, whatever it threw out of bounds.
        let crushed = self.crushed().map(|(particle, closing)| {
            let room = Divergence { quantity: "the room", value: f64::from(closing.gap), particle };
            (room, Some(closing))
        });
        let (Divergence { quantity, value, particle }, closing) = crushed.unwrap_or_else(|| {
            let closing = self.world.closing_walls(divergence.particle, self.world.kinds.walls());
            (divergence, closing)
        });
        let position = self.world.particles.position.get(particle);
        let remedy = match closing {
            Some(Closing { walls, gap }) => {
                let [one, other] = walls.map(|b| self.world.name_of(b));
                format!(
                    "there wall `{one}` closes in on wall `{other}`, {gap:.3} m apart: leave matter between them room, or a \
                     way out"
                )
            }
            None => {
                "use a smaller `time.step`, a softer `pressure`, or look for bodies that start too close to each other"
                    .to_owned()
            }
        };
        StepError::from(Box::new(Diverged {
            time: self.world.clock.time,
            step: self.world.clock.step,
            quantity,
            value,
            body: self.world.name_of(particle).to_owned(),
            position: position.map_or([0.0; 3], |x| x.to_array().map(f64::from)),
            tries,
            dt: f64::from(dt),
            solver: self.models.solver_name(),
            remedy,
        }))
    }

    /// The particle of matter that has the least room between walls that come closer, if that is less than a spacing.
    fn crushed(&self) -> Option<(usize, Closing)> {
        let Simulation { world, pairs, .. } = self;
        let near = |i: usize| {
            let walls: Vec<_> = pairs.walls_near(i).collect();
            Some((i, world.closing_walls(i, walls.iter().copied())?))
        };
        let all = world.kinds.matter().filter_map(near).filter(|(_, closing)| closing.gap < world.spacing);
        all.min_by(|a, b| a.1.gap.total_cmp(&b.1.gap))
    }
}
