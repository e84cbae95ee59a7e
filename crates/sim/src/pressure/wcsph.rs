//! WCSPH: weakly compressible fluids with the Tait state equation.
//!
//! ```text
//! p_i = k ρ0 / γ (φ_i^γ − 1)                     Sol09 Eq. 2.15, φ = ρ/ρ0
//! e = k ρ0 / γ (φ^(γ−1)/(γ−1) + 1/φ − γ/(γ−1))   energy of compression per rest volume
//! ```
//!
//! Negative pressures pull free surfaces into clumps; they are cut off unless asked for.

use super::blend::PairPressure;
use super::state_equation::{Fluid, StateEquation};
use crate::density::DensityMethod;
use crate::kernel::Shape;
use crate::parameters::{Limits, parameters};
use crate::real::Real;

parameters! {
    /// Weakly compressible fluid: simple and exact in momentum, but its steps are short.
    pub struct Wcsph {
        /// Compression that is allowed at the highest expected speed [-]. Lower is stiffer and slower.
        density_error: Real = 0.01, Limits::above_up_to(0.0, 0.5);
        /// Square of the speed of sound [m^2/s^2]; overrides `density_error`.
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<Real> = None, Limits::POSITIVE;
        /// Exponent γ of the state equation [-]. 7 for water; 1 is a linear spring.
        exponent: Real = 7.0, Limits::within(1.0, 15.0);
        /// Allow negative pressures, so that the fluid attracts itself. Needed for waves around zero pressure, harmful at free surfaces.
        tension: bool = false;
        /// How densities are found.
        density: DensityMethod = DensityMethod::Summation;
        /// How the pressures of two particles combine where densities differ. Without: that which is exact in energy,
        /// `own_volumes` if densities are summed, `density_weighted` with the continuity equation.
        #[serde(skip_serializing_if = "Option::is_none")]
        pair_pressure: Option<PairPressure> = None;
        /// The kernel of pressure gradients; that of the world unless given. With another one energy is no longer exact.
        #[serde(skip_serializing_if = "Option::is_none")]
        gradient_kernel: Option<Shape> = None;
    }
}

impl StateEquation for Wcsph {
    const NAME: &'static str = "wcsph";

    fn fluid(&self) -> Fluid {
        let &Wcsph { stiffness, density_error, gradient_kernel, density, pair_pressure, tension, .. } = self;
        Fluid { stiffness, density_error, gradient_kernel, density, pair_pressure, pulls: tension }
    }

    fn pressure(&self, phi: Real) -> Real {
        (power(phi, self.exponent) - 1.0) / self.exponent
    }

    fn squared_speed(&self, phi: Real) -> Real {
        power(phi, self.exponent - 1.0)
    }

    fn energy(&self, phi: f64) -> f64 {
        let gamma = f64::from(self.exponent);
        let shape = if gamma == 1.0 {
            phi.ln() + 1.0 / phi - 1.0
        } else {
            phi.powf(gamma - 1.0) / (gamma - 1.0) + 1.0 / phi - gamma / (gamma - 1.0)
        };
        shape / gamma
    }
}

/// Whole exponents by multiplication: libraries of mathematics round powers differently from machine to machine.
fn power(base: Real, exponent: Real) -> Real {
    if exponent.fract() == 0.0 { (0..exponent as u32).fold(1.0, |power, _| power * base) } else { base.powf(exponent) }
}

#[cfg(test)]
mod tests {
    use super::super::state_equation::tests::{energy_pressure_and_speed_belong_together, pressure_of};
    use super::*;

    fn pressure(exponent: Real, tension: bool, phi: Real) -> Real {
        pressure_of(&Wcsph { stiffness: Some(100.0), exponent, tension, ..Wcsph::default() }, phi)
    }

    #[test]
    fn tait_pressures_are_those_worked_by_hand() {
        // 100 · 1000 / 7 · (1.02⁷ − 1) = 14285.714 · 0.148685668
        assert!((pressure(7.0, false, 1.02) - 2124.081).abs() < 0.05);
        assert!((pressure(1.0, false, 1.02) - 2000.0).abs() < 0.05);
        assert_eq!(pressure(7.0, false, 0.9), 0.0);
        assert!(pressure(7.0, true, 0.9) < 0.0);
    }

    #[test]
    fn energy_and_pressure_belong_together() {
        for exponent in [1.0, 3.5, 7.0] {
            energy_pressure_and_speed_belong_together(&Wcsph { exponent, ..Wcsph::default() });
        }
    }
}
