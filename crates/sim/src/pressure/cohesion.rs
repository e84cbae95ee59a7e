//! A state equation with cohesion: attraction as well as repulsion, so that a drop holds together.
//!
//! ```text
//! p_i = k (ρ_i − ρ0) = k ρ0 (φ_i − 1)            DG96 Eq. 6, Sol09 Eq. 2.16
//! e = k ρ0 (ln φ + 1/φ − 1)                      energy of compression per rest volume
//! ```
//!
//! DG96 Eq. 7 is the pair formula with this pressure. Matter thinner than at rest pulls itself together: at a free
//! surface, where half the neighbours are missing, this acts like a skin; inside, it lets particles pair up, which
//! friction keeps small (DG96 always has some). DG96 takes the speed of sound as a second constant; it follows from
//! the first, c = √k.

use super::state_equation::{Fluid, StateEquation};
use crate::density::DensityMethod;
use crate::kernel::Shape;
use crate::parameters::{Limits, parameters};
use crate::real::Real;

parameters! {
    /// Matter that holds together: it attracts itself where it is thin and repels itself where it is dense.
    pub struct Cohesion {
        /// Compression that is allowed at the highest expected speed [-]. Lower is stiffer and slower.
        density_error: Real = 0.01, Limits::above_up_to(0.0, 0.5);
        /// Square of the speed of sound [m^2/s^2]; overrides `density_error`.
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<Real> = None, Limits::POSITIVE;
        /// The kernel of pressure gradients; that of the world unless given. With another one energy is no longer exact.
        #[serde(skip_serializing_if = "Option::is_none")]
        gradient_kernel: Option<Shape> = None;
    }
}

impl StateEquation for Cohesion {
    const NAME: &'static str = "cohesion";

    fn fluid(&self) -> Fluid {
        let &Cohesion { stiffness, density_error, gradient_kernel } = self;
        // Attraction at a free surface comes from the neighbours that a sum misses there.
        let density = DensityMethod::Summation;
        Fluid { stiffness, density_error, gradient_kernel, density, pair_pressure: None, pulls: true }
    }

    fn pressure(&self, phi: Real) -> Real {
        phi - 1.0
    }

    fn squared_speed(&self, _phi: Real) -> Real {
        1.0
    }

    fn energy(&self, phi: f64) -> f64 {
        phi.ln() + 1.0 / phi - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::state_equation::tests::{energy_pressure_and_speed_belong_together, pressure_of};
    use super::*;

    #[test]
    fn attraction_is_as_strong_as_repulsion() {
        let cohesion = Cohesion { stiffness: Some(10.0), ..Cohesion::default() };
        // 10 · (1100 − 1000) and 10 · (900 − 1000).
        assert!((pressure_of(&cohesion, 1.1) - 1000.0).abs() < 1e-2);
        assert!((pressure_of(&cohesion, 0.9) + 1000.0).abs() < 1e-2);
    }

    #[test]
    fn energy_and_pressure_belong_together() {
        energy_pressure_and_speed_belong_together(&Cohesion::default());
    }
}
