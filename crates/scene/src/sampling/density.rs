//! Fluids start at their rest density, or below it.
//!
//! Where particles of a lattice meet a wall that is no part of it, where they were thrown at random, or where two bodies
//! meet, some are too close to each other; a fluid that starts so springs apart. They are moved until no density
//!
//! ```text
//! φ_i = Σ_j V_j W_ij / (f_i Σ_lattice V W)
//! ```
//!
//! exceeds one, corrected at free surfaces ([`Filling`]) as in the run, as position-based fluids do (Macklin & Müller 2013, Eq. 9 to 13), but for excess alone, since a surface is no
//! fault: with the constraint C_i = φ_i − 1 where that is positive,
//!
//! ```text
//! λ_i = −C_i / Σ_k |∂C_i/∂x_k|²,    Δx_i = ω Σ_j (λ_i V_j + λ_j V_i) ∇W_ij / Σ_lattice V W
//! ```
//!
//! Before, what is nearer to a wall than half a spacing goes back so far. What is at its density already does not
//! move, nor do elastic bodies and walls.

use glam::DVec3;
use rayon::prelude::*;
use thixo_sim::{Filling, Kernel, Real};

use super::inset::Inset;
use super::walls::Walls;
use super::{BodySample, SampledWall};
use crate::near::Near;
use crate::shape::{Bounds, Solid, gradient};
use crate::{Description, World};

/// How deep in the free space particles lie along a wall, in spacings.
const DEPTH: f64 = 0.5;

/// An excess that moves nothing. It is felt by nobody, and rounding in single precision is less.
const NEGLIGIBLE: f64 = 0.002;

/// The most rounds of moving particles, and how many particles may be moved in all of them together: some seconds of work. Excess
/// spreads from walls like heat, so that large pools would take many more rounds to be rid of the last per cent.
const ROUNDS: usize = 120;
const WORK: usize = 6_000_000;

/// The share of each correction that is applied: all of them at once would overshoot.
const SHARE: f64 = 0.5;

/// The longest step of a round, in spacings.
const LONGEST: f64 = 0.1;

/// How far neighbours are looked for beyond the support, in spacings: they serve until one has moved half as far.
const MARGIN: f64 = 0.4;

/// The highest density that a body starts with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compression {
    /// How much more than the rest density, in shares of it.
    pub(crate) excess: f64,
    /// Where [m].
    pub(crate) place: DVec3,
}

/// Moves the particles of fluid bodies until none is compressed. The highest excess that each body is left with, if
/// any particle of it was looked at.
pub(super) fn decompress(
    scene: &Description,
    bodies: &mut [BodySample],
    walls: &[SampledWall],
) -> Vec<Option<Compression>> {
    let may_move = |&k: &usize| bodies[k].is_thick() && scene.is_fluid(&scene.bodies[k]);
    let (fluids, others): (Vec<_>, Vec<_>) = (0..bodies.len()).partition(may_move);
    if fluids.is_empty() {
        return vec![None; bodies.len()];
    }
    let space = Walls::of(scene);
    let mut crowd = Crowd::new(&scene.world, &space);
    let mut ends = Vec::new();
    for &k in fluids.iter().chain(&others) {
        crowd.add(bodies[k].positions(), bodies[k].volume(&scene.world));
        ends.push(crowd.places.len());
    }
    crowd.mobile = ends[fluids.len() - 1];
    crowd.matter = crowd.places.len();
    for wall in walls {
        crowd.places.extend(wall.particles.iter().map(|particle| particle.position));
        match wall.rest_volumes.is_empty() {
            true => crowd.volumes.resize(crowd.places.len(), scene.world.cell_volume()),
            false => crowd.volumes.extend(&wall.rest_volumes),
        }
    }
    let starts = || std::iter::once(0).chain(ends.iter().copied());
    let ranges: Vec<_> = starts().zip(ends.iter().copied()).take(fluids.len()).collect();
    let mut awake = Vec::new();
    let edge = Near::of(crowd.places[crowd.matter..].iter().copied(), crowd.reach);
    for (&body, &(first, end)) in fluids.iter().zip(&ranges) {
        let neighbours = (0..bodies.len()).filter(|&k| k != body).map(|k| bodies[k].bounds().grown(crowd.reach));
        let neighbours: Vec<Bounds> = neighbours.collect();
        // Inside a cubic lattice all is as it should be.
        let may_differ = |&i: &usize| {
            let place = crowd.places[i];
            !bodies[body].is_cubic
                || edge.has_any(place)
                || neighbours.iter().any(|bounds| bounds.distance(place) <= 0.0)
        };
        awake.par_extend((first..end).into_par_iter().filter(may_differ));
    }
    let moved = crowd.clear_of_walls(&awake) | crowd.relax(awake);
    if moved {
        for (&body, &(first, end)) in fluids.iter().zip(&ranges) {
            bodies[body].place(&crowd.places[first..end]);
        }
    }
    let mut left = vec![None; bodies.len()];
    for (&body, &(first, end)) in fluids.iter().zip(&ranges) {
        let excess = (first..end).map(|i| (crowd.excess[i], i)).max_by(|a, b| a.0.total_cmp(&b.0));
        left[body] = excess.map(|(excess, i)| Compression { excess, place: crowd.places[i] });
    }
    left
}

