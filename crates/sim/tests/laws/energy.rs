//! Balances of energy: what comes from outside is counted, and what comes from nowhere is seen.

use thixo_sim::{
    Clamp, Corotated, Elastic, EnergyBalance, Field, FieldKind, Force, Iisph, Implicit, Interpolation, Keyframe, Load,
    Material, NewBody, NewWall, Path, Penalty, Pressure, Real, Settings, Simulation, StepContext, StepSize, Uniform,
    Vec3, Wcsph,
};

use crate::suite::bits::assert_same_bits;
use crate::suite::worlds::{Tank, jellies, lattice};
use crate::suite::{Recipe, View, simulation};

fn watched(world: &Recipe) -> Simulation {
    let mut simulation = simulation(world).unwrap();
    simulation.watch_energy();
    simulation
}

/// Makes steps, and gives the balance with the largest gain and the last one.
fn worst_and_last(simulation: &mut Simulation, steps: u64) -> (EnergyBalance, EnergyBalance) {
    let mut worst = EnergyBalance::default();
    for _ in 0..steps {
        simulation.step().unwrap();
        let balance = simulation.energy().unwrap();
        worst = if balance.gain() > worst.gain() { *balance } else { worst };
    }
    (worst, *simulation.energy().unwrap())
}

/// Energy less the work that was done, over the work.
fn off(balance: &EnergyBalance) -> f64 {
    balance.energies.sum() / balance.work - 1.0
}

fn straight(velocity: f64) -> Path {
    let frame = |time: f64| Keyframe { time, translation: [velocity * time, 0.0, 0.0], rotation: None };
    Path { keyframes: vec![frame(0.0), frame(10.0)], interpolation: Interpolation::Linear, repeat: false }
}

/// A field does work on every kind of matter; gravity changes heights for motion, whichever velocity moves a particle.
#[test]
fn fields_and_gravity_give_what_matter_has() {
    for pressure in [Pressure::Wcsph(Wcsph::default()), Pressure::Iisph(Iisph::default())] {
        let uniform = FieldKind::Uniform(Uniform { acceleration: [3.0, 5.0, 0.0] });
        let field = Field { name: "wind".into(), kind: uniform, region: None, from: 0.0, until: None };
        let step = StepSize::Fixed(2e-3);
        let settings = Settings { spacing: 0.1, pressure, step, fields: vec![field], ..Settings::default() };
        let mut world = Recipe::new(settings, vec![Material::default()]);
        let velocity = vec![Vec3::new(0.0, 1.0, 0.5)];
        world.add(NewBody { position: lattice(0.1, [0, 0, 0], [4, 4, 4]), velocity, ..NewBody::default() });
        let (worst, last) = worst_and_last(&mut watched(&world), 200);
        assert!(last.work > 10.0 && worst.gained < 1e-4 * last.turned_over, "{worst:?} {last:?}");
        // Motion, and height above the start.
        let start = 64.0 * (0.5 * 1.25 + 9.81 * 0.2);
        // Heights are those of half a step ago, where velocities are.
        assert!((last.energies.sum() - start - last.work).abs() < 0.02 * last.work, "{last:?} {start}");
    }
}

