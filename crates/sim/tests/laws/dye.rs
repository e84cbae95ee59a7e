//! A process of the caller: dye that spreads through matter (CONTRIBUTING.md, "a new process in four moves").
//!
//! ```text
//! dc_i/dt = 2 D Σ_j V_j (c_i − c_j) W'_ij / r_ij        Brookshaw 1985
//! ```
//!
//! V_i dc_i/dt cancels pair by pair, so that the amount Σ V_i c_i is conserved; walls take no part.

use thixo_sim::{OwnColumn, OwnValues, Pairs, Process, Real, StepContext, Who, World, each, exchange};

/// Dye in matter.
pub(crate) struct Dye {
    /// Diffusivity D [m^2/s].
    pub(crate) diffusivity: Real,
    /// Scratch: dc/dt of each particle of matter [1/s].
    rate: Vec<Real>,
}

impl Dye {
    pub(crate) fn new(diffusivity: Real) -> Self {
        Dye { diffusivity, rate: Vec::new() }
    }

    /// The longest step [s]: 2 D Σ V_j |W'/r| is 28 D/H² in the plane and 42 D/H² in space with the Wendland kernel, and while
    /// a step is shorter than the inverse of that no concentration leaves the range of its neighbours.
    pub(crate) fn limit(&self, support: Real) -> Real {
        0.02 * support * support / self.diffusivity
    }
}

impl Process for Dye {
    fn columns(&self) -> Vec<OwnColumn> {
        vec![OwnColumn::new("dye", "-", 0.0)]
    }

    fn advance(&mut self, step: &StepContext<'_>, own: &mut OwnValues<'_>) {
        let Dye { diffusivity, rate } = self;
        let (dye, factor) = (&mut own[0], 2.0 * *diffusivity);
        rate.resize(step.world.kinds.matter().len(), 0.0);
        let before = &*dye;
        each!(step.pairs, Who::Matter, rate, |i, near, rate| {
            let own = before[i];
            let flow = exchange!(near.matter(), |j, slope| (j.splat(own) - j.get(before)) * j.volume() * slope);
            *rate = factor * flow;
        });
        dye.iter_mut().zip(&*rate).for_each(|(dye, rate)| *dye += step.dt * rate);
    }

    fn longest_step(&self, _: &World, pairs: &Pairs) -> Option<Real> {
        Some(self.limit(pairs.kernel().support()))
    }
}
