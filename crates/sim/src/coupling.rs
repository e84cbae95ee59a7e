//! Exchange of push and answer between pressures, friction and implicit bodies.
//!
//! Forces f at the surface of a body (pressure, friction) make it move with u(f) = u(0) + A⁻¹f, which takes a solve. While they
//! are sought, it is told by the last answer, and the approximate response Â to what has changed since
//! ([`response`](crate::response)):
//!
//! ```text
//! u(f) ≈ u(f_k) + Â⁻¹ (f − f_k)
//! ```
//!
//! The forces that keep matter apart in that motion are the next f_k. From the second exchange on, a line search goes as far
//! from f_(k−1) to f_k as leaves the least energy ½ f·A⁻¹f + f·u(0): bodies answer in proportion, so that nothing more must be
//! solved. Energy falls in each exchange, also with bounds on f (pressures that must not pull, friction that slips). The first f
//! are the pressures of the last step: what rests is answered exactly, whatever Â is.
//!
//! **How good Â must be.** With one exchange in each step, contact is a loop over steps. Let q be the true mobility over that which
//! was told, v the velocity into a wall, f what forces have left of gravity in a step, and x the overlap, of which a step is to
//! remove the share r:
//!
//! ```text
//! e = v + f + r x,    v ← v + f − q e,    f ← f − q e,    x ← x + v
//! ```
//!
//! It decays if q < 4/3, and r is no larger than the least q: Â⁻¹ must give three quarters of the mobility, and no more than 1/r of
//! it, ten times as much. It gives at most three times as much ([`chebyshev`](crate::elasticity)):
//! a larger allowance saves products of the matrix and costs exchanges (docs/tuned-constants.md). What is left after an
//! exchange then vanishes in the next steps; exchanges end when what was told and what was answered differ by less than would be
//! seen. (Peer18 Alg. 3 ends before any answer: a stiff body is torn at its surface.)

use crate::contact::friction::{WallFriction, is_rough};
use crate::elasticity::Law;
use crate::force::StepContext;
use crate::models::Models;
use crate::neighbors::Pairs;
use crate::pressure::pair_force::{push_solids, scale_pressures};
use crate::pressure::{Correction, Integrator};
use crate::real::{Real, Vec3};
use crate::response::BodyResponse;
use crate::time::{AT_REST, Motion};
use crate::world::World;

/// The most answers in a step.
const MOST_ANSWERS: u32 = 8;

/// How many times further than a solve a line search may go.
const FURTHEST: Real = 4.0;

/// The largest difference between what bodies at rest are told and what they answer, over gravity.
const RELATIVE_MISMATCH: f64 = 0.02;

/// What an exchange leaves of the difference, of which more exchanges would remove no more: the noise of solves, if it is no more
/// than this share of what is pushed with. Solves leave a thousandth by default. What is larger only converges slowly, as bodies are
/// told up to three times what they do: two thirds of it may be left.
const STUCK: f64 = 0.7;
const NOISE: f64 = 0.01;

/// Memory for a step.
#[derive(Debug, Default)]
pub(crate) struct Coupling {
    scaled: Vec<Real>,
    /// What pressures and friction do to bonded particles, were each alone [m/s²].
    surface: Vec<Vec3>,
    /// What bodies answer to the pressures that are expected, nearly.
    expected: Vec<Vec3>,
    /// The accelerations of bonded particles as they were told, and as they last answered, to which forces.
    told: Vec<Vec3>,
    answered: Vec<Vec3>,
    solved: Vec<Vec3>,
    /// How much they differed in the last exchange, in the mean [m/s²].
    mismatch: f64,
    friction: WallFriction,
    /// What contact without pressure does to rigid particles, were each alone [m/s²].
    blow: Vec<Vec3>,
}

impl Coupling {
    /// Accelerations by friction on walls in the last step [m/s²].
    pub(crate) fn friction(&self) -> &[Vec3] {
        self.friction.by_walls()
    }

    /// Adds the accelerations of implicit bodies, with pressures as in the last step.
    pub(crate) fn accelerate(&mut self, models: &mut Models, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let world = step.world;
        self.surface.clear();
        if world.solids.any(Law::is_implicit) && is_solved(models) {
            scale_pressures(world, &mut self.scaled);
            self.surface.resize(world.kinds.bonded().len(), Vec3::ZERO);
            push_solids(world, step.pairs, &self.scaled, &mut self.surface);
            // Where the response is far from what bodies do, forces of one step must not act on in the next.
            let is_near = |i: usize| world.solids.meshes[world.particles.body[i] as usize].is_some();
            let far = self.surface.iter_mut().enumerate().filter(|(i, _)| !is_near(*i));
            far.for_each(|(_, push)| *push = Vec3::ZERO);
        }
        models.implicit.add(step, &self.surface, acceleration);
        models.rigid.accelerate(step, acceleration);
        self.answered.clear();
        self.answered.extend_from_slice(&acceleration[world.kinds.bonded()]);
        self.solved.clear();
        self.solved.resize(self.answered.len(), Vec3::ZERO);
        self.solved.iter_mut().zip(&self.surface).for_each(|(solved, surface)| *solved = *surface);
    }

