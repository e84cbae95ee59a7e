//! F6: fluids so thick that their friction is solved for: gel between plates, honey at the step of water.
//!
//! A gel with the yield stress τ_y, consistency k and exponent n that a force drives with F per mass between plates 2 h apart has, at
//! the distance s from the middle, the stress ρ F s. It is stiff where that is below τ_y, s < s_0 = τ_y/(ρ F), and flows beyond:
//!
//! ```text
//! v = n/(n + 1) (ρ F/k)^(1/n) ((h − s_0)^((n+1)/n) − max(0, s − s_0)^((n+1)/n))
//! ```
//!
//! A column of honey is compared with itself in steps so much shorter that their length no longer matters.

use thixo_sim::Simulation;

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

const HALF_GAP: f64 = 0.01;
const DRIVING: f64 = 2.0;
const DENSITY: f64 = 1000.0;
const YIELD_STRESS: f64 = 5.0;
const CONSISTENCY: f64 = 2.0;
const FLOW_INDEX: f64 = 0.5;

/// [m/s], at a height above the lower plate [m].
fn exact(y: f64) -> f64 {
    let (power, plug) = ((FLOW_INDEX + 1.0) / FLOW_INDEX, YIELD_STRESS / (DENSITY * DRIVING));
    let beyond = ((y - HALF_GAP).abs() - plug).max(0.0);
    let scale = FLOW_INDEX / (FLOW_INDEX + 1.0) * (DENSITY * DRIVING / CONSISTENCY).powf(1.0 / FLOW_INDEX);
    scale * ((HALF_GAP - plug).powf(power) - beyond.powf(power))
}

/// Gel between plates, so many particles across.
pub(crate) fn gel(across: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let spacing = 2.0 * HALF_GAP / f64::from(across);
    let period = 12.0 * spacing;
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("world.periodic.x=[0.0, {period}]"),
        format!("bodies.0.shape.box.max=[{period}, {}, 0.0]", 2.0 * HALF_GAP),
        format!("walls.0.shape.box.max=[{period}, {}, 0.0]", 2.0 * HALF_GAP),
    ];
    let mut experiment = Experiment::new("F6", include_str!("../../scenes/gel_channel.toml"), &overrides)?;
    experiment.run_to(experiment.scene.time.end)?;
    let particles = experiment.simulation.particles();
    let mut profile: Vec<_> = experiment
        .simulation
        .matter()
        .map(|i| (f64::from(particles.position[i].y), f64::from(particles.velocity[i].x)))
        .collect();
    profile.sort_by(|a, b| a.0.total_cmp(&b.0));
    let off = |point: &&(f64, f64)| (point.1 - exact(point.0)).abs();
    let worst = profile.iter().max_by(|a, b| off(a).total_cmp(&off(b))).copied().unwrap_or((0.0, f64::NAN));
    let highest = exact(HALF_GAP);
    let places = (0..=40).map(|k| f64::from(k) / 20.0 * HALF_GAP);
    let plot = Plot::new("A gel between plates", "velocity [m/s]", "height [m]")
        .line("simulated", profile.iter().map(|&(y, v)| (v, y)).collect())
        .dots("theory", places.map(|y| (exact(y), y)).collect());
    let middle = profile.iter().min_by(|a, b| (a.0 - HALF_GAP).abs().total_cmp(&(b.0 - HALF_GAP).abs()));
    let quantity = "velocity where it is farthest off, by that of the plug [m/s]";
    let error = (worst.1 - exact(worst.0)).abs() / highest;
    Ok(vec![
        Row::new(quantity, worst.1, exact(worst.0), error, tolerance)
            .under(&experiment.conditions())
            .reporting("height by the gap", worst.0 / (2.0 * HALF_GAP))
            .reporting("speed of the plug by theory", middle.map_or(f64::NAN, |middle| middle.1 / highest))
            .plotting(plot),
    ])
}

/// By how much the top of the column comes down, and what it takes.
fn sag(viscosity: f64, spacing: f64, step: Option<f64>) -> Result<(f64, f64, Experiment), CaseError> {
    let mut overrides = vec![
        format!("world.spacing={spacing}"),
        format!("materials.honey.fluid.viscosity.implicit.dynamic_viscosity={viscosity}"),
    ];
    overrides.extend(step.map(|step| format!("time.step.fixed={step}")));
    let mut experiment = Experiment::new("F6", include_str!("../../scenes/honey_column.toml"), &overrides)?;
    let top = |simulation: &Simulation| {
        let particles = simulation.particles();
        simulation.matter().map(|i| f64::from(particles.position[i].y)).fold(0.0, f64::max)
    };
    let (before, end) = (top(&experiment.simulation), experiment.scene.time.end);
    let mut iterations = 0;
    while experiment.simulation.time() < end {
        iterations += experiment.simulation.step_until(end)?.viscous_iterations;
    }
    let mean = f64::from(iterations) / experiment.simulation.steps() as f64;
    Ok((before - top(&experiment.simulation), mean, experiment))
}

/// A column of honey at the step of water, beside itself in steps so many times shorter.
pub(crate) fn column(viscosity: f64, spacing: f64, shorter: f64) -> Result<Vec<Row>, CaseError> {
    let (found, iterations, experiment) = sag(viscosity, spacing, None)?;
    let conditions = experiment.conditions();
    let (expected, _, _) = sag(viscosity, spacing, Some(conditions.dt / shorter))?;
    let quantity = format!("sag of a column of {viscosity} Pa s, by that in steps {shorter} times shorter [m]");
    Ok(vec![
        Row::relative(&quantity, found, expected, 0.05)
            .under(&conditions)
            .reporting("iterations of friction", iterations)
            .reporting("sag by the height", found / 0.2),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The profile satisfies its equation: k |dv/dy|ⁿ + τ_y = ρ F s where it flows, and sticks to the plates.
    #[test]
    fn stress_balances_the_drive() {
        assert!(exact(0.0).abs() < 1e-12 && exact(2.0 * HALF_GAP).abs() < 1e-12);
        for y in [0.001, 0.003, 0.005] {
            let rate = (exact(y + 1e-6) - exact(y - 1e-6)) / 2e-6;
            let stress = YIELD_STRESS + CONSISTENCY * rate.powf(FLOW_INDEX);
            assert!((stress / (DENSITY * DRIVING * (HALF_GAP - y)) - 1.0).abs() < 1e-3, "{y}: {stress}");
        }
        assert_eq!(exact(HALF_GAP), exact(HALF_GAP + 0.002));
    }
}
