//! How much of its support matter at rest fills, as far from a free surface as a particle is.
//!
//! At a free surface a sum over neighbours reads less than the rest density though nothing is stretched. Held against 1, the first
//! layers feel no pressure: they sink until neighbours that are too close make up for those that are missing, and lose their
//! order. They are held against what they would read at rest. How far a surface is can be told from the slope of the same sum:
//!
//! ```text
//! x = H |Σ V0 ∇W| / Σ V0 W,    t = x/x_1
//! f = 1 − (1 − φ_1) (1 + k) t²/(k + t),    at least ½
//! ```
//!
//! x_1 and φ_1 are those of the first layer of a lattice below a flat surface, which reads its rest density exactly. As compression
//! scales Σ V0 ∇W and Σ V0 W alike, x tells the distance and not the density: if the first layer is pressed onto the second by a
//! tenth of the spacing (2D, support of three spacings) Σ V0 W grows by 5.8 % and x by 2.3 %, so that f falls by 0.9 %.
//! k = 1/6 is the shape of f in a continuum below a flat surface (0.40 against 0.40 of 1 − φ_1 at twice the distance, 0.089 against
//! 0.106 at three times), with a little less for the second layer than a lattice reads there (0.9806 against 0.9811 in 2D, 0.9837
//! against 0.9842 in 3D), so that no lattice is compressed. Near t = 0 it is quadratic: disorder inside a fluid, where x is 0.1 to
//! 0.2 in the mean, lowers f by half a per cent: a room that is full but for less has no use for it. A particle on a flat surface sees one half; no more is believed to be missing.
//!
//! Two surfaces that come near each other are not compressed before they meet: 1.4 spacings apart Σ V0 W is 0.92 of f (2D), and it is
//! never more than f.

use super::{Kernel, lattice_offsets};
use crate::real::Real;

/// k.
const WIDTH: Real = 1.0 / 6.0;

/// The least f: that of a particle on a flat surface.
const LEAST: Real = 0.5;

/// The filling of supports, for one kernel and spacing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// H/x_1.
    per_slope: Real,
    /// (1 − φ_1) (1 + k).
    missing: Real,
}

impl Filling {
    /// For matter whose particles are `spacing` apart at rest [m].
    pub fn new(kernel: &Kernel, spacing: Real) -> Self {
        let cell = kernel.dimension().cell_volume(spacing);
        let (mut sum, mut slope) = (0.0, 0.0);
        for offset in lattice_offsets(kernel.support() / spacing, kernel.dimension()) {
            if offset.x < 0.5 {
                let place = offset * spacing;
                sum += f64::from(cell * kernel.value(place.length()));
                slope += f64::from(cell * kernel.gradient(place).x);
            }
        }
        let share = sum / f64::from(kernel.lattice_sum(spacing));
        Filling { per_slope: (sum / slope.abs()) as Real, missing: (1.0 - share) as Real * (1.0 + WIDTH) }
    }

    /// f of a particle from its own Σ V0 W and the length of its Σ V0 ∇W [1/m].
    #[inline(always)]
    pub fn of(&self, sum: Real, slope: Real) -> Real {
        let t = self.per_slope * slope / sum;
        (1.0 - self.missing * t * t / (WIDTH + t)).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Shape;
    use crate::real::{Dimension, Vec3};

    /// Σ V0 W over that of the full lattice, and f, in a lattice of which `exists` is there, the particle at the origin.
    fn read(kernel: &Kernel, spacing: Real, place: impl Fn(Vec3) -> Option<Vec3>) -> [Real; 2] {
        let cell = kernel.dimension().cell_volume(spacing);
        let there: Vec<Vec3> = lattice_offsets(kernel.support() / spacing + 1.0, kernel.dimension())
            .filter_map(|offset| place(offset).map(|place| place * spacing))
            .collect();
        let sum: Real = there.iter().map(|place| cell * kernel.value(place.length())).sum();
        let slope: Vec3 = there.iter().map(|place| cell * kernel.gradient(-*place)).sum();
        [sum / kernel.lattice_sum(spacing), Filling::new(kernel, spacing).of(sum, slope.length())]
    }

    fn kernels() -> impl Iterator<Item = Kernel> {
        [(Dimension::Two, 3.0), (Dimension::Two, 2.0), (Dimension::Three, 2.0), (Dimension::Three, 3.0)]
            .into_iter()
            .map(|(dimension, supports)| Kernel::new(Shape::WendlandC2, supports * 0.1, dimension))
    }

    #[test]
    fn layers_below_a_flat_surface_read_their_rest_density() {
        for kernel in kernels() {
            for layer in 0..3 {
                let [sum, filling] = read(&kernel, 0.1, |offset| (offset.y < layer as Real + 0.5).then_some(offset));
                println!("{:?} {layer}: {sum} {filling}", kernel.dimension());
                let bounds = if layer == 0 { 1e-5 } else { 1.5e-3 };
                assert!(sum <= filling * (1.0 + 1e-5) && sum > filling * (1.0 - bounds), "{layer}: {sum} {filling}");
            }
        }
    }

    /// A first layer that is pressed onto the second is compressed; surfaces that come near each other are not before they meet.
    #[test]
    fn compression_of_a_surface_is_seen_and_nearness_is_not() {
        for kernel in kernels() {
            let pressed = |offset: Vec3| {
                let place = if offset.y < -0.5 { offset + 0.1 * Vec3::Y } else { offset };
                (offset.y < 0.5).then_some(place)
            };
            let [sum, filling] = read(&kernel, 0.1, pressed);
            assert!(sum > 1.04 * filling, "{sum} {filling}");
            for gap in [1.0, 1.1, 1.2, 1.4, 1.7, 2.0, 2.5] {
                let apart = |offset: Vec3| Some(if offset.y > 0.5 { offset + (gap - 1.0) * Vec3::Y } else { offset });
                let [sum, filling] = read(&kernel, 0.1, apart);
                assert!(sum <= filling * (1.0 + 1e-5), "{gap}: {sum} {filling}");
            }
        }
    }
}
