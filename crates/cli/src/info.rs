//! `thixo info`: what a run holds.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thixo_frames::{FrameError, list_checkpoints, list_frames, read_native};
use thixo_scene::{FrameFormat, Provenance, Scene};

use crate::console;
use crate::failure::Failure;
use crate::run::folder::Folder;
use crate::run::recorded_scene::RecordedScene;
use crate::run::recorder::file_format;
use crate::run::timeline::Timeline;

/// What `thixo info` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of a run
    folder: PathBuf,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Says what a run holds.
pub(crate) fn info(arguments: &Arguments) -> Result<(), Failure> {
    let folder = Folder::new(&arguments.folder);
    let RecordedScene { scene, .. } = RecordedScene::read(&folder)?;
    let (contents, damage) = Contents::of(&folder, &scene)?;
    console::print(&if arguments.json { contents.json() } else { contents.text() })?;
    damage.map_or(Ok(()), |error| Err(Failure::Failed(error.to_string())))
}

/// Simulated time after the last step of a run [s], as its log tells.
pub(crate) fn last_time(folder: &Folder) -> Option<f64> {
    last_row(&folder.log()).map(|row| row.time)
}

/// What a row of the log says, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Row {
    step: u64,
    time: f64,
}

/// More than the longest row of a log [bytes].
const ROW: i64 = 4096;

fn last_row(log: &Path) -> Option<Row> {
    let mut file = File::open(log).ok()?;
    let length = i64::try_from(file.metadata().ok()?.len()).ok()?;
    file.seek(SeekFrom::End(-length.min(ROW))).ok()?;
    let mut end = String::new();
    file.take(ROW as u64).read_to_string(&mut end).ok()?;
    let rows = end.strip_suffix('\n')?;
    serde_json::from_str(rows.rsplit('\n').next()?).ok()
}

/// What a run holds.
#[derive(Serialize)]
struct Contents {
    folder: String,
    state: State,
    provenance: Option<Provenance>,
    /// Simulated so far [s].
    time: f64,
    /// The end of the scene [s].
    end: f64,
    fps: f64,
    steps: u64,
    /// Frames written.
    frames: u64,
    /// Frames of the whole scene.
    frames_of_scene: u64,
    formats: Vec<FrameFormat>,
    /// Movable particles in the last frame.
    particles: usize,
    columns: Vec<ColumnName>,
    /// Steps of which there are checkpoints.
    checkpoints: Vec<u64>,
    bodies: Vec<String>,
    walls: Vec<String>,
    /// Size of everything in the folder [bytes].
    bytes: u64,
}

#[derive(Serialize)]
struct ColumnName {
    name: String,
    unit: String,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Running,
    Stopped,
    Finished,
}

impl Contents {
    /// With the damage of the last frame, if it has any.
    fn of(folder: &Folder, scene: &Scene) -> Result<(Contents, Option<FrameError>), Failure> {
        let timeline = Timeline::new(scene.time.fps, scene.time.end).map_err(Failure::BadInput)?;
        let frames = scene.output.frames.iter().map(|&format| {
            let listed = list_frames(&folder.frames(), file_format(format));
            (format, listed.unwrap_or_default())
        });
        let frames: Vec<_> = frames.collect();
        let count = frames.iter().map(|(_, list)| list.len()).min().unwrap_or(0) as u64;
        let native = frames.iter().find(|(format, _)| *format == FrameFormat::Native);
        let last = native.and_then(|(_, list)| list.last()).map(|(_, path)| read_native(path)).transpose();
        let (last, damage) = match last {
            Ok(last) => (last, None),
            Err(error) => (None, Some(error)),
        };
        let Row { step, time } = last_row(&folder.log()).unwrap_or_default();
        let checkpoints = list_checkpoints(&folder.checkpoints()).unwrap_or_default();
        let columns = last.iter().flat_map(|frame| &frame.columns);
        let contents = Contents {
            folder: folder.root().display().to_string(),
            state: match folder.is_in_use() {
                true => State::Running,
                false if count > timeline.last_frame && time >= timeline.end => State::Finished,
                false => State::Stopped,
            },
            provenance: scene.provenance.clone(),
            time,
            end: timeline.end,
            fps: scene.time.fps,
            steps: step,
            frames: count,
            frames_of_scene: timeline.last_frame + 1,
            formats: scene.output.frames.clone(),
            particles: last.as_ref().map_or(0, thixo_frames::Frame::particles),
            columns: columns.map(|c| ColumnName { name: c.name.clone(), unit: c.unit.clone() }).collect(),
            checkpoints: checkpoints.into_iter().map(|(step, _)| step).collect(),
            bodies: scene.all_matter().map(|(_, name, ..)| name.to_owned()).collect(),
            walls: scene.walls.iter().map(|wall| wall.name.clone()).collect(),
            bytes: size(folder.root()),
        };
        Ok((contents, damage))
    }

    fn json(&self) -> String {
        // Strings and numbers can always be written; infinite numbers become null.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    fn text(&self) -> String {
        let Contents { folder, time, end, fps, steps, frames, frames_of_scene, particles, .. } = self;
        let state = match self.state {
            State::Running => "running".into(),
            State::Finished => "finished".into(),
            State::Stopped => format!("stopped; to go on: thixo run --resume {}", console::typed(Path::new(folder))),
        };
        let formats: Vec<_> = self.formats.iter().map(|&format| file_format(format).name()).collect();
        let columns: Vec<_> = self.columns.iter().map(|column| format!("{} [{}]", column.name, column.unit)).collect();
        let checkpoints: Vec<_> = self.checkpoints.iter().map(|step| format!("step {step}")).collect();
        let program = self.provenance.as_ref().map_or("unknown".into(), |origin| {
            format!("thixo {}, {}, {}", origin.version, origin.instruction_set, origin.precision)
        });
        let lines = [
            ("program", program),
            ("bodies", self.bodies.join(", ")),
            ("walls", self.walls.join(", ")),
            ("time", format!("{time} s of {end} s, {steps} step{}", console::plural(*steps))),
            ("frames", format!("{frames} of {frames_of_scene}, {fps} per second: {}", formats.join(", "))),
            ("particles", particles.to_string()),
            ("columns", columns.join(", ")),
            ("checkpoints", checkpoints.join(", ")),
            ("disk", console::bytes(self.bytes)),
        ];
        let lines: String = lines.iter().map(|(name, value)| format!("{name:11}  {value}\n")).collect();
        format!("{folder}: {state}\n{lines}")
    }
}

/// Size of the files below a folder [bytes].
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        _ => entry.metadata().map_or(0, |file| file.len()),
    });
    sizes.sum()
}
