//! The correction of a step: one solve for densities after another, as bodies answer.

use rayon::prelude::*;

use super::super::system::Aim;
use super::super::{Correction, Corrector, PairPressure};
use super::{EXCEEDED, End, IncompressibleSolver, Method, Norm, PARTICLES_PER_TASK};
use crate::account::asks_for_wall_forces;
use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::reduce::{self, largest};
use crate::response::BodyResponse;
use crate::world::{Particles, World};

impl<M: Method> Corrector for IncompressibleSolver<M> {
    fn pair_pressure(&self) -> PairPressure {
        self.method.parameters().pair_pressure
    }

    fn remember(&mut self, world: &mut World, acceleration: &[Vec3]) {
        if world.kinds.matter().is_empty() {
            return;
        }
        let square = |a: &Vec3| a.length_squared();
        let (solids, fluids) = acceleration.split_at(world.kinds.solid().len());
        let hardest = |all: &[Vec3]| reduce::max_chunks(all.len(), |range| largest(&all[range], square)).sqrt() as Real;
        let gravity = if solids.is_empty() { 0.0 } else { world.gravity.length() };
        world.memory[self.kept.acceleration_of_solids] = hardest(solids).max(gravity);
        world.memory[self.kept.acceleration] = match world.has_mixed_fluids() {
            true => hardest(fluids),
            false => {
                let squares = reduce::sum(fluids.len(), &mut self.partials, |i| f64::from(square(&fluids[i])));
                (squares / fluids.len().max(1) as f64).sqrt() as Real
            }
        };
        self.liveliness = self.liveliness(world);
    }

    fn correct(
        &mut self,
        world: &mut World,
        pairs: &Pairs,
        dt: Real,
        (response, expected): (&mut dyn BodyResponse, &[Vec3]),
        acceleration: &mut [Vec3],
    ) -> Correction {
        let (matter, solid) = (world.kinds.matter(), world.kinds.solid());
        self.push.clear();
        self.push.resize(solid.len(), Vec3::ZERO);
        if matter.is_empty() {
            return Correction::default();
        }
        acceleration.iter_mut().zip(expected).for_each(|(acceleration, expected)| *acceleration -= *expected);
        self.on_walls.clear();
        self.on_walls.resize(if asks_for_wall_forces(world) { world.kinds.walls().len() } else { 0 }, Vec3::ZERO);
        self.system.expect(world.memory[self.kept.speed] / world.spacing);
        self.first_push.clear();
        self.first_push.resize(solid.len(), Vec3::ZERO);
        let mut divergence_iterations = 0;
        if let Some(bounds) = self.method.divergence_bounds() {
            // Of the velocities as they are, before anything accelerates them.
            self.system.set_up(world, pairs, (&[], response), dt, Aim::Divergence);
            self.pressures.start(matter.len(), |start| start.fill(0.0));
            divergence_iterations = self.iterate((world, pairs), response, Aim::Divergence, End::Within(bounds)).0;
            self.system.set_aside(world, pairs, divergence_iterations > 1);
            let share = self.share_without_gain(world);
            self.add_pressure_acceleration(acceleration, share);
            let push = self.first_push.iter_mut().enumerate();
            push.for_each(|(i, push)| *push = share * self.system.push(i));
            if divergence_iterations > 1 {
                self.system.add_wall_forces(world, pairs, share, &mut self.on_walls);
            }
        }
        match divergence_iterations {
            0 => self.system.set_up(world, pairs, (acceleration, response), dt, Aim::Density),
            _ => self.system.aim_at_density(world, pairs, acceleration),
        }
        let (particles, warm_start) = (&world.particles, self.method.parameters().warm_start);
        let system = &self.system;
        self.pressures.start(matter.len(), |start| {
            start.par_iter_mut().with_min_len(PARTICLES_PER_TASK).enumerate().for_each(|(i, start)| {
                let phi = particles.compression(i);
                // Pressures of a step are what all its solves find: some of it is found already.
                let expected = particles.pressure[i] / (phi * phi) - system.aside(world, i);
                *start = warm_start * expected.max(0.0);
            });
        });
        Correction { divergence_iterations, ..self.solve_for_densities(world, pairs, response, acceleration) }
    }

    fn correct_again(
        &mut self,
        world: &mut World,
        pairs: &Pairs,
        response: &mut dyn BodyResponse,
        acceleration: &mut [Vec3],
    ) -> Correction {
        self.system.add_wall_forces(world, pairs, -self.share, &mut self.on_walls);
        self.add_pressure_acceleration(acceleration, -self.share);
        self.system.aim_at_density(world, pairs, acceleration);
        self.pressures.start(world.kinds.matter().len(), |_| {});
        self.solve_for_densities(world, pairs, response, acceleration)
    }

