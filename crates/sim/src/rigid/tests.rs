//! Free motion, and bodies in water.

use super::*;
use crate::elasticity::Elastic;
use crate::measure::Totals;
use crate::pressure::{Iisph, Pressure};
use crate::real::Dimension;
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::time::StepSize;
use crate::world::{KindId, Material, NewBody, NewWall, Rigid};

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

/// A tank in the plane, open above, with room for so many particles.
fn tank(cells: [i32; 2]) -> NewWall {
    let (mut position, mut to_surface) = (Vec::new(), Vec::new());
    for x in -3..cells[0] + 3 {
        for y in -3..cells[1] {
            let (out_x, out_y) = ((-x).max(x - cells[0] + 1).max(0), (-y).max(0));
            if out_x > 0 || out_y > 0 {
                position.push(Vec3::new(x as Real + 0.5, y as Real + 0.5, 0.0) * SPACING);
                let to_x = if out_x > 0 { (out_x as Real - 0.5) * if x < 0 { 1.0 } else { -1.0 } } else { 0.0 };
                let to_y = if out_y > 0 { out_y as Real - 0.5 } else { 0.0 };
                to_surface.push(Vec3::new(to_x, to_y, 0.0) * SPACING);
            }
        }
    }
    NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() }
}

/// The force by which the floor bears bodies, in the last step [N].
fn load(simulation: &Simulation) -> f64 {
    let rigid = &simulation.models.rigid;
    let on_walls = rigid.touching.contacts.iter().filter(|contact| contact.second.is_none());
    on_walls.map(|contact| contact.impulse.y).sum::<f64>() / f64::from(simulation.world().clock.last_dt)
}

/// A plate that weighs a twentieth of water lies on the floor under a metre of water: the floor bears the water through it.
#[test]
fn a_light_plate_on_the_floor_bears_the_water_above_it() {
    let settings = Settings {
        spacing: SPACING,
        dimension: Dimension::Two,
        pressure: Pressure::Iisph(Iisph::default()),
        ..Settings::default()
    };
    let settings = Settings { periodic: [Some([0.0, 1.2]), None, None], ..settings };
    let mut simulation = Simulation::new(settings, vec![Material::default(), material(50.0)]).unwrap();
    let flat = |x: Vec3| x * Vec3::new(1.0, 1.0, 0.0);
    let water = block([12, 10, 1]).map(|x| flat(x + Vec3::new(0.0, 0.2, 0.0))).collect();
    simulation.add_body(NewBody { name: "water".into(), position: water, ..NewBody::default() }).unwrap();
    let plate = block([12, 2, 1]).map(flat).collect();
    simulation.add_body(NewBody { name: "plate".into(), material: 1, position: plate, ..NewBody::default() }).unwrap();
    let bottom =
        (0..36).map(|k| Vec3::new((k % 12) as Real + 0.5, -(k / 12) as Real - 0.5, 0.0) * SPACING).collect::<Vec<_>>();
    let to_surface = bottom.iter().map(|x| Vec3::new(0.0, -x.y, 0.0)).collect();
    simulation.add_wall(NewWall { name: "floor".into(), position: bottom, to_surface, ..NewWall::default() }).unwrap();
    let mut mean = 0.0;
    for k in 0..200 {
        let report = simulation.step().unwrap();
        let state = simulation.world().memory.rigid[0];
        if k % 20 == 0 {
            println!(
                "{k} it {} y {:.6} v {:.6} load {:.1} err {:.1e}",
                report.iterations,
                state.centre.y,
                state.velocity.y,
                load(&simulation),
                report.density_error
            );
        }
        if k >= 100 {
            mean += load(&simulation) / 100.0;
        }
    }
    let state = simulation.world().memory.rigid[0];
    let by_hand = 1.2 * 9.81 * (1000.0 * 1.0 + 50.0 * 0.2);
    assert!((state.centre.y - 0.1).abs() < 0.1 * 0.1, "{}", state.centre.y);
    assert!((mean / by_hand - 1.0).abs() < 0.02, "{mean} {by_hand}");
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
    simulation.add_wall(tank([50, 30])).unwrap();
    let start = Totals::of(&simulation, None).energy();
    simulation.advance(4.0).unwrap();
    let [float, stone] = [0, 1].map(|k| simulation.world().memory.rigid[k]);
    let energy = Totals::of(&simulation, None).energy();
    println!("{:.3} {:.3} energy {start:.0} {energy:.0}", float.centre, stone.centre);
    // 5.68 m² of water, half of the float and the stone, over 5 m: half of the float is above 1.2 m.
    assert!((float.centre.y - 1.2).abs() < 0.15, "{}", float.centre);
    assert!((stone.centre.y - 0.2).abs() < 0.01 && stone.velocity.length() < 0.05, "{}", stone.centre);
    assert!(energy < start, "{energy} {start}");
}

