//! I1 to I3: as much as is let in is there; a channel keeps its profile; what comes and goes keeps its balance.

use glam::DVec3;
use thixo_sim::measure::Totals;
use thixo_sim::{Dimension, Simulation};

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

/// Where the nozzle of the jet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Over the water.
    Above,
    /// Under water, pointing along the tank.
    Below,
    /// Over the water, to and fro.
    Moving,
}

/// The area of the tank, and of the nozzle [m²].
const TANK: f64 = 0.6 * 0.4;
const NOZZLE: f64 = std::f64::consts::PI * 0.05 * 0.05;

/// I1: a jet of 1 m/s from a disc into a tank for 5 s.
pub(crate) fn jet(place: Place, solver: &str, spacing: f64, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let mut overrides = vec![format!("world.spacing={spacing}"), format!("pressure={{ {solver} = {{}} }}")];
    match place {
        Place::Above => {}
        Place::Below => overrides.extend([
            "emitters.0.shape.disc.centre=[0.24, 0.12, 0.2]".to_owned(),
            "emitters.0.shape.disc.normal=[1, 0, 0]".to_owned(),
        ]),
        Place::Moving => overrides.extend([
            "emitters.0.path=[{ time = 0.0 }, { time = 1.0, translation = [0.15, 0, 0.05] }, { time = 3.0, translation = [-0.15, 0, -0.05] }, { time = 4.0 }]".to_owned(),
            "emitters.0.repeat=true".to_owned(),
            "emitters.0.interpolation=\"smooth\"".to_owned(),
        ]),
    }
    let mut experiment = Experiment::new("I1", include_str!("../../scenes/jet_into_tank.toml"), &overrides)?;
    let pipe = pipe_under_water(&experiment.simulation);
    let before = experiment.simulation.matter().len();
    let casing = casing_at(&experiment.simulation);
    let (mut levels, mut early, mut late) = (Vec::new(), Mean::default(), Mean::default());
    let (mut compression, mut deviation) = (Mean::default(), Mean::default());
    experiment.run(|simulation, _| {
        let (time, level) = (simulation.time(), level(simulation, pipe));
        levels.push((time, level));
        if (0.5..1.0).contains(&time) {
            early.add(level);
        }
        if time > 7.0 {
            late.add(level);
        }
        if (1.5..6.0).contains(&time) {
            for (phi, is_core) in at_nozzle(simulation, place, casing_at(simulation) - casing) {
                compression.add((phi - 1.0).max(0.0));
                if is_core {
                    deviation.add((phi - 1.0).abs());
                }
            }
        }
    })?;
    let simulation = &experiment.simulation;
    let (let_in, start) = (NOZZLE * 5.0, early.mean());
    let came = (simulation.matter().len() - before) as f64 * spacing.powi(3);
    let risen = (late.mean() - start) * TANK;
    let (name, end) = (format!("{place:?}").to_lowercase(), experiment.scene.time.end);
    let full = start + let_in / TANK;
    let plot = Plot::new("A tank is filled", "time [s]", "level [m]")
        .line("simulated", levels)
        .line("what is let in", vec![(0.0, start), (1.0, start), (6.0, full), (end, full)]);
    let conditions = experiment.conditions();
    Ok(vec![
        Row::relative(&format!("volume by the level, nozzle {name} [m^3]"), risen, let_in, tolerance)
            .under(&conditions)
            .reporting("volume of what came [m^3]", came)
            .plotting(plot),
        Row::relative(&format!("volume of what came, nozzle {name} [m^3]"), came, let_in, 0.005).under(&conditions),
        Row::at_most(&format!("compression at the nozzle, {name} [-]"), compression.mean(), 0.01)
            .under(&conditions)
            .reporting("worst [-]", compression.most)
            .reporting("difference to the rest density within the stream [-]", deviation.mean()),
    ])
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
    most: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        (self.sum, self.count, self.most) = (self.sum + value, self.count + 1.0, self.most.max(value));
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}

/// Volume and mean height of the walls that stand in the water: the pipe of a nozzle below it.
fn pipe_under_water(simulation: &Simulation) -> (f64, f64) {
    let emitter = &simulation.emitters()[0];
    let particles = simulation.particles();
    // The casing is a wall as bodies are, and what waits follows it in the list.
    let slots = [emitter.nozzle.slot, emitter.nozzle.slot + 1];
    let own: Vec<usize> = simulation.world().kinds.walls().filter(|&i| slots.contains(&particles.body[i])).collect();
    let heights = own.iter().map(|&i| f64::from(particles.position[i].y));
    let is_under = heights.clone().all(|height| height < 0.24);
    let volume: f64 = own.iter().map(|&i| f64::from(particles.rest_volume[i])).sum();
    if is_under { (volume, heights.sum::<f64>() / own.len() as f64) } else { (0.0, 0.0) }
}

/// The level of water in the tank [m], by its mean height: A H²/2 − V y = (A H − V) ȳ with a pipe of volume V at y in it.
fn level(simulation: &Simulation, (volume, height): (f64, f64)) -> f64 {
    let mean = Totals::of_motion(simulation, None).centre().y;
    mean + (mean * mean - 2.0 * volume * (mean - height) / TANK).max(0.0).sqrt()
}

