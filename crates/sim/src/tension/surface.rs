//! Tension of free surfaces, as a continuum surface force (Brackbill 1992; with particles, Morris 2000) that the pressure of a
//! drop at rest balances particle by particle.
//!
//! ```text
//! φ_i = Σ_j V0_j χ_j W_ij/φ_lattice,  g_i = Σ_j V0_j χ_j ∇W_ij       g points inwards, and is zero amid the fluid
//! S_i = s(φ_i; φ_1 + ¼(1 − φ_1), 1)                                 of fluids, walls and solids: `bearing.rs`
//! m_i = g_i s(|g_i| H; 0.2, 0.4), then averaged with the weights V0_j W_ij         s(x; a, b): smooth step from a to b
//! κ_i = (d − 1) Σ_j V0_j ω_ij m_j·t_ij / Σ_j V0_j ω_ij |m_j| t_ij²,    t_ij = x_ij − (x_ij·m̂_i) m̂_i,  ω = −W'/r
//! κ̄_i = Σ_j V0_j |m_j|² κ_j W_ij / Σ_j V0_j |m_j|² W_ij              twice
//! F_i = σ κ̄_i V0_i Σ_j V0_j (S_i + S_j) ∇W_ij + F_i^friction
//! ```
//!
//! d is the dimension, H the support; χ is 1 for fluids, and for walls and solid bodies how wet they are (`wetting.rs`).
//!
//! - The sum in F is the pair formula of pressure with −S instead of a pressure. So a drop with one curvature is at rest with
//!   p = σ κ S in every particle, however disordered they are: no currents, and Laplace's pressure without a calibration. S is
//!   zero in the outermost layer, where pressures that do not pull are zero as well. (With S = 1, F = 2 σ κ g: then the
//!   outermost layer must bear pressure, and gathers twice as many particles as it should until it can.)
//! - Curvature is a least-squares fit of the turn of normals along the surface. Fitting tangents alone needs no matrix, and is as
//!   good at a surface with neighbours on one side as amid them. Weights |m_j| keep out normals that are noise. No curvature
//!   beyond (d − 1)/H is believed: what particles cannot resolve is noise, and noise that accelerates makes more of it.
//! - The curvature is that of the layer in which it is measured, half a spacing inside the surface, and the force acts where S rises,
//!   about a spacing inside. Both are errors of first order: the pressure of a drop of N spacings in radius is too high by some
//!   0.7/N, and waves of mode n lose some n/N of their stiffness, of which mode 2 has half back. (With κ/(1 + κ d/(2(d − 1))), the
//!   curvature of the surface itself, the pressure is right to 0.8 % at N = 20, and the period of mode 2 wrong by 9.8 % instead of
//!   7.0 %. No local factor gets both right: it would have to know the mode.)
//! - What is solid pulls as it pushes, and is pulled back: the sum has the volumes and pressures of the pair formula there too
//!   (`bearing.rs`).
//! - A force that is no gradient of an energy feeds oscillations of single particles. Friction along the line between particles
//!   (Monaghan 2005, `viscosity/central.rs`) with the viscosity 0.2 √(σ ρ spacing), an Ohnesorge number of single
//!   particles, takes that away again; it vanishes with the spacing, and brakes no rotation.
//!
//! Forms that conserve momentum were left, Σ g² and forces between pairs after a trial, Σ |g| and stress tensors by analysis alone.
//! Energies of the gradient, Σ |g| and Σ g², pull the layers of a flat surface apart, which pressures of fluids do not prevent. Forces between pairs, attraction with repulsion, calibrated to σ
//! on a lattice, pull at its first layers fifteen times as hard as the curvature of a drop of ten spacings, lose half of σ as
//! particles find their places, and freeze them. Stress tensors (Hu & Adams 2006) lose a quarter of σ at a surface that has one
//! side only. Here what is left of Σ F over a closed surface is the error of its curvature, and friction conserves momentum.

