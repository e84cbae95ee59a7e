//! Pressures give no energy: what is compressed is undone as fast as the balance of a step allows.
//!
//! In a step of Δt pressures P ≥ 0 change velocities v* by u, which changes the energy of motion by
//!
//! ```text
//! ΔE = Σ m u·v* + Σ ½ m u·u,    u = Δt a(P);    of bodies u is what they answer, and m u·u is impulse times answer
//! ```
//!
//! With the source term of [`System`](super::super::system), e the compression that is to be undone and ε the rate Δt C v*/φ_lattice,
//! the functional that the iteration lowers is ΔE/φ_lattice − ⟨P, e⟩, in rest volumes. Where e = 0 it is the energy itself: pressures that
//! only stop velocities take energy, whatever they meet. Where the solve has ended, A P + e + ε = 0 where P > 0, so that
//!
//! ```text
//! ΔE/φ_lattice = ½ ⟨P, e⟩ − ½ ⟨P, ε⟩ = ½ (⟨e, K e⟩ − ⟨ε, K ε⟩),    K = (−A)⁻¹ on the particles under pressure
//! ```
//!
//! To undo compression gives energy ⟨e, K e⟩/2, and what was compressed before has taken none: this solver stores none. Each
//! particle moves from its neighbours by a share of a spacing, but a column of n of them moves by n shares: the energy of a
//! particle alone, ½ m (e d/Δt)², comes n² times over. A compression of half a percent of a tank, undone in the step in which a stone meets
//! its floor, threw water at 12 m/s. So that is the bound:
//!
//! ```text
//! ΔE ≤ Σ ½ m ((e d/Δt)² + v*²/100),    e > 0
//! ```
//!
//! Less, and particles that overlap at rest would never part; what velocities lose in the same step (ε: gravity, an impact) may
//! be used up. Where it is exceeded, the step is solved for once more with e = 0, from the pressures that were found, until
//! they take energy, and then goes as far back to those found first as the bound allows. Accelerations are linear in
//! pressures, so that ΔE is a parabola along this line, and no pressure becomes negative: on the same particles under
//! pressure it is the solution with the largest share of e that may be asked for. Velocities are stopped in full, and what is not
//! undone is undone by the next steps. To scale all pressures would let what they stop go on.
//!
//! Where walls or clamps move, they give energy that is not counted here, and nothing is bounded; nor where it is the compression
//! of the worst particle that must stay within its bound (PCISPH).

use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::response::BodyResponse;
use crate::world::World;

use super::super::system::Aim;
use super::{End, IncompressibleSolver, Method, Norm};

/// The share of the energy of motion that pressures may add beside: water that splashes expands a little in many steps, and to hold
/// it back takes a fortieth of its energy in a second, more in longer steps.
const TOLERATED: f64 = 0.01;

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
        // Who bounds the compression of the worst particle asks for just that.
        let bounds_worst = self.method.bounds().norm == Norm::Worst;
        if asked.is_allowed() || asking == 0.0 || bounds_worst || is_driven(world) {
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
        // With weights the least that is too much adds up.
        let tolerated = if system.is_weighted() { 0.0 } else { TOLERATED };
        let energies = |i: usize| {
            let (push, mass) = (dt * system.push(i), f64::from(particles.mass(i)));
            let apart = f64::from(system.asked(world, i) * world.spacing / dt);
            [
                mass * f64::from(push.dot(system.velocity(i))),
                0.5 * mass * f64::from(push.dot(dt * system.acceleration(i))),
                0.5 * mass * (apart * apart + tolerated * f64::from(system.velocity(i).length_squared())),
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

#[cfg(test)]
mod tests;
