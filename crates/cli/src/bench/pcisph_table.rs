//! `thixo bench pcisph-table`: what PCISPH saves over WCSPH at the same worst density error (Sol09 Table 3.1, Fig. 3.3).
//!
//! A column collapses and hits the far wall: it is there, not before, that errors are large. PCISPH runs with a bound for
//! its worst particle. WCSPH runs with the softest state equation that keeps its worst particle, measured in the same way
//! after every step, within the worst error that PCISPH had; it is searched for from the estimate k = v²/η (Sol09 Eq. 2.26)
//! upwards by quarters. Costs are processor time per simulated second, so that other programs disturb them little.

use serde::Serialize;
use thixo_scene::Scene;
use thixo_sim::{Simulation, StepReport};

use crate::VERSION;
use crate::failure::Failure;
use crate::process;

/// What it is called.
pub(super) const NAME: &str = "pcisph-table";

const TEXT: &str = include_str!("../../../../benches/collapsing_column.toml");

/// How much stiffer the next try is.
const STIFFER: f64 = 1.25;

/// A row of the thesis: allowed error, spacing for as many particles, and what it prints.
#[derive(Clone, Copy, Debug)]
struct Experiment {
    density_error: f64,
    spacing: f64,
    printed: Printed,
}

/// Figures of Sol09 Table 3.1.
#[derive(Clone, Copy, Debug, Serialize)]
struct Printed {
    stiffness: f64,
    dt_ratio: f64,
    iterations: f64,
    speed_up: f64,
}

const EXPERIMENTS: [Experiment; 3] = [
    Experiment {
        density_error: 0.01,
        spacing: 0.025,
        printed: Printed { stiffness: 7e4, dt_ratio: 34.4, iterations: 3.24, speed_up: 15.2 },
    },
    Experiment {
        density_error: 0.001,
        spacing: 0.025,
        printed: Printed { stiffness: 6e6, dt_ratio: 152.0, iterations: 4.46, speed_up: 55.4 },
    },
    Experiment {
        density_error: 0.01,
        spacing: 0.0116,
        printed: Printed { stiffness: 7e4, dt_ratio: 34.8, iterations: 3.49, speed_up: 16.6 },
    },
];

/// What one run took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Cost {
    steps: u64,
    /// [s]
    dt_avg: f64,
    iters_avg: f64,
    /// Of the worst particle, over all steps [%].
    comp_max_pct: f64,
    cpu_s_per_simulated_s: f64,
}

/// A row of the table.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    scene: &'static str,
    /// [%]
    allowed_error_pct: f64,
    particles: usize,
    threads: usize,
    pcisph: Cost,
    wcsph: Cost,
    /// The softest that keeps the error [m^2/s^2].
    stiffness: f64,
    /// Sol09 Eq. 2.26, v²/η with the highest speed of the run.
    stiffness_estimated: f64,
    dt_ratio: f64,
    step_cost_ratio: f64,
    speed_up: f64,
    printed: Printed,
    /// Iterations of PCISPH in ten equal parts of the run (Sol09 Fig. 3.3 a).
    iterations_over_time: Vec<f64>,
    /// Error predicted after each iteration of a step in free fall and one after the impact [%], from no pressures as in
    /// the thesis (Sol09 Fig. 3.3 b).
    convergence_pct: [Vec<f64>; 2],
    version: &'static str,
}

/// Measures all rows, telling each when it is ready.
pub(super) fn measure(tell: impl Fn(&Row) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut softest = 0.0f64;
    for experiment in EXPERIMENTS {
        let row = compare(experiment, softest)?;
        // What suffices for few particles is a little less than many need: the search begins just below.
        softest = if experiment.density_error == 0.01 { row.stiffness / STIFFER } else { softest };
        tell(&row)?;
    }
    Ok(())
}

