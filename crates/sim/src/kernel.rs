//! Smoothing kernels: how strongly a neighbour weighs, by distance.
//!
//! With q = r / support:
//!
//! | kernel | shape | constant 1D, 2D, 3D (times 1 / support^dimension) |
//! |---|---|---|
//! | cubic spline (Monaghan 1992; DG96 3.2 with 1/h³ in 3D) | 1 − 6q² + 6q³ to q = ½, then 2(1 − q)³ | 4/3, 40/(7π), 8/π |
//! | Wendland C2 (Wendland 1995; Dehnen & Aly 2012) | (1 − q)⁴(1 + 4q); in 1D (1 − q)³(1 + 3q) | 5/4, 7/π, 21/(2π) |
//!
//! `support` is the radius beyond which a kernel is zero, everywhere in this program.
//!
//! The slope is offered as W'(r)/r, which stays finite at r = 0 for both kernels, so that the gradient
//! `x_ij W'/r` of two coincident particles is the zero vector and never NaN.
//!
//! Kernels are written once over [`Number`], for plain numbers and for eight lanes at a time.

use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Sub};

use serde::{Deserialize, Serialize};

use crate::neighbors::{Lanes, Simd};
use crate::parameters::{Check, Limits, Parameters};
use crate::real::{Dimension, Real, Vec3};

/// What kernel formulas need of a number: one, or eight at a time.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// The same value in every lane.
    fn splat(value: Real) -> Self;
    /// The larger, lane by lane.
    fn at_least(self, low: Self) -> Self;
    /// The square root, lane by lane.
    fn root(self) -> Self;
}

impl Number for Real {
    #[inline(always)]
    fn splat(value: Real) -> Self {
        value
    }
    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        if self > low { self } else { low }
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

impl<S: Simd> Number for Lanes<S> {
    #[inline(always)]
    fn splat(value: Real) -> Self {
        Lanes::splat(value)
    }
    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        self.max(low)
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// Kernel and support of a scene: `kernel.wendland_c2 = { support_over_spacing = 2.0 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KernelChoice {
    /// The cubic spline: the classic of SPH.
    CubicSpline(Support),
    /// Wendland C2: smooth, and stable against particles pairing up.
    WendlandC2(Support),
}

impl Default for KernelChoice {
    fn default() -> Self {
        KernelChoice::WendlandC2(Support::default())
    }
}

impl KernelChoice {
    /// The support that was asked for, or the default of the dimension: 3 spacings in 2D (at 2 only
    /// eight neighbours weigh), else 2.
    pub fn support_over_spacing(&self, dimension: Dimension) -> Real {
        let (KernelChoice::CubicSpline(support) | KernelChoice::WendlandC2(support)) = self;
        let default = if dimension == Dimension::Two { 3.0 } else { 2.0 };
        support.support_over_spacing.unwrap_or(default)
    }

    /// The same choice with the default of the dimension written out.
    pub fn resolved(&self, dimension: Dimension) -> Self {
        let support = Support { support_over_spacing: Some(self.support_over_spacing(dimension)) };
        match self {
            KernelChoice::CubicSpline(_) => KernelChoice::CubicSpline(support),
            KernelChoice::WendlandC2(_) => KernelChoice::WendlandC2(support),
        }
    }

    /// The kernel for particles `spacing` apart.
    pub fn kernel(&self, spacing: Real, dimension: Dimension) -> Kernel {
        let shape = match self {
            KernelChoice::CubicSpline(_) => Shape::CubicSpline,
            KernelChoice::WendlandC2(_) => Shape::WendlandC2,
        };
        Kernel::new(shape, self.support_over_spacing(dimension) * spacing, dimension)
    }
}

impl Parameters for KernelChoice {
    fn check(&self, check: &mut Check) {
        match self {
            KernelChoice::CubicSpline(support) => check.group("cubic_spline", support),
            KernelChoice::WendlandC2(support) => check.group("wendland_c2", support),
        }
    }
}

/// How far a kernel reaches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<Support>))]
#[serde(default, deny_unknown_fields)]
pub struct Support {
    /// Support radius in particle spacings [-]; 2 in 3D and 3 in 2D unless given. Higher is smoother and slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support_over_spacing: Option<Real>,
}

impl Parameters for Support {
    fn check(&self, check: &mut Check) {
        // Below 1.2 a lattice neighbour hardly weighs; above 6 a particle has thousands of neighbours.
        check.optional("support_over_spacing", self.support_over_spacing, 2.0, Limits::within(1.2, 6.0));
    }
}

/// The shape of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The cubic spline.
    CubicSpline,
    /// Wendland C2.
    WendlandC2,
}

