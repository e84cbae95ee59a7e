//! What a solve has lost of momentum and angular momentum, given back as rigid motion.
//!
//! Elastic forces neither push nor turn a body as a whole. But an iteration that ends early leaves a little of both, and
//! with rotations held fixed a deformed body feels a torque of the order of strain times change of strain. With the
//! velocities v* that everything else asks for, and the centre of mass c of a body,
//!
//! ```text
//! v_i += Σ m (v* − v) / Σ m + ω × (x_i − c),    I ω = Σ (x − c) × m (v* − v)
//! ```
//!
//! after which both are what they were: x × m v is the same at either end of a step along v.

use glam::{DMat3, DVec3};

use super::law::Law;
use super::pull::vector;
use crate::neighbors::row;
use crate::real::{Real, Vec3, narrow, wide};
use crate::reduce;
use crate::world::World;

/// Memory for the sums over a body.
#[derive(Debug, Default)]
pub(super) struct Conservation {
    linear: Vec<Linear>,
    angular: Vec<Angular>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Linear {
    mass: f64,
    moment: DVec3,
    left: DVec3,
}

impl reduce::Sum for Linear {
    fn plus(self, other: Self) -> Self {
        Linear { mass: self.mass + other.mass, moment: self.moment + other.moment, left: self.left + other.left }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Angular {
    /// Σ m d ⊗ d, by columns.
    second: [DVec3; 3],
    left: DVec3,
}

impl reduce::Sum for Angular {
    fn plus(self, other: Self) -> Self {
        Angular { second: std::array::from_fn(|k| self.second[k] + other.second[k]), left: self.left + other.left }
    }
}

impl Conservation {
    /// Gives every implicit body that no clamp holds the rigid motion of the velocities `wanted`.
    pub(super) fn give_back(
        &mut self,
        world: &World,
        wanted: impl Fn(usize) -> Vec3 + Sync,
        velocity: &mut [[Real; 4]],
    ) {
        let particles = &world.particles;
        for (body, range) in &world.solids.ranges {
            let is_held = !world.bodies[*body as usize].clamps.is_empty();
            if is_held || !world.solids.law(*body).is_some_and(Law::is_implicit) {
                continue;
            }
            let mass = |i: usize| f64::from(particles.mass(i));
            let lost = |i: usize| wide(wanted(i) - vector(velocity[i])) * mass(i);
            let total = reduce::sum(range.len(), &mut self.linear, |k| {
                let i = range.start + k;
                Linear { mass: mass(i), moment: mass(i) * wide(particles.position[i]), left: lost(i) }
            });
            let (push, centre) = (total.left / total.mass, total.moment / total.mass);
            let from_centre = |i: usize| wide(particles.position[i]) - centre;
            let turning = reduce::sum(range.len(), &mut self.angular, |k| {
                let i = range.start + k;
                let d = from_centre(i);
                let second = [d.x, d.y, d.z].map(|coordinate| d * (mass(i) * coordinate));
                Angular { second, left: d.cross(lost(i)) }
            });
            let spin = turning.spin(world.domain.is_periodic());
            for i in range.clone() {
                let change = narrow(push + spin.cross(from_centre(i)));
                velocity[i] = row(vector(velocity[i]) + change, 0.0);
            }
        }
    }
}

impl Angular {
    /// ω; zero where nothing says how a body turns: in a line, or across a period.
    fn spin(&self, is_periodic: bool) -> DVec3 {
        let [x, y, z] = self.second;
        let trace = x.x + y.y + z.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - DMat3::from_cols(x, y, z);
        let is_sound = inertia.determinant() > 1e-9 * trace.powi(3);
        if is_periodic || !is_sound { DVec3::ZERO } else { inertia.inverse() * self.left }
    }
}
