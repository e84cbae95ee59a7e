//! A step that fails k times and then succeeds equals, bit for bit, the step given that length at once.

use crate::contact::{Penalty, PredictorCorrector};
use crate::density::DensityMethod;
use crate::elasticity::{Elastic, Implicit, StVenantKirchhoff};
use crate::force::StepContext;
use crate::pressure::{Cohesion, Dfsph, Iisph, Pcisph, Pressure, Wcsph};
use crate::process::{OwnValues, Process};
use crate::real::{Real, Vec3};
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::stages::Stage;
use crate::time::{Shifting, StepSize};
use crate::world::{Clamp, Interpolation, Keyframe, Material, NewBody, NewWall, OwnColumn, Path, Rotation, Values};

const SPACING: Real = 0.1;
const STEP: Real = 1e-3;

/// Centres of the cells of a block whose lowest corner is at a cell.
fn block(low: [i32; 3], cells: [i32; 3]) -> Vec<Vec3> {
    let [x, y, z] = cells;
    let cell = |k: i32| Vec3::new((low[0] + k % x) as Real, (low[1] + k / x % y) as Real, (low[2] + k / x / y) as Real);
    (0..x * y * z).map(|k| (cell(k) + Vec3::splat(0.5)) * SPACING).collect()
}

/// A path that goes and turns from the start.
fn path(angle: f64) -> Path {
    let keyframe = |time, share: f64| Keyframe {
        time,
        translation: [0.02 * share, 0.01 * share, 0.0],
        rotation: Some(Rotation { angle: angle * share, centre: [0.3, 0.3, 0.0], axis: [0.0, 0.0, 1.0] }),
    };
    Path {
        keyframes: vec![keyframe(0.0, 0.0), keyframe(0.1, 1.0)],
        interpolation: Interpolation::Linear,
        repeat: false,
    }
}

/// Something that particles carry with them, which grows faster where it is pressed.
struct Growth;

impl Process for Growth {
    fn columns(&self) -> Vec<OwnColumn> {
        vec![OwnColumn::new("growth", "-", 1.0)]
    }

    fn advance(&mut self, step: &StepContext<'_>, own: &mut OwnValues<'_>) {
        let pressure = &step.world.particles.pressure;
        own[0].iter_mut().zip(pressure).for_each(|(value, p)| *value += step.dt * (1.0 + p));
    }
}

/// Solids, and water if there may be any, on a floor that turns and moves.
fn world(pressure: Pressure) -> Simulation {
    let allows_fluids = pressure.allows_fluids();
    let settings = Settings {
        spacing: SPACING,
        pressure,
        step: StepSize::Fixed(STEP),
        shifting: allows_fluids.then(Shifting::default),
        ..Settings::default()
    };
    let soft = Elastic::Implicit(Implicit { young_modulus: Some(2e5), ..Implicit::default() });
    let stiff = Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(1e5), ..Default::default() });
    let materials =
        [None, allows_fluids.then_some(soft), Some(stiff)].map(|elastic| Material { elastic, ..Material::default() });
    let mut simulation = Simulation::new(settings, materials.to_vec()).unwrap();
    let velocity = vec![Vec3::new(0.4, -1.0, 0.2)];
    let mut add = |material, low, cells, clamps| {
        let position = block(low, cells);
        let (name, velocity) = (format!("body {material}"), velocity.clone());
        simulation.add_body(NewBody { name, material, position, velocity, clamps, ..NewBody::default() }).unwrap();
    };
    if allows_fluids {
        add(0, [0, 0, 0], [6, 4, 4], Vec::new());
        add(1, [0, 4, 0], [3, 3, 4], Vec::new());
    }
    add(2, [6, 0, 0], [3, 3, 4], vec![(Clamp { path: Some(path(0.1)) }, vec![24, 25, 26])]);
    let wall = NewWall {
        name: "floor".into(),
        position: block([-2, -1, -2], [14, 1, 8]),
        to_surface: vec![Vec3::Y * (0.5 * SPACING)],
        friction: 0.3,
        path: Some(path(0.3)),
        ..NewWall::default()
    };
    simulation.add_wall(wall).unwrap();
    simulation.add_process(Box::new(Growth));
    for _ in 0..7 {
        simulation.step().unwrap();
    }
    simulation
}

