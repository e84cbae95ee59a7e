//! The distance to the centre of mass (Sol09 6.3, after Zhu & Bridson 2005):
//!
//! φ(r) = |r − r̄(r)| − R f, r̄ = Σ r_j W(|r − r_j|) / Σ W(|r − r_j|) (Eq. 6.20, 6.21; the printed numerator has r for r_j).
//!
//! Between separate pieces r̄ jumps from one to the other, and plain Zhu-Bridson (f = 1) puts a sheet there. The factor
//! f shrinks the surface where r̄ moves fast, as told by the largest stretch EV of ∇r̄ (Eq. 6.22, whose printed quotient
//! is no quotient, and 6.23): f = 1 below t_low, γ³ − 3γ² + 3γ with γ = (t_high − EV)/(t_high − t_low) above it, and 0
//! from t_high on.
//!
//! ∇r̄ is not symmetric where Σ W changes, so its eigenvalues need not be real: EV is its largest singular value.
//! R is such that a half space filled with a lattice has its surface half a spacing outside its particles.
//! Here the field is −φ: positive inside.

use glam::{DMat3, Vec3};

use super::Field;
use super::calibration::depth_of_centre;
use super::patch::{Nearby, PATCH, POINTS, Patch, widest};
use crate::error::{SurfaceError, positive};
use crate::kernel::{Kernel, Poly6, Profile, Shape};
use crate::quantity::Quantity;
use crate::samples::Samples;
use crate::symmetric::eigenvalues;

/// Parameters of the centre-of-mass surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CentreOfMass {
    /// How far particles are felt, in particle spacings [-]. More is smoother.
    pub influence_over_spacing: f32,
    /// Shrink the surface where the centre of mass jumps; without it this is plain Zhu-Bridson.
    pub correction: bool,
    /// Stretch below which the surface is left alone [-].
    pub low: f32,
    /// Stretch from which on there is none [-].
    pub high: f32,
}

impl Default for CentreOfMass {
    fn default() -> Self {
        CentreOfMass { influence_over_spacing: 2.5, correction: true, low: 0.4, high: 2.0 }
    }
}

impl CentreOfMass {
    /// The field of particles that are `spacing` apart at rest [m].
    pub fn field(&self, position: &[Vec3], spacing: f32) -> Result<CentreOfMassField, SurfaceError> {
        self.field_of_volumes(position, &vec![1.0; position.len()], spacing)
    }

    /// The field of particles of which each counts with a volume of its own, in any unit.
    pub fn field_of_volumes(
        &self,
        position: &[Vec3],
        volume: &[f32],
        spacing: f32,
    ) -> Result<CentreOfMassField, SurfaceError> {
        self.check(spacing)?;
        Quantity { name: "volume", components: 1, values: volume }.check(position.len())?;
        let kernel = Kernel { shape: Shape::Poly6, support: self.influence_over_spacing * spacing };
        let samples = Samples::new(position, kernel.support)?;
        let weights = samples.index().iter().map(|&i| volume[i as usize]).collect();
        // Along a flat surface the centre of mass moves with the point: the stretch is one.
        let distance = depth_of_centre(&kernel, spacing) / self.factor(1.0);
        Ok(CentreOfMassField { samples, kernel, weights, parameters: *self, distance })
    }

    fn check(&self, spacing: f32) -> Result<(), SurfaceError> {
        positive("the spacing [m]", spacing)?;
        positive("influence_over_spacing", self.influence_over_spacing)?;
        positive("the low threshold", self.low)?;
        if self.high.is_finite() && self.high > self.low.max(1.0) {
            return Ok(());
        }
        let range = "above the low one and above 1, the stretch along a flat surface";
        Err(SurfaceError::OutOfRange { name: "the high threshold", value: self.high, range })
    }

    /// f of a stretch (Eq. 6.22, 6.23).
    pub fn factor(&self, stretch: f32) -> f32 {
        if !self.correction || stretch < self.low {
            return 1.0;
        }
        let g = ((self.high - stretch) / (self.high - self.low)).max(0.0);
        g * (g * (g - 3.0) + 3.0)
    }
}

