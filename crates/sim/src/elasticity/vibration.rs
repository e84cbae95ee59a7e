//! How implicit bodies vibrate, and what ends of iterations do to it.
//!
//! When a step is known, each body's motion is split into a rigid one and the velocities w of its deformation (of what is held:
//! relative to the mean of its clamps). One product of the step's matrix A = M + s K gives w·K w and w·M w, of which the next step
//! takes how fast the body vibrates ([`stepping`](super::stepping)).
//!
//! **What is left does no work.** An iteration that ends early leaves a residual r = b − A w, an impulse from nowhere, whose work
//! r·w has a sign: the iteration starts from where the last accelerations lead, which is always ahead. A beam that swung in steps of
//! 1 ms gained a thousandth of its energy in ten periods so. Along w the equation is solved exactly instead: w (1 + g), with
//!
//! ```text
//! g = r·w / w·A w,    then (r − g A w)·w = 0
//! ```
//!
//! (r does no work in rigid motion, for momenta are restored: [`conservation`](super::conservation).)

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::conjugate::TASK_LENGTH;
use super::implicit::{ImplicitElasticity, law_of};
use super::law::Law;
use super::pull::vector;
use super::stepping::Stepping;
use super::vectors::plus;
use crate::real::{Real, Vec3, wide};
use crate::reduce::{self, Sums};
use crate::stage::stage;
use crate::time::AT_REST;
use crate::with_set;
use crate::world::World;

/// The largest √s ω Δt. With 0.15 a vibration that is all that moves keeps 0.99 of its amplitude over ten periods, which are 0.2 %
/// too long, with 0.3 0.92 and 0.8 %; the front of a wave in a bar, which has faster parts, is 2.5 % late with 0.3.
const RESOLVED: f64 = 0.15;

/// The largest g. What ends by its bounds needs some thousandths.
const MOST_WORK: f64 = 0.1;

/// How a body vibrates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vibration {
    /// θ of the last step.
    pub implicitness: Real,
    /// w·K w of its deformation, in the mean over the last radian [W/s].
    pub stiffness: f64,
    /// w·M w, likewise [J].
    pub inertia: f64,
    /// Its share of the kinetic energy of all matter, likewise [-].
    pub share: f64,
}

impl Default for Vibration {
    fn default() -> Self {
        Vibration { implicitness: 0.5, stiffness: 0.0, inertia: 0.0, share: 0.0 }
    }
}

impl Vibration {
    /// ω² [1/s²]; zero where nothing is deformed.
    pub fn frequency_squared(&self) -> f64 {
        if self.stiffness > 0.0 { self.stiffness / self.inertia.max(f64::MIN_POSITIVE) } else { 0.0 }
    }

    /// The longest step that resolves it [s]; any, where it is damped away.
    pub(super) fn longest_step(&self) -> f64 {
        match self.implicitness < 1.0 {
            true => RESOLVED / (self.share * self.frequency_squared()).sqrt(),
            false => f64::INFINITY,
        }
    }

    /// After a step of `dt` in which it moved so, and all matter with `all` = Σ m |v|².
    fn update(&mut self, stiffness: f64, inertia: f64, all: f64, dt: Real) {
        let radians = (self.frequency_squared().sqrt() * f64::from(dt)).min(1.0);
        let weight = if self.inertia > 0.0 { radians } else { 1.0 };
        let share = (inertia / all.max(f64::MIN_POSITIVE)).min(1.0);
        self.stiffness += weight * (stiffness - self.stiffness);
        self.inertia += weight * (inertia - self.inertia);
        self.share += weight * (share - self.share);
    }
}

/// Velocities of deformation, and memory for their products.
#[derive(Debug, Default)]
pub(super) struct Deforming {
    velocity: Vec<[Real; 4]>,
    product: Vec<[Real; 4]>,
    /// w·M w and r·w of each body; of what is held, the particles in its clamps.
    sums: Vec<[f64; 3]>,
    /// g of each body.
    gains: Vec<Real>,
}

