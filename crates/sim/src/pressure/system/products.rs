//! What the system makes of pressures: accelerations, and the compression that they leave.

use rayon::prelude::*;

use super::super::blend::weigh;
use super::rows::Row;
use super::{Aim, System, acceleration, vector};
use crate::density::share_at_rest;
use crate::neighbors::{Pairs, Who, pack_some, row};
use crate::real::{Real, Vec3};
use crate::response::BodyResponse;
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

impl System {
    /// Tells everybody these pressures P, also walls: P_b = (E P)_b and the weight that they carry.
    pub(in super::super) fn press(&mut self, world: &World, pairs: &Pairs, pressure: &[Real]) {
        stage!("pressure walls");
        let (particles, matter, solid) = (&world.particles, world.kinds.matter(), world.kinds.solid());
        let first_wall = world.kinds.walls().start;
        let System { pressing, wall_rows, wall_pressure, is_fresh, aim, .. } = self;
        let share = |i: usize| particles.rest_volume[i] * pressure[i];
        if world.kinds.flowing().is_empty() {
            return pack_some(&mut pressing[matter], 0, |i| row(particles.position[i], share(i)));
        }
        // Solids tell walls nothing.
        pack_some(&mut pressing[matter], 0, |i| {
            row(particles.position[i], if solid.contains(&i) { 0.0 } else { share(i) })
        });
        each!(pairs, Who::Walls, wall_pressure, |b, near, p_b| {
            let near = near.among(pressing, pressing[b]);
            *p_b = sum!(near, |f| f.volume() * f.w()) * wall_rows[b - first_wall].inverse_weight;
        });
        if std::mem::take(is_fresh) {
            // What stops velocities carries no weight.
            let carries = if *aim == Aim::Density { 1.0 } else { 0.0 };
            let walls = (&mut wall_rows[..], &wall_pressure[..]).into_par_iter().with_min_len(4096);
            walls.for_each(|(wall, mean)| wall.carried = carries * wall.weight.max(-mean));
        }
        let (bodies, walls) = pressing.split_at_mut(first_wall);
        let walls = (walls, wall_pressure, wall_rows, &particles.rest_volume[first_wall..]).into_par_iter();
        walls.with_min_len(4096).for_each(|(row, p_b, wall, volume)| {
            *p_b += wall.carried;
            row[3] = volume * *p_b;
        });
        bodies[solid].par_iter_mut().with_min_len(4096).enumerate().for_each(|(i, row)| row[3] = share(i));
    }

    /// The accelerations that these pressures P give, of matter and through walls.
    pub(in super::super) fn accelerate(
        &mut self,
        world: &World,
        pairs: &Pairs,
        pressure: &[Real],
        response: &mut dyn BodyResponse,
    ) {
        self.press(world, pairs, pressure);
        stage!("pressure acceleration");
        let (particles, matter, solid) = (&world.particles, world.kinds.matter(), world.kinds.solid());
        let System { pressing, rows, accelerated, advected, blend, .. } = self;
        let pressing = &*pressing;
        weigh!(blend, |weights| each!(pairs, Who::Matter, &mut accelerated[matter], |i, near, out| {
            let near = near.with_numbers(pressing);
            let near = if solid.contains(&i) { near.matter() } else { near };
            let others = exchange!(near, |j, slope| j.x_ij() * (slope * j.volume() * weights.of(i, j)[1]));
            // Solids as if alone: bodies respond next.
            let mobility = if solid.contains(&i) { world.mobility(i) } else { advected[i][3] };
            let volume = particles.rest_volume[i];
            *out = row((others + rows[i].gradient * pressure[i]) * (-mobility * volume), volume);
        }));
        self.respond(world, response);
    }

    /// Bodies respond to the accelerations that pressures would give to their particles alone.
    fn respond(&mut self, world: &World, response: &mut dyn BodyResponse) {
        let System { pushed, answered, accelerated, .. } = self;
        pushed.iter_mut().zip(&*accelerated).for_each(|(pushed, row)| *pushed = acceleration(*row));
        answered.copy_from_slice(&pushed[world.kinds.coherent()]);
        response.respond(world, answered);
        accelerated.iter_mut().zip(answered).for_each(|(out, answered)| *out = row(*answered * out[3], out[3]));
    }

    /// The compression with which a solve begins that starts from no pressures at all, and in which nothing has weight.
    pub(in super::super) fn compression_without_pressure(&mut self, world: &World, excess: &mut [Real]) {
        let columns = (&mut self.accelerated[world.kinds.matter()], excess, &world.particles.rest_volume, &self.rows);
        columns.into_par_iter().with_min_len(4096).for_each(|(accelerated, excess, &volume, row)| {
            (*accelerated, *excess) = ([0.0, 0.0, 0.0, volume], row.source_term);
        });
        self.pushed.fill(Vec3::ZERO);
    }

    /// Goes a share of the way from the accelerations that are found to the last ones.
    pub(in super::super) fn accept(&mut self, share: Real) {
        let columns = (&mut self.found, &self.accelerated[..]).into_par_iter();
        columns.with_min_len(4096).for_each(|(found, &row)| {
            let trial = acceleration(row);
            *found = if share == 1.0 { trial } else { *found + share * (trial - *found) };
        });
        for (found, trial) in self.found_push.iter_mut().zip(&self.pushed) {
            *found = if share == 1.0 { *trial } else { *found + share * (*trial - *found) };
        }
    }