/// A kernel with its support and dimension, ready to be evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    shape: Shape,
    dimension: Dimension,
    support: Real,
    inverse_support: Real,
    /// Factor of the shape in W.
    constant: Real,
    /// Factor of the shape's slope over q in W'/r.
    slope_constant: Real,
    /// Factor of (support − r) in the Laplacian of the viscosity kernel.
    viscosity_constant: Real,
}

impl Kernel {
    /// A kernel that is zero beyond `support` [m].
    pub fn new(shape: Shape, support: Real, dimension: Dimension) -> Self {
        let reach = f64::from(support);
        let unit = match (shape, dimension) {
            (Shape::CubicSpline, Dimension::One) => 4.0 / 3.0,
            (Shape::CubicSpline, Dimension::Two) => 40.0 / (7.0 * PI),
            (Shape::CubicSpline, Dimension::Three) => 8.0 / PI,
            (Shape::WendlandC2, Dimension::One) => 5.0 / 4.0,
            (Shape::WendlandC2, Dimension::Two) => 7.0 / PI,
            (Shape::WendlandC2, Dimension::Three) => 21.0 / (2.0 * PI),
        };
        let constant = unit / reach.powi(dimension as i32);
        // Sol09 2.22 in 3D; in 2D and 1D the constant for which the sum of V r² ∇²W is 2 × dimension as well.
        let viscosity = match dimension {
            Dimension::One => 12.0 / reach.powi(4),
            Dimension::Two => 40.0 / (PI * reach.powi(5)),
            Dimension::Three => 45.0 / (PI * reach.powi(6)),
        };
        Kernel {
            shape,
            dimension,
            support,
            inverse_support: (1.0 / reach) as Real,
            constant: constant as Real,
            slope_constant: (constant / (reach * reach)) as Real,
            viscosity_constant: viscosity as Real,
        }
    }

    /// Radius beyond which the kernel is zero [m].
    pub fn support(&self) -> Real {
        self.support
    }

    /// The dimension of its constants.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// W(r) [1/m^dimension].
    #[inline(always)]
    pub fn value<N: Number>(&self, r: N) -> N {
        let one = N::splat(1.0);
        let zero = N::splat(0.0);
        let q = r * N::splat(self.inverse_support);
        let shape = match (self.shape, self.dimension) {
            (Shape::CubicSpline, _) => {
                // 2(1 − q)³₊ − 8(½ − q)³₊ is the two pieces in one, without a branch.
                let a = (one - q).at_least(zero);
                let b = (N::splat(0.5) - q).at_least(zero);
                N::splat(2.0) * a * a * a - N::splat(8.0) * b * b * b
            }
            (Shape::WendlandC2, Dimension::One) => {
                let a = (one - q).at_least(zero);
                a * a * a * (one + N::splat(3.0) * q)
            }
            (Shape::WendlandC2, _) => {
                let a = (one - q).at_least(zero);
                (a * a) * (a * a) * (one + N::splat(4.0) * q)
            }
        };
        N::splat(self.constant) * shape
    }

    /// W'(r)/r [1/m^(dimension + 2)]: times x_ij it is the gradient with respect to x_i. Never positive.
    #[inline(always)]
    pub fn slope_over_r<N: Number>(&self, r: N) -> N {
        let one = N::splat(1.0);
        let zero = N::splat(0.0);
        let q = r * N::splat(self.inverse_support);
        let slope_over_q = match (self.shape, self.dimension) {
            (Shape::CubicSpline, _) => {
                // 18q − 12 to q = ½, then −6(1 − q)²/q, without a branch and without dividing by q = 0:
                // the outer piece at max(q, ½) stands still at −3 inside, and −18(½ − q) is what is missing there.
                let outer = q.at_least(N::splat(0.5));
                let a = (one - outer).at_least(zero);
                let b = (N::splat(0.5) - q).at_least(zero);
                N::splat(-6.0) * a * a / outer - N::splat(18.0) * b
            }
            (Shape::WendlandC2, Dimension::One) => {
                let a = (one - q).at_least(zero);
                N::splat(-12.0) * a * a
            }
            (Shape::WendlandC2, _) => {
                let a = (one - q).at_least(zero);
                N::splat(-20.0) * a * a * a
            }
        };
        N::splat(self.slope_constant) * slope_over_q
    }

