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
//! 1986), whose steady states are those of Stokes' equation whatever the step is.
//!
//! The start is what the accelerations of the last step lead to: fluid at rest or in steady motion needs no iteration.

mod gradients;
mod system;
mod weight;

use gradients::Gradients;
use system::System;

use super::{Viscosity, walls};
use crate::force::StepContext;
use crate::kernel::Kernel;
use crate::neighbors::pack;
use crate::parameters::{Limits, parameters};
use crate::pressure::{ExpectedPressure, PairPressure};
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::response::BodyResponse;
use crate::stage::stage;
use crate::world::{Material, World};

parameters! {
    /// Newtonian friction that is solved for: it does not limit the step, however thick the fluid.
    pub struct ImplicitViscosity {
        /// Dynamic viscosity μ [Pa s]. Honey has about 10, lava 100 to 10 000.
        dynamic_viscosity: Real = 10.0, Limits::NOT_NEGATIVE;
    }
}

/// The iteration ends when this share of the impulses that must balance is left.
const TOLERANCE: f64 = 3e-3;

/// Impulses that are less than this share of gravity's are none.
const LEAST_SHARE_OF_GRAVITY: f64 = 0.01;

/// What single precision leaves of a residual, as a share of the largest parts of it.
const NOISE: f64 = 1e-7;

/// The friction that is solved for, of all fluids that ask for it.
#[derive(Clone, Debug)]
pub(crate) struct ViscousSolve {
    system: System,
    gradients: Gradients,
    expected: ExpectedPressure,
    /// Velocities without friction.
    free: Vec<Vec3>,
    /// Velocities of all particles, with their fluidities.
    moving: Vec<[Real; 4]>,
    /// Forces, then accelerations [m/s²] by friction, were each particle alone.
    push: Vec<Vec3>,
    answered: Vec<Vec3>,
    partials: Vec<[f64; 3]>,
    iterations: u32,
}

/// The viscosity of a fluid at rest [Pa s], if it is solved for.
fn viscosity_of(material: &Material) -> Option<Real> {
    match &material.fluid.viscosity {
        Viscosity::Implicit(law) => Some(law.dynamic_viscosity),
        _ => None,
    }
}

impl ViscousSolve {
    /// For particles `spacing` apart at rest.
    pub(crate) fn new(kernel: &Kernel, spacing: Real) -> Self {
        ViscousSolve {
            system: System::new(kernel, spacing),
            gradients: Gradients::default(),
            expected: ExpectedPressure::default(),
            free: Vec::new(),
            moving: Vec::new(),
            push: Vec::new(),
            answered: Vec::new(),
            partials: Vec::new(),
            iterations: 0,
        }
    }

    /// Finds the accelerations by friction [m/s²] that matter gets in a step beside `acceleration`, were each particle alone: there
    /// are none unless a fluid asks for it. Pressures that are found later combine so.
    pub(crate) fn find(
        &mut self,
        step: &StepContext<'_>,
        pressures: Option<PairPressure>,
        response: &mut dyn BodyResponse,
        acceleration: &[Vec3],
    ) {
        let &StepContext { world, pairs, dt, .. } = step;
        self.iterations = 0;
        self.push.clear();
        self.answered.clear();
        if !world.flowing_materials().any(|material| viscosity_of(material).is_some_and(|mu| mu > 0.0)) {
            return;
        }
        stage!("implicit viscosity");
        let fluidity = |material: &Material| viscosity_of(material).map_or(Real::INFINITY, |mu| 1.0 / mu);
        walls::by_particle(world, &mut self.system.fluidity, fluidity);
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
