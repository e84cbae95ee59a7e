//! Fixed-point coupling of pressure and friction with implicit bodies by an added-mass factor.
//!
//! Pressures that are solved for, and friction, accelerate the particles at the surface of a body, as heavy as its
//! added-mass factor says; then the elastic solve is repeated with these accelerations as external ones (why:
//! [`implicit`](crate::elasticity) elasticity; what the factor is: [`incompressible`](crate::pressure) pressures). The
//! factor is measured from the motion that results, and pressures are solved for again where it was far off.

use crate::contact::friction::{WallFriction, is_rough};
use crate::elasticity::Law;
use crate::force::StepContext;
use crate::models::Models;
use crate::neighbors::Pairs;
use crate::pressure::{Correction, Integrator};
use crate::real::{Real, Vec3, wide};
use crate::world::World;

/// Pressures are solved for again if the added-mass factor was wrong by more than this ratio: a factor more than twice
/// too large adds energy, and one much too small lets the body sink in ([`incompressible`](crate::pressure)).
const LARGEST_MISMATCH: Real = 2.0;

/// The most pressure solves in a step: with the remembered factor, with the measured one, and with 1.
const MOST_SOLVES: usize = 3;

/// Memory for a step.
#[derive(Debug, Default)]
pub(crate) struct Coupling {
    /// Accelerations by everything but pressure and friction.
    before: Vec<Vec3>,
    /// Accelerations of elastic particles by pressure and friction, before the body responds.
    surface_acceleration: Vec<Vec3>,
    friction: WallFriction,
    /// The work of these on each body.
    work: Vec<Work>,
}

/// Work of pressure and friction on a body, over the step's length squared.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    particles: usize,
    /// On particles that move alone.
    alone: f64,
    /// On particles that move with the body.
    together: f64,
}

impl Coupling {
    /// Accelerations by friction on walls in the last step [m/s²].
    pub(crate) fn friction(&self) -> &[Vec3] {
        self.friction.by_walls()
    }

    /// Adds the accelerations by pressures that are solved for and by friction in a step of `dt`, and the response of
    /// implicit bodies.
    pub(crate) fn correct(
        &mut self,
        models: &mut Models,
        world: &mut World,
        pairs: &Pairs,
        dt: Real,
        acceleration: &mut [Vec3],
    ) -> Correction {
        let is_solved = models.pressure.scheme().integrator == Integrator::SymplecticEuler;
        let has_friction = is_rough(world) && models.contact.is_none();
        let is_coupled = world.solids.any(Law::is_implicit) && (is_solved || has_friction);
        let motion = world.motion(dt);
        if is_coupled {
            self.before.clear();
            self.before.extend_from_slice(acceleration);
        }
        for solves in 1.. {
            let correction = models.pressure.correct(world, pairs, dt, acceleration);
            if let Some(contact) = &mut models.contact {
                contact.correct(world, pairs, motion, acceleration);
            }
            if has_friction {
                self.friction.add(world, pairs, motion, acceleration);
            }
            world.hold(acceleration);
            if !is_coupled {
                return correction;
            }
            let added = acceleration.iter().zip(&self.before).map(|(after, before)| *after - *before);
            self.surface_acceleration.clear();
            self.surface_acceleration.extend(added.take(world.kinds.bonded().len()));
            let step = StepContext { world, pairs, sound_speed: models.pressure.sound_speed(world), dt };
            for force in &mut models.forces {
                force.answer(&step, &self.surface_acceleration, acceleration);
            }
            if !self.update_added_mass(world, acceleration, solves) {
                return correction;
            }
            acceleration.copy_from_slice(&self.before);
        }
        Correction::default()
    }

