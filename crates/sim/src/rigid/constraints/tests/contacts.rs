use glam::{DQuat, DVec3};

use super::super::{Contact, Twist};
use super::motion::{Body, Random, Surface, World, contact, stack_contacts};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn stack(count: usize, mass: impl Fn(usize) -> f64) -> Vec<Body> {
    let place = |k: usize| (0.2 * k as f64 + 0.1) * DVec3::Y;
    (0..count).map(|k| Body::cuboid(mass(k), DVec3::splat(0.1), place(k))).collect()
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
}

#[test]
fn stack_of_ten_boxes_stands() {
    for (across, steps) in [(2, 5000), (10, 500)] {
        let mut world = World::new(stack(10, |_| 1.0), DOWN, 2e-3);
        let surface = Surface { friction: 0.5, restitution: 0.3, across };
        let start = world.bodies.clone();
        let mut sweeps = 0;
        for _ in 0..steps {
            world.step(&surface, |bodies| stack_contacts(bodies, &surface));
            sweeps += world.outcome.sweeps;
        }
        assert!(sweeps < 200 * steps, "{} sweeps a step", sweeps / steps);
        for (body, start) in world.bodies.iter().zip(&start) {
            let (way, turn) = (body.position - start.position, body.orientation.angle_between(start.orientation));
            assert!(way.length() < 1e-4 && turn < 1e-4, "{way} {turn}");
        }
    }
}

#[test]
fn light_box_under_a_heavy_one_does_not_sink() {
    for across in [2, 10] {
        let mut world = World::new(stack(2, |k| [1.0, 100.0][k]), DOWN, 2e-3);
        let surface = Surface { friction: 0.5, restitution: 0.0, across };
        for _ in 0..1000 {
            world.step(&surface, |bodies| stack_contacts(bodies, &surface));
        }
        let lowest = stack_contacts(&world.bodies, &surface).iter().map(|contact| contact.gap).fold(0.0, f64::min);
        assert!(-lowest <= 0.01 * world.control.slop, "{lowest}");
    }
}

/// From nothing: 100 contacts under each box, the upper of 100 times the mass.
#[test]
fn many_contacts_take_few_sweeps() {
    for (friction, most) in [(0.0, 60), (0.5, 300)] {
        let mut world = World::new(stack(2, |k| [1.0, 100.0][k]), DOWN, 2e-3);
        let surface = Surface { friction, restitution: 0.0, across: 10 };
        world.bodies.iter_mut().for_each(|body| body.velocity = DVec3::new(0.002, 0.0, 0.001));
        world.step(&surface, |bodies| stack_contacts(bodies, &surface));
        assert!(world.outcome.sweeps < most, "{} sweeps", world.outcome.sweeps);
        let expected = if friction > 0.0 { DVec3::ZERO } else { DVec3::new(0.002, 0.0, 0.001) };
        for body in &world.bodies {
            let off = (body.velocity - expected).length() + body.spin().length();
            assert!(off < 1e-4, "{off}");
        }
    }
}

#[test]
fn dropped_ball_returns_to_a_quarter_of_its_height() {
    let surface = Surface { friction: 0.3, restitution: 0.5, across: 2 };
    let mut world = World::new(vec![Body::ball(1.0, 0.1, 1.1 * DVec3::Y)], DOWN, 1e-4);
    let mut heights = vec![];
    let mut rising = false;
    while heights.len() < 3 {
        world.step(&surface, |bodies| {
            let place = bodies[0].position;
            vec![contact(0, None, place - 0.1 * DVec3::Y, DVec3::Y, place.y - 0.1)]
        });
        let body = &world.bodies[0];
        if rising && body.velocity.y <= 0.0 {
            heights.push(body.position.y - 0.1);
        }
        rising = body.velocity.y > 0.0;
    }
    for (height, expected) in heights.iter().zip([0.25, 0.0625, 0.015625]) {
        assert!((height / expected - 1.0).abs() < 0.02, "{heights:?}");
    }
}

