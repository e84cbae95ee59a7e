//! How far a run is: a bar on a terminal, plain lines elsewhere. All of it goes to standard error.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use thixo_sim::{Cohesion, EnergyBalance, Pressure, Simulation, StepReport, Wcsph};

use super::timeline::Timeline;
use crate::console::{self, duration};

/// Between two plain lines passes at least this much.
const LINE_EVERY: Duration = Duration::from_secs(2);

/// Parts into which the bar divides the simulated time.
const PARTS: u64 = 100_000;

/// A step this much shorter than the longest has collapsed: the run will hardly end.
const COLLAPSED: f64 = 1e-3;

/// Steps after which a density error stays above its bound. An impact may pass it for a moment.
const STAYS: u32 = 100;

/// Shows how far a run is.
pub(crate) struct Progress {
    timeline: Timeline,
    /// Only on a terminal.
    bar: Option<ProgressBar>,
    is_quiet: bool,
    started: Instant,
    start_time: f64,
    last_line: Option<Instant>,
    longest_step: f64,
    has_warned_of_coincidence: bool,
    has_warned_of_collapse: bool,
    has_warned_of_iterations: bool,
    has_warned_of_energy: bool,
    /// Steps in a row with a density error above its bound.
    squeezed_steps: u32,
}

impl Progress {
    /// Of a run that starts at the simulated time `start_time` [s].
    pub(crate) fn new(timeline: Timeline, start_time: f64, is_quiet: bool) -> Progress {
        let bar = (!is_quiet && io::stderr().is_terminal()).then(|| new_bar(start_time / timeline.end));
        Progress {
            timeline,
            bar,
            is_quiet,
            started: Instant::now(),
            start_time,
            last_line: None,
            longest_step: 0.0,
            has_warned_of_coincidence: false,
            has_warned_of_collapse: false,
            has_warned_of_iterations: false,
            has_warned_of_energy: false,
            squeezed_steps: 0,
        }
    }

    /// Wall time since the start [s].
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Warns of what a step may reveal, once. Its length must be its own choice, or that of a frame.
    pub(crate) fn watch(&mut self, simulation: &Simulation, report: &StepReport) {
        let pairs = report.coincident_pairs;
        if pairs > 0 && !self.has_warned_of_coincidence {
            self.has_warned_of_coincidence = true;
            self.warn(&format!(
                "at t = {:.4} s {pairs} pair{} of particles lie at the very same place; look for bodies on top of each \
                 other, or use smaller steps",
                simulation.time(),
                console::plural(pairs as u64)
            ));
        }
        if report.predicted_error > report.allowed_error && !self.has_warned_of_iterations {
            self.has_warned_of_iterations = true;
            self.warn(&format!(
                "at t = {:.4} s {} iterations of the pressure solver left an error of {:.2e}, more than the {:.1e} allowed; \
                 use smaller steps (`time.step.adaptive.cfl`), more `max_iterations` or a larger `density_error`, or look \
                 for matter that has no room",
                simulation.time(),
                report.iterations,
                report.predicted_error,
                report.allowed_error
            ));
        }
        let bound = allowed_error(simulation, report);
        self.squeezed_steps = if report.density_error > bound { self.squeezed_steps.saturating_add(1) } else { 0 };
        if self.squeezed_steps == STAYS {
            self.warn(&format!(
                "at t = {:.4} s matter has been denser than at rest for {STAYS} steps, by {:.1e} on average, more than the \
                 {bound:.1e} allowed; use smaller steps (`time.step.adaptive.cfl`) or a smaller `density_error` of the \
                 pressure solver, or look for matter that has no room",
                simulation.time(),
                report.density_error,
            ));
        }
        let gaining = simulation.energy().filter(|balance| balance.gain() > EnergyBalance::WARNS);
        if let Some(balance) = gaining.filter(|_| !self.has_warned_of_energy) {
            self.has_warned_of_energy = true;
            self.warn(&energy_from_nowhere(simulation, balance));
        }
        let dt = f64::from(report.dt);
        self.longest_step = self.longest_step.max(dt);
        if dt < COLLAPSED * self.longest_step && !self.has_warned_of_collapse {
            self.has_warned_of_collapse = true;
            self.warn(&format!(
                "at t = {:.4} s steps have shrunk to {dt:.1e} s; something moves very fast, look at the frames and at \
                 `fastest` in log.jsonl",
                simulation.time()
            ));
        }
    }

