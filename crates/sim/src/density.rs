//! Densities from rest volumes.
//!
//! ```text
//! φ_i = Σ_j V0_j W_ij / φ_lattice   (the particle itself included),   ρ_i = ρ0_i φ_i
//! ```
//!
//! Volumes, not masses, are summed (Sol09 Eq. 4.4 to 4.6): a neighbour counts by the room it takes, whatever it
//! weighs and whether it is fluid, solid or wall. Dividing by the sum on the full lattice makes a lattice at
//! rest read φ = 1 exactly; masses stay ρ0 V0.

use crate::neighbors::{Pairs, Who};
use crate::real::Real;
use crate::stage::stage;
use crate::world::Particles;
use crate::{each, sum};

/// Writes the density of every movable particle.
pub(crate) fn compute_densities(particles: &mut Particles, movable: usize, pairs: &Pairs, lattice_sum: Real) {
    stage!("densities");
    let Particles { density, rest_density, .. } = particles;
    let scale = 1.0 / lattice_sum;
    each!(pairs, Who::Movable, &mut density[..movable], |i, near, density| {
        let sum = sum!(near, |j| j.volume() * j.w()) + near.self_term();
        *density = rest_density[i] * (sum * scale);
    });
}
