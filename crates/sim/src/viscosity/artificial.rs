//! Artificial viscosity (Monaghan 1992, DG96 Eq. 5): brakes particles that approach each other.
//!
//! ```text
//! a_i = −Σ_j m_j Π_ij ∇W_ij
//! Π_ij = (−α c μ_ij + β μ_ij²)/ρ̄_ij   where μ_ij < 0, else 0
//! μ_ij = h v_ij·x_ij / (r² + 0.01 h²),   ρ̄_ij = (ρ_i + ρ_j)/2
//! ```
//!
//! h is half the support and c the speed of sound of the pressure solver. DG96 has α = 1, β = 2. The force is central:
//! momentum and angular momentum are conserved, rigid rotation is not braked. α and β of a pair are the mean of two
//! fluids'. A wall that holds the fluid counts as fluid of the same density with a mirrored velocity (see `walls.rs`);
//! one with free slip does not count.

use super::{Viscosity, walls};
use crate::force::{Force, StepContext};
use crate::neighbors::{Block, Lanes, Largest, Pairs, Setting, Simd, Who, pack, row};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::stage::stage;
use crate::world::{Material, World};
use crate::{each, exchange, sum};

parameters! {
    /// Friction between particles that approach: against shocks and noise, not a physical viscosity.
    pub struct Artificial {
        /// Friction in proportion to the speed of approach and that of sound [-]. 0.01 to 0.1 for water.
        alpha: Real = 0.1, Limits::NOT_NEGATIVE;
        /// Friction in proportion to the square of the speed of approach [-]: keeps fast particles from passing through.
        beta: Real = 0.2, Limits::NOT_NEGATIVE;
    }
}

/// Artificial viscosity of all fluids that ask for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArtificialForce {
    alpha: Vec<Real>,
    beta: Vec<Real>,
    /// Velocity of every particle, with the mass of matter and the volume of walls.
    moving: Vec<[Real; 4]>,
}

/// α and β of a fluid.
fn coefficients_of(material: &Material) -> (Real, Real) {
    match &material.fluid.viscosity {
        Viscosity::Artificial(artificial) => (artificial.alpha, artificial.beta),
        _ => (0.0, 0.0),
    }
}

/// μ_ij of a pair, given v_ij·x_ij and half the support; zero when it parts.
#[inline(always)]
fn approach<S: Simd, K: Setting>(j: &Block<'_, S, K>, v_dot_x: Lanes<S>, half: Real) -> Lanes<S> {
    v_dot_x.min(j.splat(0.0)) * half / (j.x_ij().dot(j.x_ij()) + 0.01 * half * half)
}

/// DG96 Eq. 8, with what friction adds to the speed of sound.
fn limit(pairs: &Pairs, sound_speed: Real, viscous: Real) -> Real {
    0.4 * 0.5 * pairs.kernel().support() / (sound_speed + 0.6 * viscous)
}

/// The largest α and the largest β of any fluid.
fn largest(world: &World) -> (Real, Real) {
    let all = world.flowing_materials().map(coefficients_of);
    all.fold((0.0, 0.0), |(alpha, beta), other| (alpha.max(other.0), beta.max(other.1)))
}

