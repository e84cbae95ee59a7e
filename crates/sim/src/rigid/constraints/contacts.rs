//! One contact: unilateral, with Coulomb's friction.
//!
//! With u the velocity of body 1 relative to body 2 at the point, n the normal, u = uₙ n + uₜ and P likewise:
//!
//! ```text
//! Signorini:   Pₙ ≥ 0,   uₙ ≥ t,   Pₙ (uₙ − t) = 0
//! Coulomb:     |Pₜ| ≤ μ Pₙ,   and where uₜ ≠ 0:   Pₜ = −μ Pₙ uₜ/|uₜ|
//! ```
//!
//! (Jean 1999). The target t lets bodies approach by what is between them, and throws back what hits: t = −gap/Δt, or
//! −e uₙ of before. A visit finds the normal impulse that leaves uₙ = t, then takes a step against uₜ that is projected onto
//! the disc of radius μ Pₙ; its fixed points are Coulomb's law. The cone is round, no pyramid. (To solve for all three
//! parts at once where the contact sticks took as many sweeps, and an inverse.)

use glam::{DMat3, DVec3};

use super::rows::Impulse;
use super::{Inertia, Twist};

/// Where a body touches another, or a wall.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    /// The body that receives `impulse`.
    pub(crate) first: usize,
    /// The body that receives its opposite; a wall if there is none.
    pub(crate) second: Option<usize>,
    /// Where they touch [m].
    pub(crate) point: DVec3,
    /// Of unit length, from the second towards the first.
    pub(crate) normal: DVec3,
    /// What is between them, negative where they overlap [m].
    pub(crate) gap: f64,
    /// How the wall moves at the point, if it is one [m/s].
    pub(crate) wall_velocity: DVec3,
    /// Coefficient of friction μ [-].
    pub(crate) friction: f64,
    /// Coefficient of restitution e [-].
    pub(crate) restitution: f64,
    /// On the first body [N s]. Going in: what is expected, of the step before for instance, or zero; it is not yet in the
    /// twists. Coming out: what was found.
    pub(crate) impulse: DVec3,
}

/// A contact as sweeps need it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    first: usize,
    second: Option<usize>,
    arms: [DVec3; 2],
    normal: DVec3,
    wall_velocity: DVec3,
    friction: f64,
    /// W: change of relative velocity by an impulse; n·W n; and no less than t·W t of any tangent of unit length.
    response: DMat3,
    normal_response: f64,
    tangential_response: f64,
    /// The least normal velocity, t.
    pub(super) target: f64,
    pub(super) impulse: Impulse<DVec3>,
}

impl Block {
    /// Of a contact; nothing if neither side can give way.
    pub(super) fn new(contact: &Contact, inertias: &[Inertia]) -> Option<Self> {
        let &Contact { first, second, point, normal, wall_velocity, friction, .. } = contact;
        let arm = |body: usize| point - inertias[body].centre;
        let arms = [arm(first), second.map_or(DVec3::ZERO, arm)];
        let mut response = inertias[first].response(arms[0]);
        if let Some(second) = second {
            response += inertias[second].response(arms[1]);
        }
        let normal_response = normal.dot(response * normal);
        // W n has a part along n, and what is left of the trace bounds the tangential block.
        let trace = response.x_axis.x + response.y_axis.y + response.z_axis.z;
        (normal_response > 0.0).then(|| Self {
            first,
            second,
            arms,
            normal,
            wall_velocity,
            friction,
            response,
            normal_response,
            tangential_response: trace - normal_response,
            target: 0.0,
            impulse: Impulse::default(),
        })
    }

    /// Of the first relative to the second, at the point.
    pub(super) fn velocity(&self, twists: &[Twist]) -> DVec3 {
        let second = self.second.map_or(self.wall_velocity, |second| twists[second].at(self.arms[1]));
        twists[self.first].at(self.arms[0]) - second
    }

    /// The same along the normal.
    pub(super) fn normal_velocity(&self, twists: &[Twist]) -> f64 {
        self.velocity(twists).dot(self.normal)
    }

    /// Without friction and against what stands still: as displacements are found.
    pub(super) fn for_displacement(&mut self) {
        (self.friction, self.wall_velocity) = (0.0, DVec3::ZERO);
    }

    /// Adds an impulse to both sides.
    pub(super) fn push(&self, inertias: &[Inertia], twists: &mut [Twist], impulse: DVec3) {
        inertias[self.first].push(&mut twists[self.first], self.arms[0], impulse);
        if let Some(second) = self.second {
            inertias[second].push(&mut twists[second], self.arms[1], -impulse);
        }
    }

    /// Solves this contact, all others as they are; by how much its velocity changes.
    pub(super) fn solve(&mut self, inertias: &[Inertia], twists: &mut [Twist]) -> f64 {
        let velocity = self.velocity(twists);
        let change = self.answer(velocity) - self.impulse.value;
        if change == DVec3::ZERO {
            return 0.0;
        }
        self.push(inertias, twists, change);
        self.impulse.value += change;
        (self.response * change).length()
    }

    /// The impulse for a velocity that has the present one in it.
    fn answer(&self, velocity: DVec3) -> DVec3 {
        let excess = velocity - self.target * self.normal;
        let along = self.impulse.value.dot(self.normal);
        let normal = (along - excess.dot(self.normal) / self.normal_response).max(0.0);
        if normal == 0.0 || self.friction == 0.0 {
            return normal * self.normal;
        }
        let velocity = velocity + self.response * ((normal - along) * self.normal);
        let step = self.impulse.value - velocity / self.tangential_response;
        let tangential = (step - step.dot(self.normal) * self.normal).clamp_length_max(self.friction * normal);
        normal * self.normal + tangential
    }

    /// A norm of the last change of its impulse: ΔP·W ΔP.
    pub(super) fn change(&self) -> f64 {
        let change = self.impulse.change();
        change.dot(self.response * change)
    }
}