    /// ∇W with respect to `x_i`, for `x_ij = x_i − x_j`.
    #[inline]
    pub fn gradient(&self, x_ij: Vec3) -> Vec3 {
        x_ij * self.slope_over_r(x_ij.length())
    }

    /// Laplacian of the viscosity kernel of the same support (Sol09 Eq. 2.22), for viscous forces only.
    #[inline(always)]
    pub fn viscosity_laplacian<N: Number>(&self, r: N) -> N {
        N::splat(self.viscosity_constant) * (N::splat(self.support) - r).at_least(N::splat(0.0))
    }

    /// How many neighbours a particle has on a lattice of particles `spacing` apart.
    pub fn lattice_neighbors(&self, spacing: Real) -> usize {
        let reach = self.support / spacing;
        lattice_offsets(reach, self.dimension).filter(|offset| offset.length() < reach).count() - 1
    }

    /// What `Σ V0 W` gives, self included, on a full lattice of particles `spacing` apart.
    ///
    /// Densities are divided by it so that a lattice at rest has its rest density exactly; masses are left alone.
    pub fn lattice_sum(&self, spacing: Real) -> Real {
        let cell = self.dimension.cell_volume(spacing);
        let sum: f64 = lattice_offsets(self.support / spacing, self.dimension)
            .map(|offset| f64::from(cell * self.value((offset * spacing).length())))
            .sum();
        sum as Real
    }
}

