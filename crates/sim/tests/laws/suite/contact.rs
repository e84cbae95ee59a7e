//! Elastic bodies meet each other, themselves and walls.

use thixo_sim::measure::centre;
use thixo_sim::{
    Clamp, Corotated, Dfsph, Dimension, Elastic, Iisph, Implicit, KernelChoice, Material, NewBody, NewWall, Pcisph,
    Penalty, PredictorCorrector, Pressure, Real, Settings, Shape, StepSize, Support, Vec3,
};

use super::impacts::{Energy, Moving};
use super::worlds::{incompressible, lattice};
use super::{Recipe, Run, Stepper};

const SPACING: Real = 0.05;

fn implicit(young: Real) -> Elastic {
    Elastic::Implicit(Implicit { young_modulus: Some(young), ..Implicit::default() })
}

fn explicit(young: Real) -> Elastic {
    Elastic::Corotated(Corotated { young_modulus: Some(young), ..Corotated::default() })
}

/// Off their places by up to a share of the spacing.
fn jittered(mut places: Vec<Vec3>, share: Real) -> Vec<Vec3> {
    for (k, x) in places.iter_mut().enumerate() {
        let off = |axis: usize| ((k * 7 + axis * 5) * 2654435761 % 1000) as Real / 500.0 - 1.0;
        *x += Vec3::new(off(0), off(1), off(2)) * (share * SPACING);
    }
    places
}

fn world(elastic: Elastic, pressure: Pressure, gravity: Vec3) -> Recipe {
    let settings = Settings { spacing: SPACING, pressure, gravity, ..Settings::default() };
    Recipe::new(settings, vec![Material { elastic: Some(elastic), ..Material::default() }])
}

fn add(world: &mut Recipe, name: &str, position: Vec<Vec3>, velocity: Vec3) -> u32 {
    world.add(NewBody { name: name.into(), position, velocity: vec![velocity], ..NewBody::default() })
}

fn add_floor(world: &mut Recipe, friction: Real) {
    let position = lattice(SPACING, [-8, -1, -8], [48, 1, 24]);
    let to_surface = vec![Vec3::Y * (0.5 * SPACING)];
    let floor = NewWall { name: "floor".into(), position, to_surface, friction, ..NewWall::default() };
    world.add(floor);
}

/// The least distance between particles of two bodies, in spacings.
fn gap<S: Stepper>(simulation: &S, [a, b]: [u32; 2]) -> Real {
    let particles = simulation.particles();
    let of = |body: u32| simulation.matter().filter(move |&i| particles.body[i] == body);
    let nearest = of(a)
        .flat_map(|i| of(b).map(move |j| particles.position[i].distance(particles.position[j])))
        .fold(Real::INFINITY, Real::min);
    nearest / SPACING
}

/// Every way in which bodies can meet.
fn ways() -> Vec<(&'static str, Elastic, Pressure)> {
    vec![
        ("iisph", implicit(1e5), Pressure::Iisph(Iisph::default())),
        ("iisph, stiff", implicit(1e8), Pressure::Iisph(Iisph::default())),
        ("dfsph, stiff", implicit(1e8), Pressure::Dfsph(Dfsph::default())),
        ("dfsph", implicit(1e5), Pressure::Dfsph(Dfsph::default())),
        ("pcisph", implicit(1e5), Pressure::Pcisph(Pcisph::default())),
        ("wcsph", implicit(1e5), Pressure::default()),
        ("penalty", explicit(1e5), Pressure::Penalty(Penalty::default())),
        ("predictor-corrector", explicit(1e5), Pressure::PredictorCorrector(PredictorCorrector::default())),
    ]
}

