//! Individual steps: the same motion with fewer evaluations of forces.

use thixo_sim::measure::Totals;
use thixo_sim::{Artificial, Viscosity, Xsph};

use super::worlds::{splash, stiff_in_soft};
use super::{Recipe, Run, Stepper};

/// Runs a world to a time: evaluations of forces, smallest steps, and the places of particles by their numbers.
fn run<S: Stepper>(world: &Recipe, time: f64) -> (S, usize, u64, Vec<[f64; 3]>) {
    let mut simulation: S = world.make();
    let mut evaluations = 0;
    while simulation.time() < time {
        evaluations += simulation.step_until(time).unwrap().force_evaluations;
    }
    let particles = simulation.particles();
    let mut places: Vec<_> = simulation.view().matter.map(|i| (particles.id[i], particles.position[i])).collect();
    places.sort_unstable_by_key(|(id, _)| *id);
    let places = places.into_iter().map(|(_, x)| x.to_array().map(f64::from)).collect();
    let steps = simulation.steps();
    (simulation, evaluations, steps, places)
}

fn friction() -> [Viscosity; 2] {
    [Viscosity::Artificial(Artificial { alpha: 1.0, beta: 2.0 }), Viscosity::Xsph(Xsph { strength: 0.1 })]
}

pub(crate) fn individual_steps_lead_where_short_steps_of_all_do<S: Stepper>() {
    for viscosity in friction() {
        let [own, all] = [6, 0].map(|levels| run::<S>(&splash(levels, viscosity.clone()), 0.15));
        let squares = own.3.iter().zip(&all.3).map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>());
        let rms = (squares.sum::<f64>() / own.3.len() as f64).sqrt() / 0.05;
        let share = own.1 as f64 / all.1 as f64;
        println!("{viscosity:?}: rms {rms:.5} spacings, {share:.3} of the evaluations, {} and {} steps", own.2, all.2);
        assert!(rms < 0.02, "{viscosity:?}: {rms} spacings");
        // All particles of a splash are limited nearly alike: it is no dearer, which is all that can be asked.
        assert!(share < 1.05, "{viscosity:?}: {share}");
    }
}

/// Exactly where all have one step; otherwise to the order of the steps, which are but some thirty here.
pub(crate) fn individual_steps_conserve_momentum<S: Stepper>() {
    for viscosity in friction() {
        for (levels, allowed) in [(0, 1e-5 * S::ROUNDING), (6, 1e-3)] {
            let world = splash(levels, viscosity.clone());
            let before = world.make::<S>().measure(|world| Totals::of_motion(world, None));
            let after = run::<S>(&world, 0.15).0.measure(|world| Totals::of_motion(world, None));
            let change = (after.momentum - before.momentum).length() / before.momentum_scale;
            println!("{viscosity:?}, {levels} levels: momentum changes by {change:.2e}");
            assert!(change < allowed, "{viscosity:?}: {change}");
        }
    }
}

/// What is stiff is small: everybody else makes long steps.
pub(crate) fn a_block_on_soft_water_saves_evaluations<S: Stepper>() {
    let [own, all] = [6, 0].map(|levels| run::<S>(&stiff_in_soft(levels), 0.1));
    let share = own.1 as f64 / all.1 as f64;
    println!("{share:.3} of the evaluations, {} and {} steps", own.2, all.2);
    assert!(share < 0.5, "{share}");
    assert!(own.2 < 2 * all.2, "{} {}", own.2, all.2);
}
