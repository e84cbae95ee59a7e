//! How positions follow velocities: the one place that says which velocity moves a particle. Whatever predicts asks here.
//!
//! A step moves every particle by one velocity w, x(n+1) = x(n) + Δt w, in one of two ways.
//!
//! **Leapfrog** (Sol09 Eq. 2.23 and 2.24, DG96 Eq. 9), of second order:
//!
//! ```text
//! w(n+½) = w(n−½) + ½ (Δt(n−1) + Δt(n)) a(n)
//! ```
//!
//! It is of second order only if the first half step is half a step (Sol09 puts v(0) in directly: first order). Here
//! the velocity column is always at the time of the positions, to second order: after a step it holds the prediction
//! v = w(n+½) + ½ Δt(n) a(n), which the next step corrects by ½ Δt(n) (a(n+1) − a(n)). The half-step velocities that move
//! the particles are exactly those above, the first step starts itself (there is nothing to correct), and forces that
//! depend on velocity see the predicted one.
//!
//! **Symplectic Euler**, of first order, and what solvers for pressure expect: the velocities that they make free of
//! compression are those that move the particles (Sol09 Alg. 2; Peer18 Alg. 3):
//!
//! ```text
//! v(n+1) = w = v(n) + Δt a
//! ```
//!
//! The velocity column holds what has moved a particle, half a step ago: in equal steps positions are those of the leapfrog. What
//! a body starts with counts as half a step old too, so that free fall is ahead by ½ g Δt t, of first order. (To begin with half
//! a kick would make up for that, but then frames would show velocities half a step late.)
//! What follows a path has the velocity of the place where it is.
//!
//! Implicit bodies are solved for the velocity that moves them, which is within a step ([`stepping`](crate::elasticity)). While a
//! step is made their accelerations are those that lead to it, (w − v(n))/Δt, so that whatever predicts is right; when it is made
//! the columns hold velocities at its end and the accelerations that led there.

use rayon::prelude::*;

use super::displace;
use crate::elasticity::Law;
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Particles, World};

/// How positions follow velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Integrator {
    /// Of second order, with forces that belong to the positions.
    #[default]
    Leapfrog,
    /// Velocities first: what was corrected is what moves.
    SymplecticEuler,
}

/// A step of a world: about to be made, or just made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    pub(crate) integrator: Integrator,
    /// Length of the step [s].
    pub(crate) dt: Real,
}

impl World {
    /// How a step of `dt` moves matter, or has just moved it.
    pub(crate) fn motion(&self, dt: Real) -> Motion {
        // What is solved for is what moves.
        let integrator = match self.solids.any(Law::is_implicit) {
            true => Integrator::SymplecticEuler,
            false => self.integrator,
        };
        Motion { integrator, dt }
    }

    /// Moves all matter by `dt`.
    pub(crate) fn advance(&mut self, acceleration: &[Vec3], dt: Real) {
        stage!("move");
        match self.motion(dt).integrator {
            Integrator::Leapfrog => self.leap(acceleration, dt),
            Integrator::SymplecticEuler => self.advance_velocities_first(acceleration, dt),
        }
    }

    fn leap(&mut self, acceleration: &[Vec3], dt: Real) {
        let correction = 0.5 * self.clock.last_dt;
        let half = 0.5 * dt;
        let (matter, dimension, domain) = (self.kinds.matter(), self.dimension, self.domain);
        let Particles { position, remainder, velocity, acceleration: last, .. } = &mut self.particles;
        let places = (&mut position[matter.clone()], &mut remainder[matter.clone()]);
        let columns = (places, &mut velocity[matter.clone()], &mut last[matter], acceleration);
        columns.into_par_iter().with_min_len(4096).for_each(|(place, v, last, &a)| {
            let a = dimension.flatten(a);
            let middle = *v + correction * (a - *last) + half * a;
            displace(place, dt * middle, &domain);
            *v = middle + half * a;
            *last = a;
        });
    }

    fn advance_velocities_first(&mut self, acceleration: &[Vec3], dt: Real) {
        let (matter, dimension, domain) = (self.kinds.matter(), self.dimension, self.domain);
        let Particles { position, remainder, velocity, acceleration: last, .. } = &mut self.particles;
        let places = (&mut position[matter.clone()], &mut remainder[matter.clone()]);
        let columns = (places, &mut velocity[matter.clone()], &mut last[matter], acceleration);
        columns.into_par_iter().with_min_len(4096).for_each(|(place, v, last, &a)| {
            *last = dimension.flatten(a);
            *v += dt * *last;
            displace(place, dt * *v, &domain);
        });
        self.complete_implicit_bodies(dt);
    }

    /// Implicit bodies were moved by velocities within the step, θ of it from those before: their velocities go on to its end.
    fn complete_implicit_bodies(&mut self, dt: Real) {
        if !self.solids.any(Law::is_implicit) {
            return;
        }
        for i in self.kinds.bonded() {
            let theta = self.implicitness(i);
            if theta < 1.0 {
                let whole = self.particles.acceleration[i] / theta;
                self.particles.acceleration[i] = whole;
                self.particles.velocity[i] += (1.0 - theta) * dt * whole;
            }
        }
    }
}

impl Motion {
    /// The velocity that moves particle `i` if it is accelerated so.
    #[inline(always)]
    pub(crate) fn velocity(self, world: &World, i: usize, acceleration: Vec3) -> Vec3 {
        let Particles { velocity, acceleration: last, .. } = &world.particles;
        match self.integrator {
            Integrator::Leapfrog => {
                let correction = world.clock.last_dt * (acceleration - last[i]);
                velocity[i] + 0.5 * (correction + self.dt * acceleration)
            }
            Integrator::SymplecticEuler => velocity[i] + self.dt * acceleration,
        }
    }

    /// The derivative of that by the acceleration [s].
    #[inline(always)]
    pub(crate) fn lead(self, world: &World) -> Real {
        match self.integrator {
            Integrator::Leapfrog => 0.5 * (world.clock.last_dt + self.dt),
            Integrator::SymplecticEuler => self.dt,
        }
    }

    /// How long before its place the velocity of particle `i` belongs, after the step [s].
    #[inline(always)]
    pub(crate) fn age(self, world: &World, i: usize) -> Real {
        let World { particles, kinds, .. } = world;
        match self.integrator {
            Integrator::SymplecticEuler if particles.clamp[i] == 0 => match kinds.bonded().contains(&i) {
                true => (world.implicitness(i) - 0.5) * self.dt,
                false => 0.5 * self.dt,
            },
            _ => 0.0,
        }
    }

    /// The velocity that has moved particle `i`, after the step.
    #[inline(always)]
    pub(crate) fn moved(self, world: &World, i: usize) -> Vec3 {
        let World { particles, kinds, .. } = world;
        let follows_path = || kinds.walls().contains(&i) || particles.clamp[i] > 0;
        let is_in_step = self.integrator == Integrator::Leapfrog || follows_path();
        let ago = match is_in_step {
            true => 0.5,
            false if kinds.bonded().contains(&i) => 1.0 - world.implicitness(i),
            false => 0.0,
        };
        particles.velocity[i] - ago * self.dt * particles.acceleration[i]
    }
}
