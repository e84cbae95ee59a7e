//! F4: a standing wave in a tank, ω² = g k tanh(k H).

use std::f64::consts::PI;

use thixo_sim::{Dimension, Material, NewBody, NewWall, Pressure, Real, Settings, Simulation, Vec3};

use crate::experiment::{CaseError, Conditions};
use crate::plot::Plot;
use crate::row::Row;

const GRAVITY: f64 = 9.81;

/// The first mode of a tank 1 m wide, so many particles deep.
pub(crate) fn first_mode(pressure: &Pressure, depth_in_particles: i32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let (width, depth, amplitude) = (1.0, 0.5, 0.025);
    let mut simulation = tank(pressure.clone(), width, depth, amplitude, depth_in_particles)?;
    let wave = PI / width;
    let period = 2.0 * PI / (GRAVITY * wave * (wave * depth).tanh()).sqrt();
    let mode = |simulation: &Simulation| {
        let position = &simulation.particles().position[..simulation.movable()];
        position.iter().map(|x| (wave * f64::from(x.x)).cos()).sum::<f64>() / position.len() as f64
    };
    let start = mode(&simulation);
    let mut curve = vec![(0.0, 1.0)];
    let end = 3.2 * period;
    while simulation.time() < end {
        simulation.step_until(end)?;
        curve.push((simulation.time(), mode(&simulation) / start));
    }
    let crossings: Vec<_> = curve
        .windows(2)
        .filter(|pair| pair[0].1.signum() != pair[1].1.signum())
        .map(|pair| pair[0].0 + (pair[1].0 - pair[0].0) * pair[0].1 / (pair[0].1 - pair[1].1))
        .collect();
    let (Some(first), Some(last)) = (crossings.first(), crossings.last()) else {
        return Err(CaseError::Nothing("no wave came"));
    };
    let found = 2.0 * (last - first) / (crossings.len() as f64 - 1.0);
    let late = curve.iter().filter(|(t, _)| *t > 2.5 * period).map(|(_, a)| a.abs()).fold(0.0, f64::max);
    let reference = (0..=200).map(|k| f64::from(k) * end / 200.0).map(|t| (t, (2.0 * PI * t / period).cos())).collect();
    let plot = Plot::new("First mode of a tank", "time [s]", "amplitude by that at the start [-]");
    let row = Row::relative("period of the first mode [s]", found, period, slack * 0.02)
        .reporting("amplitude after three periods", late)
        .plotting(plot.line("simulated", curve).dots("inviscid", reference));
    Ok(vec![row.under(&Conditions::of(&simulation))])
}

/// Water under a cosine, in a tank with walls that do not drag.
fn tank(pressure: Pressure, width: f64, depth: f64, amplitude: f64, layers: i32) -> Result<Simulation, CaseError> {
    let spacing = depth / f64::from(layers);
    let settings = Settings { spacing: spacing as Real, dimension: Dimension::Two, pressure, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![Material::default()])?;
    let centre = |k: i32| (f64::from(k) + 0.5) * spacing;
    let (wide, high) = ((width / spacing).round() as i32, layers + layers / 2);
    let cells = |from: i32, wide: i32, high: i32| {
        (from..high).flat_map(move |j| (from..wide).map(move |i| (centre(i), centre(j))))
    };
    let place = |x: f64, y: f64| Vec3::new(x as Real, y as Real, 0.0);
    let is_water = |&(x, y): &(f64, f64)| y < depth + amplitude * (PI * x / width).cos();
    let position = cells(0, wide, high).filter(is_water).map(|(x, y)| place(x, y)).collect();
    simulation.add_body(NewBody { name: "water".into(), position, ..NewBody::default() })?;
    let far = place(width, f64::from(high) * spacing);
    let outside = cells(-2, wide + 2, high + 2).map(|(x, y)| place(x, y)).map(|x| (x, x.clamp(Vec3::ZERO, far) - x));
    let (position, to_surface) = outside.filter(|(_, out)| out.length() > 0.1 * spacing as Real).unzip();
    simulation.add_wall(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() })?;
    Ok(simulation)
}
