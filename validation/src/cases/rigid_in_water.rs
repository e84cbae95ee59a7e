//! R2, R4 and two plates: rigid bodies that float, that water lifts, that fall into it, and that hold it.

use std::f64::consts::PI;

use thixo_sim::Simulation;
use thixo_sim::measure::Totals;

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

const GRAVITY: f64 = 9.81;
const WATER: f64 = 1000.0;

/// A mean over the end of a run, step by step.
struct Late {
    from: f64,
    before: f64,
    time: f64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Late {
    /// From this time on [s].
    fn new(from: f64) -> Late {
        Late { from, before: 0.0, time: 0.0, sum: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }

    fn add(&mut self, time: f64, value: f64) {
        let elapsed = time - self.before;
        self.before = time;
        if time > self.from {
            self.time += elapsed;
            self.sum += elapsed * value;
            self.least = self.least.min(value);
            self.most = self.most.max(value);
        }
    }

    fn mean(&self) -> f64 {
        self.sum / self.time
    }
}

/// The volume of all fluid at rest [m³], in the plane per metre of depth.
fn water(simulation: &Simulation) -> f64 {
    let rest_volume = &simulation.particles().rest_volume;
    simulation.world().kinds.flowing().map(|i| f64::from(rest_volume[i])).sum()
}

/// How deep a body floats whose lowest point is at a height: water fills what the body leaves of the tank. `immersed` tells its
/// volume below a level over its lowest point, which grows by less than the area of the tank.
fn draft(lowest: f64, water: f64, tank: f64, immersed: impl Fn(f64) -> f64) -> f64 {
    let mut draft = 0.0;
    for _ in 0..100 {
        draft = ((water + immersed(draft)) / tank - lowest).max(0.0);
    }
    draft
}

/// R2: a box 0.4 m wide and 0.2 m high floats as deep as it is dense (plane).
pub(crate) fn floating_box(ratio: f64, spacing: f64) -> Result<Vec<Row>, CaseError> {
    let (high, wide) = (0.2, 0.4);
    let expected = ratio * high;
    let lowest = 0.42 - expected;
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("materials.wood.density={}", ratio * WATER),
        format!("bodies.1.shape.box={{ min = [0.8, {lowest}, 0.0], max = [1.2, {}, 0.0] }}", lowest + high),
    ];
    let mut experiment = Experiment::new("R2", include_str!("../../scenes/floating_box.toml"), &overrides)?;
    let centre = experiment.column("box.centre_y")?;
    let turn = experiment.column("box.turn_z")?;
    let (amount, end) = (water(&experiment.simulation), experiment.scene.time.end);
    let (mut curve, mut late, mut tilt) = (Vec::new(), Late::new(0.5 * end), 0.0_f64);
    experiment.run(|simulation, sample| {
        let lowest = sample[centre] - 0.5 * high;
        let draft = draft(lowest, amount, 2.0, |draft| wide * draft.min(high));
        curve.push((simulation.time(), draft));
        late.add(simulation.time(), draft);
        tilt = tilt.max(2.0 * sample[turn].abs().asin().to_degrees());
    })?;
    let plot = Plot::new("A floating box", "time [s]", "draft [m]")
        .line("simulated", curve)
        .line("Archimedes", vec![(0.0, expected), (end, expected)]);
    let quantity = format!("draft of a box, density ratio {ratio} [m]");
    let row = Row::absolute(&quantity, late.mean(), expected, 0.5 * spacing);
    Ok(vec![
        row.under(&experiment.conditions())
            .reporting("at least [m]", late.least)
            .reporting("at most [m]", late.most)
            .reporting("largest tilt [degrees]", tilt)
            .plotting(plot),
    ])
}

/// R2: a ball half as dense as water floats half immersed.
pub(crate) fn floating_ball(spacing: f64) -> Result<Vec<Row>, CaseError> {
    let radius = 0.1;
    let overrides = [format!("world.spacing={spacing}")];
    let mut experiment = Experiment::new("R2", include_str!("../../scenes/floating_ball.toml"), &overrides)?;
    let centre = experiment.column("ball.centre_y")?;
    let (amount, end) = (water(&experiment.simulation), experiment.scene.time.end);
    let cap = |draft: f64| {
        let draft = draft.min(2.0 * radius);
        PI * draft * draft * (3.0 * radius - draft) / 3.0
    };
    let (mut curve, mut late) = (Vec::new(), Late::new(0.5 * end));
    experiment.run(|simulation, sample| {
        let draft = draft(sample[centre] - radius, amount, 0.25, cap);
        curve.push((simulation.time(), draft));
        late.add(simulation.time(), draft);
    })?;
    let plot = Plot::new("A floating ball", "time [s]", "draft [m]").line("simulated", curve);
    let row = Row::absolute("draft of a ball, density ratio 0.5 [m]", late.mean(), radius, 0.5 * spacing);
    Ok(vec![
        row.under(&experiment.conditions())
            .reporting("at least [m]", late.least)
            .reporting("at most [m]", late.most)
            .plotting(plot),
    ])
}

/// R2: water lifts a box that is held under it by ρ g V.
pub(crate) fn held_box(spacing: f64) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("world.spacing={spacing}")];
    let mut experiment = Experiment::new("R2", include_str!("../../scenes/held_box.toml"), &overrides)?;
    let lift = experiment.column("box.force_y")?;
    let mut late = Late::new(0.5 * experiment.scene.time.end);
    experiment.run(|simulation, sample| late.add(simulation.time(), sample[lift]))?;
    let expected = WATER * GRAVITY * 0.4 * 0.2;
    let row = Row::relative("lift of a held box [N/m]", late.mean(), expected, 0.02);
    Ok(vec![
        row.under(&experiment.conditions())
            .reporting("at least [N/m]", late.least)
            .reporting("at most [N/m]", late.most),
    ])
}

