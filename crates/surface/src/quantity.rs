//! Quantities of particles, carried to a surface.
//!
//! A value at a point is the mean over the particles around it, each counting with its weight in the field times the
//! kernel: Σ q_j V_j W / Σ V_j W (Shepard). A constant stays what it is.

use glam::Vec3;
use rayon::prelude::*;

use crate::error::SurfaceError;
use crate::field::Field;
use crate::mesh::Attribute;

/// A quantity of all particles: one number each, or three.
#[derive(Clone, Copy, Debug)]
pub struct Quantity<'a> {
    /// What it is: `velocity`.
    pub name: &'a str,
    /// Numbers per particle.
    pub components: usize,
    /// The numbers, particle after particle, in the order in which positions were given.
    pub values: &'a [f32],
}

/// Numbers per particle that can be carried.
const MOST: usize = 9;

impl Quantity<'_> {
    /// Refuses a column that does not fit so many particles.
    pub(crate) fn check(&self, particles: usize) -> Result<(), SurfaceError> {
        let (found, expected) = (self.values.len(), particles * self.components);
        if found == expected && (1..=MOST).contains(&self.components) {
            return Ok(());
        }
        Err(SurfaceError::Uneven { name: self.name.to_owned(), found, expected, components: self.components })
    }
}

/// Values of a quantity at points. Where no particle is near it is zero.
pub fn carry(field: &impl Field, quantity: &Quantity<'_>, points: &[Vec3]) -> Result<Attribute, SurfaceError> {
    let samples = field.samples();
    quantity.check(samples.len())?;
    let (kernel, weights, index) = (field.kernel(), field.weights(), samples.index());
    let components = quantity.components;
    let mut values = vec![0.0; points.len() * components];
    values.par_chunks_mut(components).zip(points).with_min_len(256).for_each(|(value, &at)| {
        let (mut sum, mut total) = ([0.0; MOST], 0.0);
        samples.near(at, |j, _, squared| {
            let weight = weights[j] * kernel.value(squared);
            let first = index[j] as usize * components;
            total += weight;
            for (sum, number) in sum.iter_mut().zip(&quantity.values[first..first + components]) {
                *sum += weight * number;
            }
        });
        if total > 0.0 {
            value.iter_mut().zip(sum).for_each(|(value, sum)| *value = sum / total);
        }
    });
    Ok(Attribute { name: quantity.name.to_owned(), components, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::IsoDensity;
    use crate::testing::lattice;

    #[test]
    fn constants_stay_and_linear_quantities_are_followed() {
        let ball = lattice(0.1, 0.6, 0.1, |at| at.length() < 0.5);
        let field = IsoDensity::default().field(&ball, 0.1).unwrap();
        let points = [Vec3::ZERO, Vec3::new(0.1, 0.2, -0.1)];
        let ones = vec![4.0; ball.len()];
        let constant = carry(&field, &Quantity { name: "heat", components: 1, values: &ones }, &points).unwrap();
        assert!(constant.values.iter().all(|value| (value - 4.0).abs() < 1e-5));
        let places: Vec<f32> = ball.iter().flat_map(|place| place.to_array()).collect();
        let linear = carry(&field, &Quantity { name: "place", components: 3, values: &places }, &points).unwrap();
        for (value, point) in linear.values.chunks(3).zip(points) {
            assert!(Vec3::from_slice(value).distance(point) < 0.02);
        }
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let field = IsoDensity::default().field(&[Vec3::ZERO], 0.1).unwrap();
        for (components, values) in [(1, &[1.0, 2.0][..]), (3, &[1.0]), (0, &[])] {
            assert!(carry(&field, &Quantity { name: "x", components, values }, &[]).is_err());
        }
    }
}
