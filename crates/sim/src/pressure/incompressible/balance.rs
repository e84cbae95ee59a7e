//! No energy from nowhere: a step asks for no more compression to be undone than it may.

use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::response::BodyResponse;
use crate::world::World;

use super::super::system::Aim;
use super::{End, IncompressibleSolver, Method};

/// What pressures do in a step [J].
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    /// What they take from the velocities without them, and the energy of what they add.
    work: f64,
    square: f64,
    /// What they may add.
    allowed: f64,
}

impl Gain {
    /// Do pressures only take energy?
    pub(super) fn is_none(self) -> bool {
        self.work + self.square <= 0.0
    }

    fn is_allowed(self) -> bool {
        self.work + self.square <= self.allowed
    }

    /// The largest share of all of it, at most 1, that adds no more than it may: work s + square s² = allowed.
    fn share(self) -> f64 {
        match self.is_allowed() {
            true => 1.0,
            false => furthest([self.work, self.square], self.allowed),
        }
    }
}

/// The larger root of linear s + square s² = most.
fn furthest([linear, square]: [f64; 2], most: f64) -> f64 {
    (-linear + (linear * linear + 4.0 * square * most).sqrt()) / (2.0 * square)
}

impl<M: Method> IncompressibleSolver<M> {
    /// Where pressures add more energy than they may, they are solved for again without asking for anything to be undone; the
    /// pressures are then as near to those that were found first as the balance allows.
    pub(super) fn restrain(
        &mut self,
        (world, pairs): (&World, &Pairs),
        response: &mut dyn BodyResponse,
        acceleration: &[Vec3],
    ) -> u32 {
        let asked = self.gain(world);
        let asking = self.system.asking();
        if asked.is_allowed() || asking == 0.0 || is_driven(world) {
            return 0;
        }
        self.system.exchange_starts();
        std::mem::swap(&mut self.started, &mut self.asked);
        self.started.clear();
        self.started.extend_from_slice(self.pressures.trial());
        self.system.ask(0.0);
        self.system.aim_at_density(world, pairs, acceleration);
        self.pressures.start(self.started.len(), |_| {});
        let (iterations, _) = self.iterate((world, pairs), response, Aim::Density, End::WithoutGain);
        let share = self.share_of_asked(world, asked);
        self.system.go_back(1.0 - share);
        self.pressures.go_back(&self.started, 1.0 - share);
        self.system.press(world, pairs, self.pressures.trial());
        self.system.ask(share * asking);
        std::mem::swap(&mut self.started, &mut self.asked);
        self.system.exchange_starts();
        iterations
    }

    /// The largest share of what asking has added to pressures that the balance allows.
    fn share_of_asked(&mut self, world: &World, asked: Gain) -> Real {
        let least = self.gain(world);
        let (system, particles) = (&self.system, &world.particles);
        let square = reduce::sum(world.kinds.matter().len(), &mut self.partials, |i| {
            let (push, change) = (system.dt() * system.change_of_push(i), system.dt() * system.change(i));
            0.5 * f64::from(particles.mass(i)) * f64::from(push.dot(change))
        });
        let (from, to) = (least.work + least.square, asked.work + asked.square);
        if from >= asked.allowed || square <= 0.0 {
            return 0.0;
        }
        furthest([to - from - square, square], asked.allowed - from).clamp(0.0, 1.0) as Real
    }

    /// The share of the last impulses that adds no more energy than it may: that of compression undone as fast as is asked for.
    /// What only stops velocities adds none. But pressures of walls are guessed from those of matter, weights make them
    /// large, and iterations end early: a particle in a corner would be shot out. Where walls or clamps move, they add energy.
    pub(super) fn share_without_gain(&mut self, world: &World) -> Real {
        let gain = self.gain(world);
        if gain.is_allowed() || is_driven(world) { 1.0 } else { gain.share() as Real }
    }

    pub(super) fn gain(&mut self, world: &World) -> Gain {
        let (particles, system) = (&world.particles, &self.system);
        let dt = system.dt();
        let energies = |i: usize| {
            let (push, mass) = (dt * system.push(i), f64::from(particles.mass(i)));
            let apart = f64::from(system.asked(world, i) * world.spacing / dt);
            [
                mass * f64::from(push.dot(system.velocity(i))),
                0.5 * mass * f64::from(push.dot(dt * system.acceleration(i))),
                0.5 * mass * apart * apart,
            ]
        };
        let [work, square, allowed] = reduce::sum(world.kinds.matter().len(), &mut self.energies, energies);
        Gain { work, square, allowed }
    }
}

/// Does anything that moves by itself do work?
fn is_driven(world: &World) -> bool {
    let particles = &world.particles;
    let walls = world.kinds.walls();
    let drives = |i: usize| (walls.contains(&i) || particles.clamp[i] > 0) && particles.velocity[i] != Vec3::ZERO;
    world.kinds.solid().chain(walls.clone()).any(drives)
}
