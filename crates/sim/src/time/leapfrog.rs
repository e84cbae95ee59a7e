//! Leapfrog with velocities that belong to the same time as the positions.
//!
//! The scheme of Sol09 Eq. 2.23 and 2.24, DG96 Eq. 9 keeps velocities at half steps:
//!
//! ```text
//! v(n+½) = v(n−½) + ½ (Δt(n−1) + Δt(n)) a(n)
//! x(n+1) = x(n) + Δt(n) v(n+½)
//! ```
//!
//! It is of second order only if the first half step is half a step (Sol09 puts v(0) in directly: first order). Here
//! the velocity column is always at the time of the positions, to second order: after a step it holds the prediction
//! v(n+½) + ½ Δt(n) a(n), which the next step corrects by ½ Δt(n) (a(n+1) − a(n)). The half-step velocities that move
//! the particles are exactly those above, the first step starts itself (there is nothing to correct), and forces that
//! depend on velocity see the predicted one.

use rayon::prelude::*;

use super::displace;
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Particles, World};

/// Moves the particles of a world.
pub(crate) struct Leapfrog;

impl Leapfrog {
    /// v(n+½), with which a step of `dt` moves particle `i` if it is accelerated by `acceleration`.
    pub(crate) fn middle(world: &World, i: usize, acceleration: Vec3, dt: Real) -> Vec3 {
        let Particles { velocity, acceleration: last, .. } = &world.particles;
        velocity[i] + 0.5 * (world.clock.last_dt * (acceleration - last[i]) + dt * acceleration)
    }

    /// The derivative of that by the acceleration [s].
    pub(crate) fn lead(world: &World, dt: Real) -> Real {
        0.5 * (world.clock.last_dt + dt)
    }

    /// Moves all matter by `dt`, with the accelerations at the time before the step.
    pub(crate) fn advance(world: &mut World, acceleration: &[Vec3], dt: Real) {
        stage!("move");
        let correction = 0.5 * world.clock.last_dt;
        let half = 0.5 * dt;
        let (matter, dimension, domain) = (world.kinds.matter(), world.dimension, world.domain);
        let Particles { position, remainder, velocity, acceleration: last, .. } = &mut world.particles;
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
}
