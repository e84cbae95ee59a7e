//! A level of the density (DG96 4.2): the surface is where Σ V_j W(x − x_j) = iso.
//!
//! DG96 takes the mass density, each particle counting with its rest volume V0, and the level at which the surface of
//! two particles parts just when they stop interacting: iso = 2 V0 W(h/2), h being the support (DG96 writes h for half
//! of it). That level keeps the volume only roughly; the paper says so.
//!
//! The default departs from it in two points. The level is the one around which there is the volume of all particles:
//! a field starts at that of the surface of a filled half space, and a mesh is made where the volume is. And each particle counts with the volume it has, 1/Σ W, not with that of a full neighbourhood:
//! then a lone drop is as visible as a sea.

use std::f32::consts::PI;

use glam::Vec3;
use rayon::prelude::*;

use super::Field;
use super::calibration::density_at_surface;
use super::patch::{Nearby, POINTS, Patch, widest};
use crate::error::{SurfaceError, positive};
use crate::kernel::{CubicSpline, Kernel, Poly6, Profile, Shape, Spiky};
use crate::quantity::Quantity;
use crate::samples::Samples;

/// Which level of the density is the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Iso {
    /// The one that keeps the volume of matter; particles count with the volume they have. A field starts at that of a
    /// half space; a mesh is made at the very level that has the volume.
    #[default]
    Volume,
    /// That of DG96; particles count with their rest volume.
    DesbrunGascuel,
    /// This one [-], as a part of the rest density; particles count with their rest volume.
    Value(f32),
}

/// Parameters of the iso-density surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsoDensity {
    /// The shape of the kernel.
    pub kernel: Shape,
    /// Support of the kernel in particle spacings [-]. More is smoother, and loses what is finer.
    pub support_over_spacing: f32,
    /// Which level of the density is the surface.
    pub iso: Iso,
}

impl Default for IsoDensity {
    fn default() -> Self {
        IsoDensity { kernel: Shape::Poly6, support_over_spacing: 2.5, iso: Iso::Volume }
    }
}

impl IsoDensity {
    /// As in DG96: its kernel and its level.
    pub fn desbrun_gascuel() -> Self {
        IsoDensity { kernel: Shape::Spiky, support_over_spacing: 2.0, iso: Iso::DesbrunGascuel }
    }

    /// The field of particles that are `spacing` apart at rest [m].
    pub fn field(&self, position: &[Vec3], spacing: f32) -> Result<DensityField, SurfaceError> {
        self.check(spacing)?;
        let kernel = self.kernel(spacing);
        let samples = Samples::new(position, kernel.support)?;
        let volumes = match self.iso {
            Iso::Volume => self.present_volumes(&samples, spacing),
            _ => vec![spacing.powi(3); samples.len()],
        };
        Ok(self.weighted(samples, volumes, spacing))
    }

    /// The field of particles of which each counts with a volume of its own [m³].
    pub fn field_of_volumes(
        &self,
        position: &[Vec3],
        volume: &[f32],
        spacing: f32,
    ) -> Result<DensityField, SurfaceError> {
        self.check(spacing)?;
        Quantity { name: "volume", components: 1, values: volume }.check(position.len())?;
        let samples = Samples::new(position, self.kernel(spacing).support)?;
        let volumes = samples.index().iter().map(|&i| volume[i as usize]).collect();
        Ok(self.weighted(samples, volumes, spacing))
    }

    /// The volume that each particle has [m³]: 1/Σ W, or the rest volume if the level is one of rest volumes.
    pub fn volumes(&self, position: &[Vec3], spacing: f32) -> Result<Vec<f32>, SurfaceError> {
        let mut by_index = vec![spacing.powi(3); position.len()];
        if self.iso == Iso::Volume {
            self.check(spacing)?;
            let kernel = self.kernel(spacing);
            let samples = Samples::new(position, kernel.support)?;
            let volumes = self.present_volumes(&samples, spacing);
            samples.index().iter().zip(volumes).for_each(|(&i, volume)| by_index[i as usize] = volume);
        }
        Ok(by_index)
    }

