//! Tension of free surfaces, as a continuum surface force (Brackbill 1992; with particles, Morris 2000) that the pressure of a
//! drop at rest balances particle by particle.
//!
//! ```text
//! φ_i = Σ_j V0_j χ_j W_ij/φ_lattice,  g_i = Σ_j V0_j χ_j ∇W_ij       g points inwards, and is zero amid the fluid
//! S_i = s(φ_i; φ_1 + ¼(1 − φ_1), 1)                                 φ_1: of the first layer of a flat lattice
//! m_i = g_i s(|g_i| H; 0.2, 0.4), then averaged with the weights V0_j W_ij         s(x; a, b): smooth step from a to b
//! κ_i = (d − 1) Σ_j V0_j ω_ij m_j·t_ij / Σ_j V0_j ω_ij |m_j| t_ij²,    t_ij = x_ij − (x_ij·m̂_i) m̂_i,  ω = −W'/r
//! κ̄_i = Σ_j V0_j |m_j|² κ_j W_ij / Σ_j V0_j |m_j|² W_ij              twice; at the surface, half a spacing outside
//! F_i = σ κ̄_i V0_i Σ_j V0_j χ_j (S_i + S_j) ∇W_ij + F_i^friction
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
//! - Particles at the surface are half a spacing inside it: κ/(1 + κ d/(2(d − 1))) is that of the surface itself. The force acts
//!   where S rises, about a spacing inside, so that waves of mode n on a drop of N spacings in radius lose some n/N of their
//!   stiffness: periods are wrong in first order of the spacing (mode 2: 9.8 % at N = 20, 15.8 % at N = 12).
//! - A force that is no gradient of an energy feeds oscillations of single particles. Friction along the line between particles
//!   (Monaghan 2005, `viscosity/central.rs`) with the viscosity 0.2 √(σ ρ spacing), an Ohnesorge number of single
//!   particles, takes that away again; it vanishes with the spacing, and brakes no rotation.
//!
//! Forms that conserve momentum were left, Σ g² and forces between pairs after a trial, Σ |g| and stress tensors by analysis alone.
//! Energies of the gradient, Σ |g| and Σ g², pull the layers of a flat surface apart, which pressures of fluids do not prevent. Forces between pairs, attraction with repulsion, calibrated to σ
//! on a lattice, pull at its first layers fifteen times as hard as the curvature of a drop of ten spacings, lose half of σ as
//! particles find their places, and freeze them. Stress tensors (Hu & Adams 2006) lose a quarter of σ at a surface that has one
//! side only. Here what is left of Σ F over a closed surface is the error of its curvature, and friction conserves momentum.

use super::work::Work;
use super::{any, wetting};
use crate::force::{Force, StepContext};
use crate::neighbors::{Pairs, Who, pack, row};
use crate::real::{Dimension, Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

/// Between these values of |g| times the support a particle comes to belong to the surface [-]. A flat surface has 1.3 at its
/// first layer and 0.2 at its second (2D); fluid that is stirred has up to 0.2 inside.
const FADE_IN: [Real; 2] = [0.2, 0.4];

/// S rises over this share of the way from φ of the first layer to 1 [-]: from 0, the first layer bears pressure and gathers
/// particles; with less width than this S follows single particles.
const BEARING: [Real; 2] = [0.25, 1.0];

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
    /// S.
    share: Vec<Real>,
    /// m before it is averaged, and after; with its length.
    rough: Vec<[Real; 4]>,
    normals: Vec<[Real; 4]>,
    /// κ before and after its first average.
    curvature: [Vec<Real>; 2],
    /// Velocity, and √(σ ρ0 spacing)/ρ0 of fluids with a tension.
    moving: Vec<[Real; 4]>,
    work: Work,
}

