//! Cohesion, curvature and adhesion of Akinci 2013: the artist's surface tension.
//!
//! ```text
//! F_ij = −K_ij γ (m_i m_j C(r) x̂_ij + m_ij (n_i − n_j)),    K_ij = (ρ0_i + ρ0_j)/(ρ_i + ρ_j)          Eq. 1, 3, 4, 5
//! n_i = h Σ_j V0_j ∇W_ij                                                                            Eq. 2
//! C = 32/(π h^9) ((h − r)³ r³ where 2r > h, 2 (h − r)³ r³ − h⁶/64 below)                            Eq. 2 of cohesion
//! F_ib = −β m_i ρ0_i V0_b A(r) x̂_ib,   A = 0.007/h^3.25 (−4r²/h + 6r − 2h)^¼ where 2r > h            Eq. 6, 7
//! ```
//!
//! h is the support. Departures: γ of two fluids is the geometric mean of theirs; m_ij = 2 m_i m_j/(m_i + m_j), which is m
//! for equal masses, so that momentum is conserved for unequal ones. In 2D, C has h^8 and A h^2.25, which keep the units.
//! Adhesion acts on walls and solid bodies alike, and back on them.
//!
//! It is not physical: the tension that γ brings about depends on the spacing, and grows with the square of the density. It holds
//! sheets and threads of one particle together, which `surface` does not see.

