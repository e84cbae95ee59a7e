//! The symplectic Euler scheme: velocities first, then positions with the new velocities.
//!
//! ```text
//! v(n+1) = v(n) + Δt a,    x(n+1) = x(n) + Δt v(n+1)
//! ```
//!
//! Of first order, and what implicit pressure solvers expect: the velocities that they make free of compression are
//! those that move the particles (Sol09 Alg. 2; Peer18 Alg. 3).

use rayon::prelude::*;

use super::displace;
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Particles, World};

/// Moves the particles of a world.
pub(crate) struct SymplecticEuler;

impl SymplecticEuler {
    /// Moves all matter by `dt`.
    pub(crate) fn advance(world: &mut World, acceleration: &[Vec3], dt: Real) {
        stage!("move");
        let (matter, dimension, domain) = (world.kinds.matter(), world.dimension, world.domain);
        let Particles { position, remainder, velocity, acceleration: last, .. } = &mut world.particles;
        let places = (&mut position[matter.clone()], &mut remainder[matter.clone()]);
        let columns = (places, &mut velocity[matter.clone()], &mut last[matter], acceleration);
        columns.into_par_iter().with_min_len(4096).for_each(|(place, v, last, &a)| {
            *last = dimension.flatten(a);
            *v += dt * *last;
            displace(place, dt * *v, &domain);
        });
    }
}
