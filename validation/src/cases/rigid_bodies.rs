//! C1, R1, R5, S5: rigid bodies in free motion, in collisions, and on a slope.

use glam::{DQuat, DVec3};
use thixo_sim::PRECISION;
use thixo_sim::measure::Totals;

use crate::experiment::{CaseError, Conditions, Experiment};
use crate::numerics::fitted_slope;
use crate::plot::Plot;
use crate::row::Row;

const GRAVITY: f64 = 9.81;

/// Three numbers of a probe.
fn vector(sample: &[f64], first: usize) -> DVec3 {
    DVec3::new(sample[first], sample[first + 1], sample[first + 2])
}

/// R1: a box that tumbles about its middle axis keeps its angular momentum, and its energy over twenty flips.
pub(crate) fn tumbling() -> Result<Vec<Row>, CaseError> {
    const FLIPS: usize = 20;
    let mut experiment = Experiment::new("R1", include_str!("../../scenes/free_box.toml"), &[])?;
    let turn = experiment.column("box.turn_x")?;
    let momentum = experiment.column("turning.angular_momentum_x")?;
    let kinetic = experiment.column("work.kinetic")?;
    experiment.simulation.prepare()?;
    let before = Totals::of(&experiment.simulation, None);
    let (mut side, mut flips) = (true, Vec::new());
    let (mut turned, mut gained) = (0.0_f64, 0.0_f64);
    experiment.run(|simulation, sample| {
        if flips.len() == FLIPS {
            return;
        }
        let orientation = DQuat::from_xyzw(sample[turn], sample[turn + 1], sample[turn + 2], sample[turn + 3]);
        let angular_momentum = vector(sample, momentum);
        // The middle axis of the box points along what it turns about, or against it.
        let is_along = (orientation * DVec3::Y).dot(angular_momentum) > 0.0;
        if is_along != side {
            flips.push(simulation.time());
        }
        side = is_along;
        let change = (angular_momentum - before.angular_momentum).length() / before.angular_momentum.length();
        turned = turned.max(change);
        gained = gained.max((sample[kinetic] / before.kinetic - 1.0).abs());
    })?;
    if flips.len() < FLIPS {
        return Err(CaseError::Nothing("the box did not flip twenty times"));
    }
    let conditions = experiment.conditions();
    Ok(vec![
        Row::at_most("change of angular momentum, relative [-]", turned, 1e-10)
            .under(&conditions)
            .reporting("flips", FLIPS)
            .reporting("time of the last [s]", flips[FLIPS - 1]),
        Row::at_most("change of energy, relative [-]", gained, 1e-4).under(&conditions),
    ])
}

/// C1: drops that hit a rigid box.
pub(crate) fn drops_and_box() -> Result<Vec<Row>, CaseError> {
    let mut experiment = Experiment::new("C1", include_str!("../../scenes/drops_and_box.toml"), &[])?;
    let box_id = experiment.body("box")?;
    let own = |experiment: &Experiment| Totals::of(&experiment.simulation, Some(box_id)).momentum.length();
    experiment.simulation.prepare()?;
    let before = Totals::of(&experiment.simulation, None);
    for _ in 0..1000 {
        experiment.simulation.step()?;
    }
    let after = Totals::of(&experiment.simulation, None);
    let exact = if PRECISION == "f32" { 1e-5 } else { 1e-12 };
    let scale = Scale::of(&experiment);
    let conditions = experiment.conditions();
    Ok(vec![
        Row::at_most(
            "change of momentum, by the sum of |m v| [-]",
            (after.momentum - before.momentum).length() / scale.momentum,
            exact,
        )
        .under(&conditions)
        .reporting("momentum of the box [kg m/s]", own(&experiment))
        .reporting(
            "change of angular momentum, by its scale",
            (after.angular_momentum - before.angular_momentum).length() / scale.angular_momentum,
        ),
    ])
}

/// What errors of momenta are measured by: Σ |m v| and Σ |x| |m v| over particles.
struct Scale {
    momentum: f64,
    angular_momentum: f64,
}

impl Scale {
    fn of(experiment: &Experiment) -> Scale {
        let particles = experiment.simulation.particles();
        let (mut momentum, mut angular_momentum) = (0.0, 0.0);
        for i in experiment.simulation.matter() {
            let share = f64::from(particles.mass(i)) * f64::from(particles.velocity[i].length());
            momentum += share;
            angular_momentum += share * f64::from(particles.position[i].length());
        }
        Scale { momentum, angular_momentum }
    }
}

