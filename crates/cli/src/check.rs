//! `thixo check`: what is wrong with a scene, or what it will take to run it.

use std::path::PathBuf;

use thixo_scene::Estimate;

use crate::console;
use crate::failure::Failure;
use crate::scene_file::SceneFile;

/// What `thixo check` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scene file, or the name of a scene of the gallery; `-` is standard input
    scene: PathBuf,
    /// Override a value: materials.water.density=900, bodies.pool.velocity=[0, 1, 0]
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

/// Checks a scene.
pub(crate) fn check(arguments: &Arguments) -> Result<(), Failure> {
    let file = SceneFile::find(&arguments.scene)?;
    let scene = file.scene(&arguments.overrides)?;
    scene.warnings().iter().for_each(console::warn);
    console::print(&report(&file.name, &scene.estimate(), scene.chosen_pressure()))
}

fn report(name: &str, estimate: &Estimate, chosen_pressure: Option<&str>) -> String {
    let Estimate { memory, frames, frame_size, disk, step, steps, .. } = estimate;
    let mut text = format!("{name}: no problems\n");
    let bodies = estimate.bodies.iter().map(|body| ("body", body));
    let walls = estimate.walls.iter().map(|wall| ("wall", wall));
    let parts: Vec<_> = bodies.chain(walls).collect();
    let width = parts.iter().map(|(_, (name, _))| name.chars().count()).max().unwrap_or(0);
    for (kind, (name, count)) in parts {
        text += &format!("  {kind} {name:width$}  {count} particle{}\n", console::plural(*count));
    }
    let (movable, fixed) = (estimate.movable(), estimate.fixed());
    text += &format!("particles  {movable} movable, {fixed} of walls\n");
    text += &format!("memory     about {}\n", console::bytes(*memory));
    text += &format!(
        "disk       {} in {frames} frame{} of {}\n",
        console::bytes(*disk),
        console::plural(*frames),
        console::bytes(*frame_size)
    );
    if let Some(chosen) = chosen_pressure {
        text += &format!("pressure   {chosen}\n");
    }
    text + &format!("steps      about {steps} of {step:.2e} s\n")
}
