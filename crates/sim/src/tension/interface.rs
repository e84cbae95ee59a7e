//! Tension between two fluids (Sol09 Eq. 4.14 to 4.17).
//!
//! ```text
//! ⟨c⟩_i = Σ_j V_j c_j W_ij / Σ_j V_j W_ij                          smoothed colour, itself included
//! n_i = Σ_j V_j (⟨c⟩_j − ⟨c⟩_i) ∇W_ij / (c_B − c_A)                 V = V0/φ
//! κ_i = −Σ_j V_j (n̂_j − n̂_i)·∇W_ij / Σ_j V_j W_ij
//! F_i = V_i θ κ_i n_i
//! ```
//!
//! The sums go over the particles of the two fluids. The colour is normalised, so that a free surface has no gradient and feels
//! nothing. Departures:
//!
//! - Sol09 leaves the colours open, and the force grows with the difference between them. It is divided out here: θ is the
//!   tension in N/m whatever they are.
//! - Where the smoothed colour hardly changes the direction of n is noise. Morris 2000 leaves out normals shorter than 0.01/h, with
//!   h half the support; so does this, in both sums of κ.
//!
//! Forces on particles do not cancel pair by pair: momentum is conserved as far as Σ V κ n over a closed interface is zero.

use super::capillary_step;
use super::work::Work;
use crate::force::{Force, StepContext};
use crate::neighbors::{Pairs, Who, row};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

