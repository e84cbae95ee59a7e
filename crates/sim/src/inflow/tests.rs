//! Streams leave at rest density, exactly as much as is let in, and leave no trace of tries.

use super::*;
use crate::heat::Heat;
use crate::measure::Totals;
use crate::pressure::{Dfsph, Iisph, Pcisph, Pressure, Wcsph};
use crate::settings::Settings;
use crate::stages::Stage;
use crate::world::{Keyframe, Material, NewBody, Particles, Rotation};
use crate::{Interpolation, RegionBox, Values};

const SPACING: f64 = 0.05;

fn solvers() -> [Pressure; 4] {
    [
        Pressure::Wcsph(Wcsph::default()),
        Pressure::Pcisph(Pcisph::default()),
        Pressure::Iisph(Iisph::default()),
        Pressure::Dfsph(Dfsph::default()),
    ]
}

fn world(pressure: Pressure, dimension: Dimension, gravity: Real) -> Simulation {
    let settings = Settings {
        spacing: SPACING as Real,
        dimension,
        pressure,
        gravity: Vec3::new(0.0, -gravity, 0.0),
        ..Settings::default()
    };
    Simulation::new(settings, vec![Material::default(), Material { density: 800.0, ..Material::default() }]).unwrap()
}

fn tap() -> NewEmitter {
    let opening = Opening::Disc { centre: [0.0, 1.0, 0.0], normal: [0.0, -1.0, 0.0], radius: 0.2 };
    NewEmitter { name: "tap".into(), material: 1, opening, ..NewEmitter::default() }
}

fn difference(a: &Particles, b: &Particles) -> Option<String> {
    let bits = |values: Values<'_>| -> Vec<u64> {
        match values {
            Values::Scalar(values) => values.iter().map(|x| u64::from(x.to_bits())).collect(),
            Values::Vector(values) => {
                values.iter().flat_map(|x| x.to_array()).map(|x| u64::from(x.to_bits())).collect()
            }
            Values::Index(values) => values.iter().copied().map(u64::from).collect(),
        }
    };
    let differs = a.columns().zip(b.columns()).find(|((_, a), (_, b))| bits(*a) != bits(*b));
    differs.map(|((info, _), _)| info.name.to_owned())
}

/// In free space, where nothing acts: rest density all along, the speed that was asked for, and A v t of volume.
#[test]
fn a_stream_leaves_at_rest_density_and_as_much_as_is_let_in() {
    for pressure in solvers() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let mut simulation = world(pressure.clone(), dimension, 0.0);
            let id = simulation.add_emitter(tap()).unwrap();
            simulation.advance(1.0).unwrap();
            let told = format!("{pressure:?} {dimension:?}");
            let emitter = &simulation.emitters()[0];
            let volume = emitter.emitted as f64 * SPACING.powi(dimension.count() as i32);
            let area = if dimension == Dimension::Three { std::f64::consts::PI * 0.04 } else { 0.4 };
            let layer = emitter.pipe.layer * area;
            assert!((volume - area).abs() <= layer, "{told}: {volume} {area}");
            assert_eq!(simulation.body(id).unwrap().particles as u64, emitter.emitted);
            assert_eq!(simulation.matter().len() as u64, emitter.emitted);
            let particles = simulation.particles();
            for i in simulation.matter() {
                // The layers of a disc are no lattice: its edge settles by some thousandths of the speed.
                assert!((particles.velocity[i] + Vec3::Y).length() < 3e-3, "{told}: {}", particles.velocity[i]);
                assert!(particles.compression(i) < 1.01, "{told}: {}", particles.compression(i));
                assert_eq!((particles.material[i], particles.rest_density[i]), (1, 800.0));
                // Within the stream, with others all around.
                let x = particles.position[i];
                let is_inside = x.with_y(0.0).length() < 0.1 && x.y > 0.2;
                assert!(!is_inside || particles.compression(i) > 0.99, "{told}: {} at {x}", particles.compression(i));
            }
        }
    }
}

