use glam::{DQuat, DVec3};

use super::super::{Axis, Inertia, Kind, Limits, Motor, Twist};
use super::joints::{axis, hinge, join};
use super::motion::{Body, Random, Surface, World, contact};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A chain that hangs from the world, a loop of four, and a pair in free flight, turned at random.
fn jointed() -> World {
    let mut random = Random(7);
    let bodies = (0..9).map(|k| {
        let mut body = Body::cuboid(0.1 + 3.0 * random.unit(), 0.1 + 0.2 * random.vector().abs(), random.vector());
        body.orientation = DQuat::from_scaled_axis(3.0 * random.vector());
        body.velocity = random.vector();
        body.angular_momentum = 0.1 * random.vector();
        if k == 2 {
            body.mass *= 100.0
        }
        body
    });
    let mut world = World::new(bodies.collect(), DOWN, 1e-3);
    let mut point = || random.vector();
    join(&mut world, 0, None, point(), Kind::Ball);
    join(&mut world, 1, Some(0), point(), hinge());
    join(&mut world, 1, Some(2), point(), Kind::Slider(axis(DVec3::new(1.0, 2.0, -1.0))));
    for k in 3..7 {
        join(&mut world, k, Some(if k == 6 { 3 } else { k + 1 }), point(), hinge());
    }
    join(&mut world, 8, Some(7), point(), Kind::Fixed);
    world
}

fn random_twists(random: &mut Random, count: usize) -> Vec<Twist> {
    (0..count).map(|_| Twist { velocity: random.vector(), spin: random.vector() }).collect()
}

fn inner(world: &World, one: &[Twist], other: &[Twist]) -> f64 {
    let of = |(body, (one, other)): (&Body, (&Twist, &Twist))| {
        body.mass * one.velocity.dot(other.velocity) + (body.inertia_tensor() * one.spin).dot(other.spin)
    };
    world.bodies.iter().zip(one.iter().zip(other)).map(of).sum()
}

#[test]
fn holding_is_a_symmetric_projection() {
    let mut world = jointed();
    let (inertias, mut twists) = world.prepare();
    // Changes are held the same whatever speeds joints have been told.
    world.solver.solve(&inertias, &mut twists, &mut [], &mut world.joints, &world.control);
    let mut random = Random(3);
    for _ in 0..20 {
        let (one, other) = (random_twists(&mut random, 9), random_twists(&mut random, 9));
        let (mut held_one, mut held_other) = (one.clone(), other.clone());
        world.solver.hold(&mut held_one);
        world.solver.hold(&mut held_other);
        let (left, right) = (inner(&world, &held_one, &other), inner(&world, &one, &held_other));
        let size = (inner(&world, &one, &one) * inner(&world, &other, &other)).sqrt();
        assert!((left - right).abs() < 1e-12 * size, "{left} {right}");
        let mut twice = held_one.clone();
        world.solver.hold(&mut twice);
        for (once, twice) in held_one.iter().zip(&twice) {
            let change = once.to(twice);
            assert!(change.velocity.length() + change.spin.length() < 1e-11, "{change:?}");
        }
        let gone: Vec<Twist> = held_one.iter().zip(&one).map(|(held, free)| held.to(free)).collect();
        assert!(inner(&world, &gone, &gone) > 1e-3 * size && inner(&world, &held_one, &held_one) > 1e-3 * size);
    }
}

/// Anchor velocities and spins written down joint by joint, and swept over until nothing changes.
#[test]
fn holding_is_the_limit_of_sweeps_over_joints() {
    let mut world = jointed();
    world.prepare();
    let mut swept = random_twists(&mut Random(5), 9);
    let mut held = swept.clone();
    world.solver.hold(&mut held);
    let inertias: Vec<Inertia> = world.bodies.iter().map(Body::inertia).collect();
    let still = Inertia::default();
    for _ in 0..20000 {
        for joint in &world.joints {
            let (first, second) = (joint.definition.first, joint.definition.second);
            let point = DVec3::from_array(joint.definition.point);
            let (along, linear, angular): (DVec3, f64, f64) = match &joint.definition.kind {
                Kind::Fixed => (DVec3::ZERO, 1.0, 1.0),
                Kind::Ball => (DVec3::ZERO, 1.0, 0.0),
                Kind::Hinge(axis) => (DVec3::from_array(axis.direction).normalize(), 1.0, 2.0),
                Kind::Slider(axis) => (DVec3::from_array(axis.direction).normalize(), 2.0, 1.0),
            };
            let across = |vector: DVec3, kind: f64| {
                if kind == 2.0 { vector.reject_from_normalized(along) } else { kind * vector }
            };
            for direction in [DVec3::X, DVec3::Y, DVec3::Z] {
                let other = second.map_or(&still, |second| &inertias[second]);
                for (turns, direction) in [(false, across(direction, linear)), (true, across(direction, angular))] {
                    let row = |inertia: &Inertia| {
                        if turns {
                            (DVec3::ZERO, direction)
                        } else {
                            (direction, (point - inertia.centre).cross(direction))
                        }
                    };
                    let (own, his) = (row(&inertias[first]), row(other));
                    let velocity =
                        |row: (DVec3, DVec3), twist: &Twist| row.0.dot(twist.velocity) + row.1.dot(twist.spin);
                    let apart =
                        velocity(own, &swept[first]) - second.map_or(0.0, |second| velocity(his, &swept[second]));
                    let response = |inertia: &Inertia, row: (DVec3, DVec3)| Twist {
                        velocity: inertia.inverse_mass * row.0,
                        spin: inertia.inverse_inertia * row.1,
                    };
                    let total = velocity(own, &response(&inertias[first], own)) + velocity(his, &response(other, his));
                    if total < 1e-12 {
                        continue;
                    }
                    swept[first].add(-apart / total, &response(&inertias[first], own));
                    if let Some(second) = second {
                        swept[second].add(apart / total, &response(other, his));
                    }
                }
            }
        }
    }
    for (held, swept) in held.iter().zip(&swept) {
        let apart = held.to(swept);
        assert!(apart.velocity.length() + apart.spin.length() < 1e-6, "{apart:?}");
    }
}

