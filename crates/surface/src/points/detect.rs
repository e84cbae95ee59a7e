//! Which particles lie on the surface (Sol09 6.2.1): those far from the centre of their neighbours,
//! d = |Σ (x_i − x_j)| / n (Eq. 6.1, whose printed form is a vector). It does not matter how many neighbours there are,
//! only how they are spread, so that pressure does not matter either.
//!
//! Masses are left out: where two materials meet, their ratio says nothing about the surface.
//! A particle on the surface leaves it at a lower threshold than it came, so that it does not flicker. One without
//! neighbours is always on it.

use glam::Vec3;
use rayon::prelude::*;

use crate::error::{SurfaceError, positive};
use crate::samples::Samples;

/// Parameters of the detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// Distance to the centre of the neighbours, by the reach, from which on a particle comes to the surface [-].
    /// A full lattice has 0, its outermost layer about 0.26.
    pub come: f32,
    /// Distance below which one that was there leaves it [-].
    pub leave: f32,
}

impl Default for Detection {
    fn default() -> Self {
        Detection { come: 0.16, leave: 0.12 }
    }
}

/// Which particles lie on the surface, each seeing its neighbours within `reach` [m]. `before` says which did.
pub fn detect(
    position: &[Vec3],
    reach: f32,
    detection: &Detection,
    before: Option<&[bool]>,
) -> Result<Vec<bool>, SurfaceError> {
    positive("the threshold to come", detection.come)?;
    positive("the threshold to leave", detection.leave)?;
    if let Some(before) = before.filter(|before| before.len() != position.len()) {
        let (name, found, expected) = ("before".to_owned(), before.len(), position.len());
        return Err(SurfaceError::Uneven { name, found, expected, components: 1 });
    }
    let samples = Samples::new(position, reach)?;
    let is_on_surface = |(i, &at): (usize, &Vec3)| {
        let (mut sum, mut count) = (Vec3::ZERO, 0_u32);
        samples.near(at, |j, from, _| {
            if samples.index()[j] as usize != i {
                sum += from;
                count += 1;
            }
        });
        let was = before.is_some_and(|before| before[i]);
        let threshold = if was { detection.leave } else { detection.come };
        count == 0 || sum.length() / count as f32 > threshold * reach
    };
    Ok(position.par_iter().enumerate().with_min_len(256).map(is_on_surface).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn the_outer_layer_of_a_block_and_nothing_else() {
        let block = lattice(0.1, 0.6, 0.0, |_| true);
        let found = detect(&block, 0.2, &Detection::default(), None).unwrap();
        for (place, found) in block.iter().zip(found) {
            assert_eq!(found, place.abs().max_element() > 0.54, "{place}");
        }
    }

    #[test]
    fn lone_particles_are_on_the_surface_and_hysteresis_holds_what_was() {
        let (one, detection) = ([Vec3::ONE], Detection::default());
        assert_eq!(detect(&one, 0.2, &detection, None).unwrap(), [true]);
        // A row of three with the middle off centre by 0.14 reaches: it neither comes nor leaves.
        let row = [Vec3::ZERO, Vec3::X * 0.072, Vec3::X * 0.2 - Vec3::X * 1e-3];
        let middle = |before: Option<&[bool]>| detect(&row, 0.2, &detection, before).unwrap()[1];
        assert!(!middle(None) && middle(Some(&[true; 3])) && !middle(Some(&[false; 3])));
        assert!(detect(&row, 0.2, &detection, Some(&[true])).is_err());
    }
}
