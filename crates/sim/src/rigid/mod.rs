//! Rigid bodies in a step: how forces on their particles move them, and what keeps them apart.
//!
//! Particles of a rigid body take part in pressure, viscosity and every other force as those of any solid. What forces would do to
//! them alone, the body answers as a whole ([`respond`](BodyResponse::respond), exactly, in every iteration of a solve for
//! pressures: Gissler et al. 2019), and at the end of a step moves as its state says ([`RigidBody`]).
//!
//! Where rigid bodies meet walls and each other, contact keeps them apart ([`constraints`]), and pressure sees nothing of it.

mod constraints;
mod joined;
mod particles;
mod surface;
mod touching;

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use crate::elasticity;
use crate::force::StepContext;
use crate::real::{Real, Vec3, narrow, wide};
use crate::response::BodyResponse;
use crate::stage::stage;
use crate::time::{Integrator, Motion};
use crate::world::{RigidBody, World};

pub use constraints::{Axis, Kind, Limits, Motor};
use constraints::{Contact, Control, Inertia, Joint, Solver, Twist};
pub use joined::{Joined, JointMotion, NewJoint};
pub(crate) use particles::RigidParticles;
pub(crate) use touching::Pressing;
use touching::Touching;

/// Particles per piece of parallel work.
const PARTICLES_PER_TASK: usize = 4096;

/// Who meets another more slowly than this many times what gravity adds in a step does not bounce.
const BOUNCING: f64 = 2.0;

/// How exactly velocities at contacts are found: a share of what gravity adds in a step, and of spacings in a step.
const PRECISION: f64 = 1e-3;
const NOISE: f64 = 1e-4;

/// The most sweeps over all contacts.
const MOST_SWEEPS: usize = 200;

/// How deep bodies may overlap, in spacings: contacts that rest are not to come and go.
const SLOP: f64 = 0.005;

/// How much of what they overlap more a step removes.
const SHARE: f64 = 0.2;

/// What a rigid body does to a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallForce {
    pub(crate) slot: u32,
    pub(crate) point: DVec3,
    pub(crate) force: DVec3,
    pub(crate) velocity: DVec3,
}

/// The rigid bodies of a step.
#[derive(Debug, Default)]
pub(crate) struct RigidDynamics {
    inertias: Vec<Inertia>,
    /// Force and torque on each, by everything that is known yet.
    forces: Vec<Twist>,
    /// The same of a trial, or what it makes of the body.
    trial: Vec<Twist>,
    touching: Touching,
    solver: Solver,
    /// The velocities that move the bodies.
    moving: Vec<Twist>,
    orientations: Vec<DQuat>,
    joints: Vec<Joint>,
    /// How walls move that bodies are joined to.
    walls: Vec<Twist>,
    /// The velocities that would move bodies without contacts and joints.
    unbound: Vec<Twist>,
    /// How long impulses of contact count as forces [s].
    lead: f64,
    /// Where bodies are moved beside that: they overlapped.
    displacements: Vec<Twist>,
}

