//! Elastic force density from the stresses of a neighbourhood.

use crate::neighbors::{Bonded, Simd, Tension};
use crate::real::{Real, Vec3};

/// The vector of a packed row.
#[inline(always)]
pub(super) fn vector([x, y, z, _]: [Real; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Σ_j ω_ij ((T_i + T_j) x⁰_ji + 2 β y_ji): the force over the volume, with `lean` = Σ_j ω_ij x⁰_ji. The fourth column
/// of a tension holds Σ_j ω_ij y_ji.
#[inline(always)]
pub(super) fn force_density<S: Simd>(
    near: &Bonded<'_, S>,
    tensions: &[Tension],
    i: usize,
    lean: Vec3,
    control: Real,
) -> Vec3 {
    let (stress, spread) = tensions[i].parts();
    stress * lean + near.pulled(tensions) + spread * (2.0 * control)
}