parameters! {
    /// What acts where two fluids meet.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Interface {
        /// The indices of their materials.
        materials: [usize; 2] = [0; 2];
        /// Tension between them, θ [N/m].
        tension: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

/// The shortest normal that has a direction, times the support [-].
const SHORTEST_NORMAL: Real = 0.02;

/// The colours of the two fluids. Any two that differ give the same force.
const COLOURS: [Real; 2] = [1.0, 2.0];

/// The tension between two fluids.
#[derive(Clone, Debug)]
pub(super) struct InterfaceForce {
    interface: Interface,
    colours: [Real; 2],
    /// V of the particles of both fluids, 0 of all others; and V of those of the second.
    volume: Vec<Real>,
    second: Vec<Real>,
    /// ⟨c⟩.
    smooth: Vec<Real>,
    /// n̂, and V where it has a direction.
    normals: Vec<[Real; 4]>,
    /// |n|.
    lengths: Vec<Real>,
    work: Work,
}

impl InterfaceForce {
    pub(super) fn new(interface: Interface) -> Self {
        InterfaceForce {
            interface,
            colours: COLOURS,
            volume: Vec::new(),
            second: Vec::new(),
            smooth: Vec::new(),
            normals: Vec::new(),
            lengths: Vec::new(),
            work: Work::default(),
        }
    }

    /// Are both fluids there?
    fn acts(&self, world: &World) -> bool {
        let [a, b] = self.interface.materials.map(|material| world.materials.get(material));
        let is_there = |wanted| world.flowing_materials().any(|material| std::ptr::eq(material, wanted));
        matches!((a, b), (Some(a), Some(b)) if is_there(a) && is_there(b))
    }

    /// The volumes of the particles of both fluids.
    fn find_volumes(&mut self, world: &World) {
        let particles = &world.particles;
        let flowing = world.kinds.flowing();
        let [first, second] = self.interface.materials.map(|material| material as u32);
        for column in [&mut self.volume, &mut self.second] {
            column.clear();
            column.resize(particles.len(), 0.0);
        }
        for i in flowing {
            let material = particles.material[i];
            let volume = particles.rest_volume[i] * particles.rest_density[i] / particles.density[i];
            self.volume[i] = if material == first || material == second { volume } else { 0.0 };
            self.second[i] = if material == second { volume } else { 0.0 };
        }
    }

    /// ⟨c⟩, by Eq. 4.15.
    fn smooth_colours(&mut self, world: &World, pairs: &Pairs) {
        let (volume, second, [dark, bright]) = (&self.volume, &self.second, self.colours);
        self.smooth.clear();
        self.smooth.resize(world.particles.len(), 0.0);
        let matter = world.kinds.matter();
        let at_zero = pairs.kernel().value(0.0);
        each!(pairs, Who::Matter, &mut self.smooth[matter], |i, near, smooth| {
            if volume[i] > 0.0 {
                let (all, bright_ones) = sum!(near.matter(), |j| {
                    let w = j.w();
                    (j.get(volume) * w, j.get(second) * w)
                });
                let all = all + volume[i] * at_zero;
                let bright_ones = bright_ones + second[i] * at_zero;
                // Exact where there is one fluid alone.
                *smooth = match second[i] > 0.0 {
                    true => bright + (dark - bright) * ((all - bright_ones) / all),
                    false => dark + (bright - dark) * (bright_ones / all),
                };
            }
        });
    }

    /// n, by Eq. 4.16.
    fn find_normals(&mut self, world: &World, pairs: &Pairs) {
        let InterfaceForce { volume, smooth, normals, lengths, colours: [dark, bright], .. } = self;
        let (volume, smooth, jump) = (&*volume, &*smooth, *bright - *dark);
        let shortest = SHORTEST_NORMAL / pairs.kernel().support();
        let matter = world.kinds.matter();
        normals.clear();
        normals.resize(world.particles.len(), [0.0; 4]);
        lengths.clear();
        lengths.resize(world.particles.len(), 0.0);
        each!(pairs, Who::Matter, &mut normals[matter.clone()], |i, near, normal| {
            if volume[i] > 0.0 {
                let here = smooth[i];
                let slope = exchange!(near.matter(), |j| j.grad_w() * ((j.get(smooth) - here) * j.get(volume)));
                let n = slope / jump;
                let length = n.length();
                if length > shortest {
                    *normal = row(n, length);
                }
            }
        });
        for (normal, length) in normals[matter.clone()].iter_mut().zip(&mut lengths[matter.clone()]) {
            *length = normal[3];
            if *length > 0.0 {
                normal.iter_mut().for_each(|x| *x /= *length);
            }
        }
        matter.for_each(|i| normals[i][3] *= volume[i]);
    }
}

impl Force for InterfaceForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        self.work.power = 0.0;
        if !self.acts(step.world) {
            return;
        }
        self.work.clear(acceleration.len());
        stage!("interface tension");
        let (world, pairs) = (step.world, step.pairs);
        self.find_volumes(world);
        self.smooth_colours(world, pairs);
        self.find_normals(world, pairs);
        let InterfaceForce { normals, lengths, work, interface, .. } = self;
        let (normals, lengths, density, tension) = (&*normals, &*lengths, &world.particles.density, interface.tension);
        let at_zero = pairs.kernel().value(0.0);
        each!(pairs, Who::Matter, &mut work.acceleration, |i, near, acceleration| {
            if lengths[i] > 0.0 {
                let [x, y, z, volume] = normals[i];
                let home = Vec3::new(x, y, z);
                let (bend, weight) = sum!(near.matter(), |j| {
                    let (normal, volume) = j.get_packed(normals);
                    ((normal - j.splat_vec(home)).dot(j.grad_w()) * volume, volume * j.w())
                });
                let curvature = -bend / (weight + volume * at_zero);
                // V_i / m_i = 1/ρ_i.
                *acceleration = home * (tension * curvature * lengths[i] / density[i]);
            }
        });
        work.add_to(step, acceleration);
    }

    fn power(&self) -> f64 {
        self.work.power
    }

    fn longest_step(&self, world: &World, _pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        let densities =
            self.interface.materials.map(|material| world.materials.get(material).map_or(0.0, |m| m.density));
        self.acts(world).then(|| capillary_step(self.interface.tension, densities, world.spacing)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Simulation;
    use crate::simulation::test_worlds::three_particles;

    fn accelerations(simulation: &Simulation, materials: [usize; 2], colours: [Real; 2]) -> Vec<Vec3> {
        let mut acceleration = vec![Vec3::ZERO; simulation.matter().len()];
        let step = StepContext { world: simulation.world(), pairs: simulation.pairs(), sound_speed: 1.0, dt: 0.01 };
        let interface = Interface { materials, tension: 0.7 };
        InterfaceForce { colours, ..InterfaceForce::new(interface) }.add(&step, &mut acceleration);
        acceleration
    }

    /// Eq. 4.14 to 4.17 for three particles of two fluids, with colours 0 and 1.
    #[test]
    fn accelerations_are_those_worked_by_hand() {
        let simulation = three_particles();
        let (kernel, particles) = (*simulation.pairs().kernel(), simulation.particles());
        let volume = |i: usize| particles.rest_volume[i] / particles.compression(i);
        let between = |i: usize, j: usize| particles.position[i] - particles.position[j];
        let weight = |i: usize, j: usize| volume(j) * kernel.value(between(i, j).length());
        let all = |i: usize| (0..3).map(|j| weight(i, j)).sum::<Real>();
        let colour = |i: usize| (0..3).map(|j| particles.material[j] as Real * weight(i, j)).sum::<Real>() / all(i);
        let gradient = |i: usize, j: usize| volume(j) * kernel.gradient(between(i, j));
        let normal = |i: usize| (0..3).map(|j| (colour(j) - colour(i)) * gradient(i, j)).sum::<Vec3>();
        let curvature = |i: usize| {
            let turn = |j: usize| (normal(j).normalize() - normal(i).normalize()).dot(gradient(i, j));
            -(0..3).map(turn).sum::<Real>() / all(i)
        };
        for (i, &found) in accelerations(&simulation, [0, 1], COLOURS).iter().enumerate() {
            let force = volume(i) * 0.7 * curvature(i) * normal(i);
            let found = found * particles.mass(i);
            assert!(force.length() > 0.0 && (found - force).length() < 1e-4 * force.length(), "{i}: {found} {force}");
        }
    }

    #[test]
    fn colours_do_not_matter_nor_who_comes_first() {
        let simulation = three_particles();
        let expected = accelerations(&simulation, [0, 1], COLOURS);
        for (materials, colours) in [([0, 1], [0.0, 1.0]), ([0, 1], [5.0, -3.0]), ([1, 0], COLOURS)] {
            for (found, expected) in accelerations(&simulation, materials, colours).iter().zip(&expected) {
                assert!((*found - *expected).length() < 1e-4 * expected.length(), "{colours:?}: {found} {expected}");
            }
        }
    }

    /// A free surface has no gradient of the colour: one fluid alone feels nothing.
    #[test]
    fn free_surfaces_are_unaffected() {
        let mut simulation = three_particles();
        simulation.world_mut().particles.material.fill(0);
        simulation.world_mut().take_census();
        assert!(accelerations(&simulation, [0, 1], COLOURS).iter().all(|a| *a == Vec3::ZERO));
    }
}