pub(crate) fn bodies_that_collide_keep_their_momentum_and_gain_no_energy<S: Stepper>() {
    for (name, elastic, pressure) in ways() {
        for jitter in [0.0, 0.15] {
            let mut world = world(elastic.clone(), pressure.clone(), Vec3::ZERO);
            let left = jittered(lattice(SPACING, [0, 0, 0], [5, 5, 5]), jitter);
            let right = jittered(lattice(SPACING, [6, 2, 1], [4, 4, 4]), jitter);
            let bodies =
                [add(&mut world, "left", left, Vec3::X), add(&mut world, "right", right, Vec3::new(-1.0, 0.2, 0.0))];
            let mut simulation: S = world.prepared();
            let start = simulation.totals();
            let (mut nearest, mut most) = (Real::INFINITY, 0.0_f64);
            while simulation.time() < 0.15 {
                simulation.step_until(0.15).unwrap();
                nearest = nearest.min(gap(&simulation, bodies));
                most = most.max(simulation.totals().kinetic);
            }
            let end = simulation.totals();
            let lost = (end.momentum - start.momentum).length() / start.momentum_scale;
            let turned = (end.angular_momentum - start.angular_momentum).length() / start.momentum_scale;
            println!(
                "{name}, jitter {jitter}: momentum {lost:.1e}, angular {turned:.1e} m, nearest {nearest:.2} d, kinetic energy \
                 at most {:.3}, at the end {:.3} of the start, {} steps",
                most / start.kinetic,
                end.kinetic / start.kinetic,
                simulation.steps()
            );
            assert!(lost < 1e-5 * S::ROUNDING, "{name}: {lost}");
            assert!(nearest > 0.5, "{name}: {nearest}");
            assert!(most < 1.02 * start.kinetic, "{name}: {most} {}", start.kinetic);
            assert!(end.kinetic < 0.95 * start.kinetic || end.momentum.x != start.momentum.x, "{name}: they met");
        }
    }
}

/// Two blocks of irregular particles on top of each other, on the floor.
pub(crate) fn bodies_at_rest_on_each_other_stay_there<S: Stepper>() {
    for (name, elastic, pressure) in ways() {
        let damped = match elastic {
            Elastic::Implicit(model) => Elastic::Implicit(Implicit { damping: 5e-3, ..model }),
            Elastic::Corotated(model) => Elastic::Corotated(Corotated { damping: 2e-3, ..model }),
            other => other,
        };
        let mut world = world(damped, pressure, Vec3::new(0.0, -9.81, 0.0));
        let lower = add(&mut world, "lower", jittered(lattice(SPACING, [0, 0, 0], [8, 4, 8]), 0.1), Vec3::ZERO);
        let upper = add(&mut world, "upper", jittered(lattice(SPACING, [2, 4, 2], [4, 4, 4]), 0.1), Vec3::ZERO);
        add_floor(&mut world, 0.3);
        let mut simulation: S = world.prepared();
        let mean = |simulation: &S, body: u32| {
            let particles = simulation.particles();
            let own = simulation.matter().filter(|&i| particles.body[i] == body);
            let ids: Vec<_> = own.map(|i| particles.id[i]).collect();
            simulation.measure(|simulation| centre(simulation, &ids))
        };
        let start = [lower, upper].map(|body| mean(&simulation, body));
        simulation.advance(0.3).unwrap();
        let half = [lower, upper].map(|body| mean(&simulation, body));
        simulation.advance(0.2).unwrap();
        let end = [lower, upper].map(|body| mean(&simulation, body));
        let moved = [0, 1].map(|k| (end[k] - start[k]) / f64::from(SPACING));
        // Along each other they slip: bodies have no friction but on walls.
        let drift = (end[1] - half[1]).y.abs() / f64::from(SPACING);
        println!(
            "{name}: lower {:.2?}, upper {:.2?} spacings, the latter {drift:.2} in the last 0.2 s, nearest {:.2} d",
            moved[0].to_array(),
            moved[1].to_array(),
            gap(&simulation, [lower, upper])
        );
        assert!(moved.iter().all(|m| m.y.abs() < 0.6), "{name}: {moved:?}");
        assert!(drift < 0.1, "{name}: {drift}");
    }
}

/// A stiff block that is put on the floor lies still, whichever solver carries it.
pub(crate) fn a_stiff_block_lies_still<S: Stepper>() {
    for pressure in incompressible() {
        let elastic = Elastic::Implicit(Implicit { young_modulus: Some(1e7), damping: 1e-3, ..Implicit::default() });
        let mut world = world(elastic, pressure.clone(), Vec3::new(0.0, -9.81, 0.0));
        add(&mut world, "block", lattice(SPACING, [0, 0, 0], [5, 6, 7]), Vec3::ZERO);
        add_floor(&mut world, 0.3);
        let mut simulation: S = world.make();
        simulation.advance(0.8).unwrap();
        let mut fastest = 0.0f64;
        while simulation.time() < 1.0 {
            fastest = fastest.max(simulation.step_until(1.0).unwrap().fastest);
        }
        println!("{pressure:?}: {fastest:.4} m/s");
        assert!(fastest < 0.02, "{pressure:?}: {fastest}");
    }
}