/// How far within the surface a point is, by the distance to the centre of mass [m].
#[derive(Clone, Debug)]
pub struct CentreOfMassField {
    samples: Samples,
    kernel: Kernel,
    weights: Vec<f32>,
    parameters: CentreOfMass,
    /// R [m].
    distance: f32,
}

/// What is summed over particles at a point, with e the vector from a particle to the point and s = W'/|e|, all in
/// units of the support: Σ W, −Σ W e, Σ s e, and −Σ s e⊗e as xx, yy, zz, yz, zx, xy.
const SUMS: usize = 13;
type Sums = [f32; SUMS];

impl CentreOfMassField {
    fn sums(&self, at: Vec3) -> Sums {
        let mut sums = [0.0; SUMS];
        let per_support = 1.0 / self.kernel.support;
        self.samples.near(at, |j, from, squared| {
            let q2 = squared * per_support * per_support;
            let e = from * per_support;
            let terms = terms::<Poly6>(e.x, e.y, e.z, q2, self.weights[j]);
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        });
        sums
    }

    /// −φ from the sums.
    fn depth_from(&self, sums: &Sums) -> f32 {
        let &[sum, mx, my, mz, gx, gy, gz, xx, yy, zz, yz, zx, xy] = sums;
        if sum <= f32::MIN_POSITIVE {
            return -self.kernel.support;
        }
        let inverse = 1.0 / f64::from(sum);
        // From the point to the centre of mass.
        let offset = Vec3::new(mx, my, mz).as_dvec3() * inverse;
        let near = -(offset.length() as f32) * self.kernel.support;
        if !self.parameters.correction {
            return self.distance + near;
        }
        let slope = Vec3::new(gx, gy, gz).as_dvec3();
        let column = |x: f32, y: f32, z: f32, slope: f64| (Vec3::new(x, y, z).as_dvec3() - offset * slope) * inverse;
        let gradient =
            DMat3::from_cols(column(xx, xy, zx, slope.x), column(xy, yy, yz, slope.y), column(zx, yz, zz, slope.z));
        self.distance * self.parameters.factor(stretch(gradient)) + near
    }
}

/// The largest singular value.
fn stretch(matrix: DMat3) -> f32 {
    eigenvalues(matrix.transpose() * matrix)[0].max(0.0).sqrt() as f32
}

#[inline(always)]
fn terms<P: Profile>(x: f32, y: f32, z: f32, q2: f32, weight: f32) -> Sums {
    let w = weight * P::value(q2);
    let s = weight * P::slope(q2);
    let (sx, sy, sz) = (s * x, s * y, s * z);
    [w, -w * x, -w * y, -w * z, sx, sy, sz, -sx * x, -sy * y, -sz * z, -sy * z, -sz * x, -sx * y]
}

impl Field for CentreOfMassField {
    fn samples(&self) -> &Samples {
        &self.samples
    }

    fn value(&self, at: Vec3) -> f32 {
        self.depth_from(&self.sums(at))
    }

    /// The gradient by central differences: that of the stretch has no simple form.
    fn value_and_gradient(&self, at: Vec3) -> (f32, Vec3) {
        let step = 0.02 * self.kernel.support;
        let slope = |axis: Vec3| (self.value(at + axis * step) - self.value(at - axis * step)) / (2.0 * step);
        (self.value(at), Vec3::from_array(Vec3::AXES.map(slope)))
    }

