//! PCISPH: predicts where all particles will be, measures the densities there, and corrects pressures until the worst
//! particle is within its bound (Sol09 Alg. 2).
//!
//! ```text
//! x* = x + Δt (v* + Δt a(p)),    φ*_i = Σ_j V0_j W(x*_i − x*_j) / φ_lattice
//! p̃_i = δ_i (φ*_i − 1),  p_i += p̃_i                                     Sol09 Eq. 3.8, 3.9
//! ```
//!
//! δ_i is half the inverse diagonal of the system ([`System`](super::system::System)): on a full lattice that is Sol09
//! Eq. 3.7, which lets neighbours share the particle's pressure and so has the 2 in β. Here it is each particle's own,
//! as fluids of different density need, walls are taken into account, which Sol09 3.4 leaves open, and the iteration
//! has momentum ([`Projected`](crate::solve::Projected)) and starts from the pressures of the last step.
//!
//! The error is max(φ* − 1, 0) of the worst particle: missing neighbours at the surface do not make up for compression.
//! Neighbours are those listed at the beginning of the step. Where this underestimates a density, Sol09 3.4 names two
//! remedies, a shorter step or new neighbours: a step that leaves more than twice the bound is taken back and made in
//! halves, each with neighbours of its own.

use serde::{Deserialize, Serialize};

use super::incompressible::{Bounds, Method, Norm, Prediction};
use crate::parameters::{Check, Limits, Parameters};
use crate::real::Real;

/// Incompressible fluid by prediction and correction: long steps, a bound for every single particle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Pcisph>))]
#[serde(default, deny_unknown_fields)]
pub struct Pcisph {
    /// Compression that is allowed to the worst particle [-]. Lower takes more iterations.
    pub density_error: Real,
    /// Share of the compression without pressure that may be left, on average [-]. Lower: quieter; 1: off.
    pub relative_error: Real,
    /// Fewest iterations of a step: information travels one neighbourhood in each.
    pub min_iterations: u32,
    /// Most iterations of a step, even if the error is still too large.
    pub max_iterations: u32,
    /// Share of the last step's pressures that a step starts with [-]. 0 is Sol09's choice, and takes more iterations.
    pub warm_start: Real,
}

impl Default for Pcisph {
    fn default() -> Self {
        Pcisph { density_error: 0.01, relative_error: 0.2, min_iterations: 3, max_iterations: 100, warm_start: 1.0 }
    }
}

impl Parameters for Pcisph {
    fn check(&self, check: &mut Check) {
        check.number("density_error", self.density_error, Limits::above_up_to(0.0, 0.5));
        check.number("relative_error", self.relative_error, Limits::above_up_to(0.0, 1.0));
        check.number("min_iterations", self.min_iterations as Real, Limits::within(1.0, 1000.0));
        check.number("max_iterations", self.max_iterations as Real, Limits::within(1.0, 10_000.0));
        check.number("warm_start", self.warm_start, Limits::within(0.0, 1.0));
    }
}

impl Method for Pcisph {
    const NAME: &'static str = "pcisph";
    const PREDICTION: Prediction = Prediction::AfterMoving;

    fn bounds(&self) -> Bounds {
        let &Pcisph { density_error, relative_error, min_iterations, max_iterations, .. } = self;
        Bounds {
            error: density_error,
            relative: relative_error,
            norm: Norm::Worst,
            fewest: min_iterations,
            most: max_iterations,
        }
    }

    fn warm_start(&self) -> Real {
        self.warm_start
    }
}
