//! The same bits whatever implements the step, and no step that is not finite.

use thixo_sim::StepSize;

use super::bits::assert_same_bits;
use super::worlds::{Tank, dam, dam_with, incompressible, jellies, stiff_in_soft};
use super::{Recipe, Run, Stepper};

/// Two implementations go the same way, bit for bit.
pub(crate) fn the_same_bits<A: Stepper, B: Stepper>() {
    agree::<A, B>(&dam());
}

pub(crate) fn the_same_bits_of_elastic_bodies<A: Stepper, B: Stepper>() {
    agree::<A, B>(&jellies());
}

pub(crate) fn the_same_bits_in_individual_steps<A: Stepper, B: Stepper>() {
    agree::<A, B>(&stiff_in_soft(6));
}

fn agree<A: Stepper, B: Stepper>(world: &Recipe) {
    let (mut a, mut b): (A, B) = (world.make(), world.make());
    a.advance(0.3).unwrap();
    b.advance(0.3).unwrap();
    assert!(a.steps() > 110, "long enough to be sorted anew");
    assert_same_bits(a.view(), b.view(), "after 0.3 s");
}

pub(crate) fn the_same_bits_to_solvers_that_iterate<A: Stepper, B: Stepper>() {
    for pressure in incompressible() {
        let world = dam_with(pressure.clone());
        let (mut a, mut b): (A, B) = (world.make(), world.make());
        for _ in 0..30 {
            assert!(a.step().unwrap().iterations > 0);
            b.step().unwrap();
        }
        assert_same_bits(a.view(), b.view(), &format!("{pressure:?}"));
    }
}

pub(crate) fn a_diverging_step_is_taken_back_and_retried_smaller<S: Stepper>() {
    // 30 times the stable step: the impact cannot be computed with it.
    let mut simulation: S = Tank { step: StepSize::Fixed(0.02), ..Tank::default() }.make();
    let mut retried = false;
    for _ in 0..400 {
        match simulation.step() {
            Ok(report) => retried |= report.tries > 1,
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.contains("water") && message.contains("wcsph") && message.contains("time.step"),
                    "{message}"
                );
                break;
            }
        }
        let particles = simulation.particles();
        assert!(particles.position.iter().chain(&particles.velocity).all(|v| v.is_finite()));
        assert!(particles.pressure.iter().all(|p| p.is_finite()));
    }
    assert!(retried);
}
