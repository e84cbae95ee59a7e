//! A drop falls onto the floor and spreads, without a scene file: `cargo run --release -p thixo --example falling_drop`

use std::error::Error;

use thixo::prelude::*;

/// Distance between particles [m].
const SPACING: Real = 0.02;

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings { spacing: SPACING, ..Settings::default() };
    let water = Material { density: 1000.0, ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![water])?;
    let drop = simulation.add_body(NewBody { name: "drop".into(), position: ball(0.1, 0.2), ..NewBody::default() })?;
    let (position, to_surface) = floor(1.0);
    simulation.add_wall(NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() })?;

    println!("time [s]  height [m]  fastest [m/s]  density error [%]");
    for _ in 0..8 {
        let report = simulation.advance(0.04)?;
        println!(
            "{:8.3}  {:10.3}  {:13.2}  {:17.3}",
            simulation.time(),
            Totals::of(&simulation, Some(drop)).centre().y,
            report.fastest,
            100.0 * report.density_error
        );
    }
    Ok(())
}

/// A ball of lattice cells around a point above the origin.
fn ball(radius: Real, height: Real) -> Vec<Vec3> {
    let reach = (radius / SPACING) as i32 + 1;
    let cells = move || (-reach..reach).map(|k| (k as Real + 0.5) * SPACING);
    let points = cells().flat_map(move |x| cells().flat_map(move |y| cells().map(move |z| Vec3::new(x, y, z))));
    points.filter(|point| point.length() <= radius).map(|point| point + Vec3::Y * height).collect()
}

/// A layer of particles below y = 0, and the way from each to that surface.
fn floor(half_width: Real) -> (Vec<Vec3>, Vec<Vec3>) {
    let reach = (half_width / SPACING) as i32;
    let cells = move || (-reach..reach).map(|k| (k as Real + 0.5) * SPACING);
    let below = -0.5 * SPACING;
    let points: Vec<_> = cells().flat_map(|x| cells().map(move |z| Vec3::new(x, below, z))).collect();
    let to_surface = vec![Vec3::Y * -below; points.len()];
    (points, to_surface)
}
