//! D1 (spring) and D2: the order of steps that change, and what individual steps save.

use thixo_sim::measure::Totals;
use thixo_sim::{
    Force, Individual, Material, NewBody, PRECISION, Particles, Pressure, Real, Settings, Simulation, StepContext,
    StepSize, Vec3, Wcsph,
};

use crate::experiment::{CaseError, Conditions, Experiment};
use crate::numerics::fitted_slope;
use crate::row::Row;

/// DG96 Fig. 4: the scene of the gallery.
const CUT: &str = include_str!("../../../scenes/cut-in-two.toml");
/// An impact without walls.
const IMPACT: &str = include_str!("../../scenes/individual_impact.toml");

const SPACING: f64 = 0.1;
/// ω² and 2ζω of the spring between two particles [1/s²], [1/s].
const STIFFNESS: f64 = 9.0;
const DAMPING: f64 = 0.6;
/// Its amplitude [m].
const AMPLITUDE: f64 = 0.2;

/// When errors are taken [s]: at one time alone parts of the error may cancel.
const TIMES: [f64; 4] = [0.5, 1.0, 1.5, 2.0];

/// Which velocity damps the spring.
#[derive(Clone, Copy, PartialEq)]
enum Damped {
    Not,
    /// By the velocity at the time of the positions, as it is predicted.
    ByPrediction,
    /// By the velocity that has moved the particles, half a step before.
    ByWhatMoved,
}

/// A spring between two particles; each feels half of it.
struct Spring {
    damped: Damped,
    /// The longest step of each, before and after a time [s].
    steps: [[Real; 2]; 2],
    change: f64,
}

impl Force for Spring {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let particles = &step.world.particles;
        let late = if self.damped == Damped::ByWhatMoved { 0.5 * step.world.clock.last_dt } else { 0.0 };
        let velocity = |i: usize| particles.velocity[i] - late * particles.acceleration[i];
        let [left, right] = ends(particles);
        let apart = particles.position[right] - particles.position[left] - Vec3::X;
        let stretch = apart + (particles.remainder[right] - particles.remainder[left]);
        let damping = if self.damped == Damped::Not { 0.0 } else { DAMPING };
        let rate = velocity(right) - velocity(left);
        let pull = stretch * (0.5 * STIFFNESS) as Real + rate * (0.5 * damping) as Real;
        acceleration[left] += pull;
        acceleration[right] -= pull;
    }

    fn limit_steps(&self, step: &StepContext<'_>, longest: &mut [Real]) {
        let steps = self.steps[usize::from(step.world.clock.time >= self.change)];
        for (i, limit) in ends(&step.world.particles).into_iter().zip(steps) {
            longest[i] = longest[i].min(limit);
        }
    }
}

/// The particles of the pair, the left one first: memory has an order of its own.
fn ends(particles: &Particles) -> [usize; 2] {
    if particles.id[0] < particles.id[1] { [0, 1] } else { [1, 0] }
}

/// The stretch of the spring and its rate at a time.
fn exact(damped: Damped, time: f64) -> [f64; 2] {
    let decay = if damped == Damped::Not { 0.0 } else { 0.5 * DAMPING };
    let frequency = (STIFFNESS - decay * decay).sqrt();
    let (sin, cos) = (frequency * time).sin_cos();
    let size = AMPLITUDE * (-decay * time).exp();
    [size * (cos + decay / frequency * sin), -size * (decay * decay / frequency + frequency) * sin]
}

