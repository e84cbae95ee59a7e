//! Particle shifting: keeps particles evenly spread in fluid that is stirred (Xu 2009, Lind 2012).
//!
//! Particles that follow a flow exactly gather along some lines and leave others empty, where the flow stretches them.
//! Where pressures may not be negative, voids open there that no pressure closes. After every step particles move
//!
//! ```text
//! δx_i = −s H u_i Δt Σ_j V0_j ∇W_ij,    u_i² = Σ_j V0_j W_ij |v_i − v_j|² / Σ_j V0_j W_ij
//! ```
//!
//! from where they are dense to where they are thin. This is diffusion, and explicit: s H u Δt is at most 1.5 d², or it
//! would overshoot, and a shift at most a twentieth of the spacing d: it changes densities before pressure can respond.
//! Lind 2012 has the speed of the particle in the place of u, the root mean square of relative velocities: u is Galilean
//! invariant, and fluid at rest, or turning slowly as a whole, is not shifted.
//!
//! A particle takes the velocity of the place to which it is moved, to first order as in Xu 2009:
//!
//! ```text
//! δv_i = Σ_j V0_j (v_j − v_i) (δx_i·∇W_ij)
//! ```
//!
//! Uncorrected velocities would be noise there, which viscosity dissipates: decaying vortices then lose 1.3 % too much,
//! with the correction 0.6 %. Momentum is not exact: shifts add less than a hundredth of what there is in all
//! directions.
//!
//! Not at free surfaces, where shifting would carry the fluid away: no particle is shifted if it or a
//! neighbour is less compressed than fluid inside. Elastic bodies are not shifted.

use rayon::prelude::*;

use crate::neighbors::{Pairs, Who, pack, row};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Particles, World};
use crate::{each, exchange, sum};

/// Particles with less than this compression are at a free surface; a flat one reads about 0.7.
const INTERIOR_COMPRESSION: Real = 0.85;

/// The largest diffusion s H u Δt, in squared spacings: explicit diffusion overshoots with more.
const LARGEST_DIFFUSION: Real = 1.5;

/// The largest shift in a step, in spacings: with more, pressure cannot follow (F5 in docs/validation.md: with neither
/// this bound nor corrected velocities decay is 6 % off, with both 2.6 %).
const LARGEST_SHIFT: Real = 0.05;

parameters! {
    /// Keeps particles evenly spread where fluid is stirred: for closed or periodic domains, and deep inside others.
    pub struct Shifting {
        /// How fast particles spread, by how fast they are stirred [-].
        strength: Real = 40.0, Limits::above_up_to(0.0, 100.0);
    }
}

/// Memory for the shifts of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shifts {
    /// Velocity and compression.
    moving: Vec<[Real; 4]>,
    shift: Vec<Shift>,
}

/// Changes of a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shift {
    position: Vec3,
    velocity: Vec3,
}

impl Shifts {
    /// Finds the shifts of a step of `dt` from the neighbourhoods before it.
    pub(crate) fn find(&mut self, shifting: &Shifting, world: &World, pairs: &Pairs, dt: Real) {
        stage!("shifting");
        let Shifts { moving, shift } = self;
        let (particles, matter, flowing) = (&world.particles, world.kinds.matter(), world.kinds.flowing());
        pack(moving, particles.len(), |i| {
            row(particles.velocity[i], if matter.contains(&i) { particles.summed_compression(i) } else { 1.0 })
        });
        shift.resize(matter.len(), Shift::default());
        let moving = &*moving;
        let reach = shifting.strength * pairs.kernel().support() * dt;
        let (most, farthest) = (LARGEST_DIFFUSION * world.spacing * world.spacing, LARGEST_SHIFT * world.spacing);
        each!(pairs, Who::Matter, shift, |i, near, shift| {
            let gradient = exchange!(near, |j| j.grad_w() * j.volume());
            let home = particles.velocity[i];
            let ((stirred, missing), weight) = sum!(near.matter(), |j| {
                let (velocity, phi) = j.get_packed(moving);
                let (apart, share) = (j.splat_vec(home) - velocity, j.w() * j.volume());
                ((share * apart.dot(apart), (j.splat(INTERIOR_COMPRESSION) - phi).max(j.splat(0.0))), share)
            });
            let is_inside = missing <= 0.0 && moving[i][3] >= INTERIOR_COMPRESSION && flowing.contains(&i);
            let speed = if weight > 0.0 { (stirred / weight).sqrt() } else { 0.0 };
            *shift = Shift::default();
            if is_inside {
                let position = (gradient * -(reach * speed).min(most)).clamp_length_max(farthest);
                let velocity = exchange!(near.matter(), |j| {
                    let (velocity, _) = j.get_packed(moving);
                    (velocity - j.splat_vec(home)) * (j.grad_w().dot(j.splat_vec(position)) * j.volume())
                });
                *shift = Shift { position, velocity };
            }
        });
    }

    /// Moves the particles by what was found, and gives them the velocities of their new places.
    pub(crate) fn apply(&self, world: &mut World) {
        let (domain, dimension, matter) = (world.domain, world.dimension, world.kinds.matter());
        let Particles { position, velocity, .. } = &mut world.particles;
        let columns = (&mut position[matter.clone()], &mut velocity[matter.clone()], &self.shift[..matter.len()]);
        columns.into_par_iter().with_min_len(4096).for_each(|(x, v, shift)| {
            *x = domain.wrap(*x + dimension.flatten(shift.position));
            *v += dimension.flatten(shift.velocity);
        });
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
            let error = (found.position - by_hand).length();
            assert!(error < 1e-4 * by_hand.length(), "{i}: {} {by_hand}", found.position);
            let change = |j: usize| {
                let along = by_hand.dot(kernel.gradient(particles.position[i] - particles.position[j]));
                particles.rest_volume[j] * along * (particles.velocity[j] - particles.velocity[i])
            };
            let by_hand: Vec3 = (0..3).filter(|&j| j != i).map(change).sum();
            let error = (found.velocity - by_hand).length();
            assert!(error < 1e-4 * by_hand.length(), "{i}: {} {by_hand}", found.velocity);
        }
        let (position, velocity) = (particles.position[1], particles.velocity[1]);
        let mut moved = simulation;
        shifts.apply(moved.world_mut());
        assert_eq!(moved.particles().position[1], position + shifts.shift[1].position);
        assert_eq!(moved.particles().velocity[1], velocity + shifts.shift[1].velocity);
    }

    #[test]
    fn nobody_is_shifted_at_a_free_surface_or_far() {
        let mut simulation = three_particles();
        let mut shifts = Shifts::default();
        simulation.world_mut().particles.density.copy_from_slice(&[1000.0, 1000.0, 0.8 * 400.0]);
        shifts.find(&Shifting::default(), simulation.world(), simulation.pairs(), 1e-3);
        assert_eq!(shifts.shift, [Shift::default(); 3]);
        simulation.world_mut().particles.density[2] = 400.0;
        shifts.find(&Shifting { strength: 100.0 }, simulation.world(), simulation.pairs(), 1.0);
        assert!(shifts.shift.iter().all(|shift| (shift.position.length() / (0.05 * 0.1) - 1.0).abs() < 1e-4));
    }
}