/// m₁ = 1 at 3 m/s and m₂ = 2 at rest, e = 1/2: they meet in the centres' line, and 1 m/s is common to both.
#[test]
fn two_balls_collide_as_by_hand() {
    let mut bodies = vec![Body::ball(1.0, 0.1, DVec3::ZERO), Body::ball(2.0, 0.1, 0.2 * DVec3::X)];
    bodies[0].velocity = 3.0 * DVec3::X;
    let mut world = World::new(bodies, DVec3::ZERO, 1e-3);
    let surface = Surface { friction: 0.5, restitution: 0.5, across: 2 };
    world.step(&surface, |_| vec![contact(0, Some(1), 0.1 * DVec3::X, DVec3::NEG_X, 0.0)]);
    let [one, other] = [0, 1].map(|k| world.bodies[k].velocity);
    assert!(one.length() < 1e-9 && (other - 1.5 * DVec3::X).length() < 1e-9, "{one} {other}");
    assert!((world.contacts[0].impulse + 3.0 * DVec3::X).length() < 1e-9);
    // From the side: friction stops no more than μ of the normal impulse.
    let mut ball = Body::ball(1.0, 0.1, DVec3::ZERO);
    ball.velocity = DVec3::new(4.0, -1.0, 0.0);
    let mut world = World::new(vec![ball], DVec3::ZERO, 1e-3);
    world.step(&surface, |_| vec![contact(0, None, -0.1 * DVec3::Y, DVec3::Y, 0.0)]);
    let expected = DVec3::new(4.0 - 0.5 * 1.5, 0.5, 0.0);
    let body = &world.bodies[0];
    assert!((body.velocity - expected).length() < 1e-9, "{}", body.velocity);
    assert!((body.spin().z + 0.75 * 0.1 / body.moments.z).abs() < 1e-9, "{}", body.spin());
}

/// A gap may be closed, no more; a wall that moves carries what lies on it.
#[test]
fn what_comes_near_is_stopped_at_the_surface_and_a_moving_floor_carries() {
    let mut ball = Body::ball(1.0, 0.1, 0.11 * DVec3::Y);
    ball.velocity = -100.0 * DVec3::Y;
    let mut world = World::new(vec![ball], DVec3::ZERO, 1e-3);
    let mut surface = Surface { friction: 0.0, restitution: 0.0, across: 2 };
    world.step(&surface, |_| vec![contact(0, None, 0.01 * DVec3::Y, DVec3::Y, 0.01)]);
    assert!((world.bodies[0].position.y - 0.1).abs() < 1e-12, "{}", world.bodies[0].position);
    let mut world = World::new(stack(1, |_| 1.0), DOWN, 1e-3);
    surface.friction = 0.5;
    for _ in 0..1000 {
        world.step(&surface, |bodies| {
            let mut contacts = stack_contacts(bodies, &surface);
            contacts.iter_mut().for_each(|contact| contact.wall_velocity = DVec3::new(1.0, 0.2, 0.0));
            contacts.iter_mut().for_each(|contact| contact.gap = 0.0);
            contacts
        });
    }
    let body = &world.bodies[0];
    assert!((body.velocity - DVec3::new(1.0, 0.2, 0.0)).length() < 1e-6, "{}", body.velocity);
    assert!((body.position.y - 0.3).abs() < 1e-5, "{}", body.position);
}

/// Boxes and balls in every position, with contacts that no geometry would give.
fn heap(random: &mut Random, count: usize) -> (World, Vec<Contact>) {
    let bodies = (0..count).map(|_| {
        let mass = 10_f64.powf(2.0 * random.unit() - 1.0);
        let mut body = Body::cuboid(mass, 0.05 + 0.3 * random.vector().abs(), random.vector());
        body.orientation = DQuat::from_scaled_axis(3.0 * random.vector());
        body.set_twist(&Twist { velocity: random.vector(), spin: 3.0 * random.vector() });
        body
    });
    let world = World::new(bodies.collect(), DVec3::ZERO, 1e-3);
    let contacts = (0..3 * count).map(|k| {
        let (first, second) = (k % count, (k * 7 + 3) % (count + 1));
        let second = (second < count && second != first).then_some(second);
        let between = second.map_or(DVec3::ZERO, |second| world.bodies[second].position);
        let point = 0.5 * (world.bodies[first].position + between) + 0.2 * random.vector();
        let normal = (world.bodies[first].position - point + 0.3 * random.vector()).normalize_or(DVec3::Y);
        Contact {
            friction: 1.5 * random.unit(),
            restitution: if k % 3 == 0 { 0.0 } else { random.unit() },
            ..contact(first, second, point, normal, 1e-3 * random.unit() - 5e-4)
        }
    });
    let contacts = contacts.collect();
    (world, contacts)
}

