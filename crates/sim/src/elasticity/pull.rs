//! What the stress of a neighbourhood pulls at.

use crate::neighbors::{Bonded, Simd, Tension};
use crate::real::{Real, Vec3};

/// The vector of a packed row.
#[inline(always)]
pub(super) fn vector([x, y, z, _]: [Real; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Σ_j ω_ij ((T_i + T_j) x⁰_ji + 2 β y_ji): the force over the volume, with `lean` = Σ_j ω_ij x⁰_ji. Beside T_i stands
/// Σ_j ω_ij y_ji.
#[inline(always)]
pub(super) fn pull<S: Simd>(near: &Bonded<'_, S>, tensions: &[Tension], i: usize, lean: Vec3, control: Real) -> Vec3 {
    let (stress, spread) = tensions[i].parts();
    stress * lean + near.pulled(tensions) + spread * (2.0 * control)
}
