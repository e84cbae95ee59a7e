//! Walls that hold the fluid (no slip), the same for every viscosity.
//!
//! A wall particle counts with a velocity that makes the fluid's velocity equal the wall's at the surface:
//!
//! ```text
//! v_b = v_wall − (d_b/d_i)(v_i − v_wall),    the ratio not above 2
//! ```
//!
//! d_i and d_b are the distances of the particle and of the wall particle from the surface. So the difference of
//! velocity to a wall particle is that to the wall, stretched by 1 + d_b/d_i.

use crate::neighbors::{Lanes, Simd, VecLanes};
use crate::real::Real;
use crate::world::{Body, BodyKind, Material, World};

/// A number per particle: that of its material for fluids, 1 for walls that hold the fluid, 0 for all others.
pub(super) fn by_particle(world: &World, out: &mut Vec<Real>, of_fluid: impl Fn(&Material) -> Real) {
    let holds = |body: &Body| matches!(body.kind, BodyKind::Wall { no_slip: true });
    world.by_fluid_and_wall(out, of_fluid, |body| Real::from(u8::from(holds(body))));
}

/// Does any wall hold the fluid?
pub(super) fn any_holds(world: &World) -> bool {
    world.bodies.iter().any(|body| matches!(body.kind, BodyKind::Wall { no_slip: true }))
}

/// By how much the difference of velocity to a wall particle is stretched: 1 + d_b/d_i, given x_i − x_b and the vector
/// from b to the surface.
#[inline(always)]
pub(crate) fn stretch<S: Simd>(x_ib: VecLanes<S>, to_surface: VecLanes<S>) -> Lanes<S> {
    mirror_ratio(x_ib, to_surface) + 1.0
}

/// d_b/d_i for a wall particle b, given x_i − x_b and the vector from b to the surface; between 0 and 2.
#[inline(always)]
fn mirror_ratio<S: Simd>(x_ib: VecLanes<S>, to_surface: VecLanes<S>) -> Lanes<S> {
    let depth = to_surface.dot(to_surface).sqrt();
    // Distance of i from the surface along the wall's normal; a particle that has sunk in counts as very near.
    let height = x_ib.dot(to_surface) / depth - depth;
    (depth / height.max(depth * 0.5)).min(depth.like(2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::dispatch::Portable;
    use crate::real::Vec3;

    #[test]
    fn wall_velocities_mirror_those_of_the_fluid() {
        let at = |height: Real| {
            let x_ib = VecLanes::splat(Portable, Vec3::new(0.3, height + 0.5, 0.0));
            mirror_ratio(x_ib, VecLanes::splat(Portable, Vec3::new(0.0, 0.5, 0.0))).to_array()[0]
        };
        assert!((at(0.5) - 1.0).abs() < 1e-6);
        assert!((at(1.0) - 0.5).abs() < 1e-6);
        assert_eq!(at(0.1), 2.0);
        assert_eq!(at(-0.2), 2.0);
    }
}
