//! F13, in motion: a light fluid on a heavy one stays in touch with it.

use thixo_sim::measure::Totals;
use thixo_sim::{BodyId, Simulation};

use crate::experiment::{CaseError, Experiment};
use crate::numerics::fitted_slope;
use crate::plot::Plot;
use crate::row::Row;

pub(super) const GRAVITY: f64 = 9.81;
pub(super) const HEAVY: f64 = 1000.0;
/// Depth of each fluid [m].
const DEPTH: f64 = 0.24;
/// The distance of particles that touch, by the spacing [-].
pub(super) const TOUCHING: [f64; 2] = [0.9, 1.15];
/// Distances and pressures are averaged over the end of the run [s].
pub(super) const AVERAGED: f64 = 0.5;
/// Layers on each side of the interface through which a line is laid.
pub(super) const LAYERS: f64 = 4.0;

/// Two fluids at rest, with a pressure solver as a scene writes it, and the density of the light one.
pub(crate) fn rest(pressure: &str, light: f64) -> Result<Vec<Row>, CaseError> {
    let overrides = [format!("pressure={{ {pressure} }}"), format!("materials.light.density={light}")];
    let mut experiment = Experiment::new("F13", include_str!("../../scenes/two_layers.toml"), &overrides)?;
    let end = experiment.scene.time.end;
    let bodies = [experiment.body("heavy")?, experiment.body("light")?];
    let mut means = Means::new(experiment.simulation.matter().len(), bodies);
    experiment.run(|simulation, _| {
        if simulation.time() > end - AVERAGED {
            means.add(simulation);
        }
    })?;
    let spacing = experiment.scene.world.spacing;
    let (jump, profile) = means.jump(&experiment.simulation, spacing);
    let at_interface = light * GRAVITY * DEPTH;
    let bottom = at_interface + HEAVY * GRAVITY * DEPTH;
    let [low, high] = TOUCHING;
    let middle = 0.5 * (low + high);
    let quantity = format!("distance of the fluids by the spacing, 1000:{light} [-]");
    let speed = (means.speed_squared / means.samples / (2.0 * GRAVITY * DEPTH)).sqrt();
    let plot = Plot::new("Two fluids at rest", "pressure [Pa]", "height [m]");
    let weight = vec![(0.0, 2.0 * DEPTH), (at_interface, DEPTH), (bottom, 0.0)];
    let rows = [
        Row::absolute(&quantity, means.distance / means.samples / spacing, middle, middle - low)
            .reporting("rms speed by sqrt(g depth)", speed)
            .plotting(plot.line("weight above", weight).dots("particles", profile)),
        Row::at_most(&format!("jump of pressure by that at the bottom, 1000:{light} [-]"), jump.abs() / bottom, 0.05)
            .reporting("by that at the interface", jump / at_interface),
    ];
    let conditions = experiment.conditions();
    Ok(rows.map(|row| row.under(&conditions)).into())
}

/// A method that is known to keep the fluids apart.
pub(crate) fn apart(pressure: &str, light: f64) -> Result<Vec<Row>, CaseError> {
    Ok(rest(pressure, light)?.into_iter().take(1).map(Row::expected_to_fail).collect())
}

/// Particles of the two fluids that are each other's nearest: the light one, the heavy one and how far apart [m].
pub(super) fn neighbours_across(simulation: &Simulation, bodies: [BodyId; 2]) -> Vec<(usize, usize, f64)> {
    let particles = simulation.particles();
    let [heavy, light] = bodies.map(|body| simulation.particles_of(body).collect::<Vec<_>>());
    let nearest = |i: usize, others: &[usize]| {
        let apart = |&j: &usize| (f64::from((particles.position[i] - particles.position[j]).length()), j);
        others.iter().map(apart).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mutual = |&i: &usize| {
        let (r, j) = nearest(i, &heavy)?;
        (nearest(j, &light)?.1 == i).then_some((i, j, r))
    };
    light.iter().filter_map(mutual).collect()
}

/// Mean distance of particles of the two fluids that are each other's nearest [m].
fn distance(simulation: &Simulation, bodies: [BodyId; 2]) -> f64 {
    let pairs = neighbours_across(simulation, bodies);
    pairs.iter().map(|pair| pair.2).sum::<f64>() / pairs.len() as f64
}

/// Sums over time for each particle, by its number.
struct Means {
    /// The heavy fluid and the light one.
    bodies: [BodyId; 2],
    samples: f64,
    pressure: Vec<f64>,
    height: Vec<f64>,
    distance: f64,
    speed_squared: f64,
}

impl Means {
    fn new(count: usize, bodies: [BodyId; 2]) -> Means {
        let (pressure, height) = (vec![0.0; count], vec![0.0; count]);
        Means { bodies, samples: 0.0, pressure, height, distance: 0.0, speed_squared: 0.0 }
    }

    fn add(&mut self, simulation: &Simulation) {
        let particles = simulation.particles();
        for i in simulation.matter() {
            let id = particles.id[i] as usize;
            self.pressure[id] += f64::from(particles.pressure[i]);
            self.height[id] += f64::from(particles.position[i].y);
        }
        self.distance += distance(simulation, self.bodies);
        let totals = Totals::of(simulation, None);
        self.speed_squared += 2.0 * totals.kinetic / totals.mass;
        self.samples += 1.0;
    }

    /// Pressure of the heavy fluid less that of the light one where they meet [Pa], and all pressures by height.
    fn jump(&self, simulation: &Simulation, spacing: f64) -> (f64, Vec<(f64, f64)>) {
        let particles = simulation.particles();
        let point = |i: usize| {
            let id = particles.id[i] as usize;
            (self.height[id] / self.samples, self.pressure[id] / self.samples)
        };
        let points = |body: BodyId| simulation.particles_of(body).map(point);
        let at_interface = |body: BodyId| {
            let near: Vec<_> = points(body).filter(|(y, _)| (y - DEPTH).abs() < LAYERS * spacing).collect();
            let count = near.len() as f64;
            let (y, p) = near.iter().fold((0.0, 0.0), |(y, p), point| (y + point.0 / count, p + point.1 / count));
            p + fitted_slope(&near) * (DEPTH - y)
        };
        let [heavy, light] = self.bodies;
        (at_interface(heavy) - at_interface(light), points(heavy).chain(points(light)).map(|(y, p)| (p, y)).collect())
    }
}