    fn fill(&self, patch: &Patch, nearby: &[Nearby], values: &mut [f32; POINTS]) {
        let mut sums = [[0.0; POINTS]; SUMS];
        add::<Poly6>(patch, self.kernel.support, nearby, &mut sums);
        for (k, value) in values.iter_mut().enumerate() {
            *value = self.depth_from(&std::array::from_fn(|quantity| sums[quantity][k]));
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
    add<P>(patch: &Patch, reach: f32, nearby: &[Nearby], sums: &mut [[f32; POINTS]; SUMS]),
    patch.each_row(reach, nearby, |first, from, step, weight| {
        let rest = from.y * from.y + from.z * from.z;
        let terms: [Sums; PATCH] = std::array::from_fn(|k| {
            let x = from.x + k as f32 * step;
            terms::<P>(x, from.y, from.z, x * x + rest, weight)
        });
        for (quantity, sums) in sums.iter_mut().enumerate() {
            let row = &mut sums[first..first + PATCH];
            row.iter_mut().zip(&terms).for_each(|(sum, terms)| *sum += terms[quantity]);
        }
    })
);

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing::{Random, lattice};

    #[test]
    fn the_factor_is_that_of_the_figure() {
        // Sol09 Fig. 6.9 with thresholds 0.4 and 2.0.
        let parameters = CentreOfMass::default();
        for (stretch, factor) in [(0.1, 1.0), (0.4, 1.0), (0.8, 0.984), (1.2, 0.875), (1.6, 0.578), (1.99, 0.019)] {
            assert!((parameters.factor(stretch) - factor).abs() < 1e-3, "{stretch}");
        }
        assert_eq!([parameters.factor(2.0), parameters.factor(9.0)], [0.0; 2]);
        assert_eq!(CentreOfMass { correction: false, ..parameters }.factor(9.0), 1.0);
    }

    #[test]
    fn a_lone_particle_is_a_ball() {
        let field = CentreOfMass::default().field(&[Vec3::ONE], 0.1).unwrap();
        for direction in [Vec3::X, Vec3::new(0.6, 0.0, 0.8)] {
            let value = field.value(Vec3::ONE + direction * 0.03);
            assert!((value - (field.distance - 0.03)).abs() < 1e-6, "{value}");
        }
        assert!(field.value(Vec3::ZERO) < 0.0);
    }

    /// The stretch by the formula against that of r̄ moved by finite differences, on three unequal places.
    #[test]
    fn the_stretch_is_that_of_the_centre_of_mass() {
        let places = [Vec3::ZERO, Vec3::new(0.11, 0.03, 0.0), Vec3::new(-0.02, 0.09, 0.07)];
        let field = CentreOfMass::default().field(&places, 0.1).unwrap();
        let at = Vec3::new(0.04, 0.05, -0.03);
        let centre = |at: Vec3| {
            let weights = places.map(|place| f64::from(field.kernel.value(at.distance_squared(place))));
            let moment: DVec3 = places.iter().zip(weights).map(|(place, weight)| place.as_dvec3() * weight).sum();
            moment / weights.iter().sum::<f64>()
        };
        let step = 2e-3_f32;
        let slope = |axis: Vec3| (centre(at + axis * step) - centre(at - axis * step)) / (2.0 * f64::from(step));
        let [x, y, z] = Vec3::AXES.map(slope);
        let expected = stretch(DMat3::from_cols(x, y, z));
        let offset = (centre(at) - at.as_dvec3()).length() as f32;
        let value = field.distance * field.parameters.factor(expected) - offset;
        assert!((field.value(at) - value).abs() < 2e-4 * field.distance, "{} {value}", field.value(at));
    }

    #[test]
    fn patches_hold_the_values_at_their_points() {
        let mut random = Random::new(5);
        let cloud: Vec<Vec3> = (0..200).map(|_| random.vector() * 0.3).collect();
        let field = CentreOfMass::default().field(&cloud, 0.1).unwrap();
        let patch = Patch { origin: DVec3::new(-0.2, -0.2, -0.15), cell: 0.05 };
        let (mut nearby, mut values) = (Vec::new(), [0.0; POINTS]);
        patch.collect(&field, &mut nearby);
        field.fill(&patch, &nearby, &mut values);
        for (k, value) in values.iter().enumerate() {
            let index = Vec3::new((k % 8) as f32, (k / 8 % 8) as f32, (k / 64) as f32);
            let expected = field.value(patch.origin.as_vec3() + index * 0.05);
            assert!((expected - value).abs() < 2e-4, "{expected} {value}");
        }
    }

    #[test]
    fn a_plane_of_a_lattice_lies_half_a_spacing_outside_its_particles() {
        let slab = lattice(0.1, 1.0, 0.0, |at| at.z.abs() < 0.4);
        for correction in [false, true] {
            let field = CentreOfMass { correction, ..CentreOfMass::default() }.field(&slab, 0.1).unwrap();
            let mut random = Random::new(3);
            let mean = (0..400).map(|_| field.value((random.vector() * 0.1).with_z(0.4))).sum::<f32>() / 400.0;
            assert!(mean.abs() < 0.005, "{correction}: {mean}");
        }
    }
}
