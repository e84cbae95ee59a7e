//! F14: a light disc in a heavy fluid.

use thixo_sim::{Dimension, Material, NewBody, NewWall, Pressure, Real, Settings, Simulation, Vec3};

use crate::experiment::{CaseError, Conditions};
use crate::row::Row;

const GRAVITY: f64 = 9.81;
const SPACING: f64 = 0.02;
const HEAVY: f64 = 1000.0;

/// A tank of so many cells in the plane, with two fluids; `is_second` says which cells hold the second.
fn tank(
    pressure: Pressure,
    second: f64,
    [wide, high]: [i32; 2],
    filled: i32,
    is_second: impl Fn(f64, f64) -> bool,
) -> Result<Simulation, CaseError> {
    let settings = Settings { spacing: SPACING as Real, dimension: Dimension::Two, pressure, ..Settings::default() };
    let materials = [HEAVY, second].map(|density| Material { density: density as Real, ..Material::default() });
    let mut simulation = Simulation::new(settings, materials.to_vec())?;
    let centre = |k: i32| (f64::from(k) + 0.5) * SPACING;
    let cells = |x: std::ops::Range<i32>, y: std::ops::Range<i32>| {
        y.flat_map(move |j| x.clone().map(move |i| (centre(i), centre(j)))).collect::<Vec<_>>()
    };
    let place = |&(x, y): &(f64, f64)| Vec3::new(x as Real, y as Real, 0.0);
    for (material, name) in [(0, "heavy"), (1, "light")] {
        let inside = cells(0..wide, 0..filled);
        let position = inside.iter().filter(|(x, y)| is_second(*x, *y) == (material == 1)).map(place).collect();
        simulation.add_body(NewBody { name: name.into(), material, position, ..NewBody::default() })?;
    }
    let far = Vec3::new((f64::from(wide) * SPACING) as Real, (f64::from(high) * SPACING) as Real, 0.0);
    let around = cells(-2..wide + 2, -2..high + 2);
    let outside = around.iter().map(place).map(|x| (x, x.clamp(Vec3::ZERO, far) - x));
    let (position, to_surface) = outside.filter(|(_, out)| out.length() > 0.1 * SPACING as Real).unzip();
    simulation.add_wall(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() })?;
    Ok(simulation)
}

/// A light disc in a heavy fluid begins to rise at g (ρ − ρ')/(ρ + ρ'): it must push the fluid away as well.
pub(crate) fn rise(pressure: &Pressure) -> Result<Vec<Row>, CaseError> {
    let light = 500.0;
    let (radius, middle) = (6.0 * SPACING, 40.0 * SPACING);
    let is_disc = |x: f64, y: f64| (x - middle).hypot(y - middle) < radius;
    let mut simulation = tank(pressure.clone(), light, [80, 86], 80, is_disc)?;
    let speed = |simulation: &Simulation| {
        let (particles, world) = (simulation.particles(), simulation.world());
        let disc = simulation.matter().filter(|&i| world.name_of(i) == "light");
        let speeds = disc.map(|i| f64::from(particles.velocity[i].y));
        let all: Vec<_> = speeds.collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    // Until it would have risen by a quarter of a spacing: later it must break open the lattice around it (Sol09 4.4).
    // With sound, until it would have risen by a whole one: sound of the start has then crossed the tank and come back.
    let expected = GRAVITY * (HEAVY - light) / (HEAVY + light);
    let rise = if pressure.signal_speed(1.0).is_some() { SPACING } else { 0.25 * SPACING };
    let seconds = (2.0 * rise / expected).sqrt();
    simulation.advance(0.5 * seconds)?;
    let half = speed(&simulation) / (0.5 * seconds);
    simulation.advance(0.5 * seconds)?;
    let found = speed(&simulation) / seconds;
    let row = Row::relative("acceleration of a light disc [m/s^2]", found, expected, 0.15)
        .reporting("in the first half of the time", half);
    Ok(vec![row.under(&Conditions::of(&simulation))])
}