    /// Stores the measured added-mass factor of each body. Was one so far off that pressures must be solved for again?
    fn update_added_mass(&mut self, world: &mut World, acceleration: &[Vec3], solves: usize) -> bool {
        let World { particles, solids, memory, .. } = world;
        let mut is_far_off = false;
        self.work.clear();
        self.work.resize(memory.added_mass.len(), Work::default());
        for (body, range) in &solids.runs {
            let Work { particles: count, alone, together } = &mut self.work[*body as usize];
            *count += range.len();
            for i in range.clone().filter(|&i| self.surface_acceleration[i] != Vec3::ZERO) {
                let force = wide(self.surface_acceleration[i]) * f64::from(particles.mass(i));
                *alone += force.dot(wide(self.surface_acceleration[i]));
                *together += force.dot(wide(acceleration[i] - self.before[i]));
            }
        }
        for (body, &Work { particles, alone, together }) in self.work.iter().enumerate() {
            if particles == 0 || !solids.body_law(body as u32).is_some_and(Law::is_implicit) {
                continue;
            }
            let added_mass = &mut memory.added_mass[body];
            if together <= 0.0 {
                *added_mass = 1.0;
                continue;
            }
            // At least a particle's own mass, at most the mass of the body on one particle.
            let measured = (alone / together).clamp(1.0, particles as f64) as Real;
            let is_too_heavy = *added_mass > LARGEST_MISMATCH * measured && solves < MOST_SOLVES;
            let is_too_light = LARGEST_MISMATCH * *added_mass < measured && solves == 1;
            is_far_off |= is_too_heavy || is_too_light;
            *added_mass = if is_too_heavy && solves + 1 == MOST_SOLVES { 1.0 } else { measured };
        }
        is_far_off
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elasticity::{Elastic, Implicit};
    use crate::measure::Totals;
    use crate::pressure::{Iisph, Pressure};
    use crate::settings::Settings;
    use crate::simulation::Simulation;
    use crate::time::StepSize;
    use crate::world::{Material, NewBody, NewWall};

    const SPACING: Real = 0.1;

    /// Cell centres of a block whose lowest corner is at the origin.
    fn block(cells: [usize; 3]) -> impl Iterator<Item = Vec3> {
        let [x, y, _] = cells;
        let cell = move |k: usize| Vec3::new((k % x) as Real, (k / x % y) as Real, (k / (x * y)) as Real);
        (0..cells.iter().product()).map(move |k| (cell(k) + Vec3::splat(0.5)) * SPACING)
    }

    /// A floor below y = 0, with bodies of rubber (0) and water (1) on it.
    fn on_a_floor(bodies: Vec<NewBody>) -> Simulation {
        let rubber =
            Implicit { young_modulus: Some(1e6), poisson_ratio: Some(0.3), tolerance: 1e-5, ..Implicit::default() };
        let rubber = Material { elastic: Some(Elastic::Implicit(rubber)), ..Material::default() };
        let (pressure, step) = (Pressure::Iisph(Iisph::default()), StepSize::Fixed(2e-3));
        let settings = Settings { spacing: SPACING, pressure, step, ..Settings::default() };
        let mut simulation = Simulation::new(settings, vec![rubber, Material::default()]).unwrap();
        for body in bodies {
            simulation.add_body(body).unwrap();
        }
        let position = block([18, 1, 9]).map(|x| x - Vec3::new(0.4, SPACING, 0.3)).collect();
        let to_surface = vec![Vec3::Y * (0.5 * SPACING)];
        simulation.add_wall(NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() }).unwrap();
        simulation.prepare().unwrap();
        simulation
    }

    fn body(material: usize, position: impl Iterator<Item = Vec3>, velocity: Vec3) -> NewBody {
        let position: Vec<_> = position.collect();
        let velocity = vec![velocity; position.len()];
        NewBody { name: format!("{material}"), material, position, velocity, ..NewBody::default() }
    }

