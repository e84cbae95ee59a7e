//! The start of a run: everything that can be refused is refused before the folder is made.

use std::path::Path;

use thixo_frames::whole::{self, WriteError};
use thixo_scene::{BuiltScene, FrameFormat, KeptScene, Provenance, Scene};
use thixo_sim::{InstructionSet, PRECISION};

use super::Arguments;
use super::drive::Run;
use super::folder::Folder;
use super::progress::Progress;
use super::recorder::{RecordError, Recorder};
use crate::failure::Failure;
use crate::render::refuse_missing_feature;
use crate::scene_file::SceneFile;
use crate::{VERSION, console};

/// Reads the scene, fills the world and makes the folder.
pub(super) fn start(arguments: &Arguments) -> Result<Run, Failure> {
    let file = match &arguments.scene {
        Some(path) => SceneFile::find(path)?,
        None => SceneFile::demo()?,
    };
    let mut scene = file.scene(&arguments.overrides)?;
    arguments.ask_for_pictures(&mut scene);
    refuse_impossible_pictures(&scene)?;
    let timeline = super::timeline(&scene, arguments)?;
    let root = arguments.output.clone().unwrap_or_else(|| Path::new("out").join(&file.stem));
    Folder::refuse_existing(&root, arguments.overwrite)?;
    scene.warnings().iter().for_each(console::warn);

    let instruction_set = arguments.instruction_set.unwrap_or_else(InstructionSet::detect);
    let BuiltScene { mut simulation, probes, .. } =
        scene.build().map_err(|error| Failure::BadInput(format!("cannot build {}: {error}", file.name)))?;
    simulation.set_instruction_set(instruction_set);
    simulation.prepare().map_err(|error| Failure::Failed(error.to_string()))?;

    let (folder, log) = Folder::create(&root, arguments.overwrite)?;
    let path = folder.run_toml();
    let kept = kept_scene(&path, &scene, instruction_set).map_err(|error| failed(&error.into(), &root))?;
    let recorder = Recorder::new(folder, log, (&scene, kept.text.clone()), probes, instruction_set);
    let recorder = recorder.map_err(|error| failed(&error.into(), &root))?;
    recorder.checkpoint(&simulation, 0).map_err(|error| failed(&error, &root))?;
    // From here on the run can be resumed.
    write_scene(&path, &kept).map_err(|error| failed(&error, &root))?;
    let progress = Progress::new(timeline, simulation.time(), arguments.quiet);
    Ok(Run::new(simulation, recorder, timeline, 0, progress))
}

/// Pictures are drawn from frames in the native format; some films need a feature.
fn refuse_impossible_pictures(scene: &Scene) -> Result<(), Failure> {
    let Some(images) = &scene.output.images else { return Ok(()) };
    if !scene.output.frames.contains(&FrameFormat::Native) {
        return Err(Failure::BadInput(
            "pictures are drawn from frames in the native format; add \"native\" to `output.frames`".into(),
        ));
    }
    refuse_missing_feature(images.film)
}

/// The scene as it will lie at `path`, and what lies beside it.
fn kept_scene(path: &Path, scene: &Scene, instruction_set: InstructionSet) -> Result<KeptScene, WriteError> {
    let provenance = Provenance {
        version: VERSION.into(),
        instruction_set: instruction_set.name().into(),
        precision: PRECISION.into(),
        pressure: scene.chosen_pressure().map(str::to_owned),
    };
    let kept = scene.keep(provenance, Folder::MESHES).map_err(std::io::Error::other);
    kept.map_err(|cause| WriteError { path: path.to_owned(), cause })
}

/// Writes the scene, and its meshes beside it, so that the run needs nothing else to go on.
fn write_scene(path: &Path, KeptScene { text, files }: &KeptScene) -> Result<(), RecordError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    for file in files {
        let path = folder.join(&file.path);
        let made = std::fs::create_dir_all(path.parent().unwrap_or(folder));
        made.map_err(|cause| WriteError { path: path.clone(), cause })?;
        whole::write(&path, |out| out.write_all(&file.contents))?;
    }
    Ok(whole::write(path, |out| out.write_all(text.as_bytes()))?)
}

fn failed(error: &RecordError, root: &Path) -> Failure {
    let folder = console::typed(root);
    Failure::Failed(format!("{error}\nthen start the run again, with `-o {folder} --overwrite`"))
}
