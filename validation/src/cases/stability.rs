//! D1, D3, D4: how exact steps are, how long they may be, and that implicit ones may be longer.

use glam::DVec3;
use thixo_sim::measure::Totals;
use thixo_sim::{Adaptive, Dimension, Elastic, Implicit, PRECISION, Real, Simulation, StepSize, Vec3};

use crate::experiment::{CaseError, Conditions};
use crate::numerics::fitted_slope;
use crate::row::Row;
use crate::solid::{Solid, block, model, wide};

const SPACING: f64 = 0.1;
const YOUNG: f64 = 1.0e6;

/// A small block, bent a little.
fn bent(name: &str, step: f64, size: f64) -> Result<Simulation, CaseError> {
    let rest = block([5, 4, 4], SPACING, 0.1);
    let mut solid = Solid::new(model(name, YOUNG, 0.3), Dimension::Three, SPACING, rest);
    solid.settings.step = StepSize::Fixed(step as Real);
    solid.deformed(|x| x + size * DVec3::new(x.y * x.y, x.x * x.z, -x.x * x.x))
}

/// The longest step that the program would make by itself with this model, over its safety: 2/ω.
fn predicted(name: &str) -> Result<f64, CaseError> {
    let rest = block([5, 4, 4], SPACING, 0.1);
    let mut solid = Solid::new(model(name, YOUNG, 0.3), Dimension::Three, SPACING, rest);
    solid.settings.step = StepSize::Adaptive(Adaptive { cfl: 1.0, longest: 1.0, ..Adaptive::default() });
    let mut simulation = solid.deformed(|x| x)?;
    // The share of the limit that is used.
    Ok(f64::from(simulation.step()?.dt) / 0.6)
}

/// D1: with half the step, a quarter of the error, of places and velocities.
pub(crate) fn order() -> Result<Vec<Row>, CaseError> {
    let name = "st_venant_kirchhoff";
    let longest = 0.5 * predicted(name)?;
    let time = 32.0 * longest;
    let end = |halvings: u32| {
        let mut simulation = bent(name, longest / f64::from(1 << halvings), 0.3)?;
        for _ in 0..32 << halvings {
            simulation.step()?;
        }
        let particles = simulation.particles();
        let states = (0..particles.len()).map(|i| (wide(particles.position[i]), wide(particles.velocity[i])));
        Ok::<_, CaseError>((states.collect::<Vec<_>>(), Conditions::of(&simulation)))
    };
    // Rounding ends what single precision can tell.
    let (halvings, finest, tolerance) = if PRECISION == "f32" { (3, 4, 0.3) } else { (5, 7, 0.1) };
    let (reference, conditions) = end(finest)?;
    let mut errors = [Vec::new(), Vec::new()];
    for k in 0..halvings {
        let (states, _) = end(k)?;
        let rms = |difference: &dyn Fn(usize) -> f64| {
            ((0..states.len()).map(|i| difference(i).powi(2)).sum::<f64>() / states.len() as f64).sqrt()
        };
        let step = f64::from(1 << k).recip();
        errors[0].push((step.ln(), rms(&|i| (states[i].0 - reference[i].0).length()).ln()));
        errors[1].push((step.ln(), rms(&|i| (states[i].1 - reference[i].1).length()).ln()));
    }
    let rows = ["order of places [-]", "order of velocities [-]"].into_iter().zip(&errors).map(|(quantity, errors)| {
        Row::absolute(quantity, fitted_slope(errors), 2.0, tolerance)
            .under(&conditions)
            .reporting("simulated time [s]", time)
    });
    Ok(rows.collect())
}

/// D3: the longest step that does not explode, by the one predicted.
pub(crate) fn longest(name: &str) -> Result<Vec<Row>, CaseError> {
    let limit = predicted(name)?;
    let mut conditions = Conditions::default();
    let mut explodes = |share: f64| {
        let mut simulation = bent(name, share * limit, 0.003)?;
        let start = Totals::of(&simulation, None).energy();
        for _ in 0..300 {
            match simulation.step() {
                // A step that was taken back has exploded.
                Ok(report) if report.tries > 1 => return Ok(true),
                Ok(_) => {}
                Err(_) => return Ok::<_, CaseError>(true),
            }
        }
        conditions = Conditions::of(&simulation);
        Ok(Totals::of(&simulation, None).energy() > 100.0 * start)
    };
    let (mut low, mut high) = (0.5, 2.0);
    for _ in 0..6 {
        let middle = 0.5 * (low + high);
        if explodes(middle)? { high = middle } else { low = middle }
    }
    // Between 0.8 and 1.5.
    let row = Row::absolute("longest stable step by the one predicted [-]", low, 1.15, 0.35);
    Ok(vec![
        row.under(&conditions)
            .reporting("predicted, by d/c", limit * f64::from(model(name, YOUNG, 0.3).sound_speed(1000.0)) / SPACING),
    ])
}

/// D4: a blob with a head and ears sags under its weight, in steps twenty times those of an explicit model.
pub(crate) fn blob() -> Result<Vec<Row>, CaseError> {
    let (spacing, young) = (0.05, 1.0e6);
    let balls = [
        (DVec3::ZERO, 0.3),
        (DVec3::new(0.25, 0.3, 0.0), 0.18),
        (DVec3::new(0.25, 0.52, 0.1), 0.08),
        (DVec3::new(0.25, 0.52, -0.1), 0.08),
    ];
    let rest: Vec<_> = block([20, 24, 16], spacing, 0.0)
        .into_iter()
        .map(|x| x + DVec3::Y * 0.15)
        .filter(|x| balls.iter().any(|(centre, radius)| x.distance(*centre) < *radius))
        .collect();
    let explicit = {
        let mut solid = Solid::new(model("st_venant_kirchhoff", young, 0.3), Dimension::Three, spacing, rest.clone());
        solid.settings.step = StepSize::Adaptive(Adaptive { cfl: 1.0, longest: 1.0, ..Adaptive::default() });
        f64::from(solid.deformed(|x| x)?.step()?.dt) / 0.6
    };
    let settle = |step: f64| {
        let elastic =
            Elastic::Implicit(Implicit { young_modulus: Some(young as Real), damping: 0.1, ..Implicit::default() });
        let mut solid = Solid::new(elastic, Dimension::Three, spacing, rest.clone()).clamped(|x| x.y < -0.2);
        solid.settings.gravity = Vec3::new(0.0, -9.81, 0.0);
        solid.settings.step = StepSize::Fixed(step as Real);
        let mut simulation = solid.deformed(|x| x)?;
        simulation.advance(2.0)?;
        let particles = simulation.particles();
        let moved = (0..particles.len()).map(|i| wide(particles.position[i] - particles.anchor[i])).collect::<Vec<_>>();
        Ok::<_, CaseError>((moved, Conditions::of(&simulation)))
    };
    let (long, conditions) = settle(20.0 * explicit)?;
    let (short, _) = settle(5.0 * explicit)?;
    let most = short.iter().map(|u| u.length()).fold(0.0, f64::max);
    let apart = long.iter().zip(&short).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    let row = Row::at_most("difference of settled shapes by their displacement [-]", apart / most, 0.05);
    Ok(vec![row.under(&conditions).reporting("displacement [m]", most).reporting("step by the explicit limit", 20.0)])
}
