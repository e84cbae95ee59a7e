//! The force of free surfaces, by virtual work.

use super::*;
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::world::{Material, NewBody, NewWall};

/// A disc or ball of fluid at rest, without gravity, `across` spacings in radius.
fn drop(dimension: Dimension, across: i32, tension: Real) -> Simulation {
    let spacing = 0.1;
    let settings = Settings { spacing, dimension, gravity: Vec3::ZERO, ..Settings::default() };
    let mut material = Material::default();
    material.tension.surface = tension;
    let mut simulation = Simulation::new(settings, vec![material]).unwrap();
    let position: Vec<_> = (0..across).flat_map(|k| shell(dimension, spacing * (k as Real + 0.5), spacing)).collect();
    simulation.add_body(NewBody { name: "drop".into(), position, ..NewBody::default() }).unwrap();
    simulation.prepare().unwrap();
    simulation
}

/// Points on a circle or sphere, one for each spacing or square of it.
fn shell(dimension: Dimension, radius: Real, spacing: Real) -> impl Iterator<Item = Vec3> {
    let turn = std::f32::consts::TAU as Real;
    let across = radius / spacing;
    let count = if dimension == Dimension::Two { turn * across } else { 2.0 * turn * across * across }.round();
    (0..count as usize).map(move |k| {
        let share = (k as Real + 0.5) / count;
        let height = if dimension == Dimension::Two { 0.0 } else { 1.0 - 2.0 * share };
        // The golden angle spreads points evenly over a sphere.
        let angle = if dimension == Dimension::Two { turn * share } else { 0.381_966 * turn * k as Real };
        let across = (1.0 - height * height).sqrt();
        radius * Vec3::new(across * angle.cos(), across * angle.sin(), height)
    })
}

fn accelerations(simulation: &Simulation) -> Vec<Vec3> {
    let mut acceleration = vec![Vec3::ZERO; simulation.matter().len()];
    let step = StepContext { world: simulation.world(), pairs: simulation.pairs(), sound_speed: 1.0, dt: 0.001 };
    SurfaceForce::default().add(&step, &mut acceleration);
    acceleration
}

/// Virtual work: in the flow x/r^d, which compresses nothing, the force does the work −σ dA/dt: dR/dt = 1/R^(d−1), and
/// dA/dt = 2π/R in the plane, 8π/R in space.
#[test]
fn work_of_a_swelling_drop_is_that_of_its_surface() {
    for (dimension, across, tolerance) in [(Dimension::Two, 16, 0.05), (Dimension::Three, 10, 0.08)] {
        let simulation = drop(dimension, across, 0.5);
        let particles = simulation.particles();
        let radius = 0.1 * f64::from(across);
        let power: f64 = accelerations(&simulation)
            .iter()
            .enumerate()
            .map(|(i, a)| {
                let x = particles.position[i];
                f64::from(particles.mass(i) * a.dot(x)) / f64::from(x.length()).powi(dimension.count() as i32)
            })
            .sum();
        let pi = std::f64::consts::PI;
        let expected = -0.5 * if dimension == Dimension::Two { 2.0 * pi / radius } else { 8.0 * pi / radius };
        assert!((power / expected - 1.0).abs() < tolerance, "{dimension:?}: {power} {expected}");
    }
}

#[test]
fn a_drop_at_rest_keeps_its_place() {
    let simulation = drop(Dimension::Two, 12, 0.5);
    let found = accelerations(&simulation);
    let (total, scale) = found.iter().fold((Vec3::ZERO, 0.0), |(sum, scale), a| (sum + *a, scale + a.length()));
    assert!(scale > 0.0 && total.length() < 1e-4 * scale, "{total} {scale}");
}

#[test]
fn amid_the_fluid_there_is_nothing() {
    let simulation = drop(Dimension::Two, 12, 0.5);
    let found = accelerations(&simulation);
    let particles = simulation.particles();
    for (i, a) in found.iter().enumerate().filter(|(i, _)| particles.position[*i].length() < 0.4) {
        assert!(a.length() < 1e-6, "{i}: {a}");
    }
}

