//! Joints and motors in scenes: what a file says of them is what bodies do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::{BuiltScene, Scene};

const HEAD: &str = "world.spacing = 0.05\nworld.gravity = [0, 0, 0]\ntime = { end = 1, step.fixed = 2e-3 }\n\
                    materials.oak = { density = 700, rigid = {} }\n";

const FLAT: &str = "world.dimension = 2\n";

fn block(name: &str, min: [f64; 3], max: [f64; 3]) -> String {
    format!("[[bodies]]\nname = '{name}'\nmaterial = 'oak'\nshape.box = {{ min = {min:?}, max = {max:?} }}\n")
}

fn joint(between: &str, rest: &str) -> String {
    format!("[[joints]]\nname = 'joint'\nbetween = {between}\n{rest}\n")
}

const PROBES: &str = "[[probes]]\nname = 'p'\njoint.name = 'joint'\n[[probes]]\nname = 'a'\nmotion.body = 'a'\n";

fn read(text: &str, settings: &[&str]) -> Result<Scene, String> {
    let settings: Vec<_> = settings.iter().map(ToString::to_string).collect();
    Scene::read("joints.toml", &format!("{HEAD}{text}"), &settings).map_err(|problems| problems.to_string())
}

/// The last row of the probes of a run, by column.
fn run(text: &str, settings: &[&str]) -> impl Fn(&str) -> f64 + use<> {
    let scene = read(text, settings).unwrap_or_else(|problems| panic!("{problems}"));
    let BuiltScene { mut simulation, probes, .. } = scene.build().unwrap();
    while simulation.time() < scene.time.end {
        simulation.step_until(scene.time.end).unwrap();
    }
    let mut row = Vec::new();
    probes.sample(&simulation, &mut row);
    let header = probes.header();
    move |column| row[header.iter().position(|name| name == column).unwrap_or_else(|| panic!("no {column}"))]
}

fn is(found: f64, expected: f64, error: f64) {
    assert!((found - expected).abs() < error, "{found} {expected}");
}

/// With I = M/12 (b² + c²) + M r² and a torque that is constant at first.
#[test]
fn a_motor_turns_a_hinge_as_hard_as_it_can_to_its_speed_and_its_limit() {
    let scene = |more: &str| {
        let hinge = format!("hinge = {{ at = [0, 0.1, 0.1], axis = [0, 0, -3], {more} }}");
        block("a", [0.0, 0.0, 0.0], [0.6, 0.2, 0.2]) + &joint("['a']", &hinge) + PROBES
    };
    let mass: f64 = 700.0 * 0.6 * 0.2 * 0.2;
    let inertia = mass * ((0.36 + 0.04) / 12.0 + 0.09);
    let weak = run(&scene("motor = { speed = 50, torque = 5 }"), &["time.end=0.5"]);
    is(weak("p.spin [rad/s]"), 5.0 / inertia * 0.5, 0.01);
    is(weak("p.angle [rad]"), 0.5 * 5.0 / inertia * 0.25, 0.01);
    is(weak("a.spin_z [rad/s]"), -weak("p.spin [rad/s]"), 1e-9);
    let strong = run(&scene("motor = { speed = 10, torque = 1e6 }"), &[]);
    is(strong("p.spin [rad/s]"), 10.0, 1e-6);
    // More than a turn.
    is(strong("p.angle [rad]"), 10.0, 0.05);
    let stopped = run(&scene("motor = { speed = 10, torque = 20 }, limits = [-1, 0.7]"), &[]);
    is(stopped("p.angle [rad]"), 0.7, 1e-3);
    is(stopped("p.spin [rad/s]"), 0.0, 1e-3);
}

/// A wall on a path carries a slider, whose travel is that relative to it.
#[test]
fn a_slider_moves_along_a_wall_that_moves() {
    let lift = "[[walls]]\nname = 'lift'\nshape.box = { min = [-0.4, 0, 0], max = [-0.2, 0.2, 0.2] }\n\
                path = [{ time = 0 }, { time = 10, translation = [2, 5, 0] }]\n";
    let slider = "slider = { at = [0, 0, 0], axis = [2, 0, 0], motor = { speed = 1, force = 1e5 } }";
    let at_end = run(&(block("a", [0.0; 3], [0.2; 3]) + lift + &joint("['a', 'lift']", slider) + PROBES), &[]);
    is(at_end("p.travel [m]"), 1.0, 0.01);
    is(at_end("p.speed [m/s]"), 1.0, 1e-6);
    is(at_end("a.velocity_x [m/s]"), 1.2, 1e-6);
    is(at_end("a.centre_y [m]"), 0.1 + 0.5, 1e-3);
}

