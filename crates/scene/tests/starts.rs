//! How bodies start: velocities by formulas, jitter, deformation.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::{BuiltScene, Scene};
use thixo_sim::{Simulation, measure};

fn built(text: &str) -> (Scene, BuiltScene) {
    let text = format!(
        "world.spacing = 0.1\nworld.gravity = [0, 0, 0]\ntime.end = 1\nmaterials.water.density = 1000\n\
         materials.jelly = {{ density = 1000, elastic.implicit = {{ young_modulus = 1e5, poisson_ratio = 0.3 }} }}\n{text}"
    );
    let scene = Scene::read("starts.toml", &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let built = scene.build().unwrap();
    (scene, built)
}

const BOX: &str = "shape.box = { min = [0, 0, 0], max = [1, 0.5, 0.5] }\n";

fn body(material: &str, more: &str) -> String {
    format!("[[bodies]]\nname = \"body\"\nmaterial = \"{material}\"\n{BOX}{more}\n")
}

fn places(simulation: &Simulation) -> Vec<[f64; 3]> {
    let particles = simulation.particles();
    let mut places: Vec<_> = simulation.matter().map(|i| (particles.id[i], particles.position[i])).collect();
    places.sort_unstable_by_key(|(id, _)| *id);
    places.into_iter().map(|(_, place)| place.to_array().map(f64::from)).collect()
}

#[test]
fn velocities_follow_their_formulas() {
    let field = "velocity = [0, 0, 1]\nvelocity_field.formula = { x = \"2 * sin(pi * y)\", y = \"x ^ 2 - z\" }";
    let mut simulation = built(&body("water", field)).1.simulation;
    let particles = simulation.particles();
    for i in simulation.matter() {
        let [x, y, z] = particles.position[i].to_array().map(f64::from);
        let expected = [2.0 * (std::f64::consts::PI * y).sin(), x * x - z, 1.0];
        let found = particles.velocity[i].to_array().map(f64::from);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} {expected:?}");
    }
    // What a formula says is known before the first step: faster matter makes shorter steps.
    let mut fast = built(&body("water", &field.replace("2 * sin", "200 * sin"))).1.simulation;
    assert!(5.0 * fast.step().unwrap().dt < simulation.step().unwrap().dt);
}

#[test]
fn jitter_moves_every_particle_no_farther_than_it_says_and_by_the_seed() {
    let still = places(&built(&body("jelly", "")).1.simulation);
    let (_, BuiltScene { mut simulation, .. }) = built(&body("jelly", "jitter = 0.2"));
    let jittered = places(&simulation);
    let moved = still.iter().zip(&jittered).flat_map(|(a, b)| (0..3).map(|axis| (a[axis] - b[axis]).abs()));
    let moved: Vec<_> = moved.collect();
    let (mean, most) = (moved.iter().sum::<f64>() / moved.len() as f64, moved.iter().copied().fold(0.0, f64::max));
    assert!(most <= 0.02 + 1e-6 && (mean - 0.01).abs() < 0.002, "{mean} {most}");
    assert_eq!(jittered, places(&built(&body("jelly", "jitter = 0.2")).1.simulation));
    assert_ne!(jittered, places(&built(&format!("world.seed = 3\n{}", body("jelly", "jitter = 0.2"))).1.simulation));
    // It is at rest so.
    simulation.advance(0.05).unwrap();
    assert!(measure::Totals::of(&simulation, None).kinetic < 1e-9);
    // A fluid does not start compressed by it.
    let (scene, BuiltScene { mut simulation, .. }) = built(&body("water", "jitter = 0.3"));
    assert_eq!(scene.warnings(), Vec::<String>::new());
    simulation.prepare().unwrap();
    let particles = simulation.particles();
    let densest = simulation.matter().map(|i| particles.compression(i)).fold(0.0, |a, b| b.max(a));
    assert!(densest < 1.01, "{densest}");
    assert_ne!(places(&simulation), places(&built(&body("water", "")).1.simulation));
}

#[test]
fn a_deformed_body_starts_stretched_and_springs_back() {
    let stretched = "deformation.linear = { gradient = [[1.2, 0, 0], [0, 1, 0], [0, 0, 1]] }";
    let still = places(&built(&body("jelly", "")).1.simulation);
    for (deformation, expected) in [
        (stretched, (|x| [1.2 * x[0], x[1], x[2]]) as fn([f64; 3]) -> [f64; 3]),
        ("deformation.formula = { y = \"y + 0.2 * x ^ 2\" }", |x| [x[0], x[1] + 0.2 * x[0] * x[0], x[2]]),
    ] {
        let (_, BuiltScene { mut simulation, .. }) = built(&body("jelly", deformation));
        for (place, found) in still.iter().zip(places(&simulation)) {
            let expected = expected(*place);
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} {expected:?}");
        }
        // The energy of a bar of 0.25 m^3 that is strained by 0.2 is E/2 0.2^2 0.25 = 500 J with free sides; these are held.
        simulation.advance(0.005).unwrap();
        assert!(measure::Totals::of(&simulation, None).kinetic > 1.0, "{deformation}");
    }
}
