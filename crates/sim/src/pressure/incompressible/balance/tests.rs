//! Compression that is undone, alone and under what is heavy.

use crate::measure::Totals;
use crate::pressure::{Dfsph, Iisph, Pressure};
use crate::real::{Dimension, Real, Vec3};
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::time::StepSize;
use crate::world::{Material, NewBody, NewWall, Rigid};

const SPACING: Real = 0.1;

/// Cell centres of a block in the plane whose lowest corner is at the origin.
fn block(cells: [i32; 2], edge: Real) -> impl Iterator<Item = Vec3> {
    let cell = move |k: i32| Vec3::new((k % cells[0]) as Real + 0.5, (k / cells[0]) as Real + 0.5, 0.0);
    (0..cells[0] * cells[1]).map(move |k| cell(k) * edge)
}

/// A tank in the plane, so many cells wide.
fn tank(width: i32) -> NewWall {
    let (mut position, mut to_surface) = (Vec::new(), Vec::new());
    for x in -3..width + 3 {
        for y in -3..30 {
            let (out_x, out_y) = ((-x).max(x - width + 1).max(0), (-y).max(0));
            if out_x > 0 || out_y > 0 {
                position.push(Vec3::new(x as Real + 0.5, y as Real + 0.5, 0.0) * SPACING);
                let depth = |out: i32| if out > 0 { out as Real - 0.5 } else { 0.0 };
                let inwards = if x < 0 { 1.0 } else { -1.0 };
                to_surface.push(Vec3::new(inwards * depth(out_x), depth(out_y), 0.0) * SPACING);
            }
        }
    }
    NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() }
}

/// A column of water that is compressed by a hundredth, and nothing else.
///
/// All of it moves from the floor, and the highest particle by as much as all below together.
#[test]
fn a_column_that_expands_is_not_thrown_up() {
    let dt = 1e-3;
    for pressure in [Pressure::Iisph(Iisph::default()), Pressure::Dfsph(Dfsph::default())] {
        let settings = Settings {
            spacing: SPACING,
            dimension: Dimension::Two,
            gravity: Vec3::ZERO,
            pressure,
            step: StepSize::Fixed(dt),
            ..Settings::default()
        };
        let mut simulation = Simulation::new(settings, vec![Material::default()]).unwrap();
        let position: Vec<_> = block([8, 24], SPACING).map(|x| x * Vec3::new(1.0, 0.99, 1.0)).collect();
        let rest_volume = vec![SPACING * SPACING; position.len()];
        let water = NewBody { name: "water".into(), position, rest_volume, ..NewBody::default() };
        simulation.add_body(water).unwrap();
        simulation.add_wall(tank(8)).unwrap();
        simulation.prepare().unwrap();
        // A tenth of the compression is undone in a step, in which nothing moves yet.
        let particles = simulation.particles();
        let allowed = simulation.world().kinds.matter().map(|i| {
            let asked = 0.1 * (particles.compression(i) - 1.0).max(0.0);
            0.5 * f64::from(particles.mass(i)) * f64::from(asked * SPACING / dt).powi(2)
        });
        let allowed: f64 = allowed.sum();
        simulation.step().unwrap();
        let kinetic = Totals::of(&simulation, None).kinetic;
        println!("{allowed} J are allowed, {kinetic} J found");
        assert!(kinetic > 0.5 * allowed && kinetic < 1.01 * allowed, "{kinetic} J, where {allowed} J are allowed");
    }
}

/// A stone sinks and squeezes the last water on the floor.
#[test]
fn a_stone_that_meets_the_floor_of_a_tank_throws_no_water() {
    let settings = Settings {
        spacing: SPACING,
        dimension: Dimension::Two,
        pressure: Pressure::Iisph(Iisph::default()),
        ..Settings::default()
    };
    let stone = Material { density: 4000.0, rigid: Some(Rigid::default()), ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![Material::default(), stone]).unwrap();
    let position = block([30, 12], SPACING).collect();
    simulation.add_body(NewBody { name: "water".into(), position, ..NewBody::default() }).unwrap();
    let position = block([4, 4], SPACING).map(|x| x + Vec3::new(1.3, 1.3, 0.0)).collect();
    simulation.add_body(NewBody { name: "stone".into(), material: 1, position, ..NewBody::default() }).unwrap();
    simulation.add_wall(tank(30)).unwrap();
    simulation.prepare().unwrap();
    let energy = |simulation: &Simulation| Totals::of(simulation, None).energy();
    let start = energy(&simulation);
    let (mut least, mut gained) = (start, 0.0_f64);
    while simulation.time() < 1.5 {
        simulation.step().unwrap();
        let now = energy(&simulation);
        least = least.min(now);
        gained = gained.max(now - least);
    }
    let turned_over = start - least;
    println!("{gained} J gained, {turned_over} J turned over");
    assert!(simulation.world().memory.rigid[0].centre.y < 0.25, "the stone lies on the floor");
    assert!(gained < 0.05 * turned_over, "{gained} J come from nowhere, where {turned_over} J were turned over");
}
