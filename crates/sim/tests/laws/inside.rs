//! Laws about this crate alone, which no other implementation of the step owes: that a simulation may go to another thread,
//! that callers may add forces, in which order memory is.

use thixo_sim::{
    Elastic, Force, InstructionSet, Material, NewBody, Real, Settings, Simulation, StepContext, StepSize, Vec3,
};

use crate::suite::bits::assert_same_bits;
use crate::suite::worlds::{Tank, dam, jellies, lattice};
use crate::suite::{Recipe, View, simulation};

#[test]
fn a_simulation_can_be_sent_to_another_thread() {
    fn sendable<T: Send>(_: &T) {}
    let mut simulation = simulation(&Tank::default().recipe()).unwrap();
    sendable(&simulation);
    let simulation = std::thread::spawn(move || {
        simulation.step().unwrap();
        simulation
    })
    .join()
    .unwrap();
    assert_eq!(simulation.steps(), 1);
}

/// Brakes everything.
struct Brake;

impl Force for Brake {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        for (a, v) in acceleration.iter_mut().zip(&step.world.particles.velocity) {
            *a -= *v * 10.0;
        }
    }
}

#[test]
fn a_force_of_the_caller_accelerates_as_others_do() {
    let step = StepSize::Fixed(1e-3);
    let settings = Settings { spacing: 0.1, gravity: Vec3::ZERO, step, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![Material::default()]).unwrap();
    let (position, velocity) = (vec![Vec3::ZERO], vec![Vec3::X]);
    simulation.add_body(NewBody { name: "stone".into(), position, velocity, ..NewBody::default() }).unwrap();
    simulation.add_force(Box::new(Brake));
    simulation.advance(0.1).unwrap();
    let speed = simulation.particles().velocity[0].x;
    assert!((speed - (-1.0 as Real).exp()).abs() < 1e-3, "{speed}");
}

/// The number of elastic particles, and that they are the first in memory.
#[test]
fn elastic_bodies_come_and_go() {
    let elastic = Material { elastic: Some(Elastic::default()), ..Material::default() };
    let settings = Settings { spacing: 0.1, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![Material::default(), elastic]).unwrap();
    let body = |material, x| NewBody { material, position: lattice(0.1, [x, 0, 0], [3, 3, 3]), ..NewBody::default() };
    let water = simulation.add_body(body(0, 0)).unwrap();
    let first = simulation.add_body(body(1, 10)).unwrap();
    simulation.step().unwrap();
    let second = simulation.add_body(body(1, 20)).unwrap();
    simulation.step().unwrap();
    simulation.remove_body(first).unwrap();
    simulation.step().unwrap();
    let particles = simulation.particles();
    assert_eq!(simulation.world().kinds.bonded().len(), 27);
    assert!(particles.body[..27].iter().all(|&body| body == second.slot));
    assert!(particles.body[27..].iter().all(|&body| body == water.slot));
    simulation.remove_body(second).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.world().kinds.bonded().len(), 0);
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let run = |world: &Recipe, set: InstructionSet| {
        let mut simulation = simulation(world).unwrap();
        simulation.set_instruction_set(set);
        simulation.advance(0.1).unwrap();
        simulation
    };
    let sets: Vec<_> = InstructionSet::ALL.into_iter().filter(|set| set.is_available()).collect();
    println!("instruction sets of this machine: {sets:?}");
    for world in [dam(), jellies()] {
        for pair in sets.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|set| run(&world, set));
            assert_same_bits(View::of(&one), View::of(&other), &format!("{pair:?}"));
        }
    }
}
