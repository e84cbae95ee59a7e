//! Time integration of implicit bodies: at which positions a step evaluates their forces.
//!
//! With the velocities w that move a body (x(n+1) = x(n) + Δt w(n+½)), external accelerations a*, forces f that are linear
//! in positions while rotations are held, K = −∂f/∂x and the damping τ, a step solves
//!
//! ```text
//! M (w(n+½) − w(n−½)) = Δt (M a* + f(y))
//! y = x + β (1 − α) Δt (w(n+½) − w(n−½)) + κ Δt² a(n−1) + ½ τ (w(n−½) + w(n+½))
//! β = ¼ (1 + α)²,    κ = ¼ α (1 − α)²,    a(n) = (w(n+½) − w(n−½))/Δt
//! ```
//!
//! This is the method of Hilber, Hughes and Taylor 1977 with its accelerations eliminated: f weighs the positions before and
//! after in a sum over x(n+1), x(n), x(n−1) and x(n−2). With α = 0 it is the trapezoidal rule (Newmark's β = ¼), which
//! conserves ½ w·M w + ½ x·K x with x at half steps. Written so, rotations are those of x(n), in the middle of the
//! formula, where a step from v(n) would take them at its start; and an impulse J of contact, of which w(n+½) takes all,
//! adds the work ½ J·(w(n−½) + w(n+½)): none where that closes a gap and never more.
//!
//! The damping by α is of third order, ζ = ½ κ (ω Δt)³: what ten steps or more resolve is kept, what no step resolves is
//! gone after some twenty. Without (α = 0) the noise of contact stays in the body for ever.
//!
//! Steps may differ in length. With Δt now, Δt₀ and Δt₁ before, accelerations act for h = ½ (Δt₀ + Δt), and
//!
//! ```text
//! h (y − x) = β (1 − α) Δt² w(n+½) − c w(n−½) − ¼ α (1 − α)² Δt₀ Δt₁ w(n−3/2) + ½ τ (Δt₀ w(n−½) + Δt w(n+½))
//! c = α (½ − β) Δt Δt₀ + (α (½ + α − β) + ¼ (1 − α)²) Δt₀²
//! ```
//!
//! which is Newmark's update of every step with its own length. An oscillator in steps that change by any factor at random,
//! up to a hundred, is stable however stiff it is; with one length taken for the other it is not.
//!
//! **A limit.** What contact displaces in a step that resolves no vibration is strain at x(n+1), which the energy at half steps
//! does not contain: if the next step is much shorter, it becomes speed. So this is not the default where steps adapt.
//!
//! **Backward Euler** (Peer18 3): y = x + (Δt + τ) w. Of first order: a vibration loses the share 1 − e^(−πωΔt) of its
//! amplitude in each period.

use serde::{Deserialize, Serialize};

use super::law::{Law, Scheme};
use crate::real::{Real, Vec3};
use crate::world::{Clock, World};

/// How an implicit step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ImplicitScheme {
    /// Of first order, as Peer18: damps all vibrations, the more the longer the step.
    #[default]
    BackwardEuler,
    /// Of second order: keeps vibrations that ten steps resolve. Where stiff bodies touch, steps should be of one length.
    SecondOrder,
}

/// α. A vibration of 31 steps keeps 0.994 of its amplitude over ten periods, one of 12 steps 0.93; a rod of 20 particles that
/// falls on a floor in steps in which sound gets 10 particles far keeps 0.56 of its energy. With 0.2 it is 0.992, 0.90 and 0.48,
/// with 0.05 0.997, 0.96 and 0.69 (docs/elasticity.md, "Time").
const DISSIPATION: Real = 0.1;

/// The lengths of a step and of those before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    pub(super) dt: Real,
    /// Of the last two steps, 0 where there was none [s].
    last: [Real; 2],
    /// For how long the last accelerations acted [s].
    last_lead: Real,
}

impl Lengths {
    /// Of a step of `dt` that is to be made.
    pub(super) fn of(world: &World, dt: Real) -> Self {
        let Clock { last_dt, last_but_one_dt, .. } = world.clock;
        Lengths { dt, last: [last_dt, last_but_one_dt], last_lead: world.last_lead() }
    }
}

/// The coefficients of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stepping {
    /// For how long external accelerations act, h [s].
    pub(super) lead: Real,
    /// For how long elastic forces act [s].
    force: Real,
    /// s, by which the matrix is M + s K [s²].
    pub(super) stiffness: Real,
    /// That of w(n−½), where w does not change [s²].
    steady: Real,
    /// That of a(n−1) [s³].
    memory: Real,
}

impl Stepping {
    /// Of a step of these lengths.
    pub(super) fn of(law: &Law, lengths: &Lengths) -> Self {
        let &Lengths { dt, last: [last, before], last_lead } = lengths;
        if law.is_backward() {
            let stiffness = dt * (dt + law.damping);
            return Stepping { lead: dt, force: dt, stiffness, steady: stiffness, memory: 0.0 };
        }
        let (alpha, less) = (DISSIPATION, 1.0 - DISSIPATION);
        let beta = 0.25 * (1.0 + alpha) * (1.0 + alpha);
        let stiffness = beta * less * dt * dt + 0.5 * law.damping * dt;
        let of_last = 0.25 * less * less;
        let older = alpha * of_last * last * before;
        let old = alpha * (0.5 - beta) * dt * last + (alpha * (0.5 + alpha - beta) + of_last) * last * last;
        let lead = 0.5 * (last + dt);
        Stepping {
            lead,
            force: lead,
            stiffness,
            steady: stiffness - old - older + 0.5 * law.damping * last,
            // w(n−3/2) = w(n−½) less what the last accelerations did.
            memory: older * last_lead,
        }
    }

    /// y − x, with w(n+½), w(n−½) and a(n−1).
    #[inline(always)]
    pub(super) fn ahead(&self, after: Vec3, before: Vec3, last: Vec3) -> Vec3 {
        // Differences first: what a body does as a whole must not cost digits.
        ((after - before) * self.stiffness + before * self.steady + last * self.memory) / self.force
    }

    /// The impulse [N s/m³] of a force density that acts in the step.
    #[inline(always)]
    pub(super) fn impulse(&self, force_density: Vec3) -> Vec3 {
        force_density * self.force
    }
}

impl Law {
    /// Is it solved by backward Euler, so that the velocities found are those after the step?
    pub(crate) fn is_backward(&self) -> bool {
        matches!(self.scheme, Scheme::Implicit { scheme: ImplicitScheme::BackwardEuler, .. })
    }
}
