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
            let sides = self.world.kinds.walls().chain(self.rigid_beside(divergence.particle));
            let closing = self.world.closing_in_on(divergence.particle, sides);
            (divergence, closing)
        });
        let position = self.world.particles.position.get(particle);
        let remedy = match closing {
            Some(closing) => {
                format!("there {}: leave matter between them room, or a way out", self.story_of(&closing))
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

    /// What crushes matter at this moment, if anything does: which body, where, and the two walls or rigid bodies that leave it no room.
    pub fn crushing(&self) -> Option<String> {
        let (particle, closing) = self.crushed()?;
        let [x, y, z] = self.world.particles.position[particle].to_array();
        let body = self.world.name_of(particle);
        Some(format!("body `{body}` has no room at ({x:.3}, {y:.3}, {z:.3}) m: {}", self.story_of(&closing)))
    }

    fn story_of(&self, closing: &Closing) -> String {
        let [one, other] = closing.sides.map(|b| {
            let what = if self.world.kinds.walls().contains(&b) { "wall" } else { "body" };
            format!("{what} `{}`", self.world.name_of(b))
        });
        format!("{one} closes in on {other}, {:.3} m apart", closing.gap)
    }

    /// The particle of matter that has the least room between walls and rigid bodies that come closer, if that is less than a spacing.
    fn crushed(&self) -> Option<(usize, Closing)> {
        let Simulation { world, pairs, .. } = self;
        let near = |i: usize| {
            let sides: Vec<_> = pairs.walls_near(i).chain(self.rigid_beside(i)).collect();
            Some((i, world.closing_in_on(i, sides.iter().copied())?))
        };
        let all = world.kinds.matter().filter_map(near).filter(|(_, closing)| closing.gap < world.spacing);
        all.min_by(|a, b| a.1.gap.total_cmp(&b.1.gap))
    }

    /// The neighbours of particle `i` that belong to a rigid body other than its own.
    fn rigid_beside(&self, i: usize) -> impl Iterator<Item = usize> + Clone {
        let Simulation { world, pairs, .. } = self;
        let own = world.particles.body.get(i).copied().filter(|_| world.kinds.matter().contains(&i));
        let rigid: Vec<_> = match own {
            Some(own) => {
                let others = pairs.neighbors(i).filter(|j| world.kinds.rigid().contains(j));
                others.filter(|&j| world.particles.body[j] != own).collect()
            }
            None => Vec::new(),
        };
        rigid.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use crate::real::{Dimension, Real, Vec3};
    use crate::settings::Settings;
    use crate::simulation::Simulation;
    use crate::world::{Material, NewBody, NewWall, Rigid};

    /// A drop between a floor and a rigid box, half a spacing above it, that moves so fast.
    fn story(speed: Real) -> Option<String> {
        let spacing = 0.1;
        let settings = Settings { spacing, dimension: Dimension::Two, ..Settings::default() };
        let rigid = Material { rigid: Some(Rigid::default()), ..Material::default() };
        let mut simulation = Simulation::new(settings, vec![Material::default(), rigid]).unwrap();
        let row = |y: Real| (-3..=3).map(move |x| Vec3::new(x as Real, y, 0.0) * spacing);
        let position: Vec<_> = row(-0.5).chain(row(-1.5)).collect();
        let to_surface = position.iter().map(|x| Vec3::Y * -x.y).collect();
        simulation.add_wall(NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() }).unwrap();
        let drop =
            NewBody { name: "drop".into(), position: vec![Vec3::new(0.0, 0.3, 0.0) * spacing], ..NewBody::default() };
        simulation.add_body(drop).unwrap();
        let position: Vec<_> = row(1.0).chain(row(2.0)).collect();
        let velocity = vec![Vec3::Y * speed];
        simulation
            .add_body(NewBody { name: "box".into(), material: 1, position, velocity, ..NewBody::default() })
            .unwrap();
        simulation.prepare().unwrap();
        simulation.crushing()
    }

    #[test]
    fn a_rigid_body_and_a_wall_that_crush_a_drop_are_named() {
        let found = story(-1.0).unwrap();
        let expected =
            "body `drop` has no room at (0.000, 0.030, 0.000) m: body `box` closes in on wall `floor`, 0.050 m apart";
        assert_eq!(found, expected);
        assert_eq!(story(1.0), None);
    }
}
