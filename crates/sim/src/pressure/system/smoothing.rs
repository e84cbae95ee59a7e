//! Pressures of a step: those of all its solves, smooth.

use rayon::prelude::*;

use super::super::blend::weigh;
use super::{System, vector};
use crate::neighbors::{Pairs, Who, pack_some, row};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, sum};

impl System {
    /// Keeps the pressures P of a solve, if it has any, which are part of this step's: another solve follows. Not with
    /// weights: the other solve would start from what is not smooth, and throw light fluid about.
    pub(in super::super) fn set_aside(&mut self, has_pressures: bool) {
        self.aside.clear();
        if has_pressures && !self.is_weighted() {
            self.aside.extend(self.pressing.iter().map(|row| row[3]));
        }
    }

    /// The pressure P of particle `i` that was set aside.
    pub(in super::super) fn aside(&self, world: &World, i: usize) -> Real {
        self.aside.get(i).map_or(0.0, |share| share / world.particles.rest_volume[i])
    }

    /// The pressures P of the step, smoothed over the neighbourhood along the slopes that the accelerations tell,
    /// half of the way along that of each particle: fluids meet in the middle.
    ///
    /// Pressures that alternate from particle to particle accelerate nobody: no iteration would ever remove them, and
    /// taken along from step to step they would grow.
    pub(in super::super) fn smooth(
        &mut self,
        world: &World,
        pairs: &Pairs,
        acceleration: &[Vec3],
        smoothed: &mut [Real],
    ) {
        stage!("pressure smoothing");
        let System { pressing, aside, predicted, blend, .. } = self;
        let total = |i: usize| pressing[i][3] + aside.get(i).copied().unwrap_or(0.0);
        let (particles, gravity, solid) = (&world.particles, world.gravity, world.kinds.solid());
        // The memory of predictions serves for slopes and V0 P.
        pack_some(&mut predicted[world.kinds.matter()], 0, |i| {
            row((gravity - acceleration[i]) * (0.5 * particles.density[i]), total(i))
        });
        let slopes = &*predicted;
        weigh!(blend, |weights| each!(pairs, Who::Matter, smoothed, |i, near, smoothed| {
            let pressure = slopes[i][3] / particles.rest_volume[i];
            if solid.contains(&i) {
                // What carries a solid is stress: its pressures have no slope to go by.
                *smoothed = pressure;
                return;
            }
            let slope = vector(slopes[i]);
            let (pressures, norm) = sum!(near.matter(), |j| {
                let (weight, volume) = (j.w() * weights.of(i, j)[1], j.volume());
                let (other, share) = j.get_packed(slopes);
                (weight * (share + volume * (j.splat_vec(slope) + other).dot(j.x_ij())), weight * volume)
            });
            let own = near.self_term();
            *smoothed = ((pressures + own * pressure) / (norm + own)).max(0.0);
        }));
    }

    /// Writes the pressures of wall particles in the step.
    pub(in super::super) fn write_wall_pressures(&self, world: &World, pressure: &mut [Real]) {
        let columns = (pressure, &self.wall_pressure).into_par_iter().with_min_len(4096).enumerate();
        columns.for_each(|(b, (pressure, last))| *pressure = last + self.aside(world, world.kinds.walls().start + b));
    }
}
