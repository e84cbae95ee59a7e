//! What the system makes of pressures: accelerations, and the compression that they leave.

use rayon::prelude::*;

use super::super::blend::weigh;
use super::rows::{Row, WallRow, excess_compression};
use super::{Aim, System, acceleration, vector};
use crate::neighbors::{Pairs, Who, pack_some, row};
use crate::real::Real;
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

impl System {
    /// The accelerations that these pressures P give, of matter and through walls.
    pub(in super::super) fn accelerate(&mut self, world: &World, pairs: &Pairs, pressure: &[Real]) {
        let (particles, matter, solid) = (&world.particles, world.kinds.matter(), world.kinds.solid());
        let first_wall = world.kinds.walls().start;
        let System { pressing, wall_rows, wall_pressure, rows, accelerated, advected, blend, aim, .. } = self;
        // What stops velocities carries no weight.
        let carries = if *aim == Aim::Density { 1.0 } else { 0.0 };
        {
            stage!("pressure walls");
            let share = |i: usize| particles.rest_volume[i] * pressure[i];
            // Solids tell walls nothing.
            pack_some(&mut pressing[matter.clone()], 0, |i| {
                row(particles.position[i], if solid.contains(&i) { 0.0 } else { share(i) })
            });
            each!(pairs, Who::Walls, wall_pressure, |b, near, p_b| {
                let WallRow { inverse_weight, weight } = wall_rows[b - first_wall];
                let near = near.among(pressing, pressing[b]);
                let sum = sum!(near, |f| f.volume() * f.w());
                *p_b = (sum * inverse_weight + carries * weight).max(0.0);
            });
            let (bodies, walls) = pressing.split_at_mut(first_wall);
            let walls = walls.iter_mut().zip(&*wall_pressure).zip(&particles.rest_volume[first_wall..]);
            let solids = bodies[solid.clone()].iter_mut().enumerate();
            rayon::join(
                || walls.for_each(|((row, p_b), volume)| row[3] = volume * p_b),
                || solids.for_each(|(i, row)| row[3] = share(i)),
            );
        }
        stage!("pressure acceleration");
        let pressing = &*pressing;
        weigh!(blend, |weights| each!(pairs, Who::Matter, &mut accelerated[matter], |i, near, out| {
            let near = near.with_numbers(pressing);
            let near = if solid.contains(&i) { near.matter() } else { near };
            let others = exchange!(near, |j, slope| j.x_ij() * (slope * j.volume() * weights.of(i, j)[1]));
            let (volume, mobility) = (particles.rest_volume[i], advected[i][3]);
            *out = row((others + rows[i].gradient * pressure[i]) * (-mobility * volume), volume);
        }));
    }

    /// The compression with which a solve begins that starts from no pressures at all, and in which nothing has weight.
    pub(in super::super) fn compression_without_pressure(&mut self, world: &World, excess: &mut [Real]) {
        let columns = (&mut self.accelerated[world.kinds.matter()], excess, &world.particles.rest_volume, &self.rows);
        columns.into_par_iter().with_min_len(4096).for_each(|(accelerated, excess, &volume, row)| {
            (*accelerated, *excess) = ([0.0, 0.0, 0.0, volume], row.source_term);
        });
    }

    /// The compression that is left with the last accelerations, to first order in the step: φ* + A P − 1.
    pub(in super::super) fn compression_to_first_order(&self, pairs: &Pairs, excess: &mut [Real]) {
        stage!("pressure product");
        let System { rows, accelerated, dt, lattice_sum, blend, .. } = self;
        let scale = dt * dt / lattice_sum;
        // Walls do not give way.
        weigh!(blend, |weights| each!(pairs, Who::Matter, excess, |i, near, out| {
            let Row { gradient, source_term, .. } = rows[i];
            let others = exchange!(near.matter(), |j, slope| {
                j.get_packed(accelerated).0.dot(j.x_ij()) * slope * weights.of(i, j)[0]
            });
            *out = source_term + scale * (acceleration(accelerated[i]).dot(gradient) - others);
        }));
    }

    /// The same with densities summed at the positions to which the last accelerations take all particles.
    pub(in super::super) fn compression_after_moving(&mut self, world: &World, pairs: &Pairs, excess: &mut [Real]) {
        stage!("pressure prediction");
        let System { rows, accelerated, advected, predicted, dt, lattice_sum, blend, reference, recovery, .. } = self;
        let (reference, recovery, rows) = (*reference, *recovery, &*rows);
        let (particles, dt) = (&world.particles, *dt);
        // Walls go their way whatever pressures are.
        pack_some(&mut predicted[world.kinds.matter()], 0, |i| {
            row(
                particles.position[i] + dt * (vector(advected[i]) + dt * acceleration(accelerated[i])),
                accelerated[i][3],
            )
        });
        let (predicted, scale, share) = (&*predicted, 1.0 / *lattice_sum, &world.solids.share);
        each!(pairs, Who::Matter, excess, |i, near, out| {
            let near = near.among(predicted, predicted[i]);
            // What is bonded counts as at rest.
            let own = share.get(i).copied().unwrap_or_else(|| near.self_term());
            let change = (sum!(near, |j| j.volume() * j.w()) + own) * scale - particles.compression(i);
            *out = change + rows[i].mean_weight * excess_compression(world, i, reference, recovery);
        });
        // Who gives way is not in a sum of densities: to first order, as in the accelerations.
        if blend.is_equal() {
            return;
        }
        let (advected, accelerated, weights) = (&*advected, &*accelerated, blend.weights::<false>());
        each!(pairs, Who::Matter, excess, |i, near, out| {
            let home = vector(advected[i]) + dt * acceleration(accelerated[i]);
            let way = exchange!(near, |j, slope| {
                let (velocity, _) = j.get_packed(advected);
                let (gained, _) = j.get_packed(accelerated);
                let [weight, _] = weights.of(i, j);
                let apart = (j.splat_vec(home) - velocity) * j.volume() - gained * j.splat(dt);
                apart.dot(j.x_ij()) * (slope * (weight - 1.0))
            });
            *out += way * (dt * scale);
        });
    }
}