/// Rigid rotation is not braked, and what shear loses of momentum it gains elsewhere.
#[test]
fn friction_brakes_no_rotation() {
    let mut simulation = drop(Dimension::Two, 12, 0.5);
    let still = accelerations(&simulation);
    let largest = |simulation: &Simulation| {
        let moved = accelerations(simulation);
        moved.iter().zip(&still).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max)
    };
    let mut turn = |velocity: fn(Vec3) -> Vec3| {
        let particles = &mut simulation.world_mut().particles;
        particles.velocity = particles.position.iter().map(|x| velocity(*x)).collect();
        largest(&simulation)
    };
    let turning = turn(|x| Vec3::new(-2.0 * x.y, 2.0 * x.x, 0.0));
    let sheared = turn(|x| Vec3::new(-2.0 * x.y, 0.0, 0.0));
    assert!(turning < 1e-3 * sheared, "{turning} {sheared}");
}

/// Half a disc on a table.
fn droplet() -> Simulation {
    let spacing = 0.1;
    let settings = Settings { spacing, dimension: Dimension::Two, gravity: Vec3::ZERO, ..Settings::default() };
    let mut material = Material::default();
    material.tension.surface = 0.5;
    let mut simulation = Simulation::new(settings, vec![material]).unwrap();
    let row = |y: Real, half: i32| (-half..half).map(move |k| spacing * Vec3::new(k as Real + 0.5, y, 0.0));
    let table: Vec<_> = row(-0.5, 30).chain(row(-1.5, 30)).collect();
    let to_surface = table.iter().map(|x| Vec3::new(0.0, -x.y, 0.0)).collect();
    let wall = NewWall { name: "table".into(), position: table, to_surface, ..NewWall::default() };
    simulation.add_wall(wall).unwrap();
    let rows = (0..12).flat_map(|k| row(k as Real + 0.5, 12));
    let position = rows.filter(|x| x.length() < 1.2).collect();
    simulation.add_body(NewBody { name: "drop".into(), position, ..NewBody::default() }).unwrap();
    simulation.prepare().unwrap();
    simulation
}

/// What the table pulls, it pushes: where one curvature is everywhere, tension is the pair formula of pressure with −σ κ S, walls
/// included, wet or dry, so that σ κ S as a pressure leaves nothing.
#[test]
fn a_wall_pulls_as_its_pressure_pushes() {
    let simulation = droplet();
    let (world, pairs) = (simulation.world(), simulation.pairs());
    let mut force = SurfaceForce::default();
    let step = StepContext { world, pairs, sound_speed: 1.0, dt: 0.001 };
    let mut total = vec![Vec3::ZERO; world.kinds.matter().len()];
    force.add(&step, &mut total);
    let share = force.bearing.share();
    let particles = &world.particles;
    let volume = |i: usize| particles.rest_volume[i];
    let mut on_walls = vec![Vec3::ZERO; world.kinds.walls().len()];
    force.add_wall_forces(&step, &mut on_walls);
    let mut largest: Real = 0.0;
    for (b, found) in world.kinds.walls().zip(&on_walls) {
        let (mut expected, mut shares, mut weights) = (Vec3::ZERO, 0.0, 0.0);
        for f in world.kinds.matter() {
            let x_bf = particles.position[b] - particles.position[f];
            let weight = volume(f) * pairs.kernel().value(x_bf.length());
            (shares, weights) = (shares + weight * share[f], weights + weight);
            let both = volume(f) * volume(b) * force.pressure[f] * (share[f] + share[b]);
            expected += both * pairs.kernel().gradient(x_bf);
        }
        if weights > 0.0 {
            assert!((share[b] - shares / weights).abs() < 1e-4, "{b}: {}", share[b]);
        }
        largest = largest.max(found.length());
        assert!((*found - expected).length() < 1e-4 * expected.length() + 1e-9, "{b}: {found} {expected}");
    }
    assert!(largest > 0.0);
    // Beside the line of contact as beneath the drop.
    let beside = world.kinds.walls().zip(&on_walls);
    let beside = beside.filter(|(b, _)| (1.2..1.3).contains(&particles.position[*b].x));
    assert!(beside.map(|(_, force)| force.y).fold(0.0, Real::max) > 0.01 * largest);
}