/// Momentum and angular momentum of all bodies that hang on nothing, two of which touch as well.
#[test]
fn joints_and_contacts_keep_momentum_and_angular_momentum() {
    let mut world = jointed();
    world.gravity = DVec3::ZERO;
    let motor = Some(Motor { speed: 3.0, most: 5.0 });
    join(&mut world, 7, Some(3), DVec3::new(0.3, 0.1, 0.2), Kind::Hinge(Axis { motor, ..axis(DVec3::X) }));
    let sum = |world: &World| {
        let free = &world.bodies[3..];
        let angular = free.iter().map(|body| body.angular_momentum + body.mass * body.position.cross(body.velocity));
        (free.iter().map(|body| body.mass * body.velocity).sum::<DVec3>(), angular.sum::<DVec3>())
    };
    let mut touched = false;
    for _ in 0..50 {
        let before = sum(&world);
        let positions: Vec<DVec3> = world.bodies.iter().map(|body| body.position).collect();
        let bounce = Surface { friction: 0.4, restitution: 0.3, across: 2 };
        world.step(&bounce, |bodies| {
            let [one, other] = [3, 5].map(|k: usize| bodies[k].position);
            vec![contact(3, Some(5), 0.5 * (one + other), (one - other).normalize(), 0.0)]
        });
        touched |= world.contacts[0].impulse.length() > 1e-3;
        // Where the impulses act is where bodies were.
        let velocities = sum(&world).0 - before.0;
        let moved = world.bodies.clone();
        for (body, position) in world.bodies.iter_mut().zip(positions) {
            body.position = position;
        }
        let turned = sum(&world).1 - before.1;
        world.bodies = moved;
        assert!(velocities.length() < 1e-12 && turned.length() < 1e-12, "{velocities} {turned}");
    }
    assert!(touched);
}

#[test]
fn joints_restored_from_bytes_go_on_to_the_same_bits() {
    let build = || {
        let mut world = jointed();
        let motor = Some(Motor { speed: 3.0, most: 5.0 });
        let limits = Some(Limits { least: -0.1, most: 0.2 });
        join(&mut world, 7, Some(3), DVec3::new(0.3, 0.1, 0.2), Kind::Hinge(Axis { motor, limits, ..axis(DVec3::X) }));
        join(&mut world, 8, Some(0), DVec3::Y, Kind::Slider(Axis { motor, limits: None, ..axis(DVec3::X) }));
        world
    };
    let mut unbroken = build();
    for _ in 0..100 {
        unbroken.free_step();
    }
    let bytes = postcard::to_stdvec(&unbroken.joints).unwrap();
    let mut restored = build();
    restored.bodies = unbroken.bodies.clone();
    restored.joints = postcard::from_bytes(&bytes).unwrap();
    for _ in 0..1000 {
        unbroken.free_step();
        restored.free_step();
        assert!(restored.outcome.sweeps < 20, "{:?}", restored.outcome);
    }
    assert!(unbroken.joints.iter().any(|joint| joint.drive != [0.0; 2]));
    assert_eq!(unbroken.joints, restored.joints);
    for (one, other) in unbroken.bodies.iter().zip(&restored.bodies) {
        assert!(one.position.is_finite());
        assert_eq!((one.position, one.orientation, one.velocity), (other.position, other.orientation, other.velocity));
        assert_eq!(one.angular_momentum, other.angular_momentum);
    }
}
