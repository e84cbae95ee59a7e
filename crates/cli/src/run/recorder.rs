//! What a run writes: a row per step, frames, checkpoints.

use std::fs::File;
use std::io::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thixo_frames::whole::WriteError;
use thixo_frames::{
    CheckpointError, CheckpointRef, Format, FrameError, FrameInfo, RigidState, frame_path, write_checkpoint,
};
use thixo_scene::{EnergyGain, FrameFormat, Probes, Scene};
use thixo_sim::measure::{Derived, Totals};
use thixo_sim::{InstructionSet, Real, RigidBody, Simulation, StepReport};

use super::folder::{Folder, LockedLog};
use super::rows::Rows;
use crate::VERSION;
use crate::stages::Stage;

/// Something that could not be written, with path, cause and remedy.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum RecordError {
    Write(#[from] WriteError),
    Frame(#[from] FrameError),
    Checkpoint(#[from] CheckpointError),
}

/// What a run must know beside the state of the simulation to go on: it is part of every checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bookmark {
    /// The first frame that is not yet written.
    pub(crate) next_frame: u64,
    log_length: u64,
    probes_length: u64,
    /// The text of `run.toml`; nothing in checkpoints of early versions.
    pub(crate) scene: String,
}

impl Bookmark {
    /// Reads what a checkpoint holds.
    pub(crate) fn read(bytes: &[u8]) -> Option<Bookmark> {
        let old = || {
            let (next_frame, log_length, probes_length) = postcard::from_bytes(bytes).ok()?;
            Some(Bookmark { next_frame, log_length, probes_length, scene: String::new() })
        };
        postcard::from_bytes(bytes).ok().or_else(old)
    }
}

/// A row of the log.
#[derive(Serialize)]
struct LogRow<'a> {
    step: u64,
    time: f64,
    dt: Real,
    tries: u32,
    density_error: f64,
    worst_density_error: f64,
    fastest: f64,
    /// [J]
    kinetic_energy: f64,
    potential_energy: f64,
    compression_energy: f64,
    /// The rest of a balance of energy, in rows of steps after which one was drawn up [J].
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    balance: Option<BalanceRow>,
    /// [kg m/s]
    momentum: [f64; 3],
    /// How many particles had their forces found, if steps are individual.
    #[serde(skip_serializing_if = "Option::is_none")]
    force_evaluations: Option<usize>,
    /// Of implicit elasticity; left out if nothing is solved, as is what follows of the pressure solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    elastic_iterations: Option<u32>,
    /// Of friction that is solved for.
    #[serde(skip_serializing_if = "Option::is_none")]
    viscous_iterations: Option<u32>,
    /// Of the pressure solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence_iterations: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_error: Option<f64>,
    /// How rigid bodies are; in rows of steps that end at a frame.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rigid_bodies: Vec<RigidRow<'a>>,
    /// Which pressure solver was chosen and why; in the first row of a scene that left the choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_pressure: Option<&'a str>,
    /// Wall time; what follows from here on differs from run to run.
    ms: f64,
    /// Wall time of each stage.
    stages_ms: Map<String, Value>,
}

/// What a balance of energy adds to a row of the log [J].
#[derive(Serialize)]
struct BalanceRow {
    deformation_energy: f64,
    /// What walls, clamps, loads and fields have given.
    work: f64,
    energy_from_nowhere: f64,
    energy_turned_over: f64,
}

impl BalanceRow {
    /// Of a balance that was drawn up after this step.
    fn of(simulation: &Simulation) -> Option<BalanceRow> {
        let balance = simulation.energy().filter(|balance| balance.step == simulation.steps())?;
        Some(BalanceRow {
            deformation_energy: balance.energies.deformation,
            work: balance.work,
            energy_from_nowhere: balance.gained,
            energy_turned_over: balance.turned_over,
        })
    }
}

/// How a rigid body is: in a row of the log.
#[derive(Serialize)]
struct RigidRow<'a> {
    name: &'a str,
    /// Its centre of mass [m].
    centre: [f64; 3],
    /// Its turn since the start, a unit quaternion: x, y, z, w.
    turn: [f64; 4],
    /// [m/s]
    velocity: [f64; 3],
    /// [rad/s]
    spin: [f64; 3],
}

