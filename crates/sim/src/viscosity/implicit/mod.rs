//! Friction that is solved for: the same for honey and lava at the step of water (after Weiler et al. 2018).
//!
//! Velocities w that move matter in a step follow from those without friction, u, and the friction at w itself:
//!
//! ```text
//! (M + s K) w = M u,    a_i = −(K w)_i/m_i
//! ```
//!
//! with s = dt, or what the integrator makes of it. Rows are multiplied by masses, so that the matrix is symmetric and positive
//! definite for any masses, volumes and viscosities. K is central (Monaghan 2005): it brakes no rotation and is right at free surfaces
//! ([`system`], weights in [`weight`]). Whatever is left of the solve, the forces K w are summed pair by pair, and keep momentum
//! and angular momentum to rounding. (Weiler et al. divide each row by its density and give the solved velocities to
//! particles, which keeps momentum as far as the solve is exact.)
//!
//! **Walls** that hold the fluid count with mirrored velocities (`walls.rs`); **rigid and elastic bodies** move in the same solve as
//! they respond to impulses ([`gradients`]).
//!
//! **Pressure.** With solvers that iterate, pressures are found after friction. Alone, friction would bear part of the weight
//! of the fluid: at a large viscosity all of it, and pressure none. So u has the pressures of the last step, and the friction
//! that follows is kept while pressures are solved for anew: the incremental form of projection methods (Van Kan
//! 1986), whose steady states are those of Stokes' equation whatever the step is. What friction has borne of compression, which
//! pressure then took, is added to the pressures that the next step expects, p ← p − 2 μ ∇·w (rotational form, Timmermans 1996):
//! otherwise small scales take 3 ν dt/length² steps to come to balance.
//!
//! The start is what the accelerations of the last step lead to: fluid at rest or in steady motion needs no iteration.

mod gradients;
mod system;
mod weight;

use rayon::prelude::*;

use gradients::Gradients;
use system::System;
pub(super) use system::squares;

use super::rheology::{varies, viscosity_of};
use super::shear_rate::ShearRate;
use super::thixotropy::structure;
use super::walls;
use crate::force::StepContext;
use crate::kernel::Kernel;
use crate::neighbors::{Pairs, Who, pack};
use crate::parameters::{Limits, parameters};
use crate::pressure::{ExpectedPressure, PairPressure};
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::response::BodyResponse;
use crate::stage::stage;
use crate::world::{Material, World};
use crate::{each, exchange, sum};

parameters! {
    /// Newtonian friction that is solved for: it does not limit the step, however thick the fluid.
    pub struct ImplicitViscosity {
        /// Dynamic viscosity μ [Pa s]. Honey has about 10, lava 100 to 10 000.
        dynamic_viscosity: Real = 10.0, Limits::NOT_NEGATIVE;
    }
}

/// The iteration ends when this share of the impulses that must balance is left. A column of honey of 1000 Pa s sags by 16.30, 16.28 and
/// 16.30 mm with 0.03, 0.003 and 0.001, in 13, 23 and 29 iterations a step.
const TOLERANCE: f64 = 0.02;

/// The share of its viscosity by which pressure takes over from friction what a step without it would compress. Friction resists
/// compression by three times its viscosity: with 3 all would be taken over at once, were there no surfaces, and pressures would swing with
/// more. That column sags by 5.2 % too little with 0, 1.3 to 1.7 % with 1 to 2.5, in steps of 0.8 ms.
const BULK: Real = 2.0;

/// Impulses that are less than this share of gravity's are none.
const LEAST_SHARE_OF_GRAVITY: f64 = 0.01;

/// What single precision leaves of a residual, as a share of the largest parts of it.
const NOISE: f64 = 1e-7;

/// The friction that is solved for, of all fluids that ask for it.
#[derive(Clone, Debug)]
pub(crate) struct ViscousSolve {
    system: System,
    gradients: Gradients,
    rate: ShearRate,
    expected: ExpectedPressure,
    /// Velocities without friction.
    free: Vec<Vec3>,
    /// Velocities of all particles, with their fluidities.
    moving: Vec<[Real; 4]>,
    /// Forces, then accelerations [m/s²] by friction, were each particle alone.
    push: Vec<Vec3>,
    answered: Vec<Vec3>,
    /// What is added to pressures, of all particles and of walls [Pa].
    gained: Vec<Real>,
    of_walls: Vec<Real>,
    partials: Vec<[f64; 3]>,
    iterations: u32,
}

