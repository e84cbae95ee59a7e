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
        let Some(set) = simulation.pairs().avx2() else {
            println!("this processor, or this build, has no AVX2: there is nothing to compare");
            return;
        };
        let flat = alternatives::Flat::new(&simulation, set);
        let ours = compare_sums(&simulation, &flat);
        compare_forces(&simulation, &flat, ours);
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

/// Best time of several rounds, over the number of pairs [ns].
pub(crate) fn best(pairs: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e9 / pairs as f64
    });
    times.fold(f64::INFINITY, f64::min)
}

fn say(name: &str, time: f64, ours: f64) {
    println!("  {name:44} {time:7.3} ns/pair  {:5.2} x ours", time / ours);
}

fn compare_sums(simulation: &Simulation, flat: &alternatives::Flat) -> f64 {
    let (pairs, count) = (simulation.pairs(), flat.pairs);
    println!("density, {} particles, {:.1} neighbours each:", flat.count(), count as f64 / flat.count() as f64);
    let mut out = vec![0.0; flat.count()];
    let ours = best(count, || densities(pairs, black_box(&mut out)));
    let check = out.clone();
    say("ours: packed rows, transposed in registers", ours, ours);
    for (name, alternative) in alternatives::SUMS {
        let time = best(count, || alternative(flat, black_box(&mut out)));
        say(name, time, ours);
        let worst = out.iter().zip(&check).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, Real::max);
        assert!(worst < 1e-4, "{name} computes something else: {worst}");
    }
    ours
}

fn densities(pairs: &Pairs, out: &mut [Real]) {
    each!(pairs, Who::Movable, out, |_i, near, out| {
        *out = sum!(near, |j| j.volume() * j.w()) + near.self_term();
    });
}

/// The sum of a force: recomputed gradients against stored ones.
fn compare_forces(simulation: &Simulation, flat: &alternatives::Flat, density: f64) {
    let pairs = simulation.pairs();
    let column: Vec<Real> = (0..=flat.count()).map(|i| 1.0 + (i % 7) as Real * 0.1).collect();
    let mut out = vec![Vec3::ZERO; flat.count()];
    println!("pressure force:");
    let ours = best(flat.pairs, || {
        each!(pairs, Who::Movable, black_box(&mut out), |i, near, out| {
            *out = sum!(near, |j| j.grad_w() * (j.volume() * (j.get(&column) + column[i])));
        });
    });
    say("ours: gradients recomputed", ours, ours);
    let stored = alternatives::Stored::new(flat);
    let time = best(flat.pairs, || stored.force(flat, &column, black_box(&mut out)));
    say("gradients stored, 12 bytes per pair", time, ours);
    let mut sums = vec![0.0; flat.count()];
    println!("density:");
    let time = best(flat.pairs, || stored.density(flat, black_box(&mut sums)));
    say("values stored, 4 bytes per pair", time, density);
}
