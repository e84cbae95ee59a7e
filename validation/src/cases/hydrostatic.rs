//! F1: water at rest carries its weight, p = ρ g (level − y).

use thixo_sim::measure::Totals;
use thixo_sim::{Force, Real, Simulation, StepContext, Vec3};

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
/// Motion is braked until then [s].
const BRAKED_UNTIL: f64 = 1.0;
/// Pressures are averaged over the end of the run [s].
const AVERAGED: f64 = 0.5;

/// A tank 1 m wide and deep.
pub(crate) fn plane(layers: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let spacing = 1.0 / f64::from(layers);
    let overrides = [format!("world.spacing={spacing}"), format!("probes.0.pressure.radius={}", 3.0 * spacing)];
    let experiment = Experiment::new("F1.2d", include_str!("../../scenes/still_water_2d.toml"), &overrides)?;
    settle(experiment, 1.0, tolerance)
}

/// A tank 0.5 m wide and deep.
pub(crate) fn space(layers: u32, support_over_spacing: f64, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let spacing = 0.5 / f64::from(layers);
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("world.kernel.wendland_c2.support_over_spacing={support_over_spacing:?}"),
        format!("probes.0.pressure.radius={}", support_over_spacing * spacing),
    ];
    let experiment = Experiment::new("F1.3d", include_str!("../../scenes/still_water_3d.toml"), &overrides)?;
    settle(experiment, 0.5, tolerance)
}

/// Brakes everything at first: without it the sound of the start would run up and down for minutes.
struct Brake {
    until: f64,
    rate: Real,
}

impl Force for Brake {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        if step.world.clock.time < self.until {
            for (a, v) in acceleration.iter_mut().zip(&step.world.particles.velocity) {
                *a -= *v * self.rate;
            }
        }
    }
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
        for i in 0..simulation.movable() {
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

fn settle(mut experiment: Experiment, depth: f64, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let count = experiment.simulation.movable();
    let mut means =
        Means { samples: 0.0, pressure: vec![0.0; count], height: vec![0.0; count], bottom: 0.0, speed_squared: 0.0 };
    experiment.simulation.add_force(Box::new(Brake { until: BRAKED_UNTIL, rate: 10.0 }));
    let start = experiment.scene.time.end - AVERAGED;
    experiment.run(|simulation, sample| {
        if simulation.time() > start {
            means.add(simulation, sample[0]);
        }
    })?;
    let samples = means.samples;
    let points: Vec<_> = means.height.iter().zip(&means.pressure).map(|(y, p)| (y / samples, p / samples)).collect();
    let weight = |y: f64| DENSITY * GRAVITY * (depth - y);
    let difference: f64 = points.iter().map(|&(y, p)| (p - weight(y)).powi(2)).sum();
    let scale: f64 = points.iter().map(|&(y, _)| weight(y).powi(2)).sum();
    let spacing = experiment.scene.world.spacing;
    let level = level(&points, spacing);
    // The state equation lets the column settle by its own weight; that is physics.
    let settled = depth * compression(&experiment.simulation, depth);
    let speed = (means.speed_squared / samples).sqrt();
    let conditions = experiment.conditions();
    let rows = [
        Row::at_most("pressure against depth, relative L2 [-]", (difference / scale).sqrt(), tolerance)
            .plotting(profile(points, depth)),
        Row::relative("pressure at the bottom [Pa]", means.bottom / samples, weight(0.0), tolerance),
        Row::at_most("rms speed by sqrt(g depth) [-]", speed / (GRAVITY * depth).sqrt(), 2e-3),
        Row::new(
            "level of the surface, by the spacing [m]",
            level,
            depth - settled,
            (level - depth + settled).abs() / spacing,
            0.5,
        ),
    ];
    Ok(rows.map(|row| row.under(&conditions)).into())
}

/// Mean relative compression of a column by its weight, g depth / (2 c²).
fn compression(simulation: &Simulation, depth: f64) -> f64 {
    let particles = simulation.particles();
    let (sum, count) = (0..simulation.movable()).fold((0.0, 0), |(sum, count), i| {
        let phi = f64::from(particles.compression(i));
        // Particles at the surface miss neighbours; they are not stretched.
        if f64::from(particles.pressure[i]) > 0.0 && f64::from(particles.position[i].y) < 0.9 * depth {
            (sum + phi - 1.0, count + 1)
        } else {
            (sum, count)
        }
    });
    sum / f64::from(count.max(1))
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
