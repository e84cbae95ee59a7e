use super::*;
use crate::elasticity::{Elastic, Implicit};
use crate::fields::{Region, RegionBox};
use crate::kernel::lattice_offsets;
use crate::pressure::Pressure;
use crate::real::{Dimension, Vec3};
use crate::settings::Settings;
use crate::simulation::test_worlds::three_particles;
use crate::time::StepSize;
use crate::world::{KindId, Material, NewBody, NewWall, Rigid};

const SPACING: Real = 0.01;

fn iron() -> Material {
    let heat = Heat { conductivity: 50.0, capacity: 500.0, ..Heat::default() };
    let elastic = Elastic::Implicit(Implicit::default());
    Material { density: 7000.0, heat: Some(heat), elastic: Some(elastic), ..Material::default() }
}

fn water() -> Material {
    Material { heat: Some(Heat::default()), ..Material::default() }
}

/// What does not move: steps of 0.01 s, no gravity.
fn settings() -> Settings {
    let step = StepSize::Fixed(0.01);
    Settings { spacing: SPACING, dimension: Dimension::Two, gravity: Vec3::ZERO, step, ..Settings::default() }
}

/// A lattice of so many particles whose first is in the first cell after a corner.
fn block(corner: [Real; 2], count: [usize; 2]) -> Vec<Vec3> {
    let place = |x: usize, y: usize| {
        Vec3::new(corner[0] + (x as Real + 0.5) * SPACING, corner[1] + (y as Real + 0.5) * SPACING, 0.0)
    };
    (0..count[0]).flat_map(|x| (0..count[1]).map(move |y| place(x, y))).collect()
}

fn body(name: &str, material: usize, position: Vec<Vec3>, temperature: Real) -> NewBody {
    NewBody { name: name.into(), material, position, temperature: Some(temperature), ..NewBody::default() }
}

#[test]
fn flows_are_those_worked_by_hand_and_cancel() {
    let mut simulation = three_particles();
    let materials: Vec<_> = [2.0, 0.5]
        .map(|conductivity| Material {
            heat: Some(Heat { conductivity, capacity: 100.0 * conductivity, ..Heat::default() }),
            ..Material::default()
        })
        .into();
    let (kernel, spacing) = (*simulation.pairs().kernel(), 0.1);
    let lattice_sum = simulation.lattice_sum();
    simulation.world_mut().materials = materials.clone();
    let process = HeatProcess::new(&materials, None, (&kernel, spacing, lattice_sum)).unwrap();
    simulation.add_process(Box::new(process));
    let start = [100.0, 20.0, 60.0];
    for (i, temperature) in start.into_iter().enumerate() {
        simulation.set_temperature([i], temperature);
    }
    let k = |i: usize| if simulation.particles().material[i] == 0 { 2.0 } else { 0.5 };
    let second_moment: Real = lattice_offsets(kernel.support() / spacing, Dimension::Three)
        .map(|offset| {
            (offset.x * spacing).powi(2) * -kernel.slope_over_r((offset * spacing).length()) * spacing.powi(3)
        })
        .sum();
    let particles = simulation.particles();
    let flow = |i: usize, j: usize| {
        let r = (particles.position[i] - particles.position[j]).length();
        let harmonic = 2.0 * k(i) * k(j) / (k(i) + k(j));
        let volumes = particles.rest_volume[i] * particles.rest_volume[j];
        2.0 / second_moment * harmonic * volumes * -kernel.slope_over_r(r) * (start[j] - start[i])
    };
    let expected: Vec<Real> = (0..3).map(|i| (0..3).filter(|&j| j != i).map(|j| flow(i, j)).sum()).collect();
    let masses: Vec<_> = (0..3).map(|i| particles.mass(i)).collect();
    let capacities: Vec<_> = (0..3).map(|i| 100.0 * k(i)).collect();
    let before = simulation.heat(None).enthalpy;
    assert!(simulation.advance_processes(1e-3).is_ok());
    for i in 0..3 {
        let own = &simulation.particles().own;
        let enthalpy = f64::from(own[1].values[i]) + f64::from(own[2].values[i]);
        let gained = (enthalpy - f64::from(capacities[i] * start[i])) * f64::from(masses[i]) / 1e-3;
        assert!((gained / f64::from(expected[i]) - 1.0).abs() < 1e-4, "{i}: {gained} {}", expected[i]);
    }
    assert!((simulation.heat(None).enthalpy / before - 1.0).abs() < 1e-14);
}

/// Iron and water side by side, one hot.
fn side_by_side(pressure: Pressure) -> Simulation {
    let mut simulation = Simulation::new(Settings { pressure, ..settings() }, vec![iron(), water()]).unwrap();
    simulation.add_body(body("iron", 0, block([-0.2, 0.0], [20, 10]), 100.0)).unwrap();
    simulation.add_body(body("water", 1, block([0.0, 0.0], [20, 10]), 10.0)).unwrap();
    simulation
}

