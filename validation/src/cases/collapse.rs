//! F12: a column collapses, and keeps its volume.

use thixo_sim::Simulation;

use crate::experiment::{CaseError, Experiment};
use crate::row::Row;

/// From here on the tank settles [s].
const SETTLING: f64 = 3.5;
/// Fewer than this share of their neighbours mark a free surface, where densities are not those of the fluid.
const LEAST_INTERIOR: f64 = 0.95;

/// How a solver bounds its error.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    /// Of the worst particle: three times the bound must never be passed.
    Worst,
    /// Of the mean over particles.
    Mean,
}

/// The collapse with a solver's name and bound.
pub(crate) fn volume(solver: &str, density_error: f64, bound: Bound) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("pressure={{ {solver} = {{ density_error = {density_error} }} }}")];
    let mut experiment = Experiment::new("F12", include_str!("../../scenes/collapse.toml"), &overrides)?;
    let end = experiment.scene.time.end;
    let (mut mean, mut worst, mut worst_mean, mut iterations) = (0.0, 0.0_f64, 0.0_f64, 0.0);
    let (mut volume, mut samples) = (0.0, 0.0);
    while experiment.simulation.time() < end {
        let report = experiment.simulation.step_until(end)?;
        mean += report.density_error;
        worst = worst.max(report.worst_density_error);
        worst_mean = worst_mean.max(report.density_error);
        iterations += f64::from(report.iterations);
        if experiment.simulation.time() > SETTLING {
            volume += relative_volume(&experiment.simulation);
            samples += 1.0;
        }
    }
    let steps = experiment.simulation.steps() as f64;
    let conditions = experiment.conditions();
    let bounded = match bound {
        Bound::Worst => Row::at_most("density error of the worst particle in any step [-]", worst, 3.0 * density_error)
            .reporting("mean over particles, worst step", worst_mean),
        Bound::Mean => Row::at_most("mean density error, worst step [-]", worst_mean, density_error)
            .reporting("worst particle in any step", worst),
    };
    let rows = [
        bounded.reporting("iterations per step", iterations / steps),
        Row::at_most("mean density error over the run [-]", mean / steps, density_error),
        Row::relative("volume at rest by that of the start [-]", volume / samples, 1.0, 0.005),
    ];
    Ok(rows.map(|row| row.under(&conditions)).into())
}

/// Σ V0/φ by Σ V0 of the particles that have all their neighbours.
fn relative_volume(simulation: &Simulation) -> f64 {
    let particles = simulation.particles();
    let inner = simulation.matter().map(|i| (f64::from(particles.rest_volume[i]), f64::from(particles.compression(i))));
    let (now, start) = inner
        .filter(|(_, phi)| *phi > LEAST_INTERIOR)
        .fold((0.0, 0.0), |(now, start), (v, phi)| (now + v / phi, start + v));
    now / start
}

/// PCISPH from no pressure: the error after each iteration of a step that hits the floor (Sol09 Fig. 3.3b).
pub(crate) fn convergence() -> Result<Vec<Row>, CaseError> {
    let error_after = |iterations: u32| -> Result<(f64, Experiment), CaseError> {
        let solver = format!(
            "pressure={{ pcisph = {{ density_error = 1e-6, warm_start = 0.0, min_iterations = {iterations}, \
             max_iterations = {iterations} }} }}"
        );
        let overrides = [solver, "time.step={ fixed = 0.002 }".to_owned()];
        let mut experiment = Experiment::new("F12", include_str!("../../scenes/collapse.toml"), &overrides)?;
        let report = experiment.simulation.step()?;
        Ok((report.predicted_error, experiment))
    };
    // What the first pressures leave: one prediction without any, one with them.
    let (none, _) = error_after(1)?;
    let (one, experiment) = error_after(2)?;
    let row = Row::absolute("error after the first iteration by that before [-]", one / none, 0.5, 0.25);
    Ok(vec![row.under(&experiment.conditions())])
}