/// The mean place of the casing of the nozzle [m].
fn casing_at(simulation: &Simulation) -> DVec3 {
    let (particles, nozzle) = (simulation.particles(), simulation.emitters()[0].nozzle);
    let places =
        simulation.particles_of(nozzle).map(|i| DVec3::from_array(particles.position[i].to_array().map(f64::from)));
    places.clone().sum::<DVec3>() / places.count() as f64
}

/// φ of the particles within a support of the nozzle, which has moved so far, and whether they are within the stream. In the air,
/// one at its edge has none beside it; and a stream that falls faster and faster is drawn out, and less dense.
fn at_nozzle(simulation: &Simulation, place: Place, moved: DVec3) -> impl Iterator<Item = (f64, bool)> + '_ {
    let (particles, reach) = (simulation.particles(), f64::from(simulation.pairs().kernel().support()));
    simulation.matter().filter_map(move |i| {
        let x = DVec3::from_array(particles.position[i].to_array().map(f64::from)) - moved;
        let (along, across) = match place {
            Place::Above | Place::Moving => (0.55 - x.y, (x.x - 0.3).hypot(x.z - 0.2)),
            Place::Below => (x.x - 0.24, (x.y - 0.12).hypot(x.z - 0.2)),
        };
        let core = if place == Place::Below { 0.05 } else { 0.05 - reach };
        let is_there = (0.0..reach).contains(&along) && across <= 0.05;
        is_there.then(|| (f64::from(particles.compression(i)), across <= core))
    })
}

/// I2: an open channel keeps its profile: velocity over the depth, and depth, half way down.
pub(crate) fn channel(solver: &str, spacing: f64, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("world.spacing={spacing}"), format!("pressure={{ {solver} = {{}} }}")];
    let mut experiment = Experiment::new("I2", include_str!("../../scenes/open_channel.toml"), &overrides)?;
    let (deep, speed, section) = (0.2, 2.5, [1.6, 2.2]);
    let mut layers = [Mean::default(); 5];
    let (mut depth, mut density) = (Mean::default(), Mean::default());
    experiment.run(|simulation, _| {
        if simulation.time() < 3.0 {
            return;
        }
        let particles = simulation.particles();
        let reach = f64::from(simulation.pairs().kernel().support());
        let mut count = 0.0;
        for i in simulation.matter() {
            let [x, y, _] = particles.position[i].to_array().map(f64::from);
            if (section[0]..section[1]).contains(&x) {
                count += 1.0;
                let layer = ((y / deep * 5.0) as usize).min(4);
                layers[layer].add(f64::from(particles.velocity[i].x));
            }
            // Below the surface, which reads less.
            if x < reach && y < deep - reach {
                density.add(f64::from((particles.compression(i) - 1.0).abs()));
            }
        }
        depth.add(count * spacing * spacing / (section[1] - section[0]));
    })?;
    let worst = layers.iter().map(|layer| (layer.mean() / speed - 1.0).abs()).fold(0.0, f64::max);
    let profile = layers.iter().enumerate().map(|(k, layer)| (layer.mean(), deep * (k as f64 + 0.5) / 5.0)).collect();
    let plot = Plot::new("A channel half way down", "velocity [m/s]", "height [m]")
        .line("simulated", profile)
        .line("what comes in", vec![(speed, 0.0), (speed, deep)]);
    let conditions = experiment.conditions();
    Ok(vec![
        Row::at_most("deviation of the profile of velocity [-]", worst, tolerance).under(&conditions).plotting(plot),
        Row::relative("depth [m]", depth.mean(), deep, tolerance).under(&conditions),
        Row::at_most("density error at the inflow [-]", density.mean(), 0.01)
            .under(&conditions)
            .reporting("worst [-]", density.most),
    ])
}

/// I3: what comes in and goes out keeps its balance: the number of particles, and the memory for them.
pub(crate) fn balance(spacing: f64, end: f64) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("world.spacing={spacing}"), format!("time.end={end}")];
    let mut experiment = Experiment::new("I3", include_str!("../../scenes/open_channel.toml"), &overrides)?;
    let (mut counts, mut rooms, mut curve) = (Mean::default(), Mean::default(), Vec::new());
    let (mut fewest, mut first_room) = (f64::INFINITY, f64::NAN);
    experiment.run(|simulation, _| {
        let count = simulation.matter().len() as f64;
        curve.push((simulation.time(), count));
        if simulation.time() > 3.0 {
            counts.add(count);
            fewest = fewest.min(count);
            let room = simulation.particles().position.capacity() as f64;
            first_room = if first_room.is_nan() { room } else { first_room };
            rooms.add(room);
        }
    })?;
    let deviation = (counts.most / counts.mean() - 1.0).max(1.0 - fewest / counts.mean());
    let simulation = &experiment.simulation;
    assert_eq!(simulation.settings().dimension, Dimension::Two);
    let (came, went) = (simulation.emitters()[0].emitted, simulation.sinks()[0].taken);
    let conditions = experiment.conditions();
    Ok(vec![
        Row::at_most("deviation of the number of particles [-]", deviation, 0.01)
            .under(&conditions)
            .reporting("came", came as f64)
            .reporting("went", went as f64)
            .plotting(Plot::new("A channel in balance", "time [s]", "particles").line("simulated", curve)),
        Row::at_most("growth of the memory for particles [-]", rooms.most / first_room - 1.0, 0.0).under(&conditions),
    ])
}