/// Runs the spring for 2 s: errors of stretch and rate, as root mean squares, and the circumstances.
fn swing(step: StepSize, spring: Spring) -> Result<([f64; 2], Conditions), CaseError> {
    let settings = Settings {
        spacing: SPACING as Real,
        gravity: Vec3::ZERO,
        // Nothing but the spring limits the step.
        pressure: Pressure::Wcsph(Wcsph { stiffness: Some(1e-6), ..Wcsph::default() }),
        step,
        ..Settings::default()
    };
    let damped = spring.damped;
    let mut simulation = Simulation::new(settings, vec![Material::default()])?;
    let end = (0.5 * (1.0 + AMPLITUDE)) as Real;
    let position = vec![Vec3::X * -end, Vec3::X * end];
    simulation.add_body(NewBody { name: "pair".into(), position, ..NewBody::default() })?;
    simulation.add_force(Box::new(spring));
    let mut squares = [0.0; 2];
    for time in TIMES {
        while simulation.time() < time {
            simulation.step_until(time)?;
        }
        let particles = simulation.particles();
        let [left, right] = ends(particles);
        let difference = |values: &[Vec3]| f64::from(values[right].x) - f64::from(values[left].x);
        let stretch = difference(&particles.position) + difference(&particles.remainder) - 1.0;
        let [expected, rate] = exact(damped, time);
        squares[0] += (stretch - expected).powi(2);
        squares[1] += (difference(&particles.velocity) - rate).powi(2);
    }
    Ok((squares.map(|square| (square / TIMES.len() as f64).sqrt()), Conditions::of(&simulation)))
}

/// The order of errors in ever shorter steps, from `longest` on.
fn orders(
    longest: f64,
    run: impl Fn(f64) -> Result<([f64; 2], Conditions), CaseError>,
) -> Result<([f64; 2], Conditions), CaseError> {
    // Rounding ends what single precision can tell.
    let halvings = if PRECISION == "f32" { 3 } else { 5 };
    let mut errors = [Vec::new(), Vec::new()];
    let mut conditions = Conditions::default();
    for k in 0..halvings {
        let step = longest / f64::from(1 << k);
        let (found, under) = run(step)?;
        for (errors, found) in errors.iter_mut().zip(found) {
            errors.push((step.ln(), found.ln()));
        }
        conditions = under;
    }
    Ok((errors.map(|errors| fitted_slope(&errors)), conditions))
}

fn tolerance() -> f64 {
    if PRECISION == "f32" { 0.3 } else { 0.1 }
}

/// D1: two particles on a spring, in equal steps, with and without friction.
pub(crate) fn spring() -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    let all = [
        ("a spring", Damped::Not),
        ("a spring with friction", Damped::ByPrediction),
        ("a spring, friction by the velocity half a step ago", Damped::ByWhatMoved),
    ];
    for (name, damped) in all {
        let run = |step: f64| {
            let spring = Spring { damped, steps: [[1.0; 2]; 2], change: 0.0 };
            swing(StepSize::Fixed(step as Real), spring)
        };
        let ([place, velocity], conditions) = orders(0.1, run)?;
        for (what, slope) in [("places", place), ("velocities", velocity)] {
            let row = Row::absolute(&format!("order of {what}, {name} [-]"), slope, 2.0, tolerance());
            let row = row.under(&conditions);
            rows.push(if damped == Damped::ByWhatMoved { row.expected_to_fail() } else { row });
        }
    }
    Ok(rows)
}

/// D2: the same in individual steps, which change on the way.
pub(crate) fn order() -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    for (name, damped) in [("without friction", Damped::Not), ("with friction", Damped::ByPrediction)] {
        let run = |step: f64| {
            let step = step as Real;
            // One of them four times as short, then the other.
            let spring = Spring { damped, steps: [[step, 0.25 * step], [0.25 * step, step]], change: 0.9 };
            swing(StepSize::Individual(Individual { longest: 1.0, ..Individual::default() }), spring)
        };
        let ([place, velocity], conditions) = orders(0.1, run)?;
        for (what, slope) in [("places", place), ("velocities", velocity)] {
            let quantity = format!("order of {what} through a change of steps, {name} [-]");
            rows.push(Row::absolute(&quantity, slope, 2.0, tolerance()).under(&conditions));
        }
    }
    let slope = as_printed();
    let quantity = "order of places, DG96 Eq. 9 with the new step where it changes [-]";
    rows.push(Row::absolute(quantity, slope, 2.0, tolerance()).expected_to_fail());
    Ok(rows)
}

