//! Fluids whose pressure follows from their density: what all state equations share.
//!
//! The stiffness k [m²/s²] is the square of the speed of sound at rest, given or
//!
//! ```text
//! k = c² = v_max² / η                            Sol09 Eq. 2.26
//! ```
//!
//! where η is the compression that is allowed at the speed v_max. Sol09 has no estimate of v_max; here it is the speed
//! that matter reaches when it falls through the height of the scene, v_max² = max |v|² + 2 |g| height. The estimate is
//! a lower bound (an impact on a wall compresses more).

use rayon::prelude::*;

use super::blend::{Blend, PairPressure};
use super::pair_force::{add_pressure, add_wall_forces, scale_pressures};
use super::walls::extrapolate_pressures;
use super::{Integrator, Moment, PressureSolver, Scheme, StepLimits, WallForces};
use crate::density::{DensityMethod, compute_densities, continue_densities, sum_masses};
use crate::force::StepContext;
use crate::kernel::{Kernel, Shape};
use crate::neighbors::Passes;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::world::{Memory, Particles, Remembered, World};

/// The parameters of all state equations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fluid {
    /// The stiffness that was given [m²/s²], if any.
    pub(crate) stiffness: Option<Real>,
    /// Compression that is allowed at the highest expected speed [-].
    pub(crate) density_error: Real,
    /// The kernel of pressure gradients, if it is not that of densities.
    pub(crate) gradient_kernel: Option<Shape>,
    /// How densities are found.
    pub(crate) density: DensityMethod,
    /// How the pressures of two particles combine, if it is not as energy asks for.
    pub(crate) pair_pressure: Option<PairPressure>,
    /// May the fluid pull?
    pub(crate) pulls: bool,
}

/// Pressure as a function of compression φ = ρ/ρ0.
pub(crate) trait StateEquation: Send + Sync {
    /// Its name in scene files and diagnoses.
    const NAME: &'static str;

    /// The parameters that all such equations have.
    fn fluid(&self) -> Fluid;

    /// p / (k ρ0) of an equation that pulls.
    fn pressure(&self, phi: Real) -> Real;

    /// Square of the speed of sound over k: dp/dφ / (k ρ0).
    fn squared_speed(&self, phi: Real) -> Real;

    /// e / (k ρ0), the energy of compression per rest volume, with p = φ² de/dφ and e(1) = 0.
    fn energy(&self, phi: f64) -> f64;
}

/// The stiffness where nothing moves and nothing falls [m²/s²]: any will do. It is not the least: if slow flow were as stiff,
/// the rounding of densities would push harder than what drives it.
const STIFFNESS_AT_REST: Real = 1.0;

/// The stiffness with which matter of such a speed is compressed by no more than `density_error` [m²/s²].
pub(super) fn suitable_stiffness(speed_squared: f64, density_error: Real) -> f64 {
    if speed_squared > 0.0 { speed_squared / f64::from(density_error) } else { f64::from(STIFFNESS_AT_REST) }
}

/// A state equation at work.
#[derive(Clone, Debug)]
pub(crate) struct StateEquationSolver<E> {
    equation: E,
    /// k [m²/s²]; 0 before there is matter.
    stiffness: Remembered,
    gradient_kernel: Option<Kernel>,
    blend: Blend,
    /// P = p/φ² of every particle.
    scaled: Vec<Real>,
    wall_pressure: Vec<Real>,
    /// Velocities at half a step.
    middle: Vec<[Real; 4]>,
    sums: Vec<[Real; 2]>,
}

impl<E: StateEquation> StateEquationSolver<E> {
    /// A solver in a world whose densities are found with `kernel`.
    pub(crate) fn new(equation: E, kernel: &Kernel, memory: &mut Memory) -> Self {
        let other = |shape| Kernel::new(shape, kernel.support(), kernel.dimension());
        let Fluid { stiffness, gradient_kernel, .. } = equation.fluid();
        StateEquationSolver {
            stiffness: memory.reserve("stiffness", stiffness.unwrap_or(0.0)),
            gradient_kernel: gradient_kernel.filter(|&shape| shape != kernel.shape()).map(other),
            equation,
            blend: Blend::default(),
            scaled: Vec::new(),
            wall_pressure: Vec::new(),
            middle: Vec::new(),
            sums: Vec::new(),
        }
    }

    fn update_densities(&mut self, world: &mut World, moment: Moment<'_>) {
        let Moment { pairs, lattice_sum, elapsed, .. } = moment;
        let density = self.equation.fluid().density;
        match density {
            DensityMethod::Corrected | DensityMethod::Summation => {
                compute_densities(world, &moment, density == DensityMethod::Corrected, &mut self.sums);
            }
            DensityMethod::Masses => sum_masses(world, pairs, lattice_sum),
            DensityMethod::Continuity if elapsed == 0.0 => {}
            DensityMethod::Continuity => {
                continue_densities(world, moment, &self.blend, &mut self.middle);
            }
        }
    }
}

/// p(φ) of a fluid of such a stiffness [Pa].
fn pressure<E: StateEquation>(equation: &E, stiffness: Real, phi: Real, rest_density: Real) -> Real {
    let p = stiffness * rest_density * equation.pressure(phi);
    if equation.fluid().pulls { p } else { p.max(0.0) }
}