/// Hot fluid comes into cold, and some of it goes into a sink: all heat is booked. What came out last is as hot as it was let out.
#[test]
fn what_comes_and_goes_brings_and_takes_its_heat() {
    let heat = |conductivity| Some(Heat { conductivity, ..Heat::default() });
    let cold = Material { heat: heat(10.0), ..Material::default() };
    let hot = Material { heat: heat(40.0), density: 800.0, ..Material::default() };
    let settings = Settings { spacing: SPACING as Real, gravity: Vec3::ZERO, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![cold, hot]).unwrap();
    let position = (0..64).map(|k| Vec3::new((k % 8) as Real - 3.5, 8.0, (k / 8) as Real - 3.5) * SPACING as Real);
    let position = position.collect();
    simulation.add_body(NewBody { name: "cold".into(), position, ..NewBody::default() }).unwrap();
    simulation.add_emitter(NewEmitter { temperature: 80.0, from: 0.1, until: 1.0, ..tap() }).unwrap();
    let region = Region::Box(RegionBox { min: [-9.0; 3], max: [9.0, 0.3, 9.0] });
    simulation.add_sink(NewSink { name: "drain".into(), region, outside: false, from: 0.2, until: 2.0 }).unwrap();
    let start = simulation.heat(None).enthalpy;
    assert!(start > 0.0);
    simulation.advance(0.9).unwrap();
    let (totals, received) = (simulation.heat(None), simulation.heat_received());
    let emitter = &simulation.emitters()[0];
    let particle = 800.0 * SPACING.powi(3);
    let brought = emitter.emitted as f64 * particle * 80.0 * f64::from(Heat::default().capacity);
    let taken = brought - received.flow;
    println!("{start} J, {brought} J brought, {taken} J taken, {} J at the end", totals.enthalpy);
    assert!(taken > 0.02 * brought && simulation.sinks()[0].taken > 0);
    assert!((totals.enthalpy - start - received.sum()).abs() < 1e-9 * brought, "{totals:?} {received:?}");
    let highest = simulation.matter().max_by(|&a, &b| {
        let position = &simulation.particles().position;
        position[a].y.total_cmp(&position[b].y)
    });
    assert!((simulation.temperatures().unwrap()[highest.unwrap()] - 80.0).abs() < 0.1);
}

/// A stream that begins late, ends early or has let out all it may.
#[test]
fn streams_keep_to_their_times_and_limits() {
    for (from, until, most, expected) in
        [(0.3, 0.7, f64::INFINITY, 0.4), (0.0, 0.55, f64::INFINITY, 0.55), (0.1, f64::INFINITY, 0.12, 0.3)]
    {
        let mut simulation = world(Pressure::default(), Dimension::Two, 0.0);
        simulation.add_emitter(NewEmitter { from, until, most, ..tap() }).unwrap();
        simulation.advance(1.0).unwrap();
        let volume = simulation.emitters()[0].emitted as f64 * SPACING * SPACING;
        assert!((volume - 0.4 * expected).abs() < 0.4 * SPACING, "{from} {until} {most}: {volume}");
        simulation.advance(0.5).unwrap();
        let after = simulation.emitters()[0].emitted as f64 * SPACING * SPACING;
        assert!((after - volume).abs() < 0.4 * SPACING || until == f64::INFINITY && most == f64::INFINITY);
    }
}

fn turning() -> Path {
    let keyframe = |time: f64, x: f64, angle: f64| Keyframe {
        time,
        translation: [x, 0.0, 0.0],
        rotation: Some(Rotation { angle, centre: [0.0, 1.0, 0.0], axis: [0.0, 0.0, 1.0] }),
    };
    Path {
        keyframes: vec![keyframe(0.0, 0.0, 0.0), keyframe(0.8, 0.5, 0.6)],
        interpolation: Interpolation::Smooth,
        repeat: false,
    }
}

/// A pool under a tap that moves and turns, in front of a sink.
fn fountain(pressure: Pressure) -> Simulation {
    let mut simulation = world(pressure, Dimension::Two, 9.81);
    let cell = SPACING as Real;
    let at = |i: i32, j: i32| Vec3::new((i as Real + 0.5) * cell, (j as Real + 0.5) * cell, 0.0);
    let pool = (-10..10).flat_map(|i| (0..4).map(move |j| at(i, j))).collect();
    simulation.add_body(NewBody { name: "pool".into(), position: pool, ..NewBody::default() }).unwrap();
    let (position, to_surface) = (-12..24)
        .flat_map(|i| (-3..12).map(move |j| (i, j)))
        .filter(|(i, j)| *j < 0 || *i < -10 || *i >= 20)
        .map(|(i, j)| {
            let x = at(i, j);
            (x, x.clamp(Vec3::new(-10.0 * cell, 0.0, 0.0), Vec3::new(20.0 * cell, 12.0 * cell, 0.0)) - x)
        })
        .unzip();
    simulation.add_wall(NewWall { name: "basin".into(), position, to_surface, ..NewWall::default() }).unwrap();
    simulation.add_emitter(NewEmitter { path: Some(turning()), spread: 0.2, ..tap() }).unwrap();
    let region = Region::Box(crate::fields::RegionBox { min: [0.6, 0.0, -1.0], max: [1.0, 0.5, 1.0] });
    let sink = NewSink { name: "drain".into(), region, outside: false, from: 0.0, until: f64::INFINITY };
    simulation.add_sink(sink).unwrap();
    simulation.watch_energy();
    simulation
}

