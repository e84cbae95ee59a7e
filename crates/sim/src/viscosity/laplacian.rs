//! Newtonian friction by the Laplacian of the velocity (Müller 2003, Sol09 Eq. 2.19 in rest volumes).
//!
//! ```text
//! F_i = V_i Σ_j μ_ij V_j (v_j − v_i) ∇²W_ij,    μ_ij = (μ_i + μ_j)/2,    V = V0/φ
//! ```
//!
//! with the Laplacian of the viscosity kernel. A wall that holds the fluid (no slip) counts with the fluid's own
//! μ and a velocity that makes the fluid's velocity equal the wall's at the surface:
//!
//! ```text
//! v_b = v_wall − (d_b/d_i)(v_i − v_wall),    the ratio not above 2
//! ```
//!
//! d_i and d_b are the distances of the particle and of the wall particle from the surface. At a wall with free
//! slip there is no viscous term. On a lattice the effective viscosity is 0.99 μ in 3D at two spacings, 0.86 μ in
//! 2D at two: the error of this discretisation, not of the walls.

use serde::{Deserialize, Serialize};

use super::Viscosity;
use crate::force::{Force, StepContext};
use crate::neighbors::{Lanes, Pairs, Simd, VecLanes, Who, pack, row};
use crate::parameters::{Check, Limits, Parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{BodyKind, World};
use crate::{each, sum};

/// Newtonian friction, as of water, oil or honey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Laplacian>))]
#[serde(default, deny_unknown_fields)]
pub struct Laplacian {
    /// Dynamic viscosity μ [Pa s]. Water has 0.001, honey about 10.
    pub dynamic_viscosity: Real,
}

impl Default for Laplacian {
    fn default() -> Self {
        Laplacian { dynamic_viscosity: 0.001 }
    }
}

impl Parameters for Laplacian {
    fn check(&self, check: &mut Check) {
        check.number("dynamic_viscosity", self.dynamic_viscosity, Limits::NOT_NEGATIVE);
    }
}

/// Laplacian viscosity of all fluids that ask for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaplacianForce {
    /// μ of matter; of walls 1 where they hold the fluid, 0 where they do not.
    viscosity: Vec<Real>,
    /// Velocity and viscosity of every particle.
    moving: Vec<[Real; 4]>,
    /// Vector to the surface and volume of every particle.
    standing: Vec<[Real; 4]>,
}

/// The viscosity that the material of a body asks for [Pa s].
fn viscosity_of(world: &World, body: u32) -> Real {
    match world.material_of(body).map(|material| &material.fluid.viscosity) {
        Some(Viscosity::Laplacian(laplacian)) => laplacian.dynamic_viscosity,
        _ => 0.0,
    }
}

impl Force for LaplacianForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let world = step.world;
        if (0..world.bodies.len()).all(|body| viscosity_of(world, body as u32) == 0.0) {
            return;
        }
        stage!("laplacian");
        world.by_body(&mut self.viscosity, |world, body| match world.bodies[body as usize].kind {
            BodyKind::Matter { .. } => viscosity_of(world, body),
            BodyKind::Wall { no_slip } => Real::from(u8::from(no_slip)),
        });
        let particles = &world.particles;
        let (viscosity, density) = (&self.viscosity, &particles.density);
        pack(&mut self.moving, particles.len(), |i| row(particles.velocity[i], viscosity[i]));
        // V_j = V0_j ρ0_j/ρ_j; a wall particle has its rest volume.
        pack(&mut self.standing, particles.len(), |i| {
            let swelling = if i < world.movable { particles.rest_density[i] / density[i] } else { 1.0 };
            row(particles.to_surface[i], particles.rest_volume[i] * swelling)
        });
        let (moving, standing) = (&self.moving, &self.standing);
        each!(step.pairs, Who::Movable, acceleration, |i, near, acceleration| {
            let home = particles.velocity[i];
            let sum = sum!(near, |j| {
                let (velocity, mu_j) = j.get_packed(moving);
                let (to_surface, volume) = j.get_packed(standing);
                // Only wall particles have a surface to point to.
                let wall = to_surface.dot(to_surface);
                let mu = (mu_j * viscosity[i]).where_positive(wall, (mu_j + viscosity[i]) * 0.5);
                let one = j.splat(1.0);
                let stretch = (one + mirror_ratio(j.x_ij(), to_surface)).where_positive(wall, one);
                (velocity - j.splat_vec(home)) * (mu * volume * stretch * j.viscosity_laplacian())
            });
            // V_i / m_i = 1/ρ_i.
            *acceleration += sum / density[i];
        });
    }

    fn longest_step(&self, world: &World, pairs: &Pairs) -> Option<Real> {
        // Morris 1997: dt ≤ ⅛ (half the support)² / ν.
        let diffusivity = |body: usize| {
            let density = world.material_of(body as u32).map_or(1.0, |material| material.density);
            viscosity_of(world, body as u32) / density
        };
        let thickest = (0..world.bodies.len()).map(diffusivity).fold(0.0, Real::max);
        let half = 0.5 * pairs.kernel().support();
        (thickest > 0.0).then(|| 0.125 * half * half / thickest)
    }
}

/// d_b/d_i for a wall particle b, given x_i − x_b and the vector from b to the surface; between 0 and 2.
#[inline(always)]
fn mirror_ratio<S: Simd>(x_ib: VecLanes<S>, to_surface: VecLanes<S>) -> Lanes<S> {
    let depth = to_surface.dot(to_surface).sqrt();
    // Distance of i from the surface along the wall's normal; a particle that has sunk in counts as very near.
    let height = x_ib.dot(to_surface) / depth - depth;
    (depth / height.max(depth * 0.5)).min(Lanes::splat(2.0))
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
            material.fluid.viscosity = Viscosity::Laplacian(Laplacian { dynamic_viscosity: 2.0 + k as Real });
        }
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let mut acceleration = vec![Vec3::ZERO; 3];
        LaplacianForce::default().add(&StepContext { world, pairs, dt: 0.01 }, &mut acceleration);
        let particles = &world.particles;
        let volume = |i: usize| particles.rest_volume[i] / particles.compression(i);
        let mu = |i: usize| viscosity_of(world, particles.body[i]);
        let mut total = Vec3::ZERO;
        for (i, &found) in acceleration.iter().enumerate() {
            let mut force = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let r = (particles.position[i] - particles.position[j]).length();
                let laplacian = kernel.viscosity_laplacian(r);
                let v_ji = particles.velocity[j] - particles.velocity[i];
                force += volume(i) * volume(j) * 0.5 * (mu(i) + mu(j)) * laplacian * v_ji;
            }
            let found = found * particles.mass(i);
            assert!((found - force).length() < 1e-5 * force.length(), "{i}: {found} {force}");
            total += found;
        }
        assert!(total.length() < 1e-5 * (acceleration[0] * particles.mass(0)).length());
    }

    #[test]
    fn wall_velocities_mirror_those_of_the_fluid() {
        let at = |height: Real| {
            let x_ib = VecLanes::<crate::Portable>::splat(Vec3::new(0.3, height + 0.5, 0.0));
            mirror_ratio(x_ib, VecLanes::splat(Vec3::new(0.0, 0.5, 0.0))).to_array()[0]
        };
        assert!((at(0.5) - 1.0).abs() < 1e-6);
        assert!((at(1.0) - 0.5).abs() < 1e-6);
        assert_eq!(at(0.1), 2.0);
        assert_eq!(at(-0.2), 2.0);
    }
}
