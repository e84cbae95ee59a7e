//! What pushes the surface of implicit bodies, solved pressures and friction, and the bodies: one pushes, the other answers, and the push learns from the answer.
//!
//! Why a body must answer is told with [`implicit`](crate::elasticity) elasticity, how heavy it seems with
//! [`incompressible`](crate::pressure) pressures. Here the two meet: push, answer, compare; and push again where the body
//! proved much heavier, or lighter, than was thought.

use crate::elasticity::Law;
use crate::force::StepContext;
use crate::neighbors::Pairs;
use crate::pressure::friction::{WallFriction, is_rough};
use crate::pressure::{Correction, Integrator};
use crate::real::{Real, Vec3, wide};
use crate::simulation::Models;
use crate::world::World;

/// An inertia that is wrong by more than this factor is not used.
const FAR_OFF: Real = 2.0;

/// How often pressures are solved for: as remembered, as measured, and as if bodies were but their particles.
const TRIES: usize = 3;

/// Memory for a step.
#[derive(Debug, Default)]
pub(crate) struct Coupling {
    /// What everything but pressure does.
    before: Vec<Vec3>,
    /// What pressure does to elastic particles.
    push: Vec<Vec3>,
    friction: WallFriction,
}

impl Coupling {
    /// Lets pressures that are solved for push, in a step of `dt`, and implicit bodies answer.
    pub(crate) fn correct(
        &mut self,
        models: &mut Models,
        world: &mut World,
        pairs: &Pairs,
        dt: Real,
        acceleration: &mut [Vec3],
    ) -> Correction {
        let is_solved = models.pressure.integrator() == Integrator::SymplecticEuler;
        let rubs = is_rough(world) && models.pressure.allows_fluids();
        let is_answered = world.solids.any(Law::is_implicit) && (is_solved || rubs);
        self.before.clear();
        self.before.extend_from_slice(acceleration);
        for tries in 1.. {
            let correction = models.pressure.correct(world, pairs, dt, acceleration);
            if rubs {
                self.friction.add(world, pairs, (models.integrator(world), dt), acceleration);
            }
            world.hold(acceleration);
            if !is_answered {
                return correction;
            }
            let push = acceleration.iter().zip(&self.before).map(|(after, before)| *after - *before);
            self.push.clear();
            self.push.extend(push.take(world.solids.len()));
            let step = StepContext { world, pairs, sound_speed: models.pressure.sound_speed(), dt };
            for force in &mut models.forces {
                force.answer(&step, &self.push, acceleration);
            }
            if !self.learn(world, acceleration, tries) {
                return correction;
            }
            acceleration.copy_from_slice(&self.before);
        }
        Correction::default()
    }

    /// Enters how heavy each body proved to be. Was one of them so far off that pressures must be solved for again?
    fn learn(&self, world: &mut World, acceleration: &[Vec3], tries: usize) -> bool {
        let World { particles, solids, bodies, .. } = world;
        let mut is_far_off = false;
        for (body, range) in &solids.ranges {
            let (mut alone, mut together) = (0.0, 0.0);
            for i in range.clone().filter(|&i| self.push[i] != Vec3::ZERO) {
                let impulse = wide(self.push[i]) * f64::from(particles.mass(i));
                alone += impulse.dot(wide(self.push[i]));
                together += impulse.dot(wide(acceleration[i] - self.before[i]));
            }
            if !solids.law(*body).is_some_and(Law::is_implicit) {
                continue;
            }
            let inertia = &mut bodies[*body as usize].inertia;
            if together <= 0.0 {
                *inertia = 1.0;
                continue;
            }
            // No body is lighter than its particles, or heavier than all of it on one of them.
            let measured = (alone / together).clamp(1.0, range.len() as f64) as Real;
            let is_too_heavy = *inertia > FAR_OFF * measured && tries < TRIES;
            let is_too_light = FAR_OFF * *inertia < measured && tries == 1;
            is_far_off |= is_too_heavy || is_too_light;
            *inertia = if is_too_heavy && tries + 1 == TRIES { 1.0 } else { measured };
        }
        is_far_off
    }
}
