//! F9: a patch of water that is stretched by its own motion stays an ellipse (Monaghan 1994).
//!
//! Semi-axes a (shrinking) and 1/a of the incompressible patch follow
//!
//! ```text
//! A' = A² (a⁴ − 1)/(a⁴ + 1),   a' = −a A,   a(0) = 1 m, A(0) = 100 1/s
//! ```

use thixo_sim::measure::Totals;
use thixo_sim::{Real, Simulation, Vec3};

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

const RATE: f64 = 100.0;

/// A disc with so many particles in its radius; tolerances are multiplied by `slack`.
pub(crate) fn patch(across: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("world.spacing={}", 1.0 / f64::from(across))];
    let mut experiment = Experiment::new("F9", include_str!("../../scenes/elliptical_patch.toml"), &overrides)?;
    stretch(&mut experiment.simulation)?;
    let start = Axes::of(&experiment.simulation);
    let energy = Totals::of(&experiment.simulation, None).kinetic;
    let mut curve = vec![(0.0, 1.0)];
    let mut rows = Vec::new();
    for (time, tolerance) in [(0.0038, 0.02), (0.0076, 0.02), (0.0151, 0.03)] {
        while experiment.simulation.time() < time {
            experiment.simulation.step_until(time)?;
            curve.push((experiment.simulation.time(), Axes::of(&experiment.simulation).major / start.major));
        }
        let axes = Axes::of(&experiment.simulation);
        let (minor, major) = exact(time);
        let quantity = format!("major semi-axis at {time} s [m]");
        rows.push(
            Row::relative(&quantity, axes.major / start.major, major, slack * tolerance)
                .reporting("minor semi-axis", axes.minor / start.minor)
                .reporting("minor semi-axis, exact", minor)
                .reporting("foremost particle", axes.foremost),
        );
    }
    let axes = Axes::of(&experiment.simulation);
    let area = axes.major * axes.minor / (start.major * start.minor);
    rows.push(Row::relative("area by that at the start [-]", area, 1.0, slack * 0.01));
    let kept = Totals::of(&experiment.simulation, None).kinetic / energy;
    rows.push(Row::relative("kinetic energy by that at the start [-]", kept, 1.0, slack * 0.03));
    let reference = (0..=30).map(|k| f64::from(k) * 0.0151 / 30.0).map(|t| (t, exact(t).1)).collect();
    let plot = Plot::new("Elliptical patch", "time [s]", "major semi-axis [m]");
    rows[0].plot = Some(plot.line("simulated", curve).dots("exact", reference));
    let conditions = experiment.conditions();
    Ok(rows.into_iter().map(|row| row.under(&conditions)).collect())
}

/// Sets the particles in motion.
fn stretch(simulation: &mut Simulation) -> Result<(), CaseError> {
    let mut snapshot = simulation.snapshot();
    let particles = &mut snapshot.particles;
    for (velocity, x) in particles.velocity.iter_mut().zip(&particles.position) {
        *velocity = Vec3::new(-x.x, x.y, 0.0) * RATE as Real;
    }
    Ok(simulation.restore(snapshot)?)
}

/// Semi-axes of a uniform ellipse, from the second moments of its particles.
struct Axes {
    minor: f64,
    major: f64,
    foremost: f64,
}

impl Axes {
    fn of(simulation: &Simulation) -> Axes {
        let position = &simulation.particles().position[..simulation.movable()];
        let axis = |coordinate: fn(&Vec3) -> Real| {
            let squares: f64 = position.iter().map(|x| f64::from(coordinate(x)).powi(2)).sum();
            2.0 * (squares / position.len() as f64).sqrt()
        };
        let foremost = position.iter().map(|x| f64::from(x.y)).fold(0.0, f64::max);
        Axes { minor: axis(|x| x.x), major: axis(|x| x.y), foremost }
    }
}

/// Minor and major semi-axis after a time [s], by the classic Runge-Kutta scheme.
fn exact(time: f64) -> (f64, f64) {
    let change = |a: f64, rate: f64| (-a * rate, rate * rate * (a.powi(4) - 1.0) / (a.powi(4) + 1.0));
    let (mut a, mut rate) = (1.0, RATE);
    let steps = 1000;
    let dt = time / f64::from(steps);
    for _ in 0..steps {
        let k1 = change(a, rate);
        let k2 = change(a + 0.5 * dt * k1.0, rate + 0.5 * dt * k1.1);
        let k3 = change(a + 0.5 * dt * k2.0, rate + 0.5 * dt * k2.1);
        let k4 = change(a + dt * k3.0, rate + dt * k3.1);
        a += dt / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        rate += dt / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    (a, 1.0 / a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Monaghan 1994 prints these values.
    #[test]
    fn the_exact_ellipse_is_that_of_the_source() {
        for (time, minor, major) in [(0.0008, 0.9233, 1.0831), (0.0076, 0.5143, 1.9445), (0.0151, 0.3346, 2.9889)] {
            let (a, b) = exact(time);
            assert!((a - minor).abs() < 1e-4 && (b - major).abs() < 2e-4, "{time}: {a} {b}");
        }
    }
}
