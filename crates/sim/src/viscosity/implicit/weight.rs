//! The weight of a pair in friction along the line between its particles, as right on a lattice as in disorder.
//!
//! ```text
//! ω_ij = −2(d + 2) max(ε, a + b r/H) W'(r)/r         H: the support, d: the dimension
//! Σ_j V ω_ij x² y²/r² = 2,    Σ_j V ω_ij (x⁴ − x² y²)/r² = 4         on a lattice, and so shear along axes and diagonals
//! ```
//!
//! With a = 1 and b = 0 (Monaghan 2005) the sum tends to μ ∇²v as the support grows, but on a lattice it depends on the
//! direction of shear: 0.59 μ along axes and 1.57 μ along diagonals in 3D at two spacings, 0.89 μ and 1.11 μ in 2D at three. The two
//! numbers a and b make both 1. ε is a fifth of what the nearest on the lattice have: the closest pairs, of which a lattice has none,
//! rub as well. What that is worth where particles are not on that lattice, for ε = 0 (Wendland C2; rows slide past each other as in
//! flow between plates; disorder as of particles that push each other apart):
//!
//! | | Monaghan: rows, disorder | here: rows, disorder |
//! |---|---|---|
//! | 2D, 3 spacings | 0.92, 0.99 | 0.995, 0.99 |
//! | 3D, 2 spacings | 0.74, 0.98 | 0.95, 0.925 |
//! | 3D, 3 spacings | 0.96, 1.00 | 0.99, 0.99 |

use crate::kernel::{Kernel, lattice_offsets};
use crate::neighbors::{Block, Lanes, Setting, Simd};
use crate::real::{Dimension, Real};

/// The square of the distance below which a pair is as stiff as at it, in supports: what coincides has no line between.
const NEAREST_SQUARED: Real = 1e-12;

/// ε, as a share of a + b r/H at the spacing.
const LEAST_SHARE: f64 = 0.2;

/// ω of all pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairWeight {
    /// 2(d + 2) a, 2(d + 2) b/H and 2(d + 2) ε.
    level: Real,
    slope: Real,
    least: Real,
    nearest_squared: Real,
}

impl PairWeight {
    /// For particles `spacing` apart at rest.
    pub(super) fn new(kernel: &Kernel, spacing: Real) -> Self {
        let (support, dimension) = (f64::from(kernel.support()), kernel.dimension());
        let [level, slope] = isotropic(kernel, spacing).unwrap_or([1.0, 0.0]);
        let factor = 2.0 * (dimension.count() as f64 + 2.0);
        PairWeight {
            level: (factor * level) as Real,
            slope: (factor * slope / support) as Real,
            least: (LEAST_SHARE * factor * (level + slope * f64::from(spacing) / support)) as Real,
            nearest_squared: NEAREST_SQUARED * kernel.support() * kernel.support(),
        }
    }

    /// ω_ij/r², given W'/r, divided by a number.
    #[inline(always)]
    pub(super) fn of<S: Simd, K: Setting>(
        self,
        j: &Block<'_, S, K>,
        slope_over_r: Lanes<S>,
        divisor: Lanes<S>,
    ) -> Lanes<S> {
        let square = j.x_ij().dot(j.x_ij());
        let share = (square.sqrt() * self.slope + self.level).max(j.splat(self.least));
        -(share * slope_over_r) / (square.max(j.splat(self.nearest_squared)) * divisor)
    }

    /// ω of two particles so far apart [1/m^(dimension + 2)].
    #[cfg(test)]
    pub(super) fn at(self, kernel: &Kernel, r: Real) -> Real {
        -(r * self.slope + self.level).max(self.least) * kernel.slope_over_r(r)
    }
}

/// a and b, if there are such with which all neighbours on the lattice have more than the least weight.
fn isotropic(kernel: &Kernel, spacing: Real) -> Option<[f64; 2]> {
    let dimension = kernel.dimension();
    if dimension == Dimension::One {
        return None;
    }
    let (support, cell) = (f64::from(kernel.support()), f64::from(dimension.cell_volume(spacing)));
    let reach = kernel.support() / spacing;
    let offsets = || lattice_offsets(reach, dimension).filter(|x| x.length() > 0.0 && x.length() < reach);
    // What 1 and r/H give to shear along axes (first row) and along diagonals.
    let mut moments = [[0.0; 2]; 2];
    for offset in offsets() {
        let r = f64::from(offset.length() * spacing);
        let weight = -cell * f64::from(kernel.slope_over_r(r as Real)) * (dimension.count() as f64 + 2.0);
        let [x, y] = [offset.x, offset.y].map(|x| (f64::from(x * spacing) / r).powi(2));
        let parts = [x * y, 0.5 * (x * x - x * y)].map(|part| weight * r * r * part);
        for (row, part) in moments.iter_mut().zip(parts) {
            (row[0], row[1]) = (row[0] + part, row[1] + part * r / support);
        }
    }
    let [[a, b], [c, d]] = moments;
    let determinant = a * d - b * c;
    let [level, slope] = [(d - b) / determinant, (a - c) / determinant];
    let share = |distance: f64| level + slope * distance / support;
    let least = LEAST_SHARE * share(f64::from(spacing));
    let is_fit = least > 0.0 && offsets().all(|offset| share(f64::from(offset.length() * spacing)) >= least);
    (is_fit && level.is_finite() && slope.is_finite()).then_some([level, slope])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Shape;

    /// μ_eff/μ of a lattice that is sheared along an axis, and along a diagonal.
    fn effective(kernel: &Kernel, spacing: Real) -> [f64; 2] {
        let weight = PairWeight::new(kernel, spacing);
        let (reach, cell) = (kernel.support() / spacing, kernel.dimension().cell_volume(spacing));
        let mut sums = [0.0; 2];
        for offset in lattice_offsets(reach, kernel.dimension()).filter(|x| x.length() > 0.0 && x.length() < reach) {
            let x = offset * spacing;
            let strength = f64::from(cell * weight.at(kernel, x.length()) / x.length_squared());
            let [x, y] = [f64::from(x.x), f64::from(x.y)];
            // F = ½ Σ V ω (v_ji·x) x/r² of v = (y², 0), over ∇²v = 2; the same along diagonals.
            sums[0] += 0.5 * strength * x * x * y * y;
            sums[1] += 0.25 * strength * (x.powi(4) - x * x * y * y);
        }
        sums
    }

    #[test]
    fn on_a_lattice_viscosity_is_the_same_in_all_directions() {
        for (dimension, reach) in [(Dimension::Two, 3.0), (Dimension::Three, 2.0), (Dimension::Three, 3.0)] {
            for shape in [Shape::WendlandC2, Shape::CubicSpline] {
                let kernel = Kernel::new(shape, reach * 0.01, dimension);
                let found = effective(&kernel, 0.01);
                assert!(found.iter().all(|ratio| (ratio - 1.0).abs() < 1e-4), "{shape:?} {reach}: {found:?}");
            }
        }
    }

    /// With four neighbours there is no shear to be right in.
    #[test]
    fn the_shortest_supports_do_without() {
        let kernel = Kernel::new(Shape::WendlandC2, 1.2, Dimension::Two);
        let weight = PairWeight::new(&kernel, 1.0);
        assert!(weight.slope == 0.0 && (weight.level - 8.0).abs() < 1e-6);
    }
}
