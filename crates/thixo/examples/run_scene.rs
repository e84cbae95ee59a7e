//! A scene of the gallery with its probes, watched step by step: `cargo run --release -p thixo --example run_scene`

use std::error::Error;

use thixo::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let still_water = gallery().iter().find(|scene| scene.name == "still-water").ok_or("it left the gallery")?;
    // A string of your own serves as well, and so does the contents of a file.
    let scene = Scene::read("still-water.toml", still_water.text, &["time.end=0.5".into()])?;
    let BuiltScene { mut simulation, probes, .. } = scene.build()?;

    println!("{} particles; time [s], {}", simulation.matter().len(), probes.header().join(", "));
    let mut values = Vec::new();
    for tenth in 1..=5 {
        let goal = f64::from(tenth) * 0.1;
        while simulation.time() < goal {
            simulation.step_until(goal)?;
        }
        probes.sample(&simulation, &mut values);
        let values: Vec<_> = values.iter().map(|value| format!("{value:.1}")).collect();
        println!("{:.1}, {}", simulation.time(), values.join(", "));
    }
    Ok(())
}
