//! `thixo run`: from a scene to a folder of frames, or on from where a run was stopped.

mod changes;
mod drive;
pub(crate) mod folder;
pub(crate) mod interrupt;
mod progress;
pub(crate) mod recorded_scene;
pub(crate) mod recorder;
mod resume;
mod rows;
mod start;
pub(crate) mod timeline;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use thixo_scene::{Scene, Style};
use thixo_sim::InstructionSet;

use crate::console::{self, duration, plural, typed};
use crate::failure::Failure;
use crate::threads::{parse_threads, thread_pool};
use crate::{render, report, surface};
use drive::{Ending, Run, RunError};
use folder::Folder;
use interrupt::Interrupt;
use recorded_scene::RecordedScene;
use timeline::Timeline;

/// What `thixo run` is told.
#[derive(Debug, clap::Args)]
#[command(override_usage = "thixo run [OPTIONS] [SCENE]\n       thixo run [OPTIONS] --resume <DIR>")]
pub(crate) struct Arguments {
    /// The scene file, or the name of a scene of the gallery; `-` is standard input; without one, the demo runs
    scene: Option<PathBuf>,
    /// Folder for the results [default: out/NAME, after the scene file]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace the results of an earlier run in that folder
    #[arg(long)]
    overwrite: bool,
    /// Go on with the run in this folder, from its last checkpoint
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scene", "output", "overwrite", "overrides"])]
    resume: Option<PathBuf>,
    /// Go on although steps are made in another way than before: `time.step` or `pressure` of run.toml was changed
    #[arg(long, requires = "resume", conflicts_with = "scene")]
    changed: bool,
    /// End at this simulated time [s], before or after the end of the scene
    #[arg(long, value_name = "T", value_parser = parse_end, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Override a value of the scene: materials.water.density=900, bodies.pool.velocity=[0, 1, 0]
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
    /// Draw pictures and a film when the run has ended, as `thixo render` does
    #[arg(long)]
    render: bool,
    /// Number of threads [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Vector instructions to use: avx2 or baseline [default: the fastest there are]
    #[arg(long, value_name = "NAME")]
    instruction_set: Option<InstructionSet>,
    /// Make triangle meshes of the frames at the end, as `thixo surface` does
    #[arg(long)]
    surface: bool,
    /// Say nothing but warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

impl Arguments {
    /// Pictures show the surface if there is one, unless the scene says otherwise.
    fn ask_for_pictures(&self, scene: &mut Scene) {
        if self.render {
            let style = if self.surface { Style::Water } else { Style::Particles };
            scene.ask_for_images(style);
        }
    }
}

fn parse_end(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(end) if end > 0.0 && f64::is_finite(end) => Ok(end),
        _ => Err("it must be a positive number of seconds".into()),
    }
}

/// Runs a scene.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let interrupt = Interrupt::listen()?;
    // One pool for everything: a step inside it neither starts threads nor allocates.
    thread_pool(arguments.threads)?.install(|| {
        let run = match &arguments.resume {
            Some(root) => resume::resume(root, arguments)?,
            None => Some(start::start(arguments)?),
        };
        let folder = match (&run, &arguments.resume) {
            (Some(run), _) => run.recorder.folder.clone(),
            (None, root) => Folder::new(root.as_deref().unwrap_or(Path::new(""))),
        };
        let ended = run.map_or(Ok(()), |run| drive_to_end(run, arguments, &interrupt));
        look_back(&folder, arguments, &interrupt, ended)
    })
}

/// Surfaces and pictures of a run that came to its end, if they are asked for; a report in any case.
fn look_back(
    folder: &Folder,
    arguments: &Arguments,
    interrupt: &Interrupt,
    ended: Result<(), Failure>,
) -> Result<(), Failure> {
    let RecordedScene { mut scene, .. } = RecordedScene::read(folder)?;
    let own = scene.output.images.clone().unwrap_or_default();
    arguments.ask_for_pictures(&mut scene);
    let reported = report::write(folder, &scene).map_err(Failure::Failed);
    // What stopped the run matters more than a report that cannot be written.
    ended.and(reported)?;
    // Pictures of surfaces need them.
    let shows_surface = scene.output.images.as_ref().is_some_and(|images| images.style != Style::Particles);
    surface::finish(folder, &scene, arguments.surface || shows_surface, arguments.quiet, interrupt)?;
    render::finish(folder, &scene, &own, arguments.quiet, interrupt)
}

/// When the run ends: where the scene says, unless the command line says otherwise.
fn timeline(scene: &Scene, arguments: &Arguments) -> Result<Timeline, Failure> {
    Timeline::new(scene.time.fps, arguments.until.unwrap_or(scene.time.end)).map_err(Failure::BadInput)
}

fn drive_to_end(mut run: Run, arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Failure> {
    let (first_step, first_frame) = (run.simulation.steps(), run.next_frame);
    let ending = run.drive(interrupt);
    run.progress.finish();
    let folder = &run.recorder.folder;
    let time = run.simulation.time();
    let name = folder.root().display();
    match ending {
        Ok(Ending::Finished) => {
            let (frames, steps) = (run.next_frame - first_frame, run.simulation.steps() - first_step);
            if !arguments.quiet {
                let seconds = duration(run.progress.seconds());
                let (frames, steps) = (counted(frames, "frame"), counted(steps, "step"));
                console::tell(format_args!("{name}: {frames} in {steps}, {seconds}; t = {time:.6} s"));
            }
            Ok(())
        }
        Ok(Ending::Interrupted) => Err(Failure::Interrupted(format!(
            "interrupted at t = {time:.6} s; to go on: {}",
            resume_command(folder, arguments)
        ))),
        Err(error @ (RunError::Step(_) | RunError::Energy(_))) => {
            Err(Failure::Failed(format!("{error}\n{name} holds everything up to t = {time:.6} s")))
        }
        Err(error @ RunError::Record(_)) => {
            Err(Failure::Failed(format!("{error}\nthen go on with: {}", resume_command(folder, arguments))))
        }
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", plural(count))
}

fn resume_command(folder: &Folder, arguments: &Arguments) -> String {
    let until = arguments.until.map(|end| format!(" --until {end}")).unwrap_or_default();
    format!("thixo run --resume {}{until}", typed(folder.root()))
}