/// A bent strip whose ends fly at each other: they are parts of one body, and too far apart at rest to be bonded. Its energy
/// is that of the velocities that move: those predicted for the time of positions have 11 % too much in the longest steps of
/// penalty contact, and 1 % in a third of them.
pub(crate) fn a_body_does_not_pass_through_itself<S: Stepper>() {
    for (name, elastic, pressure) in ways() {
        let moving = match (&elastic, &pressure) {
            (Elastic::Corotated(_), _) => Moving::Leapfrog,
            (_, Pressure::Wcsph(_)) => Moving::SymplecticEuler,
            _ => Moving::Solved,
        };
        let mut world = world(elastic, pressure, Vec3::ZERO);
        let mut position = lattice(SPACING, [0, 0, 0], [8, 2, 4]);
        position.extend(lattice(SPACING, [0, 5, 0], [8, 2, 4]));
        position.extend(lattice(SPACING, [8, 0, 0], [2, 7, 4]));
        let position = jittered(position, 0.1);
        let velocity = position
            .iter()
            .map(|x| Vec3::new(0.0, (3.5 * SPACING - x.y).signum() * (1.0 - x.x / (9.0 * SPACING)).max(0.0) * 3.0, 0.0))
            .collect();
        world.add(NewBody { name: "strip".into(), position, velocity, ..NewBody::default() });
        let mut simulation: S = world.prepared();
        let (mut nearest, mut energy) = (Real::INFINITY, Energy::new(moving, &simulation));
        let arms = |simulation: &S| {
            let particles = simulation.particles();
            let arm = |upper: bool| {
                simulation.matter().filter(move |&i| {
                    particles.anchor[i].x < 6.0 * SPACING && (particles.anchor[i].y > 3.5 * SPACING) == upper
                })
            };
            arm(true)
                .flat_map(|i| arm(false).map(move |j| particles.position[i].distance(particles.position[j])))
                .fold(Real::INFINITY, Real::min)
        };
        while simulation.time() < 0.15 {
            energy.follow(&mut simulation, 0.15);
            nearest = nearest.min(arms(&simulation) / SPACING);
        }
        println!("{name}: nearest {nearest:.2} d, energy at most {:.3} of the start", energy.most);
        assert!(nearest > 0.3, "{name}: {nearest}");
        // The stiff strip does not bend so far.
        assert!(nearest < 1.5 || name.contains("stiff"), "{name}: {nearest}");
        assert!(energy.most < 1.001, "{name}: {}", energy.most);
    }
}

/// What a clamp holds is as good as a wall: nothing moves it, and what falls on it is held up as by one.
pub(crate) fn what_is_clamped_bears_like_a_wall<S: Stepper>() {
    let heights = [true, false].map(|is_clamped| {
        let mut world = world(implicit(1e5), Pressure::Iisph(Iisph::default()), Vec3::new(0.0, -9.81, 0.0));
        let table = lattice(SPACING, [-3, -1, -3], [10, 1, 10]);
        if is_clamped {
            let clamps = vec![(Clamp::default(), (0..table.len()).collect())];
            world.add(NewBody { name: "table".into(), position: table, clamps, ..NewBody::default() });
        } else {
            let to_surface = vec![Vec3::Y * (0.5 * SPACING)];
            world.add(NewWall { name: "table".into(), position: table, to_surface, ..NewWall::default() });
        }
        let block = add(&mut world, "block", lattice(SPACING, [0, 1, 0], [4, 4, 4]), Vec3::ZERO);
        let mut simulation: S = world.make();
        simulation.advance(0.3).unwrap();
        let particles = simulation.particles();
        for i in simulation.matter().filter(|&i| particles.clamp[i] > 0) {
            assert_eq!((particles.position[i], particles.velocity[i]), (particles.anchor[i], Vec3::ZERO));
        }
        let own = simulation.matter().filter(|&i| particles.body[i] == block);
        let lowest = own.filter(|&i| particles.anchor[i].y < 2.0 * SPACING);
        let heights: Vec<_> = lowest.map(|i| particles.position[i].y / SPACING).collect();
        heights.iter().sum::<Real>() / heights.len() as Real
    });
    println!(
        "the lowest layer {:.3} d above a table of clamped particles, {:.3} d above a wall",
        heights[0], heights[1]
    );
    assert!((heights[0] - heights[1]).abs() < 0.05 && (heights[0] - 0.5).abs() < 0.2, "{heights:?}");
}