    /// The volume that each particle has [m³], in the order of cells. A lone one has no more than makes it a ball of its
    /// rest volume.
    fn present_volumes(&self, samples: &Samples, spacing: f32) -> Vec<f32> {
        let kernel = self.kernel(spacing);
        let ball = (0.75 / PI).cbrt() * spacing;
        let most = self.level(&kernel, spacing) / kernel.value(ball * ball).max(f32::MIN_POSITIVE);
        let volume = |&at: &Vec3| {
            let mut sum = 0.0;
            samples.near(at, |_, _, squared| sum += kernel.value(squared));
            // A particle is its own neighbour: the sum is never zero.
            (1.0 / sum).min(most)
        };
        samples.position().par_iter().with_min_len(256).map(volume).collect()
    }

    fn check(&self, spacing: f32) -> Result<(), SurfaceError> {
        positive("the spacing [m]", spacing)?;
        positive("support_over_spacing", self.support_over_spacing)?;
        if let Iso::Value(iso) = self.iso {
            positive("iso", iso)?;
        }
        Ok(())
    }

    fn kernel(&self, spacing: f32) -> Kernel {
        Kernel { shape: self.kernel, support: self.support_over_spacing * spacing }
    }

    fn weighted(&self, samples: Samples, volumes: Vec<f32>, spacing: f32) -> DensityField {
        let kernel = self.kernel(spacing);
        let unit = kernel.peak() / self.level(&kernel, spacing);
        let weights = volumes.into_iter().map(|volume| volume * unit).collect();
        DensityField { samples, kernel, weights }
    }

    fn level(&self, kernel: &Kernel, spacing: f32) -> f32 {
        match self.iso {
            Iso::Volume => density_at_surface(kernel, spacing),
            Iso::DesbrunGascuel => 2.0 * spacing.powi(3) * kernel.value(0.25 * kernel.support * kernel.support),
            Iso::Value(iso) => iso,
        }
    }
}

/// The density by the level of its surface, less one.
#[derive(Clone, Debug)]
pub struct DensityField {
    samples: Samples,
    kernel: Kernel,
    /// V W(0) / iso.
    weights: Vec<f32>,
}

impl DensityField {
    /// Raises the level of the surface: where the value was `by`, it is zero from now on.
    pub(crate) fn raise(&mut self, by: f32) {
        self.weights.par_iter_mut().for_each(|weight| *weight /= 1.0 + by);
    }
}

impl Field for DensityField {
    fn samples(&self) -> &Samples {
        &self.samples
    }

    fn value(&self, at: Vec3) -> f32 {
        let (mut sum, per_peak) = (0.0, 1.0 / self.kernel.peak());
        self.samples.near(at, |j, _, squared| sum += self.weights[j] * per_peak * self.kernel.value(squared));
        sum - 1.0
    }

    fn value_and_gradient(&self, at: Vec3) -> (f32, Vec3) {
        let (mut sum, mut gradient, per_peak) = (0.0, Vec3::ZERO, 1.0 / self.kernel.peak());
        self.samples.near(at, |j, from, squared| {
            let weight = self.weights[j] * per_peak;
            sum += weight * self.kernel.value(squared);
            gradient += weight * self.kernel.slope(squared) * from;
        });
        (sum - 1.0, gradient)
    }

    fn fill(&self, patch: &Patch, nearby: &[Nearby], values: &mut [f32; POINTS]) {
        values.fill(-1.0);
        match self.kernel.shape {
            Shape::Poly6 => add::<Poly6>(patch, self.kernel.support, nearby, values),
            Shape::Spiky => add::<Spiky>(patch, self.kernel.support, nearby, values),
            Shape::CubicSpline => add::<CubicSpline>(patch, self.kernel.support, nearby, values),
        }
    }

    fn weights(&self) -> &[f32] {
        &self.weights
    }

    fn kernel(&self) -> Kernel {
        self.kernel
    }
}

