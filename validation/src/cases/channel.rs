//! F6: flow between two plates, from rest (Morris 1997).
//!
//! With the gap L, kinematic viscosity ν and the speed V of the upper plate (Couette) or the driving acceleration F
//! (Poiseuille):
//!
//! ```text
//! v = V y/L + Σ_n 2V/(nπ) (−1)ⁿ sin(nπy/L) exp(−ν n²π² t/L²)                              n = 1, 2, ...
//! v = F/(2ν) y (L − y) − Σ_n 4F L²/(ν π³ n³) sin(nπy/L) exp(−ν n²π² t/L²)                 n odd
//! ```

use std::f64::consts::PI;

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

const GAP: f64 = 1e-3;
const VISCOSITY: f64 = 1e-6;
const PLATE_SPEED: f64 = 1.25e-5;
const DRIVING: f64 = 1e-4;
/// Moments at which the profile is measured [s].
const TIMES: [f64; 5] = [0.0225, 0.045, 0.1125, 0.225, 1.0];
const TERMS: i32 = 200;
const COUETTE: &str = include_str!("../../scenes/couette.toml");
const POISEUILLE: &str = include_str!("../../scenes/poiseuille.toml");

/// The upper plate moves.
pub(crate) fn couette(across: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    flow("Couette flow", COUETTE, "morris", across, slack, exact_couette)
}

/// The same, with friction that is solved for.
pub(crate) fn couette_solved(across: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    flow("Couette flow, solved for", COUETTE, "implicit", across, slack, exact_couette)
}

/// A force drives the water.
pub(crate) fn poiseuille(across: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    flow("Poiseuille flow", POISEUILLE, "morris", across, slack, exact_poiseuille)
}

/// The same, with friction that is solved for.
pub(crate) fn poiseuille_solved(across: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    flow("Poiseuille flow, solved for", POISEUILLE, "implicit", across, slack, exact_poiseuille)
}

fn flow(
    name: &str,
    text: &str,
    friction: &str,
    across: u32,
    slack: f64,
    exact: fn(f64, f64) -> f64,
) -> Result<Vec<Row>, CaseError> {
    let spacing = GAP / f64::from(across);
    // Twelve particles fill the period whatever the resolution; plates are as thick as fluid can see.
    let period = 12.0 * spacing;
    let mut overrides = vec![
        format!("world.spacing={spacing}"),
        format!("materials.water.fluid.viscosity={{ {friction} = {{ dynamic_viscosity = 0.001 }} }}"),
        format!("world.periodic.x=[0.0, {period}]"),
        format!("bodies.0.shape.box.max=[{period}, {GAP}, 0.0]"),
    ];
    if friction == "implicit" {
        // It is stable in longer steps, of first order: they must resolve the start.
        overrides.push("time.step.adaptive.longest=0.001".to_owned());
    }
    overrides.extend(match text.contains("lid") {
        true => vec![
            format!("walls.0.shape.box.min=[0.0, {}, 0.0]", -5.0 * spacing),
            format!("walls.0.shape.box.max=[{period}, 0.0, 0.0]"),
            format!("walls.1.shape.box.max=[{period}, {}, 0.0]", GAP + 5.0 * spacing),
        ],
        false => vec![format!("walls.0.shape.box.max=[{period}, {GAP}, 0.0]")],
    });
    let mut experiment = Experiment::new("F6", text, &overrides)?;
    let mut rows = Vec::new();
    let mut plot = Plot::new(name, "velocity [m/s]", "height [m]");
    for time in TIMES {
        experiment.run_to(time)?;
        let profile = Profile::of(&experiment);
        let row = profile.judge(time, slack * 0.02, exact).under(&experiment.conditions());
        rows.push(row);
        plot = plot.line(&format!("{time} s"), profile.curve());
    }
    let places = || (0..=20).map(|k| f64::from(k) / 20.0 * GAP);
    let reference = TIMES.iter().flat_map(|&t| places().map(move |y| (exact(y, t), y))).collect();
    rows[0].plot = Some(plot.dots("series", reference));
    Ok(rows)
}

/// Height [m] and velocity [m/s] of every particle.
struct Profile(Vec<(f64, f64)>);

