//! Elastic force density from the stresses of a neighbourhood.

use super::law::Site;
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
    stress * lean + near.pulled(tensions.as_chunks::<1>().0) + spread * (2.0 * control)
}

/// The same, and with a second tension T' what pulls with the weights of the kernel: Σ_j V_j W_ij (T'_i + T'_j) x⁰_ji.
#[inline(always)]
pub(super) fn force_density_of<S: Simd, const N: usize>(
    near: &Bonded<'_, S>,
    tensions: &[[Tension; N]],
    i: usize,
    site: &Site,
    control: Real,
) -> Vec3 {
    let (stress, spread) = tensions[i][0].parts();
    let mut force = stress * site.lean + near.pulled(tensions) + spread * (2.0 * control);
    if N > 1 {
        force += tensions[i][N - 1].parts().0 * site.kernel_lean;
    }
    force
}