fn solvers() -> Vec<Pressure> {
    let continuity = Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() };
    vec![
        Pressure::Wcsph(Wcsph::default()),
        Pressure::Wcsph(continuity),
        Pressure::Cohesion(Cohesion::default()),
        Pressure::Pcisph(Pcisph::default()),
        Pressure::Iisph(Iisph::default()),
        Pressure::Dfsph(Dfsph::default()),
        Pressure::Penalty(Penalty::default()),
        Pressure::PredictorCorrector(PredictorCorrector::default()),
    ]
}

/// The bits of all that survives a step.
fn bits(simulation: &Simulation) -> (Vec<(String, Vec<u64>)>, String) {
    let number = |x: Real| f64::from(x).to_bits();
    let column = |values: Values<'_>| match values {
        Values::Scalar(values) => values.iter().map(|&x| number(x)).collect(),
        Values::Vector(values) => values.iter().flat_map(|v| v.to_array()).map(number).collect(),
        Values::Index(values) => values.iter().map(|&x| u64::from(x)).collect(),
    };
    let columns = simulation.particles().columns();
    let columns = columns.map(|(info, values)| (info.name.to_owned(), column(values))).collect();
    (columns, format!("{:?}", simulation.state()))
}

/// Compares two simulations now and after some more steps, which depend on lists and all that is hidden.
fn assert_equal(a: &mut Simulation, b: &mut Simulation, about: &str) {
    for step in 0..4 {
        let ((columns, state), (others, other_state)) = (bits(a), bits(b));
        for ((name, values), (_, others)) in columns.iter().zip(&others) {
            assert!(values == others, "{about}: {name} differs after {step} more steps");
        }
        assert_eq!(state, other_state, "{about} after {step} more steps");
        for simulation in [&mut *a, &mut *b] {
            simulation.settings.step = StepSize::Fixed(STEP);
            simulation.step().unwrap();
        }
    }
}

#[test]
fn a_step_that_fails_and_then_succeeds_leaves_no_trace() {
    for solver in solvers() {
        for stage in Stage::ALL {
            for (times, in_take_back) in [(1, false), (3, false), (2, true)] {
                let about = format!("{solver:?} fails {times} times after {stage:?}");
                let (mut faulty, mut smooth) = (world(solver.clone()), world(solver.clone()));
                faulty.fault.after = Some(stage);
                (faulty.fault.times, faulty.fault.in_take_back) = (times, in_take_back);
                let report = faulty.step().unwrap();
                assert_eq!(report.tries, times + 1, "{about}");
                smooth.settings.step = StepSize::Fixed(report.dt);
                assert_eq!(smooth.step().unwrap().dt, report.dt, "{about}");
                assert_equal(&mut faulty, &mut smooth, &about);
            }
        }
    }
}

/// Wherever it can fail: the last thing that can is the list of neighbours, which takes itself back.
#[test]
fn a_preparation_that_fails_leaves_no_trace() {
    for solver in solvers() {
        for point in 0..3 {
            let about = format!("{solver:?} fails at {point} of the preparation");
            let (mut faulty, mut smooth) = (world(solver.clone()), world(solver.clone()));
            for simulation in [&mut faulty, &mut smooth] {
                let position = block([1, 8, 1], [2, 2, 2]);
                simulation
                    .add_body(NewBody { name: "new".into(), material: 2, position, ..NewBody::default() })
                    .unwrap();
            }
            (faulty.fault.in_prepare, faulty.fault.times) = (Some(point), 2);
            assert!(faulty.step().is_err() && faulty.step().is_err(), "{about}");
            faulty.step().unwrap();
            smooth.step().unwrap();
            assert_equal(&mut faulty, &mut smooth, &about);
        }
    }
}

/// Faults of the kind that happen: a particle thrown out of the world.
#[test]
fn a_run_that_diverges_stops_where_it_was() {
    for solver in solvers() {
        let mut simulation = world(solver.clone());
        simulation.fault.after = Some(Stage::Move);
        simulation.fault.times = u32::MAX;
        let before = bits(&simulation);
        assert!(simulation.step().is_err());
        assert!(bits(&simulation) == before, "{solver:?}");
        simulation.fault.times = 0;
        simulation.step().unwrap();
    }
}