fn build(experiment: Experiment, more: &[String]) -> Result<(Simulation, f64), Failure> {
    let mut overrides = vec![format!("world.spacing={}", experiment.spacing)];
    overrides.extend_from_slice(more);
    let scene = Scene::read(NAME, TEXT, &overrides).map_err(Failure::Scene)?;
    let built = scene.build().map_err(|error| Failure::BadInput(format!("cannot build {NAME}: {error}")))?;
    Ok((built.simulation, scene.time.end))
}

/// The bound of the worst particle is the only one, as in the thesis.
fn pcisph(experiment: Experiment) -> Vec<String> {
    let bound = format!("pressure.pcisph.density_error={}", experiment.density_error);
    vec![bound, "pressure.pcisph.relative_error=1".to_owned()]
}

fn compare(experiment: Experiment, softest: f64) -> Result<Row, Failure> {
    let (mut simulation, end) = build(experiment, &pcisph(experiment))?;
    let particles = simulation.matter().len();
    let (mut fastest, mut parts) = (0.0f64, [(0u64, 0u64); 10]);
    let pcisph = run(&mut simulation, end, f64::INFINITY, |time, report| {
        fastest = fastest.max(report.fastest);
        let part = &mut parts[((10.0 * time / end) as usize).min(9)];
        *part = (part.0 + 1, part.1 + u64::from(report.iterations));
    })?;
    drop(simulation);
    let pcisph = pcisph.cost;
    let stiffness_estimated = fastest * fastest / experiment.density_error;
    let mut stiffness = softest.max(stiffness_estimated);
    let wcsph = loop {
        let (mut simulation, end) = build(experiment, &[format!("pressure.wcsph.stiffness={stiffness:e}")])?;
        let run = run(&mut simulation, end, 0.01 * pcisph.comp_max_pct, |_, _| {})?;
        if run.within_bound {
            break run.cost;
        }
        stiffness *= STIFFER;
    };
    let step_cost = |cost: &Cost| cost.cpu_s_per_simulated_s * cost.dt_avg;
    Ok(Row {
        scene: NAME,
        allowed_error_pct: 100.0 * experiment.density_error,
        particles,
        threads: rayon::current_num_threads(),
        stiffness,
        stiffness_estimated,
        dt_ratio: pcisph.dt_avg / wcsph.dt_avg,
        step_cost_ratio: step_cost(&pcisph) / step_cost(&wcsph),
        speed_up: wcsph.cpu_s_per_simulated_s / pcisph.cpu_s_per_simulated_s,
        pcisph,
        wcsph,
        printed: experiment.printed,
        iterations_over_time: parts.iter().map(|&(steps, sum)| sum as f64 / steps.max(1) as f64).collect(),
        convergence_pct: [converge(experiment, 0.2 * end)?, converge(experiment, 0.7 * end)?],
        version: VERSION,
    })
}

struct Run {
    cost: Cost,
    within_bound: bool,
}

/// Runs to the end, or until the worst particle is beyond a bound.
fn run(
    simulation: &mut Simulation,
    end: f64,
    bound: f64,
    mut watch: impl FnMut(f64, &StepReport),
) -> Result<Run, Failure> {
    let started = process::processor_seconds();
    let (mut worst, mut iterations) = (0.0f64, 0);
    while simulation.time() < end && worst <= bound {
        let report = simulation.step_until(end).map_err(|error| Failure::Failed(error.to_string()))?;
        worst = worst.max(report.worst_density_error);
        iterations += u64::from(report.iterations);
        watch(simulation.time(), &report);
    }
    let cpu = process::processor_seconds().zip(started).map_or(f64::NAN, |(now, then)| now - then);
    let (steps, time) = (simulation.steps(), simulation.time());
    let cost = Cost {
        steps,
        dt_avg: time / steps as f64,
        iters_avg: iterations as f64 / steps as f64,
        comp_max_pct: 100.0 * worst,
        cpu_s_per_simulated_s: cpu / time,
    };
    Ok(Run { cost, within_bound: worst <= bound })
}