/// A floor below y = 0, under so many particles in x and z.
fn floor(cells: [i32; 2]) -> NewWall {
    let (mut position, mut to_surface) = (Vec::new(), Vec::new());
    for x in -3..cells[0] + 3 {
        for z in -3..cells[1] + 3 {
            for y in 0..3 {
                position.push(Vec3::new(x as Real + 0.5, -(y as Real) - 0.5, z as Real + 0.5) * SPACING);
                to_surface.push(Vec3::Y * (y as Real + 0.5) * SPACING);
            }
        }
    }
    NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() }
}

/// A block on a plane that is tilted so much, with friction tan 20°: how far it has slid after so long, and how fast it is.
fn slide(degrees: f64, seconds: f64) -> [f64; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let gravity = Vec3::new((9.81 * sin) as Real, -(9.81 * cos) as Real, 0.0);
    let settings =
        Settings { spacing: SPACING, gravity, pressure: Pressure::Iisph(Iisph::default()), ..Settings::default() };
    let rough = Rigid { friction: 20.0_f64.to_radians().tan() as Real, restitution: 0.0 };
    let material = Material { rigid: Some(rough), density: 2000.0, ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![material]).unwrap();
    simulation
        .add_body(NewBody { name: "block".into(), position: block([6, 4, 5]).collect(), ..NewBody::default() })
        .unwrap();
    simulation.add_wall(floor([40, 5])).unwrap();
    simulation.prepare().unwrap();
    let start = simulation.world().memory.rigid[0].centre;
    simulation.advance(seconds).unwrap();
    let state = simulation.world().memory.rigid[0];
    println!(
        "{degrees}: {} steps, moved {:.6}, velocity {:.6}, turned {:.2e}",
        simulation.steps(),
        state.centre - start,
        state.velocity,
        state.orientation.xyz().length()
    );
    [(state.centre - start).x, state.velocity.x]
}

/// A block on a slope sticks below the angle of friction and slides above it (VALIDATION R5).
#[test]
fn a_block_on_a_slope_sticks_or_slides() {
    let [moved, speed] = slide(18.0, 2.0);
    assert!(moved < 0.02 * 0.1 && speed < 1e-3, "{moved} {speed}");
    let [moved, speed] = slide(22.0, 1.0);
    let angle = 22.0_f64.to_radians();
    let by_hand = 9.81 * (angle.sin() - 20.0_f64.to_radians().tan() * angle.cos());
    assert!((speed / by_hand - 1.0).abs() < 0.03, "{speed} {by_hand}");
    assert!((moved / (0.5 * by_hand) - 1.0).abs() < 0.05, "{moved} {by_hand}");
}

/// Boxes on each other stand, and do not creep.
#[test]
fn a_stack_stands() {
    let settings = Settings { spacing: SPACING, pressure: Pressure::Iisph(Iisph::default()), ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![material(2000.0)]).unwrap();
    for k in 0..6 {
        let position = block([4, 3, 4])
            .map(|x| x + Vec3::new(0.02 * (k % 2) as Real, 0.3 * k as Real, 0.01 * k as Real))
            .collect();
        simulation.add_body(NewBody { name: format!("box {k}"), position, ..NewBody::default() }).unwrap();
    }
    simulation.add_wall(floor([4, 4])).unwrap();
    simulation.prepare().unwrap();
    let start = simulation.world().memory.rigid.clone();
    simulation.advance(10.0).unwrap();
    for (now, start) in simulation.world().memory.rigid.iter().zip(&start) {
        println!(
            "moved {:.6} v {:.6} turned {:.2e}",
            now.centre - start.centre,
            now.velocity,
            now.orientation.xyz().length()
        );
        assert!((now.centre - start.centre).length() < 0.1 * 0.1);
    }
}