/// Integer points closer than `reach` to the origin, the origin included.
fn lattice_offsets(reach: Real, dimension: Dimension) -> impl Iterator<Item = Vec3> {
    let n = reach.ceil() as i32;
    let range = move |exists: bool| if exists { -n..=n } else { 0..=0 };
    range(true).flat_map(move |x| {
        range(dimension >= Dimension::Two).flat_map(move |y| {
            range(dimension == Dimension::Three).map(move |z| Vec3::new(x as Real, y as Real, z as Real))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 2] = [Shape::CubicSpline, Shape::WendlandC2];
    const DIMENSIONS: [Dimension; 3] = [Dimension::One, Dimension::Two, Dimension::Three];

    fn kernels() -> impl Iterator<Item = Kernel> {
        SHAPES.into_iter().flat_map(|shape| {
            DIMENSIONS.into_iter().flat_map(move |d| [0.05, 1.0, 3.0].map(|support| Kernel::new(shape, support, d)))
        })
    }

    #[test]
    fn kernel_integrates_to_one() {
        for kernel in kernels() {
            // Shells of the sphere, circle or pair of points of radius r; midpoint rule in f64.
            let n = 20_000;
            let step = f64::from(kernel.support()) / f64::from(n);
            let integral: f64 = (0..n)
                .map(|k| {
                    let r = (f64::from(k) + 0.5) * step;
                    let shell = match kernel.dimension() {
                        Dimension::One => 2.0,
                        Dimension::Two => 2.0 * PI * r,
                        Dimension::Three => 4.0 * PI * r * r,
                    };
                    shell * f64::from(kernel.value(r as Real)) * step
                })
                .sum();
            assert!((integral - 1.0).abs() < 1e-6, "{kernel:?}: {integral}");
        }
    }

    #[test]
    fn gradient_matches_finite_difference() {
        for kernel in kernels() {
            let support = kernel.support();
            let steepest = (1..1000)
                .map(|k| (support * k as Real / 1000.0) * kernel.slope_over_r(support * k as Real / 1000.0))
                .fold(0.0, Real::min);
            for k in 1..200 {
                let r = support * k as Real / 200.0;
                let step = support * 1e-2;
                // Fourth-order central difference: its error stays below f32 rounding of the quotient.
                let w = |r: Real| f64::from(kernel.value(r.abs()));
                let difference = (8.0 * (w(r + step) - w(r - step)) - (w(r + 2.0 * step) - w(r - 2.0 * step)))
                    / (12.0 * f64::from(step));
                let slope = f64::from(r * kernel.slope_over_r(r));
                // The cubic spline's third derivative jumps at q = ½ and at the rim.
                let tolerance = 2e-3 * f64::from(-steepest);
                assert!((difference - slope).abs() < tolerance, "{kernel:?} at {r}: {difference} {slope}");
            }
        }
    }

    #[test]
    fn gradient_points_from_i_towards_j() {
        for kernel in kernels() {
            let x_ij = Vec3::new(0.4 * kernel.support(), 0.0, 0.0);
            assert!(kernel.gradient(x_ij).x < 0.0);
        }
    }

    #[test]
    fn nothing_at_the_rim_and_no_nan_at_the_centre() {
        for kernel in kernels() {
            let rim = kernel.support();
            assert_eq!(kernel.value(rim), 0.0);
            assert_eq!(rim * kernel.slope_over_r(rim), 0.0);
            assert_eq!(kernel.value(2.0 * rim), 0.0);
            assert_eq!(kernel.slope_over_r(2.0 * rim), 0.0);
            assert_eq!(kernel.gradient(Vec3::ZERO), Vec3::ZERO);
        }
    }

    #[test]
    fn lanes_and_plain_numbers_agree_to_the_bit() {
        for kernel in kernels() {
            let r: [Real; 8] = std::array::from_fn(|k| kernel.support() * k as Real / 6.5);
            let lanes = Lanes::<crate::Portable>::from_array(r);
            assert_eq!(kernel.value(lanes).to_array(), r.map(|r| kernel.value(r)));
            assert_eq!(kernel.slope_over_r(lanes).to_array(), r.map(|r| kernel.slope_over_r(r)));
        }
    }

    /// Σ V W and K_xx = −Σ V x dW/dx on a full lattice, computed independently with adaptive sums in f64.
    #[test]
    fn lattice_sums_are_those_of_the_tables() {
        let three = [
            (Shape::CubicSpline, 2.0, 1.0000, 1.0200),
            (Shape::CubicSpline, 2.4, 1.0008, 0.9817),
            (Shape::CubicSpline, 2.6, 0.9973, 0.9935),
            (Shape::CubicSpline, 3.0, 1.0018, 1.0101),
            (Shape::CubicSpline, 4.0, 1.0001, 1.0000),
            (Shape::WendlandC2, 2.0, 1.0338, 0.9823),
            (Shape::WendlandC2, 2.4, 1.0175, 0.9852),
            (Shape::WendlandC2, 2.6, 1.0095, 0.9789),
            (Shape::WendlandC2, 3.0, 1.0031, 1.0006),
            (Shape::WendlandC2, 4.0, 1.0005, 0.9994),
        ];
        let two = [
            (Shape::WendlandC2, 2.0, 1.0376, 0.9762),
            (Shape::WendlandC2, 2.6, 1.0105, 0.9739),
            (Shape::WendlandC2, 3.0, 1.0051, 0.9974),
            (Shape::WendlandC2, 4.0, 1.0012, 0.9992),
            (Shape::CubicSpline, 2.0, 1.0009, 1.0131),
            (Shape::CubicSpline, 3.0, 1.0034, 1.0067),
        ];
        let rows = three.map(|r| (Dimension::Three, r)).into_iter().chain(two.map(|r| (Dimension::Two, r)));
        for (dimension, (shape, reach, unity, consistency)) in rows {
            let spacing = 0.02;
            let kernel = Kernel::new(shape, reach * spacing, dimension);
            let sum = kernel.lattice_sum(spacing);
            assert!((sum - unity).abs() < 6e-5, "{shape:?} {dimension:?} {reach}: {sum} {unity}");
            let k_xx: Real = lattice_offsets(reach, dimension)
                .map(|o| o * spacing)
                .map(|x| -dimension.cell_volume(spacing) * x.x * kernel.gradient(x).x)
                .sum();
            assert!((k_xx - consistency).abs() < 6e-5, "{shape:?} {dimension:?} {reach}: {k_xx} {consistency}");
        }
    }

    /// In the continuum ∫ r² ∇²W is 2 × dimension, or viscosity would be off by a factor.
    #[test]
    fn viscosity_laplacian_has_the_right_second_moment() {
        for dimension in DIMENSIONS {
            let kernel = Kernel::new(Shape::WendlandC2, 1.3, dimension);
            let n = 20_000;
            let step = 1.3 / f64::from(n);
            let moment: f64 = (0..n)
                .map(|k| {
                    let r = (f64::from(k) + 0.5) * step;
                    let shell = match dimension {
                        Dimension::One => 2.0,
                        Dimension::Two => 2.0 * PI * r,
                        Dimension::Three => 4.0 * PI * r * r,
                    };
                    shell * r * r * f64::from(kernel.viscosity_laplacian(r as Real)) * step
                })
                .sum();
            assert!((moment - 2.0 * dimension.count() as f64).abs() < 1e-4, "{dimension:?}: {moment}");
        }
    }
}