/// Two blocks share a face, and a hinge in its middle: their edges are in the way, if they touch.
#[test]
fn bodies_that_are_joined_touch_if_a_scene_says_so() {
    let scene = |contact: &str| {
        let hinge = "hinge = { at = [0.4, 0.1, 0.1], axis = [0, 0, 1], motor = { speed = 2, torque = 5 } }\n";
        let blocks = block("a", [0.4, 0.0, 0.0], [0.8, 0.2, 0.2]) + &block("b", [0.0; 3], [0.4, 0.2, 0.2]);
        blocks + &joint("['a', 'b']", &format!("{hinge}{contact}")) + PROBES
    };
    is(run(&scene(""), &[])("p.spin [rad/s]"), 2.0, 1e-3);
    let angle = run(&scene("contact = true"), &[])("p.angle [rad]");
    assert!(angle.abs() < 0.1, "{angle}");
}

#[test]
fn bodies_that_are_joined_may_overlap_each_other_and_walls() {
    let blocks = block("a", [0.0; 3], [0.6, 0.2, 0.2]) + &block("b", [0.4, 0.1, 0.0], [0.8, 0.3, 0.2]);
    let ball = "ball.at = [0.5, 0.15, 0.1]";
    let refused = read(&(blocks.clone() + &joint("['a', 'b']", &format!("{ball}\ncontact = true"))), &[]).unwrap_err();
    assert!(refused.contains("bodies `a` and `b` overlap"), "{refused}");
    read(&(blocks + &joint("['a', 'b']", ball)), &[]).unwrap();

    // A pendulum about a post that it has around it: T = 2π √(2L/3g).
    let post = "[[walls]]\nname = 'post'\nshape.box = { min = [-0.1, -0.1, 0], max = [0.1, 0.1, 0] }\n";
    let bar = FLAT.to_owned() + &block("a", [-0.05, -0.05, 0.0], [0.95, 0.05, 0.0]);
    let settings = ["world.gravity=[0, -9.81, 0]", "time.end=0.1"];
    let refused = read(&(bar.clone() + post), &settings).unwrap_err();
    assert!(refused.contains("reaches into wall `post`"), "{refused}");
    let at_end = run(&(bar + post + &joint("['a', 'post']", "hinge.at = [0, 0, 0]") + PROBES), &settings);
    let inertia = (1.0 + 0.01) / 12.0 + 0.45 * 0.45;
    is(at_end("p.spin [rad/s]"), -9.81 * 0.45 / inertia * 0.1, 0.03);
}

#[test]
fn what_is_fixed_moves_as_one() {
    let blocks = block("a", [0.0; 3], [0.2; 3]) + "spin = [0, 0, 5]\n" + &block("b", [0.2, 0.0, 0.0], [0.6, 0.2, 0.2]);
    let probes = "[[probes]]\nname = 'a'\nmotion.body = 'a'\n[[probes]]\nname = 'b'\nmotion.body = 'b'\n";
    let at_end = run(&(blocks + &joint("['a', 'b']", "fixed.at = [0.2, 0.1, 0.1]") + probes), &[]);
    let apart =
        ["x", "y"].map(|axis| at_end(&format!("b.centre_{axis} [m]")) - at_end(&format!("a.centre_{axis} [m]")));
    is(apart[0].hypot(apart[1]), 0.3, 1e-3);
    is(at_end("a.spin_z [rad/s]"), at_end("b.spin_z [rad/s]"), 1e-6);
    // A cube of M and 0.2 spins alone at first, with M 0.04/6; then both with what two masses have about their common centre.
    let together = 0.04 / 6.0 + 2.0 * (0.16 + 0.04) / 12.0 + 2.0 / 3.0 * 0.09;
    is(at_end("a.spin_z [rad/s]"), 5.0 * 0.04 / 6.0 / together, 2e-3);
}

#[test]
fn in_a_plane_the_axis_of_a_hinge_is_written_out() {
    let text = FLAT.to_owned() + &block("a", [0.0; 3], [0.2, 0.2, 0.0]) + &joint("['a']", "hinge.at = [0, 0, 0]");
    let written = read(&text, &[]).unwrap().to_toml().unwrap();
    assert!(written.contains("axis = [0.0, 0.0, 1.0]") && written.contains("contact = false"), "{written}");
    assert_eq!(Scene::read("again", &written, &[]).unwrap().to_toml().unwrap(), written);
}