#[test]
fn a_closed_world_keeps_its_heat_and_comes_to_one_temperature() {
    let mut simulation = side_by_side(Pressure::default());
    simulation.prepare().unwrap();
    let HeatTotals { enthalpy, capacity, temperature, .. } = simulation.heat(None);
    let (iron, water) = (0.02 * 7000.0 * 500.0, 0.02 * 1000.0 * 4186.0);
    let mean = (iron * 100.0 + water * 10.0) / (iron + water);
    assert!(
        (capacity / (iron + water) - 1.0).abs() < 1e-5 && (temperature - mean).abs() < 1e-3,
        "{temperature} {mean}"
    );
    for _ in 0..200 {
        assert!(simulation.advance_processes(5000.0).is_ok());
        let now = simulation.heat(None);
        assert!((now.enthalpy / enthalpy - 1.0).abs() < 1e-10, "{}", now.enthalpy / enthalpy - 1.0);
    }
    let all = &simulation.temperatures().unwrap()[simulation.matter()];
    assert!(all.iter().all(|t| (f64::from(*t) - mean).abs() < 0.05), "{mean} {all:?}");
    assert_eq!(simulation.heat_received(), HeatReceived::default());
}

#[test]
fn steps_of_any_length_are_stable_and_hardly_leave_the_range() {
    for dt in [0.1, 1.0, 10.0, 100.0, 1000.0] {
        let mut simulation = side_by_side(Pressure::default());
        simulation.prepare().unwrap();
        let mut beyond: Real = 0.0;
        for _ in 0..30 {
            assert!(simulation.advance_processes(dt).is_ok());
            for t in &simulation.temperatures().unwrap()[simulation.matter()] {
                beyond = beyond.max(t - 100.0).max(10.0 - t);
            }
        }
        println!("dt {dt}: beyond by {beyond}");
        assert!(beyond < 0.9, "{dt}: {beyond}");
    }
}

/// A column of water between two walls of 10 and 50 degrees is linear in the end.
#[test]
fn between_two_walls_temperature_is_linear_and_what_comes_in_goes_out() {
    let periodic = [None, Some([0.0, 0.12]), None];
    let mut simulation = Simulation::new(Settings { periodic, ..settings() }, vec![iron()]).unwrap();
    simulation.add_body(body("iron", 0, block([0.0, 0.0], [20, 12]), 20.0)).unwrap();
    let wall = |name: &str, from: Real, normal: Real| {
        let position = block([from, 0.0], [3, 12]);
        let surface = if normal > 0.0 { from + 3.0 * SPACING } else { from };
        let to_surface = position.iter().map(|x| Vec3::X * (surface - x.x)).collect();
        NewWall { name: name.into(), position, to_surface, ..NewWall::default() }
    };
    let cold = simulation.add_wall(wall("cold", -3.0 * SPACING, 1.0)).unwrap();
    let hot = simulation.add_wall(wall("hot", 20.0 * SPACING, -1.0)).unwrap();
    for (wall, temperature) in [(cold, 10.0), (hot, 50.0)] {
        let supply = Supply::Temperature(Course::constant(temperature));
        simulation.add_heater(Heater { target: HeaterTarget::Wall(wall), supply, from: 0.0, until: None }).unwrap();
    }
    simulation.prepare().unwrap();
    let before = simulation.heat(None).enthalpy;
    for _ in 0..3000 {
        assert!(simulation.advance_processes(5.0).is_ok());
    }
    let temperatures = simulation.temperatures().unwrap();
    for i in simulation.matter() {
        let expected = 10.0 + 40.0 * simulation.particles().position[i].x / 0.2;
        assert!((temperatures[i] - expected).abs() < 0.1, "{} {expected}", temperatures[i]);
    }
    assert_eq!(temperatures[simulation.world().kinds.walls()].iter().copied().fold(0.0, Real::max), 50.0);
    let received = simulation.heat_received();
    let gained = simulation.heat(None).enthalpy - before;
    assert!((gained / received.walls - 1.0).abs() < 1e-9 && gained > 0.0, "{gained} {received:?}");
    assert_eq!(received.heaters, 0.0);
}