impl ImplicitElasticity {
    /// When the motion of a step of `dt` is known: takes from it the work of what iterations left, and remembers how bodies vibrate.
    pub(crate) fn conclude(&mut self, world: &mut World, dt: Real, acceleration: &mut [Vec3]) {
        let is_asked = |law: &Law| law.rotation_lead() > 0.0;
        if !world.solids.any(is_asked) {
            return;
        }
        stage!("vibration");
        let all = self.lively_energy(world);
        self.find_deforming_velocities(world, dt);
        let Self { matrix, gradients, partials, totals, deforming, .. } = self;
        let Deforming { velocity, product, sums, gains } = deforming;
        let World { particles, solids, .. } = &*world;
        let is_kept = |body: u32| solids.body_law(body).is_some_and(is_asked);
        let residual = &gradients.residual;
        Sums { pieces: &solids.pieces, partials: &mut *partials, totals: sums, is_asked: is_kept }.of(|i| {
            let w = wide(vector(velocity[i]));
            [f64::from(particles.mass(i)) * w.length_squared(), wide(vector(residual[i])).dot(w), 0.0]
        });
        product.resize(solids.len(), [0.0; 4]);
        with_set!(solids.bonds.available(), |set| {
            let columns = (&velocity[..], &mut product[..]);
            let dt = matrix.dt;
            let stiffness = |body: u32, law: &Law| Stepping::of(world, body, law, dt).stiffness();
            matrix.multiply(set, world, columns, (partials, totals), (is_kept, stiffness));
        });
        gains.clear();
        gains.extend(sums.iter().zip(&*totals).map(|([_, work, _], [both, ..])| {
            let gain = if *both > 0.0 { work / both } else { 0.0 };
            gain.clamp(-MOST_WORK, MOST_WORK) as Real
        }));
        let lead = world.motion(dt).lead(world);
        let columns = acceleration[..solids.len()].par_iter_mut().with_min_len(TASK_LENGTH).enumerate();
        columns.filter(|(i, _)| law_of(world, *i).is_some_and(is_asked)).for_each(|(i, acceleration)| {
            *acceleration += vector(velocity[i]) * (gains[particles.body[i] as usize] / lead);
        });
        for (body, ([inertia, ..], [both, ..])) in (0..).zip(sums.iter().zip(&*totals)) {
            let Some(law) = world.solids.body_law(body).filter(|law| is_asked(law)) else { continue };
            let s = f64::from(Stepping::of(world, body, law, matrix.dt).stiffness());
            if let Some(vibration) = world.memory.vibrations.get_mut(body as usize) {
                vibration.update((both - inertia).max(0.0) / s, *inertia, all, dt);
            }
        }
    }

    /// The velocities that move bodies, without those of rigid motion.
    fn find_deforming_velocities(&mut self, world: &World, dt: Real) {
        let Self { velocity, conservation, partials, totals, deforming, .. } = self;
        let Deforming { velocity: deforming, sums: counts, .. } = deforming;
        let World { particles, solids, bodies, .. } = world;
        deforming.clone_from(velocity);
        conservation.restore_momentum((world, dt), |_| Vec3::ZERO, deforming);
        totals.resize(solids.slots(), [0.0; 3]);
        counts.resize(solids.slots(), [0.0; 3]);
        let is_held = |body: u32| !bodies[body as usize].clamps.is_empty();
        if !solids.runs.iter().any(|(body, _)| is_held(*body)) {
            return;
        }
        let held = |i: usize| if particles.clamp[i] > 0 { 1.0 } else { 0.0 };
        let sum = |i: usize| (wide(vector(deforming[i])) * held(i)).to_array();
        Sums { pieces: &solids.pieces, partials: &mut *partials, totals, is_asked: is_held }.of(sum);
        Sums { pieces: &solids.pieces, partials, totals: counts, is_asked: is_held }.of(|i| [held(i), 0.0, 0.0]);
        let (totals, counts) = (&*totals, &*counts);
        let rows = deforming.par_iter_mut().with_min_len(TASK_LENGTH).enumerate();
        rows.filter(|(i, _)| is_held(particles.body[*i])).for_each(|(i, velocity)| {
            let body = particles.body[i] as usize;
            let ([x, y, z], count) = (totals[body], counts[body][0].max(1.0));
            let mean = [x, y, z, 0.0].map(|sum| (sum / count) as Real);
            *velocity = if particles.clamp[i] > 0 { [0.0; 4] } else { plus(*velocity, mean, -1.0) };
        });
    }

    /// Σ m |v|² of all matter about its mean velocity, and no less than matter at rest may have [J].
    fn lively_energy(&mut self, world: &World) -> f64 {
        let (World { particles, .. }, count) = (world, world.kinds.matter().len());
        let mass = |i: usize| f64::from(particles.mass(i));
        let momentum = |i: usize| (wide(particles.velocity[i]) * mass(i)).to_array();
        let energy = |i: usize| [mass(i), mass(i) * wide(particles.velocity[i]).length_squared(), 0.0];
        let [x, y, z] = reduce::sum(count, &mut self.partials, momentum);
        let [mass, square, _] = reduce::sum(count, &mut self.partials, energy);
        let of_mean = (x * x + y * y + z * z) / mass.max(f64::MIN_POSITIVE);
        (square - of_mean).max(mass * AT_REST * AT_REST * f64::from(world.spacing * world.gravity.length()))
    }
}