impl RigidDynamics {
    /// Replaces what forces would do to rigid particles alone by what their bodies do.
    pub(crate) fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let (world, pairs) = (step.world, step.pairs);
        self.touching.clear();
        self.inertias.clear();
        if world.memory.rigid.is_empty() {
            return;
        }
        self.inertias.extend(world.memory.rigid.iter().map(|rigid| Inertia {
            inverse_mass: 1.0 / rigid.mass,
            inverse_inertia: rigid.inverse_inertia(world.dimension),
            centre: rigid.centre,
        }));
        self.touching.find(world, pairs, &self.inertias);
        self.touching.recall(&world.memory.pressing, step.dt / world.clock.last_dt);
        self.orientations.clear();
        self.orientations.extend(world.memory.rigid.iter().map(|rigid| rigid.orientation));
        world.add_joined_walls(f64::from(step.dt), &mut self.inertias, &mut self.orientations, &mut self.walls);
        self.joints.resize_with(world.memory.joints.len(), || world.memory.joints[0].joint.clone());
        self.joints.iter_mut().zip(&world.memory.joints).for_each(|(joint, joined)| joint.clone_from(&joined.joint));
        self.solver.prepare(&self.inertias, &self.orientations, &mut self.joints, &self.touching.contacts);
        self.gather(world, |i| wide(acceleration[i]));
        self.forces.clone_from(&self.trial);
        self.free();
        self.spread(world, acceleration);
    }

    /// Adds what else acts on their particles, were each alone, to what forces do, and what contact adds to both; and writes what
    /// bodies make of it all.
    pub(crate) fn conclude(
        &mut self,
        world: &mut World,
        motion: Motion,
        push: impl Fn(usize) -> Vec3,
        acceleration: &mut [Vec3],
    ) {
        if world.memory.rigid.is_empty() {
            return;
        }
        self.gather(world, |i| wide(push(i)));
        for (force, push) in self.forces.iter_mut().zip(&mut self.trial) {
            (force.velocity, force.spin) = (force.velocity + push.velocity, force.spin + push.spin);
        }
        self.keep_apart(world, motion);
        self.touching.remember(&mut world.memory.pressing);
        let joints = world.memory.joints.iter_mut().zip(&self.joints);
        joints.for_each(|(joined, joint)| joined.joint.clone_from(joint));
        self.trial.clone_from(&self.forces);
        self.free();
        self.spread(world, acceleration);
    }

    /// Adds the forces of contact to all others.
    fn keep_apart(&mut self, world: &World, motion: Motion) {
        stage!("rigid contact");
        let Self { inertias, forces, touching, solver, joints, walls, moving, unbound, displacements, .. } = self;
        displacements.clear();
        displacements.resize(inertias.len(), Twist::default());
        if touching.contacts.is_empty() && joints.is_empty() {
            return;
        }
        moving.clear();
        moving.extend(world.memory.rigid.iter().zip(&*forces).zip(&*inertias).map(|((rigid, force), inertia)| {
            let [velocity, angular_momentum] = rigid.moving(force, motion, world.clock.last_dt);
            Twist { velocity, spin: inertia.inverse_inertia * angular_momentum }
        }));
        moving.extend_from_slice(walls);
        let (dt, lead) = (f64::from(motion.dt), f64::from(motion.lead(world)));
        self.lead = lead;
        let fall = f64::from(world.gravity.length()) * dt;
        let spacing = f64::from(world.spacing);
        let control = Control {
            dt,
            bounce_speed: BOUNCING * fall,
            tolerance: PRECISION * (fall + spacing * NOISE / dt),
            most_sweeps: MOST_SWEEPS,
            slop: SLOP * spacing,
            share: SHARE,
        };
        unbound.clone_from(moving);
        solver.solve(inertias, moving, &mut touching.contacts, joints, &control);
        for (k, rigid) in world.memory.rigid.iter().enumerate() {
            let turn = rigid.turn();
            let inertia = turn * rigid.inertia * turn.transpose();
            forces[k].velocity += rigid.mass / lead * (moving[k].velocity - unbound[k].velocity);
            forces[k].spin += inertia * (moving[k].spin - unbound[k].spin) / lead;
        }
        solver.displacements(inertias, moving, &touching.contacts, joints, &control, displacements);
    }

    /// How rigid bodies and implicit ones respond.
    pub(crate) fn response<'a>(&'a mut self, elastic: elasticity::Response<'a>) -> Bodies<'a> {
        Bodies { elastic, rigid: self }
    }

    /// What contacts and joints did to walls in the step: the slot of each, where, the force [N], and how fast the wall moves there.
    pub(crate) fn forces_on_walls(&self) -> impl Iterator<Item = WallForce> {
        let lead = self.lead;
        self.touching.on_walls().map(move |(slot, contact)| WallForce {
            slot,
            point: contact.point,
            force: contact.impulse / -lead,
            velocity: contact.wall_velocity,
        })
    }

    /// What joints give in a step of `dt`: the work of motors, and of walls that bodies are joined to [W].
    pub(crate) fn power_of_joints(&self, world: &World, dt: Real) -> f64 {
        if self.joints.is_empty() {
            return 0.0;
        }
        // An impulse does work at the mean of the velocities before and after the step.
        let rigid = &world.memory.rigid;
        let mean = |k: usize| match rigid.get(k) {
            Some(rigid) => Twist {
                velocity: 0.5 * (rigid.velocity + self.moving[k].velocity),
                spin: 0.5 * (rigid.spin(world.dimension) + self.moving[k].spin),
            },
            None => self.moving[k],
        };
        let of_all = |(k, rigid): (usize, &RigidBody)| {
            let (turn, [before, after]) = (rigid.turn(), [self.unbound[k], self.moving[k]]);
            let inertia = turn * rigid.inertia * turn.transpose();
            let momentum = rigid.mass * (after.velocity - before.velocity);
            momentum.dot(mean(k).velocity) + (inertia * (after.spin - before.spin)).dot(mean(k).spin)
        };
        let of_contact = |contact: &Contact| {
            let at = |k: usize| mean(k).velocity + mean(k).spin.cross(contact.point - self.inertias[k].centre);
            contact.impulse.dot(at(contact.first) - contact.second.map_or(DVec3::ZERO, at))
        };
        let all: f64 = rigid.iter().enumerate().map(of_all).sum();
        (all - self.touching.contacts.iter().map(of_contact).sum::<f64>()) / f64::from(dt)
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

    /// Makes of force and torque the accelerations of free bodies.
    fn free(&mut self) {
        for (trial, inertia) in self.trial.iter_mut().zip(&self.inertias) {
            trial.velocity *= inertia.inverse_mass;
            trial.spin = inertia.inverse_inertia * trial.spin;
        }
    }

    /// Writes the accelerations of particles.
    fn spread(&self, world: &World, acceleration: &mut [Vec3]) {
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
        let (dimension, last_dt) = (world.dimension, world.clock.last_dt);
        for ((rigid, force), displacement) in world.memory.rigid.iter_mut().zip(&self.forces).zip(&self.displacements) {
            let [velocity, angular_momentum] = rigid.moving(force, motion, last_dt);
            rigid.displace([velocity, angular_momentum], f64::from(motion.dt), dimension);
            rigid.shift(displacement.velocity, displacement.spin);
            rigid.finish(force, motion, [velocity, angular_momentum]);
        }
        world.pose_rigid_bodies();
    }
}