/// Rises from 0 to 1 between two values.
fn smooth_step(x: Real, [from, to]: [Real; 2]) -> Real {
    let x = ((x - from) / (to - from)).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// The vector of a row, and its number.
fn parts([x, y, z, number]: [Real; 4]) -> (Vec3, Real) {
    (Vec3::new(x, y, z), number)
}

impl SurfaceForce {
    /// Finds g and φ, and what follows from them for each particle.
    fn look_around(&mut self, world: &World, pairs: &Pairs) {
        let SurfaceForce { tension, filling, slopes, share, rough, .. } = self;
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
        let lattice_sum = pairs.kernel().lattice_sum(world.spacing);
        let missing = filling.nearest() / lattice_sum;
        // Other matter is full.
        share.clear();
        share.extend(slopes.iter().zip(tension).map(|(slope, &tension)| match tension > 0.0 {
            true => smooth_step(1.0 - (1.0 - slope[3] / lattice_sum) / missing, BEARING),
            false => 1.0,
        }));
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
        let (sharpest, depth) = (along / kernel.support(), 0.5 * world.spacing / along);
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
                    let within = (along * turn / squares).clamp(-sharpest, sharpest);
                    *curvature = within / (1.0 + within * depth);
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
}

impl Force for SurfaceForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let (world, pairs) = (step.world, step.pairs);
        self.work.power = 0.0;
        if world.dimension == Dimension::One || !any(world, |tension| tension.surface) {
            return;
        }
        stage!("surface tension");
        self.look_around(world, pairs);
        self.find_normals(world, pairs);
        self.find_curvatures(world, pairs);
        let SurfaceForce { tension, filling, share, normals, curvature: [_, curvature], moving, work, .. } = self;
        let (tension, volume, share, normals, curvature) =
            (&*tension, filling.volume(), &*share, &*normals, &*curvature);
        let (particles, kernel) = (&world.particles, *pairs.kernel());
        pack(moving, particles.len(), |i| {
            let own = tension[i] * world.spacing / particles.rest_density[i].max(Real::MIN_POSITIVE);
            row(particles.velocity[i], own.sqrt())
        });
        let (moving, at_zero) = (&*moving, kernel.value(0.0));
        let faint = FAINT / (kernel.support() * kernel.support());
        let friction = -2.0 * (world.dimension.count() as Real + 2.0) * FRICTION;
        work.clear(acceleration.len());
        each!(pairs, Who::Matter, &mut work.acceleration, |i, near, acceleration| {
            if tension[i] > 0.0 {
                let (bend, weight) = sum!(near.matter(), |j| {
                    let (normal, _) = j.get_packed(normals);
                    let weight = normal.dot(normal) * j.volume() * j.w();
                    (j.get(curvature) * weight, weight)
                });
                let length = normals[i][3];
                let own = length * length * particles.rest_volume[i] * at_zero;
                let mean = (bend + own * curvature[i]) / (weight + own + faint);
                if mean != 0.0 {
                    let bearing = share[i];
                    // A wall continues what is beside it.
                    let pull = exchange!(near.matter(), |j| j.grad_w() * (j.get(volume) * (j.get(share) + bearing)))
                        + sum!(near.walls(), |b| b.grad_w() * (b.get(volume) * (bearing + bearing)));
                    // V0_i / m_i = 1/ρ0_i.
                    *acceleration = pull * (tension[i] * mean / particles.rest_density[i]);
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
            }
        });
        work.add_to(step, acceleration);
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
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::simulation::Simulation;
    use crate::world::{Material, NewBody};

    /// A disc or ball of fluid at rest, without gravity, `across` spacings in radius.
    fn drop(dimension: Dimension, across: i32, tension: Real) -> Simulation {
        let spacing = 0.1;
        let settings = Settings { spacing, dimension, gravity: Vec3::ZERO, ..Settings::default() };
        let mut material = Material::default();
        material.tension.surface = tension;
        let mut simulation = Simulation::new(settings, vec![material]).unwrap();
        let position: Vec<_> =
            (0..across).flat_map(|k| shell(dimension, spacing * (k as Real + 0.5), spacing)).collect();
        simulation.add_body(NewBody { name: "drop".into(), position, ..NewBody::default() }).unwrap();
        simulation.prepare().unwrap();
        simulation
    }

    /// Points on a circle or sphere, one for each spacing or square of it.
    fn shell(dimension: Dimension, radius: Real, spacing: Real) -> impl Iterator<Item = Vec3> {
        let turn = std::f32::consts::TAU as Real;
        let across = radius / spacing;
        let count = if dimension == Dimension::Two { turn * across } else { 2.0 * turn * across * across }.round();
        (0..count as usize).map(move |k| {
            let share = (k as Real + 0.5) / count;
            let height = if dimension == Dimension::Two { 0.0 } else { 1.0 - 2.0 * share };
            // The golden angle spreads points evenly over a sphere.
            let angle = if dimension == Dimension::Two { turn * share } else { 0.381_966 * turn * k as Real };
            let across = (1.0 - height * height).sqrt();
            radius * Vec3::new(across * angle.cos(), across * angle.sin(), height)
        })
    }

    fn accelerations(simulation: &Simulation) -> Vec<Vec3> {
        let mut acceleration = vec![Vec3::ZERO; simulation.matter().len()];
        let step = StepContext { world: simulation.world(), pairs: simulation.pairs(), sound_speed: 1.0, dt: 0.001 };
        SurfaceForce::default().add(&step, &mut acceleration);
        acceleration
    }

    /// Virtual work: in the flow x/r^d, which compresses nothing, the force does the work −σ dA/dt: dR/dt = 1/R^(d−1), and
    /// dA/dt = 2π/R in the plane, 8π/R in space.
    #[test]
    fn work_of_a_swelling_drop_is_that_of_its_surface() {
        for (dimension, across, tolerance) in [(Dimension::Two, 16, 0.05), (Dimension::Three, 10, 0.08)] {
            let simulation = drop(dimension, across, 0.5);
            let particles = simulation.particles();
            let radius = 0.1 * f64::from(across);
            let power: f64 = accelerations(&simulation)
                .iter()
                .enumerate()
                .map(|(i, a)| {
                    let x = particles.position[i];
                    f64::from(particles.mass(i) * a.dot(x)) / f64::from(x.length()).powi(dimension.count() as i32)
                })
                .sum();
            let pi = std::f64::consts::PI;
            let expected = -0.5 * if dimension == Dimension::Two { 2.0 * pi / radius } else { 8.0 * pi / radius };
            assert!((power / expected - 1.0).abs() < tolerance, "{dimension:?}: {power} {expected}");
        }
    }

    #[test]
    fn a_drop_at_rest_keeps_its_place() {
        let simulation = drop(Dimension::Two, 12, 0.5);
        let found = accelerations(&simulation);
        let (total, scale) = found.iter().fold((Vec3::ZERO, 0.0), |(sum, scale), a| (sum + *a, scale + a.length()));
        assert!(scale > 0.0 && total.length() < 1e-4 * scale, "{total} {scale}");
    }

    #[test]
    fn amid_the_fluid_there_is_nothing() {
        let simulation = drop(Dimension::Two, 12, 0.5);
        let found = accelerations(&simulation);
        let particles = simulation.particles();
        for (i, a) in found.iter().enumerate().filter(|(i, _)| particles.position[*i].length() < 0.4) {
            assert!(a.length() < 1e-6, "{i}: {a}");
        }
    }

    /// Rigid rotation is not braked, and what shear loses of momentum it gains elsewhere.
    #[test]
    fn friction_brakes_no_rotation() {
        let mut simulation = drop(Dimension::Two, 12, 0.5);
        let still = accelerations(&simulation);
        let largest = |simulation: &Simulation| {
            let moved = accelerations(simulation);
            moved.iter().zip(&still).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max)
        };
        let mut turn = |velocity: fn(Vec3) -> Vec3| {
            let particles = &mut simulation.world_mut().particles;
            particles.velocity = particles.position.iter().map(|x| velocity(*x)).collect();
            largest(&simulation)
        };
        let turning = turn(|x| Vec3::new(-2.0 * x.y, 2.0 * x.x, 0.0));
        let sheared = turn(|x| Vec3::new(-2.0 * x.y, 0.0, 0.0));
        assert!(turning < 1e-3 * sheared, "{turning} {sheared}");
    }
}