impl ViscousSolve {
    /// For particles `spacing` apart at rest.
    pub(crate) fn new(kernel: &Kernel, spacing: Real) -> Self {
        ViscousSolve {
            system: System::new(kernel, spacing),
            gradients: Gradients::default(),
            rate: ShearRate::default(),
            expected: ExpectedPressure::default(),
            free: Vec::new(),
            moving: Vec::new(),
            push: Vec::new(),
            answered: Vec::new(),
            gained: Vec::new(),
            of_walls: Vec::new(),
            partials: Vec::new(),
            iterations: 0,
        }
    }

    /// Forgets the step before. Is there a fluid that asks for such friction?
    pub(crate) fn begin(&mut self, world: &World) -> bool {
        self.iterations = 0;
        self.push.clear();
        self.answered.clear();
        world.flowing_materials().any(|material| viscosity_of(material, 1.0, 1.0).is_some_and(|mu| mu > 0.0))
    }

    /// Finds the accelerations by friction [m/s²] that matter gets in a step beside `acceleration`. Pressures that are found later
    /// combine so.
    pub(crate) fn find(
        &mut self,
        step: &StepContext<'_>,
        pressures: Option<PairPressure>,
        response: &mut dyn BodyResponse,
        acceleration: &[Vec3],
    ) {
        let &StepContext { world, pairs, dt, .. } = step;
        stage!("implicit viscosity");
        self.find_fluidities(world, pairs);
        self.find_free_velocities(step, pressures, response, acceleration);
        let (motion, particles, matter) = (world.motion(dt), &world.particles, world.kinds.matter());
        let (coherent, lead) = (world.kinds.coherent(), motion.lead(world));
        let Self { system, gradients, free, moving, .. } = self;
        let start = |i: usize| match system.fluidity[i] < Real::INFINITY && !coherent.contains(&i) {
            true => motion.velocity(world, i, particles.acceleration[i]),
            false => free[i],
        };
        pack(moving, particles.len(), |i| {
            system.row(i, if matter.contains(&i) { start(i) } else { particles.velocity[i] })
        });
        system.set_up((world, pairs), lead, moving);
        gradients.start(world, |i| {
            let velocity = system::vector(moving[i]);
            [free[i], velocity, (free[i] - velocity) * particles.mass(i) + system.sites[i].force * lead]
        });
        let goal = self.goal(world, lead);
        let Self { system, gradients, moving, push, .. } = self;
        self.iterations = gradients.solve((world, pairs), system, response, (goal, TOLERANCE * TOLERANCE));
        let gradients = &*gradients;
        moving[matter.clone()].iter_mut().enumerate().for_each(|(i, row)| *row = system.row(i, gradients.velocity(i)));
        push.resize(matter.len(), Vec3::ZERO);
        system.forces((world, pairs), moving, push);
        push.iter_mut().enumerate().for_each(|(i, push)| *push /= particles.mass(i));
        self.answered.extend_from_slice(push);
        response.respond(world, &mut self.answered[coherent]);
    }

    /// The accelerations by friction that were found [m/s²], were each particle alone; none if there is no such friction.
    pub(crate) fn push(&self) -> &[Vec3] {
        &self.push
    }

    /// The same with bodies as they respond.
    pub(crate) fn answered(&self) -> &[Vec3] {
        &self.answered
    }

