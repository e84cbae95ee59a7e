//! Rigid bodies in a step: how forces on their particles move them, and what keeps them apart.
//!
//! Particles of a rigid body take part in pressure, viscosity and every other force as those of any solid. What forces would do to
//! them alone, the body answers as a whole ([`respond`](BodyResponse::respond), exactly, in every iteration of a solve for
//! pressures: Gissler et al. 2019), and at the end of a step moves as its state says ([`RigidBody`]).
//!
//! Where rigid bodies meet walls and each other, contact keeps them apart ([`constraints`]), and pressure sees nothing of it.

mod particles;

use glam::DVec3;
use rayon::prelude::*;

use crate::elasticity;
use crate::real::{Real, Vec3, narrow, wide};
use crate::response::BodyResponse;
use crate::time::{Integrator, Motion};
use crate::world::World;

pub(crate) use particles::RigidParticles;

/// Particles per piece of parallel work.
const PARTICLES_PER_TASK: usize = 4096;

/// How a body responds to impulses at the moment: in the axes of the world, about its centre of mass.
#[derive(Clone, Copy, Debug)]
struct Inertia {
    inverse_mass: f64,
    inverse_inertia: glam::DMat3,
    centre: DVec3,
}

/// Change of the velocity of the centre of mass and of the spin, or force and torque.
#[derive(Clone, Copy, Debug, Default)]
struct Twist {
    velocity: DVec3,
    spin: DVec3,
}

/// The rigid bodies of a step.
#[derive(Debug, Default)]
pub(crate) struct RigidDynamics {
    inertias: Vec<Inertia>,
    /// Force and torque on each, by everything that is known yet.
    forces: Vec<Twist>,
    /// The same of a trial, or what it makes of the body.
    trial: Vec<Twist>,
}

impl RigidDynamics {
    /// Replaces what forces would do to rigid particles alone by what their bodies do.
    pub(crate) fn accelerate(&mut self, world: &World, acceleration: &mut [Vec3]) {
        self.inertias.clear();
        self.inertias.extend(world.memory.rigid.iter().map(|rigid| Inertia {
            inverse_mass: 1.0 / rigid.mass,
            inverse_inertia: rigid.inverse_inertia(world.dimension),
            centre: rigid.centre,
        }));
        self.gather(world, |i| wide(acceleration[i]));
        self.forces.clone_from(&self.trial);
        self.spread(world, acceleration);
    }

    /// Adds what else acts on their particles, were each alone, to what forces do, and writes what bodies make of it all.
    pub(crate) fn conclude(&mut self, world: &World, push: impl Fn(usize) -> Vec3, acceleration: &mut [Vec3]) {
        self.gather(world, |i| wide(push(i)));
        for (force, push) in self.forces.iter_mut().zip(&mut self.trial) {
            (force.velocity, force.spin) = (force.velocity + push.velocity, force.spin + push.spin);
            *push = *force;
        }
        self.spread(world, acceleration);
    }

    /// How rigid bodies and implicit ones respond.
    pub(crate) fn response<'a>(&'a mut self, elastic: elasticity::Response<'a>) -> Bodies<'a> {
        Bodies { elastic, rigid: self }
    }

    /// Force and torque of each body, by accelerations of its particles were they alone.
    fn gather(&mut self, world: &World, acceleration: impl Fn(usize) -> DVec3) {
        self.trial.clear();
        self.trial.resize(self.inertias.len(), Twist::default());
        let particles = &world.particles;
        for (body, run) in &world.rigid.runs {
            let (trial, centre) = (&mut self.trial[*body], self.inertias[*body].centre);
            for i in run.clone() {
                let force = f64::from(particles.mass(i)) * acceleration(i);
                if force != DVec3::ZERO {
                    trial.velocity += force;
                    trial.spin += world.from(i, centre).cross(force);
                }
            }
        }
    }

    /// Makes of force and torque of each body the accelerations of its particles.
    fn spread(&mut self, world: &World, acceleration: &mut [Vec3]) {
        for (trial, inertia) in self.trial.iter_mut().zip(&self.inertias) {
            trial.velocity *= inertia.inverse_mass;
            trial.spin = inertia.inverse_inertia * trial.spin;
        }
        for (body, run) in &world.rigid.runs {
            let (twist, centre) = (self.trial[*body], self.inertias[*body].centre);
            let (first, own) = (run.start, &mut acceleration[run.clone()]);
            own.par_iter_mut().with_min_len(PARTICLES_PER_TASK).enumerate().for_each(|(k, acceleration)| {
                let r = world.from(first + k, centre);
                *acceleration = world.dimension.flatten(narrow(twist.velocity + twist.spin.cross(r)));
            });
        }
    }

    /// Moves the bodies, and their particles with them, by the forces of the step.
    pub(crate) fn advance(&self, world: &mut World, motion: Motion) {
        let (dimension, last_dt) = (world.dimension, f64::from(world.clock.last_dt));
        let dt = f64::from(motion.dt);
        for (rigid, force) in world.memory.rigid.iter_mut().zip(&self.forces) {
            let (acceleration, torque) = (force.velocity / rigid.mass, force.spin);
            // As all matter: see time/integrator.rs.
            let (late, half) = match motion.integrator {
                Integrator::Leapfrog => (0.5 * last_dt, 0.5 * dt),
                Integrator::SymplecticEuler => (0.0, dt),
            };
            let velocity = rigid.velocity + late * (acceleration - rigid.acceleration) + half * acceleration;
            let angular_momentum = rigid.angular_momentum + late * (torque - rigid.torque) + half * torque;
            rigid.displace(velocity, angular_momentum, dt, dimension);
            rigid.velocity = velocity + (dt - half) * acceleration;
            rigid.angular_momentum = angular_momentum + (dt - half) * torque;
            (rigid.acceleration, rigid.torque) = (acceleration, torque);
        }
        world.pose_rigid_bodies();
    }
}

impl World {
    /// The vector from a place to rigid particle `i` [m].
    fn from(&self, i: usize, place: DVec3) -> DVec3 {
        let particles = &self.particles;
        let difference = wide(particles.position[i]) + wide(particles.remainder[i]) - place;
        if !self.domain.is_periodic() {
            return difference;
        }
        let near = narrow(difference);
        difference + wide(self.domain.shortest(near)) - wide(near)
    }
}

/// How bodies respond to impulses: elastic ones nearly, rigid ones exactly.
pub(crate) struct Bodies<'a> {
    elastic: elasticity::Response<'a>,
    rigid: &'a mut RigidDynamics,
}

impl BodyResponse for Bodies<'_> {
    fn respond(&mut self, world: &World, acceleration: &mut [Vec3]) {
        self.elastic.respond(world, acceleration);
        self.rigid.gather(world, |i| wide(acceleration[i]));
        self.rigid.spread(world, acceleration);
    }

    fn share(&self, world: &World, i: usize) -> Real {
        if !world.kinds.rigid().contains(&i) {
            return self.elastic.share(world, i);
        }
        let Some(body) = world.rigid.body(world.particles.body[i]) else { return 0.0 };
        let Inertia { inverse_mass, inverse_inertia, centre } = self.rigid.inertias[body];
        let r = world.from(i, centre);
        // The mean over directions n of (r × n)·I⁻¹ (r × n).
        let turning = [DVec3::X, DVec3::Y, DVec3::Z].map(|n| r.cross(n).dot(inverse_inertia * r.cross(n)));
        let turning = turning.into_iter().sum::<f64>() / world.dimension.count() as f64;
        (f64::from(world.particles.mass(i)) * (inverse_mass + turning)) as Real
    }
}

#[cfg(test)]
mod tests;
