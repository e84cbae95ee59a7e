//! Time integration of implicit bodies: the θ-method, with a θ of each body and step.
//!
//! A step moves particles by velocities w between those before and after, and takes elastic forces from positions as far along:
//!
//! ```text
//! x(n+1) = x(n) + Δt w,    w = (1 − θ) v(n) + θ v(n+1)
//! M (v(n+1) − v(n)) = Δt (M a* + f(y)) + J,    y = x(n) + (θ Δt + τ) w
//! ```
//!
//! with external accelerations a*, impulses J of contact, and the damping τ. Multiplied by θ, that is an equation for the velocities
//! that move, as pressures and contact need: (M + θ Δt (θ Δt + τ) K) w = M v(n) + θ Δt (M a* + f(x)) + θ J. θ = 1 is backward Euler
//! (Peer18 3), θ = ½ the implicit midpoint rule, of second order. Forces are linear in positions, f = −K x, while rotations are held:
//! at x(n) in backward Euler, and to second order where the particles will be in the middle of the step, x(n) + ½ Δt v(n). In every
//! step, however long the one before was and whatever its θ,
//!
//! ```text
//! ΔE = J·w − (θ − ½) (|v(n+1) − v(n)|²_M + |x(n+1) − x(n)|²_K) − Δt τ |w|²_K,    E = ½ |v|²_M + ½ |x|²_K
//! ```
//!
//! so that no change of steps can give energy to a body (a scheme with more memory, such as that of Hilber, Hughes and Taylor, gives
//! some where contact strains a body in a long step and the next one is short), nor can contact that stops w: then J·w = 0.
//!
//! **Choice of θ.** A vibration has the damping ratio ζ = (θ − ½) ω Δt, and what no step resolves loses the share 1 − (1 − θ)/θ of its
//! amplitude in a step. With ω² = w·K w / w·M w, the Rayleigh quotient of how a body is deformed, in the mean over the last
//! radian of its motion,
//!
//! ```text
//! θ = ½ + min(¼, ½ c (ω Δt)²)
//! ```
//!
//! damps what 31 steps resolve by 2 % in ten periods, and takes two thirds in every step of what three steps or less do; ζ is of
//! third order, so the method of second.
//!
//! **Contact.** What iterated pressures do in a step stops w, so that with θ = ½ a body is reflected, particle by particle, and never
//! comes to rest; what removes overlap at the velocity e leaves it with 2 e, which is energy from nowhere; and the springs of explicit
//! pressures have amplification factors whose product is 1 + (1 − θ) k Δt²/m. Bodies step by backward Euler while something else is
//! within the support of particles that no clamp holds, or pressure keeps their own parts from each other.
//!
//! **Steps that resolve what moves.** The implicit midpoint rule makes a period longer by the share (ω Δt)²/12. Where a
//! vibration has the share s of all kinetic energy, measured about the mean velocity, steps keep the product of both within a bound:
//!
//! ```text
//! √s ω Δt ≤ 0.15
//! ```
//!
//! A beam that swings alone, or a wave in a bar, is resolved by 42 steps in a period. Bodies that touch something, whose vibrations are
//! damped away, do not limit steps.

use std::f64::consts::{LN_2, TAU};

use serde::{Deserialize, Serialize};

use super::implicit::ImplicitElasticity;
use super::law::{Law, Scheme};
use super::vibration::Vibration;
use crate::neighbors::{Pairs, Who};
use crate::real::Real;
use crate::world::World;
use crate::{each, exchange};

/// How an implicit step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ImplicitScheme {
    /// Of first order, as Peer18: damps all vibrations, the more the longer the step.
    BackwardEuler,
    /// Of second order: keeps vibrations that some 30 steps resolve.
    #[default]
    SecondOrder,
}

impl ImplicitScheme {
    /// Up to which frequency vibrations last in steps of `dt` [Hz]: such a vibration loses half of its amplitude in ten periods.
    pub fn kept_frequency(self, dt: Real) -> f64 {
        // exp(−2π · 10 ζ) = ½, with ζ = ½ ω Δt or ½ c (ω Δt)³.
        let twice_ratio = 2.0 * LN_2 / (TAU * 10.0);
        let radians = match self {
            ImplicitScheme::BackwardEuler => twice_ratio,
            ImplicitScheme::SecondOrder => (twice_ratio / DISSIPATION).cbrt(),
        };
        radians / (TAU * f64::from(dt))
    }
}