    fn search(
        &mut self,
        world: &mut World,
        pairs: &Pairs,
        mobilities: [f64; 2],
        furthest: Real,
        acceleration: &mut [Vec3],
    ) -> Real {
        let (system, particles, fluid) = (&self.system, &world.particles, world.kinds.flowing());
        let of_fluids = reduce::sum(fluid.len(), &mut self.partials, |k| {
            let i = fluid.start + k;
            f64::from(particles.mass(i)) * f64::from(system.change(i).length_squared())
        });
        let [told, answered] = mobilities;
        if told + of_fluids <= 0.0 || answered + of_fluids <= 0.0 {
            return 1.0;
        }
        let best = ((told + of_fluids) / (answered + of_fluids)) as Real;
        let share = best.min(furthest.min(self.pressures.furthest(&self.started)).max(1.0));
        let more = self.share * (share - 1.0);
        for (k, acceleration) in acceleration[fluid.clone()].iter_mut().enumerate() {
            *acceleration += more * system.change(fluid.start + k);
        }
        self.system.go_back(share);
        self.pressures.go_back(&self.started, share);
        self.system.add_wall_forces(world, pairs, -self.share, &mut self.on_walls);
        self.system.press(world, pairs, self.pressures.trial());
        self.system.add_wall_forces(world, pairs, self.share, &mut self.on_walls);
        for (i, push) in self.push.iter_mut().enumerate() {
            *push = self.first_push[i] + self.share * self.system.push(i);
        }
        self.write_pressures_of_solids(world);
        share
    }

    fn surface_acceleration(&self) -> &[Vec3] {
        &self.push
    }

    fn finish(&mut self, world: &mut World, pairs: &Pairs, acceleration: &[Vec3]) {
        if !world.kinds.matter().is_empty() {
            self.system.smooth(world, pairs, acceleration, &mut self.excess);
            self.write_pressures(world);
        }
    }
}

impl<M: Method> IncompressibleSolver<M> {
    /// Solves for densities from the pressures of the trial, and writes the pressures of the step.
    fn solve_for_densities(
        &mut self,
        world: &mut World,
        pairs: &Pairs,
        response: &mut dyn BodyResponse,
        acceleration: &mut [Vec3],
    ) -> Correction {
        let bounds = self.method.bounds();
        for started in [&mut self.started, &mut self.asked] {
            started.clear();
            started.reserve(world.kinds.matter().len());
        }
        if !world.kinds.bonded().is_empty() {
            self.started.extend_from_slice(self.pressures.trial());
        }
        let (mut iterations, error) = self.iterate((world, pairs), response, Aim::Density, End::Within(bounds));
        iterations += self.restrain((world, pairs), response, acceleration);
        let is_weighted = self.system.is_weighted();
        self.share = if is_weighted { self.share_without_gain(world) } else { 1.0 };
        self.add_pressure_acceleration(acceleration, self.share);
        let (system, share) = (&self.system, self.share);
        let push = self.push.iter_mut().zip(&self.first_push).enumerate();
        push.for_each(|(i, (push, first))| *push = *first + share * system.push(i));
        self.system.add_wall_forces(world, pairs, share, &mut self.on_walls);
        self.write_pressures_of_solids(world);
        let bound = f64::from(bounds.error);
        let is_bounded = bounds.norm == Norm::Worst && !is_weighted;
        let too_much = is_bounded.then_some(EXCEEDED * bound);
        Correction { iterations, error, bound, too_much, ..Correction::default() }
    }

    /// Writes the pressures of solids: friction asks for them.
    fn write_pressures_of_solids(&self, world: &mut World) {
        for i in world.kinds.solid() {
            let phi = world.particles.compression(i);
            world.particles.pressure[i] = (self.pressures.trial()[i] + self.system.aside(world, i)) * phi * phi;
        }
        let walls = world.kinds.walls();
        if !world.kinds.solid().is_empty() {
            let mut pressure = std::mem::take(&mut world.particles.pressure);
            self.system.write_wall_pressures(world, &mut pressure[walls]);
            world.particles.pressure = pressure;
        }
    }

    /// Writes the pressures of the step, smoothed ones of matter.
    fn write_pressures(&mut self, world: &mut World) {
        let matter = world.kinds.matter();
        let mut pressure = std::mem::take(&mut world.particles.pressure);
        self.system.write_wall_pressures(world, &mut pressure[world.kinds.walls()]);
        let Particles { density, rest_density, .. } = &world.particles;
        let columns = (&mut pressure[matter.clone()], &self.excess, &density[matter.clone()], &rest_density[matter]);
        columns.into_par_iter().with_min_len(PARTICLES_PER_TASK).for_each(
            |(pressure, scaled, density, rest_density)| {
                let phi = density / rest_density;
                *pressure = scaled * phi * phi;
            },
        );
        world.particles.pressure = pressure;
        self.remember_head(world);
    }

    /// Remembers the pressure of fluids over their density: 3/2 of its mean weighed by pressure, which is the highest in water at rest.
    fn remember_head(&mut self, world: &mut World) {
        let (particles, fluid) = (&world.particles, world.kinds.flowing());
        let [sum, squares, _] = reduce::sum(fluid.len(), &mut self.energies, |k| {
            let head = f64::from(particles.pressure[fluid.start + k] / particles.rest_density[fluid.start + k]);
            [head, head * head, 0.0]
        });
        world.memory[self.kept.head] = if sum > 0.0 { (1.5 * squares / sum) as Real } else { 0.0 };
    }
}