#[test]
fn heaters_book_what_they_give() {
    let mut simulation = side_by_side(Pressure::default());
    let region = Region::Box(RegionBox { min: [-1.0, -1.0, 0.0], max: [0.1, 1.0, 0.0] });
    let bodies: Vec<_> = (0..2).map(|slot| simulation.bodies()[slot].id(slot)).collect();
    let heater = |target, supply| Heater { target, supply, from: 0.0, until: None };
    let power = Supply::Power(Course { points: vec![[0.0, 0.0], [1.0, 5000.0]] });
    simulation.add_heater(heater(HeaterTarget::Region(region), power)).unwrap();
    simulation.prepare().unwrap();
    let before = simulation.heat(None).enthalpy;
    simulation.world_mut().clock.time = 5.0;
    (0..10).for_each(|_| assert!(simulation.advance_processes(0.1).is_ok()));
    let given = simulation.heat(None).enthalpy - before;
    // Ten times 0.1 in single precision.
    assert!((given / 5000.0 - 1.0).abs() < 1e-7, "{given}");
    assert!((simulation.heat_received().heaters / given - 1.0).abs() < 1e-9);

    let held = Supply::Temperature(Course::constant(300.0));
    simulation.add_heater(heater(HeaterTarget::Body(bodies[0]), held)).unwrap();
    for dt in [0.1, 30.0, 30.0] {
        assert!(simulation.advance_processes(dt).is_ok());
        let iron = simulation.particles_of(bodies[0]).map(|i| simulation.temperatures().unwrap()[i]);
        assert!(iron.into_iter().all(|t| t == 300.0));
        let gained = simulation.heat(None).enthalpy - before;
        let booked = simulation.heat_received().sum();
        assert!((gained / booked - 1.0).abs() < 1e-9, "{gained} {booked}");
    }
}

#[test]
fn a_free_surface_loses_what_its_area_says() {
    let surroundings = Some(Surroundings { temperature: 0.0, exchange: 20.0 });
    let mut simulation = Simulation::new(Settings { surroundings, ..settings() }, vec![iron(), water()]).unwrap();
    simulation.add_body(body("water", 1, block([0.0, 0.0], [40, 30]), 50.0)).unwrap();
    simulation.prepare().unwrap();
    assert!(simulation.advance_processes(0.1).is_ok());
    let lost = -simulation.heat_received().surroundings / 0.1;
    // The circumference of the lattice; corners miss more than two sides do.
    let expected = 20.0 * 1.4 * 50.0;
    assert!((lost / expected - 1.0).abs() < 0.03, "{lost} {expected}");
    let gained = simulation.heat(None).enthalpy - 1000.0 * 0.12 * 4186.0 * 50.0;
    assert!((gained + 0.1 * lost).abs() < 1e-2 * 0.1 * lost, "{gained}");
}

/// Every kind conducts, also within, and those that touch.
#[test]
fn heat_passes_between_all_kinds() {
    let stone = Material { elastic: None, rigid: Some(Rigid::default()), ..iron() };
    let elastic = Material { density: 2000.0, ..iron() };
    let mut simulation = Simulation::new(settings(), vec![elastic, water(), stone]).unwrap();
    let kinds = [0, 1, 2, 2, 0];
    let mut ids = Vec::new();
    for (k, material) in kinds.into_iter().enumerate() {
        let temperature = if k == 0 { 100.0 } else { 0.0 };
        let position = block([k as Real * 6.0 * SPACING, 0.0], [6, 6]);
        ids.push(simulation.add_body(body(&format!("body {k}"), material, position, temperature)).unwrap());
    }
    simulation.prepare().unwrap();
    let before = simulation.heat(None).enthalpy;
    let mut last = 0.0;
    for _ in 0..4000 {
        assert!(simulation.advance_processes(500.0).is_ok());
        let temperature = simulation.heat(Some(ids[4])).temperature;
        assert!(temperature >= last - 1e-6);
        last = temperature;
    }
    let mean = simulation.heat(None).temperature;
    assert!(ids.iter().all(|id| (simulation.heat(Some(*id)).temperature - mean).abs() < 0.2), "{mean}");
    let after = simulation.heat(None).enthalpy;
    assert!((after / before - 1.0).abs() < 1e-10, "{}", after / before - 1.0);
    assert_eq!(simulation.world().kinds.segment(KindId::RIGID).len(), 72);
}

/// Water that flows from a wall that is warm, and the same from the middle.
#[test]
fn a_restart_goes_on_to_the_same_bits() {
    let make = || {
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        let mut simulation =
            Simulation::new(Settings { gravity, step: StepSize::default(), ..settings() }, vec![water()]).unwrap();
        simulation.add_body(body("water", 0, block([0.0, 0.0], [10, 10]), 50.0)).unwrap();
        simulation.add_body(body("more", 0, block([0.1, 0.0], [10, 10]), 10.0)).unwrap();
        simulation
    };
    let mut unbroken = make();
    (0..40).for_each(|_| assert!(unbroken.step().is_ok()));
    let mut restarted = make();
    restarted.restore(unbroken.snapshot()).unwrap();
    for _ in 0..30 {
        unbroken.step().unwrap();
        restarted.step().unwrap();
    }
    assert_eq!(unbroken.particles().own, restarted.particles().own);
    assert_eq!(unbroken.particles().position, restarted.particles().position);
    assert_eq!(unbroken.heat_received(), restarted.heat_received());
}
