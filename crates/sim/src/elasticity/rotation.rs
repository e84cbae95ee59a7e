//! The rotation in a deformation.
//!
//! Of all rotations R the one nearest to a matrix F, which makes tr(RᵀF) largest: F = R S with S symmetric. The iteration
//!
//! ```text
//! R ← ½ (γ R + R⁻ᵀ / γ),    γ² = ‖R⁻¹‖ / ‖R‖
//! ```
//!
//! (Newton's, scaled by Higham 1986) finds it in five or six turns and doubles the right digits in each, so that what is
//! found is converged: with a rotation that is not, forces would turn the body. Peer18 takes the iteration of Müller
//! 2016, which is slower and must be warm started. Where F is turned inside out or crushed flat, Newton fails and the
//! rotation is the quaternion that makes tr(RᵀF) largest (Horn 1987): an eigenvector of a symmetric 4×4 matrix.

use super::eigen::symmetric_eigen;
use super::matrix::{Matrix, cofactors, dot, gather, minus, numbers, plus, scaled, scatter, square};
use crate::kernel::Number;
use crate::neighbors::{Lanes, Simd};
use crate::real::{Mat3, Real, Vec3};

/// In how many directions the neighbours of a particle lie at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extent {
    /// In all directions of space.
    Volume,
    /// In all directions of a world with two.
    Plane,
    /// In a plane with this normal.
    Sheet(Vec3),
    /// Along this unit vector.
    Line(Vec3),
    /// In none.
    Point,
}

/// The rotation in a deformation of neighbours that extend so far.
pub(crate) fn rotation_in(deformation: Mat3, extent: Extent) -> Mat3 {
    match extent {
        Extent::Volume => polar(deformation),
        Extent::Plane => planar(deformation),
        Extent::Sheet(normal) => {
            // Nothing says what becomes of the normal, but that it stays one: the cofactors turn it.
            let turned = Mat3::from_cols_array_2d(&cofactors(numbers(deformation))) * normal;
            let length = turned.length();
            let thickness = if length > 0.0 { turned * (length.sqrt() / length) } else { Vec3::ZERO };
            polar(deformation + outer(thickness, normal))
        }
        Extent::Line(axis) => onto(axis, deformation * axis),
        Extent::Point => Mat3::IDENTITY,
    }
}

/// a ⊗ b.
#[inline(always)]
pub(crate) fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The rotation about z, in closed form.
fn planar(m: Mat3) -> Mat3 {
    let (sine, cosine) = (m.x_axis.y - m.y_axis.x, m.x_axis.x + m.y_axis.y);
    let length = (sine * sine + cosine * cosine).sqrt();
    if length == 0.0 {
        return Mat3::IDENTITY;
    }
    let (s, c) = (sine / length, cosine / length);
    Mat3::from_cols(Vec3::new(c, s, 0.0), Vec3::new(-s, c, 0.0), Vec3::Z)
}

/// The smallest rotation that turns a unit vector into a direction; nothing says how it turns what lies across. What lies in
/// a plane is turned in it: a world of two dimensions stays in its own.
fn onto(from: Vec3, direction: Vec3) -> Mat3 {
    let Some(to) = direction.try_normalize() else { return Mat3::IDENTITY };
    let cross = outer(to, from) - outer(from, to);
    let cosine = from.dot(to);
    if cosine > OPPOSITE {
        // Rodrigues.
        return Mat3::IDENTITY + cross + cross * cross * (1.0 / (1.0 + cosine));
    }
    // By way of the opposite direction, half a turn about what is most nearly z: 2 a ⊗ a − 1.
    let across = |axis: Vec3| (axis - from * axis.dot(from)).normalize_or_zero();
    let axis = if from.z.abs() < 0.9 { across(Vec3::Z) } else { across(Vec3::X) };
    onto(-from, to) * (outer(axis, axis) * 2.0 - Mat3::IDENTITY)
}

/// Below this cosine two directions are opposite: the smallest turn between them has hardly an axis.
const OPPOSITE: Real = -0.9;

/// Below this share of ‖F‖³ a determinant is too small for Newton's iteration to be exact.
const SMALLEST_DETERMINANT: Real = 1e-3;

/// Is Newton's iteration exact enough?
#[inline(always)]
fn is_sound<N: Number>(matrix: Matrix<N>) -> N {
    let size = square(matrix);
    dot(matrix[0], cofactors(matrix)[0]) - size.like(SMALLEST_DETERMINANT) * size * size.root()
}