/// A bar that hangs from a hinge swings with the period of its moment of inertia, at 0.1 rad.
#[test]
fn a_bar_on_a_hinge_swings_with_its_period() {
    let settings = Settings { spacing: SPACING, step: StepSize::Fixed(2e-3), ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![material(700.0)]).unwrap();
    // Hangs from its upper end, turned by 0.1 rad.
    let (sin, cos) = 0.1_f64.sin_cos();
    let turned = |x: Vec3| Vec3::new(x.x * cos as Real - x.y * sin as Real, x.x * sin as Real + x.y * cos as Real, x.z);
    let position = block([1, 10, 1]).map(|x| turned(x - Vec3::new(0.05, 1.0, 0.05))).collect();
    let bar = simulation.add_body(NewBody { name: "bar".into(), position, ..NewBody::default() }).unwrap();
    let kind = Kind::Hinge(Axis { direction: [0.0, 0.0, 1.0], limits: None, motor: None });
    let joint = NewJoint { name: "pivot".into(), first: bar, second: None, point: [0.0; 3], kind, contact: false };
    simulation.add_joint(joint).unwrap();
    let (mut crossings, mut last) = (Vec::new(), 1.0);
    let energy = Totals::of(&simulation, None).energy();
    while crossings.len() < 5 && simulation.time() < 10.0 {
        simulation.step().unwrap();
        let x = simulation.world().memory.rigid[0].centre.x;
        if x < 0.0 && last >= 0.0 || x > 0.0 && last <= 0.0 {
            crossings.push(simulation.time());
        }
        last = x;
    }
    let period = (crossings[4] - crossings[0]) / 2.0;
    // I = m (L²/3 + d²/12) about the end, and the first correction by the amplitude.
    let by_hand = std::f64::consts::TAU * ((1.0 / 3.0 + 0.01 / 12.0) / (9.81 * 0.5_f64)).sqrt() * (1.0 + 0.01 / 16.0);
    assert!((period / by_hand - 1.0).abs() < 5e-3, "{period} {by_hand}");
    let change = Totals::of(&simulation, None).energy() - energy;
    println!("period {period} {by_hand}, energy changes by {change:.3e}");
}

/// A stack that a motor knocks over goes on to the same bits from a snapshot in the middle.
#[test]
fn a_run_goes_on_from_the_middle_of_a_collapse() {
    let build = || {
        let settings =
            Settings { spacing: SPACING, pressure: Pressure::Iisph(Iisph::default()), ..Settings::default() };
        let mut simulation = Simulation::new(settings, vec![material(800.0), Material::default()]).unwrap();
        for k in 0..4 {
            let position = block([3, 3, 3]).map(|x| x + Vec3::new(0.01 * k as Real, 0.3 * k as Real, 0.0)).collect();
            simulation.add_body(NewBody { name: format!("box {k}"), position, ..NewBody::default() }).unwrap();
        }
        let arm = block([8, 1, 1]).map(|x| x + Vec3::new(-0.9, 0.7, 0.1)).collect();
        let arm = simulation.add_body(NewBody { name: "arm".into(), position: arm, ..NewBody::default() }).unwrap();
        let drop = block([4, 4, 4]).map(|x| x + Vec3::new(0.6, 0.0, 0.0)).collect();
        simulation
            .add_body(NewBody { name: "drop".into(), material: 1, position: drop, ..NewBody::default() })
            .unwrap();
        simulation.add_wall(floor([12, 8])).unwrap();
        let motor = Some(Motor { speed: -4.0, most: 2000.0 });
        let kind = Kind::Hinge(Axis { direction: [0.0, 1.0, 0.0], limits: None, motor });
        let point = [-0.85, 0.75, 0.15];
        simulation
            .add_joint(NewJoint { name: "motor".into(), first: arm, second: None, point, kind, contact: false })
            .unwrap();
        simulation
    };
    let mut whole = build();
    for _ in 0..60 {
        whole.step().unwrap();
    }
    let snapshot = whole.snapshot();
    let mut resumed = build();
    resumed.restore(snapshot).unwrap();
    for _ in 0..60 {
        whole.step().unwrap();
        resumed.step().unwrap();
    }
    assert!(whole.snapshot() == resumed.snapshot());
    let top = whole.world().memory.rigid[3];
    println!("the top is at {:.3}, {} contacts", top.centre, whole.models.rigid.touching.contacts.len());
    assert!(whole.joints()[0].coordinate() < -0.5, "{}", whole.joints()[0].coordinate());
}

