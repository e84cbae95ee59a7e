//! DFSPH: keeps velocities free of compression, and densities at rest (Bender & Koschier 2017).
//!
//! Two solves of one system ([`System`](super::system::System)) in each step: first the velocities as they are lose
//! what compresses, then those with which everything else pushes are corrected for the densities after the step:
//!
//! ```text
//! (Δt/φ_lattice) Σ_j V0_j (v_i − v_j)·∇W_ij ≤ 0    where matter is dense already
//! φ* ≤ 1                                           everywhere
//! ```
//!
//! The source removes the divergence at the end of a step; the beginning of the next is the same moment. Its factor α is
//! the inverse diagonal; pressures are accumulated and kept from being negative as a whole, not in each iteration, so
//! that what was overcorrected is taken back. Where it counts neighbours to know a free surface, here the compression
//! tells.

use serde::{Deserialize, Serialize};

use super::incompressible::{Bounds, Method, Norm, Prediction};
use crate::parameters::{Check, Limits, Parameters};
use crate::real::Real;

/// Incompressible fluid with velocities that do not compress: quiet, for the longest steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Dfsph>))]
#[serde(default, deny_unknown_fields)]
pub struct Dfsph {
    /// Compression that is allowed on average [-]. Lower takes more iterations.
    pub density_error: Real,
    /// Compression that velocities may add in a step, on average [-].
    pub divergence_error: Real,
    /// Share of the compression without pressure that may be left, on average [-]. Lower: quieter; 1: off.
    pub relative_error: Real,
    /// Fewest iterations of each solve.
    pub min_iterations: u32,
    /// Most iterations of each solve, even if the error is still too large.
    pub max_iterations: u32,
    /// Share of the last step's pressures that the solve for densities starts with [-].
    pub warm_start: Real,
}

impl Default for Dfsph {
    fn default() -> Self {
        Dfsph {
            density_error: 0.001,
            divergence_error: 0.001,
            relative_error: 0.2,
            min_iterations: 2,
            max_iterations: 100,
            warm_start: 1.0,
        }
    }
}

impl Parameters for Dfsph {
    fn check(&self, check: &mut Check) {
        check.number("density_error", self.density_error, Limits::above_up_to(0.0, 0.5));
        check.number("divergence_error", self.divergence_error, Limits::above_up_to(0.0, 0.5));
        check.number("relative_error", self.relative_error, Limits::above_up_to(0.0, 1.0));
        check.number("min_iterations", self.min_iterations as Real, Limits::within(1.0, 1000.0));
        check.number("max_iterations", self.max_iterations as Real, Limits::within(1.0, 10_000.0));
        check.number("warm_start", self.warm_start, Limits::within(0.0, 1.0));
    }
}

impl Dfsph {
    fn bounds_for(&self, error: Real) -> Bounds {
        Bounds {
            error,
            relative: self.relative_error,
            norm: Norm::Mean,
            fewest: self.min_iterations,
            most: self.max_iterations,
        }
    }
}

impl Method for Dfsph {
    const NAME: &'static str = "dfsph";
    const PREDICTION: Prediction = Prediction::FirstOrder;

    fn bounds(&self) -> Bounds {
        self.bounds_for(self.density_error)
    }

    fn divergence_bounds(&self) -> Option<Bounds> {
        Some(self.bounds_for(self.divergence_error))
    }

    fn warm_start(&self) -> Real {
        self.warm_start
    }
}
