//! What programs that embed a simulation rely on.

use thixo_sim::{BodyId, Material, NewBody, NewWall, Real, Settings, SetupError, Vec3, WallMotion};

use super::worlds::{Tank, lattice};
use super::{Change, Recipe, Run, Stepper};

pub(crate) fn bodies_come_and_go_between_steps<S: Stepper>() {
    let mut simulation: S = Tank { fluid: [10, 4, 10], ..Tank::default() }.make();
    simulation.advance(0.02).unwrap();
    let before = simulation.matter().len();
    let position = lattice(0.05, [3, 8, 3], [4, 4, 4]);
    let drop = simulation.add(NewBody { name: "drop".into(), position, ..NewBody::default() });
    simulation.advance(0.02).unwrap();
    assert_eq!(simulation.matter().len(), before + 64);
    let particles = simulation.particles();
    assert!(particles.is_consistent());
    let mut ids = particles.id.clone();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), particles.len(), "identifiers stay unique");
    simulation.change(Change::Remove(drop)).unwrap();
    simulation.advance(0.02).unwrap();
    assert_eq!(simulation.matter().len(), before);
    assert!(simulation.change(Change::Remove(drop)).is_err());
}

pub(crate) fn a_wall_that_the_caller_moves_displaces_the_water<S: Stepper>() {
    let mut simulation: S = Tank { cavity: [10, 8, 0], fluid: [10, 6, 0], ..Tank::default() }.make();
    let position = lattice(0.05, [-2, 0, 0], [2, 8, 0]);
    let count = position.len();
    let paddle =
        NewWall { name: "paddle".into(), position, to_surface: vec![Vec3::X * 0.025; count], ..NewWall::default() };
    let paddle = simulation.add(paddle);
    let left = |simulation: &S| {
        let particles = simulation.particles();
        particles.position[simulation.matter()].iter().map(|x| x.x).fold(Real::INFINITY, Real::min)
    };
    let start = left(&simulation);
    for _ in 0..100 {
        let motion = WallMotion { translation: Vec3::X * 0.001, velocity: Vec3::X * 0.5, ..WallMotion::default() };
        simulation.change(Change::Move(paddle, motion)).unwrap();
        simulation.advance(0.002).unwrap();
    }
    assert!(left(&simulation) > start + 0.08, "{} {start}", left(&simulation));
    assert!(simulation.change(Change::Move(BodyId { slot: 0, generation: 0 }, WallMotion::default())).is_err());
}

pub(crate) fn bad_bodies_are_refused<S: Stepper>() {
    let settings = Settings { spacing: -1.0, ..Settings::default() };
    let bad = Recipe::new(settings, vec![Material { density: 0.0, ..Material::default() }]);
    let message = S::make(&bad).err().unwrap().to_string();
    assert!(message.contains("`spacing` is -1") && message.contains("`density` is 0"), "{message}");
    let mut simulation: S = Recipe::new(Settings::default(), vec![Material::default()]).make();
    let mut add = |body: NewBody| simulation.change(Change::Add(Box::new(body.into())));
    let body = |position, velocity| NewBody { name: "b".into(), position, velocity, ..NewBody::default() };
    let nan = add(body(vec![Vec3::NAN], vec![]));
    assert!(matches!(nan, Err(SetupError::BadValue { column: "position", particle: 0, .. })));
    let short = add(body(vec![Vec3::ZERO; 3], vec![Vec3::ZERO; 2]));
    assert!(matches!(short, Err(SetupError::WrongLength { column: "velocity", particles: 3, found: 2, .. })));
    let unknown = add(NewBody { material: 7, ..body(vec![], vec![]) });
    assert!(matches!(unknown, Err(SetupError::NoSuchMaterial { material: 7, count: 1, .. })));
    assert_eq!(simulation.particles().len(), 0);
    simulation.step().unwrap();
}