    /// Adds the accelerations by pressures that are solved for and by friction in a step of `dt`, and the answers of
    /// implicit bodies.
    pub(crate) fn correct(
        &mut self,
        models: &mut Models,
        world: &mut World,
        pairs: &Pairs,
        dt: Real,
        acceleration: &mut [Vec3],
    ) -> Correction {
        if let Some(pressure) = models.pressure.corrector() {
            pressure.remember(world, acceleration);
        }
        rub(models, world, pairs, dt, acceleration);
        let Models { pressure, contact, implicit, rigid, viscosity, .. } = models;
        let viscous = viscosity.push();
        let (motion, bonded) = (world.motion(dt), world.kinds.bonded());
        let has_friction = is_rough(world) && contact.is_none();
        let sound_speed = pressure.sound_speed(world);
        let is_solved = pressure.corrector().is_some();
        let is_coupled = world.solids.any(Law::is_implicit) && (is_solved || has_friction || !viscous.is_empty());
        let mut correction = Correction::default();
        self.mismatch = f64::INFINITY;
        for answers in 1.. {
            let response = &mut rigid.response(implicit.response(&StepContext { world, pairs, sound_speed, dt }));
            if answers == 1 {
                self.expected.clear();
                self.expected.extend_from_slice(&self.surface);
                if !self.expected.is_empty() {
                    self.expected.resize(world.kinds.coherent().len(), Vec3::ZERO);
                    response.respond(world, &mut self.expected);
                }
            }
            if let Some(pressure) = pressure.corrector() {
                let next = match answers {
                    1 => pressure.correct(world, pairs, dt, (response, &self.expected), acceleration),
                    _ => pressure.correct_again(world, pairs, response, acceleration),
                };
                correction = correction.then(next);
            }
            if let Some(contact) = contact {
                self.blow.clear();
                self.blow.extend(acceleration[world.kinds.rigid()].iter().map(|acceleration| -*acceleration));
                contact.correct(world, pairs, motion, acceleration);
                let own = acceleration[world.kinds.rigid()].iter();
                self.blow.iter_mut().zip(own).for_each(|(blow, acceleration)| *blow += *acceleration);
            }
            if has_friction {
                self.friction.add((world, pairs), motion, response, answers > 1, acceleration);
            }
            world.hold(acceleration);
            if !is_coupled {
                break;
            }
            self.surface.clear();
            self.surface.resize(bonded.len(), Vec3::ZERO);
            if let Some(pressure) = pressure.corrector() {
                self.surface.copy_from_slice(&pressure.surface_acceleration()[bonded.clone()]);
            }
            if has_friction {
                self.surface.iter_mut().zip(self.friction.by_walls()).for_each(|(sum, friction)| *sum += *friction);
            }
            self.surface.iter_mut().zip(viscous).for_each(|(sum, viscous)| *sum += *viscous);
            self.told.clear();
            self.told.extend_from_slice(&acceleration[bonded.clone()]);
            implicit.answer(&StepContext { world, pairs, sound_speed, dt }, &self.surface, acceleration);
            let agrees = self.agrees(world, motion, correction.bound, acceleration);
            // The first answer is to what was expected, from which no line leads to what was found.
            if let Some(pressure) = pressure.corrector().filter(|_| answers > 1 && !agrees) {
                let furthest = if has_friction { 1.0 } else { FURTHEST };
                let mobilities = self.mobilities(world, acceleration);
                let share = pressure.search(world, pairs, mobilities, furthest, acceleration);
                self.go_back(share, has_friction, acceleration);
            }
            self.answered.clear();
            self.answered.extend_from_slice(&acceleration[bonded.clone()]);
            self.solved.clone_from(&self.surface);
            if answers == MOST_ANSWERS || agrees {
                break;
            }
        }
        if let Some(pressure) = pressure.corrector() {
            pressure.finish(world, pairs, acceleration);
            viscosity.correct_pressures(world, pairs);
        }
        let viscous = viscosity.push();
        implicit.conclude(world, dt, acceleration);
        let (pushes, first) =
            (pressure.corrector().map(|pressure| pressure.surface_acceleration()), world.kinds.rigid().start);
        let push = |i: usize| {
            let by_pressure = pushes.map_or(Vec3::ZERO, |pushes| pushes[i]);
            let by_friction = viscous.get(i).copied().unwrap_or(Vec3::ZERO);
            by_pressure + by_friction + self.blow.get(i - first).copied().unwrap_or(Vec3::ZERO)
        };
        rigid.conclude(world, motion, push, acceleration);
        correction
    }

