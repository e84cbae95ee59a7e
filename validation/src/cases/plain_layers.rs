//! F13 from a file that says nothing but what is there, and perhaps which solver: at rest, and while the fluids slosh.
//!
//! In motion the tank begins to be accelerated to the left, so that both surfaces swing about a slope. The distance is the
//! mean over particles that are each other's nearest. Where the fluids meet is half way between such particles, and
//! pressures of the layers on either side are continued to there along a line. All are means over the interface and over time.

use thixo_sim::{BodyId, Simulation};

use super::two_layers::{AVERAGED, GRAVITY, HEAVY, LAYERS, TOUCHING, neighbours_across};
use crate::experiment::{CaseError, Experiment};
use crate::numerics::fitted_slope;
use crate::row::Row;

/// The acceleration of the tank [m/s²].
const PUSH: f64 = 1.5;
/// The interface at a place is where it is within so many spacings to the sides.
const BESIDE: f64 = 2.5;

/// Both ratios, at rest and in motion, with a pressure solver as a scene writes it, if it names one.
pub(crate) fn touch(pressure: Option<&str>) -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    for light in [100.0, 10.0] {
        rows.extend(measure(pressure, light, "at rest", 0.0)?);
        rows.extend(measure(pressure, light, "in motion", PUSH)?);
    }
    Ok(rows)
}

fn measure(pressure: Option<&str>, light: f64, how: &str, push: f64) -> Result<[Row; 2], CaseError> {
    let mut overrides = vec![format!("materials.light.density={light}")];
    overrides.extend(pressure.map(|pressure| format!("pressure={pressure}")));
    if push > 0.0 {
        overrides.push(format!("world.gravity=[{push}, {}, 0.0]", -GRAVITY));
    }
    let mut experiment = Experiment::new("F13", include_str!("../../scenes/two_layers_plain.toml"), &overrides)?;
    let spacing = experiment.scene.world.spacing;
    // What rests is looked at in the end, what moves from the beginning.
    let from = if push > 0.0 { 0.0 } else { experiment.scene.time.end - AVERAGED };
    let bodies = [experiment.body("heavy")?, experiment.body("light")?];
    let (mut sums, mut fastest, mut before) = ([0.0; 4], 0.0_f64, 0.0);
    experiment.run(|simulation, _| {
        let elapsed = simulation.time() - before;
        before = simulation.time();
        if before > from {
            let Sample { distance, pressure: [below, above], fastest: speed } = Sample::of(simulation, bodies, spacing);
            let values = [1.0, distance / spacing, below, above];
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += elapsed * value);
            fastest = fastest.max(speed);
        }
    })?;
    let [distance, below, above] = [1, 2, 3].map(|k| sums[k] / sums[0]);
    let allowed = 0.05 * 0.5 * (below + above).abs() + 0.1 * HEAVY * GRAVITY * spacing;
    let [low, high] = TOUCHING;
    let middle = 0.5 * (low + high);
    let quantity = format!("distance of the fluids by the spacing, 1000:{light}, {how} [-]");
    let rows = [
        Row::absolute(&quantity, distance, middle, middle - low).reporting("fastest particle [m/s]", fastest),
        Row::at_most(&format!("jump of pressure, 1000:{light}, {how} [Pa]"), (below - above).abs(), allowed)
            .reporting("pressure below [Pa]", below)
            .reporting("pressure above [Pa]", above),
    ];
    let conditions = experiment.conditions();
    Ok(rows.map(|row| row.under(&conditions)))
}

/// What is measured at a moment.
struct Sample {
    /// Mean distance of the fluids [m].
    distance: f64,
    /// Mean pressure where they meet, of the heavy fluid and of the light one [Pa].
    pressure: [f64; 2],
    /// The highest speed [m/s].
    fastest: f64,
}

impl Sample {
    fn of(simulation: &Simulation, bodies: [BodyId; 2], spacing: f64) -> Sample {
        let particles = simulation.particles();
        let place = |i: usize| (f64::from(particles.position[i].x), f64::from(particles.position[i].y));
        let pairs = neighbours_across(simulation, bodies);
        let between = |&(i, j, _): &(usize, usize, f64)| {
            let (a, b) = (place(i), place(j));
            (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1))
        };
        let interface: Vec<_> = pairs.iter().map(between).collect();
        let height = |x: f64| {
            let beside = interface.iter().filter(|at| (at.0 - x).abs() < BESIDE * spacing);
            let (sum, count) = beside.fold((0.0, 0.0), |(sum, count), at| (sum + at.1, count + 1.0));
            (count > 0.0).then(|| sum / count)
        };
        let pressure = bodies.map(|body| {
            let above = |i: usize| {
                let (x, y) = place(i);
                Some((y - height(x)?, f64::from(particles.pressure[i])))
            };
            let layers = simulation.particles_of(body).filter_map(above);
            let near: Vec<_> = layers.filter(|(y, _)| y.abs() < LAYERS * spacing).collect();
            let count = near.len() as f64;
            let (y, p) = near.iter().fold((0.0, 0.0), |(y, p), point| (y + point.0 / count, p + point.1 / count));
            p - fitted_slope(&near) * y
        });
        let speed = |i: usize| f64::from(particles.velocity[i].length());
        Sample {
            distance: pairs.iter().map(|pair| pair.2).sum::<f64>() / pairs.len() as f64,
            pressure,
            fastest: simulation.matter().map(speed).fold(0.0, f64::max),
        }
    }
}
