//! Friction of elastic bodies on walls (Coulomb).
//!
//! The normal acceleration of a particle is the part of the pair formula due to walls; friction is at most μ times
//! that, and never more than stops the sliding:
//!
//! ```text
//! a_n = −(1/ρ0) Σ_b V0_b (P_i + P_b) ∇W_ib
//! a_t = −min(μ |a_n|, k |v_t|/Δt) v_t/|v_t|
//! ```
//!
//! v_t is the velocity along the wall with which the step moves the particle, without friction. (Peer18 5 takes a
//! viscous force instead, under which everything slides in the end.) k is the added-mass factor of a body that is
//! solved implicitly, which responds to friction as to pressure ([`coupling`](crate::coupling)).

use crate::neighbors::{Pairs, Who, pack, row};
use crate::pressure::pair_force::scale_pressures;
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::time::Motion;
use crate::world::World;
use crate::{each, exchange, sum};

/// Friction on walls, and memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallFriction {
    scaled: Vec<Real>,
    moving: Vec<[Real; 4]>,
    /// Accelerations by friction [m/s²].
    from_walls: Vec<Vec3>,
}

/// Is there a wall that holds elastic bodies by friction?
pub(crate) fn is_rough(world: &World) -> bool {
    !world.kinds.solid().is_empty() && world.bodies.iter().any(|body| body.particles > 0 && body.friction > 0.0)
}

/// Velocities of all particles, and friction of walls or masses of matter.
pub(super) fn pack_motion(world: &World, moving: &mut Vec<[Real; 4]>) {
    let particles = &world.particles;
    pack(moving, particles.len(), |i| {
        let is_wall = world.kinds.walls().contains(&i);
        let friction = || world.bodies[particles.body[i] as usize].friction;
        row(particles.velocity[i], if is_wall { friction() } else { particles.mass(i) })
    });
}

/// The change of velocity [m/s] by friction, at a velocity `sliding` along a surface; at most `most`.
#[inline(always)]
pub(super) fn hold(sliding: Vec3, most: Real) -> Vec3 {
    let speed = sliding.length();
    if speed > 0.0 { sliding * (-most.min(speed) / speed) } else { Vec3::ZERO }
}

impl WallFriction {
    /// Accelerations by friction in the last step [m/s²].
    pub(crate) fn by_walls(&self) -> &[Vec3] {
        &self.from_walls
    }

    /// Adds the friction of elastic particles in a step; the accelerations by pressure are known.
    pub(crate) fn add(&mut self, world: &World, pairs: &Pairs, motion: Motion, acceleration: &mut [Vec3]) {
        stage!("wall friction");
        scale_pressures(world, &mut self.scaled);
        pack_motion(world, &mut self.moving);
        let (particles, solid) = (&world.particles, world.kinds.solid());
        let (scaled, moving) = (&self.scaled, &self.moving);
        let lead = motion.lead(world);
        self.from_walls.resize(acceleration.len(), Vec3::ZERO);
        let known = &*acceleration;
        each!(pairs, Who::Matter, &mut self.from_walls, |i, near, from_walls| {
            *from_walls = Vec3::ZERO;
            if !solid.contains(&i) {
                return;
            }
            let gradient = exchange!(near.walls(), |b| b.grad_w() * (b.volume() * (b.get(scaled) + scaled[i])));
            let normal_acceleration = gradient.length() / particles.rest_density[i];
            if normal_acceleration <= 0.0 {
                return;
            }
            let (weight, (velocity, friction)) = sum!(near.walls(), |b| {
                let (weight, (velocity, friction)) = (b.w(), b.get_packed(moving));
                (weight, (velocity * weight, friction * weight))
            });
            let normal = gradient / gradient.length();
            let after = motion.velocity(world, i, known[i]) - velocity / weight;
            let sliding = (after - normal * after.dot(normal)) * world.added_mass(i);
            *from_walls = hold(sliding, friction / weight * normal_acceleration * lead) / lead;
        });
        acceleration.iter_mut().zip(&self.from_walls).for_each(|(acceleration, friction)| *acceleration += *friction);
    }
}
