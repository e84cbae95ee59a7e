//! On from where a run was stopped.

use std::path::Path;

use thixo_frames::{Checkpoint, Latest, frame_path, latest_checkpoint};
use thixo_scene::{BuiltScene, Scene};
use thixo_sim::{Body, InstructionSet};

use super::drive::Run;
use super::folder::{Folder, LockedLog};
use super::progress::Progress;
use super::recorded_scene::RecordedScene;
use super::recorder::{Bookmark, Recorder, file_format};
use super::timeline::Timeline;
use super::{Arguments, changes};
use crate::failure::{Failure, plain};
use crate::info::last_time;
use crate::{VERSION, console};

/// Puts the folder and the world back to the last checkpoint; nothing if the run has come to its end already.
pub(super) fn resume(root: &Path, arguments: &Arguments) -> Result<Option<Run>, Failure> {
    let RecordedScene { scene, text, version } = RecordedScene::read(&Folder::new(root))?;
    let timeline = super::timeline(&scene, arguments)?;
    let (folder, log) = Folder::open(root)?;
    let (checkpoint, bookmark) = find_checkpoint(&folder)?;
    if bookmark.scene != text && !bookmark.scene.is_empty() {
        changes::announce(root, &bookmark.scene, &scene, arguments.changed)?;
    }
    if version != VERSION {
        console::warn(format_args!(
            "the run was made by thixo {version}, and this is thixo {VERSION}; what follows may differ in the last digits"
        ));
    }
    if is_finished(&folder, &scene, &timeline, &checkpoint, &bookmark) {
        folder.remove_leftovers().map_err(|cause| failed(root, &plain(&cause)))?;
        if !arguments.quiet {
            let time = last_time(&folder).unwrap_or(timeline.end);
            console::tell(format_args!("{}: the run is finished, t = {time:.6} s", root.display()));
        }
        return Ok(None);
    }
    go_back(Stopped { folder, log, scene, text, timeline, checkpoint, bookmark }, arguments).map(Some)
}

/// A run that was stopped, as its folder tells.
struct Stopped {
    folder: Folder,
    log: LockedLog,
    scene: Scene,
    /// The text of the scene.
    text: String,
    timeline: Timeline,
    checkpoint: Checkpoint,
    bookmark: Bookmark,
}

fn go_back(stopped: Stopped, arguments: &Arguments) -> Result<Run, Failure> {
    let Stopped { folder, log, scene, text, timeline, checkpoint, bookmark } = stopped;
    let root = folder.root().to_owned();
    let foreign = |error: String| {
        let name = root.display();
        Failure::BadInput(format!("{name}/run.toml does not fit the checkpoints beside it: {error}; was it changed?"))
    };
    let instruction_set = choose_instruction_set(&checkpoint.instruction_set, arguments.instruction_set);
    let BuiltScene { mut simulation, probes, .. } = scene.build().map_err(|error| foreign(error.to_string()))?;
    // Emitters and sinks change how many particles they have.
    let is_same = |(one, other): (&Body, &Body)| Body { particles: other.particles, ..one.clone() } == *other;
    let others = &checkpoint.snapshot.state.bodies;
    let is_as_long = simulation.bodies().len() == others.len();
    let counts = !scene.emitters.is_empty() || !scene.sinks.is_empty();
    let are_same = is_as_long && simulation.bodies().iter().zip(others).all(is_same);
    if simulation.bodies() != others && !(counts && are_same) {
        return Err(foreign("it has other bodies".into()));
    }
    if !timeline.is_due(bookmark.next_frame, checkpoint.snapshot.state.clock.time) {
        return Err(foreign("it has frames at other times".into()));
    }
    simulation.set_instruction_set(instruction_set);
    simulation.restore(checkpoint.snapshot).map_err(|error| foreign(error.to_string()))?;

    folder.remove_leftovers().map_err(|cause| failed(&root, &plain(&cause)))?;
    let recorder = Recorder::new(folder, log, (&scene, text), probes, instruction_set);
    let mut recorder = recorder.map_err(|error| failed(&root, &error.to_string()))?;
    let short = recorder.go_back_to(&bookmark).map_err(|error| failed(&root, &error.to_string()))?;
    for file in short {
        console::warn(format_args!("{}/{file} has lost rows, which will stay missing", root.display()));
    }
    let progress = Progress::new(timeline, simulation.time(), arguments.quiet);
    Ok(Run::new(simulation, recorder, timeline, bookmark.next_frame, progress))
}

fn find_checkpoint(folder: &Folder) -> Result<(Checkpoint, Bookmark), Failure> {
    let Latest { checkpoint, path, damaged } =
        latest_checkpoint(&folder.checkpoints()).map_err(|error| Failure::BadInput(error.to_string()))?;
    let bookmark = Bookmark::read(&checkpoint.caller).ok_or_else(|| {
        Failure::BadInput(format!("{} was not written by `thixo run`; start the run again", path.display()))
    })?;
    for (_, error) in damaged {
        console::warn(format_args!("{error}; an older one is used"));
    }
    Ok((checkpoint, bookmark))
}

/// Has the run come to its end? After an end between two frames there is no checkpoint, but the log knows.
fn is_finished(
    folder: &Folder,
    scene: &Scene,
    timeline: &Timeline,
    checkpoint: &Checkpoint,
    bookmark: &Bookmark,
) -> bool {
    let has_frames = bookmark.next_frame > timeline.last_frame;
    if has_frames && checkpoint.snapshot.state.clock.time >= timeline.end {
        return true;
    }
    let frame = |&format| frame_path(&folder.frames(), timeline.last_frame, file_format(format)).is_file();
    scene.output.frames.iter().all(frame) && last_time(folder).is_some_and(|time| time >= timeline.end)
}

/// The recorded set if this processor has it and no other is asked for.
fn choose_instruction_set(recorded: &str, asked: Option<InstructionSet>) -> InstructionSet {
    let chosen = asked.or_else(|| recorded.parse().ok()).unwrap_or_else(InstructionSet::detect);
    if chosen.name() != recorded {
        console::warn(format_args!(
            "the run used {recorded} and goes on with {chosen}; what follows may differ in the last digits"
        ));
    }
    chosen
}

fn failed(root: &Path, cause: &str) -> Failure {
    Failure::Failed(format!("cannot prepare {} to go on: {cause}", root.display()))
}