use super::bearing::Bearing;
use super::work::Work;
use super::{any, smooth_step, wetting};
use crate::force::{Force, StepContext};
use crate::neighbors::{Pairs, Who, pack, row};
use crate::real::{Dimension, Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

/// Between these values of |g| times the support a particle comes to belong to the surface [-]. A flat surface has 1.3 at its
/// first layer and 0.2 at its second (2D); fluid that is stirred has up to 0.2 inside.
const FADE_IN: [Real; 2] = [0.2, 0.4];

/// Weights below this share of those at a surface lend no curvature [-].
const FAINT: Real = 0.01;

/// Viscosity over √(σ ρ spacing) [-]. A drop in 2D, 20 spacings in radius, without any other friction: with 0.1 particles move
/// at 2 to 3 per cent of √(σ/(ρ R)) for ever, with 0.3 at 0.5 per cent. Mode 2 of its oscillation decays by the tenth in a
/// period with 0.2.
const FRICTION: Real = 0.2;

/// Surface tension of all fluids that ask for it.
#[derive(Clone, Debug, Default)]
pub(super) struct SurfaceForce {
    /// σ of every particle.
    tension: Vec<Real>,
    filling: wetting::Filling,
    /// g, and φ φ_lattice.
    slopes: Vec<[Real; 4]>,
    bearing: Bearing,
    /// m before it is averaged, and after; with its length.
    rough: Vec<[Real; 4]>,
    normals: Vec<[Real; 4]>,
    /// κ before and after its first average.
    curvature: [Vec<Real>; 2],
    /// σ κ̄.
    pressure: Vec<Real>,
    /// Velocity, and √(σ ρ0 spacing)/ρ0 of fluids with a tension.
    moving: Vec<[Real; 4]>,
    work: Work,
}

/// The vector of a row, and its number.
fn parts([x, y, z, number]: [Real; 4]) -> (Vec3, Real) {
    (Vec3::new(x, y, z), number)
}

impl SurfaceForce {
    /// Is there a surface with tension?
    fn acts(&self, world: &World) -> bool {
        world.dimension != Dimension::One && any(world, |tension| tension.surface)
    }

    /// Finds g and φ, and what follows from them for each particle.
    fn look_around(&mut self, world: &World, pairs: &Pairs) {
        let SurfaceForce { tension, filling, slopes, bearing, rough, .. } = self;
        world.by_fluid_and_wall(tension, |material| material.tension.surface, |_| 0.0);
        filling.find(world, pairs);
        slopes.clear();
        slopes.resize(world.particles.len(), [0.0; 4]);
        let (tension, volume, support) = (&*tension, filling.volume(), pairs.kernel().support());
        each!(pairs, Who::Matter, &mut slopes[world.kinds.matter()], |i, near, slope| {
            if tension[i] > 0.0 {
                let (gradient, sum) = sum!(near, |j| {
                    let volume = j.get(volume);
                    (j.grad_w() * volume, j.w() * volume)
                });
                *slope = row(gradient, sum + near.self_term());
            }
        });
        bearing.find(world, pairs, (filling, tension), slopes);
        let slopes = &*slopes;
        pack(rough, slopes.len(), |i| {
            let gradient = parts(slopes[i]).0;
            let length = gradient.length();
            let faded = smooth_step(length * support, FADE_IN);
            row(gradient * faded, length * faded)
        });
    }

    /// Finds m.
    fn find_normals(&mut self, world: &World, pairs: &Pairs) {
        let SurfaceForce { filling, rough, normals, .. } = self;
        let (rough, at_zero) = (&*rough, pairs.kernel().value(0.0));
        normals.clear();
        normals.resize(rough.len(), [0.0; 4]);
        each!(pairs, Who::Matter, &mut normals[world.kinds.matter()], |i, near, normal| {
            let (own, length) = parts(rough[i]);
            if length > 0.0 {
                let (others, weight) = sum!(near.matter(), |j| {
                    let w = j.volume() * j.w();
                    (j.get_packed(rough).0 * w, w)
                });
                let w = world.particles.rest_volume[i] * at_zero;
                let mean = (others + own * w) / (weight + w);
                *normal = row(mean, mean.length());
            }
        });
        filling.turn_normals(world, pairs, normals);
    }

    /// Finds κ where there is a surface, and averages it once.
    fn find_curvatures(&mut self, world: &World, pairs: &Pairs) {
        let SurfaceForce { normals, curvature: [rough, smooth], .. } = self;
        let (normals, matter) = (&*normals, world.kinds.matter());
        for column in [&mut *rough, &mut *smooth] {
            column.clear();
            column.resize(world.particles.len(), 0.0);
        }
        let kernel = *pairs.kernel();
        let along = world.dimension.count() as Real - 1.0;
        let sharpest = along / kernel.support();
        each!(pairs, Who::Matter, &mut rough[matter.clone()], |i, near, curvature| {
            let (normal, length) = parts(normals[i]);
            if length > 0.0 {
                let inwards = normal / length;
                let (turn, squares) = sum!(near.matter(), |j| {
                    let (normal, length) = j.get_packed(normals);
                    let (x_ij, inwards) = (j.x_ij(), j.splat_vec(inwards));
                    let tangent = x_ij - inwards * x_ij.dot(inwards);
                    let weight = j.volume() * kernel.slope_over_r(j.r());
                    (normal.dot(tangent) * weight, length * tangent.dot(tangent) * weight)
                });
                // Both have the sign of W'.
                if squares < 0.0 {
                    *curvature = (along * turn / squares).clamp(-sharpest, sharpest);
                }
            }
        });
        let (rough, at_zero) = (&*rough, kernel.value(0.0));
        each!(pairs, Who::Matter, &mut smooth[matter], |i, near, curvature| {
            let length = normals[i][3];
            if length > 0.0 {
                let (bend, weight) = sum!(near.matter(), |j| {
                    let (normal, _) = j.get_packed(normals);
                    let weight = normal.dot(normal) * j.volume() * j.w();
                    (j.get(rough) * weight, weight)
                });
                let own = length * length * world.particles.rest_volume[i] * at_zero;
                *curvature = (bend + own * rough[i]) / (weight + own);
            }
        });
    }

    /// Finds σ κ̄.
    fn find_pressures(&mut self, world: &World, pairs: &Pairs) {
        let SurfaceForce { tension, normals, curvature: [_, curvature], pressure, .. } = self;
        let (tension, normals, curvature) = (&*tension, &*normals, &*curvature);
        let (particles, kernel) = (&world.particles, *pairs.kernel());
        let at_zero = kernel.value(0.0);
        let faint = FAINT / (kernel.support() * kernel.support());
        pressure.clear();
        pressure.resize(particles.len(), 0.0);
        each!(pairs, Who::Matter, &mut pressure[world.kinds.matter()], |i, near, pressure| {
            if tension[i] > 0.0 {
                let (bend, weight) = sum!(near.matter(), |j| {
                    let (normal, _) = j.get_packed(normals);
                    let weight = normal.dot(normal) * j.volume() * j.w();
                    (j.get(curvature) * weight, weight)
                });
                let length = normals[i][3];
                let own = length * length * particles.rest_volume[i] * at_zero;
                *pressure = tension[i] * ((bend + own * curvature[i]) / (weight + own + faint));
            }
        });
    }
}

impl Force for SurfaceForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let (world, pairs) = (step.world, step.pairs);
        self.work.power = 0.0;
        if !self.acts(world) {
            return;
        }
        stage!("surface tension");
        self.look_around(world, pairs);
        self.find_normals(world, pairs);
        self.find_curvatures(world, pairs);
        self.find_pressures(world, pairs);
        let SurfaceForce { tension, bearing, pressure, moving, work, .. } = self;
        let (tension, share, pressure) = (&*tension, bearing.share(), &*pressure);
        let (particles, kernel, solid) = (&world.particles, *pairs.kernel(), world.kinds.solid());
        pack(moving, particles.len(), |i| {
            let own = tension[i] * world.spacing / particles.rest_density[i].max(Real::MIN_POSITIVE);
            row(particles.velocity[i], own.sqrt())
        });
        let moving = &*moving;
        let friction = -2.0 * (world.dimension.count() as Real + 2.0) * FRICTION;
        work.clear(acceleration.len());
        each!(pairs, Who::Matter, &mut work.acceleration, |i, near, acceleration| {
            if tension[i] > 0.0 {
                if pressure[i] != 0.0 {
                    let bearing = share[i];
                    let pull = exchange!(near, |j| j.grad_w() * (j.volume() * (j.get(share) + bearing)));
                    // V0_i / m_i = 1/ρ0_i.
                    *acceleration = pull * (pressure[i] / particles.rest_density[i]);
                }
                let (home, own) = parts(moving[i]);
                let own_density = particles.rest_density[i];
                *acceleration += exchange!(near.matter(), |j| {
                    let (velocity, other) = j.get_packed(moving);
                    let x_ij = j.x_ij();
                    let approach = (velocity - j.splat_vec(home)).dot(x_ij);
                    let apart = x_ij.dot(x_ij).max(j.splat(Real::MIN_POSITIVE));
                    // μ_ij/ρ0_i: the geometric mean of both kinematic viscosities, times that of the densities.
                    let mu = (other * own * j.get(&particles.rest_density) / own_density).sqrt();
                    x_ij * (approach / apart * mu * j.volume() * kernel.slope_over_r(j.r()) * friction)
                });
            } else if solid.contains(&i) {
                let bearing = share[i];
                let reaction = exchange!(near.matter(), |f| {
                    f.grad_w() * (f.volume() * f.get(pressure) * (f.get(share) + bearing))
                });
                *acceleration = reaction / particles.rest_density[i];
            }
        });
        work.add_to(step, acceleration);
    }

    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]) {
        let (share, pressure, volume) = (self.bearing.share(), &self.pressure, &step.world.particles.rest_volume);
        if !self.acts(step.world) {
            return;
        }
        each!(step.pairs, Who::Walls, force, |b, near, force| {
            let bearing = share[b];
            let reaction =
                exchange!(near, |f| { f.grad_w() * (f.volume() * f.get(pressure) * (f.get(share) + bearing)) });
            *force += reaction * volume[b];
        });
    }

    fn power(&self) -> f64 {
        self.work.power
    }

    fn longest_step(&self, world: &World, pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        let support = pairs.kernel().support();
        let steps = world
            .flowing_materials()
            .filter_map(|material| material.tension.longest_step(material.density, world.spacing, support));
        steps.reduce(Real::min)
    }
}

/// The longest step for the friction at a surface [s]: as for other friction along the line between particles, in
/// `viscosity/newtonian.rs`.
pub(super) fn longest_step(tension: Real, density: Real, spacing: Real, support: Real) -> Real {
    let diffusivity = FRICTION * (tension * spacing / density).sqrt();
    0.6 * support * support / (60.0 * diffusivity)
}

#[cfg(test)]
mod tests;
