//! Newtonian friction along the line between two particles (Monaghan 2005).
//!
//! ```text
//! F_i = V_i Σ_j μ_ij V_j 2(d + 2) (v_ij·x_ij)/r² ∇W_ij         d: the dimension
//! ω_ij = −2(d + 2) W'(r)/r,   P = x_ij x_ijᵀ/r²                 the same in the sum of newtonian.rs
//! ```
//!
//! Directions average to ⟨n_a n_b n_c n_d⟩ = (δ_ab δ_cd + δ_ac δ_bd + δ_ad δ_bc)/(d(d + 2)), whence the factor: the sum
//! tends to μ (∇²v + 2∇(∇·v)), which is μ ∇²v in fluid that keeps its volume. The force is central: angular
//! momentum is conserved and rigid rotation is not braked, not even at a free surface, where it leaves no stress. There
//! waves decay as they should; the other forms act on each component of the velocity alone, brake rotation, and lose at
//! the surface what the transposed gradient of the velocity does.
//!
//! Monaghan adds 0.01 (support/2)² to r², against division by zero; here two coincident particles exert no force on
//! each other, so nothing is added. On a lattice the effective viscosity depends on the direction of shear: along the
//! axes 0.89 μ, along the diagonals 1.11 μ in 2D at three spacings; 0.59 μ and 1.57 μ in 3D at two, 0.93 μ and 1.10 μ
//! at three. Fluid that moves has no such directions. Between walls Morris' form is nearer.

use super::newtonian::{Discretisation, newtonian};
use crate::kernel::Kernel;
use crate::neighbors::{Block, Lanes, Setting, Simd, VecLanes};
use crate::real::Real;

newtonian! {
    /// Newtonian friction along the line between particles: right at free surfaces, and brakes no rotation.
    Central
}

impl Discretisation for Central {
    // Twice that of Morris in 2D: d + 2 times as much along one of d directions.
    const STIFFNESS: Real = 60.0;

    #[inline(always)]
    fn weight<S: Simd, K: Setting>(j: &Block<'_, S, K>, kernel: &Kernel) -> Lanes<S> {
        kernel.slope_over_r(j.r()) * (-2.0 * (kernel.dimension().count() as Real + 2.0))
    }

    #[inline(always)]
    fn braked<S: Simd, K: Setting>(j: &Block<'_, S, K>, v_ji: VecLanes<S>) -> VecLanes<S> {
        let x_ij = j.x_ij();
        // A particle and itself, or its double, have no line between them: zero, not zero by zero.
        x_ij * (v_ji.dot(x_ij) / x_ij.dot(x_ij).max(j.splat(Real::MIN_POSITIVE)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Viscosity;
    use super::super::newtonian::tests::{accelerations_are_those_worked_by_hand, accelerations_of};
    use super::*;
    use crate::kernel::lattice_offsets;
    use crate::real::{Dimension, Vec3};
    use crate::settings::Settings;
    use crate::simulation::Simulation;
    use crate::world::{Material, NewBody};

    fn central(dynamic_viscosity: Real) -> Viscosity {
        Viscosity::Central(Central { dynamic_viscosity })
    }

    #[test]
    fn accelerations_are_those_worked_by_hand_and_conserve_momentum_and_angular_momentum() {
        let torque = accelerations_are_those_worked_by_hand::<Central>(central, |kernel, x_ij, v_ji| {
            -10.0 * kernel.slope_over_r(x_ij.length()) * v_ji.dot(x_ij) / x_ij.length_squared() * x_ij
        });
        assert!(torque < 1e-5, "{torque}");
    }

    /// A block of fluid in the plane, 11 particles along each side, the middle one at the origin, that moves like this.
    fn block(velocity: impl Fn(Vec3) -> Vec3) -> Simulation {
        let settings = Settings { spacing: 0.1, dimension: Dimension::Two, ..Settings::default() };
        let mut material = Material::default();
        material.fluid.viscosity = central(3.0);
        let mut simulation = Simulation::new(settings, vec![material]).unwrap();
        let place = |offset: Vec3| 0.1 * offset;
        let position: Vec<_> = lattice_offsets(5.0, Dimension::Two).map(place).collect();
        let velocity = position.iter().map(|&x| velocity(x)).collect();
        simulation.add_body(NewBody { name: "block".into(), position, velocity, ..NewBody::default() }).unwrap();
        simulation.prepare().unwrap();
        simulation
    }

    #[test]
    fn rigid_rotation_is_not_braked_at_a_surface_either() {
        let turning = block(|x| Vec3::new(-2.0 * x.y, 2.0 * x.x, 0.0));
        let sheared = block(|x| Vec3::new(-2.0 * x.y, 0.0, 0.0));
        let largest = |simulation: &Simulation| {
            accelerations_of::<Central>(simulation).iter().map(|a| a.length()).fold(0.0, Real::max)
        };
        assert!(largest(&turning) < 1e-5 * largest(&sheared), "{} {}", largest(&turning), largest(&sheared));
    }

    #[test]
    fn shear_feels_the_laplacian_of_its_velocity() {
        // v = (y², 0): μ ∇²v/ρ = 2 · 3/1000 along x; the lattice has 0.8859 of it, see the top of this file.
        let simulation = block(|x| Vec3::new(x.y * x.y, 0.0, 0.0));
        let middle = simulation.particles().position.iter().position(|x| *x == Vec3::ZERO).unwrap();
        let found = accelerations_of::<Central>(&simulation)[middle] / 0.006;
        assert!((found.x - 0.8859).abs() < 1e-3 && found.y.abs() < 1e-4, "{found}");
    }
}
