//! One row J of the matrix of constraints: a velocity that is linear in the twists of two bodies, and the impulse that
//! changes it.

use std::ops::{Add, AddAssign, Mul, Sub};

use glam::DVec3;

use super::joints::{Entry, Geometry, Joint};
use super::{Contact, Inertia, Twist};

/// J v = scale (l·(v₁ − v₂) + t₁·ω₁ − t₂·ω₂), with J M⁻¹ Jᵀ = 1.
#[derive(Clone, Debug)]
pub(super) struct Row {
    first: usize,
    second: Option<usize>,
    linear: DVec3,
    turns: [DVec3; 2],
    /// M⁻¹ Jᵀ, for the first and the second.
    responses: [Twist; 2],
    /// What makes the row one of unit response.
    pub(super) scale: f64,
}

impl Row {
    /// Of an entry of a joint; nothing if neither body gives way to it.
    pub(super) fn new(joint: &Joint, entry: Entry, geometry: &Geometry, inertias: &[Inertia]) -> Option<Self> {
        let bodies = (joint.definition.first, joint.definition.second);
        match entry {
            Entry::Linear(axis) => Self::at(bodies, geometry.point, geometry.axes.col(axis), inertias),
            Entry::Angular(axis) => Self::between(bodies, DVec3::ZERO, [geometry.axes.col(axis); 2], inertias),
        }
    }

    /// Of what a contact keeps: the normal velocity.
    pub(super) fn of(contact: &Contact, inertias: &[Inertia]) -> Option<Self> {
        Self::at((contact.first, contact.second), contact.point, contact.normal, inertias)
    }

    /// The velocity at a point in a direction.
    fn at(bodies: (usize, Option<usize>), point: DVec3, linear: DVec3, inertias: &[Inertia]) -> Option<Self> {
        let turn = |body: usize| (point - inertias[body].centre).cross(linear);
        Self::between(bodies, linear, [turn(bodies.0), bodies.1.map_or(DVec3::ZERO, turn)], inertias)
    }

    fn between(
        (first, second): (usize, Option<usize>),
        linear: DVec3,
        turns: [DVec3; 2],
        inertias: &[Inertia],
    ) -> Option<Self> {
        let inertias = [inertias[first], second.map_or(Inertia::default(), |second| inertias[second])];
        let response = |side: usize| Twist {
            velocity: inertias[side].inverse_mass * linear,
            spin: inertias[side].inverse_inertia * turns[side],
        };
        let (own, other) = (response(0), response(1));
        let responses = [own, Twist { velocity: -other.velocity, spin: -other.spin }];
        let mut row = Self { first, second, linear, turns, responses, scale: 1.0 };
        let square = row.coupling(&row);
        if square <= 0.0 || !square.is_finite() {
            return None;
        }
        row.scale = square.sqrt().recip();
        row.linear *= row.scale;
        for side in 0..2 {
            row.turns[side] *= row.scale;
            row.responses[side].velocity *= row.scale;
            row.responses[side].spin *= row.scale;
        }
        Some(row)
    }

    /// The bodies that it ties.
    pub(super) fn bodies(&self) -> (usize, Option<usize>) {
        (self.first, self.second)
    }

    /// J v.
    pub(super) fn velocity(&self, twists: &[Twist]) -> f64 {
        let first = self.on(0, &twists[self.first]);
        self.second.map_or(first, |second| first + self.on(1, &twists[second]))
    }

    fn on(&self, side: usize, twist: &Twist) -> f64 {
        let value = self.linear.dot(twist.velocity) + self.turns[side].dot(twist.spin);
        if side == 0 { value } else { -value }
    }

    /// J M⁻¹ J'ᵀ.
    pub(super) fn coupling(&self, other: &Self) -> f64 {
        let on = |body: usize, response: &Twist| {
            let first = if self.first == body { self.on(0, response) } else { 0.0 };
            if self.second == Some(body) { first + self.on(1, response) } else { first }
        };
        let first = on(other.first, &other.responses[0]);
        other.second.map_or(first, |second| first + on(second, &other.responses[1]))
    }

    /// Adds M⁻¹ Jᵀ times an impulse.
    pub(super) fn push(&self, twists: &mut [Twist], impulse: f64) {
        twists[self.first].add(impulse, &self.responses[0]);
        if let Some(second) = self.second {
            twists[second].add(impulse, &self.responses[1]);
        }
    }
}

/// An impulse that sweeps find, with what conjugate directions need of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Impulse<T> {
    pub(super) value: T,
    start: T,
    previous: T,
    direction: T,
    bounced: T,
}

impl<T> Impulse<T>
where
    T: Copy + Default + Add<Output = T> + AddAssign + Sub<Output = T> + Mul<f64, Output = T>,
{
    /// Before all sweeps.
    pub(super) fn start(&mut self, value: T) {
        (self.value, self.start, self.direction) = (value, value, T::default());
    }

    /// The same again.
    pub(super) fn start_again(&mut self) {
        (self.value, self.direction) = (self.start, T::default());
    }

    /// Before a sweep.
    pub(super) fn remember(&mut self) {
        self.previous = self.value;
    }

    /// What a sweep changed.
    pub(super) fn change(&self) -> T {
        self.value - self.previous
    }

    /// Goes on by β in its direction, and turns this into the new one.
    pub(super) fn go_on(&mut self, beta: f64) {
        let change = self.change();
        self.direction = self.direction * beta;
        self.value += self.direction;
        self.direction += change;
    }

    /// Keeps the present value as the one with restitution.
    pub(super) fn keep_bounced(&mut self) {
        self.bounced = self.value;
    }

    /// What restitution adds.
    pub(super) fn of_bounce(&self) -> T {
        self.bounced - self.value
    }

    /// Adds a share of what restitution adds.
    pub(super) fn blend(&mut self, share: f64) {
        self.value += self.of_bounce() * share;
    }
}
