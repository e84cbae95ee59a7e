//! F5: vortices in a periodic box decay as exp(−8π² t/Re) and keep their form (Taylor & Green 1937).

use std::f64::consts::PI;

use thixo_sim::measure::Totals;
use thixo_sim::{
    Dimension, Fluid, Material, Morris, NewBody, Pressure, Real, Settings, Shifting, Simulation, Vec3, Viscosity,
};

use crate::experiment::{CaseError, Conditions, Experiment};
use crate::numerics::{fitted_slope, scattered};
use crate::plot::Plot;
use crate::row::Row;

const REYNOLDS: f64 = 100.0;
const DENSITY: f64 = 1000.0;
/// When velocities are compared [s].
const END: f64 = 1.0;
/// Particles of the jittered set are moved by up to this share of the spacing.
const JITTER: f64 = 0.2;

/// The same, with the errors beside it of fluid that is not shifted, and of solvers that iterate: their pressures are not
/// negative, and in a domain that particles fill they freeze where particles are in disorder.
pub(crate) fn vortices_beside_others(
    pressure: &Pressure,
    others: [(&str, Pressure, bool); 2],
    across: u32,
) -> Result<Vec<Row>, CaseError> {
    let mut rows = vortices(pressure, true, false, across, 1.0)?;
    for (name, other, shifting) in others {
        let error = vortices(&other, shifting, false, across, 1.0)?.first().map_or(f64::NAN, |row| row.error);
        if let Some(velocities) = rows.first_mut() {
            *velocities = velocities.clone().reporting(name, error);
        }
    }
    Ok(rows)
}

/// Four vortices, with what a file gets that says nothing but what is there: a filled box, and how thick it is.
pub(crate) fn from_plain_file(overrides: &[&str], slack: f64) -> Result<Vec<Row>, CaseError> {
    let overrides: Vec<_> = overrides.iter().map(|&text| text.to_owned()).collect();
    let file = Experiment::new("F5", include_str!("../../scenes/full_box.toml"), &overrides)?;
    decay_of(periodic_box(file.simulation.settings().clone(), false)?, slack)
}

/// Four vortices, so many particles along each side; tolerances are multiplied by `slack`.
pub(crate) fn vortices(
    pressure: &Pressure,
    shifting: bool,
    jittered: bool,
    across: u32,
    slack: f64,
) -> Result<Vec<Row>, CaseError> {
    let settings = Settings {
        spacing: (1.0 / f64::from(across)) as Real,
        dimension: Dimension::Two,
        gravity: Vec3::ZERO,
        periodic: [Some([0.0, 1.0]), Some([0.0, 1.0]), None],
        pressure: pressure.clone(),
        shifting: shifting.then(Shifting::default),
        ..Settings::default()
    };
    decay_of(periodic_box(settings, jittered)?, slack)
}

/// Runs to the end, and compares what is left of the vortices.
fn decay_of(mut simulation: Simulation, slack: f64) -> Result<Vec<Row>, CaseError> {
    let mut curve = vec![(0.0, 1.0)];
    let start = speed(&simulation);
    let before = Totals::of(&simulation, None).momentum;
    let mut thinnest = 1.0_f64;
    while simulation.time() < END {
        simulation.step_until(END)?;
        curve.push((simulation.time(), speed(&simulation) / start));
    }
    let Totals { momentum, momentum_scale, .. } = Totals::of(&simulation, None);
    let added = (momentum - before).length() / momentum_scale;
    let particles = simulation.particles();
    let (mut difference, mut scale) = (0.0, 0.0);
    for i in simulation.matter() {
        let exact = velocity(particles.position[i], END);
        difference += f64::from((particles.velocity[i] - exact).length());
        scale += f64::from(exact.length());
        thinnest = thinnest.min(f64::from(particles.compression(i)));
    }
    let logarithms: Vec<_> = curve.iter().map(|&(t, v)| (t, v.ln())).collect();
    let conditions = Conditions::of(&simulation);
    let reference = (0..=20).map(|k| f64::from(k) * END / 20.0).map(|t| (t, decay(t))).collect();
    let plot = Plot::new("Taylor-Green vortices", "time [s]", "rms speed by that at the start [-]");
    let rows = [
        Row::at_most("velocities at 1 s, mean error by mean speed [-]", difference / scale, slack * 0.1)
            .reporting("least density by rest density", thinnest)
            .reporting("momentum that shifts added, by the sum of all magnitudes", added)
            .plotting(plot.line("simulated", curve).dots("exact", reference)),
        Row::relative("rate of decay [1/s]", -fitted_slope(&logarithms), 8.0 * PI * PI / REYNOLDS, slack * 0.05),
    ];
    Ok(rows.map(|row| row.under(&conditions)).into())
}

/// Speeds at a time by those at the start.
fn decay(time: f64) -> f64 {
    (-8.0 * PI * PI / REYNOLDS * time).exp()
}

/// The exact flow.
fn velocity(place: Vec3, time: f64) -> Vec3 {
    let (x, y) = (2.0 * PI * f64::from(place.x), 2.0 * PI * f64::from(place.y));
    let (u, v) = (-x.cos() * y.sin() * decay(time), x.sin() * y.cos() * decay(time));
    Vec3::new(u as Real, v as Real, 0.0)
}

/// Root of the mean squared speed.
fn speed(simulation: &Simulation) -> f64 {
    let velocity = &simulation.particles().velocity[simulation.matter()];
    (velocity.iter().map(|v| f64::from(v.length_squared())).sum::<f64>() / velocity.len() as f64).sqrt()
}

fn periodic_box(settings: Settings, jittered: bool) -> Result<Simulation, CaseError> {
    let across = (1.0 / settings.spacing).round() as u32;
    let spacing = 1.0 / f64::from(across);
    let viscosity = Viscosity::Morris(Morris { dynamic_viscosity: (DENSITY / REYNOLDS) as Real });
    let material = Material { density: DENSITY as Real, fluid: Fluid { viscosity }, ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![material])?;
    let scatter: Vec<_> = scattered(2 * across * across).map(|s| (2.0 * s - 1.0) * JITTER * spacing).collect();
    let place = |k: u32| {
        let off = |axis: u32| if jittered { scatter[(2 * k + axis) as usize] } else { 0.0 };
        let centre = |n: u32, axis: u32| ((f64::from(n) + 0.5) * spacing + off(axis)) as Real;
        Vec3::new(centre(k % across, 0), centre(k / across, 1), 0.0)
    };
    let position: Vec<_> = (0..across * across).map(place).collect();
    let velocity = position.iter().map(|&x| velocity(x, 0.0)).collect();
    simulation.add_body(NewBody { name: "water".into(), position, velocity, ..NewBody::default() })?;
    Ok(simulation)
}
