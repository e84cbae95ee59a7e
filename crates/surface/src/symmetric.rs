//! Symmetric 3 × 3 matrices: eigenvalues in closed form, and the direction of the smallest.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

/// The eigenvalues of a symmetric matrix, largest first (Smith 1961: the roots of the cubic by an arc cosine).
pub(crate) fn eigenvalues(matrix: DMat3) -> [f64; 3] {
    let [a, b, c] = [matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z];
    let [d, e, f] = [matrix.y_axis.x, matrix.z_axis.x, matrix.z_axis.y];
    let mean = (a + b + c) / 3.0;
    let off = d * d + e * e + f * f;
    let spread = ((a - mean).powi(2) + (b - mean).powi(2) + (c - mean).powi(2) + 2.0 * off) / 6.0;
    let scale = spread.sqrt();
    if scale <= f64::EPSILON * mean.abs() || scale == 0.0 {
        return [mean; 3];
    }
    let centred = (matrix - DMat3::from_diagonal(DVec3::splat(mean))) * (1.0 / scale);
    let angle = (0.5 * centred.determinant()).clamp(-1.0, 1.0).acos() / 3.0;
    let largest = mean + 2.0 * scale * angle.cos();
    let smallest = mean + 2.0 * scale * (angle + 2.0 * PI / 3.0).cos();
    [largest, 3.0 * mean - largest - smallest, smallest]
}

/// The unit vector along which a symmetric matrix is smallest; none where it is the same along several.
pub(crate) fn smallest_direction(matrix: DMat3) -> Option<DVec3> {
    let [largest, middle, smallest] = eigenvalues(matrix);
    if middle - smallest <= 1e-9 * largest.abs() {
        return None;
    }
    let rest = matrix - DMat3::from_diagonal(DVec3::splat(smallest));
    // Rows of what remains span the other two directions: the longest cross product is the most exact.
    let [x, y, z] = [rest.row(0), rest.row(1), rest.row(2)];
    let crossed = [x.cross(y), y.cross(z), z.cross(x)];
    let longest = crossed.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    longest.and_then(DVec3::try_normalize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn turned_diagonal_matrices_keep_their_eigenvalues() {
        for (values, turn) in
            [([3.0, 2.0, 1.0], 0.4), ([5.0, 5.0, -2.0], 1.1), ([7.0, 1e-3, 0.0], 2.0), ([2.0, 2.0, 2.0], 0.3)]
        {
            let rotation = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -2.0) / 3.0, turn));
            let matrix = rotation * DMat3::from_diagonal(DVec3::from_array(values)) * rotation.transpose();
            for (found, value) in eigenvalues(matrix).iter().zip(values) {
                assert!((found - value).abs() < 1e-7, "{found} {value}");
            }
            match smallest_direction(matrix) {
                Some(direction) => assert!(direction.dot(rotation.z_axis).abs() > 1.0 - 1e-9),
                None => assert_eq!(values[1], values[2]),
            }
        }
    }
}