    /// The remembered and the measured factor, and after the first, second and third solve: is pressure solved for
    /// again, and with which factor?
    #[test]
    fn factors_far_off_are_solved_for_again_and_too_large_ones_twice() {
        let mut simulation = on_a_floor(vec![body(0, block([3, 3, 3]), Vec3::ZERO)]);
        let cases = [
            (8.0, 2.0, [(true, 2.0), (true, 1.0), (false, 2.0)]),
            (3.0, 2.0, [(false, 2.0), (false, 2.0), (false, 2.0)]),
            (3.0, 4.0, [(false, 4.0), (false, 4.0), (false, 4.0)]),
            (2.0, 8.0, [(true, 8.0), (false, 8.0), (false, 8.0)]),
            // At least 1, at most the 27 particles; a motion against the force measures nothing.
            (1.0, 0.5, [(false, 1.0), (false, 1.0), (false, 1.0)]),
            (20.0, 100.0, [(false, 27.0), (false, 27.0), (false, 27.0)]),
            (8.0, -1.0, [(false, 1.0), (false, 1.0), (false, 1.0)]),
        ];
        for (remembered, measured, after) in cases {
            for (solves, expected) in (1..).zip(after) {
                let mut coupling = Coupling {
                    before: vec![Vec3::Y; 27],
                    surface_acceleration: vec![Vec3::ZERO; 27],
                    ..Coupling::default()
                };
                let mut acceleration = coupling.before.clone();
                coupling.surface_acceleration[4] = Vec3::X * 3.0;
                acceleration[4] += coupling.surface_acceleration[4] / measured;
                // Particles that pressure does not accelerate do not count.
                acceleration[5] += Vec3::X;
                let world = simulation.world_mut();
                world.memory.added_mass[0] = remembered;
                let again = coupling.update_added_mass(world, &acceleration, solves);
                assert_eq!((again, world.memory.added_mass[0]), expected, "{remembered} {measured}, solve {solves}");
            }
        }
    }

    /// However wrong is what a step remembers, an impact adds no energy.
    #[test]
    fn a_body_thought_too_heavy_is_not_thrown_up() {
        for remembered in [1.0, 8.0, 64.0] {
            let falling = body(0, block([4, 4, 4]).map(|x| x - Vec3::Y * (0.02 * SPACING)), Vec3::NEG_Y);
            let mut simulation = on_a_floor(vec![falling]);
            simulation.world_mut().memory.added_mass[0] = remembered;
            let kinetic = |simulation: &Simulation| Totals::of(simulation, None).kinetic;
            let before = kinetic(&simulation);
            simulation.step().unwrap();
            let after = kinetic(&simulation);
            println!(
                "factor {remembered}: {before} J before, {after} J after, then {}",
                simulation.world().memory.added_mass[0]
            );
            assert!(after < before, "{remembered}: {before} {after}");
        }
    }

    /// Walls have the pressure of the water on them. Rubber that hangs over the same wall particles, and touches neither,
    /// does not feel it: it falls.
    #[test]
    fn solids_do_not_feel_what_water_does_to_a_wall() {
        let water = body(1, block([3, 4, 3]), Vec3::ZERO);
        let above = Vec3::new(4.2 * SPACING, 0.3 * SPACING, 0.0);
        let rubber = body(0, block([3, 3, 3]).map(|x| x + above), Vec3::ZERO);
        let mut simulation = on_a_floor(vec![rubber, water]);
        let report = simulation.step().unwrap();
        let World { particles, kinds, .. } = simulation.world();
        let is_felt =
            |b: usize| (0..27).any(|i| particles.position[i].distance(particles.position[b]) < 1.99 * SPACING);
        let pressed = kinds.walls().filter(|&b| is_felt(b) && particles.pressure[b] > 10.0).count();
        assert!(pressed >= 3, "{pressed} wall particles that both could feel have pressure");
        for i in 0..27 {
            let velocity = particles.velocity[i];
            assert!((velocity + Vec3::Y * (9.81 * report.dt)).length() < 1e-4 * 9.81 * report.dt, "{i}: {velocity}");
        }
    }
}
