//! IISPH: solves for the pressures with which a step compresses nothing, to first order (Ihmsen 2014; Peer18 4.4).
//!
//! The system is that of [`System`](super::system::System), the error the mean of max(φ* + A p − 1, 0). Instead of
//! Ihmsen's relaxed Jacobi iteration it is solved by projected conjugate gradients ([`Projected`](crate::solve::Projected)):
//! the same bound in fewer iterations.

use super::incompressible::{Bounds, Method, Norm, Prediction};
use super::iterated::{Iteration, iterated};
use crate::parameters::Limits;
use crate::real::Real;

iterated! {
    /// Incompressible fluid by a solve for pressures: the longest steps, a bound for the mean density error.
    pub struct Iisph, min_iterations: 2 {
        /// Compression that is allowed on average [-]. Lower takes more iterations.
        density_error: Real = 0.001, Limits::above_up_to(0.0, 0.5);
    }
}

impl Method for Iisph {
    const NAME: &'static str = "iisph";
    const PREDICTION: Prediction = Prediction::FirstOrder;

    fn parameters(&self) -> Iteration {
        self.iteration()
    }

    fn bounds(&self) -> Bounds {
        Bounds { error: self.density_error, norm: Norm::Mean }
    }
}
