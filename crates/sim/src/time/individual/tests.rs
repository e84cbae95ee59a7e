//! The rule of kicks and drifts; whom a fast particle wakes; and a drop whose parts have different steps.

use super::*;
use crate::pressure::{Iisph, Pressure, Wcsph};
use crate::real::Dimension;
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::stages::Stage;
use crate::time::StepSize;
use crate::world::{Material, NewBody, Rigid};

const SPACING: Real = 0.1;

/// A world of particles of a fluid of such a speed of sound, in the plane and without gravity.
fn world(position: Vec<Vec3>, velocity: Vec<Vec3>, sound_speed: Real, levels: u32) -> Simulation {
    let settings = Settings {
        spacing: SPACING,
        gravity: Vec3::ZERO,
        dimension: Dimension::Two,
        pressure: Pressure::Wcsph(Wcsph { stiffness: Some(sound_speed * sound_speed), ..Wcsph::default() }),
        step: StepSize::Individual(Individual { longest: 1.0, levels, ..Individual::default() }),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(settings, vec![Material::default()]).unwrap();
    simulation.add_body(NewBody { name: "fluid".into(), position, velocity, ..NewBody::default() }).unwrap();
    simulation.prepare().unwrap();
    simulation
}

/// The error of an oscillation x'' = −x after a time, of place and velocity, with a particle that is due every `steps` small steps in
/// turn; there are 64 times `refinement` small steps.
fn error_of_oscillation(due_every: [usize; 2], refinement: usize) -> f64 {
    let mut simulation = world(vec![Vec3::new(1.0, 0.0, 0.0)], vec![Vec3::ZERO], 1.0, 6);
    let small = 2.0 / (64.0 * refinement as Real);
    let steps = simulation.models.steps.take().unwrap();
    let Simulation { world, pairs, .. } = &mut simulation;
    let (mut left, mut last) = (0, Vec3::ZERO);
    for k in 0..64 * refinement {
        let is_due = left == 0;
        if is_due {
            // Other steps in the second part, which begins in the middle of one of the first.
            left = due_every[usize::from(k >= 23 * refinement)];
            last = -world.particles.position[0] - world.particles.remainder[0];
        }
        left -= 1;
        *pairs.due_mut() = vec![is_due];
        steps.advance(world, pairs, &[last], small);
    }
    // At its end it is due: the last step is one as every other.
    let particles = &world.particles;
    let (x, age) = (f64::from(particles.position[0].x), f64::from(particles.own[AGE].values[0]));
    let v = f64::from(particles.velocity[0].x) + 0.5 * age * (-x - f64::from(last.x));
    (x - 2f64.cos()).hypot(v + 2f64.sin())
}

/// DG96 as it is printed: forces in the middle of steps, Eq. 9 with the new step where steps change, and positions corrected there, or not.
fn error_as_printed(corrected: bool, refinement: usize) -> f64 {
    let small = 2.0 / (64.0 * refinement as f64);
    let [long, short] = [4.0 * small, small];
    // x at 0, v half a step before.
    let (mut x, mut v) = (1.0, (0.5 * long).sin());
    let (mut time, mut last) = (0.0, long);
    while time < 2.0 - 0.5 * small {
        let step = if time < 1.0 { long } else { short };
        if step != last && corrected {
            x += (step * step - last * last) / 8.0 * -x;
        }
        last = step;
        v -= step * x;
        x += step * v;
        time += step;
    }
    (x - time.cos()).abs()
}

/// Slope of errors over refinements by 2.
fn slope(errors: &[f64]) -> f64 {
    (errors[0] / errors[errors.len() - 1]).log2() / (errors.len() - 1) as f64
}

#[test]
fn steps_that_change_are_of_second_order() {
    for due_every in [[4, 1], [1, 4], [8, 2], [3, 3]] {
        let errors: Vec<_> = [1, 2, 4, 8].map(|refinement| error_of_oscillation(due_every, refinement)).to_vec();
        println!("{due_every:?}: {errors:?}");
        assert!((slope(&errors[..3]) - 2.0).abs() < 0.2, "{due_every:?}: {errors:?}");
    }
}

#[test]
fn as_printed_a_change_of_steps_is_of_first_order() {
    for corrected in [false, true] {
        let errors: Vec<_> = [1, 2, 4, 8].map(|refinement| error_as_printed(corrected, refinement)).to_vec();
        println!("{errors:?}");
        assert!((slope(&errors) - 1.0).abs() < 0.15, "{errors:?}");
    }
}

#[test]
fn who_is_beside_a_fast_particle_has_a_step_as_short_and_levels_fall_off_by_two() {
    // A row at rest, and a particle that flies at its first.
    let mut position: Vec<_> = (0..24).map(|k| Vec3::new(k as Real * 2.5 * SPACING, 0.0, 0.0)).collect();
    position.insert(0, Vec3::new(-2.5 * SPACING, 0.0, 0.0));
    let mut velocity = vec![Vec3::ZERO; 25];
    velocity[0].x = 200.0;
    let mut simulation = world(position, velocity, 1.0, 10);
    let report = simulation.step().unwrap();
    assert_eq!(report.force_evaluations, 25);
    let particles = simulation.particles();
    let mut levels: Vec<_> = (0..25).map(|i| (particles.id[i], particles.own[LEVEL].values[i] as u32)).collect();
    levels.sort_unstable();
    let levels: Vec<_> = levels.into_iter().map(|(_, level)| level).collect();
    // 201 times as short: between 2^7 and 2^8.
    assert!((7..=8).contains(&levels[0]) && levels[1] == levels[0], "{levels:?}");
    for pair in levels[1..].windows(2) {
        assert_eq!(pair[1], pair[0].saturating_sub(2), "{levels:?}");
    }
    let next = simulation.step().unwrap();
    assert!(next.force_evaluations <= 2, "{}", next.force_evaluations);
}

#[test]
fn a_step_that_fails_leaves_no_trace_and_is_tried_at_half_its_length() {
    let position: Vec<_> = (0..40).map(|k| Vec3::new((k % 8) as Real, (k / 8) as Real, 0.0) * SPACING).collect();
    let velocity: Vec<_> = position.iter().map(|x| Vec3::new(x.y * 20.0, 0.0, 0.0)).collect();
    let make = || {
        let mut simulation = world(position.clone(), velocity.clone(), 3.0, 6);
        for _ in 0..21 {
            simulation.step().unwrap();
        }
        assert!(!simulation.world().memory.schedule.is_open(), "in the middle of a macro step");
        simulation
    };
    let (mut smooth, mut faulty) = (make(), make());
    let length = smooth.step().unwrap().dt;
    for stage in [Stage::Accelerate, Stage::Reconsider, Stage::Move, Stage::Look] {
        let before = faulty.snapshot();
        (faulty.fault.after, faulty.fault.times) = (Some(stage), u32::MAX);
        assert!(faulty.step().is_err());
        assert!(faulty.snapshot() == before, "{stage:?}");
    }
    faulty.fault.times = 1;
    let report = faulty.step().unwrap();
    assert_eq!(report.tries, 2);
    assert!((report.dt / length - 0.5).abs() < 1e-3, "{} {length}", report.dt);
}

#[test]
fn what_moves_in_one_step_for_all_is_refused() {
    let settings = Settings { step: StepSize::Individual(Individual::default()), ..Settings::default() };
    let refused = |settings: &Settings, material: Material| {
        Simulation::new(settings.clone(), vec![material]).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let solved = Settings { pressure: Pressure::Iisph(Iisph::default()), ..settings.clone() };
    assert!(refused(&solved, Material::default()).contains("individual steps"));
    let rigid = Material { rigid: Some(Rigid::default()), ..Material::default() };
    assert!(refused(&settings, rigid).contains("rigid bodies"));
    assert_eq!(refused(&settings, Material::default()), "");
}
