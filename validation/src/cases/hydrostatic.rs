//! F1: water at rest carries its weight, p = ρ g (level − y).

use thixo_sim::Simulation;
use thixo_sim::measure::Totals;

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
/// Pressures are averaged over the end of the run [s].
const AVERAGED: f64 = 0.5;

/// Densities follow the motion: exact at a free surface too.
pub(crate) const CONTINUITY: &str = "continuity";
/// Densities are summed: the upper layers miss neighbours, read too little, and sink until they do not.
pub(crate) const SUMMATION: &str = "summation";

/// A tank 1 m wide and deep; tolerances are multiplied by `slack`.
pub(crate) fn plane(layers: u32, density: &str, slack: f64) -> Result<Vec<Row>, CaseError> {
    let spacing = 1.0 / f64::from(layers);
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("pressure.wcsph.density={density}"),
        format!("probes.0.pressure.radius={}", 3.0 * spacing),
    ];
    let experiment = Experiment::new("F1.2d", include_str!("../../scenes/still_water_2d.toml"), &overrides)?;
    settle(experiment, 1.0, 0.02, slack)
}

/// A tank 0.5 m wide and deep; tolerances are multiplied by `slack`.
pub(crate) fn space(layers: u32, support_over_spacing: f64, density: &str, slack: f64) -> Result<Vec<Row>, CaseError> {
    let spacing = 0.5 / f64::from(layers);
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("pressure.wcsph.density={density}"),
        format!("world.kernel.wendland_c2.support_over_spacing={support_over_spacing:?}"),
        format!("probes.0.pressure.radius={}", support_over_spacing * spacing),
    ];
    let experiment = Experiment::new("F1.3d", include_str!("../../scenes/still_water_3d.toml"), &overrides)?;
    // With 26 neighbours a lattice in equilibrium reads two to five per cent more than its weight.
    let tolerance = if support_over_spacing < 3.0 { 0.06 } else { 0.02 };
    settle(experiment, 0.5, tolerance, slack)
}

/// The same at a support of 3 spacings, with the error of summed densities reported beside that of the motion's: it is at
/// the edge of the tolerance, now on this side and now on the other, and not hidden.
pub(crate) fn space_both_ways(layers: u32) -> Result<Vec<Row>, CaseError> {
    let mut rows = space(layers, 3.0, CONTINUITY, 1.0)?;
    let summed = space(layers, 3.0, SUMMATION, 1.0)?.first().map_or(f64::NAN, |row| row.error);
    if let Some(pressures) = rows.first_mut() {
        *pressures = pressures.clone().reporting("if densities are summed", summed);
    }
    Ok(rows)
}

/// The plane tank with a solver that iterates.
pub(crate) fn plane_with(solver: &str, layers: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let experiment = with(solver, include_str!("../../scenes/still_water_2d.toml"), 1.0 / f64::from(layers), &[])?;
    settle(experiment, 1.0, 0.02, slack)
}

/// The tank in space with a solver that iterates, at a support of 2 spacings.
pub(crate) fn space_with(solver: &str, layers: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let scene = include_str!("../../scenes/still_water_3d.toml");
    let support = "world.kernel.wendland_c2.support_over_spacing=2.0".to_owned();
    let experiment = with(solver, scene, 0.5 / f64::from(layers), &[support])?;
    settle(experiment, 0.5, 0.06, slack)
}

fn with(solver: &str, scene: &str, spacing: f64, others: &[String]) -> Result<Experiment, CaseError> {
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("pressure={{ {solver} = {{}} }}"),
        format!("probes.0.pressure.radius={}", 3.0 * spacing),
    ];
    Experiment::new("F1", scene, &[&overrides, others].concat())
}

/// Sums over time for each particle, by its number.
struct Means {
    samples: f64,
    pressure: Vec<f64>,
    height: Vec<f64>,
    bottom: f64,
    speed_squared: f64,
}

impl Means {
    fn add(&mut self, simulation: &Simulation, bottom: f64) {
        let particles = simulation.particles();
        for i in simulation.matter() {
            let id = particles.id[i] as usize;
            self.pressure[id] += f64::from(particles.pressure[i]);
            self.height[id] += f64::from(particles.position[i].y);
        }
        let totals = Totals::of(simulation, None);
        self.samples += 1.0;
        self.bottom += bottom;
        self.speed_squared += 2.0 * totals.kinetic / totals.mass;
    }
}

