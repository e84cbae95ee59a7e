use glam::{DQuat, DVec3};

use super::super::{Contact, Solver, Twist};
use super::motion::{Body, Surface, World, contact, control, stack_contacts};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn boxes(heights: &[f64], half: f64, mass: impl Fn(usize) -> f64) -> Vec<Body> {
    let place = |(k, height): (usize, &f64)| Body::cuboid(mass(k), DVec3::splat(half), *height * DVec3::Y);
    heights.iter().enumerate().map(place).collect()
}

fn stack(count: usize, mass: impl Fn(usize) -> f64) -> Vec<Body> {
    let heights: Vec<f64> = (0..count).map(|k| 0.2 * k as f64 + 0.1).collect();
    boxes(&heights, 0.1, mass)
}

/// On a plane at an angle: gravity is turned instead of the plane.
fn incline(degrees: f64, across: usize) -> World {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let mut world = World::new(stack(1, |_| 3.0), 9.81 * DVec3::new(sine, -cosine, 0.0), 1e-3);
    let surface = Surface { friction: 20_f64.to_radians().tan(), restitution: 0.0, across };
    for _ in 0..1000 {
        world.step(&surface, |bodies| stack_contacts(bodies, &surface));
    }
    world
}

#[test]
fn block_sticks_below_the_angle_of_friction_and_slides_above() {
    for across in [2, 20] {
        let still = incline(18.0, across);
        assert!(still.bodies[0].position.x.abs() < 1e-9, "{}", still.bodies[0].position.x);
        let slides = incline(22.0, across);
        let (sine, cosine) = 22_f64.to_radians().sin_cos();
        let expected = 9.81 * (sine - 20_f64.to_radians().tan() * cosine);
        let acceleration = slides.bodies[0].velocity.x;
        assert!((acceleration / expected - 1.0).abs() < 0.01, "{acceleration} {expected}");
        println!("{across}: {} {}, sweeps {} {}", still.bodies[0].position.x, acceleration / expected, still.most_sweeps, slides.most_sweeps);
    }
}

#[test]
fn box_at_rest_on_400_contacts_neither_moves_nor_turns() {
    let mut world = World::new(stack(1, |_| 3.0), DOWN, 2e-3);
    let surface = Surface { friction: 0.3, restitution: 0.5, across: 20 };
    let start = world.bodies[0].clone();
    for _ in 0..5000 {
        world.step(&surface, |bodies| stack_contacts(bodies, &surface));
    }
    let body = &world.bodies[0];
    let way = (body.position - start.position).length();
    let turn = body.orientation.angle_between(start.orientation);
    assert!(way < 1e-6 && turn < 1e-6, "{way} {turn}");
        println!("{way} {turn} sweeps {} {}", world.most_sweeps, world.outcome.sweeps);
}

#[test]
fn stack_of_ten_boxes_stands() {
    for (across, seconds) in [(2, 10.0), (10, 1.0)] {
    let mut world = World::new(stack(10, |_| 1.0), DOWN, 2e-3);
    let surface = Surface { friction: 0.5, restitution: 0.0, across };
    let start = world.bodies.clone();
    let mut total = 0;
    for _ in 0..(seconds / 2e-3) as usize {
        world.step(&surface, |bodies| stack_contacts(bodies, &surface));
        total += world.outcome.sweeps;
    }
    println!("sweeps {} mean {}", world.most_sweeps, total as f64 * 2e-3 / seconds);
    for (body, start) in world.bodies.iter().zip(&start) {
        let way = body.position - start.position;
        println!("{way} {}", body.orientation.angle_between(start.orientation));
        assert!(way.length() < 1e-3 && body.orientation.angle_between(start.orientation) < 1e-3, "{way}");
    }
    }
}

#[test]
fn light_box_under_a_heavy_one_does_not_sink() {
    for across in [2, 10] {
    let mut world = World::new(stack(2, |k| [1.0, 100.0][k]), DOWN, 2e-3);
    let surface = Surface { friction: 0.5, restitution: 0.0, across };
    let mut total = 0;
    for _ in 0..1000 {
        world.step(&surface, |bodies| stack_contacts(bodies, &surface));
        total += world.outcome.sweeps;
    }
    println!("sweeps {} mean {}", world.most_sweeps, total as f64 / 1000.0);
    let lowest = world.contacts.iter().map(|contact| contact.gap).fold(0.0, f64::min);
    println!("{lowest}");
    assert!(-lowest <= world.control.slop, "{lowest}");
    }
}

#[test]
fn bench_cold() {
    for (name, count, across, ratio, mu) in [("box", 1, 20, 1.0, 0.5), ("stack", 10, 2, 1.0, 0.5), ("stack", 10, 10, 1.0, 0.5), ("stack frictionless", 10, 10, 1.0, 0.0), ("heavy", 2, 2, 100.0, 0.5), ("heavy", 2, 10, 100.0, 0.5),("heavy fless", 2, 10, 100.0, 0.0)] {
        let bodies = stack(count, |k| if k == count - 1 { ratio } else { 1.0 });
        let surface = Surface { friction: mu, restitution: 0.0, across };
        print!("{name} {count} {across} {ratio} {mu}:");
        for tolerance in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
            let mut contacts = stack_contacts(&bodies, &surface);
            for c in &mut contacts { c.friction = mu; }
            let inertias: Vec<_> = bodies.iter().map(Body::inertia).collect();
            let mut twists: Vec<_> = bodies.iter().map(|_| Twist { velocity: DVec3::new(0.002, -0.02, 0.001), spin: DVec3::ZERO }).collect();
            let mut control = control(2e-3);
            control.tolerance = tolerance;
            control.most_sweeps = 5000;
            let out = Solver::default().solve(&inertias, &mut twists, &mut contacts, &mut [], &control);
            let err = twists.iter().map(|t| t.velocity.y.abs() + t.spin.length()).fold(0.0, f64::max);
            print!("  {} ({err:.1e})", out.sweeps);
        }
        println!();
    }
}
