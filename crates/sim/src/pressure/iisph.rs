//! IISPH: solves for the pressures with which a step compresses nothing, to first order (Ihmsen 2014; Peer18 4.4).
//!
//! The system is that of [`System`](super::system::System), the error the mean of max(φ* + A p − 1, 0). Ihmsen's
//! relaxed Jacobi iteration gets momentum here ([`Projected`](crate::solve::Projected)): the same bound in fewer
//! iterations.

use serde::{Deserialize, Serialize};

use super::incompressible::{Bounds, Method, Norm, Prediction};
use crate::parameters::{Check, Limits, Parameters};
use crate::real::Real;

/// Incompressible fluid by a solve for pressures: the longest steps, a bound for the mean density error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Iisph>))]
#[serde(default, deny_unknown_fields)]
pub struct Iisph {
    /// Compression that is allowed on average [-]. Lower takes more iterations.
    pub density_error: Real,
    /// Share of the compression without pressure that may be left, on average [-]. Lower: quieter; 1: off.
    pub relative_error: Real,
    /// Fewest iterations of a step.
    pub min_iterations: u32,
    /// Most iterations of a step, even if the error is still too large.
    pub max_iterations: u32,
    /// Share of the last step's pressures that a step starts with [-].
    pub warm_start: Real,
}

impl Default for Iisph {
    fn default() -> Self {
        Iisph { density_error: 0.001, relative_error: 0.2, min_iterations: 2, max_iterations: 100, warm_start: 1.0 }
    }
}

impl Parameters for Iisph {
    fn check(&self, check: &mut Check) {
        check.number("density_error", self.density_error, Limits::above_up_to(0.0, 0.5));
        check.number("relative_error", self.relative_error, Limits::above_up_to(0.0, 1.0));
        check.number("min_iterations", self.min_iterations as Real, Limits::within(1.0, 1000.0));
        check.number("max_iterations", self.max_iterations as Real, Limits::within(1.0, 10_000.0));
        check.number("warm_start", self.warm_start, Limits::within(0.0, 1.0));
    }
}

impl Method for Iisph {
    const NAME: &'static str = "iisph";
    const PREDICTION: Prediction = Prediction::FirstOrder;

    fn bounds(&self) -> Bounds {
        let &Iisph { density_error, relative_error, min_iterations, max_iterations, .. } = self;
        Bounds {
            error: density_error,
            relative: relative_error,
            norm: Norm::Mean,
            fewest: min_iterations,
            most: max_iterations,
        }
    }

    fn warm_start(&self) -> Real {
        self.warm_start
    }
}
