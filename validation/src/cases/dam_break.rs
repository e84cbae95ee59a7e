//! F2: the foot of a collapsing column, against the experiment of Martin & Moyce 1952 (their Fig. 3, n² = 2).

use crate::experiment::{CaseError, Experiment};
use crate::numerics::interpolate;
use crate::plot::Plot;
use crate::row::Row;

/// Width of the column [m].
const WIDTH: f64 = 0.05715;

/// Time t √(2g/a) [-] and position of the front x/a [-], as digitised from the experiment.
const EXPERIMENT: [(f64, f64); 10] = [
    (0.832, 1.217),
    (1.219, 1.474),
    (1.997, 2.292),
    (2.547, 2.995),
    (3.345, 4.134),
    (4.034, 4.944),
    (4.418, 5.881),
    (5.091, 6.980),
    (5.685, 7.945),
    (6.306, 8.966),
];

/// The gate of the experiment opens in no definite moment: curves may be shifted by so much [-].
const LARGEST_SHIFT: f64 = 0.25;

/// A column `across` particles wide.
pub(crate) fn martin_moyce(solver: &str, across: u32) -> Result<Vec<Row>, CaseError> {
    let spacing = WIDTH / f64::from(across);
    let overrides = [format!("world.spacing={spacing}"), format!("pressure={{ {solver} = {{}} }}")];
    let mut experiment = Experiment::new("F2", include_str!("../../scenes/dam_break.toml"), &overrides)?;
    let unit = (2.0 * 9.81 / WIDTH).sqrt();
    let mut front = vec![(0.0, 1.0)];
    experiment.run(|simulation, sample| front.push((simulation.time() * unit, sample[0] / WIDTH)))?;

    let shifts = (-50..=50).map(|k| f64::from(k) * LARGEST_SHIFT / 50.0);
    let shift = shifts.min_by(|a, b| deviation(&front, *a).total_cmp(&deviation(&front, *b))).unwrap_or(0.0);
    let lead = EXPERIMENT.iter().map(|&(t, z)| interpolate(&front, t) / z - 1.0).sum::<f64>() / EXPERIMENT.len() as f64;
    let end = EXPERIMENT[EXPERIMENT.len() - 1];
    let conditions = experiment.conditions();
    let plot = Plot::new("Front of the dam break", "t sqrt(2g/a) [-]", "x/a [-]");
    let plot = plot.line("simulated", front.clone()).dots("Martin & Moyce 1952", EXPERIMENT.to_vec());
    let rows = [
        Row::at_most("front x/a against the experiment, relative rms [-]", deviation(&front, shift), 0.08)
            .reporting("time shift", shift)
            .reporting("rms without shift", deviation(&front, 0.0))
            .reporting("front at the last point", interpolate(&front, end.0))
            .plotting(plot),
        // Water that rubs on no bed runs ahead of the experiment; behind would be wrong.
        Row::new("mean lead of the front [-]", lead, 0.0, (-lead).max(0.0), 0.0),
    ];
    Ok(rows.map(|row| row.under(&conditions)).into())
}

/// Relative rms of the simulated front against the experiment, its time shifted.
fn deviation(front: &[(f64, f64)], shift: f64) -> f64 {
    let squares = EXPERIMENT.iter().map(|&(t, z)| (interpolate(front, t + shift) / z - 1.0).powi(2));
    (squares.sum::<f64>() / EXPERIMENT.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_experiment_does_not_deviate_from_itself() {
        assert!(deviation(&EXPERIMENT, 0.0) < 1e-12);
        let late: Vec<_> = EXPERIMENT.iter().map(|&(t, z)| (t, 1.1 * z)).collect();
        assert!((deviation(&late, 0.0) - 0.1).abs() < 1e-12);
    }
}
