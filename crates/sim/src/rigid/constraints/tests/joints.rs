use glam::{DQuat, DVec3};

use super::super::{Axis, Definition, Joint, Kind, Limits, Motor, Pose};
use super::motion::{Body, World};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn axis(direction: DVec3) -> Axis {
    Axis { direction: direction.to_array(), limits: None, motor: None }
}

fn hinge() -> Kind {
    Kind::Hinge(axis(DVec3::Z))
}

pub(super) fn join(world: &mut World, first: usize, second: Option<usize>, point: DVec3, kind: Kind) {
    let poses: Vec<Pose> = world.bodies.iter().map(Body::pose).collect();
    let definition = Definition { first, second, point: point.to_array(), kind };
    world.joints.push(Joint::new(definition, &poses).unwrap());
}

fn rod(position: DVec3) -> Body {
    Body::cuboid(2.0, DVec3::new(0.02, 0.25, 0.02), position)
}

/// A rod that hangs, turned by an angle about its upper end.
fn turned(mut body: Body, about: DVec3, angle: f64) -> Body {
    let turn = DQuat::from_rotation_z(angle);
    body.position = about + turn * (body.position - about);
    body.orientation = turn;
    body
}

fn energy(world: &World) -> f64 {
    let potential = |body: &Body| -body.mass * world.gravity.dot(body.position);
    world.bodies.iter().map(|body| body.energy() + potential(body)).sum()
}

/// The period of a physical pendulum: 2π √(I/(m g l)) / agm(1, cos(θ₀/2)).
#[test]
fn pendulum_has_its_period() {
    for kind in [hinge(), Kind::Ball] {
        let amplitude = 1.0;
        let mut world = World::new(vec![turned(rod(-0.25 * DVec3::Y), DVec3::ZERO, amplitude)], DOWN, 1e-3);
        join(&mut world, 0, None, DVec3::ZERO, kind.clone());
        let (moment, torque) = (world.bodies[0].moments.z + 2.0 * 0.25 * 0.25, 2.0 * 9.81 * 0.25);
        let (mut one, mut other) = (1.0_f64, (0.5 * amplitude).cos());
        for _ in 0..10 {
            (one, other) = (0.5 * (one + other), (one * other).sqrt());
        }
        let expected = std::f64::consts::TAU * (moment / torque).sqrt() / one;
        let (mut crossings, mut before, mut time) = (Vec::new(), world.bodies[0].position.x, 0.0);
        while crossings.len() < 21 {
            world.free_step();
            time += 1e-3;
            let place = world.bodies[0].position.x;
            if (place > 0.0) != (before > 0.0) {
                crossings.push(time - 1e-3 * place / (place - before));
            }
            before = place;
        }
        let period = (crossings[20] - crossings[0]) / 10.0;
        println!("{kind:?} {period} {expected}");
        assert!((period / expected - 1.0).abs() < 1e-3, "{kind:?}: {period} {expected}");
    }
}

#[test]
fn double_pendulum_keeps_its_energy() {
    for kind in [hinge(), Kind::Ball] {
        let upper = turned(rod(-0.25 * DVec3::Y), DVec3::ZERO, 2.0);
        let elbow = upper.position * 2.0;
        let lower = turned(rod(elbow - 0.25 * DVec3::Y), elbow, 1.0);
        let mut world = World::new(vec![upper, lower], DOWN, 1e-3);
        join(&mut world, 0, None, DVec3::ZERO, kind.clone());
        join(&mut world, 1, Some(0), elbow, kind.clone());
        let start = energy(&world);
        let scale = 2.0 * 9.81 * (0.25 + 0.75);
        let (mut least, mut most) = (0.0_f64, 0.0_f64);
        for _ in 0..12000 {
            let before = energy(&world);
            world.free_step();
            let change = (0.5 * (before + energy(&world)) - start) / scale;
            (least, most) = (least.min(change), most.max(change));
        }
        println!("{kind:?} {least} {most}");
        assert!(least > -0.01 && most < 0.01, "{kind:?}: {least} {most}");
    }
}
