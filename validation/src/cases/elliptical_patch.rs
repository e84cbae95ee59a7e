//! F9: a patch of water that is stretched by its own motion stays an ellipse (Monaghan 1994).
//!
//! Semi-axes a (shrinking) and 1/a of the incompressible patch follow
//!
//! ```text
//! A' = A² (a⁴ − 1)/(a⁴ + 1),   a' = −a A,   a(0) = 1 m, A(0) = 100 1/s
//! ```

use std::f64::consts::PI;

use thixo_sim::measure::Totals;
use thixo_sim::{Real, Vec3};

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

/// Rate of the flow at the start [1/s].
const RATE: f64 = 100.0;
/// When the last axis is measured [s].
const END: f64 = 0.0151;

/// The flow is turned against the lattice by this angle [rad].
///
/// Stretched threefold along its axes, a square lattice becomes columns that no kernel of three spacings can
/// integrate: it reads half as dense again as it is, and the patch swells. Any direction between 15 and 35 degrees
/// keeps neighbours on all sides.
const TURN: f64 = PI / 6.0;

/// A disc with so many particles in its radius; tolerances are multiplied by `slack`.
pub(crate) fn patch(solver: &str, across: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let mut flow = Flow::new(solver, across, TURN)?;
    let mut curve = vec![(0.0, 1.0)];
    let mut rows = Vec::new();
    for (time, tolerance) in [(0.0038, 0.02), (0.0076, 0.02), (0.0151, 0.03)] {
        flow.run_to(time, &mut curve)?;
        let (minor, major) = exact(time);
        let quantity = format!("major semi-axis at {time} s [m]");
        rows.push(
            Row::relative(&quantity, flow.major(), major, slack * tolerance)
                .reporting("minor semi-axis", flow.minor())
                .reporting("minor semi-axis, exact", minor),
        );
    }
    let mut aligned = Flow::new(solver, across, 0.0)?;
    aligned.run_to(END, &mut Vec::new())?;
    let area = Row::relative("area by that at the start [-]", flow.major() * flow.minor(), 1.0, slack * 0.01);
    rows.push(area.reporting("if the flow is along the lattice", aligned.major() * aligned.minor()));
    rows.push(Row::relative("kinetic energy by that at the start [-]", flow.kinetic(), 1.0, slack * 0.03));
    let reference = (0..=30).map(|k| f64::from(k) * END / 30.0).map(|t| (t, exact(t).1)).collect();
    let plot = Plot::new("Elliptical patch", "time [s]", "major semi-axis [m]");
    rows[0].plot = Some(plot.line("simulated", curve).dots("exact", reference));
    let conditions = flow.experiment.conditions();
    Ok(rows.into_iter().map(|row| row.under(&conditions)).collect())
}

/// The patch in motion, and what it was at the start.
struct Flow {
    experiment: Experiment,
    /// Along these directions it shrinks and grows.
    directions: [Vec3; 2],
    start: [f64; 2],
    kinetic: f64,
}

impl Flow {
    fn new(solver: &str, across: u32, turn: f64) -> Result<Flow, CaseError> {
        // Gradient of the velocity: growth along one direction, as much shrinking along the other.
        let (sine, cosine) = turn.sin_cos();
        let (even, odd) = (RATE * (cosine * cosine - sine * sine), RATE * 2.0 * sine * cosine);
        let gradient = format!("[[{}, {}, 0.0], [{}, {even}, 0.0], [0.0, 0.0, 0.0]]", -even, -odd, -odd);
        let overrides = [
            format!("world.spacing={}", 1.0 / f64::from(across)),
            format!("pressure={{ {solver} = {{}} }}"),
            format!("bodies.0.velocity_field.linear.gradient={gradient}"),
        ];
        let experiment = Experiment::new("F9", include_str!("../../scenes/elliptical_patch.toml"), &overrides)?;
        let [sine, cosine] = [sine, cosine].map(|value| value as Real);
        let [shrinking, growing] = [Vec3::new(cosine, sine, 0.0), Vec3::new(-sine, cosine, 0.0)];
        let kinetic = Totals::of(&experiment.simulation, None).kinetic;
        let mut flow = Flow { experiment, directions: [shrinking, growing], start: [1.0; 2], kinetic };
        flow.start = [flow.minor(), flow.major()];
        Ok(flow)
    }

    /// Runs, and adds the major semi-axis to a curve.
    fn run_to(&mut self, time: f64, curve: &mut Vec<(f64, f64)>) -> Result<(), CaseError> {
        while self.experiment.simulation.time() < time {
            self.experiment.simulation.step_until(time)?;
            curve.push((self.experiment.simulation.time(), self.major()));
        }
        Ok(())
    }

    fn minor(&self) -> f64 {
        self.semi_axis(0)
    }

    fn major(&self) -> f64 {
        self.semi_axis(1)
    }

    /// Of a uniform ellipse with the second moment of the particles, by that at the start.
    fn semi_axis(&self, k: usize) -> f64 {
        let simulation = &self.experiment.simulation;
        let position = &simulation.particles().position[simulation.matter()];
        let squares: f64 = position.iter().map(|x| f64::from(self.directions[k].dot(*x)).powi(2)).sum();
        2.0 * (squares / position.len() as f64).sqrt() / self.start[k]
    }

    /// Kinetic energy by that at the start.
    fn kinetic(&self) -> f64 {
        Totals::of(&self.experiment.simulation, None).kinetic / self.kinetic
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