#[test]
fn what_came_and_went_is_what_is_there() {
    for pressure in solvers() {
        let mut simulation = fountain(pressure.clone());
        simulation.advance(1.5).unwrap();
        let (emitted, taken) = (simulation.emitters()[0].emitted, simulation.sinks()[0].taken);
        assert!(emitted > 50 && taken > 20, "{emitted} {taken}");
        assert_eq!(simulation.matter().len() as u64, 80 + emitted - taken, "{pressure:?}");
        let by_bodies: usize =
            simulation.bodies().iter().filter(|body| !body.kind.is_wall()).map(|body| body.particles).sum();
        assert_eq!(by_bodies, simulation.matter().len());
        for body in 0..simulation.bodies().len() {
            let owned = simulation.particles().body.iter().filter(|owner| **owner as usize == body).count();
            assert_eq!(owned, simulation.bodies()[body].particles, "{}", simulation.bodies()[body].name);
        }
        let mut ids = simulation.particles().id.clone();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "no two have one number");
        let gain = simulation.energy().unwrap().gain();
        assert!(gain < 0.1, "{pressure:?}: {gain}");
    }
}

#[test]
fn a_run_that_is_resumed_while_a_stream_flows_goes_on_to_the_same_bits() {
    for pressure in solvers() {
        let mut unbroken = fountain(pressure.clone());
        for step in 0..300 {
            if [0, 37, 100, 205].contains(&step) {
                let mut resumed = fountain(pressure.clone());
                resumed.restore(unbroken.snapshot()).unwrap();
                let mark = unbroken.snapshot();
                for _ in 0..30 {
                    resumed.step().unwrap();
                    unbroken.step().unwrap();
                }
                assert_eq!(difference(resumed.particles(), unbroken.particles()), None, "{pressure:?} from {step}");
                assert_eq!(resumed.emitters(), unbroken.emitters());
                unbroken.restore(mark).unwrap();
            }
            unbroken.step().unwrap();
        }
        assert!(unbroken.emitters()[0].emitted > 0);
    }
}

/// A step that fails after any of its stages, and is made again.
#[test]
fn tries_that_fail_leave_no_trace_while_a_stream_flows() {
    for pressure in solvers() {
        for stage in Stage::ALL {
            let [mut plain, mut troubled] = [(); 2].map(|()| fountain(pressure.clone()));
            for _ in 0..60 {
                plain.step().unwrap();
                troubled.step().unwrap();
            }
            // The longest step that both allow: half of that is what the troubled one is left with.
            troubled.fault.after = Some(stage);
            troubled.fault.times = 1;
            let before = (plain.time(), plain.emitters().to_vec());
            let made = troubled.step().unwrap();
            assert_eq!(made.tries, 2);
            assert_eq!(troubled.emitters()[0].fed, {
                plain.step_until(before.0 + f64::from(made.dt)).unwrap();
                plain.emitters()[0].fed
            });
            for _ in 0..5 {
                assert_eq!(troubled.emitters()[0].emitted, plain.emitters()[0].emitted);
                assert_eq!(difference(troubled.particles(), plain.particles()), None, "{pressure:?} after {stage:?}");
                let next = plain.step().unwrap();
                assert_eq!(troubled.step().unwrap().dt, next.dt);
            }
        }
    }
}

#[test]
fn any_number_of_threads_lets_out_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = fountain(Pressure::Iisph(Iisph::default()));
            simulation.advance(0.6).unwrap();
            simulation.snapshot()
        })
    };
    let one = run(1);
    for threads in [2, 5] {
        let other = run(threads);
        assert_eq!(difference(&one.particles, &other.particles), None);
        assert_eq!(one.state, other.state);
    }
}

