//! Which way the surface faces at a particle (Sol09 6.2.2): by the gradient of the colour field, −Σ V ∇W (Müller 2003),
//! or across the plane that fits the surface particles around best, in the sense of least squares (Pajarola 2003: the
//! smallest eigenvector of their covariance). A plane has two sides: the colour field tells them apart.

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use crate::error::SurfaceError;
use crate::kernel::{Kernel, Shape};
use crate::samples::Samples;
use crate::symmetric::smallest_direction;

/// How normals are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Normals {
    /// By the colour field.
    #[default]
    ColourField,
    /// By the covariance of the surface particles: more work, and smoother.
    Covariance,
}

/// Unit normals of the chosen particles, in their order. All particles within `reach` [m] count for the colour field,
/// only chosen ones for the covariance. Where neither tells a direction it is +y.
pub fn normals(position: &[Vec3], chosen: &[u32], reach: f32, method: Normals) -> Result<Vec<Vec3>, SurfaceError> {
    let all = Samples::new(position, reach)?;
    let places: Vec<Vec3> = chosen.iter().filter_map(|&i| position.get(i as usize)).copied().collect();
    let kernel = Kernel { shape: Shape::Poly6, support: reach };
    let outward = |&at: &Vec3| {
        let mut gradient = Vec3::ZERO;
        all.near(at, |_, from, squared| gradient += kernel.slope(squared) * from);
        (-gradient).normalize_or(Vec3::Y)
    };
    let colour: Vec<Vec3> = places.par_iter().with_min_len(256).map(outward).collect();
    if method == Normals::ColourField {
        return Ok(colour);
    }
    let surface = Samples::new(&places, reach)?;
    let across = |(&at, &colour): (&Vec3, &Vec3)| {
        let normal = smallest_direction(covariance(&surface, &kernel, at)).map_or(colour, |normal| normal.as_vec3());
        if normal.dot(colour) < 0.0 { -normal } else { normal }
    };
    Ok(places.par_iter().zip(&colour).with_min_len(256).map(across).collect())
}

/// Weighted covariance of the samples around a point.
fn covariance(samples: &Samples, kernel: &Kernel, at: Vec3) -> DMat3 {
    let (mut sum, mut moment, mut square) = (0.0, DVec3::ZERO, DMat3::ZERO);
    samples.near(at, |_, from, squared| {
        let weight = f64::from(kernel.value(squared));
        let from = from.as_dvec3();
        sum += weight;
        moment += weight * from;
        square += DMat3::from_cols(from * from.x, from * from.y, from * from.z) * weight;
    });
    let mean = moment / sum;
    square * (1.0 / sum) - DMat3::from_cols(mean * mean.x, mean * mean.y, mean * mean.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::{Detection, detect};
    use crate::testing::lattice;

    #[test]
    fn normals_of_a_ball_point_away_from_its_centre() {
        let ball = lattice(0.1, 1.0, 0.05, |at| at.length() < 0.9);
        let found = detect(&ball, 0.2, &Detection::default(), None).unwrap();
        let chosen: Vec<u32> = (0..ball.len() as u32).filter(|&i| found[i as usize]).collect();
        for (method, least) in [(Normals::ColourField, 0.93), (Normals::Covariance, 0.93)] {
            let normals = normals(&ball, &chosen, 0.3, method).unwrap();
            let aligned = chosen.iter().zip(&normals).map(|(&i, normal)| normal.dot(ball[i as usize].normalize()));
            let mean = aligned.sum::<f32>() / chosen.len() as f32;
            assert!(mean > least, "{method:?}: {mean}");
            assert!(normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5));
        }
    }

    #[test]
    fn a_particle_alone_faces_somewhere() {
        for method in [Normals::ColourField, Normals::Covariance] {
            assert_eq!(normals(&[Vec3::ONE], &[0], 0.3, method).unwrap(), [Vec3::Y]);
        }
    }
}
