//! Emitters and sinks.

use thixo_scene::{Scene, gallery};
use thixo_sim::Simulation;

fn at_end(name: &str, settings: &[&str]) -> (Scene, Simulation) {
    let entry = gallery().iter().find(|entry| entry.name == name).unwrap();
    let settings: Vec<_> = settings.iter().map(ToString::to_string).collect();
    let scene = Scene::read(name, entry.text, &settings).unwrap_or_else(|problems| panic!("{problems}"));
    let mut simulation = scene.build().unwrap().simulation;
    let mut most = 0.0_f64;
    while simulation.time() < scene.time.end {
        simulation.step_until(scene.time.end).unwrap_or_else(|error| panic!("{name}: {error}"));
        most = most.max(simulation.energy().map_or(0.0, thixo_sim::EnergyBalance::gain));
    }
    assert!(most < 0.05, "{name}: {most}");
    (scene, simulation)
}

/// All that the tap let in is in the glass, and stands as high as it must.
#[test]
fn the_tap_fills_the_glass() {
    let (scene, simulation) = at_end("filling-glass", &["world.spacing=0.0075"]);
    let expected = std::f64::consts::PI * 0.015 * 0.015 * 3.0;
    let volume = simulation.matter().len() as f64 * scene.world.spacing.powi(3);
    assert!((volume / expected - 1.0).abs() < 0.005, "{volume} {expected}");
    // To less than a layer.
    assert!(scene.estimate().come().abs_diff(simulation.matter().len() as u64) < 16);
    let heights = simulation.matter().map(|i| f64::from(simulation.particles().position[i].y));
    let level = 2.0 * heights.sum::<f64>() / simulation.matter().len() as f64;
    let full = expected / (std::f64::consts::PI * 0.07 * 0.07);
    assert!((level / full - 1.0).abs() < 0.05, "{level} {full}");
}

/// The jet rises, and the drain comes to take as much as it brings.
#[test]
fn the_fountain_rises_and_the_drain_takes() {
    let (scene, simulation) = at_end("fountain", &["world.spacing=0.03", "time.end=3.0"]);
    let (come, gone) = (simulation.emitters()[0].emitted, simulation.sinks()[0].taken);
    assert!(come.abs_diff(scene.estimate().come()) < 30 && gone > come / 10, "{come} {gone}");
    let highest = simulation.matter().map(|i| simulation.particles().position[i].y).fold(0.0, f32::max);
    assert!(highest > 0.5 && highest < 1.0, "{highest}");
}
