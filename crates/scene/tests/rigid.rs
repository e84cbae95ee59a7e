//! Rigid bodies in scenes: what a file says of them is what they are.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use std::path::Path;

use glam::DVec3;
use thixo_scene::{BuiltScene, Scene, WrittenScene};
use thixo_sim::{Dimension, RigidBody, Simulation};

const HEAD: &str = "world.spacing = 0.05\ntime.end = 1\nmaterials.steel = { density = 7800, rigid = {} }\n\
                    materials.water.density = 1000\n";

fn read(text: &str) -> Result<Scene, String> {
    Scene::read("rigid.toml", &format!("{HEAD}{text}"), &[]).map_err(|problems| problems.to_string())
}

/// Put in order, so that bodies are known.
fn prepared(scene: &Scene) -> Simulation {
    let mut simulation = scene.build().unwrap().simulation;
    simulation.prepare().unwrap();
    simulation
}

fn states(scene: &Scene) -> Vec<RigidBody> {
    prepared(scene).world().memory.rigid.clone()
}

fn body(shape: &str, more: &str) -> String {
    format!("[[bodies]]\nname = 'block'\nmaterial = 'steel'\nshape.{shape}\n{more}")
}

const BOX: &str = "box = { min = [0.3, 0, 0], max = [0.9, 0.4, 0.2] }";

#[test]
fn a_body_starts_with_its_mass_velocity_and_spin() {
    let [state] = states(&read(&body(BOX, "velocity = [1, 2, 3]\nspin = [4, -5, 6]\n")).unwrap())[..] else {
        panic!("one rigid body")
    };
    assert!((state.mass / (7800.0 * 0.6 * 0.4 * 0.2) - 1.0).abs() < 1e-5, "{}", state.mass);
    assert!((state.centre - DVec3::new(0.6, 0.2, 0.1)).length() < 1e-6, "{}", state.centre);
    assert!((state.velocity - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-5, "{}", state.velocity);
    let spin = state.spin(Dimension::Three);
    assert!((spin - DVec3::new(4.0, -5.0, 6.0)).length() < 1e-4, "{spin}");
}

#[test]
fn in_a_plane_a_body_spins_about_z() {
    let scene = read(&("world.dimension = 2\n".to_owned() + &body(BOX, "spin = [4, -5, 6]\n"))).unwrap();
    let spin = states(&scene)[0].spin(Dimension::Two);
    assert!((spin - DVec3::new(0.0, 0.0, 6.0)).length() < 1e-4, "{spin}");
}

/// Whatever it is made of; and a field is added.
#[test]
fn fluids_spin_about_their_centre_of_mass_as_well() {
    let field = "velocity_field.linear.gradient = [[0, 0, 0], [0.5, 0, 0], [0, 0, 0]]\n";
    let scene = read(&body(BOX, &format!("spin = [0, 0, 2]\n{field}")).replace("'steel'", "'water'")).unwrap();
    let simulation = prepared(&scene);
    let particles = simulation.particles();
    for i in simulation.matter() {
        let (place, velocity) = (particles.position[i], particles.velocity[i]);
        let expected = [-2.0 * (place.y - 0.2), 2.0 * (place.x - 0.6) + 0.5 * place.x, 0.0];
        let worst = (0..3).map(|axis| (velocity[axis] - expected[axis]).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-5, "{velocity} at {place}");
    }
}

fn read_beside(folder: &Path, text: &str) -> Result<Scene, String> {
    let written = WrittenScene::parse("rigid.toml", &format!("{HEAD}{text}")).unwrap();
    written.beside(folder).check(&[]).map_err(|problems| problems.to_string())
}

#[test]
fn a_mesh_has_the_mass_of_its_volume() {
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes");
    let scene =
        read_beside(&meshes, &body("mesh = { file = 'pebble.obj', scale = 0.05 }", "spin = [0, 3, 0]\n")).unwrap();
    let state = states(&scene)[0];
    let count = scene.estimate().movable() as f64;
    assert!((state.mass / (7800.0 * count * 0.05_f64.powi(3)) - 1.0).abs() < 1e-5);
    assert!((state.spin(Dimension::Three) - DVec3::new(0.0, 3.0, 0.0)).length() < 1e-4);
}

/// Two triangles back to back are closed.
#[test]
fn a_mesh_of_no_volume_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n";
    std::fs::write(folder.path().join("flat.obj"), flat).unwrap();
    let refused = read_beside(folder.path(), &body("mesh = { file = 'flat.obj' }", "")).unwrap_err();
    assert!(refused.contains("flat.obj") && refused.contains("volume"), "{refused}");
}

/// A hollow sphere: more inertia than a full one of the same mass, 2/3 M R^2 against 2/5.
#[test]
fn a_surface_is_a_rigid_shell() {
    let ball = body("sphere = { centre = [0, 0, 0], radius = 0.5 }", "fill = 'surface'\n");
    let state = states(&read(&ball).unwrap())[0];
    let expected = 2.0 / 3.0 * state.mass * 0.25;
    assert!((state.inertia.y_axis.y / expected - 1.0).abs() < 0.02, "{} {expected}", state.inertia);
}

/// A box that falls and spins freely: the row of its probe, and what its momentum changes by.
#[test]
fn probes_tell_the_state_of_a_body() {
    let probes = "[[probes]]\nname = 'p'\nmotion.body = 'block'\n[[probes]]\nname = 'f'\nforce.on = 'block'\n\
                  [[probes]]\nname = 'm'\nmomentum.body = 'block'\n";
    let scene = read(&body(BOX, &format!("velocity = [1, 0, 0]\nspin = [0, 3, 0]\n{probes}"))).unwrap();
    let BuiltScene { mut simulation, probes, .. } = scene.build().unwrap();
    while simulation.time() < 0.5 {
        simulation.step_until(0.5).unwrap();
    }
    let mut row = Vec::new();
    probes.sample(&simulation, &mut row);
    let header = probes.header();
    let is = |column: &str, expected: f64, error: f64| {
        let found = row[header.iter().position(|name| name == column).unwrap()];
        assert!((found - expected).abs() < error, "{column}: {found} {expected}");
    };
    assert_eq!(row.len(), header.len());
    is("p.centre_x [m]", 0.6 + 0.5, 1e-5);
    is("p.centre_y [m]", 0.2 - 0.5 * 9.81 * 0.25, 0.03);
    // Half the angle of 1.5.
    is("p.turn_y [-]", 0.75_f64.sin(), 1e-4);
    is("p.turn_w [-]", 0.75_f64.cos(), 1e-4);
    is("p.velocity_y [m/s]", -9.81 * 0.5, 1e-4);
    is("p.spin_y [rad/s]", 3.0, 1e-4);
    let mass = 7800.0 * 0.6 * 0.4 * 0.2;
    is("f.force_y [N]", -9.81 * mass, 0.1);
    is("f.impulse_y [N s]", -9.81 * mass * 0.5, 0.1);
    is("m.momentum_x [kg m/s]", mass, 0.01);
    // About the origin: its own, and that of its centre at z = 0.1.
    is("m.angular_momentum_y [kg m^2/s]", mass / 12.0 * (0.36 + 0.04) * 3.0 + 0.1 * mass, 0.01);
}
