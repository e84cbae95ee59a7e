//! The state of a rigid body, and its free motion.
//!
//! A rigid body has a place, a turn and momenta, and its particles follow (Sol09 5.3):
//!
//! ```text
//! x_i = c + R (a_i − c0),    v_i = V + ω × (x_i − c)
//! F = Σ f_i,    τ = Σ (x_i − c) × f_i                    Sol09 Eq. 5.9
//! V' = F/M,     L' = τ,    ω = R I⁻¹ Rᵀ L                Eq. 5.10, 5.11
//! ```
//!
//! a_i is where the particle was when the body was made, c0 where its centre of mass was. Mass, centre, inertia and momenta are
//! those of the particles, so that particles can join and leave. Each of them is a cube of its rest volume, which has inertia
//! of its own: with points alone a row of particles could be spun about itself by nothing.
//!
//! ```text
//! I = Σ m_i ((|r_i|² + s_i²/6) 1 − r_i r_iᵀ),    s_i³ = V0_i;    in 2D about z alone, s_i² = V0_i
//! ```
//!
//! What is kept is L, not ω: without a torque it stays as it is to the last bit, whatever the body does. (Sol09 advances ω with
//! the inertia of before the step.) The turn follows R' = ω × R by Runge and Kutta's method of fourth order, in parts of
//! [`LARGEST_TURN`]: a body that tumbles keeps its energy to 1e-8 of it in a turn.

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::BodyId;
use crate::real::{Dimension, wide};
use crate::world::Particles;

/// The largest angle by which the turn is advanced at once [rad].
const LARGEST_TURN: f64 = 0.1;

/// A rigid body as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidBody {
    /// Whose state it is.
    pub body: BodyId,
    /// How many particles it has.
    pub particles: usize,
    /// Mass [kg], in 2D per metre of depth.
    pub mass: f64,
    /// Inertia about the centre of mass, in the axes that it was made in [kg m^2].
    pub inertia: DMat3,
    /// Centre of mass when it was made [m].
    pub first_centre: DVec3,
    /// Centre of mass [m].
    pub centre: DVec3,
    /// The turn since it was made.
    pub orientation: DQuat,
    /// Velocity of the centre of mass [m/s].
    pub velocity: DVec3,
    /// Angular momentum about the centre of mass [kg m^2/s].
    pub angular_momentum: DVec3,
    /// The force over mass, and the torque, that the last step applied [m/s^2, N m].
    pub acceleration: DVec3,
    /// See there.
    pub torque: DVec3,
}

impl RigidBody {
    /// Of particles, by index, with their momenta. Where they are is where it is made.
    pub(crate) fn of(
        body: BodyId,
        particles: &Particles,
        members: impl Iterator<Item = usize> + Clone,
        dimension: Dimension,
    ) -> Self {
        let place = |i: usize| wide(particles.anchor[i]);
        let mass = |i: usize| f64::from(particles.mass(i));
        let (mut total, mut first, mut momentum) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for i in members.clone() {
            total += mass(i);
            first += mass(i) * place(i);
            momentum += mass(i) * wide(particles.velocity[i]);
        }
        let (centre, velocity) = (first / total, momentum / total);
        let (mut points, mut cells, mut angular) = (DMat3::ZERO, 0.0, DVec3::ZERO);
        for i in members.clone() {
            let r = place(i) - centre;
            points += inertia_of_point(r) * mass(i);
            let edge = f64::from(particles.rest_volume[i]).powf(1.0 / dimension.count() as f64);
            cells += mass(i) * edge * edge / 6.0;
            angular += r.cross(mass(i) * (wide(particles.velocity[i]) - velocity));
        }
        let inertia = in_dimension(points + DMat3::from_diagonal(DVec3::splat(cells)), dimension);
        // The spin that the particles have; cells spin with it.
        let spin = invert(points + DMat3::from_diagonal(DVec3::splat(1e-6 * cells)), dimension) * angular;
        RigidBody {
            body,
            particles: members.count(),
            mass: total,
            inertia,
            first_centre: centre,
            centre,
            orientation: DQuat::IDENTITY,
            velocity,
            angular_momentum: inertia * spin,
            acceleration: DVec3::ZERO,
            torque: DVec3::ZERO,
        }
    }

    /// Its turn as a matrix.
    pub fn turn(&self) -> DMat3 {
        DMat3::from_quat(self.orientation)
    }

    /// The inverse of its inertia, in the axes of the world.
    pub(crate) fn inverse_inertia(&self, dimension: Dimension) -> DMat3 {
        let turn = self.turn();
        turn * invert(self.inertia, dimension) * turn.transpose()
    }

    /// Its spin [rad/s].
    pub fn spin(&self, dimension: Dimension) -> DVec3 {
        self.inverse_inertia(dimension) * self.angular_momentum
    }

    /// Energy of motion [J].
    pub fn kinetic_energy(&self, dimension: Dimension) -> f64 {
        0.5 * (self.mass * self.velocity.length_squared() + self.angular_momentum.dot(self.spin(dimension)))
    }

    /// Moves on by `dt` with this velocity and angular momentum.
    pub(crate) fn displace(&mut self, [velocity, angular_momentum]: [DVec3; 2], dt: f64, dimension: Dimension) {
        self.centre += dt * velocity;
        let inverse = invert(self.inertia, dimension);
        let spin = |q: DQuat| {
            let turn = DMat3::from_quat(q);
            turn * (inverse * (turn.transpose() * angular_momentum))
        };
        let rate = |q: DQuat| {
            let spin = 0.5 * spin(q);
            DQuat::from_xyzw(spin.x, spin.y, spin.z, 0.0) * q
        };
        let parts = (spin(self.orientation).length() * dt / LARGEST_TURN).ceil().clamp(1.0, 1e4);
        let h = dt / parts;
        for _ in 0..parts as u32 {
            let q = self.orientation;
            let k1 = rate(q);
            let k2 = rate(q + k1 * (0.5 * h));
            let k3 = rate(q + k2 * (0.5 * h));
            let k4 = rate(q + k3 * h);
            self.orientation = (q + (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0)).normalize();
        }
    }

    /// Is put elsewhere by a little, and turned.
    pub(crate) fn shift(&mut self, translation: DVec3, turn: DVec3) {
        self.centre += translation;
        self.orientation = (DQuat::from_scaled_axis(turn) * self.orientation).normalize();
    }
}

/// |r|² 1 − r rᵀ.
pub(crate) fn inertia_of_point(r: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(r.length_squared())) - DMat3::from_cols(r * r.x, r * r.y, r * r.z)
}

/// What of an inertia counts: in the plane that about z.
fn in_dimension(inertia: DMat3, dimension: Dimension) -> DMat3 {
    match dimension {
        Dimension::Three => inertia,
        Dimension::Two => DMat3::from_diagonal(DVec3::new(0.0, 0.0, inertia.z_axis.z)),
        Dimension::One => DMat3::ZERO,
    }
}

/// Its inverse, for the axes about which a body may turn.
fn invert(inertia: DMat3, dimension: Dimension) -> DMat3 {
    match dimension {
        Dimension::Three => inertia.inverse(),
        Dimension::Two => DMat3::from_diagonal(DVec3::new(0.0, 0.0, 1.0 / inertia.z_axis.z)),
        Dimension::One => DMat3::ZERO,
    }
}
