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
//! as fluids of different density need, walls are taken into account, which Sol09 3.4 leaves open, and directions are
//! conjugate ([`Projected`](crate::solve::Projected)) and start from the pressures of the last step. Along each of them the
//! correction goes as far as the predicted densities say.
//!
//! The error is max(φ* − 1, 0) of the worst particle: missing neighbours at the surface do not make up for compression.
//! Neighbours are those listed at the beginning of the step. Where this underestimates a density, Sol09 3.4 names two
//! remedies, a shorter step or new neighbours: a step that leaves more than twice the bound is taken back and made in
//! halves, each with neighbours of its own.

use super::incompressible::{Bounds, Method, Norm, Prediction};
use super::iterated::{Iteration, iterated};
use crate::parameters::Limits;
use crate::real::Real;

iterated! {
    /// Incompressible fluid by prediction and correction: long steps, a bound for every single particle.
    pub struct Pcisph, min_iterations: 3 {
        /// Compression that is allowed to the worst particle [-]. Lower takes more iterations.
        density_error: Real = 0.01, Limits::above_up_to(0.0, 0.5);
    }
}

impl Method for Pcisph {
    const NAME: &'static str = "pcisph";
    const PREDICTION: Prediction = Prediction::AfterMoving;

    fn parameters(&self) -> Iteration {
        self.iteration()
    }

    fn bounds(&self) -> Bounds {
        Bounds { error: self.density_error, norm: Norm::Worst }
    }
}
