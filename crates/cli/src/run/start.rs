//! The start of a run: everything that can be refused is refused before the folder is made.

use std::path::Path;

use thixo_frames::whole::{self, WriteError};
use thixo_scene::{FrameFormat, Provenance, Scene};
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
        Some(path) => SceneFile::read(path)?,
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
    let mut simulation =
        scene.build().map_err(|error| Failure::BadInput(format!("cannot build {}: {error}", file.name)))?;
    simulation.set_instruction_set(instruction_set);
    simulation.prepare().map_err(|error| Failure::Failed(error.to_string()))?;

    let (folder, log) = Folder::create(&root, arguments.overwrite)?;
    scene.provenance = Some(Provenance {
        version: VERSION.into(),
        instruction_set: instruction_set.name().into(),
        precision: PRECISION.into(),
        pressure: scene.chosen_pressure().map(str::to_owned),
    });
    let path = folder.run_toml();
    let probes = scene.probes(&simulation);
    let recorder = Recorder::new(folder, log, &scene, probes, instruction_set);
    let recorder = recorder.map_err(|error| failed(&error.into(), &root))?;
    recorder.checkpoint(&simulation, 0).map_err(|error| failed(&error, &root))?;
    keep_meshes(&root, &mut scene).map_err(|error| failed(&error, &root))?;
    // From here on the run can be resumed.
    write_scene(&path, &scene).map_err(|error| failed(&error, &root))?;
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

/// Copies the meshes of the scene into the folder, so that the run needs nothing else to go on.
fn keep_meshes(root: &Path, scene: &mut Scene) -> Result<(), RecordError> {
    for file in scene.keep_files(Folder::MESHES) {
        let path = root.join(&file.path);
        let made = std::fs::create_dir_all(path.parent().unwrap_or(root));
        made.map_err(|cause| WriteError { path: path.clone(), cause })?;
        whole::write(&path, |out| out.write_all(&file.contents))?;
    }
    Ok(())
}

fn write_scene(path: &Path, scene: &Scene) -> Result<(), RecordError> {
    let written = whole::write(path, |out| {
        let text = scene.to_toml().map_err(std::io::Error::other)?;
        out.write_all(text.as_bytes())
    });
    Ok(written?)
}

fn failed(error: &RecordError, root: &Path) -> Failure {
    let folder = console::typed(root);
    Failure::Failed(format!("{error}\nthen start the run again, with `-o {folder} --overwrite`"))
}
