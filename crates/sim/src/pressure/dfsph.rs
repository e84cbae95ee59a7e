//! DFSPH: keeps velocities free of compression, and densities at rest (Bender & Koschier 2017).
//!
//! Two solves of one system ([`System`](super::system::System)) in each step: first the velocities at its beginning are
//! made free of compression, then those after all other accelerations are corrected for the densities at its end:
//!
//! ```text
//! (Δt/φ_lattice) Σ_j V0_j (v_i − v_j)·∇W_ij ≤ 0    where matter is dense already
//! φ* ≤ 1                                           everywhere
//! ```
//!
//! The source removes the divergence at the end of a step; the beginning of the next is the same moment. Its factor α is
//! the inverse diagonal; pressures are accumulated and kept from being negative as a whole, not in each iteration, so
//! that what was overcorrected is taken back. The pressure of a particle is what both solves find together; what the first has
//! found, the second need not start from. Where it counts neighbours to detect a free surface, here the compression
//! is used.

use super::incompressible::{Bounds, Method, Norm, Prediction};
use super::iterated::{Iteration, iterated};
use crate::parameters::Limits;
use crate::real::Real;

iterated! {
    /// Incompressible fluid with velocities that do not compress: quiet, for the longest steps.
    pub struct Dfsph, min_iterations: 2 {
        /// Compression that is allowed on average [-]. Lower takes more iterations.
        density_error: Real = 0.001, Limits::above_up_to(0.0, 0.5);
        /// Compression that velocities may add in a step, on average [-].
        divergence_error: Real = 0.001, Limits::above_up_to(0.0, 0.5);
    }
}

impl Method for Dfsph {
    const NAME: &'static str = "dfsph";
    const PREDICTION: Prediction = Prediction::FirstOrder;

    fn parameters(&self) -> Iteration {
        self.iteration()
    }

    fn bounds(&self) -> Bounds {
        Bounds { error: self.density_error, norm: Norm::Mean }
    }

    fn divergence_bounds(&self) -> Option<Bounds> {
        Some(Bounds { error: self.divergence_error, norm: Norm::Mean })
    }
}
