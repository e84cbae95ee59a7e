//! Newtonian friction: what its discretisations share.
//!
//! ```text
//! F_i = V_i Σ_j μ_ij V_j ω_ij P (v_j − v_i),    μ_ij = (μ_i + μ_j)/2,    V = V0/φ
//! ```
//!
//! They differ in the weight ω, and in the part P of the velocity that they brake: all of it, or what is along the line
//! between the particles. Momentum is conserved pair by pair. Walls: see `walls.rs`.

use std::marker::PhantomData;

use super::{Viscosity, walls};
use crate::force::{Force, StepContext};
use crate::kernel::Kernel;
use crate::neighbors::{Block, Lanes, Pairs, Setting, Simd, VecLanes, Who, pack, row};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Material, World};
use crate::{each, exchange, sum};

/// Declares the parameters of Newtonian friction, which are the same in every discretisation.
macro_rules! newtonian {
    ($(#[doc = $about:tt])+ $name:ident) => {
        crate::parameters::parameters! {
            $(#[doc = $about])+
            pub struct $name {
                /// Dynamic viscosity μ [Pa s]. Water has 0.001, honey about 10.
                dynamic_viscosity: crate::real::Real = 0.001, crate::parameters::Limits::NOT_NEGATIVE;
            }
        }

        impl crate::viscosity::newtonian::Newtonian for $name {
            fn dynamic_viscosity(viscosity: &crate::viscosity::Viscosity) -> Option<crate::real::Real> {
                match viscosity {
                    crate::viscosity::Viscosity::$name(this) => Some(this.dynamic_viscosity),
                    _ => None,
                }
            }
        }
    };
}
pub(super) use newtonian;

/// By how much faster friction brakes the turning of a body than its motion: 5/3 for a ball.
const TURNING: Real = 5.0 / 3.0;

/// Newtonian friction in a scene.
pub(super) trait Newtonian {
    /// μ of a fluid with this discretisation [Pa s].
    fn dynamic_viscosity(viscosity: &Viscosity) -> Option<Real>;
}

/// How the Laplacian of the velocity is discretised.
pub(super) trait Discretisation: Newtonian + Send + Sync {
    /// Σ V ω times the square of the support, for a full neighbourhood, at most [-].
    const STIFFNESS: Real;

    /// ω_ij [1/m^(dimension + 2)].
    fn weight<S: Simd, K: Setting>(j: &Block<'_, S, K>, kernel: &Kernel) -> Lanes<S>;

    /// P: the part of a difference of velocities that is braked.
    #[inline(always)]
    fn braked<S: Simd, K: Setting>(j: &Block<'_, S, K>, v_ji: VecLanes<S>) -> VecLanes<S> {
        let _ = j;
        v_ji
    }
}

/// Newtonian friction of all fluids that ask for it.
#[derive(Clone, Debug)]
pub(super) struct NewtonianForce<D> {
    viscosity: Vec<Real>,
    /// Velocity and volume of every particle.
    moving: Vec<[Real; 4]>,
    /// The way of every particle to the surface of its rigid body, and 1; zero for all others. Empty if there are none.
    ways: Vec<[Real; 4]>,
    discretisation: PhantomData<D>,
}

impl<D> Default for NewtonianForce<D> {
    fn default() -> Self {
        NewtonianForce { viscosity: Vec::new(), moving: Vec::new(), ways: Vec::new(), discretisation: PhantomData }
    }
}

/// The viscosity of a fluid [Pa s].
fn viscosity_of<D: Discretisation>(material: &Material) -> Real {
    D::dynamic_viscosity(&material.fluid.viscosity).unwrap_or(0.0)
}

impl<D: Discretisation> Force for NewtonianForce<D> {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let world = step.world;
        if world.flowing_materials().all(|material| viscosity_of::<D>(material) == 0.0) {
            return;
        }
        stage!("newtonian friction");
        walls::by_particle(world, &mut self.viscosity, viscosity_of::<D>);
        let particles = &world.particles;
        let (viscosity, density, to_surface) = (&self.viscosity, &particles.density, &particles.to_surface);
        let walls_hold = walls::any_holds(world);
        let matter = world.kinds.matter();
        // V_j = V0_j ρ0_j/ρ_j; a wall particle has its rest volume.
        pack(&mut self.moving, particles.len(), |i| {
            let swelling = if matter.contains(&i) { particles.rest_density[i] / density[i] } else { 1.0 };
            row(particles.velocity[i], particles.rest_volume[i] * swelling)
        });
        let (moving, kernel) = (&self.moving, *step.pairs.kernel());
        // One viscosity for all matter, as is mostly the case, need not be fetched neighbour by neighbour.
        let is_mixed = viscosity[matter].iter().any(|mu| *mu != viscosity[0]);
        let has_rigid = !world.kinds.rigid().is_empty();
        if has_rigid {
            world.ways_out_of_rigid_bodies(&mut self.ways);
        }
        let ways = &self.ways;
        each!(step.pairs, Who::Due, acceleration, |i, near, acceleration| {
            let (home, own) = (particles.velocity[i], viscosity[i]);
            let mut friction = match has_rigid {
                false => exchange!(near.matter(), |j| {
                    let (velocity, volume) = j.get_packed(moving);
                    let mu = if is_mixed { (j.get(viscosity) + own) * 0.5 } else { j.splat(own) };
                    D::braked(j, velocity - j.splat_vec(home)) * (mu * volume * D::weight(j, &kernel))
                }),
                true => exchange!(near.matter(), |j| {
                    let (velocity, volume) = j.get_packed(moving);
                    let mu = walls::beside_rigid(j, ways[i], ways) * (j.get(viscosity) + own);
                    D::braked(j, velocity - j.splat_vec(home)) * (mu * volume * D::weight(j, &kernel))
                }),
            };
            if walls_hold {
                friction += sum!(near.walls(), |b| {
                    let (velocity, volume) = b.get_packed(moving);
                    let mu = b.get(viscosity) * own * walls::stretch(b.x_ij(), b.get_vec(to_surface));
                    D::braked(b, velocity - b.splat_vec(home)) * (mu * volume * D::weight(b, &kernel))
                });
            }
            // V_i / m_i = 1/ρ_i.
            *acceleration += friction / density[i];
        });
    }

    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        let world = step.world;
        let acts = world.flowing_materials().any(|material| viscosity_of::<D>(material) > 0.0);
        if !acts || !walls::any_holds(world) {
            return;
        }
        let particles = &world.particles;
        let (moving, viscosity, kernel) = (&self.moving, &self.viscosity, *step.pairs.kernel());
        each!(step.pairs, Who::Walls, force, |b, near, force| {
            let (home, to_surface) = (particles.velocity[b], particles.to_surface[b]);
            let drag = sum!(near, |f| {
                let (velocity, volume) = f.get_packed(moving);
                let mu =
                    f.get(viscosity) * viscosity[b] * walls::stretch(f.x_ij() * f.splat(-1.0), f.splat_vec(to_surface));
                D::braked(f, velocity - f.splat_vec(home)) * (mu * volume * D::weight(f, &kernel))
            });
            *force += drag * particles.rest_volume[b];
        });
    }

    fn longest_step(&self, world: &World, pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        // The leapfrog with predicted velocities bears dt λ < 1, λ = ν Σ V ω the rate at which a difference of velocity
        // decays; beside a wall, whose terms are stretched, it is 1.5 times that. (Morris 1997 has a fixed share of
        // h²/ν, for another kernel and walls that are not mirrored.)
        // A rigid body is braked as a whole by all the fluid around it; a light or thin one faster than the fluid is.
        let bound = TURNING * world.rigid.largest_bound();
        let diffusivity = |material: &Material| viscosity_of::<D>(material) * bound.max(1.0 / material.density);
        let thickest = world.flowing_materials().map(diffusivity).fold(0.0, Real::max);
        longest_step::<D>(thickest, pairs.kernel().support())
    }
}

/// The longest stable step for a diffusivity [m²/s], if it is any [s].
pub(super) fn longest_step<D: Discretisation>(diffusivity: Real, support: Real) -> Option<Real> {
    (diffusivity > 0.0).then(|| 0.6 * support * support / (1.5 * D::STIFFNESS * diffusivity))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::simulation::{Simulation, test_worlds::three_particles};

    /// The accelerations by the force.
    pub(in crate::viscosity) fn accelerations_of<D: Discretisation>(simulation: &Simulation) -> Vec<Vec3> {
        let mut acceleration = vec![Vec3::ZERO; simulation.matter().len()];
        let step = StepContext { world: simulation.world(), pairs: simulation.pairs(), sound_speed: 1.0, dt: 0.01 };
        NewtonianForce::<D>::default().add(&step, &mut acceleration);
        acceleration
    }

    /// Three particles of unequal volume and density against the formula; `brake` is ω P v, given x_ij and v_ji. Returns
    /// the torque of all forces by the sum of their magnitudes.
    pub(in crate::viscosity) fn accelerations_are_those_worked_by_hand<D: Discretisation>(
        material: impl Fn(Real) -> Viscosity,
        brake: impl Fn(&Kernel, Vec3, Vec3) -> Vec3,
    ) -> Real {
        let mut simulation = three_particles();
        let kernel = *simulation.pairs().kernel();
        for (k, entry) in simulation.world_mut().materials.iter_mut().enumerate() {
            entry.fluid.viscosity = material(2.0 + k as Real);
        }
        let particles = simulation.particles();
        let volume = |i: usize| particles.rest_volume[i] / particles.compression(i);
        let mu = |i: usize| 2.0 + particles.body[i] as Real;
        let (mut total, mut torque, mut torques) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        let acceleration = accelerations_of::<D>(&simulation);
        for (i, &found) in acceleration.iter().enumerate() {
            let mut force = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let x_ij = particles.position[i] - particles.position[j];
                let v_ji = particles.velocity[j] - particles.velocity[i];
                force += volume(i) * volume(j) * 0.5 * (mu(i) + mu(j)) * brake(&kernel, x_ij, v_ji);
            }
            let found = found * particles.mass(i);
            assert!((found - force).length() < 1e-5 * force.length(), "{i}: {found} {force}");
            total += found;
            let own = particles.position[i].cross(found);
            (torque, torques) = (torque + own, torques + own.length());
        }
        assert!(total.length() < 1e-5 * (acceleration[0] * particles.mass(0)).length());
        torque.length() / torques
    }
}
