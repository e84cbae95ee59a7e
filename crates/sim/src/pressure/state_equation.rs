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

use super::PressureSolver;
use super::blend::{Blend, PairPressure};
use super::pair_force::{add_pressure, scale_pressures};
use super::walls::extrapolate_pressures;
use crate::density::DensityMethod;
use crate::force::StepContext;
use crate::kernel::{Kernel, Shape};
use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::world::{Particles, World};

/// Pressure as a function of compression φ = ρ/ρ0.
pub(crate) trait StateEquation: Send + Sync {
    /// Its name in scene files and diagnoses.
    const NAME: &'static str;

    /// The stiffness that was given [m²/s²], if any.
    fn stiffness(&self) -> Option<Real>;

    /// Compression that is allowed at the highest expected speed [-].
    fn density_error(&self) -> Real;

    /// The kernel of pressure gradients, if it is not that of densities.
    fn gradient_kernel(&self) -> Option<Shape>;

    /// How densities are found.
    fn density(&self) -> DensityMethod;

    /// How the pressures of two particles combine, if it is not as energy asks for.
    fn pair_pressure(&self) -> Option<PairPressure> {
        None
    }

    /// May the fluid pull?
    fn pulls(&self) -> bool;

    /// p / (k ρ0) of an equation that pulls.
    fn pressure(&self, phi: Real) -> Real;

    /// Square of the speed of sound over k: dp/dφ / (k ρ0).
    fn squared_speed(&self, phi: Real) -> Real;

    /// e / (k ρ0), the energy of compression per rest volume, with p = φ² de/dφ and e(1) = 0.
    fn energy(&self, phi: f64) -> f64;
}

/// Softest fluid there is [m²/s²]: where nothing moves and nothing falls, any stiffness will do.
const LEAST_STIFFNESS: Real = 1.0;

/// A state equation at work.
#[derive(Clone, Debug)]
pub(crate) struct StateEquationSolver<E> {
    equation: E,
    stiffness: Real,
    gradient_kernel: Option<Kernel>,
    blend: Blend,
    /// P = p/φ² of every particle.
    scaled: Vec<Real>,
    wall_pressure: Vec<Real>,
}

impl<E: StateEquation> StateEquationSolver<E> {
    /// A solver in a world whose densities are found with `kernel`.
    pub(crate) fn new(equation: E, kernel: &Kernel) -> Self {
        let other = |shape| Kernel::new(shape, kernel.support(), kernel.dimension());
        StateEquationSolver {
            stiffness: equation.stiffness().unwrap_or(LEAST_STIFFNESS),
            gradient_kernel: equation.gradient_kernel().filter(|&shape| shape != kernel.shape()).map(other),
            equation,
            blend: Blend::default(),
            scaled: Vec::new(),
            wall_pressure: Vec::new(),
        }
    }

    /// p(φ) [Pa].
    pub(super) fn pressure(&self, phi: Real, rest_density: Real) -> Real {
        let p = self.stiffness * rest_density * self.equation.pressure(phi);
        if self.equation.pulls() { p } else { p.max(0.0) }
    }
}

impl<E: StateEquation> PressureSolver for StateEquationSolver<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn density_method(&self) -> DensityMethod {
        self.equation.density()
    }

    fn gradient_kernel(&self) -> Option<&Kernel> {
        self.gradient_kernel.as_ref()
    }

    fn set_up(&mut self, world: &World, expected: f64) {
        // Adding matter may make the fluid stiffer, never softer.
        if self.equation.stiffness().is_none() {
            let needed = (highest_speed_squared(world) + expected) / f64::from(self.equation.density_error());
            self.stiffness = self.stiffness.max(needed as Real);
        }
    }

    fn update_pressures(&mut self, world: &mut World, pairs: &Pairs) {
        let movable = world.movable;
        let Particles { pressure, density, rest_density, .. } = &mut world.particles;
        let columns = (&mut pressure[..movable], &density[..movable], &rest_density[..movable]);
        columns.into_par_iter().with_min_len(4096).for_each(|(pressure, density, &rest_density)| {
            *pressure = self.pressure(density / rest_density, rest_density);
        });
        extrapolate_pressures(world, pairs, self.equation.pulls(), &mut self.wall_pressure);
    }

    fn blend(&self) -> Option<&Blend> {
        Some(&self.blend)
    }

    fn sound_speed(&self) -> Real {
        self.stiffness.sqrt()
    }

    fn signal_speed(&self, compression: Real) -> Option<Real> {
        // c² = dp/dρ: compressed fluid may be stiffer.
        Some((self.stiffness * self.equation.squared_speed(compression.max(1.0))).sqrt())
    }

    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        scale_pressures(step.world, &mut self.scaled);
        let density = self.equation.density();
        let exact = match density {
            DensityMethod::Continuity => PairPressure::DensityWeighted,
            DensityMethod::Summation | DensityMethod::Masses => PairPressure::OwnVolumes,
        };
        self.blend.set_up(step.world, self.equation.pair_pressure().unwrap_or(exact), density);
        let kernel = self.gradient_kernel.as_ref();
        add_pressure(step.world, step.pairs, kernel, &self.blend, &self.scaled, acceleration);
    }

    fn energy_density(&self, phi: f64, rest_density: f64) -> f64 {
        if phi < 1.0 && !self.equation.pulls() {
            return 0.0;
        }
        f64::from(self.stiffness) * rest_density * self.equation.energy(phi)
    }

    fn memory(&self) -> Vec<Real> {
        vec![self.stiffness]
    }

    fn recall(&mut self, memory: &[Real]) {
        if let Some(&stiffness) = memory.first() {
            self.stiffness = stiffness;
        }
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
    let highest = (0..world.movable).map(depth).fold(f64::INFINITY, f64::min);
    let height = if world.movable > 0 { (lowest - highest).max(0.0) } else { 0.0 };
    fastest + 2.0 * gravity * height
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

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
