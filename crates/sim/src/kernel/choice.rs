//! The choice of a kernel.

use super::{Kernel, Shape};
use crate::parameters::{Limits, parameters};
use crate::real::{Dimension, Real};

parameters! {
    /// Kernel and support of a scene: `kernel.wendland_c2 = { support_over_spacing = 2.0 }`.
    pub enum KernelChoice = WendlandC2 {
        /// The cubic spline: the classic of SPH.
        CubicSpline(Support),
        /// Wendland C2: smooth, and stable against particles pairing up.
        WendlandC2(Support),
        /// The spiky kernel: steepest at the shortest distance. For pressure gradients.
        Spiky(Support),
        /// Poly6: cheap and flat in the middle. For densities, with another kernel for pressure gradients.
        Poly6(Support),
        /// The cosine kernel: between the spiky kernel and the spline.
        Cosine(Support),
    }
}

impl KernelChoice {
    /// A kernel of the given shape and reach.
    pub fn new(shape: Shape, support: Support) -> Self {
        match shape {
            Shape::CubicSpline => KernelChoice::CubicSpline(support),
            Shape::WendlandC2 => KernelChoice::WendlandC2(support),
            Shape::Spiky => KernelChoice::Spiky(support),
            Shape::Poly6 => KernelChoice::Poly6(support),
            Shape::Cosine => KernelChoice::Cosine(support),
        }
    }

    /// Its shape and reach.
    pub fn parts(&self) -> (Shape, &Support) {
        match self {
            KernelChoice::CubicSpline(support) => (Shape::CubicSpline, support),
            KernelChoice::WendlandC2(support) => (Shape::WendlandC2, support),
            KernelChoice::Spiky(support) => (Shape::Spiky, support),
            KernelChoice::Poly6(support) => (Shape::Poly6, support),
            KernelChoice::Cosine(support) => (Shape::Cosine, support),
        }
    }

    /// The support that was asked for, or the default of the dimension: 3 spacings in 2D (at 2 only
    /// eight neighbours weigh), else 2.
    pub fn support_over_spacing(&self, dimension: Dimension) -> Real {
        let default = if dimension == Dimension::Two { 3.0 } else { 2.0 };
        self.parts().1.support_over_spacing.unwrap_or(default)
    }

    /// The same choice with the default of the dimension written out.
    pub fn resolved(&self, dimension: Dimension) -> Self {
        let support = Support { support_over_spacing: Some(self.support_over_spacing(dimension)) };
        KernelChoice::new(self.parts().0, support)
    }

    /// The kernel for particles `spacing` apart.
    pub fn kernel(&self, spacing: Real, dimension: Dimension) -> Kernel {
        Kernel::new(self.parts().0, self.support_over_spacing(dimension) * spacing, dimension)
    }
}

parameters! {
    /// How far a kernel reaches.
    pub struct Support {
        /// Support radius in particle spacings [-]; 2 in 3D and 3 in 2D unless given. Higher is smoother and slower. Bonds reach 2 at most.
        #[serde(skip_serializing_if = "Option::is_none")]
        // Below 1.2 a lattice neighbour hardly weighs; above 6 a particle has thousands of neighbours.
        support_over_spacing: Option<Real> = None, Limits::within(1.2, 6.0);
    }
}