#[test]
fn contacts_never_make_energy() {
    let mut random = Random(1);
    let (mut bounced, mut lost) = (0, 0.0_f64);
    for case in 0..300 {
        let (mut world, mut contacts) = heap(&mut random, 1 + case % 7);
        let elastic = case % 5 == 0;
        if elastic {
            contacts.iter_mut().for_each(|contact| contact.restitution = 1.0);
        }
        let energy = |world: &World| world.bodies.iter().map(Body::energy).sum::<f64>();
        let before = energy(&world);
        let (inertias, mut twists) = world.prepare();
        world.control.most_sweeps = 5000;
        world.solver.solve(&inertias, &mut twists, &mut contacts, &mut [], &world.control);
        for (body, twist) in world.bodies.iter_mut().zip(&twists) {
            body.set_twist(twist);
        }
        let after = energy(&world);
        assert!(after <= before * (1.0 + 1e-6), "case {case}: {before} {after}");
        for contact in &contacts {
            let normal = contact.impulse.dot(contact.normal);
            let tangential = (contact.impulse - normal * contact.normal).length();
            assert!(normal >= -1e-12 && tangential <= contact.friction * normal + 1e-9 * contact.impulse.length());
            bounced += usize::from(normal > 0.0);
        }
        lost = lost.max(1.0 - after / before);
    }
    assert!(bounced > 500 && lost > 0.1, "{bounced} {lost}");
}

#[test]
fn contacts_keep_momentum_and_angular_momentum() {
    let mut random = Random(2);
    for _ in 0..50 {
        let (mut world, mut contacts) = heap(&mut random, 5);
        contacts.retain(|contact| contact.second.is_some());
        contacts.iter_mut().for_each(|contact| contact.impulse = 0.1 * random.vector());
        let sum = |world: &World| {
            let angular = |body: &Body| body.angular_momentum + body.mass * body.position.cross(body.velocity);
            let bodies = &world.bodies;
            let momentum = bodies.iter().map(|body| body.mass * body.velocity).sum::<DVec3>();
            (momentum, bodies.iter().map(angular).sum::<DVec3>())
        };
        let before = sum(&world);
        let (inertias, mut twists) = world.prepare();
        world.solver.solve(&inertias, &mut twists, &mut contacts, &mut [], &world.control);
        for (body, twist) in world.bodies.iter_mut().zip(&twists) {
            body.set_twist(twist);
        }
        let after = sum(&world);
        let (momentum, angular) = ((after.0 - before.0).length(), (after.1 - before.1).length());
        assert!(momentum < 1e-12 && angular < 1e-12, "{momentum} {angular}");
    }
}

/// What overlaps is pushed apart to within the slop, and no velocity comes of it.
#[test]
fn overlap_goes_and_leaves_no_velocity() {
    let mut bodies = stack(2, |k| [1.0, 10.0][k]);
    bodies[0].position.y -= 0.01;
    bodies[1].position.y -= 0.03;
    let mut world = World::new(bodies, DVec3::ZERO, 1e-3);
    let surface = Surface { friction: 0.5, restitution: 0.8, across: 4 };
    for _ in 0..100 {
        world.step(&surface, |bodies| stack_contacts(bodies, &surface));
        let fastest = world.bodies.iter().map(|body| body.velocity.length() + body.spin().length());
        assert!(fastest.fold(0.0, f64::max) < 1e-9);
    }
    let gaps = stack_contacts(&world.bodies, &surface).into_iter().map(|contact| contact.gap);
    let (least, most) = gaps.fold((0.0_f64, -1.0_f64), |(least, most), gap| (least.min(gap), most.max(gap)));
    let slop = world.control.slop;
    assert!(least > -slop - 1e-6 && most < -slop + 1e-5, "{least} {most}");
}

/// It overlaps, but leaves: it is where it is alone.
#[test]
fn what_leaves_by_itself_is_not_pushed() {
    let mut ball = Body::ball(1.0, 0.1, 0.09 * DVec3::Y);
    ball.velocity = 20.0 * DVec3::Y;
    let mut world = World::new(vec![ball], DVec3::ZERO, 1e-3);
    let surface = Surface { friction: 0.5, restitution: 0.5, across: 2 };
    world.step(&surface, |_| vec![contact(0, None, -0.01 * DVec3::Y, DVec3::Y, -0.01)]);
    assert!((world.bodies[0].position.y - 0.11).abs() < 1e-12, "{}", world.bodies[0].position);
}
