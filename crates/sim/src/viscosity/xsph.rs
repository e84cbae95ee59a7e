//! XSPH: draws each velocity towards its neighbourhood's (Monaghan 1989; as a damping, Schechter & Bridson 2012).
//!
//! ```text
//! a_i = Σ_j r_ij (2 m_j / (ρ_i + ρ_j)) (v_j − v_i) W_ij,    r_ij = (r_i + r_j)/2
//! r = R/√(1 + (2 R Δt)²),    R = ε/τ,    τ = min(0.035 √(d/g0), 0.2 d/u),    g0 = 9.81 m/s²
//! ```
//!
//! In the sources a step removes the share ε of a difference of velocities, so that the shorter steps are, the thicker is the
//! fluid. Here R is a rate: τ is the step that a default scene makes, at rest (0.035 √(d/g0), with the spacing d) or where
//! matter moves fast (u is the root mean square of speeds about their mean), so that a scene of another size flows alike. It
//! depends on no step and no frame of reference. Steps too long for R remove no more than they can: r Δt < ½, which is stable
//! even beside a wall that holds the fluid.
//!
//! m_i a_i cancels pair by pair, so momentum is conserved for any densities. Walls: see `walls.rs`.

use super::{Viscosity, walls};
use crate::force::{Force, StepContext};
use crate::measure::speed_about_mean;
use crate::neighbors::{Who, pack, row};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Material, World};
use crate::{each, exchange, sum};

parameters! {
    /// Cheap velocity smoothing; not a physical viscosity: finer particles make it thinner.
    pub struct Xsph {
        /// Share of the velocity difference to the neighbourhood removed in 0.035 √(spacing/9.81 m/s²), about a step [-]. Higher is thicker.
        strength: Real = 0.02, Limits::within(0.0, 1.0);
    }
}

/// τ of matter at rest, in free falls √(d/g0) through a spacing: what `push` lets a step be.
const AT_REST: Real = 0.035;

/// τ of matter that moves, in spacings at its speed u: what `cfl` lets a step be, where the fastest has twice the speed.
const IN_MOTION: Real = 0.2;

/// g0 [m/s²], also where there is other gravity or none: particles are to be kept quiet there as well.
const STANDARD_GRAVITY: Real = 9.81;

/// By how many times R, at most, a difference of velocities decays: in full neighbourhoods hardly by 1, beside a wall that
/// holds the fluid, whose terms are stretched, by up to 2.
const FASTEST_DECAY: Real = 2.0;

/// XSPH of all fluids that ask for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct XsphForce {
    /// r of fluids; 1 for walls that hold them.
    rate: Vec<Real>,
    /// Velocity of every particle, with the mass of matter and the volume of walls.
    moving: Vec<[Real; 4]>,
    partials: Vec<[f64; 4]>,
}

/// The strength of XSPH in a fluid.
fn strength_of(material: &Material) -> Real {
    match &material.fluid.viscosity {
        Viscosity::Xsph(xsph) => xsph.strength,
        _ => 0.0,
    }
}

/// 1/τ where particles are `spacing` apart and move with the speed u [1/s].
fn pace(spacing: Real, speed: Real) -> Real {
    ((STANDARD_GRAVITY / spacing).sqrt() / AT_REST).max(speed / (IN_MOTION * spacing))
}

/// r of fluids with R in a step of `dt` [1/s].
fn effective(rate: Real, dt: Real) -> Real {
    rate / (1.0 + (FASTEST_DECAY * rate * dt).powi(2)).sqrt()
}

impl Force for XsphForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let world = step.world;
        if !world_has(world) {
            return;
        }
        stage!("xsph");
        let particles = &world.particles;
        let pace = pace(world.spacing, speed_about_mean(world, &mut self.partials) as Real);
        walls::by_particle(world, &mut self.rate, |material| effective(strength_of(material) * pace, step.dt));
        let matter = world.kinds.matter();
        pack(&mut self.moving, particles.len(), |i| {
            row(particles.velocity[i], if matter.contains(&i) { particles.mass(i) } else { particles.rest_volume[i] })
        });
        let (rate, moving, density) = (&self.rate, &self.moving, &particles.density);
        let (to_surface, walls_hold) = (&particles.to_surface, walls::any_holds(world));
        each!(step.pairs, Who::Due, acceleration, |i, near, acceleration| {
            let (home, own) = (particles.velocity[i], rate[i]);
            // The ½ of r_ij and the 2 of the mean density cancel.
            *acceleration += exchange!(near.matter(), |j| {
                let (velocity, mass) = j.get_packed(moving);
                let share = (j.get(rate) + own) * mass / (j.get(density) + density[i]) * j.w();
                (velocity - j.splat_vec(home)) * share
            });
            if walls_hold {
                // A wall has the density of the fluid.
                *acceleration += sum!(near.walls(), |b| {
                    let (velocity, volume) = b.get_packed(moving);
                    let share = b.get(rate) * own * volume * walls::stretch(b.x_ij(), b.get_vec(to_surface)) * b.w();
                    (velocity - b.splat_vec(home)) * share
                });
            }
        });
    }

    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        let world = step.world;
        if !world_has(world) || !walls::any_holds(world) {
            return;
        }
        let (particles, rate, moving) = (&world.particles, &self.rate, &self.moving);
        each!(step.pairs, Who::Walls, force, |b, near, force| {
            let (home, to_surface) = (particles.velocity[b], particles.to_surface[b]);
            let drag = sum!(near, |f| {
                let (velocity, mass) = f.get_packed(moving);
                let stretch = walls::stretch(f.x_ij() * f.splat(-1.0), f.splat_vec(to_surface));
                (velocity - f.splat_vec(home)) * (f.get(rate) * rate[b] * mass * stretch * f.w())
            });
            *force += drag * particles.rest_volume[b];
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
        let velocity = &world.particles.velocity;
        let mean = velocity.iter().sum::<Vec3>() / 3.0;
        let speed = (velocity.iter().map(|&v| (v - mean).length_squared()).sum::<Real>() / 3.0).sqrt();
        let rate = 0.1 * ((9.81 / world.spacing).sqrt() / 0.035).max(speed / (0.2 * world.spacing));
        let rate = rate / (1.0 + (2.0 * rate * dt).powi(2)).sqrt();
        XsphForce::default().add(&StepContext { world, pairs, sound_speed: 1.0, dt }, &mut acceleration);
        let particles = &world.particles;
        let mut total = Vec3::ZERO;
        for (i, &found) in acceleration.iter().enumerate() {
            let mut expected = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let w = kernel.value((particles.position[i] - particles.position[j]).length());
                let mean = 0.5 * (particles.density[i] + particles.density[j]);
                expected += rate * particles.mass(j) / mean * w * (particles.velocity[j] - particles.velocity[i]);
            }
            assert!((found - expected).length() < 1e-5 * expected.length(), "{i}");
            total += found * particles.mass(i);
        }
        assert!(total.length() < 1e-5 * (acceleration[0] * particles.mass(0)).length());
    }
}