/// A plate that is pushed through water at rest, a pulled clamp and a load give what matter then has, or loses to friction.
#[test]
fn walls_clamps_and_loads_give_what_matter_has() {
    let spacing = 0.05;
    let settings = |pressure, step| Settings { spacing, pressure, step, gravity: Vec3::ZERO, ..Settings::default() };
    for pressure in [Pressure::Wcsph(Wcsph::default()), Pressure::Iisph(Iisph::default())] {
        let mut world = Recipe::new(settings(pressure, StepSize::default()), vec![Material::default()]);
        world.add(NewBody { position: lattice(spacing, [0, 0, 0], [8, 6, 6]), ..NewBody::default() });
        let position = lattice(spacing, [-1, -2, -2], [1, 10, 10]);
        let to_surface = vec![Vec3::X * (0.5 * spacing)];
        world.add(NewWall { position, to_surface, path: Some(straight(1.0)), ..NewWall::default() });
        let (worst, last) = worst_and_last(&mut watched(&world), 100);
        // A block of 36 kg that is pushed off a wall has its velocity at least, and at most twice that.
        assert!((15.0..80.0).contains(&last.work) && worst.gain() < EnergyBalance::WARNS, "{worst:?} {last:?}");
        assert!((-0.5..0.02).contains(&off(&last)), "{last:?}");
    }
    let explicit = Elastic::Corotated(Corotated { young_modulus: Some(1e5), ..Corotated::default() });
    let implicit = Elastic::Implicit(Implicit { young_modulus: Some(1e5), ..Implicit::default() });
    for (elastic, pressure) in [(explicit, Pressure::Penalty(Penalty::default())), (implicit, Pressure::default())] {
        let material = Material { elastic: Some(elastic), ..Material::default() };
        let position = lattice(spacing, [0, 0, 0], [12, 4, 4]);
        let held = |keep: fn(Real) -> bool| (0..position.len()).filter(|&i| keep(position[i].x)).collect::<Vec<_>>();
        let smooth = Path { interpolation: Interpolation::Smooth, ..straight(0.1) };
        let frames = vec![smooth.keyframes[0].clone(), Keyframe { time: 0.2, ..straight(0.006).keyframes[1].clone() }];
        let path = Some(Path { keyframes: frames, ..smooth });
        let clamps = vec![(Clamp::default(), held(|x| x < 0.1)), (Clamp { path }, held(|x| x > 0.5))];
        let mut pulled = Recipe::new(settings(pressure.clone(), StepSize::Fixed(1e-3)), vec![material.clone()]);
        pulled.add(NewBody { position: position.clone(), clamps, ..NewBody::default() });
        let mut simulation = watched(&pulled);
        worst_and_last(&mut simulation, 300);
        // E/2 (Δl/l)² V, where a tenth of the bar's length is held at either end: some 17 J.
        let last = simulation.energy().unwrap();
        assert!(last.work > 5.0 && off(last).abs() < 0.05, "{last:?}");

        let shares = Load::spread((0..).zip(&position).filter(|(_, x)| x.x > 0.5).map(|(i, _)| (i, 1.0)));
        let load = Load { force: [0.0, 30.0, 0.0], shares, ..Load::default() };
        let mut loaded = Recipe::new(settings(pressure, StepSize::Fixed(1e-3)), vec![material]);
        loaded.add(NewBody { position: position.clone(), loads: vec![load], ..NewBody::default() });
        let mut simulation = watched(&loaded);
        worst_and_last(&mut simulation, 300);
        let last = simulation.energy().unwrap();
        assert!(last.work > 1.0 && (-0.1..0.01).contains(&off(last)), "{last:?}");
    }
}

/// A force that nobody declared to come from outside: it drives what moves.
struct Perpetual;

impl Force for Perpetual {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let velocity = &step.world.particles.velocity;
        acceleration.iter_mut().zip(velocity).for_each(|(acceleration, v)| *acceleration += 5.0 * *v);
    }
}

#[test]
fn energy_from_nowhere_is_seen_and_a_dam_that_breaks_has_none() {
    let tank = Tank { cavity: [24, 16, 0], fluid: [12, 12, 0], ..Tank::default() }.recipe();
    let (worst, _) = worst_and_last(&mut watched(&tank), 300);
    assert!(worst.gain() < 0.05, "{worst:?}");
    let mut driven = watched(&tank);
    driven.add_force(Box::new(Perpetual));
    let (worst, _) = worst_and_last(&mut driven, 300);
    assert!(worst.gain() > EnergyBalance::WARNS, "{worst:?}");
}

/// Bodies that come and go are no gain, and neither is what they take along.
#[test]
fn what_comes_and_goes_between_steps_is_no_gain() {
    let mut simulation = watched(&Tank { cavity: [24, 16, 0], fluid: [12, 12, 0], ..Tank::default() }.recipe());
    worst_and_last(&mut simulation, 50);
    let position = lattice(0.05, [2, 14, 0], [4, 2, 1]);
    let drop = NewBody { name: "drop".into(), position, velocity: vec![Vec3::NEG_Y], ..NewBody::default() };
    let drop = simulation.add_body(drop).unwrap();
    let (worst, _) = worst_and_last(&mut simulation, 50);
    assert!(worst.gain() < EnergyBalance::WARNS, "{worst:?}");
    simulation.remove_body(drop).unwrap();
    let (worst, _) = worst_and_last(&mut simulation, 50);
    assert!(worst.gain() < EnergyBalance::WARNS, "{worst:?}");
}

/// To the last bit, and whoever watches changes nothing.
#[test]
fn balances_go_on_from_a_snapshot_and_do_not_depend_on_threads() {
    let run = |threads: usize, breaks: bool, watches: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = simulation(&jellies()).unwrap();
            if watches {
                simulation.watch_energy();
            }
            for step in 0..230 {
                if breaks && step == 117 {
                    let snapshot = simulation.snapshot();
                    simulation = self::simulation(&jellies()).unwrap();
                    simulation.restore(snapshot).unwrap();
                }
                simulation.step().unwrap();
            }
            simulation
        })
    };
    let whole = run(1, false, true);
    assert!(whole.energy().is_some_and(|balance| balance.step >= 200));
    for (threads, breaks) in [(2, false), (3, true)] {
        let other = run(threads, breaks, true);
        assert_eq!(whole.energy(), other.energy());
        assert_same_bits(View::of(&whole), View::of(&other), "watched");
    }
    assert_eq!(whole.particles(), run(2, false, false).particles());
}