fn settle(mut experiment: Experiment, depth: f64, tolerance: f64, slack: f64) -> Result<Vec<Row>, CaseError> {
    let count = experiment.simulation.matter().len();
    let mut means =
        Means { samples: 0.0, pressure: vec![0.0; count], height: vec![0.0; count], bottom: 0.0, speed_squared: 0.0 };
    let start = experiment.scene.time.end - AVERAGED;
    experiment.run(|simulation, sample| {
        if simulation.time() > start {
            means.add(simulation, sample[0]);
        }
    })?;
    let samples = means.samples;
    let points: Vec<_> = means.height.iter().zip(&means.pressure).map(|(y, p)| (y / samples, p / samples)).collect();
    let column = Column::of(&experiment.simulation, depth);
    let difference: f64 = points.iter().map(|&(y, p)| (p - column.pressure(y)).powi(2)).sum();
    let scale: f64 = points.iter().map(|&(y, _)| column.pressure(y).powi(2)).sum();
    let spacing = experiment.scene.world.spacing;
    let (level, settled) = (level(&points, spacing), column.height(depth));
    let speed = (means.speed_squared / samples / (GRAVITY * depth)).sqrt();
    let conditions = experiment.conditions();
    let rows = [
        Row::at_most("pressure against depth, relative L2 [-]", (difference / scale).sqrt(), slack * tolerance)
            .plotting(profile(points, depth)),
        Row::relative("pressure at the bottom [Pa]", means.bottom / samples, column.pressure(0.0), slack * tolerance),
        Row::at_most("rms speed by sqrt(g depth) [-]", speed, slack * 2e-3),
        Row::new("level, its error by the spacing [m]", level, settled, (level - settled).abs() / spacing, slack * 0.5),
    ];
    Ok(rows.map(|row| row.under(&conditions)).into())
}

/// A column of weakly compressible fluid under its own weight.
///
/// A layer that was at the height Y carries what is above it, p = ρ0 g (depth − Y), and has sunk by the
/// compression below it, ∫ g (depth − Y)/c² dY: that is physics, and no error.
struct Column {
    depth: f64,
    /// g/c² [1/m].
    softness: f64,
}

impl Column {
    fn of(simulation: &Simulation, depth: f64) -> Column {
        // What a state equation remembers is its stiffness, the square of the speed of sound; without sound there is none.
        let stiffness = match simulation.settings().pressure.signal_speed(1.0) {
            Some(_) => simulation.state().memory.number("stiffness").map_or(f64::INFINITY, f64::from),
            None => f64::INFINITY,
        };
        Column { depth, softness: GRAVITY / stiffness }
    }

    /// Where the layer is that was at a height.
    fn height(&self, original: f64) -> f64 {
        original - self.softness * (self.depth * original - 0.5 * original * original)
    }

    /// Pressure at a height.
    fn pressure(&self, y: f64) -> f64 {
        // The sinking is a fraction of a per cent: two rounds are exact to a millionth.
        let original = y + (y - self.height(y));
        let original = original + (y - self.height(original));
        DENSITY * GRAVITY * (self.depth - original)
    }
}

/// The highest layer: mean height of the particles above all but one layer, plus half a spacing.
fn level(points: &[(f64, f64)], spacing: f64) -> f64 {
    let highest = points.iter().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
    let top: Vec<_> = points.iter().map(|point| point.0).filter(|y| *y > highest - 0.5 * spacing).collect();
    top.iter().sum::<f64>() / top.len().max(1) as f64 + 0.5 * spacing
}

fn profile(points: Vec<(f64, f64)>, depth: f64) -> Plot {
    // A page of ten thousand dots helps nobody.
    let every = points.len().div_ceil(400);
    let shown: Vec<_> = points.into_iter().step_by(every).map(|(y, p)| (p, y)).collect();
    let line = vec![(0.0, depth), (DENSITY * GRAVITY * depth, 0.0)];
    Plot::new("Water at rest", "pressure [Pa]", "height [m]").line("weight above", line).dots("particles", shown)
}
