//! What programs that embed the crate rely on.

use thixo_sim::{Material, NewBody, NewWall, Settings, SetupError, Simulation, Vec3, WallMotion};

use crate::worlds::{Tank, lattice};

#[test]
fn a_simulation_can_be_sent_to_another_thread() {
    fn sendable<T: Send>(_: &T) {}
    let mut simulation = Tank::default().build();
    sendable(&simulation);
    let simulation = std::thread::spawn(move || {
        simulation.step().unwrap();
        simulation
    })
    .join()
    .unwrap();
    assert_eq!(simulation.steps(), 1);
}

#[test]
fn bodies_come_and_go_between_steps() {
    let mut simulation = Tank { fluid: [10, 4, 10], ..Tank::default() }.build();
    simulation.advance(0.02).unwrap();
    let before = simulation.movable();
    let position = lattice(0.05, [3, 8, 3], [4, 4, 4]);
    let drop = simulation.add_body(NewBody { name: "drop".into(), position, ..NewBody::default() }).unwrap();
    simulation.advance(0.02).unwrap();
    assert_eq!(simulation.movable(), before + 64);
    let particles = simulation.particles();
    assert!(particles.is_consistent());
    let mut ids = particles.id.clone();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), particles.len(), "identifiers stay unique");
    simulation.remove_body(drop).unwrap();
    simulation.advance(0.02).unwrap();
    assert_eq!(simulation.movable(), before);
    assert!(simulation.remove_body(drop).is_err());
}

#[test]
fn a_wall_that_the_caller_moves_pushes_the_water() {
    let mut simulation = Tank { cavity: [10, 8, 0], fluid: [10, 6, 0], ..Tank::default() }.build();
    let position = lattice(0.05, [-2, 0, 0], [2, 8, 0]);
    let count = position.len();
    let paddle =
        NewWall { name: "paddle".into(), position, to_surface: vec![Vec3::X * 0.025; count], ..NewWall::default() };
    let paddle = simulation.add_wall(paddle).unwrap();
    let left = |simulation: &Simulation| {
        let particles = simulation.particles();
        particles.position[..simulation.movable()].iter().map(|x| x.x).fold(f32::INFINITY as _, thixo_sim::Real::min)
    };
    let start = left(&simulation);
    for _ in 0..100 {
        let motion = WallMotion { translation: Vec3::X * 0.001, velocity: Vec3::X * 0.5, ..WallMotion::default() };
        simulation.move_wall(paddle, motion).unwrap();
        simulation.advance(0.002).unwrap();
    }
    assert!(left(&simulation) > start + 0.08, "{} {start}", left(&simulation));
    assert!(simulation.move_wall(thixo_sim::BodyId { slot: 0, generation: 0 }, WallMotion::default()).is_err());
}

#[test]
fn bad_bodies_are_refused() {
    let bad = Simulation::new(
        Settings { spacing: -1.0, ..Settings::default() },
        vec![Material { density: 0.0, ..Material::default() }],
    );
    let message = bad.err().unwrap().to_string();
    assert!(message.contains("`spacing` is -1") && message.contains("`density` is 0"), "{message}");
    let mut simulation = Simulation::new(Settings::default(), vec![Material::default()]).unwrap();
    let body = |position, velocity| NewBody { name: "b".into(), position, velocity, ..NewBody::default() };
    let nan = simulation.add_body(body(vec![Vec3::NAN], vec![]));
    assert!(matches!(nan, Err(SetupError::BadValue { column: "position", particle: 0, .. })));
    let short = simulation.add_body(body(vec![Vec3::ZERO; 3], vec![Vec3::ZERO; 2]));
    assert!(matches!(short, Err(SetupError::WrongLength { column: "velocity", particles: 3, found: 2, .. })));
    let unknown = simulation.add_body(NewBody { material: 7, ..body(vec![], vec![]) });
    assert!(matches!(unknown, Err(SetupError::NoSuchMaterial { material: 7, count: 1, .. })));
    assert_eq!(simulation.particles().len(), 0);
    simulation.step().unwrap();
}
