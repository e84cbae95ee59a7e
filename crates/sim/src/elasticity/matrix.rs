//! Matrices of one number or of eight at a time, by columns.

use crate::kernel::Number;
use crate::neighbors::{LANES, Lanes, Simd, Tension};
use crate::real::{Mat3, Real, Vec3};

/// A vector.
pub(super) type Vector<N> = [N; 3];

/// A matrix, by columns.
pub(super) type Matrix<N> = [Vector<N>; 3];

#[inline(always)]
pub(super) fn dot<N: Number>(a: Vector<N>, b: Vector<N>) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<N: Number>(a: Vector<N>, b: Vector<N>) -> Vector<N> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(super) fn plus<N: Number>(a: Vector<N>, b: Vector<N>) -> Vector<N> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn minus<N: Number>(a: Vector<N>, b: Vector<N>) -> Vector<N> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn scaled<N: Number>(a: Vector<N>, factor: N) -> Vector<N> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(super) fn transposed<N: Number>([x, y, z]: Matrix<N>) -> Matrix<N> {
    [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
}

/// A matrix times a vector.
#[inline(always)]
pub(super) fn times<N: Number>(m: Matrix<N>, v: Vector<N>) -> Vector<N> {
    let [x, y, z] = transposed(m);
    [dot(x, v), dot(y, v), dot(z, v)]
}

#[inline(always)]
pub(super) fn product<N: Number>(a: Matrix<N>, [x, y, z]: Matrix<N>) -> Matrix<N> {
    [times(a, x), times(a, y), times(a, z)]
}

/// The matrix of cofactors: M⁻ᵀ det M, also where M has no inverse.
#[inline(always)]
pub(super) fn cofactors<N: Number>([x, y, z]: Matrix<N>) -> Matrix<N> {
    [cross(y, z), cross(z, x), cross(x, y)]
}

/// The sum of all squares.
#[inline(always)]
pub(super) fn square<N: Number>([x, y, z]: Matrix<N>) -> N {
    dot(x, x) + dot(y, y) + dot(z, z)
}

#[inline(always)]
pub(super) fn numbers(m: Mat3) -> Matrix<Real> {
    m.to_cols_array_2d()
}

/// Eight given vectors.
#[inline(always)]
fn gather_vectors<S: Simd>(set: S, [a, b, c, d, e, f, g, h]: [Vec3; LANES]) -> Vector<Lanes<S>> {
    [
        Lanes::from_array(set, [a.x, b.x, c.x, d.x, e.x, f.x, g.x, h.x]),
        Lanes::from_array(set, [a.y, b.y, c.y, d.y, e.y, f.y, g.y, h.y]),
        Lanes::from_array(set, [a.z, b.z, c.z, d.z, e.z, f.z, g.z, h.z]),
    ]
}

/// Eight given matrices.
#[inline(always)]
pub(super) fn gather<S: Simd>(set: S, matrices: [&Mat3; LANES]) -> Matrix<Lanes<S>> {
    [
        gather_vectors(set, matrices.map(|m| m.x_axis)),
        gather_vectors(set, matrices.map(|m| m.y_axis)),
        gather_vectors(set, matrices.map(|m| m.z_axis)),
    ]
}

/// The matrices of eight tensions.
#[inline(always)]
pub(super) fn columns<S: Simd>(set: S, tensions: &[Tension; LANES]) -> Matrix<Lanes<S>> {
    [column(set, tensions, 0), column(set, tensions, 1), column(set, tensions, 2)]
}

#[inline(always)]
fn column<S: Simd>(set: S, [a, b, c, d, e, f, g, h]: &[Tension; LANES], k: usize) -> Vector<Lanes<S>> {
    let [x, y, z, _] = Lanes::rows(set, [&a.0[k], &b.0[k], &c.0[k], &d.0[k], &e.0[k], &f.0[k], &g.0[k], &h.0[k]]);
    [x, y, z]
}

/// Eight vectors as rows.
#[inline(always)]
pub(super) fn rows<S: Simd>([x, y, z]: Vector<Lanes<S>>) -> [[Real; 4]; LANES] {
    Lanes::to_rows([x, y, z, x.like(0.0)])
}

/// The eight matrices.
#[inline(always)]
pub(super) fn scatter<S: Simd>([x, y, z]: Matrix<Lanes<S>>) -> [Mat3; LANES] {
    let (x, y, z) = (rows(x), rows(y), rows(z));
    let mut matrices = [Mat3::ZERO; LANES];
    for (lane, matrix) in matrices.iter_mut().enumerate() {
        let column = |row: &[Real; 4]| Vec3::from_slice(row);
        *matrix = Mat3::from_cols(column(&x[lane]), column(&y[lane]), column(&z[lane]));
    }
    matrices
}