impl Force for ArtificialForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let (world, pairs) = (step.world, step.pairs);
        if largest(world) == (0.0, 0.0) {
            return;
        }
        stage!("artificial viscosity");
        walls::by_particle(world, &mut self.alpha, |material| coefficients_of(material).0);
        walls::by_particle(world, &mut self.beta, |material| coefficients_of(material).1);
        let particles = &world.particles;
        let (alpha, beta, density) = (&self.alpha, &self.beta, &particles.density);
        // Mass of matter, volume of walls.
        let matter = world.kinds.matter();
        pack(&mut self.moving, particles.len(), |i| {
            row(particles.velocity[i], if matter.contains(&i) { particles.mass(i) } else { particles.rest_volume[i] })
        });
        let (moving, to_surface) = (&self.moving, &particles.to_surface);
        let (half, sound_speed) = (0.5 * pairs.kernel().support(), step.sound_speed);
        each!(pairs, Who::Due, acceleration, |i, near, acceleration| {
            let (home, alpha_i, beta_i) = (particles.velocity[i], alpha[i], beta[i]);
            *acceleration -= exchange!(near.matter(), |j| {
                let (velocity, mass) = j.get_packed(moving);
                let mu = approach(j, (j.splat_vec(home) - velocity).dot(j.x_ij()), half);
                let linear = (j.get(alpha) + alpha_i) * (0.5 * sound_speed);
                let square = (j.get(beta) + beta_i) * 0.5;
                // m_j/ρ̄.
                j.grad_w() * (mass * 2.0 / (j.get(density) + density[i]) * mu * (square * mu - linear))
            });
            // A wall has the density of the fluid, and holds it or not.
            *acceleration -= sum!(near.walls(), |b| {
                let (velocity, volume) = b.get_packed(moving);
                let stretch = walls::stretch(b.x_ij(), b.get_vec(to_surface));
                let mu = approach(b, (b.splat_vec(home) - velocity).dot(b.x_ij()) * stretch, half);
                let (linear, square) = (b.get(alpha) * (alpha_i * sound_speed), b.get(beta) * beta_i);
                b.grad_w() * (volume * mu * (square * mu - linear))
            });
        });
    }

    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        let (world, pairs) = (step.world, step.pairs);
        if largest(world) == (0.0, 0.0) || !walls::any_holds(world) {
            return;
        }
        let (particles, moving, alpha, beta) = (&world.particles, &self.moving, &self.alpha, &self.beta);
        let (half, sound_speed) = (0.5 * pairs.kernel().support(), step.sound_speed);
        each!(pairs, Who::Walls, force, |b, near, force| {
            let (home, to_surface) = (particles.velocity[b], particles.to_surface[b]);
            let sum = sum!(near, |f| {
                let (velocity, mass) = f.get_packed(moving);
                let stretch = walls::stretch(f.x_ij() * f.splat(-1.0), f.splat_vec(to_surface));
                // Of the particle and the wall it is the same, from either side.
                let mu = approach(f, (f.splat_vec(home) - velocity).dot(f.x_ij()) * stretch, half);
                let (linear, square) = (f.get(alpha) * (alpha[b] * sound_speed), f.get(beta) * beta[b]);
                f.grad_w() * (mass * mu * (square * mu - linear))
            });
            *force -= sum * particles.rest_volume[b];
        });
    }

    fn longest_step(&self, world: &World, pairs: &Pairs, sound_speed: Real) -> Option<Real> {
        // DG96 Eq. 8 with α and β: 0.4 h / (c + 0.6 (α c + β max |μ|)). Particles one h apart that fly at each other
        // with the highest speed of all have |μ| = 2 v.
        let (alpha, beta) = largest(world);
        let particles = &world.particles;
        let fastest = reduce::max(particles.len(), |i| f64::from(particles.velocity[i].length_squared())).sqrt();
        let viscous = alpha * sound_speed + beta * 2.0 * fastest as Real;
        (viscous > 0.0).then(|| limit(pairs, sound_speed, viscous))
    }

    fn limit_steps(&self, step: &StepContext<'_>, longest: &mut [Real]) {
        // As it stands in DG96 Eq. 8, with the largest |μ| among the particle's own neighbours.
        let (world, pairs) = (step.world, step.pairs);
        let (alpha, beta) = largest(world);
        if (alpha, beta) == (0.0, 0.0) {
            return;
        }
        let (half, moving) = (0.5 * pairs.kernel().support(), &self.moving);
        each!(pairs, Who::Due, longest, |i, near, longest| {
            let home = world.particles.velocity[i];
            let mu = exchange!(near, |j| {
                let v_ij = j.splat_vec(home) - j.get_packed(moving).0;
                Largest(approach(j, v_ij.dot(j.x_ij()), half) * -1.0)
            });
            let viscous = alpha * step.sound_speed + beta * mu;
            *longest = longest.min(limit(pairs, step.sound_speed, viscous));
        });
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
        let coefficients = [(0.3, 0.5), (0.7, 1.1)];
        for (material, (alpha, beta)) in simulation.world_mut().materials.iter_mut().zip(coefficients) {
            material.fluid.viscosity = Viscosity::Artificial(Artificial { alpha, beta });
        }
        // One pair parts: nothing acts there.
        simulation.world_mut().particles.velocity[1].x = 3.0;
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let mut acceleration = vec![Vec3::ZERO; 3];
        let sound_speed = 3.0;
        let step = StepContext { world, pairs, sound_speed, dt: 0.01 };
        ArtificialForce::default().add(&step, &mut acceleration);
        let particles = &world.particles;
        let (mut total, mut torque, mut apart) = (Vec3::ZERO, Vec3::ZERO, 0);
        for (i, &found) in acceleration.iter().enumerate() {
            let mut expected = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let x_ij = particles.position[i] - particles.position[j];
                let along = (particles.velocity[i] - particles.velocity[j]).dot(x_ij);
                if along >= 0.0 {
                    apart += 1;
                    continue;
                }
                let h = 0.5 * kernel.support();
                let mu = h * along / (x_ij.length_squared() + 0.01 * h * h);
                let mean = |k: fn(&(Real, Real)) -> Real| {
                    0.5 * (k(&coefficients[particles.body[i] as usize]) + k(&coefficients[particles.body[j] as usize]))
                };
                let density = 0.5 * (particles.density[i] + particles.density[j]);
                let pi = (-mean(|c| c.0) * sound_speed * mu + mean(|c| c.1) * mu * mu) / density;
                expected -= particles.mass(j) * pi * kernel.gradient(x_ij);
            }
            assert!((found - expected).length() <= 1e-5 * expected.length(), "{i}: {found} {expected}");
            total += found * particles.mass(i);
            torque += particles.position[i].cross(found * particles.mass(i));
        }
        let scale = (acceleration[0] * particles.mass(0)).length();
        assert!(total.length() < 1e-5 * scale && torque.length() < 1e-6 * scale);
        assert!((1..6).contains(&apart), "some pairs approach, some part");
    }
}