    /// Remembers the accelerations with which a solve starts.
    pub(in super::super) fn remember_start(&mut self) {
        self.started.clone_from(&self.found);
        self.started_push.clone_from(&self.found_push);
    }

    /// Exchanges the accelerations with which a solve started for those of another one.
    pub(in super::super) fn exchange_starts(&mut self) {
        let [started, push] = &mut self.elsewhere;
        std::mem::swap(&mut self.started, started);
        std::mem::swap(&mut self.started_push, push);
    }

    /// What the last solve has changed of the acceleration of particle `i`, were it alone.
    pub(in super::super) fn change_of_push(&self, i: usize) -> Vec3 {
        match self.found_push.get(i) {
            Some(push) => *push - self.started_push[i],
            None => self.change(i),
        }
    }

    /// What the last solve has changed of the acceleration of particle `i`.
    pub(in super::super) fn change(&self, i: usize) -> Vec3 {
        self.found[i] - self.started[i]
    }

    /// Goes a share of the way that the last solve went.
    pub(in super::super) fn go_back(&mut self, share: Real) {
        for (push, started) in self.found_push.iter_mut().zip(&self.started_push) {
            *push = *started + (*push - *started) * share;
        }
        let columns = (&mut self.found, &self.started).into_par_iter().with_min_len(4096);
        columns.for_each(|(found, started)| *found = *started + (*found - *started) * share);
    }

    /// The rates at which the last accelerations compress walls: what walls hand back to matter.
    fn read_walls(&mut self, world: &World, pairs: &Pairs) {
        if world.kinds.flowing().is_empty() {
            return;
        }
        stage!("pressure walls");
        let (walls, has_solids) = (world.kinds.walls(), !world.kinds.solid().is_empty());
        let System { wall_rows, wall_reading, accelerated, flowing, blend, .. } = self;
        wall_reading.resize(walls.len(), 0.0);
        weigh!(blend, |weights| each!(pairs, Who::Walls, wall_reading, |b, near, out| {
            let sum = exchange!(near, |f, slope| {
                let (gained, volume) = f.get_packed(accelerated);
                let rate = gained.dot(f.x_ij()) * (slope * weights.of(b, f)[0]);
                // Solids tell walls nothing.
                if has_solids { rate * (f.get(flowing) / volume.max(f.splat(Real::MIN_POSITIVE))) } else { rate }
            });
            *out = -sum;
        }));
        let (first, volume) = (walls.start, &world.particles.rest_volume);
        let rows = (&mut accelerated[walls], &*wall_reading, &*wall_rows).into_par_iter().with_min_len(4096);
        rows.enumerate().for_each(|(b, (row, reading, wall))| {
            row[3] = volume[first + b] * wall.inverse_weight * reading;
        });
    }

    /// The compression that is left with the last accelerations, to first order in the step: φ* + A P − 1.
    pub(in super::super) fn compression_to_first_order(&mut self, world: &World, pairs: &Pairs, excess: &mut [Real]) {
        self.read_walls(world, pairs);
        stage!("pressure product");
        let System { rows, accelerated, dt, lattice_sum, blend, .. } = self;
        let (scale, solid) = (*dt * *dt / *lattice_sum, world.kinds.solid());
        let accelerated = &*accelerated;
        // Walls do not give way, but tell what they read.
        weigh!(blend, |weights| each!(pairs, Who::Matter, excess, |i, near, out| {
            let Row { gradient, source_term, .. } = rows[i];
            let others = exchange!(near.matter(), |j, slope| {
                j.get_packed(accelerated).0.dot(j.x_ij()) * slope * weights.of(i, j)[0]
            });
            let read = match solid.contains(&i) {
                true => 0.0,
                false => sum!(near.walls(), |b| b.w() * b.get_packed(accelerated).1),
            };
            *out = source_term + scale * (acceleration(accelerated[i]).dot(gradient) - others + read);
        }));
    }

    /// The same with densities summed at the positions to which the last accelerations take all particles. What walls read
    /// is left out: the densities themselves are to be those at rest, however little that is symmetric.
    pub(in super::super) fn compression_after_moving(&mut self, world: &World, pairs: &Pairs, excess: &mut [Real]) {
        stage!("pressure prediction");
        let asked = self.asked_excess();
        let System { rows, accelerated, advected, predicted, dt, lattice_sum, blend, .. } = self;
        let rows = &*rows;
        let (particles, dt) = (&world.particles, *dt);
        // Walls go their way whatever pressures are.
        pack_some(&mut predicted[world.kinds.matter()], 0, |i| {
            row(
                particles.position[i] + dt * (vector(advected[i]) + dt * acceleration(accelerated[i])),
                accelerated[i][3],
            )
        });
        let (predicted, scale, own_share) =
            (&*predicted, 1.0 / *lattice_sum, share_at_rest(&world.solids, &world.rigid));
        each!(pairs, Who::Matter, excess, |i, near, out| {
            let near = near.among(predicted, predicted[i]);
            // What is bonded counts as at rest.
            let own = own_share(i).unwrap_or_else(|| near.self_term());
            let change =
                (sum!(near, |j| j.volume() * j.w()) + own) * scale / particles.filling[i] - particles.compression(i);
            *out = change + rows[i].mean_weight * asked.of(world, i);
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
