//! F3: the wave of a dam break hits a wall.
//!
//! When the wave arrives is held against the experiment of Lobovsky et al. 2014. What it presses with afterwards is not: in
//! the plane and without friction the foot of the wall bears the head of the stream, ½ρu² + ρgh, which is 1.6 times what
//! the experiment shows, and other simulations of such water find it too. So pressures are held against another
//! simulation of the same set-up (De Courcy 2024, a different method), at both sensors, and the experiment stands beside it;
//! so does the head in shallow water (Ritter 1892), until the back wall of the column is felt there (t √(g/H) = 6), at the
//! distance x from the column:
//!
//! ```text
//! u = ⅔ (x/t + c),    g h = (2c − x/t)²/9,    c = √(gH)
//! ```

use crate::experiment::{CaseError, Experiment};
use crate::numerics::interpolate;
use crate::plot::Plot;
use crate::row::Row;

/// Height of the column [m].
const HEIGHT: f64 = 0.3;
const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;

/// Time t √(g/H) [-] and pressure by ρ g H [-], 3 mm above the floor, as digitised from the experiment.
const LOW: [(f64, f64); 14] = [
    (2.38, 0.00),
    (2.435, 1.97),
    (2.45, 2.84),
    (2.498, 2.04),
    (2.63, 1.73),
    (2.758, 1.34),
    (2.924, 1.06),
    (3.17, 0.83),
    (3.585, 0.69),
    (4.247, 0.56),
    (5.074, 0.57),
    (5.736, 0.62),
    (5.974, 0.91),
    (6.495, 0.79),
];

/// The same 30 mm above the floor.
const HIGH: [(f64, f64); 13] = [
    (2.46, 0.01),
    (2.538, 0.40),
    (2.564, 0.78),
    (2.599, 1.19),
    (2.671, 1.50),
    (2.774, 1.52),
    (2.937, 1.31),
    (3.086, 1.05),
    (3.193, 0.78),
    (3.445, 0.62),
    (3.858, 0.58),
    (4.95, 0.6),
    (5.95, 0.93),
];

/// What De Courcy et al. 2024 computed 3 mm above the floor, as digitised: the middle of a drawn line. Their first peak, which
/// lasts for a hundredth, is left out.
const LOW_COMPUTED: [(f64, f64); 27] = [
    (2.36, 0.0),
    (2.41, 2.50),
    (2.50, 2.30),
    (2.56, 2.13),
    (2.61, 2.01),
    (2.66, 1.90),
    (2.70, 1.82),
    (2.75, 1.72),
    (2.80, 1.61),
    (2.86, 1.50),
    (2.91, 1.41),
    (2.975, 1.32),
    (3.05, 1.24),
    (3.10, 1.21),
    (3.19, 1.155),
    (3.31, 1.12),
    (3.46, 1.093),
    (3.62, 1.06),
    (3.80, 1.03),
    (3.98, 1.004),
    (4.13, 0.981),
    (4.37, 0.95),
    (4.57, 0.918),
    (4.79, 0.888),
    (4.98, 0.861),
    (5.22, 0.829),
    (5.53, 0.797),
];

/// The same 30 mm above the floor.
const HIGH_COMPUTED: [(f64, f64); 23] = [
    (2.45, 0.0),
    (2.50, 0.25),
    (2.54, 0.67),
    (2.60, 1.01),
    (2.645, 1.14),
    (2.68, 1.20),
    (2.73, 1.232),
    (2.77, 1.23),
    (2.85, 1.145),
    (2.93, 1.065),
    (3.01, 1.0),
    (3.09, 0.945),
    (3.22, 0.90),
    (3.345, 0.88),
    (3.55, 0.867),
    (3.75, 0.854),
    (4.02, 0.835),
    (4.24, 0.815),
    (4.42, 0.80),
    (4.58, 0.783),
    (4.77, 0.767),
    (5.02, 0.735),
    (5.54, 0.686),
];

/// From the column to the wall [m].
const DISTANCE: f64 = 1.01;

/// When the wave arrives in the experiment [-].
const ARRIVAL: f64 = 2.43;
/// A pressure that only the wave brings [-].
const THRESHOLD: f64 = 0.5;
/// What a sensor does not resolve [s].
const RESPONSE: f64 = 0.001;

/// Times t √(g/H) between which pressures are averaged: while the wave runs up the wall, and while it stands there.
const IMPACT: (f64, f64) = (2.4, 4.0);
const AFTERWARDS: (f64, f64) = (3.5, 5.0);