impl RigidRow<'_> {
    fn of(simulation: &Simulation) -> Vec<RigidRow<'_>> {
        let dimension = simulation.settings().dimension;
        let row = |rigid: &RigidBody| {
            Some(RigidRow {
                name: &simulation.body(rigid.body)?.name,
                centre: rigid.centre.to_array(),
                turn: rigid.orientation.to_array(),
                velocity: rigid.velocity.to_array(),
                spin: rigid.spin(dimension).to_array(),
            })
        };
        simulation.world().memory.rigid.iter().filter_map(row).collect()
    }
}

/// Writes what a run has to say into its folder.
pub(crate) struct Recorder {
    pub(crate) folder: Folder,
    instruction_set: InstructionSet,
    formats: Vec<Format>,
    /// Columns of frames beside those that there always are.
    columns: Vec<Derived>,
    probes: Probes,
    chosen_pressure: Option<String>,
    /// Does the scene ask to stop when energy comes from nowhere?
    pub(crate) stops_at_gain: bool,
    /// The text of `run.toml`.
    scene: String,
    log_rows: Rows,
    probe_rows: Rows,
    /// Memory for a row.
    values: Vec<f64>,
    row: Vec<u8>,
}

impl Recorder {
    /// Opens the files that grow, for a scene and its text. A new `probes.csv` gets its header.
    pub(crate) fn new(
        folder: Folder,
        log: LockedLog,
        (scene, text): (&Scene, String),
        probes: Probes,
        instruction_set: InstructionSet,
    ) -> Result<Recorder, WriteError> {
        let path = folder.probes();
        let opened = File::options().append(true).create(true).open(&path);
        let file = opened.map_err(|cause| WriteError { path: path.clone(), cause })?;
        let mut recorder = Recorder {
            log_rows: Rows::new(folder.log(), log)?,
            probe_rows: Rows::new(path, file)?,
            stops_at_gain: scene.world.energy_gain == EnergyGain::Stop,
            columns: scene.output.columns.clone(),
            formats: scene.output.frames.iter().map(|&format| file_format(format)).collect(),
            folder,
            instruction_set,
            chosen_pressure: scene.chosen_pressure().map(str::to_owned),
            scene: text,
            probes,
            values: Vec::new(),
            row: Vec::new(),
        };
        recorder.write_header()?;
        Ok(recorder)
    }

    fn write_header(&mut self) -> Result<(), WriteError> {
        if self.probe_rows.length() > 0 {
            return Ok(());
        }
        let columns = self.probes.header();
        let names = ["step", "time [s]"].into_iter().chain(columns.iter().map(String::as_str));
        let header = names.map(csv_field).collect::<Vec<_>>().join(",") + "\n";
        self.probe_rows.append(header.as_bytes())
    }