impl Profile {
    fn of(experiment: &Experiment) -> Profile {
        let particles = experiment.simulation.particles();
        let movable = experiment.simulation.matter().len();
        let mut points: Vec<_> =
            (0..movable).map(|i| (f64::from(particles.position[i].y), f64::from(particles.velocity[i].x))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Profile(points)
    }

    /// The particle that is farthest from the series.
    fn judge(&self, time: f64, tolerance: f64, exact: fn(f64, f64) -> f64) -> Row {
        let off = |point: &&(f64, f64)| (point.1 - exact(point.0, time)).abs();
        let worst = self.0.iter().max_by(|a, b| off(a).total_cmp(&off(b))).copied().unwrap_or((0.0, f64::NAN));
        let reference = exact(worst.0, time);
        let error = (worst.1 - reference).abs() / PLATE_SPEED;
        let squares: f64 = self.0.iter().map(|point| (point.1 - exact(point.0, time)).powi(2)).sum();
        let rms = (squares / self.0.len().max(1) as f64).sqrt() / PLATE_SPEED;
        let quantity = format!("velocity at {time} s where it is farthest off, by the highest of all [m/s]");
        Row::new(&quantity, worst.1, reference, error, tolerance)
            .reporting("height by the gap", worst.0 / GAP)
            .reporting("rms error", rms)
    }

    fn curve(&self) -> Vec<(f64, f64)> {
        self.0.iter().map(|&(y, v)| (v, y)).collect()
    }
}

fn decay(n: f64, time: f64) -> f64 {
    (-VISCOSITY * (n * PI / GAP).powi(2) * time).exp()
}

fn exact_couette(y: f64, time: f64) -> f64 {
    let term = |n: i32| {
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        let n = f64::from(n);
        2.0 * PLATE_SPEED / (n * PI) * sign * (n * PI * y / GAP).sin() * decay(n, time)
    };
    PLATE_SPEED * y / GAP + (1..TERMS).map(term).sum::<f64>()
}

fn exact_poiseuille(y: f64, time: f64) -> f64 {
    let term =
        |n: f64| 4.0 * DRIVING * GAP * GAP / (VISCOSITY * (n * PI).powi(3)) * (n * PI * y / GAP).sin() * decay(n, time);
    let steady = DRIVING / (2.0 * VISCOSITY) * y * (GAP - y);
    steady - (1..TERMS).step_by(2).map(f64::from).map(term).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;

    /// Computed independently: time, Couette at 0.25, 0.5 and 0.75 of the gap, Poiseuille at 0.1, 0.25 and 0.5.
    #[test]
    fn series_are_those_computed_independently() {
        let rows = [
            (0.0225, [5.09e-9, 2.303e-7, 2.982e-6], [1.255e-6, 2.024e-6, 2.233e-6]),
            (0.1125, [1.318e-6, 3.628e-6, 7.474e-6], [3.187e-6, 6.370e-6, 8.250e-6]),
            (1.0, [3.125e-6, 6.25e-6, 9.375e-6], [4.500e-6, 9.374e-6, 1.250e-5]),
        ];
        for (time, couette, poiseuille) in rows {
            for (place, expected) in [0.25, 0.5, 0.75].into_iter().zip(couette) {
                let found = exact_couette(place * GAP, time);
                assert!((found / expected - 1.0).abs() < 1e-3, "{time} {place}: {found}");
            }
            for (place, expected) in [0.1, 0.25, 0.5].into_iter().zip(poiseuille) {
                let found = exact_poiseuille(place * GAP, time);
                assert!((found / expected - 1.0).abs() < 1e-3, "{time} {place}: {found}");
            }
        }
    }

    /// Twice the viscosity is the same flow at twice the time.
    #[test]
    fn a_fluid_twice_as_viscous_fails() {
        let heights = || (0..25).map(|k| (f64::from(k) + 0.5) / 25.0 * GAP);
        for exact in [exact_couette, exact_poiseuille] {
            let verdict = |factor: f64| {
                let profile = Profile(heights().map(|y| (y, exact(y, factor * 0.045))).collect());
                profile.judge(0.045, 0.02, exact).verdict
            };
            assert_eq!([1.0, 2.0].map(verdict), [Verdict::Pass, Verdict::Fail]);
        }
    }
}