/// A block that a clamp holds half inside a floor: it was asked for.
pub(crate) fn walls_do_not_move_what_clamps_hold<S: Stepper>() {
    let mut world = world(implicit(1e5), Pressure::Iisph(Iisph::default()), Vec3::ZERO);
    let position = lattice(SPACING, [0, -1, 0], [3, 3, 3]);
    let held = (0..position.len()).filter(|&i| position[i].y < 0.0).collect();
    let clamps = vec![(Clamp::default(), held)];
    world.add(NewBody { name: "block".into(), position, clamps, ..NewBody::default() });
    add_floor(&mut world, 0.0);
    let mut simulation: S = world.make();
    simulation.advance(0.02).unwrap();
    let particles = simulation.particles();
    let held: Vec<_> = simulation.matter().filter(|&i| particles.clamp[i] > 0).collect();
    assert_eq!(held.len(), 9);
    assert!(held.iter().all(|&i| particles.position[i] == particles.anchor[i]));
}

/// Gravity leans instead of the floor: friction of tan 20° holds a block at 18°, and lets it slide at 22° with what is left.
pub(crate) fn friction_holds_below_its_angle_and_brakes_above<S: Stepper>() {
    let friction = (20.0 as Real).to_radians().tan();
    let soft = |young| match explicit(young) {
        Elastic::Corotated(model) => Elastic::Corotated(Corotated { damping: 4e-3, ..model }),
        other => other,
    };
    let ways = [
        // Of a soft body friction is wrong by some percent, in proportion to the step.
        ("iisph", implicit(1e5), Pressure::Iisph(Iisph::default()), StepSize::Fixed(1e-3)),
        ("iisph, stiff", implicit(1e8), Pressure::Iisph(Iisph::default()), StepSize::Fixed(2e-3)),
        ("wcsph", implicit(1e5), Pressure::default(), StepSize::default()),
        ("penalty", soft(1e5), Pressure::Penalty(Penalty { damping: 0.2, ..Penalty::default() }), StepSize::default()),
        ("predictor-corrector", soft(1e5), Pressure::PredictorCorrector(Default::default()), StepSize::default()),
    ];
    for (name, elastic, pressure, step) in ways {
        let slid = [18.0 as Real, 22.0].map(|angle| {
            let (sine, cosine) = angle.to_radians().sin_cos();
            let gravity = Vec3::new(sine, -cosine, 0.0) * 9.81;
            let settings = Settings {
                spacing: SPACING,
                pressure: pressure.clone(),
                gravity,
                step: step.clone(),
                ..Settings::default()
            };
            let material = Material { elastic: Some(elastic.clone()), ..Material::default() };
            let mut world = Recipe::new(settings, vec![material]);
            add(&mut world, "block", lattice(SPACING, [0, 0, 0], [6, 3, 4]), Vec3::ZERO);
            add_floor(&mut world, friction);
            let mut simulation: S = world.prepared();
            // After it has settled: from the velocities at two times.
            simulation.advance(0.3).unwrap();
            let first = simulation.totals();
            simulation.advance(0.3).unwrap();
            let second = simulation.totals();
            let braked = (second.momentum.x - first.momentum.x) / first.mass / 0.3;
            (braked, (second.centre() - first.centre()).x, f64::from(9.81 * (sine - friction * cosine)))
        });
        println!(
            "{name}: at 18° it creeps {:.4} m in 0.3 s, at 22° accelerates by {:.3} m/s², expected {:.3}",
            slid[0].1, slid[1].0, slid[1].2
        );
        assert!(slid[0].1.abs() < 0.05 * f64::from(SPACING), "{name}: {}", slid[0].1);
        assert!((slid[1].0 / slid[1].2 - 1.0).abs() < 0.06, "{name}: {} {}", slid[1].0, slid[1].2);
    }
}

