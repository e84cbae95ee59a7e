//! What rigid bodies may not do: pass through one another (contacts) and leave one another (joints).
//!
//! Forces change the twists of bodies as if these were free; constraints then add impulses, at a point p to body 1 and,
//! with the other sign, to body 2:
//!
//! ```text
//! v₁ ← v₁ + P / m₁,   ω₁ ← ω₁ + I₁⁻¹ (r₁ × P),   r₁ = p − x₁
//! ```
//!
//! so that momentum and angular momentum are kept to rounding. Functions on plain numbers: who the bodies are, and where
//! they touch, is not known here. All in f64, one thread, one order. A step is
//!
//! 1. `prepare`: joints where bodies are,
//! 2. `hold`, as often as forces are looked for that depend on how bodies respond,
//! 3. `solve`: twists that have all forces in them become those with which bodies move,
//! 4. `displacements`: what is added to that motion so that nothing overlaps and joints stay closed,
//!
//! then bodies move by x + Δt v + displacement, and turn by exp(Δt ω), which is what joints count on. What must survive a step
//! are the joints, and the impulses of contacts if those of the next are to begin with them.

mod contacts;
mod factor;
mod holding;
mod islands;
mod joints;
mod rows;
mod solver;
#[cfg(test)]
mod tests;

pub(crate) use contacts::Contact;
pub use joints::{Axis, Kind, Limits, Motor};
pub(crate) use joints::{Definition, Joint, Pose};
#[cfg_attr(not(test), expect(unused_imports, reason = "tests count sweeps"))]
pub(crate) use solver::Outcome;
pub(crate) use solver::{Control, Solver};

use glam::{DMat3, DVec3};

/// How a body responds to impulses, at the moment: world axes, about its centre of mass. All zero for what does not
/// give way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inertia {
    /// 1/m [1/kg].
    pub(crate) inverse_mass: f64,
    /// I⁻¹ [1/(kg m²)].
    pub(crate) inverse_inertia: DMat3,
    /// The centre of mass [m].
    pub(crate) centre: DVec3,
}

/// Velocity of the centre of mass [m/s] and spin [rad/s]; or, where positions are corrected, a displacement [m] and a
/// small rotation [rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    /// Of the centre of mass [m/s].
    pub(crate) velocity: DVec3,
    /// About the centre of mass [rad/s].
    pub(crate) spin: DVec3,
}

impl Twist {
    /// The velocity of a point that is at `arm` from the centre.
    fn at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }

    /// Adds `factor` times another.
    fn add(&mut self, factor: f64, other: &Self) {
        self.velocity += factor * other.velocity;
        self.spin += factor * other.spin;
    }

    /// What another adds to this one.
    fn to(&self, other: &Self) -> Self {
        Self { velocity: other.velocity - self.velocity, spin: other.spin - self.spin }
    }
}

impl Inertia {
    /// The change of velocity at `arm` by an impulse there: W P = P/m + (I⁻¹ (r × P)) × r.
    fn response(&self, arm: DVec3) -> DMat3 {
        let cross = DMat3::from_cols(DVec3::X.cross(arm), DVec3::Y.cross(arm), DVec3::Z.cross(arm));
        DMat3::from_diagonal(DVec3::splat(self.inverse_mass)) + cross * self.inverse_inertia * cross.transpose()
    }

    /// Adds what an impulse [N s] at `arm` does to a twist.
    fn push(&self, twist: &mut Twist, arm: DVec3, impulse: DVec3) {
        twist.velocity += self.inverse_mass * impulse;
        twist.spin += self.inverse_inertia * arm.cross(impulse);
    }
}
