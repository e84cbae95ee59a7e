//! The search finds exactly the pairs within the support radius.
//!
//! These laws are about the lists of this crate: no other implementation of the step owes them.

use proptest::prelude::*;
use thixo_sim::{Dimension, Material, NewBody, NewWall, Real, Settings, Simulation, Vec3};

use crate::suite::simulation;
use crate::suite::worlds::{Tank, lattice};

fn world(matter: Vec<Vec3>, wall: Vec<Vec3>) -> Simulation {
    let settings = Settings { spacing: 0.1, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![Material::default()]).unwrap();
    simulation.add_body(NewBody { name: "matter".into(), position: matter, ..NewBody::default() }).unwrap();
    let wall = NewWall { name: "wall".into(), position: wall, ..NewWall::default() };
    simulation.add_wall(wall).unwrap();
    simulation.prepare().unwrap();
    simulation
}

fn assert_exact_and_symmetric(simulation: &Simulation) {
    let position = &simulation.particles().position;
    let matter = simulation.matter();
    let reach = simulation.pairs().kernel().support();
    for i in 0..position.len() {
        let mut found: Vec<usize> = simulation.pairs().neighbors(i).collect();
        found.sort_unstable();
        let near = |j: usize| {
            let d = simulation.world().domain.shortest(position[i] - position[j]);
            let both_walls = !matter.contains(&i) && !matter.contains(&j);
            i != j && !both_walls && d.x * d.x + d.y * d.y + d.z * d.z < reach * reach
        };
        let expected: Vec<usize> = (0..position.len()).filter(|&j| near(j)).collect();
        assert_eq!(found, expected, "neighbours of {i}");
    }
}

#[test]
fn lists_that_serve_several_steps_miss_nobody() {
    let tank = Tank { cavity: [16, 10, 4], fluid: [6, 8, 4], ..Tank::default() };
    let mut simulation = simulation(&tank.recipe()).unwrap();
    let (mut listings, mut steps) = (0, 0);
    for _ in 0..60 {
        let before = simulation.particles().listed.clone();
        simulation.advance(0.005).unwrap();
        steps += 1;
        listings += usize::from(before != simulation.particles().listed);
        assert_exact_and_symmetric(&simulation);
    }
    println!("lists were made anew in {listings} of {steps} pieces of 5 ms");
    assert!(listings > 3 && listings < steps, "lists serve for more than one piece, and not for ever");
}

/// A lattice that fills a periodic box, on its way through it.
fn endless(dimension: Dimension) -> Simulation {
    let flat = dimension == Dimension::Two;
    let cells = [12, 14, if flat { 0 } else { 9 }];
    let period = |axis: usize| (cells[axis] > 0).then(|| [-0.3, -0.3 + cells[axis] as Real * 0.1]);
    let settings = Settings {
        spacing: 0.1,
        dimension,
        gravity: Vec3::ZERO,
        periodic: [period(0), period(1), period(2)],
        ..Settings::default()
    };
    let mut simulation = Simulation::new(settings, vec![Material::default()]).unwrap();
    let position = lattice(0.1, [0, 0, 0], cells);
    let velocity = vec![Vec3::new(3.0, -2.0, 1.0)];
    simulation.add_body(NewBody { name: "all".into(), position, velocity, ..NewBody::default() }).unwrap();
    simulation
}

#[test]
fn a_periodic_lattice_is_at_rest_density_and_drifts_unchanged() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut simulation = endless(dimension);
        for _ in 0..10 {
            simulation.advance(0.05).unwrap();
            assert_exact_and_symmetric(&simulation);
            let particles = simulation.particles();
            for i in simulation.matter() {
                assert!((particles.compression(i) - 1.0).abs() < 2e-5, "{}", particles.compression(i));
                assert!((particles.position[i].x - 0.3).abs() < 0.6001);
            }
        }
    }
}

#[test]
fn a_period_shorter_than_its_neighbourhoods_is_refused() {
    let settings = Settings { spacing: 0.1, periodic: [Some([0.0, 0.5]), None, None], ..Settings::default() };
    let message = Simulation::new(settings, vec![]).err().unwrap().to_string();
    assert!(message.contains("periodic.x"), "{message}");
}

fn point(extent: Real) -> impl Strategy<Value = Vec3> {
    // On a grid of eighths as well as anywhere: distances of exactly one support radius do occur.
    let coordinate = move || prop_oneof![-extent..extent, (-40..40_i32).prop_map(|k| k as Real * 0.025)];
    (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn grid_finds_what_brute_force_finds(
        matter in prop::collection::vec(point(0.7), 0..150),
        wall in prop::collection::vec(point(0.7), 0..60),
        shift in prop_oneof![Just(0.0 as Real), -1000.0..1000.0 as Real],
    ) {
        let moved = |points: Vec<Vec3>| points.into_iter().map(|x| x + Vec3::splat(shift)).collect();
        assert_exact_and_symmetric(&world(moved(matter), moved(wall)));
    }
}

#[test]
fn many_particles_in_one_cell_are_all_neighbours() {
    let matter: Vec<Vec3> = (0..3000).map(|k| Vec3::splat(k as Real * 1e-5)).collect();
    let simulation = world(matter, Vec::new());
    assert!((0..3000).all(|i| simulation.pairs().neighbors(i).count() == 2999));
}

#[test]
fn coincident_particles_are_counted_and_exert_no_force_on_each_other() {
    let mut simulation = world(vec![Vec3::ONE; 3], vec![Vec3::ONE]);
    assert_eq!(simulation.pairs().coincident_pairs(), 6);
    let report = simulation.step().unwrap();
    assert!(report.coincident_pairs >= 3, "the pairs of the last listing");
    assert!(simulation.particles().position.iter().all(|x| x.is_finite()));
    assert!(simulation.particles().position[..3].iter().all(|&x| x == simulation.particles().position[0]));
}

#[test]
fn a_collapsed_world_is_refused_with_a_diagnosis() {
    let settings = Settings { spacing: 0.1, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![Material::default()]).unwrap();
    simulation
        .add_body(NewBody { name: "heap".into(), position: vec![Vec3::ZERO; 9000], ..NewBody::default() })
        .unwrap();
    let message = simulation.step().unwrap_err().to_string();
    assert!(message.contains("heap") && message.contains("8192"), "{message}");
}

#[test]
fn a_particle_thrown_a_million_metres_away_costs_nothing() {
    let mut matter: Vec<Vec3> =
        (0..1000).map(|k| Vec3::new((k % 10) as Real, (k / 10 % 10) as Real, (k / 100) as Real) * 0.1).collect();
    matter.push(Vec3::new(1.0e6, -3.0e6, 1.0e6));
    matter.push(Vec3::new(1.0e6, -3.0e6, 1.0e6) + Vec3::new(0.0, 0.0, 0.0));
    matter.push(Vec3::new(1.0e30, 0.0, -1.0e30));
    let mut simulation = world(matter, vec![Vec3::splat(2.0e7)]);
    assert_exact_and_symmetric(&simulation);
    for _ in 0..5 {
        simulation.step().unwrap();
    }
}
