//! Pressures of a step: those of all its solves, smooth.

use rayon::prelude::*;

use super::super::blend::weigh;
use super::{System, vector};
use crate::neighbors::{Pairs, Who, pack_some, row};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Particles, World};
use crate::{each, sum};

impl System {
    /// Keeps the pressures P of a solve, if it has any, which are part of this step's: another solve follows. With weights
    /// they are smoothed first: the other solve would start from what alternates, and throw light fluid about.
    pub(in super::super) fn set_aside(&mut self, world: &World, pairs: &Pairs, has_pressures: bool) {
        let mut aside = std::mem::take(&mut self.aside);
        aside.clear();
        if has_pressures && self.is_weighted() {
            aside.resize(world.kinds.matter().len(), 0.0);
            let Particles { rest_volume, density, .. } = &world.particles;
            let found = std::mem::take(&mut self.found);
            self.smooth_along(world, pairs, |i| found[i] * (-0.5 * density[i]), &mut aside);
            self.found = found;
            aside.iter_mut().zip(rest_volume).for_each(|(pressure, volume)| *pressure *= volume);
            aside.extend(self.pressing[world.kinds.walls()].iter().map(|row| row[3]));
        } else if has_pressures {
            aside.extend(self.pressing.iter().map(|row| row[3]));
        }
        self.aside = aside;
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
        let (density, gravity) = (&world.particles.density, world.gravity);
        self.smooth_along(world, pairs, |i| (gravity - acceleration[i]) * (0.5 * density[i]), smoothed);
    }

    /// Smooths along half the slope of each particle.
    ///
    /// With weights, each pressure counts by the square of its mean weight, as in a sum of squares of what pressures effect: that
    /// of a heavy particle that has only light ones on one side is felt by few, and larger than the pressure that is there (by
    /// a fifth of the weight of a layer, as at a free surface).
    fn smooth_along(
        &mut self,
        world: &World,
        pairs: &Pairs,
        slope: impl Fn(usize) -> Vec3 + Sync,
        smoothed: &mut [Real],
    ) {
        stage!("pressure smoothing");
        let System { pressing, aside, predicted, accelerated, rows, blend, .. } = self;
        let total = |i: usize| pressing[i][3] + aside.get(i).copied().unwrap_or(0.0);
        let (particles, solid, is_equal) = (&world.particles, world.kinds.solid(), blend.is_equal());
        let trust = |i: usize| match is_equal || solid.contains(&i) {
            true => 1.0,
            false => rows[i].mean_weight * rows[i].mean_weight,
        };
        // The memory of predictions serves for slopes and V0 P, that of accelerations for V0, as they count.
        pack_some(&mut predicted[world.kinds.matter()], 0, |i| row(slope(i), trust(i) * total(i)));
        if !is_equal {
            pack_some(&mut accelerated[world.kinds.matter()], 0, |i| {
                row(Vec3::ZERO, trust(i) * particles.rest_volume[i])
            });
        }
        let (slopes, volumes) = (&*predicted, &*accelerated);
        weigh!(blend, |weights| each!(pairs, Who::Matter, smoothed, |i, near, smoothed| {
            let trust = trust(i);
            let pressure = total(i) / particles.rest_volume[i];
            if solid.contains(&i) {
                // What carries a solid is stress: its pressures have no slope to go by.
                *smoothed = pressure;
                return;
            }
            let slope = vector(slopes[i]);
            let (pressures, norm) = sum!(near.matter(), |j| {
                let weight = j.w() * weights.of(i, j)[1];
                let volume = if is_equal { j.volume() } else { j.get_packed(volumes).1 };
                let (other, share) = j.get_packed(slopes);
                (weight * (share + volume * (j.splat_vec(slope) + other).dot(j.x_ij())), weight * volume)
            });
            let own = near.self_term() * trust;
            *smoothed = ((pressures + own * pressure) / (norm + own)).max(0.0);
        }));
    }

    /// Writes the pressures of wall particles in the step.
    pub(in super::super) fn write_wall_pressures(&self, world: &World, pressure: &mut [Real]) {
        let columns = (pressure, &self.wall_pressure).into_par_iter().with_min_len(4096).enumerate();
        columns.for_each(|(b, (pressure, last))| *pressure = last + self.aside(world, world.kinds.walls().start + b));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Aim, PairPressure};
    use super::*;
    use crate::response::Alone;
    use crate::simulation::test_worlds::three_particles;

    /// Each pressure along half of both slopes, by W, by the weight of a pair, and by the square of its mean weight.
    #[test]
    fn pressures_of_two_fluids_are_smoothed_as_worked_by_hand() {
        let simulation = three_particles();
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let (particles, kernel) = (&world.particles, *pairs.kernel());
        let pressure = [3000.0, 5000.0, 2000.0];
        let acceleration = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.0, 1.0), Vec3::ZERO];
        let mut system = System::new(&kernel, world.spacing, PairPressure::DensityWeighted);
        system.set_up(world, pairs, (&acceleration, &Alone), 1e-3, Aim::Density);
        system.press(world, pairs, &pressure);
        let mut found = [0.0; 3];
        system.smooth(world, pairs, &acceleration, &mut found);

        let between = |i: usize, j: usize| particles.position[i] - particles.position[j];
        let weight = |i: usize, j: usize| {
            2.0 * particles.rest_density[j] / (particles.rest_density[i] + particles.rest_density[j])
        };
        let slope = |i: usize| (world.gravity - acceleration[i]) * particles.density[i];
        let mean_weight = |i: usize| {
            let (mut weighed, mut plain) = (0.0, 0.0);
            for j in (0..3).filter(|&j| j != i) {
                let spread = particles.rest_volume[j] * kernel.gradient(between(i, j)).length_squared();
                (weighed, plain) = (weighed + weight(i, j) * spread, plain + spread);
            }
            weighed / plain
        };
        assert!((0..3).any(|i| (mean_weight(i) - 1.0).abs() > 0.1), "{:?}", [0, 1, 2].map(mean_weight));
        for (i, found) in found.into_iter().enumerate() {
            let (mut pressures, mut norm) = (0.0, 0.0);
            for (j, other) in pressure.into_iter().enumerate() {
                let share = mean_weight(j).powi(2) * particles.rest_volume[j] * kernel.value(between(i, j).length());
                let along = other + 0.5 * (slope(i) + slope(j)).dot(between(i, j));
                (pressures, norm) = (pressures + share * weight(j, i) * along, norm + share * weight(j, i));
            }
            let expected = pressures / norm;
            assert!((found - expected).abs() < 1e-4 * expected, "{i}: {found} {expected}");
        }
    }

    /// What a solve left is part of the pressures of the step, also between fluids.
    #[test]
    fn pressures_that_were_set_aside_are_part_of_the_step() {
        let simulation = three_particles();
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let mut system = System::new(pairs.kernel(), world.spacing, PairPressure::DensityWeighted);
        system.set_up(world, pairs, (&[], &Alone), 1e-3, Aim::Divergence);
        system.press(world, pairs, &[700.0; 3]);
        system.set_aside(world, pairs, true);
        system.set_up(world, pairs, (&[], &Alone), 1e-3, Aim::Density);
        system.press(world, pairs, &[300.0; 3]);
        let mut found = [0.0; 3];
        system.smooth(world, pairs, &[world.gravity; 3], &mut found);
        assert!((0..3).all(|i| (system.aside(world, i) - 700.0).abs() < 0.1), "no slope: as it was");
        assert!(found.iter().all(|p| (p - 1000.0).abs() < 0.1), "{found:?}");
    }
}