    /// Shows how far the run is after a step.
    pub(crate) fn show(&mut self, simulation: &Simulation, next_frame: u64, report: &StepReport) {
        if let Some(bar) = &self.bar {
            bar.set_position(parts(simulation.time() / self.timeline.end));
            bar.set_message(self.state(simulation, next_frame, report));
        } else if !self.is_quiet && self.last_line.is_none_or(|last| last.elapsed() >= LINE_EVERY) {
            self.last_line = Some(Instant::now());
            let done = simulation.time() - self.start_time;
            let left = self.seconds() * (self.timeline.end - simulation.time()) / done.max(f64::MIN_POSITIVE);
            console::tell(format_args!("{}, {} left", self.state(simulation, next_frame, report), duration(left)));
        }
    }

    /// Warns, above the bar if there is one.
    pub(crate) fn warn(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| console::warn(text)),
            None => console::warn(text),
        }
    }

    /// Removes the bar, so that last words can follow.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn state(&self, simulation: &Simulation, next_frame: u64, report: &StepReport) -> String {
        format!(
            "frame {}/{}, t {:.3} s, step {}, dt {:.1e} s, {}{}density +{:.2} %",
            next_frame.saturating_sub(1),
            self.timeline.last_frame,
            simulation.time(),
            simulation.steps(),
            report.dt,
            if report.tries > 1 { format!("{} tries, ", report.tries) } else { String::new() },
            match report.iterations + report.divergence_iterations {
                0 => String::new(),
                iterations => format!("{iterations} iterations, "),
            },
            100.0 * report.density_error
        )
    }
}

/// Tells of energy from nowhere, and what helps.
pub(super) fn energy_from_nowhere(simulation: &Simulation, balance: &EnergyBalance) -> String {
    let remedy = match simulation.crushing() {
        Some(story) => format!("{story}; leave matter between them room, or a way out"),
        None => "use smaller steps (`time.step.adaptive.cfl`), another pressure solver or elastic model, or look at the frames for \
                 matter that is torn, crushed or caught in a wall"
            .to_owned(),
    };
    format!(
        "at t = {:.4} s {:.3e} J of energy have come from nowhere, {:.1} % of the {:.3e} J turned over; {remedy}",
        simulation.time(),
        balance.gained,
        100.0 * balance.gain(),
        balance.turned_over,
    )
}

/// The mean density error that the pressure solver is to keep.
fn allowed_error(simulation: &Simulation, report: &StepReport) -> f64 {
    match &simulation.settings().pressure {
        // Who says how stiff matter is takes the error that comes of it.
        Pressure::Wcsph(Wcsph { stiffness: Some(_), .. }) | Pressure::Cohesion(Cohesion { stiffness: Some(_), .. }) => {
            f64::INFINITY
        }
        Pressure::Wcsph(wcsph) => f64::from(wcsph.density_error),
        Pressure::Cohesion(cohesion) => f64::from(cohesion.density_error),
        // Contacts without a density have no bound.
        _ if report.allowed_error == 0.0 => f64::INFINITY,
        _ => report.allowed_error,
    }
}

fn new_bar(share: f64) -> ProgressBar {
    let bar = ProgressBar::new(PARTS).with_position(parts(share));
    // The template is ours and right; the default style would do as well.
    let style = ProgressStyle::with_template("{bar:8} {eta} left, {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.reset_eta();
    bar
}

fn parts(share: f64) -> u64 {
    (share * PARTS as f64) as u64
}