/// A column so many particles high; tolerances are multiplied by `slack`.
pub(crate) fn impact(solver: &str, layers: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let overrides =
        [format!("world.spacing={}", HEIGHT / f64::from(layers)), format!("pressure={{ {solver} = {{}} }}")];
    let mut experiment = Experiment::new("F3", include_str!("../../scenes/dam_pressure.toml"), &overrides)?;
    let unit = (GRAVITY / HEIGHT).sqrt();
    let mut curves = [vec![(0.0, 0.0)], vec![(0.0, 0.0)]];
    experiment.run(|simulation, sample| {
        for (curve, pressure) in curves.iter_mut().zip(sample) {
            curve.push((simulation.time() * unit, pressure / (DENSITY * GRAVITY * HEIGHT)));
        }
    })?;
    let [low, high] = curves.map(|curve| smoothed(&curve, RESPONSE * unit));
    let first = low.iter().find(|(_, p)| *p > THRESHOLD);
    let (arrival, _) = first.ok_or(CaseError::Nothing("no wave came"))?;
    let peak = low.iter().map(|point| point.1).fold(0.0, f64::max);
    let conditions = experiment.conditions();
    let plot = Plot::new("Pressure 3 mm above the floor", "t sqrt(g/H) [-]", "p/(rho g H) [-]");
    let plot = plot.line("simulated", low.clone()).dots("Lobovsky et al. 2014", LOW.to_vec());
    let plot = plot.line("De Courcy et al. 2024", LOW_COMPUTED.to_vec());
    let mut rows = vec![
        Row::relative("arrival of the wave t sqrt(g/H) [-]", *arrival, ARRIVAL, slack * 0.04)
            .reporting("peak, p/(rho g H)", peak)
            .plotting(plot),
    ];
    for (height, curve, computed, measured) in
        [("3 mm", &low, &LOW_COMPUTED[..], &LOW[..]), ("30 mm", &high, &HIGH_COMPUTED[..], &HIGH[..])]
    {
        for (from, to) in [IMPACT, AFTERWARDS] {
            let quantity = format!("mean pressure {height} above the floor from {from} to {to} [-]");
            let row = Row::relative(&quantity, mean(curve, from, to), mean(computed, from, to), slack * 0.15);
            let row = row.reporting("measured by Lobovsky et al.", mean(measured, from, to));
            rows.push(row.reporting("head of a stream in shallow water", mean(&head(), from, to)));
        }
    }
    Ok(rows.into_iter().map(|row| row.under(&conditions)).collect())
}

/// The head of the stream at the wall by ρ g H, in shallow water without friction.
fn head() -> Vec<(f64, f64)> {
    let wave = (GRAVITY * HEIGHT).sqrt();
    let at = |time: f64| {
        let ray = DISTANCE / (time * (HEIGHT / GRAVITY).sqrt());
        let (speed, depth) = (2.0 / 3.0 * (ray + wave), (2.0 * wave - ray).powi(2) / (9.0 * GRAVITY));
        (time, (0.5 * speed * speed + GRAVITY * depth) / (GRAVITY * HEIGHT))
    };
    (0..=400).map(|k| at(2.0 + 0.01 * f64::from(k))).collect()
}

/// The mean of a curve between two times.
fn mean(curve: &[(f64, f64)], from: f64, to: f64) -> f64 {
    const SAMPLES: u32 = 1000;
    let at = |k: u32| interpolate(curve, from + (to - from) * (f64::from(k) + 0.5) / f64::from(SAMPLES));
    (0..SAMPLES).map(at).sum::<f64>() / f64::from(SAMPLES)
}

/// The curve as a sensor sees it that takes its time.
fn smoothed(curve: &[(f64, f64)], response: f64) -> Vec<(f64, f64)> {
    let half = 0.5 * response;
    let around = |t: f64| {
        let near: Vec<_> = curve.iter().filter(|point| (point.0 - t).abs() <= half).collect();
        near.iter().map(|point| point.1).sum::<f64>() / near.len() as f64
    };
    curve.iter().map(|&(t, _)| (t, around(t))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the ray that moves with the waves, u = 4c/3 and h = H/9.
    #[test]
    fn the_head_is_that_worked_by_hand() {
        let time = DISTANCE / HEIGHT;
        let found = interpolate(&head(), time);
        assert!((found - (8.0 / 9.0 + 1.0 / 9.0)).abs() < 1e-4, "{found}");
    }

    #[test]
    fn means_are_those_of_straight_lines() {
        let curve = [(0.0, 0.0), (2.0, 4.0)];
        assert!((mean(&curve, 0.0, 1.0) - 1.0).abs() < 1e-9);
        assert!((smoothed(&[(0.0, 1.0), (0.1, 3.0), (1.0, 5.0)], 0.3)[0].1 - 2.0).abs() < 1e-12);
    }
}