use super::work::Work;
use super::{any, wetting};
use crate::force::{Force, StepContext};
use crate::neighbors::{Lanes, Simd, Who, row};
use crate::real::{Dimension, Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

/// Cohesion and adhesion of all fluids that ask for them.
#[derive(Clone, Debug, Default)]
pub(super) struct CohesionForce {
    /// γ of every particle.
    strength: Vec<Real>,
    /// V0 of what flows.
    volume: Vec<Real>,
    /// n and mass.
    normals: Vec<[Real; 4]>,
    /// β V0 of what does not flow, for the fluids of one material.
    solids: Vec<Real>,
    /// m ρ0 of that material.
    masses: Vec<Real>,
    work: Work,
}

/// C(r)/r.
#[inline(always)]
fn cohesion<S: Simd>(r: Lanes<S>, support: Real, constant: Real) -> Lanes<S> {
    let q = r * (1.0 / support);
    let inside = (r.like(1.0) - q).max(r.like(0.0));
    let cube = inside * inside * inside * q * q * q;
    let near = cube + cube - r.like(1.0 / 64.0);
    cube.where_positive(q - 0.5, near) * constant / r.max(r.like(1e-6 * support))
}

/// A(r)/r.
#[inline(always)]
fn adhesion<S: Simd>(r: Lanes<S>, support: Real, constant: Real) -> Lanes<S> {
    let q = r * (1.0 / support);
    // −4q² + 6q − 2 = 2 (2q − 1)(1 − q): positive between a half and one.
    let inside = ((q + q - 1.0) * (r.like(1.0) - q) * 2.0).max(r.like(0.0));
    inside.sqrt().sqrt() * constant / r.max(r.like(1e-6 * support))
}

/// The factors of C and A in powers of q: 32 h⁶/(π h⁹), and 0.007 h^¼/h^3.25.
fn constants(support: Real, dimension: Dimension) -> (Real, Real) {
    let volume = support.powi(dimension.count() as i32);
    (32.0 / (std::f32::consts::PI as Real * volume), 0.007 / volume)
}

impl CohesionForce {
    fn cohere(&mut self, step: &StepContext<'_>) {
        let (world, pairs) = (step.world, step.pairs);
        let CohesionForce { strength, volume, normals, work, .. } = self;
        let (particles, flowing, kernel) = (&world.particles, world.kinds.flowing(), *pairs.kernel());
        world.by_fluid_and_wall(strength, |material| material.tension.cohesion, |_| 0.0);
        volume.clear();
        volume.extend((0..particles.len()).map(|i| if flowing.contains(&i) { particles.rest_volume[i] } else { 0.0 }));
        let (strength, volume, support) = (&*strength, &*volume, kernel.support());
        normals.clear();
        normals.resize(particles.len(), [0.0; 4]);
        each!(pairs, Who::Matter, &mut normals[world.kinds.matter()], |i, near, normal| {
            if strength[i] > 0.0 {
                let slope = exchange!(near.matter(), |j| j.grad_w() * j.get(volume));
                *normal = row(slope * support, particles.mass(i));
            }
        });
        let (normals, (constant, _)) = (&*normals, constants(support, world.dimension));
        let (density, rest_density) = (&particles.density, &particles.rest_density);
        each!(pairs, Who::Matter, &mut work.acceleration, |i, near, acceleration| {
            if strength[i] > 0.0 {
                let [x, y, z, own] = normals[i];
                let home = Vec3::new(x, y, z);
                *acceleration -= exchange!(near.matter(), |j| {
                    let (normal, mass) = j.get_packed(normals);
                    let gamma = (j.get(strength) * strength[i]).sqrt();
                    let swelling = (j.get(rest_density) + rest_density[i]) / (j.get(density) + density[i]);
                    let turn = (j.splat_vec(home) - normal) * (mass * 2.0 / (mass + own));
                    (j.x_ij() * (mass * cohesion(j.r(), support, constant)) + turn) * (gamma * swelling)
                });
            }
        });
    }

    /// Looks up who adheres to whom: β V0 of solids and walls, and m ρ0 of the fluid.
    fn find_adherents(&mut self, world: &World, material: usize) {
        let (particles, flowing) = (&world.particles, world.kinds.flowing());
        let usual = world.materials[material].tension.adhesion;
        let is_own = |i: usize| flowing.contains(&i) && particles.material[i] as usize == material;
        self.solids.clear();
        self.solids.extend((0..particles.len()).map(|b| {
            let body = &world.bodies[particles.body[b] as usize];
            let beta = || wetting::wetting_of(body, material).adhesion.unwrap_or(usual);
            if flowing.contains(&b) { 0.0 } else { particles.rest_volume[b] * beta() }
        }));
        let weight = |i: usize| if is_own(i) { particles.mass(i) * particles.rest_density[i] } else { 0.0 };
        self.masses.clear();
        self.masses.extend((0..particles.len()).map(weight));
    }

    fn adhere(&mut self, step: &StepContext<'_>) {
        let (world, pairs) = (step.world, step.pairs);
        for &material in world.flowing_indices() {
            if !adheres(world, material) {
                continue;
            }
            self.find_adherents(world, material);
            let CohesionForce { solids, masses, work, .. } = self;
            let (solids, masses, particles) = (&*solids, &*masses, &world.particles);
            let support = pairs.kernel().support();
            let (_, constant) = constants(support, world.dimension);
            each!(pairs, Who::Matter, &mut work.acceleration, |i, near, acceleration| {
                if masses[i] > 0.0 {
                    let pull = exchange!(near, |b| b.x_ij() * (b.get(solids) * adhesion(b.r(), support, constant)));
                    *acceleration -= pull * particles.rest_density[i];
                } else if solids[i] > 0.0 {
                    let pull =
                        exchange!(near.matter(), |f| f.x_ij() * (f.get(masses) * adhesion(f.r(), support, constant)));
                    *acceleration -= pull * (solids[i] / particles.mass(i));
                }
            });
        }
    }
}

/// Does a fluid adhere to anything?
fn adheres(world: &World, material: usize) -> bool {
    let by_wall =
        |body: &crate::world::Body| wetting::wetting_of(body, material).adhesion.is_some_and(|beta| beta > 0.0);
    world.materials[material].tension.adhesion > 0.0 || world.bodies.iter().any(by_wall)
}

impl Force for CohesionForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let world = step.world;
        self.work.power = 0.0;
        let coheres = any(world, |tension| tension.cohesion);
        if !coheres && !world.flowing_indices().iter().any(|&material| adheres(world, material)) {
            return;
        }
        stage!("cohesion");
        self.work.clear(acceleration.len());
        if coheres {
            self.cohere(step);
        }
        self.adhere(step);
        self.work.add_to(step, acceleration);
    }

    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        let (world, pairs) = (step.world, step.pairs);
        // Each material again: what it left of the last one would be wrong.
        let mut again = CohesionForce::default();
        for &material in world.flowing_indices().iter().filter(|&&material| adheres(world, material)) {
            again.find_adherents(world, material);
            let (solids, masses, support) = (&again.solids, &again.masses, pairs.kernel().support());
            let (_, constant) = constants(support, world.dimension);
            each!(pairs, Who::Walls, force, |b, near, force| {
                let pull = sum!(near, |f| f.x_ij() * (f.get(masses) * adhesion(f.r(), support, constant)));
                *force -= pull * solids[b];
            });
        }
    }

    fn power(&self) -> f64 {
        self.work.power
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::test_worlds::three_particles;

    #[test]
    fn accelerations_are_those_worked_by_hand_and_conserve_momentum() {
        let mut simulation = three_particles();
        let kernel = *simulation.pairs().kernel();
        for (k, material) in simulation.world_mut().materials.iter_mut().enumerate() {
            material.tension.cohesion = 0.5 + k as Real;
        }
        let mut found = vec![Vec3::ZERO; 3];
        let step = StepContext { world: simulation.world(), pairs: simulation.pairs(), sound_speed: 1.0, dt: 0.01 };
        CohesionForce::default().add(&step, &mut found);
        let particles = simulation.particles();
        let h = kernel.support();
        let normal = |i: usize| {
            let others = (0..3).filter(|&j| j != i);
            let term =
                |j: usize| particles.rest_volume[j] * kernel.gradient(particles.position[i] - particles.position[j]);
            h * others.map(term).sum::<Vec3>()
        };
        let c = |r: Real| {
            let cube = (h - r).powi(3) * r.powi(3);
            let value = if 2.0 * r > h { cube } else { 2.0 * cube - h.powi(6) / 64.0 };
            32.0 / (std::f32::consts::PI as Real * h.powi(9)) * value
        };
        let gamma = |i: usize| 0.5 + particles.material[i] as Real;
        let mut total = Vec3::ZERO;
        for (i, &found) in found.iter().enumerate() {
            let mut force = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let x_ij = particles.position[i] - particles.position[j];
                let (m_i, m_j) = (particles.mass(i), particles.mass(j));
                let k = (particles.rest_density[i] + particles.rest_density[j])
                    / (particles.density[i] + particles.density[j]);
                let pull = m_i * m_j * c(x_ij.length()) * x_ij.normalize();
                let turn = 2.0 * m_i * m_j / (m_i + m_j) * (normal(i) - normal(j));
                force -= k * (gamma(i) * gamma(j)).sqrt() * (pull + turn);
            }
            let found = found * particles.mass(i);
            assert!((found - force).length() < 1e-4 * force.length(), "{i}: {found} {force}");
            total += found;
        }
        assert!(total.length() < 1e-5 * (found[0] * particles.mass(0)).length());
    }
}
