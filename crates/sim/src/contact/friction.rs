//! Friction of elastic bodies on walls (Coulomb).
//!
//! What presses a particle against walls is the part of the pair formula that they have in it; the wall holds it by at
//! most the share μ of that, and never by more than stops it:
//!
//! ```text
//! a_n = −(1/ρ0) Σ_b V0_b (P_i + P_b) ∇W_ib
//! a_t = −min(μ |a_n|, inertia |v_t|/Δt) v_t/|v_t|
//! ```
//!
//! v_t is the velocity along the wall with which the step would move the particle. (Peer18 5 takes a viscous force instead, which lets
//! everything slide in the end.) A body that is solved implicitly answers friction as it answers pressure: `inertia` is
//! how much heavier it seems than its particles in contact.

use crate::neighbors::{Pairs, Who, pack, row};
use crate::pressure::Integrator;
use crate::pressure::pair_force::scale_pressures;
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::time::Leapfrog;
use crate::world::World;
use crate::{each, exchange, sum};

/// Friction on walls, and memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallFriction {
    scaled: Vec<Real>,
    moving: Vec<[Real; 4]>,
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

/// The change of velocity [m/s] by which friction holds what moves by `sliding` along a surface, if it can bear `most`.
#[inline(always)]
pub(super) fn hold(sliding: Vec3, most: Real) -> Vec3 {
    let speed = sliding.length();
    if speed > 0.0 { sliding * (-most.min(speed) / speed) } else { Vec3::ZERO }
}

impl WallFriction {
    /// Adds what friction does to elastic particles in a step of `dt` in which pressures have pushed already.
    pub(crate) fn add(
        &mut self,
        world: &World,
        pairs: &Pairs,
        (integrator, dt): (Integrator, Real),
        acceleration: &mut [Vec3],
    ) {
        stage!("wall friction");
        scale_pressures(world, &mut self.scaled);
        pack_motion(world, &mut self.moving);
        let (particles, solid) = (&world.particles, world.kinds.solid());
        let (scaled, moving) = (&self.scaled, &self.moving);
        let lead = if integrator == Integrator::Leapfrog { Leapfrog::lead(world, dt) } else { dt };
        let ahead = |i: usize, acceleration: Vec3| match integrator {
            Integrator::Leapfrog => Leapfrog::middle(world, i, acceleration, dt),
            Integrator::SymplecticEuler => particles.velocity[i] + dt * acceleration,
        };
        each!(pairs, Who::Matter, acceleration, |i, near, acceleration| {
            if !solid.contains(&i) {
                return;
            }
            let push = exchange!(near.walls(), |b| b.grad_w() * (b.volume() * (b.get(scaled) + scaled[i])));
            let pressed = push.length() / particles.rest_density[i];
            if pressed <= 0.0 {
                return;
            }
            let (weight, (velocity, friction)) = sum!(near.walls(), |b| {
                let (weight, (velocity, friction)) = (b.w(), b.get_packed(moving));
                (weight, (velocity * weight, friction * weight))
            });
            let normal = push / push.length();
            let after = ahead(i, *acceleration) - velocity / weight;
            let sliding = (after - normal * after.dot(normal)) * world.added_mass(i);
            *acceleration += hold(sliding, friction / weight * pressed * lead) / lead;
        });
    }
}