widest!(
    add<P>(patch: &Patch, reach: f32, nearby: &[Nearby], values: &mut [f32; POINTS]),
    patch.add::<P>(reach, nearby, values)
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, lattice};

    #[test]
    fn two_particles_part_where_they_stop_interacting() {
        // DG96 Fig. 5: at a distance of the support, the point half-way between is just on the surface.
        let pair = [Vec3::ZERO, Vec3::X * 0.2];
        let field = IsoDensity::desbrun_gascuel().field(&pair, 0.1).unwrap();
        assert!(field.value(Vec3::X * 0.1).abs() < 1e-5);
        assert!(field.value(Vec3::new(0.1, 0.01, 0.0)) < 0.0 && field.value(Vec3::X * 0.09) > 0.0);
    }

    #[test]
    fn a_plane_of_a_lattice_lies_about_half_a_spacing_outside_its_particles() {
        for kernel in [Shape::Poly6, Shape::CubicSpline] {
            for support_over_spacing in [2.0, 3.0] {
                let slab = lattice(0.1, 1.0, 0.0, |at| at.z.abs() < 0.4);
                let parameters = IsoDensity { kernel, support_over_spacing, iso: Iso::Volume };
                let field = parameters.field(&slab, 0.1).unwrap();
                let mut random = Random::new(3);
                let places = (0..400).map(|_| random.vector() * 0.1);
                let mean = places.map(|at| field.value(at.with_z(0.4))).sum::<f32>() / 400.0;
                // By half the difference between order and disorder the level is below that of this lattice.
                assert!((-0.01..0.10).contains(&-mean), "{kernel:?} {support_over_spacing}: {mean}");
            }
        }
    }

    #[test]
    fn patches_hold_the_values_at_their_points_and_gradients_are_slopes() {
        let mut random = Random::new(5);
        let cloud: Vec<Vec3> = (0..300).map(|_| random.vector() * 0.3 + Vec3::X * 7.0).collect();
        for kernel in [Shape::Poly6, Shape::Spiky, Shape::CubicSpline] {
            let field = IsoDensity { kernel, ..IsoDensity::default() }.field(&cloud, 0.1).unwrap();
            let patch = Patch { origin: Vec3::new(6.8, -0.2, -0.15).as_dvec3(), cell: 0.04 };
            let (mut nearby, mut values) = (Vec::new(), [0.0; POINTS]);
            patch.collect(&field, &mut nearby);
            field.fill(&patch, &nearby, &mut values);
            for (k, value) in values.iter().enumerate() {
                let index = Vec3::new((k % 8) as f32, (k / 8 % 8) as f32, (k / 64) as f32);
                let at = patch.origin.as_vec3() + index * 0.04;
                assert!((field.value(at) - value).abs() < 2e-4, "{kernel:?}: {} {value}", field.value(at));
                let (_, gradient) = field.value_and_gradient(at);
                let slope = (field.value(at + Vec3::Y * 1e-3) - field.value(at - Vec3::Y * 1e-3)) / 2e-3;
                assert!((gradient.y - slope).abs() < 0.02 * gradient.length() + 0.15, "{} {slope}", gradient.y);
            }
        }
    }

    #[test]
    fn a_lone_particle_is_a_ball_of_its_volume_and_parameters_out_of_range_are_not_taken() {
        for support_over_spacing in [2.0, 2.5, 4.0] {
            let field = IsoDensity { support_over_spacing, ..IsoDensity::default() }.field(&[Vec3::ONE], 0.1).unwrap();
            // 4/3 π 0.062³ is 0.1³.
            assert!(field.value(Vec3::ONE + Vec3::X * 0.061) > 0.0 && field.value(Vec3::ONE + Vec3::Y * 0.063) < 0.0);
        }
        for iso in [0.0, -1.0, f32::NAN] {
            assert!(IsoDensity { iso: Iso::Value(iso), ..IsoDensity::default() }.field(&[], 0.1).is_err());
        }
        assert!(IsoDensity::default().field(&[], f32::NAN).is_err());
    }
}
