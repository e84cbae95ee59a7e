//! The tangent plane of the walls around a particle.
//!
//! Walls are particles, but a body that slides over them should meet a plane, not a lattice. Each wall particle stores
//! the vector d_b n_b to its surface; the kernel mean over those in reach is exact on a plane, and rounds off edges:
//!
//! ```text
//! height = Σ_b W_b ((x − x_b)·n_b − d_b) / Σ_b W_b,    n = Σ_b W_b n_b, normalised
//! ```

use crate::neighbors::{Near, Setting, Simd};
use crate::real::{Real, Vec3};
use crate::sum;

/// The surface of the walls around a particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallPlane {
    /// Height above the surface [m].
    pub(super) height: Real,
    /// Away from the wall.
    pub(super) normal: Vec3,
    /// How the wall moves [m/s].
    pub(super) velocity: Vec3,
    /// Its friction [-].
    pub(super) friction: Real,
}

impl WallPlane {
    /// Of the walls in reach, if there are any. `moving` holds velocities and, of walls, friction.
    #[inline(always)]
    pub(super) fn of<S: Simd, K: Setting>(
        near: &Near<'_, S, K>,
        to_surface: &[Vec3],
        moving: &[[Real; 4]],
    ) -> Option<Self> {
        let ((weight, height), (normal, (velocity, friction))) = sum!(near.walls(), |b| {
            let (surface, weight) = (b.get_vec(to_surface), b.w());
            let depth = surface.dot(surface).sqrt();
            let normal = surface * (weight / depth.max(b.splat(Real::MIN_POSITIVE)));
            let (velocity, friction) = b.get_packed(moving);
            ((weight, b.x_ij().dot(normal) - depth * weight), (normal, (velocity * weight, friction * weight)))
        });
        (weight > 0.0).then(|| WallPlane {
            height: height / weight,
            normal: normal.normalize_or_zero(),
            velocity: velocity / weight,
            friction: friction / weight,
        })
    }
}
