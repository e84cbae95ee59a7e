//! XSPH: draws each velocity towards its neighbourhood's (Monaghan 1989; as a damping, Schechter & Bridson 2012).
//!
//! ```text
//! a_i = (1/Δt) Σ_j ε_ij (2 m_j / (ρ_i + ρ_j)) (v_j − v_i) W_ij,    ε_ij = (ε_i + ε_j)/2
//! ```
//!
//! Matter only: walls do not drag. m_i a_i cancels pair by pair, so momentum is conserved for any densities.

use super::Viscosity;
use crate::force::{Force, StepContext};
use crate::neighbors::{Who, pack, row};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Material, World};
use crate::{each, exchange};

parameters! {
    /// Cheap velocity smoothing; not a physical viscosity: shorter steps make it thicker.
    pub struct Xsph {
        /// Share of the velocity difference to the neighbourhood that a step removes [-]. Higher is thicker.
        strength: Real = 0.02, Limits::within(0.0, 1.0);
    }
}

/// XSPH of all fluids that ask for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct XsphForce {
    strength: Vec<Real>,
    /// Velocity and mass of every particle.
    moving: Vec<[Real; 4]>,
}

/// The strength of XSPH in a fluid.
fn strength_of(material: &Material) -> Real {
    match &material.fluid.viscosity {
        Viscosity::Xsph(xsph) => xsph.strength,
        _ => 0.0,
    }
}

impl Force for XsphForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        if !world_has(step.world) {
            return;
        }
        stage!("xsph");
        let particles = &step.world.particles;
        step.world.by_fluid_and_wall(&mut self.strength, strength_of, |_| 0.0);
        pack(&mut self.moving, particles.len(), |i| row(particles.velocity[i], particles.mass(i)));
        let (strength, moving, density) = (&self.strength, &self.moving, &particles.density);
        // The ½ of ε_ij and the 2 of the mean density cancel.
        let rate = 1.0 / step.dt;
        each!(step.pairs, Who::Matter, acceleration, |i, near, acceleration| {
            let home = particles.velocity[i];
            *acceleration += exchange!(near.matter(), |j| {
                let (velocity, mass) = j.get_packed(moving);
                let strengths = (j.get(strength) + strength[i]) * rate;
                let share = strengths * mass / (j.get(density) + density[i]) * j.w();
                (velocity - j.splat_vec(home)) * share
            });
        });
    }
}

/// Does any fluid use it?
fn world_has(world: &World) -> bool {
    world.flowing_materials().any(|material| strength_of(material) > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::test_worlds::three_particles;

    /// Two steps of algebra on three particles of unequal volume and density.
    #[test]
    fn accelerations_are_those_worked_by_hand_and_conserve_momentum() {
        let mut simulation = three_particles();
        let kernel = *simulation.pairs().kernel();
        for material in &mut simulation.world_mut().materials {
            material.fluid.viscosity = Viscosity::Xsph(Xsph { strength: 0.1 });
        }
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let mut acceleration = vec![Vec3::ZERO; 3];
        let dt = 0.01;
        XsphForce::default().add(&StepContext { world, pairs, sound_speed: 1.0, dt }, &mut acceleration);
        let particles = &world.particles;
        let mut total = Vec3::ZERO;
        for (i, &found) in acceleration.iter().enumerate() {
            let mut expected = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let w = kernel.value((particles.position[i] - particles.position[j]).length());
                let mean = 0.5 * (particles.density[i] + particles.density[j]);
                expected += 0.1 / dt * particles.mass(j) / mean * w * (particles.velocity[j] - particles.velocity[i]);
            }
            assert!((found - expected).length() < 1e-5 * expected.length(), "{i}");
            total += found * particles.mass(i);
        }
        assert!(total.length() < 1e-5 * (acceleration[0] * particles.mass(0)).length());
    }
}
