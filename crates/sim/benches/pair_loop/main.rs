//! Alternatives for the pair loop, measured in one run: `cargo bench -p thixo-sim`. `docs/pair-loop.md` has figures and
//! the decision.
//!
//! 100 000 particles with about 30 neighbours each, one thread. Times are the best of several, in nanoseconds per pair
//! (a particle and one of its neighbours); ratios to the loop of this crate are what counts.

#![allow(clippy::unwrap_used, reason = "nobody can go on when the world of a benchmark cannot be built")]

mod alternatives;
mod skins;

use std::hint::black_box;
use std::time::Instant;

use alternatives::{Flat, Stored};
use thixo_sim::dispatch::Compiled;
use thixo_sim::{KernelChoice, NewBody, Pairs, Real, Settings, Simulation, StepSize, Support, Vec3, Who, each, sum};

/// Particles along each axis.
const COUNTS: [usize; 3] = [50, 50, 40];

/// Distance between particles at rest [m].
const SPACING: Real = 0.02;

/// How often each alternative is measured.
const ROUNDS: usize = 15;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut simulation = block(Vec3::ZERO, StepSize::default());
        simulation.prepare().unwrap();
        let Compiled::Spline(set) = simulation.pairs().compiled() else {
            println!("this processor, or this build, has no AVX2: there is nothing to compare");
            return;
        };
        let flat = Flat::new(&simulation, set);
        let stored = Stored::new(&flat);
        compare_densities(&simulation, &flat, &stored);
        compare_forces(&simulation, &flat, &stored);
        skins::compare();
    });
}

/// A block of particles, a little out of order, that moves as a whole.
pub(crate) fn block(velocity: Vec3, step: StepSize) -> Simulation {
    let kernel = KernelChoice::CubicSpline(Support { support_over_spacing: Some(2.1) });
    let settings = Settings { spacing: SPACING, gravity: Vec3::ZERO, kernel, step, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![Default::default()]).unwrap();
    let mut state = 1_u32;
    let mut jitter = || {
        // A linear congruential generator; its high bits are random enough to shake a lattice.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) as Real / 16_777_216.0 - 0.5) * 0.1
    };
    let [nx, ny, nz] = COUNTS;
    let cells = (0..nx * ny * nz).map(|i| [i / (ny * nz), i / nz % ny, i % nz].map(|c| c as Real));
    let position = cells.map(|[x, y, z]| Vec3::new(x + jitter(), y + jitter(), z + jitter()) * SPACING).collect();
    simulation.add_body(NewBody { position, velocity: vec![velocity], ..NewBody::default() }).unwrap();
    simulation
}

/// Something to be measured: its name and what it does.
type Alternative<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// Runs the alternatives in turn, so that a busy moment of the machine hits all alike, and prints the best time of each;
/// the first is ours.
fn compare(title: &str, pairs: usize, mut alternatives: Vec<Alternative<'_>>) {
    let mut best = vec![f64::INFINITY; alternatives.len()];
    for _ in 0..ROUNDS {
        for ((_, work), best) in alternatives.iter_mut().zip(&mut best) {
            let start = Instant::now();
            work();
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / pairs as f64);
        }
    }
    println!("{title}:");
    for ((name, _), time) in alternatives.iter().zip(&best) {
        println!("  {name:44} {time:7.3} ns/pair  {:5.2} x ours", time / best[0]);
    }
}

fn compare_densities(simulation: &Simulation, flat: &Flat, stored: &Stored) {
    let pairs = simulation.pairs();
    let mut right = vec![0.0; flat.count()];
    densities(pairs, &mut right);
    let mut alternatives: Vec<Alternative<'_>> = Vec::new();
    let mut out = vec![0.0; flat.count()];
    alternatives.push(("ours: packed rows, transposed in registers", Box::new(move || densities(pairs, &mut out))));
    for (name, sum) in alternatives::SUMS {
        let mut out = vec![0.0; flat.count()];
        sum(flat, &mut out);
        let worst = out.iter().zip(&right).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, Real::max);
        assert!(worst < 1e-4, "{name} computes something else: {worst}");
        alternatives.push((name, Box::new(move || sum(flat, black_box(&mut out)))));
    }
    let mut out = vec![0.0; flat.count()];
    alternatives.push(("kernel values stored, 4 bytes per pair", Box::new(move || stored.density(flat, &mut out))));
    let neighbors = flat.pairs as f64 / flat.count() as f64;
    compare(&format!("density, {} particles, {neighbors:.1} neighbours each", flat.count()), flat.pairs, alternatives);
}

fn densities(pairs: &Pairs, out: &mut [Real]) {
    each!(pairs, Who::Matter, black_box(out), |_i, near, out| {
        *out = sum!(near, |j| j.volume() * j.w()) + near.self_term();
    });
}

/// The sum of a force: recomputed gradients against stored ones.
fn compare_forces(simulation: &Simulation, flat: &Flat, stored: &Stored) {
    let pairs = simulation.pairs();
    let column: Vec<Real> = (0..=flat.count()).map(|i| 1.0 + (i % 7) as Real * 0.1).collect();
    let column = &column;
    let (mut out, mut other) = (vec![Vec3::ZERO; flat.count()], vec![Vec3::ZERO; flat.count()]);
    let ours = Box::new(move || {
        each!(pairs, Who::Matter, black_box(&mut out), |i, near, out| {
            *out = sum!(near, |j| j.grad_w() * (j.volume() * (j.get(column) + column[i])));
        });
    });
    let theirs = Box::new(move || stored.force(flat, column, black_box(&mut other)));
    let alternatives: Vec<Alternative<'_>> =
        vec![("ours: gradients recomputed", ours), ("gradients stored, 12 bytes per pair", theirs)];
    compare("pressure force", flat.pairs, alternatives);
}