/// Newton's iteration.
#[inline(always)]
fn newton<N: Number>(matrix: Matrix<N>) -> Matrix<N> {
    let (mut rotation, half) = (matrix, matrix[0][0].like(0.5));
    for _ in 0..20 {
        let cofactors = cofactors(rotation);
        let determinant = dot(rotation[0], cofactors[0]);
        // The inverse, transposed, is that of the cofactors.
        let size = square(cofactors) / (determinant * determinant);
        let scale = (size / square(rotation)).root().root();
        let (own, other) = (half * scale, half / (scale * determinant));
        let next = [
            plus(scaled(rotation[0], own), scaled(cofactors[0], other)),
            plus(scaled(rotation[1], own), scaled(cofactors[1], other)),
            plus(scaled(rotation[2], own), scaled(cofactors[2], other)),
        ];
        let change = square([minus(next[0], rotation[0]), minus(next[1], rotation[1]), minus(next[2], rotation[2])]);
        rotation = next;
        // The error of the next is of the order of this change squared.
        if change.is_below(Real::EPSILON) {
            break;
        }
    }
    rotation
}

/// The rotation nearest to a matrix.
fn polar(matrix: Mat3) -> Mat3 {
    match is_sound(numbers(matrix)) > 0.0 {
        true => Mat3::from_cols_array_2d(&newton(numbers(matrix))),
        false => nearest_rotation(matrix),
    }
}

/// The rotations nearest to eight matrices.
#[inline(always)]
pub(super) fn polar_of_eight<S: Simd>(set: S, matrices: Matrix<Lanes<S>>) -> Matrix<Lanes<S>> {
    let rotations = newton(matrices);
    let unsound = Lanes::splat(set, 0.0).less(is_sound(matrices)) ^ 0xff;
    if unsound == 0 { rotations } else { without_newton(set, matrices, rotations, unsound) }
}

/// Replaces those whose bit is set.
#[cold]
#[inline(never)]
fn without_newton<S: Simd>(
    set: S,
    matrices: Matrix<Lanes<S>>,
    rotations: Matrix<Lanes<S>>,
    unsound: u32,
) -> Matrix<Lanes<S>> {
    let (matrices, mut rotations) = (scatter(matrices), scatter(rotations));
    for (lane, (matrix, rotation)) in matrices.into_iter().zip(&mut rotations).enumerate() {
        if unsound >> lane & 1 == 1 {
            *rotation = nearest_rotation(matrix);
        }
    }
    gather(set, rotations.each_ref())
}