/// The order of an oscillation in the leapfrog as DG96 prints it, correction of positions included, through one change of steps.
fn as_printed() -> f64 {
    let error = |halving: u32| {
        let small = 1.0 / (64.0 * f64::from(1 << halving));
        let long = 4.0 * small;
        // Positions at whole steps, velocities half a step before.
        let (mut x, mut v, mut time, mut last) = (1.0, (0.5 * long).sin(), 0.0, long);
        while time < 2.0 - 0.5 * small {
            let step = if time < 1.0 { long } else { small };
            x += (step * step - last * last) / 8.0 * -x;
            v -= step * x;
            x += step * v;
            (time, last) = (time + step, step);
        }
        (x - f64::cos(time)).abs()
    };
    fitted_slope(&[0, 1, 2, 3, 4].map(|k| (-f64::from(k) * 2f64.ln(), error(k).ln())))
}

/// What came of a run.
struct Ran {
    experiment: Experiment,
    evaluations: usize,
    macro_steps: u32,
    /// Particles that were not due at the start of a macro step.
    missing: usize,
}

impl Ran {
    /// A scene to its end, with so many levels; steps as in the scene otherwise.
    fn new(name: &str, text: &str, levels: u32) -> Result<Ran, CaseError> {
        let set = format!("time.step.individual.levels={levels}");
        let mut ran =
            Ran { experiment: Experiment::new(name, text, &[set])?, evaluations: 0, macro_steps: 0, missing: 0 };
        let (end, simulation) = (ran.experiment.scene.time.end, &mut ran.experiment.simulation);
        while simulation.time() < end {
            let begins = simulation.world().memory.schedule.is_open();
            let due = simulation.step_until(end)?.force_evaluations;
            ran.evaluations += due;
            if begins {
                ran.macro_steps += 1;
                ran.missing += simulation.matter().len() - due;
            }
        }
        Ok(ran)
    }

    /// Places of matter, by the numbers of particles [m].
    fn places(&self) -> Vec<(u32, Vec3)> {
        let (simulation, particles) = (&self.experiment.simulation, self.experiment.simulation.particles());
        let mut places: Vec<_> = simulation.matter().map(|i| (particles.id[i], particles.position[i])).collect();
        places.sort_unstable_by_key(|(id, _)| *id);
        places
    }
}

/// A scene in individual steps beside the same in the shortest of them for all: both, and what can be said of any scene.
fn beside_shortest(name: &str, text: &str) -> Result<(Ran, f64, Vec<Row>), CaseError> {
    let (own, all) = (Ran::new(name, text, 6)?, Ran::new(name, text, 0)?);
    let spacing = own.experiment.scene.world.spacing;
    let (here, there) = (own.places(), all.places());
    let squares = here.iter().zip(&there).map(|((_, a), (_, b))| f64::from((*a - *b).length_squared()));
    let rms = (squares.sum::<f64>() / here.len() as f64).sqrt() / spacing;
    let share = own.evaluations as f64 / all.evaluations as f64;
    let conditions = own.experiment.conditions();
    let rows = vec![
        Row::at_most(&format!("{name}: places beside those of shortest steps, rms [spacings]"), rms, 0.02)
            .reporting("macro steps", own.macro_steps)
            .reporting("shortest steps of all", all.macro_steps)
            .reporting("evaluations of forces, by those of shortest steps", share)
            .under(&conditions),
        Row::at_most(&format!("{name}: particles not due at the end of a macro step [-]"), own.missing as f64, 0.0)
            .under(&conditions),
    ];
    Ok((own, share, rows))
}

/// D2: DG96 Fig. 4. There friction limits the steps of all particles nearly alike: nothing is saved, and nothing lost.
pub(crate) fn cut() -> Result<Vec<Row>, CaseError> {
    Ok(beside_shortest("cut", CUT)?.2)
}

/// D2: a small stiff block hits soft fluid, without walls; what is saved, and what becomes of momentum, which should change by no more than 1e-4.
pub(crate) fn impact() -> Result<Vec<Row>, CaseError> {
    let before = Totals::of_motion(&Experiment::new("impact", IMPACT, &[])?.simulation, None);
    let (own, share, mut rows) = beside_shortest("impact", IMPACT)?;
    let after = Totals::of_motion(&own.experiment.simulation, None);
    let change = (after.momentum - before.momentum).length() / before.momentum_scale;
    let quantity = "impact: evaluations of forces, by those of shortest steps [-]";
    let row = Row::at_most(quantity, share, 0.5).under(&own.experiment.conditions());
    rows.push(row.reporting("change of momentum", change));
    Ok(rows)
}
