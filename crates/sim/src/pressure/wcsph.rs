//! WCSPH: weakly compressible fluids with the Tait state equation.
//!
//! ```text
//! p_i = k ρ0 / γ (φ_i^γ − 1)                     Sol09 Eq. 2.15, φ = ρ/ρ0
//! k = c² = v_max² / η                            Sol09 Eq. 2.26
//! ```
//!
//! k [m²/s²] is the square of the speed of sound at rest; η is the compression that is allowed at the speed
//! v_max. Sol09 has no estimate of v_max; here it is the speed that matter reaches when it falls through the
//! height of the scene, v_max² = max |v|² + 2 |g| height. The estimate is a lower bound (an impact on a wall
//! compresses more).
//!
//! Energy of compression per rest volume, with p = φ² de/dφ and e(1) = 0:
//!
//! ```text
//! e = k ρ0 / γ (φ^(γ−1)/(γ−1) + 1/φ − γ/(γ−1))
//! ```
//!
//! Negative pressures pull free surfaces into clumps; they are cut off unless asked for.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::PressureSolver;
use super::pair_force::{add_pressure, scale_pressures};
use super::walls::extrapolate_pressures;
use crate::force::StepContext;
use crate::neighbors::Pairs;
use crate::parameters::{Check, Limits, Parameters};
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::world::{Particles, World};

/// Weakly compressible fluid: simple and exact in momentum, but its steps are short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Wcsph>))]
#[serde(default, deny_unknown_fields)]
pub struct Wcsph {
    /// Compression that is allowed at the highest expected speed [-]. Lower is stiffer and slower.
    pub density_error: Real,
    /// Square of the speed of sound [m^2/s^2]; overrides `density_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Real>,
    /// Exponent γ of the state equation [-]. 7 for water; 1 is a linear spring.
    pub exponent: Real,
    /// Let the fluid pull as well as push. Needed for waves around zero pressure, harmful at free surfaces.
    pub tension: bool,
}

impl Default for Wcsph {
    fn default() -> Self {
        Wcsph { density_error: 0.01, stiffness: None, exponent: 7.0, tension: false }
    }
}

impl Parameters for Wcsph {
    fn check(&self, check: &mut Check) {
        check.number("density_error", self.density_error, Limits::above_up_to(0.0, 0.5));
        check.optional("stiffness", self.stiffness, 1.0, Limits::POSITIVE);
        check.number("exponent", self.exponent, Limits::within(1.0, 15.0));
    }
}

/// Softest fluid there is [m^2/s^2]: where nothing moves and nothing falls, any stiffness will do.
const LEAST_STIFFNESS: Real = 1.0;

/// A weakly compressible fluid at work.
#[derive(Clone, Debug)]
pub(crate) struct WcsphSolver {
    parameters: Wcsph,
    stiffness: Real,
    /// P = p/φ² of every particle.
    scaled: Vec<Real>,
    wall_pressure: Vec<Real>,
}

impl WcsphSolver {
    pub(crate) fn new(parameters: Wcsph) -> Self {
        let stiffness = parameters.stiffness.unwrap_or(LEAST_STIFFNESS);
        WcsphSolver { parameters, stiffness, scaled: Vec::new(), wall_pressure: Vec::new() }
    }

    /// p(φ) of the state equation.
    fn pressure(&self, phi: Real, rest_density: Real) -> Real {
        let gamma = self.parameters.exponent;
        let power = if gamma == 7.0 { phi * (phi * phi * phi) * (phi * phi * phi) } else { phi.powf(gamma) };
        let p = self.stiffness * rest_density / gamma * (power - 1.0);
        if self.parameters.tension { p } else { p.max(0.0) }
    }
}

impl PressureSolver for WcsphSolver {
    fn name(&self) -> &'static str {
        "wcsph"
    }

    fn set_up(&mut self, world: &World) {
        // Adding matter may make the fluid stiffer, never softer.
        if self.parameters.stiffness.is_none() {
            let needed = highest_speed_squared(world) / f64::from(self.parameters.density_error);
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
        extrapolate_pressures(world, pairs, self.parameters.tension, &mut self.wall_pressure);
    }

    fn signal_speed(&self, compression: Real) -> Real {
        // c² = dp/dρ = k φ^(γ−1): compressed fluid is stiffer.
        (self.stiffness * compression.max(1.0).powf(self.parameters.exponent - 1.0)).sqrt()
    }

    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        scale_pressures(step.world, &mut self.scaled);
        add_pressure(step.world, step.pairs, &self.scaled, acceleration);
    }

    fn energy_density(&self, phi: f64, rest_density: f64) -> f64 {
        if phi < 1.0 && !self.parameters.tension {
            return 0.0;
        }
        let gamma = f64::from(self.parameters.exponent);
        let shape = if gamma == 1.0 {
            phi.ln() + 1.0 / phi - 1.0
        } else {
            phi.powf(gamma - 1.0) / (gamma - 1.0) + 1.0 / phi - gamma / (gamma - 1.0)
        };
        f64::from(self.stiffness) * rest_density / gamma * shape
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
fn highest_speed_squared(world: &World) -> f64 {
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
mod tests {
    use super::*;

    fn solver(exponent: Real, tension: bool) -> WcsphSolver {
        WcsphSolver::new(Wcsph { stiffness: Some(100.0), exponent, tension, ..Wcsph::default() })
    }

    #[test]
    fn tait_pressures_are_those_worked_by_hand() {
        // 100 · 1000 / 7 · (1.02⁷ − 1) = 14285.714 · 0.148685668
        assert!((solver(7.0, false).pressure(1.02, 1000.0) - 2124.081).abs() < 0.05);
        assert!((solver(1.0, false).pressure(1.02, 1000.0) - 2000.0).abs() < 0.05);
        assert_eq!(solver(7.0, false).pressure(0.9, 1000.0), 0.0);
        assert!(solver(7.0, true).pressure(0.9, 1000.0) < 0.0);
    }

    /// p = φ² de/dφ, or the energy report would not be the energy.
    #[test]
    fn energy_and_pressure_belong_together() {
        for exponent in [1.0, 3.5, 7.0] {
            let solver = solver(exponent, true);
            for phi in [0.9, 1.0, 1.05, 1.3] {
                let step = 1e-5;
                let slope = (solver.energy_density(phi + step, 1000.0) - solver.energy_density(phi - step, 1000.0))
                    / (2.0 * step);
                let p = f64::from(solver.pressure(phi as Real, 1000.0));
                assert!((phi * phi * slope - p).abs() < 0.05 + 1e-4 * p.abs(), "{exponent} {phi}: {slope} {p}");
            }
            assert!(solver.energy_density(1.0, 1000.0).abs() < 1e-9);
        }
    }
}
