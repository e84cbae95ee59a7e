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
//! A body that touches something is given its own least θ: see [`IN_CONTACT`].

use serde::{Deserialize, Serialize};

use super::law::{Law, Scheme};
use crate::real::Real;
use crate::reduce;
use crate::world::World;

/// How an implicit step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ImplicitScheme {
    /// Of first order, as Peer18: damps all vibrations, the more the longer the step.
    #[default]
    BackwardEuler,
    /// Of second order: keeps vibrations that some 30 steps resolve.
    SecondOrder,
}

/// c: a vibration of 31 steps keeps 0.975 of its amplitude over ten periods, one of 63 steps 0.997.
const DISSIPATION: f64 = 0.1;

/// How much θ is above ½ at most. With ½, backward Euler, a ball that bounces off a floor in half a step keeps 0.12 of its speed.
const MOST_ABOVE_HALF: f64 = 0.25;

/// The least θ of a body that touches something. With ½ it would be reflected particle by particle, and never come to rest.
const IN_CONTACT: Real = 0.6;

/// How a body vibrates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vibration {
    /// θ of the last step.
    pub implicitness: Real,
    /// w·K w of its deformation, in the mean over the last radian [W/s].
    pub stiffness: f64,
    /// w·M w, likewise [J].
    pub inertia: f64,
}

impl Default for Vibration {
    fn default() -> Self {
        Vibration { implicitness: 0.5, stiffness: 0.0, inertia: 0.0 }
    }
}

impl Vibration {
    /// ω² [1/s²]; zero where nothing is deformed.
    pub fn frequency_squared(&self) -> f64 {
        if self.stiffness > 0.0 { self.stiffness / self.inertia.max(f64::MIN_POSITIVE) } else { 0.0 }
    }

    /// θ of a step of `dt`.
    fn choose(&self, dt: Real, touches: bool) -> Real {
        let radians_squared = self.frequency_squared() * f64::from(dt).powi(2);
        let theta = 0.5 + (0.5 * DISSIPATION * radians_squared).min(MOST_ABOVE_HALF) as Real;
        if touches { theta.max(IN_CONTACT) } else { theta }
    }

    /// After a step of `dt` in which it moved so.
    pub(super) fn update(&mut self, stiffness: f64, inertia: f64, dt: Real) {
        let radians = (self.frequency_squared().sqrt() * f64::from(dt)).min(1.0);
        let share = if self.inertia > 0.0 { radians } else { 1.0 };
        self.stiffness += share * (stiffness - self.stiffness);
        self.inertia += share * (inertia - self.inertia);
    }
}

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

    /// Chooses θ of every body for a step of `dt`; 1 where contact is resolved without asking bodies to respond.
    pub(crate) fn choose_implicitness(&mut self, dt: Real, has_contact_model: bool) {
        let World { solids, particles, memory, .. } = self;
        if !solids.any(Law::is_implicit) {
            return;
        }
        memory.vibrations.resize(solids.slots(), Vibration::default());
        for (body, range) in &solids.runs {
            let is_pressed = |i: usize| if particles.pressure[i] > 0.0 { 1.0 } else { 0.0 };
            let touches = reduce::max(range.len(), |k| is_pressed(range.start + k)) > 0.0;
            let vibration = &mut memory.vibrations[*body as usize];
            vibration.implicitness = if has_contact_model { 1.0 } else { vibration.choose(dt, touches) };
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