impl<E: StateEquation> WallForces for StateEquationSolver<E> {
    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        add_wall_forces(step, self.gradient_kernel.as_ref(), &self.scaled, force);
    }
}

impl<E: StateEquation> PressureSolver for StateEquationSolver<E> {
    fn scheme(&self) -> Scheme {
        Scheme { name: E::NAME, integrator: Integrator::Leapfrog, passes: Passes::Few }
    }

    fn set_up(&mut self, world: &mut World, expected: f64) {
        // Adding matter may make the fluid stiffer, never softer.
        let Fluid { stiffness, density_error, .. } = self.equation.fluid();
        let nothing_comes = world.kinds.matter().is_empty() && world.emitters.is_empty();
        if stiffness.is_none() && !nothing_comes {
            let needed = suitable_stiffness(highest_speed_squared(world) + expected, density_error);
            world.memory[self.stiffness] = world.memory[self.stiffness].max(needed as Real);
        }
    }

    fn update(&mut self, world: &mut World, moment: Moment<'_>) {
        self.update_densities(world, moment);
        let (matter, stiffness, equation) = (world.kinds.matter(), world.memory[self.stiffness], &self.equation);
        let Particles { pressure: column, density, rest_density, .. } = &mut world.particles;
        let columns = (&mut column[matter.clone()], &density[matter.clone()], &rest_density[matter]);
        columns.into_par_iter().with_min_len(4096).for_each(|(p, density, &rest_density)| {
            *p = pressure(equation, stiffness, density / rest_density, rest_density);
        });
        extrapolate_pressures(world, moment.pairs, self.equation.fluid().pulls, &mut self.wall_pressure);
    }

    fn sound_speed(&self, world: &World) -> Real {
        world.memory[self.stiffness].sqrt()
    }

    fn limits(&self, world: &World, compression: Real, acceleration: f64) -> StepLimits {
        // c² = dp/dρ: compressed fluid may be stiffer.
        let squared_speed = world.memory[self.stiffness] * self.equation.squared_speed(compression.max(1.0));
        StepLimits {
            signal_speed: Some(squared_speed.sqrt()),
            acceleration,
            is_paced_by_speed: true,
            acceleration_of_solids: 0.0,
            // Sound is faster.
            oscillation: 0.0,
        }
    }

    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        scale_pressures(step.world, &mut self.scaled);
        let Fluid { density, pair_pressure, .. } = self.equation.fluid();
        let exact = match density {
            DensityMethod::Continuity => PairPressure::DensityWeighted,
            DensityMethod::Corrected | DensityMethod::Summation | DensityMethod::Masses => PairPressure::OwnVolumes,
        };
        self.blend.set_up(step.world, pair_pressure.unwrap_or(exact), density);
        let kernel = self.gradient_kernel.as_ref();
        add_pressure(step.world, step.pairs, kernel, &self.blend, &self.scaled, acceleration);
    }

    fn energy_density(&self, world: &World, phi: f64, rest_density: f64) -> f64 {
        if phi < 1.0 && !self.equation.fluid().pulls {
            return 0.0;
        }
        f64::from(world.memory[self.stiffness]) * rest_density * self.equation.energy(phi)
    }
}

/// Square of the speed that anything in the world is expected to reach [m²/s²]: its own, and that of a fall
/// from the highest matter to the lowest matter or wall.
pub(super) fn highest_speed_squared(world: &World) -> f64 {
    let particles = &world.particles;
    let fastest = reduce::max(particles.len(), |i| f64::from(particles.velocity[i].length_squared()));
    let gravity = f64::from(world.gravity.length());
    let down = world.gravity.normalize_or_zero();
    let depth = |i: usize| f64::from(particles.position[i].dot(down));
    let lowest = (0..particles.len()).map(depth).fold(f64::NEG_INFINITY, f64::max);
    let highest = world.kinds.matter().map(depth).fold(f64::INFINITY, f64::min);
    let height = if !world.kinds.matter().is_empty() { (lowest - highest).max(0.0) } else { 0.0 };
    fastest + 2.0 * gravity * height
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// p of a fluid with a given stiffness.
    pub(in crate::pressure) fn pressure_of<E: StateEquation>(equation: &E, phi: Real) -> Real {
        pressure(equation, equation.fluid().stiffness.unwrap_or(STIFFNESS_AT_REST), phi, 1000.0)
    }

    /// p = φ² de/dφ, or the energy report would not be the energy; and c² = dp/dρ, or steps would be too long.
    pub(in crate::pressure) fn energy_pressure_and_speed_belong_together<E: StateEquation>(equation: &E) {
        for phi in [0.9, 1.0, 1.05, 1.3] {
            let step = 1e-5;
            let slope = (equation.energy(phi + step) - equation.energy(phi - step)) / (2.0 * step);
            let p = f64::from(equation.pressure(phi as Real));
            assert!((phi * phi * slope - p).abs() < 1e-6 + 1e-4 * p.abs(), "{} {phi}: {slope} {p}", E::NAME);
            let step = 1e-2;
            let p = |phi: f64| f64::from(equation.pressure(phi as Real));
            let rise = (p(phi + step) - p(phi - step)) / (2.0 * step);
            let speed = f64::from(equation.squared_speed(phi as Real));
            assert!((rise / speed - 1.0).abs() < 2e-3, "{} {phi}: {rise} {speed}", E::NAME);
        }
        assert!(equation.energy(1.0).abs() < 1e-12);
    }
}