/// A box that turns about its longest axis: ½ ω² M/12 (b² + c²), of which points alone have three quarters.
#[test]
fn totals_and_balances_have_the_motion_of_the_whole_body() {
    let settings = Settings { spacing: SPACING, gravity: Vec3::ZERO, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![material(500.0)]).unwrap();
    let position: Vec<_> = block([6, 2, 2]).collect();
    let (centre, spin, drift) = (Vec3::new(0.3, 0.1, 0.1), Vec3::new(8.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 2.0));
    let velocity = position.iter().map(|x| spin.cross(*x - centre) + drift).collect();
    let body = simulation.add_body(NewBody { name: "box".into(), position, velocity, ..NewBody::default() }).unwrap();
    simulation.watch_energy();
    let is_right = |totals: Totals| {
        let (mass, time) = (500.0 * 0.6 * 0.2 * 0.2, totals.centre().z / 2.0 - 0.05);
        let own = mass / 12.0 * (0.2 * 0.2 + 0.2 * 0.2) * 8.0;
        assert!((totals.kinetic / (0.5 * own * 8.0 + 0.5 * mass * 4.0) - 1.0).abs() < 1e-5, "{}", totals.kinetic);
        let angular = totals.centre().cross(totals.momentum) + DVec3::new(own, 0.0, 0.0);
        assert!((totals.angular_momentum - angular).length() < 1e-5 * angular.length(), "{}", totals.angular_momentum);
        assert!((totals.mass / mass - 1.0).abs() < 1e-6 && totals.particles == 24 && time > -1e-6);
    };
    simulation.prepare().unwrap();
    for _ in 0..40 {
        is_right(Totals::of(&simulation, None));
        is_right(Totals::of_motion(&simulation, Some(body)));
        simulation.step().unwrap();
    }
    let balance = simulation.energy().unwrap();
    let kinetic = Totals::of(&simulation, None).kinetic;
    assert!((balance.energies.kinetic / kinetic - 1.0).abs() < 1e-9, "{balance:?} {kinetic}");
}

/// What melts passes the segment of rigid particles in memory, and moves them there: they stay who they are.
#[test]
fn matter_that_melts_leaves_rigid_bodies_as_they_are() {
    let settings = Settings { spacing: SPACING, pressure: Pressure::Iisph(Iisph::default()), ..Settings::default() };
    let wax = Material { elastic: Some(Elastic::default()), ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![material(500.0), wax]).unwrap();
    let at = |x: Real, material| NewBody {
        name: format!("at {x}"),
        material,
        position: block([3, 3, 3]).map(|place| place + Vec3::new(x, 0.0, 0.0)).collect(),
        velocity: vec![Vec3::new(0.0, x, 0.0)],
        ..NewBody::default()
    };
    let boxes = [0.0, 1.0].map(|x| simulation.add_body(at(x, 0)).unwrap());
    let wax = simulation.add_body(at(2.0, 1)).unwrap();
    simulation.step().unwrap();
    let melting: Vec<_> = simulation.particles_of(wax).take(5).collect();
    simulation.transform(&melting, KindId::FLUID).unwrap();
    for _ in 0..3 {
        simulation.step().unwrap();
    }
    for body in boxes {
        let state = *simulation.rigid_body(body).unwrap();
        let particles = simulation.particles();
        let farthest = simulation.particles_of(body).map(|i| wide(particles.position[i]).distance(state.centre));
        let farthest = farthest.fold(0.0, f64::max);
        assert!((farthest - 0.1 * 3.0_f64.sqrt()).abs() < 1e-6, "{farthest}");
        assert!((state.velocity.y + 9.81 * simulation.time() - state.first_centre.x.round()).abs() < 1e-3);
    }
    let member: Vec<_> = simulation.particles_of(boxes[0]).take(1).collect();
    assert!(simulation.transform(&member, KindId::FLUID).is_err());
    assert!(simulation.transform(&[simulation.matter().end - 1], KindId::RIGID).is_err());
    assert!(simulation.split_body(boxes[0], &member, "part").is_err());
    assert!(simulation.join_bodies(boxes[0], boxes[1]).is_err());
}
