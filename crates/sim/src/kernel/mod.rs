//! Smoothing kernels: how strongly a neighbour weighs, by distance.
//!
//! With q = r / support:
//!
//! | kernel | shape | constant 1D, 2D, 3D (times 1 / support^dimension) |
//! |---|---|---|
//! | cubic spline (Monaghan 1992; DG96 3.2 with 1/h³ in 3D) | 1 − 6q² + 6q³ to q = ½, then 2(1 − q)³ | 4/3, 40/(7π), 8/π |
//! | Wendland C2 (Wendland 1995; Dehnen & Aly 2012) | (1 − q)⁴(1 + 4q); in 1D (1 − q)³(1 + 3q) | 5/4, 7/π, 21/(2π) |
//! | spiky (DG96 3.3; Sol09 Eq. 2.20) | (1 − q)³ | 2, 10/π, 15/π |
//! | poly6 (Müller 2003; Sol09 Eq. 2.6) | (1 − q²)³ | 35/32, 4/π, 315/(64π) |
//! | cosine (Sol09 Eq. 5.8) | 1 − sin(πq/2) | 1/(2 − 4/π), 1/(π − 8/π), 1/(4π(1/3 − 8/π² + 16/π³)) |
//!
//! and the viscosity kernel, of which mostly the Laplacian is used ([`ViscosityKernel`]). `support` is the radius
//! beyond which a kernel is zero, everywhere in this program; DG96's h is half of it.
//!
//! The slope is offered as W'(r)/r, which is finite at r = 0 for all of them, so that the gradient `x_ij W'/r` of two
//! coincident particles is the zero vector and never NaN.
//!
//! Kernels are written once over [`Number`], for plain numbers and for eight lanes at a time.

mod choice;
mod filling;
mod number;
mod shape;
#[cfg(test)]
mod tests;
mod viscosity;

pub use choice::{KernelChoice, Support};
pub use filling::Filling;
pub use number::Number;
pub use shape::Shape;
pub use viscosity::{NoConstant, ViscosityKernel};

use crate::real::{Dimension, Real, Vec3};

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
        let constant = shape.constant(dimension) / reach.powi(dimension as i32);
        Kernel {
            shape,
            dimension,
            support,
            inverse_support: (1.0 / reach) as Real,
            constant: constant as Real,
            slope_constant: (constant / (reach * reach)) as Real,
            viscosity_constant: viscosity::laplacian_constant(support, dimension) as Real,
        }
    }

    /// Radius beyond which the kernel is zero [m].
    pub fn support(&self) -> Real {
        self.support
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The dimension of its constants.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// W(r) [1/m^dimension].
    #[inline(always)]
    pub fn value<N: Number>(&self, r: N) -> N {
        self.value_of(self.shape, self.dimension, r)
    }

    /// The same, with shape and dimension given again, where they are known when it is compiled.
    #[inline(always)]
    pub(crate) fn value_of<N: Number>(&self, shape: Shape, dimension: Dimension, r: N) -> N {
        r.like(self.constant) * shape.value(dimension, r * r.like(self.inverse_support))
    }

    /// W'(r)/r [1/m^(dimension + 2)]: times x_ij it is the gradient with respect to x_i. Never positive.
    #[inline(always)]
    pub fn slope_over_r<N: Number>(&self, r: N) -> N {
        self.slope_over_r_of(self.shape, self.dimension, r)
    }

    /// The same, with shape and dimension given again, where they are known when it is compiled.
    #[inline(always)]
    pub(crate) fn slope_over_r_of<N: Number>(&self, shape: Shape, dimension: Dimension, r: N) -> N {
        r.like(self.slope_constant) * shape.slope_over_q(dimension, r * r.like(self.inverse_support))
    }

    /// ∇W with respect to `x_i`, for `x_ij = x_i − x_j`.
    #[inline]
    pub fn gradient(&self, x_ij: Vec3) -> Vec3 {
        x_ij * self.slope_over_r(x_ij.length())
    }

    /// Laplacian of the viscosity kernel of the same support (Sol09 Eq. 2.22), for viscous forces only.
    #[inline(always)]
    pub fn viscosity_laplacian<N: Number>(&self, r: N) -> N {
        r.like(self.viscosity_constant) * (r.like(self.support) - r).at_least(r.like(0.0))
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
pub(crate) fn lattice_offsets(reach: Real, dimension: Dimension) -> impl Iterator<Item = Vec3> {
    let n = reach.ceil() as i32;
    let range = move |exists: bool| if exists { -n..=n } else { 0..=0 };
    range(true).flat_map(move |x| {
        range(dimension >= Dimension::Two).flat_map(move |y| {
            range(dimension == Dimension::Three).map(move |z| Vec3::new(x as Real, y as Real, z as Real))
        })
    })
}
