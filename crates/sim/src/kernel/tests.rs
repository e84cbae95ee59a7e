//! Laws that every kernel keeps.

use std::f64::consts::PI;

use super::*;
use crate::neighbors::Lanes;
use crate::neighbors::dispatch::Portable;

const DIMENSIONS: [Dimension; 3] = [Dimension::One, Dimension::Two, Dimension::Three];

fn kernels() -> impl Iterator<Item = Kernel> {
    Shape::ALL.into_iter().flat_map(|shape| {
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
        // Not across the centre, where some kernels have a point, nor across the rim.
        for k in 5..196 {
            let r = support * k as Real / 200.0;
            let step = support * 1e-2;
            // Fourth-order central difference: its error stays below f32 rounding of the quotient.
            let w = |r: Real| f64::from(kernel.value(r));
            let difference = (8.0 * (w(r + step) - w(r - step)) - (w(r + 2.0 * step) - w(r - 2.0 * step)))
                / (12.0 * f64::from(step));
            let slope = f64::from(r * kernel.slope_over_r(r));
            // The cubic spline's third derivative jumps at q = ½.
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
        let lanes = Lanes::from_array(Portable, r);
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
        (Shape::Spiky, 2.0, 1.2359, 0.9563),
        (Shape::Spiky, 2.4, 1.1158, 0.9443),
        (Shape::Spiky, 2.6, 1.0808, 0.9648),
        (Shape::Spiky, 3.0, 1.0474, 0.9896),
        (Shape::Spiky, 4.0, 1.0148, 0.9972),
        (Shape::Poly6, 2.0, 1.0098, 1.0649),
        (Shape::Poly6, 2.4, 1.0008, 0.9509),
        (Shape::Poly6, 2.6, 0.9933, 0.9925),
        (Shape::Poly6, 3.0, 1.0022, 1.0086),
        (Shape::Poly6, 4.0, 1.0000, 1.0056),
        (Shape::Cosine, 2.0, 1.0724, 0.9851),
        (Shape::Cosine, 2.4, 1.0173, 0.9611),
        (Shape::Cosine, 2.6, 1.0136, 1.0418),
        (Shape::Cosine, 3.0, 1.0137, 0.9670),
        (Shape::Cosine, 4.0, 1.0045, 1.0053),
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

/// Constants computed by quadrature, to eight digits.
#[test]
fn cosine_constants_are_those_of_quadrature() {
    for (dimension, constant) in DIMENSIONS.into_iter().zip([1.37596920, 1.68035155, 2.05157832]) {
        assert!((Shape::Cosine.constant(dimension) - constant).abs() < 1e-8);
    }
}

/// Two particles almost in one place repel each other with a finite force, whatever the spacing.
#[test]
fn no_gradient_overflows_at_the_smallest_and_largest_spacing() {
    for shape in Shape::ALL {
        for support in [2e-6, 6e6] {
            let kernel = Kernel::new(shape, support, Dimension::Three);
            for share in [0.0, 1e-30, 1e-7, 1e-3] {
                assert!(kernel.gradient(Vec3::X * (support * share)).is_finite(), "{shape:?} {support} {share}");
            }
        }
    }
}
