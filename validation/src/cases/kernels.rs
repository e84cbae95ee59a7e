//! K1 to K4: kernels against their definition and against sums over a lattice that were computed independently.

use std::f64::consts::PI;

use serde_json::json;
use thixo_sim::{Dimension, Kernel, PRECISION, Real, Shape, Vec3, ViscosityKernel};

use crate::experiment::{CaseError, Conditions};
use crate::numerics::{Dual, farthest, integral, scattered};
use crate::row::Row;

const SUPPORTS: [Real; 3] = [0.05, 1.0, 3.0];
const DIMENSIONS: [Dimension; 3] = [Dimension::One, Dimension::Two, Dimension::Three];

/// A tolerance in each of the two precisions.
fn tolerance(single: f64, double: f64) -> f64 {
    if PRECISION == "f32" { single } else { double }
}

/// Every kernel of a shape: each dimension, three supports.
fn kernels(shape: Shape) -> impl Iterator<Item = Kernel> {
    DIMENSIONS.into_iter().flat_map(move |d| SUPPORTS.map(|support| Kernel::new(shape, support, d)))
}

/// Measure of the points at distance r from the origin: two points, a circle, a sphere.
fn shell(dimension: Dimension, r: f64) -> f64 {
    match dimension {
        Dimension::One => 2.0,
        Dimension::Two => 2.0 * PI * r,
        Dimension::Three => 4.0 * PI * r * r,
    }
}

/// K1: ∫ W = 1 in one, two and three dimensions.
pub(crate) fn normalisation() -> Result<Vec<Row>, CaseError> {
    let row = |shape: Shape| {
        let total = |kernel: &Kernel| {
            let weight = |r: f64| shell(kernel.dimension(), r) * f64::from(kernel.value(r as Real));
            // An even number of panels: the cubic spline has a joint in the middle.
            integral(0.0, f64::from(kernel.support()), 128, weight)
        };
        let worst = farthest(kernels(shape).map(|kernel| total(&kernel)), 1.0);
        Row::absolute(&format!("integral of {} [-]", shape.name()), worst, 1.0, tolerance(1e-5, 1e-10))
    };
    let mut rows: Vec<_> = Shape::ALL.into_iter().map(row).collect();
    let totals = viscosity_kernels().map(|kernel| {
        let weight = |r: f64| shell(Dimension::Three, r) * f64::from(kernel.value(r as Real));
        integral(0.0, f64::from(kernel.support()), 128, weight)
    });
    let worst = farthest(totals, 1.0);
    rows.push(Row::absolute("integral of the viscosity kernel, 3D [-]", worst, 1.0, tolerance(1e-5, 1e-10)));
    Ok(rows)
}

/// K2: W' is the derivative of W, points from i towards j, and is finite at the centre and nothing at the rim.
pub(crate) fn gradients() -> Result<Vec<Row>, CaseError> {
    let rows = |shape: Shape| {
        let (mut worst, mut faults) = (0.0, 0);
        for kernel in kernels(shape) {
            let support = f64::from(kernel.support());
            let steepest = scattered(1000).map(|q| kernel.value(Dual::variable(q * support)).slope.abs());
            let steepest = steepest.fold(0.0, f64::max);
            for q in scattered(1000) {
                let r = (q * support) as Real;
                let exact = kernel.value(Dual::variable(f64::from(r))).slope;
                let slope = f64::from(r * kernel.slope_over_r(r));
                worst = f64::max(worst, (slope - exact).abs() / steepest);
                faults += u32::from(kernel.gradient(Vec3::new(r, 0.0, 0.0)).x.is_nan() || slope > 0.0);
            }
            let rim = kernel.support();
            faults += u32::from(kernel.gradient(Vec3::ZERO) != Vec3::ZERO);
            faults += u32::from(kernel.value(rim) != 0.0 || kernel.slope_over_r(rim) != 0.0);
        }
        let slope = format!("slope of {}, by its steepest [-]", shape.name());
        let wrong = format!("wrong directions, centres and rims of {} [-]", shape.name());
        [Row::at_most(&slope, worst, tolerance(1e-5, 1e-6)), Row::at_most(&wrong, f64::from(faults), 0.0)]
    };
    let mut rows: Vec<_> = Shape::ALL.into_iter().flat_map(rows).collect();
    rows.extend(viscosity_gradients());
    Ok(rows)
}

/// The viscosity kernel, which has a constant in 3D only: three supports.
fn viscosity_kernels() -> impl Iterator<Item = ViscosityKernel> {
    SUPPORTS.into_iter().filter_map(|support| ViscosityKernel::new(support, Dimension::Three).ok())
}

/// Slope and Laplacian of the viscosity kernel: W'' + 2W'/r = 45/(π support⁶)(support − r).
///
/// It is infinite at r = 0, so errors are measured by its own slope there.
fn viscosity_gradients() -> [Row; 2] {
    let (mut worst, mut ratio) = (0.0, 1.0);
    for kernel in viscosity_kernels() {
        let support = f64::from(kernel.support());
        for q in scattered(1000).filter(|q| (0.01..0.99).contains(q)) {
            let r = Dual::variable(f64::from((q * support) as Real));
            let exact = kernel.value(r).slope;
            let slope = r * kernel.slope_over_r(r);
            worst = f64::max(worst, (slope.value / exact - 1.0).abs());
            let laplacian = slope.slope + 2.0 * slope.value / r.value;
            // Near r = 0 two large numbers cancel: what is left is told by their size.
            let expected = 45.0 / (PI * support.powi(6)) * (support - r.value);
            let scale = expected.max(tolerance(1e-2, 1e-8) * slope.slope.abs());
            ratio = farthest([ratio, 1.0 + (laplacian - expected) / scale].into_iter(), 1.0);
        }
    }
    [
        Row::at_most("slope of the viscosity kernel, relative [-]", worst, tolerance(1e-5, 1e-6)),
        Row::absolute("Laplacian of the viscosity kernel by 45/(pi h^6)(h - r) [-]", ratio, 1.0, tolerance(1e-5, 1e-6)),
    ]
}

