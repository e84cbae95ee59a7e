//! Particle shifting: fluid that is stirred keeps its particles evenly spread (Xu 2009, Lind 2012).
//!
//! Particles that follow a flow exactly draw together along some lines and leave others, where it stretches them. Where
//! pressures may not be negative, voids open there that no pressure closes. After every step particles move
//!
//! ```text
//! δx_i = −s H u_i Δt Σ_j V0_j ∇W_ij,    u_i² = Σ_j V0_j W_ij |v_i − v_j|² / Σ_j V0_j W_ij
//! ```
//!
//! from where they are dense to where they are thin. This is diffusion, and explicit: s H u Δt is at most 1.5 d², or it
//! would overshoot, and a shift at most a tenth of the spacing d. Lind 2012 has the speed of
//! the particle in the place of u, the speed of its neighbourhood as it sees it: u is the same for every observer, and
//! fluid at rest, or turning slowly as a whole, is left alone. Velocities stay as they are, so momentum is exact.
//!
//! Not at free surfaces, where shifting would carry the fluid away: no particle is shifted that sees one whose
//! neighbourhood is not full. Elastic bodies are not shifted.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::neighbors::{Pairs, Who, pack, row};
use crate::parameters::{Check, Limits, Parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

/// A neighbourhood with less than this compression is at a free surface; a flat one reads about 0.7.
const FULL: Real = 0.85;

/// The largest factor of the gradient, in squared spacings.
const LARGEST_DIFFUSION: Real = 1.5;

/// The farthest that a particle is shifted in a step, in spacings.
const FARTHEST: Real = 0.1;

/// Keeps particles evenly spread where fluid is stirred: for closed or periodic domains, and deep inside others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Shifting>))]
#[serde(default, deny_unknown_fields)]
pub struct Shifting {
    /// How fast particles spread, by how fast they are stirred [-].
    pub strength: Real,
}

impl Default for Shifting {
    fn default() -> Self {
        Shifting { strength: 40.0 }
    }
}

impl Parameters for Shifting {
    fn check(&self, check: &mut Check) {
        check.number("strength", self.strength, Limits::above_up_to(0.0, 100.0));
    }
}

/// Memory for the shifts of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shifts {
    /// Velocity and compression.
    moving: Vec<[Real; 4]>,
    shift: Vec<Vec3>,
}

impl Shifts {
    /// Finds the shifts of a step of `dt` from the neighbourhoods before it.
    pub(crate) fn find(&mut self, shifting: &Shifting, world: &World, pairs: &Pairs, dt: Real) {
        stage!("shifting");
        let Shifts { moving, shift } = self;
        let (particles, movable, elastic) = (&world.particles, world.movable, world.solids.len());
        pack(moving, particles.len(), |i| {
            row(particles.velocity[i], if i < movable { particles.compression(i) } else { 1.0 })
        });
        shift.resize(movable, Vec3::ZERO);
        let moving = &*moving;
        let reach = shifting.strength * pairs.kernel().support() * dt;
        let (most, farthest) = (LARGEST_DIFFUSION * world.spacing * world.spacing, FARTHEST * world.spacing);
        each!(pairs, Who::Movable, shift, |i, near, shift| {
            let gradient = exchange!(near, |j| j.grad_w() * j.volume());
            let home = particles.velocity[i];
            let ((stirred, missing), weight) = sum!(near.matter(), |j| {
                let (velocity, phi) = j.get_packed(moving);
                let (apart, share) = (j.splat_vec(home) - velocity, j.w() * j.volume());
                ((share * apart.dot(apart), (j.splat(FULL) - phi).max(j.splat(0.0))), share)
            });
            let is_inside = missing <= 0.0 && moving[i][3] >= FULL && i >= elastic;
            let speed = if weight > 0.0 { (stirred / weight).sqrt() } else { 0.0 };
            *shift =
                if is_inside { (gradient * -(reach * speed).min(most)).clamp_length_max(farthest) } else { Vec3::ZERO };
        });
    }

    /// Moves the particles by what was found.
    pub(crate) fn apply(&self, world: &mut World) {
        let (domain, dimension, movable) = (world.domain, world.dimension, world.movable);
        let columns = (&mut world.particles.position[..movable], &self.shift[..movable]);
        columns
            .into_par_iter()
            .with_min_len(4096)
            .for_each(|(x, &shift)| *x = domain.wrap(*x + dimension.flatten(shift)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::test_worlds::three_particles;

    #[test]
    fn shifts_are_those_worked_by_hand() {
        let mut simulation = three_particles();
        // As dense as inside a fluid.
        simulation.world_mut().particles.density.copy_from_slice(&[1000.0, 1000.0, 400.0]);
        let (particles, kernel) = (simulation.particles(), simulation.pairs().kernel());
        let (shifting, dt) = (Shifting { strength: 0.7 }, 1e-4);
        let mut shifts = Shifts::default();
        shifts.find(&shifting, simulation.world(), simulation.pairs(), dt);
        for i in 0..3 {
            let (mut gradient, mut stirred, mut weight) = (Vec3::ZERO, 0.0, 0.0);
            for j in (0..3).filter(|&j| j != i) {
                let x_ij = particles.position[i] - particles.position[j];
                gradient += particles.rest_volume[j] * kernel.gradient(x_ij);
                let share = particles.rest_volume[j] * kernel.value(x_ij.length());
                stirred += share * (particles.velocity[i] - particles.velocity[j]).length_squared();
                weight += share;
            }
            let by_hand = -0.7 * kernel.support() * dt * (stirred / weight).sqrt() * gradient;
            let found = shifts.shift[i];
            assert!((found - by_hand).length() < 1e-4 * by_hand.length(), "{i}: {found} {by_hand}");
        }
        let before = particles.position.clone();
        let mut moved = simulation;
        shifts.apply(moved.world_mut());
        assert_eq!(moved.particles().position[1], before[1] + shifts.shift[1]);
    }

    #[test]
    fn nobody_is_shifted_at_a_free_surface_or_far() {
        let mut simulation = three_particles();
        let mut shifts = Shifts::default();
        simulation.world_mut().particles.density.copy_from_slice(&[1000.0, 1000.0, 0.8 * 400.0]);
        shifts.find(&Shifting::default(), simulation.world(), simulation.pairs(), 1e-3);
        assert_eq!(shifts.shift, [Vec3::ZERO; 3]);
        simulation.world_mut().particles.density[2] = 400.0;
        shifts.find(&Shifting { strength: 100.0 }, simulation.world(), simulation.pairs(), 1.0);
        assert!(shifts.shift.iter().all(|shift| (shift.length() / (0.1 * 0.1) - 1.0).abs() < 1e-4));
    }
}