    /// Forgets everything that came after a checkpoint. Says which files have already lost more than that.
    pub(crate) fn go_back_to(&mut self, bookmark: &Bookmark) -> Result<Vec<&'static str>, WriteError> {
        let mut short = Vec::new();
        if !self.log_rows.cut(bookmark.log_length)? {
            short.push("log.jsonl");
        }
        if !self.probe_rows.cut(bookmark.probes_length)? {
            short.push("probes.csv");
        }
        self.write_header()?;
        let frames = self.folder.remove_frames_from(bookmark.next_frame);
        frames.map_err(|cause| WriteError { path: self.folder.frames(), cause })?;
        Ok(short)
    }

    /// Writes the rows of a step that took so many milliseconds, in these stages. Does it end at a frame?
    pub(crate) fn step(
        &mut self,
        simulation: &Simulation,
        report: &StepReport,
        ms: f64,
        stages: &[Stage],
        is_frame: bool,
    ) -> Result<(), WriteError> {
        // The probes come first: a step that is in the log is recorded in full.
        self.probes.sample(simulation, &mut self.values);
        self.row.clear();
        let (step, time) = (simulation.steps(), simulation.time());
        // Writing to memory cannot fail. Debug prints as many digits as a number needs to be read back.
        let _ = write!(self.row, "{step},{time:?}");
        for value in &self.values {
            let _ = write!(self.row, ",{value:?}");
        }
        self.row.push(b'\n');
        self.probe_rows.append(&self.row)?;

        let &StepReport { dt, tries, density_error, worst_density_error, fastest, .. } = report;
        let totals = Totals::of_motion(simulation, None);
        let to_microseconds = |ms: f64| (ms * 1e3).round() / 1e3;
        let stage_ms = |stage: &Stage| (stage.name.into(), to_microseconds(stage.time.as_secs_f64() * 1e3).into());
        let iterates = report.iterations > 0;
        let row = LogRow {
            step,
            time,
            dt,
            tries,
            density_error,
            worst_density_error,
            fastest,
            kinetic_energy: totals.kinetic,
            potential_energy: totals.potential,
            compression_energy: totals.compression,
            balance: BalanceRow::of(simulation),
            momentum: totals.momentum.to_array(),
            force_evaluations: simulation.settings().step.individual().map(|_| report.force_evaluations),
            elastic_iterations: (report.elastic_iterations > 0).then_some(report.elastic_iterations),
            viscous_iterations: (report.viscous_iterations > 0).then_some(report.viscous_iterations),
            iterations: iterates.then_some(report.iterations),
            divergence_iterations: (report.divergence_iterations > 0).then_some(report.divergence_iterations),
            predicted_error: iterates.then_some(report.predicted_error),
            allowed_error: iterates.then_some(report.allowed_error),
            rigid_bodies: if is_frame { RigidRow::of(simulation) } else { Vec::new() },
            chosen_pressure: self.chosen_pressure.as_deref().filter(|_| step == 1),
            ms: to_microseconds(ms),
            stages_ms: stages.iter().map(stage_ms).collect(),
        };
        self.row.clear();
        let _ = serde_json::to_writer(&mut self.row, &row);
        self.row.push(b'\n');
        self.log_rows.append(&self.row)
    }

    /// Writes a frame in every format that was asked for.
    pub(crate) fn frame(&self, simulation: &Simulation, frame: u64, time: f64) -> Result<(), FrameError> {
        let derived: Vec<_> = self.columns.iter().flat_map(|columns| columns.columns(simulation)).collect();
        let rigid = RigidState::all(simulation);
        let particles = (simulation.particles(), simulation.matter().len());
        for &format in &self.formats {
            let path = frame_path(&self.folder.frames(), frame, format);
            thixo_frames::write_frame_with(format, &path, FrameInfo { frame, time }, particles, (&derived, &rigid))?;
        }
        Ok(())
    }

    /// Writes a checkpoint of a run that has yet to write `next_frame`.
    pub(crate) fn checkpoint(&self, simulation: &Simulation, next_frame: u64) -> Result<(), RecordError> {
        // A checkpoint on the disk must not speak of rows that are not.
        self.log_rows.synchronise()?;
        self.probe_rows.synchronise()?;
        let (log_length, probes_length) = (self.log_rows.length(), self.probe_rows.length());
        let bookmark = Bookmark { next_frame, log_length, probes_length, scene: self.scene.clone() };
        // Numbers and text can always be written.
        let caller = postcard::to_stdvec(&bookmark).unwrap_or_default();
        let checkpoint = CheckpointRef {
            version: VERSION,
            instruction_set: self.instruction_set.name(),
            state: &simulation.state(),
            particles: simulation.particles(),
            caller: &caller,
        };
        write_checkpoint(&self.folder.checkpoints(), &checkpoint)?;
        Ok(())
    }
}

/// The file format that a scene names.
pub(crate) fn file_format(format: FrameFormat) -> Format {
    match format {
        FrameFormat::Native => Format::Native,
        FrameFormat::Vtk => Format::Vtk,
    }
}

/// A name as a field of CSV: quoted if it would otherwise be read as more than one.
fn csv_field(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_stay_one_column() {
        let fields = ["time [s]", "a,b.pressure [Pa]", "the \"top\""].map(csv_field);
        assert_eq!(fields, ["time [s]", "\"a,b.pressure [Pa]\"", "\"the \"\"top\"\"\""]);
    }
}