/// The error that PCISPH predicts after one, two and more iterations of the step at a time [%].
fn converge(experiment: Experiment, time: f64) -> Result<Vec<f64>, Failure> {
    let (mut simulation, _) = build(experiment, &pcisph(experiment))?;
    run(&mut simulation, time, f64::INFINITY, |_, _| {})?;
    let snapshot = simulation.snapshot();
    let mut errors = Vec::new();
    for iterations in 1..=8 {
        let settings = [
            "pressure.pcisph.density_error=1e-9".to_owned(),
            "pressure.pcisph.warm_start=0".to_owned(),
            "pressure.pcisph.min_iterations=1".to_owned(),
            format!("pressure.pcisph.max_iterations={iterations}"),
        ];
        let (mut again, end) = build(experiment, &settings)?;
        let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
        again.restore(snapshot.clone()).map_err(|error| failed(&error))?;
        errors.push(100.0 * again.step_until(end).map_err(|error| failed(&error))?.predicted_error);
    }
    Ok(errors)
}

impl Row {
    /// One line.
    pub(super) fn json(&self) -> String {
        let line = serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
        format!("{line}\n")
    }

    /// Lines for people, with the figures of the thesis in brackets.
    pub(super) fn table(&self) -> String {
        let Row { pcisph, wcsph, printed, .. } = self;
        let line = |name: &str, cost: &Cost| {
            format!(
                "  {name}  {:6} steps of {:.2e} s, worst error {:.3} %, {:.1} s of processor time per simulated second\n",
                cost.steps, cost.dt_avg, cost.comp_max_pct, cost.cpu_s_per_simulated_s
            )
        };
        let list = |numbers: &[f64]| numbers.iter().map(|x| format!("{x:.2}")).collect::<Vec<_>>().join(" ");
        format!(
            "{}: {} particles, error of the worst at most {} % (Sol09 Table 3.1 in brackets)\n{}{}  PCISPH is {:.1} times as \
             fast ({}): steps {:.1} times as long ({}), each {:.2} times as dear; {:.2} iterations ({})\n  stiffness of WCSPH \
             {:.2e} ({:.0e}); v^2/error says {:.2e}\n  iterations over time: {}\n  error predicted after 1, 2, ... iterations [%]: \
             {} (falling); {} (after the impact)\n",
            self.scene,
            self.particles,
            self.allowed_error_pct,
            line("WCSPH ", wcsph),
            line("PCISPH", pcisph),
            self.speed_up,
            printed.speed_up,
            self.dt_ratio,
            printed.dt_ratio,
            self.step_cost_ratio,
            pcisph.iters_avg,
            printed.iterations,
            self.stiffness,
            printed.stiffness,
            self.stiffness_estimated,
            list(&self.iterations_over_time),
            list(&self.convergence_pct[0]),
            list(&self.convergence_pct[1]),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few particles, and the whole comparison.
    #[test]
    fn both_keep_the_error_and_the_figures_add_up() {
        let printed = EXPERIMENTS[0].printed;
        let row = compare(Experiment { density_error: 0.02, spacing: 0.1, printed }, 0.0).unwrap();
        assert!(row.wcsph.comp_max_pct <= row.pcisph.comp_max_pct);
        assert!(row.stiffness >= row.stiffness_estimated && row.dt_ratio > 1.0);
        assert!((row.speed_up * row.step_cost_ratio / row.dt_ratio - 1.0).abs() < 1e-9);
        let [_, impact] = &row.convergence_pct;
        assert!(impact.len() == 8 && impact[7] < impact[0], "{impact:?}");
        assert!(row.json().contains("\"speed_up\"") && row.table().contains("(15.2)"));
    }

    #[test]
    fn columns_have_as_many_particles_as_the_thesis() {
        for (experiment, count) in EXPERIMENTS.into_iter().zip([1e4, 1e4, 1e5]) {
            let (simulation, _) = build(experiment, &[]).unwrap();
            assert!((simulation.matter().len() as f64 / count - 1.0).abs() < 0.05, "{}", simulation.matter().len());
        }
    }
}
