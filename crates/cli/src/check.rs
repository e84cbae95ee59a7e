//! `thixo check`: what is wrong with a scene, or what it will take to run it.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Instant;

use thixo_scene::{Estimate, Forecast, Inflow, Scene};

use crate::failure::Failure;
use crate::scene_file::SceneFile;
use crate::threads::thread_pool;
use crate::{console, process};

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
    let estimate = scene.estimate();
    let course = match process::available_bytes().filter(|&available| available < estimate.memory) {
        Some(available) => format!("not tried: {} of memory are free\n", console::bytes(available)),
        None => rehearse(&file.name, &scene, estimate.growth())?,
    };
    let report = report(&file.name, &estimate, scene.chosen_pressure());
    console::print(&format!("{report}steps      {course}"))
}

/// How many steps the scene takes, and how long, as its first ones do.
fn rehearse(name: &str, scene: &Scene, growth: f64) -> Result<String, Failure> {
    let pool = thread_pool(None)?;
    let (Forecast { steps, step }, made, seconds) = pool.install(|| {
        let failed = |cause: &dyn Display| Failure::Failed(format!("{name}: the first steps fail: {cause}"));
        let mut rehearsal = scene.rehearse().map_err(|cause| failed(&cause))?;
        // The first one also finds out what must be known once.
        let mut goes_on = rehearsal.step().map_err(|cause| failed(&cause))?;
        let begin = Instant::now();
        while goes_on {
            goes_on = rehearsal.step().map_err(|cause| failed(&cause))?;
        }
        let seconds = begin.elapsed().as_secs_f64() / rehearsal.steps().saturating_sub(1).max(1) as f64;
        Ok((rehearsal.forecast(), rehearsal.steps(), seconds))
    })?;
    let threads = pool.current_num_threads();
    Ok(format!(
        "about {steps} of {step:.2e} s\ntime       about {} with {threads} thread{}, as the first {made} step{} took\n",
        console::duration(seconds * steps as f64 * growth),
        console::plural(threads as u64),
        console::plural(made),
    ))
}

fn report(name: &str, estimate: &Estimate, chosen_pressure: Option<&str>) -> String {
    let Estimate { memory, frames, frame_size, disk, .. } = estimate;
    let mut text = format!("{name}: no problems\n");
    let bodies = estimate.bodies.iter().map(|body| ("body", body));
    let walls = estimate.walls.iter().map(|wall| ("wall", wall));
    let parts: Vec<_> = bodies.chain(walls).collect();
    let names = estimate.emitters.iter().map(|(name, _)| name);
    let width =
        parts.iter().map(|(_, (name, _))| name).chain(names).map(|name| name.chars().count()).max().unwrap_or(0);
    for (kind, (name, count)) in parts {
        text += &format!("  {kind} {name:width$}  {count} particle{}\n", console::plural(*count));
    }
    for (name, Inflow { come, volume, is_endless, .. }) in &estimate.emitters {
        let end = if *is_endless { " until the scene ends: it has no end of its own" } else { "" };
        let s = console::plural(*come);
        text += &format!("  emitter {name:width$}  lets in {come} particle{s} ({volume:.3e} m^3){end}\n");
    }
    let (movable, fixed, come) = (estimate.movable(), estimate.fixed(), estimate.come());
    let later = if come > 0 { format!(", {come} to come") } else { String::new() };
    text += &format!("particles  {movable} movable, {fixed} of walls{later}\n");
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
    text
}