    /// What the change of forces since the last answer would do to bodies as they were told, and what it did [kg m²/s⁴].
    fn mobilities(&self, world: &World, acceleration: &[Vec3]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (i, surface) in self.surface.iter().enumerate() {
            let change = surface - self.solved[i];
            let mass = f64::from(world.particles.mass(i));
            sums[0] += mass * f64::from(change.dot(self.told[i] - self.answered[i]));
            sums[1] += mass * f64::from(change.dot(acceleration[i] - self.answered[i]));
        }
        sums
    }

    /// Goes a share of the way from the last answer to this one: bodies answer in proportion.
    fn go_back(&mut self, share: Real, has_friction: bool, acceleration: &mut [Vec3]) {
        if has_friction {
            self.friction.go_back(share);
        }
        for (i, surface) in self.surface.iter_mut().enumerate() {
            *surface = self.solved[i] + (*surface - self.solved[i]) * share;
            acceleration[i] = self.answered[i] + (acceleration[i] - self.answered[i]) * share;
        }
    }

    /// Is what bodies answered what they were told, as far as it matters? That is the compression that may be left, and less
    /// where bodies rest: a share of what gravity would add in the step. Or is what is left the noise of solves?
    fn agrees(&mut self, world: &World, motion: Motion, bound: f64, acceleration: &[Vec3]) -> bool {
        let pushed = || (0..self.surface.len()).filter(|&i| self.surface[i] != Vec3::ZERO);
        let count = pushed().count().max(1) as f64;
        let mismatch = pushed().map(|i| f64::from(acceleration[i].distance(self.told[i]))).sum::<f64>() / count;
        let square = pushed().map(|i| f64::from(world.particles.velocity[i].length_squared())).sum::<f64>() / count;
        let (gravity, spacing) = (f64::from(world.gravity.length()), f64::from(world.spacing));
        let liveliness = (square / (AT_REST * AT_REST * spacing * gravity)).max(1.0);
        let allowed = bound * spacing / f64::from(motion.dt * motion.lead(world));
        let push = pushed().map(|i| f64::from(self.surface[i].length())).sum::<f64>() / count;
        let is_slow = mismatch > STUCK * std::mem::replace(&mut self.mismatch, mismatch);
        let is_stuck = is_slow && mismatch < NOISE * push;
        is_stuck
            || mismatch <= if gravity > 0.0 { allowed.min(RELATIVE_MISMATCH * liveliness * gravity) } else { allowed }
    }
}

/// Adds the accelerations by friction that is solved for in a step of `dt`; those of bodies as they respond.
fn rub(models: &mut Models, world: &World, pairs: &Pairs, dt: Real, acceleration: &mut [Vec3]) {
    let Models { pressure, implicit, rigid, viscosity, .. } = models;
    if !viscosity.begin(world) {
        return;
    }
    let step = StepContext { world, pairs, sound_speed: pressure.sound_speed(world), dt };
    let form = pressure.corrector().map(|pressure| pressure.pair_pressure());
    let response = &mut rigid.response(implicit.response(&step));
    viscosity.find(&step, form, response, acceleration);
    acceleration.iter_mut().zip(viscosity.answered()).for_each(|(acceleration, answered)| *acceleration += *answered);
}

/// Are pressures solved for, after all other accelerations?
fn is_solved(models: &Models) -> bool {
    models.pressure.scheme().integrator == Integrator::SymplecticEuler
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
    fn on_a_floor(young_modulus: Real, bodies: Vec<NewBody>) -> Simulation {
        let rubber = Implicit {
            young_modulus: Some(young_modulus),
            poisson_ratio: Some(0.3),
            tolerance: 1e-5,
            ..Implicit::default()
        };
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

    /// A body falls on a floor: however little of it touches, and however stiff it is, the impact adds no energy.
    #[test]
    fn an_impact_adds_no_energy() {
        for young_modulus in [1e4, 1e6, 1e8] {
            let falling = body(0, block([4, 4, 4]).map(|x| x - Vec3::Y * (0.02 * SPACING)), Vec3::NEG_Y);
            let mut simulation = on_a_floor(young_modulus, vec![falling]);
            let kinetic = |simulation: &Simulation| Totals::of(simulation, None).kinetic;
            let before = kinetic(&simulation);
            simulation.step().unwrap();
            let after = kinetic(&simulation);
            println!("{young_modulus} Pa: {before} J before, {after} J after");
            assert!(after < before, "{young_modulus}: {before} {after}");
        }
    }

    /// Walls have the pressure of the water on them. Rubber that hangs over the same wall particles, and touches neither,
    /// does not feel it: it falls.
    #[test]
    fn solids_do_not_feel_what_water_does_to_a_wall() {
        let water = body(1, block([3, 4, 3]), Vec3::ZERO);
        let above = Vec3::new(4.2 * SPACING, 0.3 * SPACING, 0.0);
        let rubber = body(0, block([3, 3, 3]).map(|x| x + above), Vec3::ZERO);
        let mut simulation = on_a_floor(1e6, vec![rubber, water]);
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
