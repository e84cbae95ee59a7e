//! The reconstruction of the splashsurf project (Löschner et al. 2023), behind the cargo feature `splashsurf`:
//! a level of the density with a cubic spline, and Laplacian smoothing.

use glam::Vec3;
use splashsurf_lib::mesh::Mesh3d as _;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::postprocessing::par_laplacian_smoothing_inplace;
use splashsurf_lib::{Parameters, reconstruct_surface};

use crate::error::{SurfaceError, positive};
use crate::mesh::Mesh;

/// Parameters of splashsurf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Splashsurf {
    /// Support of the kernel in particle spacings [-].
    pub support_over_spacing: f32,
    /// Level of the density, as a part of the rest density [-].
    pub iso: f32,
}

impl Default for Splashsurf {
    fn default() -> Self {
        Splashsurf { support_over_spacing: 2.0, iso: 0.6 }
    }
}

impl Splashsurf {
    /// The mesh of particles that are `spacing` apart at rest [m], found on a grid of that cell size [m] and smoothed
    /// so many times. Normals and quantities are for later.
    pub fn mesh(&self, position: &[Vec3], spacing: f32, cell: f32, smoothing: u32) -> Result<Mesh, SurfaceError> {
        positive("the spacing [m]", spacing)?;
        positive("the cell size [m]", cell)?;
        positive("support_over_spacing", self.support_over_spacing)?;
        positive("iso", self.iso)?;
        if position.is_empty() {
            return Ok(Mesh::default());
        }
        let mut parameters = Parameters::new(0.5 * spacing, self.support_over_spacing * spacing, cell);
        parameters.iso_surface_threshold = self.iso;
        let places: Vec<Vector3<f32>> = position.iter().map(|place| Vector3::from(place.to_array())).collect();
        let surface = reconstruct_surface::<i64, f32>(&places, &parameters)
            .map_err(|error| SurfaceError::Splashsurf(error.to_string()))?;
        let mut mesh = surface.mesh;
        if smoothing > 0 {
            let neighbors = mesh.vertex_vertex_connectivity();
            let weights = vec![1.0; mesh.vertices.len()];
            par_laplacian_smoothing_inplace(&mut mesh, &neighbors, smoothing as usize, 1.0, &weights);
        }
        Ok(Mesh {
            position: mesh.vertices.iter().map(|place| Vec3::new(place.x, place.y, place.z)).collect(),
            triangles: mesh.triangles.iter().map(|triangle| triangle.map(|vertex| vertex as u32)).collect(),
            ..Mesh::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn a_ball_comes_out_as_a_ball() {
        let ball = lattice(0.1, 0.6, 0.0, |at| at.length() < 0.5);
        let mesh = Splashsurf::default().mesh(&ball, 0.1, 0.05, 2).unwrap();
        let volume = ball.len() as f64 * 1e-3;
        assert!((mesh.volume() / volume - 1.0).abs() < 0.15, "{}", mesh.volume() / volume);
        assert_eq!(mesh.flaws().open, 0);
        assert_eq!(Splashsurf::default().mesh(&[], 0.1, 0.05, 2).unwrap(), Mesh::default());
    }
}
