//! The other side of accelerations by pressure: forces on walls.

use super::super::blend::weigh;
use super::System;
use crate::neighbors::{Pairs, Who};
use crate::real::{Real, Vec3};
use crate::world::World;
use crate::{each, sum};

impl System {
    /// Adds the forces on the particles of walls [N] by a share of the last pressures, none if `force` is empty: pair by pair what
    /// matter got from them. To solids a wall has no pressure of its own.
    pub(in super::super) fn add_wall_forces(&self, world: &World, pairs: &Pairs, share: Real, force: &mut [Vec3]) {
        if force.is_empty() {
            return;
        }
        let System { pressing, flowing, wall_pressure, blend, .. } = self;
        let (rest_volume, first_wall) = (&world.particles.rest_volume, world.kinds.walls().start);
        weigh!(blend, |weights| each!(pairs, Who::Walls, force, |b, near, force| {
            let p_b = wall_pressure[b - first_wall];
            // Not as an exchange: of a wall and itself, far from fluids, there are no weights.
            let sum = sum!(near, |f| {
                let [own, other] = weights.of(b, f);
                f.grad_w() * (f.get_packed(pressing).1 * other + f.get(flowing) * own * p_b)
            });
            *force -= sum * (share * rest_volume[b]);
        }));
    }
}