/// c: a vibration of 31 steps keeps 0.975 of its amplitude over ten periods, one of 63 steps 0.997.
const DISSIPATION: f64 = 0.1;

/// How much θ is above ½ at most: what no step resolves keeps a third of its amplitude in each.
const MOST_ABOVE_HALF: f64 = 0.25;

impl Vibration {
    /// θ of a step of `dt`.
    fn choose(&self, dt: Real) -> Real {
        let radians_squared = self.frequency_squared() * f64::from(dt).powi(2);
        0.5 + (0.5 * DISSIPATION * radians_squared).min(MOST_ABOVE_HALF) as Real
    }
}

/// What the first step of a run is of one whose length is known to be right.
const FIRST_SHARE: f64 = 0.1;

impl World {
    /// θ of bonded particle `i` in this step, or the last; 1 of all that is not solved for.
    #[inline(always)]
    pub(crate) fn implicitness(&self, i: usize) -> Real {
        self.solids
            .law(self.particles.material[i])
            .map_or(1.0, |law| self.body_implicitness(self.particles.body[i], law))
    }

    #[inline(always)]
    fn body_implicitness(&self, body: u32, law: &Law) -> Real {
        match law.scheme {
            Scheme::Implicit { scheme: ImplicitScheme::SecondOrder, .. } => {
                self.memory.vibrations.get(body as usize).map_or(0.5, |vibration| vibration.implicitness)
            }
            _ => 1.0,
        }
    }

    /// The longest step that resolves how implicit bodies vibrate, where others allow `dt` [s].
    pub(crate) fn resolving_step(&self, dt: f64) -> f64 {
        // How they will vibrate is known after a step.
        let is_first = self.clock.step == 0 && self.solids.any(|law| law.rotation_lead() > 0.0);
        let start = if is_first { FIRST_SHARE * dt } else { dt };
        self.memory.vibrations.iter().map(Vibration::longest_step).fold(start, f64::min)
    }
}

impl ImplicitElasticity {
    /// Chooses θ of every body for a step of `dt`; 1 where contact is resolved without asking bodies to respond.
    pub(crate) fn choose_implicitness(&mut self, world: &mut World, pairs: &Pairs, dt: Real, has_contact_model: bool) {
        let is_asked = |law: &Law| law.rotation_lead() > 0.0;
        if !world.solids.any(is_asked) {
            return;
        }
        let Self { owners, nearness, .. } = self;
        owners.clear();
        owners.extend(world.particles.body.iter().map(|&body| body as Real));
        nearness.resize(world.solids.len(), 0.0);
        each!(pairs, Who::Matter, nearness, |i, near, nearness| {
            *nearness = exchange!(near, |j| {
                let other = j.get(owners) - j.splat(owners[i]);
                other * other * j.w()
            });
        });
        let World { solids, particles, memory, .. } = world;
        memory.vibrations.resize(solids.slots(), Vibration::default());
        memory.vibrations.iter_mut().for_each(|vibration| vibration.implicitness = vibration.choose(dt));
        let touches = |i: usize| particles.clamp[i] == 0 && (nearness[i] > 0.0 || particles.pressure[i] > 0.0);
        for (body, range) in &solids.runs {
            if has_contact_model || range.clone().any(touches) {
                memory.vibrations[*body as usize].implicitness = 1.0;
            }
        }
    }
}

/// The lengths of a step of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stepping {
    /// θ Δt: for how long accelerations act on the velocities that move [s].
    pub(super) lead: Real,
    /// θ Δt + τ: from positions to those at which stress is evaluated, over velocities [s].
    pub(super) reach: Real,
}

impl Stepping {
    /// Of a step of `dt`.
    #[inline(always)]
    pub(super) fn of(world: &World, body: u32, law: &Law, dt: Real) -> Self {
        let lead = world.body_implicitness(body, law) * dt;
        Stepping { lead, reach: lead + law.damping }
    }

    /// s, by which the matrix is M + s K [s²].
    #[inline(always)]
    pub(super) fn stiffness(&self) -> Real {
        self.lead * self.reach
    }
}

impl Law {
    /// By how much of a step particles with the velocities of its start are ahead where rotations are taken [-].
    #[inline(always)]
    pub(super) fn rotation_lead(&self) -> Real {
        match self.scheme {
            Scheme::Implicit { scheme: ImplicitScheme::SecondOrder, .. } => 0.5,
            _ => 0.0,
        }
    }
}