    /// How often it iterated in the last step.
    pub(crate) fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Adds the forces on the particles of walls [N] that are the other side of it.
    pub(crate) fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        if !self.push.is_empty() {
            self.system.add_wall_forces((step.world, step.pairs), &self.moving, force);
        }
    }

    /// Adds to the pressures that were found what friction bears of compression and pressure will bear: of the velocities with which
    /// friction was found, those of the step are without compression.
    pub(crate) fn correct_pressures(&mut self, world: &mut World, pairs: &Pairs) {
        if self.push.is_empty() {
            return;
        }
        stage!("viscous pressure");
        let Self { system, moving, gained, .. } = self;
        let (flowing, walls) = (world.kinds.flowing(), world.kinds.walls());
        gained.clear();
        gained.resize(world.particles.len(), 0.0);
        let particles = &world.particles;
        each!(pairs, Who::Matter, &mut gained[world.kinds.matter()], |i, near, gained| {
            let own = system.fluidity[i];
            if flowing.contains(&i) && own < Real::INFINITY {
                let home = system::vector(moving[i]);
                let rate = exchange!(near, |j, slope| {
                    (j.splat_vec(home) - j.get_packed(moving).0).dot(j.x_ij()) * (slope * j.volume())
                });
                let before = particles.pressure[i];
                // No more than there was: what flies alone has no pressure.
                *gained = (BULK * rate / own).clamp(-before, before);
            }
        });
        let mut of_wall = std::mem::take(&mut self.of_walls);
        of_wall.clear();
        of_wall.resize(walls.len(), 0.0);
        let gained = &*gained;
        each!(pairs, Who::Walls, &mut of_wall, |_b, near, of_wall| {
            let (sum, weight) = sum!(near, |f| {
                let weight = f.volume() * f.w();
                (weight * f.get(gained), weight)
            });
            *of_wall = if weight > 0.0 { sum / weight } else { 0.0 };
        });
        let pressure = &mut world.particles.pressure;
        pressure.iter_mut().zip(gained).for_each(|(pressure, gained)| *pressure += *gained);
        pressure[walls].iter_mut().zip(&of_wall).for_each(|(pressure, gained)| *pressure += *gained);
        self.of_walls = of_wall;
    }

    /// 1/η of all fluids, at the rates of shear of the start of the step.
    fn find_fluidities(&mut self, world: &World, pairs: &Pairs) {
        let fluidity = |material: &Material, rate: Real, structure: Real| {
            viscosity_of(material, rate, structure).map_or(Real::INFINITY, |eta| 1.0 / eta)
        };
        let Self { system, rate, .. } = self;
        walls::by_particle(world, &mut system.fluidity, |material| fluidity(material, 0.0, 1.0));
        if !world.flowing_materials().any(varies) {
            return;
        }
        let (rates, structure, flowing) = (rate.find((world, pairs), varies), structure(world), world.kinds.flowing());
        let fluidities = &mut system.fluidity[flowing.clone()];
        fluidities.par_iter_mut().with_min_len(4096).enumerate().for_each(|(k, out)| {
            let i = flowing.start + k;
            let material = &world.materials[world.particles.material[i] as usize];
            if varies(material) {
                *out = fluidity(material, rates[i], structure.map_or(1.0, |structure| structure[i]));
            }
        });
    }

    /// The velocities that would move matter without friction.
    fn find_free_velocities(
        &mut self,
        step: &StepContext<'_>,
        pressures: Option<PairPressure>,
        response: &mut dyn BodyResponse,
        acceleration: &[Vec3],
    ) {
        let world = step.world;
        let (motion, coherent) = (world.motion(step.dt), world.kinds.coherent());
        let Self { expected, free, .. } = self;
        let expected = expected.find(step, pressures, response);
        free.clear();
        free.extend(acceleration.iter().enumerate().map(|(i, acceleration)| {
            match coherent.contains(&i) && world.mobility(i) == 0.0 {
                true => world.particles.velocity[i],
                false => motion.velocity(world, i, *acceleration + expected.get(i).copied().unwrap_or(Vec3::ZERO)),
            }
        }));
    }

    /// The bound of Σ |r|²/m: a share of the impulses from outside, or what rounding leaves.
    fn goal(&mut self, world: &World, lead: Real) -> f64 {
        let Self { system, free, moving, partials, .. } = self;
        let (particles, fluid) = (&world.particles, world.kinds.flowing());
        let gravity = f64::from(world.gravity.length() * lead) * LEAST_SHARE_OF_GRAVITY;
        let [outer, noise, _] = reduce::sum(fluid.len(), partials, |k| {
            let i = fluid.start + k;
            if system.fluidity[i] == Real::INFINITY {
                return [0.0; 3];
            }
            let mass = f64::from(particles.mass(i));
            let external = f64::from((free[i] - particles.velocity[i]).length_squared());
            let largest = f64::from(system.stiffness(i) * system::vector(moving[i]).length());
            [mass * external.max(gravity * gravity), mass * largest * largest, 0.0]
        });
        (TOLERANCE * TOLERANCE * outer).max(NOISE * NOISE * noise)
    }
}

#[cfg(test)]
mod tests;