/// How far the middle of a stiff plate sinks that is held at both ends, under water or under as much weight of its own [m].
fn sinking_of_plate<S: Stepper>(is_under_water: bool) -> Real {
    let (depth, thickness, density) = (10, 2, 2000.0);
    let load = 1.0 + depth as Real * 1000.0 / (thickness as Real * density);
    let gravity = Vec3::new(0.0, if is_under_water { -9.81 } else { -9.81 * load }, 0.0);
    let settings = Settings {
        spacing: SPACING,
        dimension: Dimension::Two,
        kernel: KernelChoice::new(Shape::WendlandC2, Support { support_over_spacing: Some(2.0) }),
        pressure: Pressure::Iisph(Iisph::default()),
        gravity,
        ..Settings::default()
    };
    let elastic = Implicit { young_modulus: Some(1e8), damping: 0.02, ..Implicit::default() };
    let plate = Material { density, elastic: Some(Elastic::Implicit(elastic)), ..Material::default() };
    let mut world = Recipe::new(settings, vec![plate, Material::default()]);
    let position = lattice(SPACING, [-1, -thickness, 0], [22, thickness, 0]);
    let held = (0..position.len()).filter(|&i| !(0.0..20.0 * SPACING).contains(&position[i].x)).collect();
    let clamps = vec![(Clamp::default(), held)];
    let plate = world.add(NewBody { name: "plate".into(), position, clamps, ..NewBody::default() });
    if is_under_water {
        let position = lattice(SPACING, [0, 0, 0], [20, depth, 0]);
        world.add(NewBody { name: "water".into(), material: 1, position, ..NewBody::default() });
        for (column, side) in [(-1, 1.0), (20, -1.0)] {
            let position = lattice(SPACING, [column, 0, 0], [1, depth + 2, 0]);
            // The lowest has an edge: the clamps are below it, not behind it.
            let mut to_surface = vec![Vec3::X * (0.5 * SPACING * side); position.len()];
            to_surface[0] -= Vec3::Y * (0.5 * SPACING);
            world.add(NewWall { name: "side".into(), position, to_surface, ..NewWall::default() });
        }
    }
    let mut simulation: S = world.make();
    simulation.advance(0.25).unwrap();
    let particles = simulation.particles();
    let is_middle = |&i: &usize| particles.body[i] == plate && (particles.anchor[i].x - 10.0 * SPACING).abs() < SPACING;
    let middle: Vec<_> = simulation.matter().filter(is_middle).collect();
    middle.iter().map(|&i| particles.anchor[i].y - particles.position[i].y).sum::<Real>() / middle.len() as Real
}

pub(crate) fn a_plate_sinks_under_water_as_far_as_under_as_much_weight<S: Stepper>() {
    let [wet, dry] = [true, false].map(sinking_of_plate::<S>);
    println!("{:.4} d under water, {:.4} d under its own weight", wet / SPACING, dry / SPACING);
    assert!((wet / dry - 1.0).abs() < 0.03, "{wet} {dry}");
}

pub(crate) fn fluids_are_refused_where_only_contact_is_handled<S: Stepper>() {
    for pressure in [Pressure::Penalty(Penalty::default()), Pressure::PredictorCorrector(PredictorCorrector::default())]
    {
        let settings = Settings { spacing: SPACING, pressure, ..Settings::default() };
        let mut world = Recipe::new(settings, vec![Material::default()]);
        world.add(NewBody { name: "drop".into(), position: vec![Vec3::ZERO], ..NewBody::default() });
        let message = S::make(&world).err().unwrap().to_string();
        assert!(message.contains("drop") && message.contains("another solver"), "{message}");
    }
    let elastic = Elastic::Corotated(Corotated::default());
    let mut world = world(elastic, Pressure::default(), Vec3::ZERO);
    world.add(NewWall { name: "ice".into(), position: vec![Vec3::ZERO], friction: -1.0, ..NewWall::default() });
    assert!(S::make(&world).err().unwrap().to_string().contains("ice"));
}
