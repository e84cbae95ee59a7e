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
//!
//! Rigid bodies hold every fluid whose friction is a viscosity. Between a particle of theirs and one of the fluid is the fluid's
//! viscosity, stretched in the same way for both, so that momentum is exact; the surface is a mean plane of particles (`rigid/surface.rs`).

use crate::neighbors::{Block, Lanes, Setting, Simd, VecLanes};
use crate::real::{Real, Vec3};
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

/// What the sum of the viscosities of two particles counts for: ½ in a fluid, and the stretch where one of them is rigid. `way` is
/// that of the first to the surface of its rigid body, and 1; `ways` has those of all.
#[inline(always)]
pub(super) fn beside_rigid<S: Simd, K: Setting>(j: &Block<'_, S, K>, way: [Real; 4], ways: &[[Real; 4]]) -> Lanes<S> {
    let own = j.splat_vec(Vec3::new(way[0], way[1], way[2]));
    let (other, is_rigid) = j.get_packed(ways);
    let half = j.splat(0.5);
    let (here, there) = (stretch_through(j.x_ij(), own), stretch_through(j.x_ij(), other));
    here.where_positive(j.splat(way[3]), there.where_positive(is_rigid, half))
}

/// The stretch with the surface of a body, which may have a fluid on both sides; 1 where it has none.
#[inline(always)]
fn stretch_through<S: Simd>(apart: VecLanes<S>, way: VecLanes<S>) -> Lanes<S> {
    let across = apart.dot(way);
    let (depth, across) = (way.dot(way), across.max(across * -1.0));
    // d_b/d_i by squares of d_b: (x·s)/s·s is the distance in units of d_b.
    let ratio = (depth / (across - depth).max(depth * 0.5)).min(depth.like(2.0));
    (ratio + 1.0).where_positive(depth, depth.like(1.0))
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
    use super::super::newtonian::tests::accelerations_of;
    use super::super::{Morris, Viscosity};
    use super::*;
    use crate::neighbors::dispatch::Portable;
    use crate::real::Dimension;
    use crate::settings::Settings;
    use crate::simulation::Simulation;
    use crate::world::{NewBody, Rigid};

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

    /// Fluid above a rigid slab, sheared so that it rests where the slab begins: friction leaves the fluid as it is, and pulls at
    /// the slab by μ times the shear times the area.
    #[test]
    fn a_rigid_body_holds_the_fluid_at_its_surface() {
        let (spacing, shear) = (0.1, 2.0);
        let settings = Settings { spacing, dimension: Dimension::Two, ..Settings::default() };
        let mut fluid = Material::default();
        fluid.fluid.viscosity = Viscosity::Morris(Morris { dynamic_viscosity: 3.0 });
        let slab = Material { density: 500.0, rigid: Some(Rigid::default()), ..Material::default() };
        let mut simulation = Simulation::new(settings, vec![fluid, slab]).unwrap();
        let cells = |rows: std::ops::Range<i32>| -> Vec<Vec3> {
            let cell = |x: i32, y: i32| Vec3::new(x as Real + 0.5, y as Real + 0.5, 0.0) * spacing;
            rows.flat_map(|y| (-12..12).map(move |x| cell(x, y))).collect()
        };
        let position = cells(0..10);
        let velocity = position.iter().map(|x| Vec3::X * (shear * x.y)).collect();
        simulation.add_body(NewBody { name: "fluid".into(), position, velocity, ..NewBody::default() }).unwrap();
        let position = cells(-5..0);
        simulation.add_body(NewBody { name: "slab".into(), material: 1, position, ..NewBody::default() }).unwrap();
        simulation.prepare().unwrap();
        let found = accelerations_of::<Morris>(&simulation);
        let particles = simulation.particles();
        let force = |kept: &dyn Fn(usize) -> bool| -> Vec3 {
            (0..found.len()).filter(|&i| kept(i)).map(|i| found[i] * particles.mass(i)).sum()
        };
        // Not where the slab ends.
        let is_inner = |i: usize| particles.position[i].x.abs() < 6.0 * spacing;
        let expected = 3.0 * shear * 12.0 * spacing;
        let on_slab = force(&|i| is_inner(i) && particles.material[i] == 1);
        // The bound of the stretch takes 3 %, as at a wall.
        assert!((on_slab.x / expected - 1.0).abs() < 0.04, "{on_slab} {expected}");
        // At the upper surface a shear flow is braked.
        let on_fluid = force(&|i| is_inner(i) && particles.material[i] == 0 && particles.position[i].y < 5.0 * spacing);
        assert!(on_fluid.x.abs() < 0.04 * expected, "{on_fluid} {expected}");
        assert!(force(&|_| true).length() < 1e-5 * expected, "{}", force(&|_| true));
    }
}
