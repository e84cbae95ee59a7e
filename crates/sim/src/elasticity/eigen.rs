//! Eigenvalues of small symmetric matrices, by Jacobi's rotations: slow, simple, and right for any matrix.

/// Eigenvalues, and the eigenvectors as columns in their order.
pub(crate) fn symmetric_eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut vectors = [[0.0; N]; N];
    for (k, row) in vectors.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    // Off-diagonal entries vanish quadratically: a 4×4 matrix needs about six sweeps.
    for _ in 0..30 {
        let outside: f64 = (0..N).flat_map(|p| (0..p).map(move |q| (p, q))).map(|(p, q)| a[p][q] * a[p][q]).sum();
        let inside: f64 = (0..N).map(|p| a[p][p] * a[p][p]).sum();
        if outside <= f64::EPSILON * f64::EPSILON * inside {
            break;
        }
        for p in 1..N {
            for q in 0..p {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    (std::array::from_fn(|k| a[k][k]), vectors)
}

/// Turns the plane of two axes so that the entry between them becomes zero.
fn rotate<const N: usize>(a: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |x: f64, y: f64| (cosine * x - sine * y, sine * x + cosine * y);
    for row in a.iter_mut().chain(vectors) {
        (row[p], row[q]) = turn(row[p], row[q]);
    }
    let rows: [_; N] = std::array::from_fn(|k| turn(a[p][k], a[q][k]));
    (a[p], a[q]) = (rows.map(|row| row.0), rows.map(|row| row.1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_orthonormal_and_stretched_by_their_values() {
        let matrices = [
            [[2.0, -1.0, 0.5, 0.0], [-1.0, 3.0, 0.2, 4.0], [0.5, 0.2, -1.0, 1.0], [0.0, 4.0, 1.0, 0.1]],
            [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1e-9, 0.0], [0.0, 1e-9, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
            [[0.0; 4]; 4],
        ];
        for matrix in matrices {
            let (values, vectors) = symmetric_eigen(matrix);
            for k in 0..4 {
                for row in 0..4 {
                    let product: f64 = (0..4).map(|column| matrix[row][column] * vectors[column][k]).sum();
                    assert!((product - values[k] * vectors[row][k]).abs() < 1e-14 * 8.0);
                }
                for other in 0..4 {
                    let dot: f64 = (0..4).map(|row| vectors[row][k] * vectors[row][other]).sum();
                    assert!((dot - f64::from(u8::from(k == other))).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn undefined_numbers_end_too() {
        let (values, _) = symmetric_eigen([[f64::NAN; 3]; 3]);
        assert!(values[0].is_nan());
    }
}