/// K4: a kernel that has no constant in a dimension is refused there, in words.
pub(crate) fn dimension_guard() -> Result<Vec<Row>, CaseError> {
    let refusals =
        DIMENSIONS.map(|dimension| ViscosityKernel::new(1.0, dimension).err().map(|error| error.to_string()));
    let is_right = refusals[2].is_none()
        && refusals[..2]
            .iter()
            .zip(["1D", "2D"])
            .all(|(words, dimension)| words.as_ref().is_some_and(|words| words.contains(dimension)));
    let refused = refusals.iter().flatten().count() as f64;
    let wrong = if is_right { 0.0 } else { 1.0 };
    let row = Row::new("dimensions in which the viscosity kernel is refused [-]", refused, 2.0, wrong, 0.0);
    Ok(vec![row.reporting("words", json!(refusals))])
}

/// Support over spacing, Σ V W with the particle itself, K_xx = −Σ V x dW/dx.
type LatticeRow = (f64, f64, f64);

/// Computed independently in double precision, to four decimals.
const LATTICE: [(Dimension, Shape, &[LatticeRow]); 7] = [
    (
        Dimension::Three,
        Shape::CubicSpline,
        &[
            (2.0, 1.0000, 1.0200),
            (2.4, 1.0008, 0.9817),
            (2.6, 0.9973, 0.9935),
            (3.0, 1.0018, 1.0101),
            (4.0, 1.0001, 1.0000),
        ],
    ),
    (
        Dimension::Three,
        Shape::Spiky,
        &[
            (2.0, 1.2359, 0.9563),
            (2.4, 1.1158, 0.9443),
            (2.6, 1.0808, 0.9648),
            (3.0, 1.0474, 0.9896),
            (4.0, 1.0148, 0.9972),
        ],
    ),
    (
        Dimension::Three,
        Shape::Poly6,
        &[
            (2.0, 1.0098, 1.0649),
            (2.4, 1.0008, 0.9509),
            (2.6, 0.9933, 0.9925),
            (3.0, 1.0022, 1.0086),
            (4.0, 1.0000, 1.0056),
        ],
    ),
    (
        Dimension::Three,
        Shape::Cosine,
        &[
            (2.0, 1.0724, 0.9851),
            (2.4, 1.0173, 0.9611),
            (2.6, 1.0136, 1.0418),
            (3.0, 1.0137, 0.9670),
            (4.0, 1.0045, 1.0053),
        ],
    ),
    (
        Dimension::Three,
        Shape::WendlandC2,
        &[
            (2.0, 1.0338, 0.9823),
            (2.4, 1.0175, 0.9852),
            (2.6, 1.0095, 0.9789),
            (3.0, 1.0031, 1.0006),
            (4.0, 1.0005, 0.9994),
        ],
    ),
    (
        Dimension::Two,
        Shape::WendlandC2,
        &[(2.0, 1.0376, 0.9762), (2.6, 1.0105, 0.9739), (3.0, 1.0051, 0.9974), (4.0, 1.0012, 0.9992)],
    ),
    (Dimension::Two, Shape::CubicSpline, &[(2.0, 1.0009, 1.0131), (3.0, 1.0034, 1.0067)]),
];

/// Four decimals, and the rounding of single precision.
const FOUR_DECIMALS: f64 = 5e-5 + 2e-6;

/// K3: partition of unity and consistency of the gradient on a lattice.
pub(crate) fn lattice_sums() -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    for (dimension, shape, table) in LATTICE {
        for &(reach, unity, consistency) in table {
            let sums = sums(shape, dimension, reach);
            let conditions = Conditions { support_over_spacing: reach, ..Conditions::default() };
            let what = format!("{}, {}D, support {reach} spacings [-]", shape.name(), dimension.count());
            let both = [("sum of V W", sums.unity, unity), ("K_xx", sums.consistency, consistency)];
            rows.extend(both.map(|(quantity, measured, reference)| {
                Row::absolute(&format!("{quantity}: {what}"), measured, reference, FOUR_DECIMALS).under(&conditions)
            }));
        }
    }
    Ok(rows)
}

/// What the sums over a full lattice give.
pub(crate) struct Sums {
    /// Σ V W, the particle itself included.
    pub(crate) unity: f64,
    /// K_xx = −Σ V x dW/dx.
    pub(crate) consistency: f64,
}

/// Sums over a full lattice of one spacing.
pub(crate) fn sums(shape: Shape, dimension: Dimension, reach: f64) -> Sums {
    let kernel = Kernel::new(shape, reach as Real, dimension);
    let n = reach.ceil() as i32;
    let range = |exists: bool| if exists { -n..=n } else { 0..=0 };
    let mut sums = Sums { unity: 0.0, consistency: 0.0 };
    for x in range(true) {
        for y in range(dimension >= Dimension::Two) {
            for z in range(dimension == Dimension::Three) {
                let offset = Vec3::new(x as Real, y as Real, z as Real);
                sums.unity += f64::from(kernel.value(offset.length()));
                sums.consistency -= f64::from(offset.x) * f64::from(kernel.gradient(offset).x);
            }
        }
    }
    sums
}