impl RigidBody {
    /// The velocity and the angular momentum that move it in a step with such force and torque: as those of all matter
    /// (time/integrator.rs).
    fn moving(&self, force: &Twist, motion: Motion, last_dt: Real) -> [DVec3; 2] {
        let (dt, last_dt) = (f64::from(motion.dt), f64::from(last_dt));
        let middle = |now: DVec3, by: DVec3, last: DVec3| match motion.integrator {
            Integrator::Leapfrog => now + 0.5 * (last_dt * (by - last) + dt * by),
            Integrator::SymplecticEuler => now + dt * by,
        };
        let velocity = middle(self.velocity, force.velocity / self.mass, self.acceleration);
        [velocity, middle(self.angular_momentum, force.spin, self.torque)]
    }

    /// Has the momenta of the end of the step.
    fn finish(&mut self, force: &Twist, motion: Motion, [velocity, angular_momentum]: [DVec3; 2]) {
        (self.acceleration, self.torque) = (force.velocity / self.mass, force.spin);
        let rest = match motion.integrator {
            Integrator::Leapfrog => 0.5 * f64::from(motion.dt),
            Integrator::SymplecticEuler => 0.0,
        };
        self.velocity = velocity + rest * self.acceleration;
        self.angular_momentum = angular_momentum + rest * self.torque;
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
        if world.memory.rigid.is_empty() {
            return;
        }
        self.rigid.gather(world, |i| wide(acceleration[i]));
        self.rigid.free();
        self.rigid.solver.hold(&mut self.rigid.trial);
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
