//! The two sums over bonds that every elastic model makes: what deforms a neighbourhood, and what its stress pulls at.

use crate::kernel::Kernel;
use crate::neighbors::{Bonded, Simd, Tension, VecLanes};
use crate::real::{Mat3, Real, Vec3};
use crate::sum;
use crate::world::Domain;

/// Vectors from a particle to its neighbours, as rows of a packed column say.
#[inline(always)]
fn difference<S: Simd>(there: VecLanes<S>, here: Vec3, domain: &Domain) -> VecLanes<S> {
    (there - VecLanes::splat(here)).shortest(domain)
}

/// The vector of a packed row.
#[inline(always)]
pub(super) fn vector([x, y, z, _]: [Real; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Σ_j ω_ij y_ji ⊗ x⁰_ji of a packed column of places or velocities.
#[inline(always)]
pub(super) fn deformation<S: Simd>(near: &Bonded<'_, S>, column: &[[Real; 4]], i: usize, domain: &Domain) -> Mat3 {
    let here = vector(column[i]);
    let (x, (y, z)) = sum!(near, |j| {
        let to = difference(j.get_packed(column).0, here, domain) * j.weight();
        (to * j.rest().x, (to * j.rest().y, to * j.rest().z))
    });
    Mat3::from_cols(x, y, z)
}

/// Σ_j V_j W_ij x_ji ⊗ x⁰_ji (BIT09 Eq. 12, masses being proportional to volumes in a body).
#[inline(always)]
pub(super) fn shape_match<S: Simd>(
    near: &Bonded<'_, S>,
    places: &[[Real; 4]],
    i: usize,
    domain: &Domain,
    kernel: &Kernel,
) -> Mat3 {
    let here = vector(places[i]);
    let (x, (y, z)) = sum!(near, |j| {
        let (there, volume) = j.get_packed(places);
        let rest = j.rest();
        // Lanes that fill up a block have no vector at rest, and add nothing.
        let to = difference(there, here, domain) * (kernel.value(rest.dot(rest).sqrt()) * volume);
        (to * rest.x, (to * rest.y, to * rest.z))
    });
    Mat3::from_cols(x, y, z)
}

/// Stress by rows, each with a coordinate of the particle.
#[inline(always)]
pub(super) fn tension(stress: Mat3, place: Vec3) -> Tension {
    let rows = stress.transpose();
    let row = |row: Vec3, coordinate: Real| [row.x, row.y, row.z, coordinate];
    [row(rows.x_axis, place.x), row(rows.y_axis, place.y), row(rows.z_axis, place.z)]
}

/// Σ_j ω_ij ((T_i + T_j) x⁰_ji + 2 β y_ji): the force over the volume, with `lean` = Σ_j ω_ij x⁰_ji.
#[inline(always)]
pub(super) fn pull<S: Simd>(
    near: &Bonded<'_, S>,
    tensions: &[Tension],
    i: usize,
    lean: Vec3,
    control: Real,
    domain: &Domain,
) -> Vec3 {
    let [x, y, z] = tensions[i];
    let here = Vec3::new(x[3], y[3], z[3]);
    let own = Vec3::new(vector(x).dot(lean), vector(y).dot(lean), vector(z).dot(lean));
    let (others, unseen) = sum!(near, |j| {
        let [x, y, z] = j.get_tension(tensions);
        let pulled = VecLanes { x: x.0.dot(j.rest()), y: y.0.dot(j.rest()), z: z.0.dot(j.rest()) };
        let to = difference(VecLanes { x: x.1, y: y.1, z: z.1 }, here, domain);
        (pulled * j.weight(), to * j.weight())
    });
    own + others + unseen * (2.0 * control)
}
