//! Free motion, and bodies in water.

use super::*;
use crate::measure::Totals;
use crate::pressure::{Iisph, Pressure};
use crate::real::Dimension;
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::world::{Material, NewBody, NewWall, Rigid};

const SPACING: Real = 0.1;

/// Cell centres of a block whose lowest corner is at the origin.
fn block(cells: [usize; 3]) -> impl Iterator<Item = Vec3> {
    let [x, y, _] = cells;
    let cell = move |k: usize| Vec3::new((k % x) as Real, (k / x % y) as Real, (k / (x * y)) as Real);
    (0..cells.iter().product()).map(move |k| (cell(k) + Vec3::splat(0.5)) * SPACING)
}

fn material(density: Real) -> Material {
    Material { density, rigid: Some(Rigid::default()), ..Material::default() }
}

/// A box of 3:2:1 that spins about its middle axis, and a little about the others (VALIDATION R1).
#[test]
fn a_body_that_tumbles_keeps_angular_momentum_and_energy() {
    let settings = Settings { spacing: SPACING, gravity: Vec3::ZERO, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![material(500.0)]).unwrap();
    let position: Vec<_> = block([6, 4, 2]).collect();
    let centre = Vec3::new(0.3, 0.2, 0.1);
    let spin = Vec3::new(1e-3, 10.0, 1e-3);
    let velocity = position.iter().map(|x| spin.cross(*x - centre) + Vec3::new(0.3, -0.2, 0.1)).collect();
    let body = NewBody { name: "box".into(), position, velocity, ..NewBody::default() };
    simulation.add_body(body).unwrap();
    simulation.prepare().unwrap();
    let state = |simulation: &Simulation| simulation.world().memory.rigid[0];
    let first = state(&simulation);
    // M/12 (b² + c²), for the particles are the centres of cells.
    let mass = 500.0 * 0.6 * 0.4 * 0.2;
    let inertia = [0.4_f64, 0.6, 0.2].map(|edge| edge * edge);
    let by_hand = mass / 12.0 * (inertia[1] + inertia[2]);
    assert!((first.inertia.y_axis.y / by_hand - 1.0).abs() < 1e-5, "{} {by_hand}", first.inertia.y_axis.y);
    assert!((first.spin(Dimension::Three) - wide(spin)).length() < 1e-4, "{}", first.spin(Dimension::Three));
    let energy = first.kinetic_energy(Dimension::Three);
    let mut flips = 0;
    let mut side = true;
    while flips < 20 {
        simulation.step().unwrap();
        let now = state(&simulation);
        let is_up = now.turn().y_axis.dot(now.angular_momentum) > 0.0;
        (flips, side) = (flips + u32::from(is_up != side), is_up);
        assert_eq!(now.angular_momentum, first.angular_momentum, "without a torque");
        let error = now.kinetic_energy(Dimension::Three) / energy - 1.0;
        assert!(error.abs() < 1e-6, "{error} after {flips} flips");
        assert!(simulation.time() < 100.0, "only {flips} flips");
    }
    let moved = wide(Vec3::new(0.3, -0.2, 0.1)) * simulation.time();
    assert!((state(&simulation).centre - wide(centre) - moved).length() < 1e-4 * moved.length());
}

/// Blocks of half and of twice the density of water, in a tank, in the plane.
#[test]
fn bodies_float_and_sink() {
    let settings = Settings {
        spacing: SPACING,
        dimension: Dimension::Two,
        pressure: Pressure::Iisph(Iisph::default()),
        ..Settings::default()
    };
    let materials = vec![Material::default(), material(500.0), material(2000.0)];
    let mut simulation = Simulation::new(settings, materials).unwrap();
    let light = |x: &Vec3| x.x > 1.0 && x.x < 1.8 && x.y > 0.8;
    let water = block([50, 12, 1]).filter(|x| !light(x)).map(|x| x * Vec3::new(1.0, 1.0, 0.0)).collect();
    simulation.add_body(NewBody { name: "water".into(), position: water, ..NewBody::default() }).unwrap();
    let at = |cells, corner: Vec3| block(cells).map(move |x| (x + corner) * Vec3::new(1.0, 1.0, 0.0)).collect();
    let floating = at([8, 4, 1], Vec3::new(1.0, 0.8, 0.0));
    let float = NewBody { name: "float".into(), material: 1, position: floating, ..NewBody::default() };
    simulation.add_body(float).unwrap();
    let heavy = at([4, 4, 1], Vec3::new(3.0, 1.3, 0.0));
    let stone = NewBody { name: "stone".into(), material: 2, position: heavy, ..NewBody::default() };
    simulation.add_body(stone).unwrap();
    let (mut position, mut to_surface) = (Vec::new(), Vec::new());
    for x in -3..53_i32 {
        for y in -3..30_i32 {
            let (out_x, out_y) = ((-x).max(x - 49).max(0), (-y).max(0));
            if out_x > 0 || out_y > 0 {
                position.push(Vec3::new(x as Real + 0.5, y as Real + 0.5, 0.0) * SPACING);
                let to_x = if out_x > 0 { (out_x as Real - 0.5) * if x < 0 { 1.0 } else { -1.0 } } else { 0.0 };
                let to_y = if out_y > 0 { out_y as Real - 0.5 } else { 0.0 };
                to_surface.push(Vec3::new(to_x, to_y, 0.0) * SPACING);
            }
        }
    }
    simulation.add_wall(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() }).unwrap();
    for k in 0..20 {
        simulation.advance(0.25).unwrap();
        let memory = &simulation.world().memory;
        let [float, stone] = [memory.rigid[0], memory.rigid[1]];
        let total = Totals::of(&simulation, None);
        println!(
            "{k} {:.3} {:.3} energy {:.2} v {:.3} {:.3} turn {:.3} {:.3}",
            float.centre,
            stone.centre,
            total.energy(),
            float.velocity,
            stone.velocity,
            float.orientation.z,
            stone.orientation.z
        );
    }
}