/// The same for any matrix, however it is turned inside out.
fn nearest_rotation(matrix: Mat3) -> Mat3 {
    let f = |row: usize, column: usize| f64::from(matrix.col(column)[row]);
    let [w, x, y, z] = [
        f(0, 0) + f(1, 1) + f(2, 2),
        f(0, 0) - f(1, 1) - f(2, 2),
        f(1, 1) - f(0, 0) - f(2, 2),
        f(2, 2) - f(0, 0) - f(1, 1),
    ];
    let (wx, wy, wz) = (f(2, 1) - f(1, 2), f(0, 2) - f(2, 0), f(1, 0) - f(0, 1));
    let (xy, xz, yz) = (f(0, 1) + f(1, 0), f(0, 2) + f(2, 0), f(1, 2) + f(2, 1));
    let (values, vectors) = symmetric_eigen([[w, wx, wy, wz], [wx, x, xy, xz], [wy, xy, y, yz], [wz, xz, yz, z]]);
    let largest = (1..4).fold(0, |best, k| if values[k] > values[best] { k } else { best });
    let [w, x, y, z] = std::array::from_fn(|row: usize| vectors[row][largest]);
    let turn = glam::DMat3::from_quat(glam::DQuat::from_xyzw(x, y, z, w).normalize());
    crate::real::narrow_matrix(turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::LANES;
    use crate::neighbors::dispatch::Portable;

    const CLOSE: Real = 40.0 * Real::EPSILON;

    fn turn(axis: Vec3, angle: Real) -> Mat3 {
        Mat3::from_axis_angle(axis.normalize(), angle)
    }

    fn size(m: Mat3) -> Real {
        square(numbers(m)).sqrt()
    }

    /// RᵀR = 1, det R = 1, and RᵀF symmetric.
    fn is_polar(rotation: Mat3, matrix: Mat3) {
        assert!(size(rotation.transpose() * rotation - Mat3::IDENTITY) < CLOSE, "{rotation}");
        assert!((rotation.determinant() - 1.0).abs() < CLOSE);
        let stretch = rotation.transpose() * matrix;
        let skew = size(stretch - stretch.transpose());
        assert!(skew < CLOSE * size(matrix), "{skew} of {matrix}");
    }

    fn stretches() -> Vec<Mat3> {
        let mut all = Vec::new();
        for (k, angle) in [0.0, 0.5, 1.6, 3.1, std::f64::consts::PI as Real].into_iter().enumerate() {
            let rotation = turn(Vec3::new(1.0, 0.3 * k as Real, -0.4), angle);
            let frame = turn(Vec3::new(0.2, 1.0, k as Real), 1.0);
            for sizes in [[1.0, 1.0, 1.0], [2.0, 0.7, 0.4], [1.3, 0.05, 0.01], [1.0, 0.5, -0.3], [0.6, 0.5, -0.45]] {
                let stretch = frame * Mat3::from_diagonal(Vec3::from_array(sizes)) * frame.transpose();
                all.push(rotation * stretch);
            }
        }
        all
    }

    #[test]
    fn rotations_are_polar_also_where_matter_is_inside_out() {
        for matrix in stretches() {
            is_polar(rotation_in(matrix, Extent::Volume), matrix);
            is_polar(nearest_rotation(matrix), matrix);
        }
        assert_eq!(rotation_in(Mat3::ZERO, Extent::Volume).determinant(), 1.0);
    }

    #[test]
    fn eight_at_a_time_are_as_one_by_one() {
        let matrices = stretches();
        for eight in matrices.windows(LANES) {
            let given = std::array::from_fn(|lane| &eight[lane]);
            let found = scatter(polar_of_eight(Portable, gather(Portable, given)));
            for (matrix, rotation) in eight.iter().zip(found) {
                is_polar(rotation, *matrix);
            }
        }
    }

    #[test]
    fn the_rotation_found_is_the_nearest() {
        for matrix in stretches() {
            let found = rotation_in(matrix, Extent::Volume);
            let nearness = |rotation: Mat3| {
                (rotation.transpose() * matrix).x_axis.x
                    + (rotation.transpose() * matrix).y_axis.y
                    + (rotation.transpose() * matrix).z_axis.z
            };
            for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE] {
                for angle in [0.1, -0.1, 1.5, 3.0] {
                    assert!(nearness(found * turn(axis, angle)) < nearness(found) + CLOSE);
                }
            }
        }
    }

    #[test]
    fn sheets_and_lines_turn_with_what_they_are_made_of() {
        let rotation = turn(Vec3::new(0.3, -1.0, 0.8), 2.7);
        let normal = Vec3::new(0.0, 0.6, 0.8);
        let flat = Mat3::IDENTITY - outer(normal, normal);
        let stretched = rotation * flat * Mat3::from_diagonal(Vec3::new(1.2, 1.0, 1.0)) * flat;
        let found = rotation_in(stretched, Extent::Sheet(normal));
        is_polar(found, stretched);
        assert!((found * normal - rotation * normal).length() < CLOSE);
        let axis = Vec3::new(0.8, 0.0, -0.6);
        let found = rotation_in(rotation * outer(axis, axis) * 1.5, Extent::Line(axis));
        assert!((found * axis - rotation * axis).length() < CLOSE);
        assert!((found.determinant() - 1.0).abs() < CLOSE);
        let back = rotation_in(outer(axis, axis) * -1.5, Extent::Line(axis));
        assert!((back * axis + axis).length() < CLOSE && (back.determinant() - 1.0).abs() < CLOSE);
        assert_eq!(rotation_in(Mat3::ZERO, Extent::Sheet(normal)).determinant(), 1.0);
    }

    #[test]
    fn lines_in_the_plane_are_turned_in_it() {
        for from in 0..12 {
            for by in 0..24 {
                let along = turn(Vec3::Z, 0.5 * from as Real) * Vec3::X;
                let rotation = turn(Vec3::Z, (15.0 * by as Real).to_radians());
                let found = rotation_in(rotation * outer(along, along) * 1.2, Extent::Line(along));
                assert!(size(found - rotation) < CLOSE, "{from} {by}: {found} for {rotation}");
            }
        }
    }

    #[test]
    fn turns_in_the_plane_stay_in_it() {
        let flat = |m: Mat3| Mat3::from_cols(m.x_axis, m.y_axis, Vec3::ZERO);
        for angle in [0.3, 1.6, -3.0] {
            let rotation = turn(Vec3::Z, angle);
            let matrix = flat(rotation * Mat3::from_diagonal(Vec3::new(1.4, 0.8, 0.0)));
            assert!(size(rotation_in(matrix, Extent::Plane) - rotation) < CLOSE);
            let inverted = flat(rotation * Mat3::from_diagonal(Vec3::new(1.4, -0.3, 0.0)));
            is_polar(rotation_in(inverted, Extent::Plane), inverted);
        }
    }
}
