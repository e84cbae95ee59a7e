//! Checkpoints: everything a run needs to go on as if it had never stopped.

mod blocks;
mod error;
mod file;

use std::io;
use std::path::{Path, PathBuf};

use thixo_sim::Snapshot;

use crate::frame::list_numbered;
use crate::whole;
pub use error::CheckpointError;
pub use file::read_checkpoint;

/// How many checkpoints of a run are kept: should the newest be damaged, there are two more.
pub const KEPT_CHECKPOINTS: usize = 3;

/// A checkpoint read from a file.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// Version of the program that wrote it.
    pub version: String,
    /// Instruction set the program computed with.
    pub instruction_set: String,
    /// Precision of particle data: `f32` or `f64`.
    pub precision: String,
    /// The simulation.
    pub snapshot: Snapshot,
    /// What the caller added.
    pub caller: Vec<u8>,
}

/// A checkpoint to be written. The precision is that of this build.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointRef<'a> {
    /// Version of the program.
    pub version: &'a str,
    /// Instruction set the program computes with.
    pub instruction_set: &'a str,
    /// The simulation.
    pub snapshot: &'a Snapshot,
    /// What the caller wants back: any bytes.
    pub caller: &'a [u8],
}

/// Where the checkpoint after so many steps lies in the folder that holds the checkpoints.
pub fn checkpoint_path(folder: &Path, step: u64) -> PathBuf {
    folder.join(format!("{step:012}.checkpoint"))
}

/// Every checkpoint in `folder`, by step. Other files are passed over.
pub fn list_checkpoints(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    list_numbered(folder, |step| checkpoint_path(folder, step))
}

/// Writes a checkpoint into `folder`, which must exist, and then removes all but the last three.
///
/// Checkpoints of later steps are removed too: a run that has come to this step again, because they were
/// damaged, has no other use for them than to take them for the newest.
pub fn write_checkpoint(folder: &Path, checkpoint: &CheckpointRef<'_>) -> Result<PathBuf, CheckpointError> {
    let step = checkpoint.snapshot.state.clock.step;
    let path = checkpoint_path(folder, step);
    whole::write(&path, |out| file::write(out, checkpoint))?;
    let (mut past, future): (Vec<_>, Vec<_>) = list(folder)?.into_iter().partition(|(other, _)| *other <= step);
    past.truncate(past.len().saturating_sub(KEPT_CHECKPOINTS));
    for (_, path) in past.into_iter().chain(future) {
        whole::remove(&path)?;
    }
    Ok(path)
}

/// The checkpoint to go on from.
#[derive(Debug)]
pub struct Latest {
    /// The newest checkpoint that is whole.
    pub checkpoint: Checkpoint,
    /// Its file.
    pub path: PathBuf,
    /// Newer ones that could not be used, newest first, and why.
    pub damaged: Vec<(PathBuf, CheckpointError)>,
}

/// Finds the newest checkpoint in `folder` that is whole. Changes nothing on the disk.
///
/// A checkpoint that is whole but not for this program (a newer version, another precision) is an error: to go
/// back to an older one would silently undo what another program did.
pub fn latest_checkpoint(folder: &Path) -> Result<Latest, CheckpointError> {
    let mut damaged = Vec::new();
    for (_, path) in list(folder)?.into_iter().rev() {
        match read_checkpoint(&path) {
            Ok(checkpoint) => return Ok(Latest { checkpoint, path, damaged }),
            Err(error) if error.is_damage() => damaged.push((path, error)),
            Err(error) => return Err(error),
        }
    }
    Err(if damaged.is_empty() {
        CheckpointError::None { folder: folder.into() }
    } else {
        CheckpointError::AllDamaged { folder: folder.into(), damaged }
    })
}

fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>, CheckpointError> {
    match list_checkpoints(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(CheckpointError::None { folder: folder.into() }),
        listed => listed.map_err(|cause| CheckpointError::Read { path: folder.into(), cause }),
    }
}