/// S5: a drop, an elastic cube and a rigid box collide: momentum to rounding if all is explicit, else to the tolerance of the
/// solvers; angular momentum to what the implicit step keeps.
pub(crate) fn collision(is_explicit: bool, spacing: f64) -> Result<Vec<Row>, CaseError> {
    let mut overrides = vec![format!("world.spacing={spacing}")];
    if is_explicit {
        overrides.push("pressure={ wcsph = {} }".to_owned());
        let elastic = "{ st_venant_kirchhoff = { young_modulus = 1.0e5, poisson_ratio = 0.3 } }";
        overrides.push(format!("materials.rubber.elastic={elastic}"));
    }
    let mut experiment = Experiment::new("S5", include_str!("../../scenes/collision.toml"), &overrides)?;
    let momentum = experiment.column("all.momentum_x")?;
    let angular = experiment.column("all.angular_momentum_x")?;
    let velocity = experiment.column("box.velocity_x")?;
    experiment.simulation.prepare()?;
    let before = Totals::of_motion(&experiment.simulation, None);
    let (mut changed, mut turned, mut of_box) = (0.0_f64, 0.0_f64, 0.0_f64);
    let scale = Scale::of(&experiment);
    experiment.run(|_, sample| {
        changed = changed.max((vector(sample, momentum) - before.momentum).length());
        turned = turned.max((vector(sample, angular) - before.angular_momentum).length());
        of_box = of_box.max(vector(sample, velocity).length());
    })?;
    let after = Totals::of(&experiment.simulation, None);
    let exact = match (is_explicit, PRECISION) {
        (true, "f64") => 1e-10,
        (true, _) => 1e-5,
        (false, _) => 1e-6,
    };
    let conditions = experiment.conditions();
    let name = |what: &str| format!("change of {what}, by its scale at the start [-]");
    Ok(vec![
        Row::at_most(&name("momentum"), changed / scale.momentum, exact)
            .under(&conditions)
            .reporting("fastest motion of the box [m/s]", of_box)
            .reporting("kinetic energy left", after.kinetic / before.kinetic),
        Row::at_most(&name("angular momentum"), turned / scale.angular_momentum, 1e-4).under(&conditions),
    ])
}

/// A block that slides down a slope, and how.
struct Slide {
    conditions: Conditions,
    spacing: f64,
    /// How far it has got [m].
    way: f64,
    /// Its speed [m/s] in time [s].
    speeds: Vec<(f64, f64)>,
}

/// Either gravity is turned, or all else.
fn slide(degrees: f64, until: f64, is_tilted: bool) -> Result<Slide, CaseError> {
    let angle = degrees.to_radians();
    let mut overrides = vec![format!("time.end={until}")];
    let (text, down) = match is_tilted {
        true => {
            let turned = |what: &str| format!("{what}.0.shape.transform.rotation.angle={}", -angle);
            overrides.extend(["bodies", "walls"].map(turned));
            (include_str!("../../scenes/block_on_tilted_slope.toml"), DVec3::new(angle.cos(), -angle.sin(), 0.0))
        }
        false => {
            let gravity = [GRAVITY * angle.sin(), -GRAVITY * angle.cos(), 0.0];
            overrides.push(format!("world.gravity={gravity:?}"));
            (include_str!("../../scenes/block_on_slope.toml"), DVec3::X)
        }
    };
    let mut experiment = Experiment::new("R5", text, &overrides)?;
    let (centre, velocity) = (experiment.column("block.centre_x")?, experiment.column("block.velocity_x")?);
    let (mut places, mut speeds) = (Vec::new(), vec![(0.0, 0.0)]);
    experiment.run(|simulation, sample| {
        places.push(vector(sample, centre));
        speeds.push((simulation.time(), vector(sample, velocity).dot(down)));
    })?;
    let way = match places[..] {
        [first, .., last] => (last - first).dot(down),
        _ => f64::NAN,
    };
    Ok(Slide { conditions: experiment.conditions(), spacing: experiment.scene.world.spacing, way, speeds })
}

/// R5: a block on a slope with friction tan 20° stays at 18° and slides at 22°, with g (sin α − μ cos α).
pub(crate) fn slope(is_tilted: bool) -> Result<Vec<Row>, CaseError> {
    let (held, slid) = (slide(18.0, 10.0, is_tilted)?, slide(22.0, 1.0, is_tilted)?);
    let angle = 22.0_f64.to_radians();
    let expected = GRAVITY * (angle.sin() - 20.0_f64.to_radians().tan() * angle.cos());
    let found = fitted_slope(&slid.speeds);
    let plot = Plot::new("A block on a slope of 22 degrees", "time [s]", "speed [m/s]")
        .line("simulated", slid.speeds)
        .line("theory", vec![(0.0, 0.0), (1.0, expected)]);
    Ok(vec![
        Row::at_most("way at 18 degrees in 10 s, by the spacing [-]", held.way / held.spacing, 0.1)
            .under(&held.conditions),
        Row::relative("acceleration at 22 degrees [m/s^2]", found, expected, 0.03)
            .under(&slid.conditions)
            .plotting(plot),
    ])
}