/// With the opening under water, and moving there: nobody gets into the pipe, and what comes in raises the level.
#[test]
fn a_nozzle_under_water_lets_in_as_much() {
    for pressure in solvers() {
        let mut simulation = world(pressure.clone(), Dimension::Two, 9.81);
        let cell = SPACING as Real;
        let at = |i: i32, j: i32| Vec3::new((i as Real + 0.5) * cell, (j as Real + 0.5) * cell, 0.0);
        let emitter = NewEmitter {
            opening: Opening::Disc { centre: [0.7, 0.5, 0.0], normal: [1.0, 0.0, 0.0], radius: 0.1 },
            flow: Flow::Rate(0.1),
            ..tap()
        };
        let support = f64::from(simulation.pairs().kernel().support());
        let nozzle = emitter.nozzle(SPACING, support, Dimension::Two).unwrap();
        let taken: Vec<_> = nozzle.waiting.iter().chain(&nozzle.casing).map(|x| narrow((*x).into())).collect();
        let is_free = |x: &Vec3| taken.iter().all(|other| other.distance(*x) > 0.95 * cell);
        let pool = (0..40).flat_map(|i| (0..16).map(move |j| at(i, j))).filter(is_free).collect();
        simulation.add_body(NewBody { name: "pool".into(), position: pool, ..NewBody::default() }).unwrap();
        let (position, to_surface) = (-3..43)
            .flat_map(|i| (-3..30).map(move |j| (i, j)))
            .filter(|(i, j)| *j < 0 || *i < 0 || *i >= 40)
            .map(|(i, j)| {
                let x = at(i, j);
                (x, x.clamp(Vec3::ZERO, Vec3::new(40.0 * cell, 30.0 * cell, 0.0)) - x)
            })
            .unzip();
        simulation.add_wall(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() }).unwrap();
        simulation.add_emitter(emitter).unwrap();
        let before = simulation.matter().len();
        simulation.advance(1.5).unwrap();
        let come = (simulation.matter().len() - before) as f64 * SPACING * SPACING;
        assert!((come - 0.15).abs() < 0.2 * SPACING, "{pressure:?}: {come}");
        let particles = simulation.particles();
        let fastest = simulation.matter().map(|i| particles.velocity[i].length()).fold(0.0, Real::max);
        assert!(fastest < 2.0, "{pressure:?}: {fastest}");
        let (axis, pipe) = (0.5, -0.3);
        let is_in_pipe = |x: Vec3| x.x < 0.7 - cell && x.x > 0.7 + pipe && (x.y - axis).abs() < 0.1;
        assert!(!simulation.matter().any(|i| is_in_pipe(particles.position[i])), "{pressure:?}");
        let error = Totals::of(&simulation, None).density_error();
        assert!(error < 0.02, "{pressure:?}: {error}");
    }
}

#[test]
fn what_is_in_the_way_is_told() {
    let refusal = |emitter: NewEmitter, with: &dyn Fn(&mut Simulation)| {
        let mut simulation = world(Pressure::default(), Dimension::Two, 0.0);
        with(&mut simulation);
        simulation.add_emitter(emitter).unwrap_err().to_string()
    };
    let one = |x: f64, y: f64| vec![Vec3::new(x as Real, y as Real, 0.0)];
    let wall = |x: f64, y: f64| {
        move |simulation: &mut Simulation| {
            let to_surface = vec![Vec3::Y * 0.025];
            let wall = NewWall { name: "post".into(), position: one(x, y), to_surface, ..NewWall::default() };
            simulation.add_wall(wall).unwrap();
        }
    };
    assert!(refusal(tap(), &wall(0.02, 1.06)).contains("its pipe is in wall `post`"));
    assert!(refusal(tap(), &wall(0.02, 0.98)).contains("its opening is in wall `post`"));
    let body = |simulation: &mut Simulation| {
        simulation.add_body(NewBody { name: "drop".into(), position: one(0.0, 1.06), ..NewBody::default() }).unwrap();
    };
    assert!(refusal(tap(), &body).contains("its pipe is where body `drop` is"));
    let other = |simulation: &mut Simulation| _ = simulation.add_emitter(NewEmitter { name: "other".into(), ..tap() });
    assert!(refusal(tap(), &other).contains("in one place with `other"));
    for (flow, told) in [(Flow::Speed(0.0), "speed is 0 m/s"), (Flow::Rate(-1.0), "rate is -1 m^3/s")] {
        assert!(refusal(NewEmitter { flow, ..tap() }, &|_| ()).contains(told));
    }
    assert!(refusal(NewEmitter { until: -1.0, ..tap() }, &|_| ()).contains("before it begins"));
    assert!(refusal(NewEmitter { most: 0.0, ..tap() }, &|_| ()).contains("at most 0"));
    let mut simulation = world(Pressure::default(), Dimension::Two, 0.0);
    let region = Region::Box(crate::fields::RegionBox { min: [0.0; 3], max: [0.0, 1.0, 1.0] });
    let sink = NewSink { name: "drain".into(), region, outside: false, from: 0.0, until: 1.0 };
    assert!(simulation.add_sink(sink).unwrap_err().to_string().contains("holds nothing"));
}
