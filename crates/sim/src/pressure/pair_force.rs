//! The one pair formula of pressure.
//!
//! ```text
//! F_i = −V0_i Σ_j V0_j (P_i + P_j) ∇W_ij,    P = p / φ²
//! a_i = F_i / (ρ0_i V0_i)
//! ```
//!
//! For equal volumes this is Sol09 Eq. 4.12 with number densities; with walls as neighbours like any other
//! (φ = 1) two materials, or matter and wall, are never a special case. It is minus the gradient of
//! `Σ φ_lattice V0 e(φ)` with p = φ² de/dφ, so momentum and energy are conserved by construction. Between fluids of
//! different density the two pressures have weights ([`Blend`]), and energy is exact only if these are 1. With a kernel for
//! pressure gradients that is not the kernel of densities (Sol09 takes spiky and poly6) momentum is still exact, energy is
//! not.

use super::blend::{Blend, weigh};
use crate::force::StepContext;
use crate::kernel::Kernel;
use crate::neighbors::{Pairs, Who};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange};

/// Fills `scaled` with P = p / φ² of every particle; walls have φ = 1.
pub(crate) fn scale_pressures(world: &World, scaled: &mut Vec<Real>) {
    stage!("scaled pressures");
    let particles = &world.particles;
    scaled.clear();
    scaled.extend_from_slice(&particles.pressure);
    for (i, scaled) in scaled[world.kinds.matter()].iter_mut().enumerate() {
        let phi = particles.compression(i);
        *scaled /= phi * phi;
    }
}

/// Adds the pressure accelerations of matter, with gradients of `kernel` or of the kernel of all pairs.
pub(crate) fn add_pressure(
    world: &World,
    pairs: &Pairs,
    kernel: Option<&Kernel>,
    blend: &Blend,
    scaled: &[Real],
    acceleration: &mut [Vec3],
) {
    stage!("pressure forces");
    let rest_density = &world.particles.rest_density;
    // Walls have weights of 1: with weights, or another kernel, they have a sum of their own.
    let kernel = kernel.or((!blend.is_equal()).then_some(pairs.kernel())).copied();
    let equal = blend.weights::<true>();
    weigh!(blend, |weights| each!(pairs, Who::Due, acceleration, |i, near, acceleration| {
        let sum = match kernel {
            None => exchange!(near, |j| j.grad_w() * (j.volume() * equal.pressure(i, j, scaled))),
            Some(kernel) => {
                exchange!(near.matter(), |j| {
                    j.x_ij() * (kernel.slope_over_r(j.r()) * (j.volume() * weights.pressure(i, j, scaled)))
                }) + exchange!(near.walls(), |b| {
                    b.x_ij() * (kernel.slope_over_r(b.r()) * b.volume() * equal.pressure(i, b, scaled))
                })
            }
        };
        *acceleration -= sum / rest_density[i];
    }));
}

/// The accelerations of solids by these pressures; to them a wall has no pressure of its own.
pub(crate) fn push_solids(world: &World, pairs: &Pairs, scaled: &[Real], push: &mut [Vec3]) {
    each!(pairs, Who::Matter, push, |i, near, push| {
        let others = exchange!(near.matter(), |j| j.grad_w() * (j.volume() * (j.get(scaled) + scaled[i])));
        let walls = exchange!(near.walls(), |b| b.grad_w() * (b.volume() * scaled[i]));
        *push = (others + walls) * -world.mobility(i);
    });
}

/// Adds the forces of matter on the particles of walls [N]: the other side of [`add_pressure`].
pub(crate) fn add_wall_forces(step: &StepContext<'_>, kernel: Option<&Kernel>, scaled: &[Real], force: &mut [Vec3]) {
    let kernel = *kernel.unwrap_or(step.pairs.kernel());
    let rest_volume = &step.world.particles.rest_volume;
    each!(step.pairs, Who::Walls, force, |b, near, force| {
        let sum = exchange!(near, |f| {
            f.x_ij() * (kernel.slope_over_r(f.r()) * (f.volume() * (f.get(scaled) + scaled[b])))
        });
        *force -= sum * rest_volume[b];
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Shape;
    use crate::simulation::test_worlds::three_particles;

    #[test]
    fn forces_are_those_worked_by_hand_and_cancel() {
        let simulation = three_particles();
        let density_kernel = *simulation.pairs().kernel();
        forces_are_those_of(density_kernel, None);
        for shape in [Shape::Spiky, Shape::Cosine] {
            let kernel = Kernel::new(shape, density_kernel.support(), density_kernel.dimension());
            forces_are_those_of(kernel, Some(&kernel));
        }
    }

    /// Three fluid particles in a row, unequal volumes and densities, worked by hand.
    fn forces_are_those_of(kernel: Kernel, other: Option<&Kernel>) {
        let mut simulation = three_particles();
        let pressure = [300.0, 500.0, -200.0];
        simulation.world_mut().particles.pressure.copy_from_slice(&pressure);
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let (mut scaled, mut acceleration) = (Vec::new(), vec![Vec3::ZERO; 3]);
        scale_pressures(world, &mut scaled);
        add_pressure(world, pairs, other, &Blend::default(), &scaled, &mut acceleration);

        let particles = &world.particles;
        let capital_p = |i: usize| pressure[i] / particles.compression(i).powi(2);
        let mut total = Vec3::ZERO;
        for (i, &found) in acceleration.iter().enumerate() {
            let mut force = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let x_ij = particles.position[i] - particles.position[j];
                let volumes = particles.rest_volume[i] * particles.rest_volume[j];
                force -= volumes * (capital_p(i) + capital_p(j)) * kernel.gradient(x_ij);
            }
            let found = found * particles.mass(i);
            assert!((found - force).length() < 1e-5 * force.length(), "{i}: {found} {force}");
            total += found;
        }
        assert!(total.length() < 1e-5 * (acceleration[0] * particles.mass(0)).length());
    }
}
