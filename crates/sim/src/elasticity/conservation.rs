//! Restores the momentum and angular momentum that an elastic solve has lost, by a rigid motion.
//!
//! Elastic forces have no resultant force or torque. But an iteration that ends early leaves a little of both, and with
//! rotations held fixed a deformed body has a torque of the order of strain times change of strain. With the velocities
//! v* without elasticity, and the centre of mass c of a body,
//!
//! ```text
//! v_i += Σ m (v* − v) / Σ m + ω × (x_i − c),    I ω = Σ (x − c) × m (v* − v)
//! ```
//!
//! after which both are those of v*. Here v are the velocities that move (see [`stepping`](super::stepping)), and x are the
//! positions x(n) + (1 − θ) Δt v(n): the angular momentum of x(n+1) and v(n+1) differs from that before by
//! Σ x × m (v(n+1) − v(n)).

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::conjugate::TASK_LENGTH;
use super::law::Law;
use super::pull::vector;
use crate::neighbors::row;
use crate::real::{Real, Vec3, narrow, wide};
use crate::reduce::{self, Sums};
use crate::world::World;

/// Memory for the sums over bodies.
#[derive(Debug, Default)]
pub(super) struct Conservation {
    linear: (Vec<Linear>, Vec<Linear>),
    angular: (Vec<Angular>, Vec<Angular>),
    motions: Vec<Option<Motion>>,
}

/// A rigid motion.
#[derive(Clone, Copy, Debug)]
struct Motion {
    velocity: DVec3,
    centre: DVec3,
    spin: DVec3,
}

#[derive(Clone, Copy, Debug, Default)]
struct Linear {
    mass: f64,
    moment: DVec3,
    lost: DVec3,
}

impl reduce::Sum for Linear {
    fn plus(self, other: Self) -> Self {
        Linear { mass: self.mass + other.mass, moment: self.moment + other.moment, lost: self.lost + other.lost }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Angular {
    /// Σ m d ⊗ d, by columns.
    second: [DVec3; 3],
    lost: DVec3,
}

impl reduce::Sum for Angular {
    fn plus(self, other: Self) -> Self {
        Angular { second: std::array::from_fn(|k| self.second[k] + other.second[k]), lost: self.lost + other.lost }
    }
}

impl Conservation {
    /// Gives every implicit body that no clamp holds the momentum and angular momentum of the velocities `target`.
    pub(super) fn restore_momentum(
        &mut self,
        (world, dt): (&World, Real),
        target: impl Fn(usize) -> Vec3 + Sync,
        velocity: &mut [[Real; 4]],
    ) {
        let World { particles, solids, bodies, .. } = world;
        let Self { linear, angular, motions } = self;
        let is_free =
            |body: u32| bodies[body as usize].clamps.is_empty() && solids.body_law(body).is_some_and(Law::is_implicit);
        if !solids.runs.iter().any(|(body, _)| is_free(*body)) {
            return;
        }
        let mass = |i: usize| f64::from(particles.mass(i));
        let ahead = |i: usize| (1.0 - world.implicitness(i)) * dt;
        let place = |i: usize| wide(particles.position[i]) + wide(particles.velocity[i] * ahead(i));
        let lost = |i: usize, velocity: &[[Real; 4]]| wide(target(i) - vector(velocity[i])) * mass(i);
        let before = &*velocity;
        linear.1.resize(bodies.len(), Linear::default());
        Sums { pieces: &solids.pieces, partials: &mut linear.0, totals: &mut linear.1, is_asked: is_free }
            .of(|i| Linear { mass: mass(i), moment: mass(i) * place(i), lost: lost(i, before) });
        motions.clear();
        motions.extend(linear.1.iter().map(|&Linear { mass, moment, lost }| {
            (mass > 0.0).then(|| Motion { velocity: lost / mass, centre: moment / mass, spin: DVec3::ZERO })
        }));
        let motion_of = |i: usize, motions: &[Option<Motion>]| motions[particles.body[i] as usize];
        angular.1.resize(bodies.len(), Angular::default());
        Sums { pieces: &solids.pieces, partials: &mut angular.0, totals: &mut angular.1, is_asked: is_free }.of(|i| {
            let d = place(i) - motion_of(i, motions).map_or(DVec3::ZERO, |motion| motion.centre);
            let second = [d.x, d.y, d.z].map(|coordinate| d * (mass(i) * coordinate));
            Angular { second, lost: d.cross(lost(i, before)) }
        });
        for (motion, angular) in motions.iter_mut().zip(&angular.1) {
            motion.iter_mut().for_each(|motion| motion.spin = angular.spin(world.domain.is_periodic()));
        }
        velocity.par_iter_mut().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, velocity)| {
            if let Some(Motion { velocity: translation, centre, spin }) = motion_of(i, motions) {
                let change = narrow(translation + spin.cross(place(i) - centre));
                *velocity = row(vector(*velocity) + change, 0.0);
            }
        });
    }
}

impl Angular {
    /// ω; zero where it is undefined: for particles on a line, or in a periodic domain.
    fn spin(&self, is_periodic: bool) -> DVec3 {
        let [x, y, z] = self.second;
        let trace = x.x + y.y + z.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - DMat3::from_cols(x, y, z);
        let is_sound = inertia.determinant() > 1e-9 * trace.powi(3);
        if is_periodic || !is_sound { DVec3::ZERO } else { inertia.inverse() * self.lost }
    }
}