/// R4: a disc falls into water: what momentum changes by is what gravity and walls give. How deep it dives is told.
pub(crate) fn entry(spacing: f64) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("world.spacing={spacing}")];
    let mut experiment = Experiment::new("R4", include_str!("../../scenes/water_entry.toml"), &overrides)?;
    let momentum = experiment.column("all.momentum_x")?;
    let on_tank = experiment.column("tank.impulse_x")?;
    let centre = experiment.column("disc.centre_y")?;
    experiment.simulation.prepare()?;
    let before = Totals::of_motion(&experiment.simulation, None);
    let weight = before.mass * GRAVITY;
    let (mut off, mut lowest, mut when) = (0.0_f64, f64::INFINITY, 0.0);
    experiment.run(|simulation, sample| {
        let change = |axis: usize| sample[momentum + axis] - before.momentum[axis] + sample[on_tank + axis];
        let fallen = weight * simulation.time();
        off = off.max(change(0).hypot(change(1) + fallen));
        if sample[centre] < lowest {
            (lowest, when) = (sample[centre], simulation.time());
        }
    })?;
    let scale = weight * experiment.scene.time.end;
    let row = Row::at_most("imbalance of momentum, by the impulse of gravity [-]", off / scale, 1e-6);
    Ok(vec![
        row.under(&experiment.conditions())
            .reporting("deepest place of the disc below the level of the start [m]", 0.5 - (lowest - 0.1))
            .reporting("when [s]", when),
    ])
}

/// A light plate on the floor under a metre of water stays there, and bears it.
pub(crate) fn light_plate(spacing: f64) -> Result<Vec<Row>, CaseError> {
    let thickness = 2.0 * spacing;
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("bodies.0.shape.box.max=[1.2, {thickness}, 0.0]"),
        format!("bodies.1.shape.box={{ min = [0.0, {thickness}, 0.0], max = [1.2, {}, 0.0] }}", 1.0 + thickness),
    ];
    let mut experiment = Experiment::new("R6", include_str!("../../scenes/light_plate.toml"), &overrides)?;
    let centre = experiment.column("plate.centre_y")?;
    let force = experiment.column("floor.force_y")?;
    let (mut late, mut sunk) = (Late::new(0.5 * experiment.scene.time.end), 0.0_f64);
    experiment.run(|simulation, sample| {
        late.add(simulation.time(), -sample[force]);
        sunk = sunk.max((sample[centre] - 0.5 * thickness).abs());
    })?;
    let expected = 1.2 * GRAVITY * (WATER + 50.0 * thickness);
    let conditions = experiment.conditions();
    Ok(vec![
        Row::at_most("way of a light plate under water, by the spacing [-]", sunk / spacing, 0.1).under(&conditions),
        Row::relative("load of the floor below it [N/m]", late.mean(), expected, 0.02)
            .under(&conditions)
            .reporting("at least [N/m]", late.least)
            .reporting("at most [N/m]", late.most),
    ])
}

/// A plate with water of different depth on its sides is pushed by ½ ρ g (H² − h²).
pub(crate) fn two_levels(spacing: f64) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("world.spacing={spacing}")];
    let mut experiment = Experiment::new("R7", include_str!("../../scenes/two_levels.toml"), &overrides)?;
    let supports = [experiment.column("left.force_x")?, experiment.column("right.force_x")?];
    let centre = experiment.column("plate.centre_x")?;
    let mut late = Late::new(0.5 * experiment.scene.time.end);
    let mut places = Vec::new();
    experiment.run(|simulation, sample| {
        late.add(simulation.time(), supports.iter().map(|&k| sample[k]).sum());
        places.push(sample[centre]);
    })?;
    let expected = 0.5 * WATER * GRAVITY * (0.5_f64.powi(2) - 0.25_f64.powi(2));
    let moved = places.last().zip(places.first()).map_or(f64::NAN, |(last, first)| last - first);
    let row = Row::relative("force on a plate between two levels [N/m]", late.mean(), expected, 0.03);
    Ok(vec![
        row.under(&experiment.conditions())
            .reporting("at least [N/m]", late.least)
            .reporting("at most [N/m]", late.most)
            .reporting("moved, by the spacing", moved / spacing),
    ])
}