/// All particles of a scene: first those that may move, then other matter, then walls.
struct Crowd<'a> {
    space: &'a Walls<'a>,
    kernel: Kernel,
    /// Σ V W of the full lattice.
    lattice_sum: f64,
    filling: Filling,
    spacing: f64,
    axes: usize,
    reach: f64,
    periods: [Option<[f64; 2]>; 3],
    mobile: usize,
    matter: usize,
    places: Vec<DVec3>,
    volumes: Vec<f64>,
    /// What was found last of the density of each that may move, beyond the rest density.
    excess: Vec<f64>,
    /// λ of each that may move.
    multipliers: Vec<f64>,
}

/// The particles by place, with images of those near the ends of a period.
struct Neighbourhood {
    near: Near,
    /// Whose image each point beyond the particles themselves is, and how far it is moved.
    images: Vec<(usize, DVec3)>,
    count: usize,
    /// The numbers of those within reach of a particle, of which it was asked when all were where they were; else none.
    listed: Vec<Box<[u32]>>,
}

impl<'a> Crowd<'a> {
    fn new(world: &World, space: &'a Walls<'a>) -> Crowd<'a> {
        let kernel = world.kernel.kernel(world.spacing as Real, world.dimension());
        Crowd {
            space,
            kernel,
            lattice_sum: f64::from(kernel.lattice_sum(world.spacing as Real)),
            filling: Filling::new(&kernel, world.spacing as Real),
            spacing: world.spacing,
            axes: usize::from(world.dimension),
            reach: world.support(),
            periods: world.periodic.axes(),
            mobile: 0,
            matter: 0,
            places: Vec::new(),
            volumes: Vec::new(),
            excess: Vec::new(),
            multipliers: Vec::new(),
        }
    }

    fn add(&mut self, places: impl Iterator<Item = DVec3>, volume: f64) {
        self.places.extend(places);
        self.volumes.resize(self.places.len(), volume);
    }

    /// Moves those that are nearer to a wall than half a spacing so far away from it; was there one?
    fn clear_of_walls(&mut self, awake: &[usize]) -> bool {
        let depth = DEPTH * self.spacing;
        let inset = Inset { solid: self.space, sign: -1.0, axes: self.axes, spacing: self.spacing };
        let cleared = awake.par_iter().filter_map(|&i| {
            let place = self.places[i];
            // The estimate of the distance may be low: then the place stays.
            let is_near = inset.depth(place) < depth - 1e-3 * self.spacing;
            let settled = is_near.then(|| inset.settled(place, depth)).flatten()?;
            (settled.place.distance(place) > 1e-3 * self.spacing).then_some((i, settled.place))
        });
        let cleared: Vec<_> = cleared.collect();
        cleared.iter().for_each(|&(i, place)| self.places[i] = place);
        !cleared.is_empty()
    }

    /// Moves particles until none is compressed, beginning with those that may be; did any move?
    fn relax(&mut self, mut awake: Vec<usize>) -> bool {
        self.excess = vec![0.0; self.mobile];
        self.multipliers = vec![0.0; self.mobile];
        let mut around = self.neighbourhood(&awake);
        let (mut drift, mut any) = (0.0, false);
        for _ in 0..(WORK / self.mobile.max(1)).clamp(4, ROUNDS) {
            if drift > 0.5 * MARGIN * self.spacing {
                (around, drift) = (self.neighbourhood(&awake), 0.0);
            }
            let found: Vec<_> = awake.par_iter().map(|&i| self.constraint(&around, i)).collect();
            for (&i, &(excess, multiplier)) in awake.iter().zip(&found) {
                (self.excess[i], self.multipliers[i]) = (excess, multiplier);
            }
            let crowded: Vec<_> = awake.iter().copied().filter(|&i| self.multipliers[i] != 0.0).collect();
            if crowded.is_empty() {
                break;
            }
            let moving = self.with_neighbours(&around, &crowded);
            let steps: Vec<_> = moving.par_iter().map(|&i| self.step(&around, i)).collect();
            for (&i, step) in moving.iter().zip(&steps) {
                self.places[i] += *step;
            }
            crowded.iter().for_each(|&i| self.multipliers[i] = 0.0);
            drift += steps.iter().map(|step| step.length()).fold(0.0, f64::max);
            awake = self.with_neighbours(&around, &moving);
            any = true;
        }
        any
    }

    /// How much a particle is compressed, and the λ that undoes it.
    fn constraint(&self, around: &Neighbourhood, i: usize) -> (f64, f64) {
        let mut density = self.volumes[i] * f64::from(self.kernel.value(0.0 as Real));
        let (mut own, mut others) = (DVec3::ZERO, 0.0);
        for (j, way) in around.of(self, i) {
            let distance = way.length() as Real;
            density += self.volumes[j] * f64::from(self.kernel.value(distance));
            let slope = way * (self.volumes[j] * f64::from(self.kernel.slope_over_r(distance)) / self.lattice_sum);
            own += slope;
            others += if j < self.mobile { slope.length_squared() } else { 0.0 };
        }
        let filling = self.filling.of(density as Real, (own.length() * self.lattice_sum) as Real);
        let excess = density / (self.lattice_sum * f64::from(filling)) - 1.0;
        let multiplier = if excess > NEGLIGIBLE { -excess / (own.length_squared() + others) } else { 0.0 };
        (excess, if multiplier.is_finite() { multiplier } else { 0.0 })
    }

    /// How far a particle goes in this round.
    fn step(&self, around: &Neighbourhood, i: usize) -> DVec3 {
        let mut step = DVec3::ZERO;
        let mut is_at_a_wall = false;
        for (j, way) in around.of(self, i) {
            let distance = way.length();
            let multiplier = if j < self.mobile { self.multipliers[j] } else { 0.0 };
            let weight = self.multipliers[i] * self.volumes[j] + multiplier * self.volumes[i];
            step += way * (weight * f64::from(self.kernel.slope_over_r(distance as Real)));
            is_at_a_wall |= j >= self.matter && distance < 1.5 * self.spacing;
        }
        let step = (step * (SHARE / self.lattice_sum)).clamp_length_max(LONGEST * self.spacing);
        if is_at_a_wall { self.kept_off(self.places[i], step) } else { step }
    }

    /// A step that leads no nearer to a wall than half a spacing.
    fn kept_off(&self, place: DVec3, step: DVec3) -> DVec3 {
        let depth = |place: DVec3| -self.space.distance(place);
        let missing = (DEPTH * self.spacing).min(depth(place)) - depth(place + step);
        if missing <= 0.0 {
            return step;
        }
        let inwards = -gradient(self.space, place + step, 1e-3 * self.spacing);
        step + missing * inwards / inwards.length_squared().max(0.2)
    }

    fn neighbourhood(&self, awake: &[usize]) -> Neighbourhood {
        let reach = self.reach + MARGIN * self.spacing;
        let mut images: Vec<(usize, DVec3)> = Vec::new();
        for (axis, period) in self.periods.into_iter().enumerate() {
            let Some([from, to]) = period else { continue };
            let known = images.len();
            let shifts = |i: usize, shift: DVec3| {
                let at = self.places[i][axis] + shift[axis];
                let length = (to - from) * DVec3::AXES[axis];
                let [low, high] = [at < from + reach, at > to - reach];
                low.then_some((i, shift + length)).into_iter().chain(high.then_some((i, shift - length)))
            };
            let new: Vec<_> = (0..self.places.len()).flat_map(|i| shifts(i, DVec3::ZERO)).collect();
            let again: Vec<_> = images[..known].iter().flat_map(|&(i, shift)| shifts(i, shift)).collect();
            images.extend(new.into_iter().chain(again));
        }
        let moved = images.iter().map(|&(i, shift)| self.places[i] + shift);
        let near = Near::of(self.places.iter().copied().chain(moved), reach);
        let mut listed = vec![Box::default(); self.mobile];
        let within = |i: usize| {
            let all = near.around(self.places[i]).map(|(number, _)| number);
            all.filter(|&number| number != i).map(|number| number as u32).collect()
        };
        let lists: Vec<Box<[u32]>> = awake.par_iter().map(|&i| within(i)).collect();
        awake.iter().zip(lists).for_each(|(&i, list)| listed[i] = list);
        Neighbourhood { near, count: self.places.len(), images, listed }
    }

    /// These particles and their neighbours, of those that may move.
    fn with_neighbours(&self, around: &Neighbourhood, some: &[usize]) -> Vec<usize> {
        // When it is most of them it is all of them: looking costs more.
        if 8 * some.len() > self.mobile {
            return (0..self.mobile).collect();
        }
        let mut is_met = vec![false; self.mobile];
        for &i in some {
            is_met[i] = true;
            around.of(self, i).filter(|(j, _)| *j < self.mobile).for_each(|(j, _)| is_met[j] = true);
        }
        (0..self.mobile).filter(|&i| is_met[i]).collect()
    }
}

impl Neighbourhood {
    /// The particles within the support of another, and the ways from them to it [m].
    fn of<'a>(&'a self, crowd: &'a Crowd<'_>, i: usize) -> impl Iterator<Item = (usize, DVec3)> + 'a {
        let place = crowd.places[i];
        let listed = &self.listed[i];
        let found = listed.is_empty().then(|| self.near.around(place).map(|(number, _)| number));
        let all = listed.iter().map(|&number| number as usize).chain(found.into_iter().flatten());
        all.filter_map(move |number| {
            let (j, shift) = if number < self.count { (number, DVec3::ZERO) } else { self.images[number - self.count] };
            let way = place - (crowd.places[j] + shift);
            (number != i && way.length_squared() < crowd.reach * crowd.reach).then_some((j, way))
        })
    }
}
