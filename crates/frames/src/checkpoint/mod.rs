//! Checkpoints: everything a run needs to go on as if it had never stopped.

mod blocks;
mod error;
mod file;

use std::io;
use std::path::{Path, PathBuf};

use thixo_sim::{Particles, Snapshot, State};

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

/// A checkpoint to be written: [`Checkpoint`] in parts, so that nothing need be copied. The precision is that of this build.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointRef<'a> {
    /// Version of the program.
    pub version: &'a str,
    /// Instruction set the program computes with.
    pub instruction_set: &'a str,
    /// The simulation, columns apart.
    pub state: &'a State,
    /// The columns.
    pub particles: &'a Particles,
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
    let step = checkpoint.state.clock.step;
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::{bits, particles, state};

    /// A folder with checkpoints after the given steps, written in that order.
    fn folder_with(steps: &[u64]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for &step in steps {
            write(folder.path(), step);
        }
        folder
    }

    fn write(folder: &Path, step: u64) -> PathBuf {
        let (state, particles) = (state(step), particles(5));
        let caller = step.to_le_bytes();
        let checkpoint = CheckpointRef {
            version: "1.2.3",
            instruction_set: "avx2",
            state: &state,
            particles: &particles,
            caller: &caller,
        };
        write_checkpoint(folder, &checkpoint).unwrap()
    }

    /// Flips a bit in the contents of the last block.
    fn damage(folder: &Path, step: u64) {
        let path = checkpoint_path(folder, step);
        let mut data = fs::read(&path).unwrap();
        // Before the checksum of the whole.
        let near_the_end = data.len() - 12;
        data[near_the_end] ^= 1;
        fs::write(&path, data).unwrap();
    }

    fn steps(folder: &Path) -> Vec<u64> {
        list_checkpoints(folder).unwrap().into_iter().map(|(step, _)| step).collect()
    }

    fn everything_in(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        files.sort();
        files
    }

    #[test]
    fn checkpoint_brings_back_every_bit() {
        let folder = folder_with(&[123]);
        let path = folder.path().join("000000000123.checkpoint");
        let Checkpoint { version, instruction_set, precision, snapshot, caller } = read_checkpoint(&path).unwrap();
        assert_eq!((version.as_str(), instruction_set.as_str()), ("1.2.3", "avx2"));
        assert_eq!(precision, thixo_sim::PRECISION);
        assert_eq!(snapshot.state, state(123));
        assert_eq!(bits(&snapshot.particles), bits(&particles(5)));
        assert_eq!(caller, 123_u64.to_le_bytes());
    }

    #[test]
    fn three_newest_are_kept() {
        let folder = folder_with(&[0, 10, 20]);
        assert_eq!(steps(folder.path()), [0, 10, 20]);
        fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        write(folder.path(), 1_000_000_000_000);
        assert_eq!(steps(folder.path()), [10, 20, 1_000_000_000_000]);
        assert!(folder.path().join("notes.txt").exists());
    }

    #[test]
    fn newest_whole_one_is_used_and_damaged_ones_are_named() {
        let folder = folder_with(&[10, 20, 30]);
        fs::write(folder.path().join(".000000000040.checkpoint.tmp"), "half").unwrap();
        let latest = latest_checkpoint(folder.path()).unwrap();
        assert_eq!((latest.checkpoint.snapshot.state.clock.step, latest.damaged.len()), (30, 0));
        damage(folder.path(), 30);
        fs::write(checkpoint_path(folder.path(), 20), "").unwrap();
        let before = everything_in(folder.path());
        let latest = latest_checkpoint(folder.path()).unwrap();
        assert_eq!(latest.checkpoint.snapshot.state.clock.step, 10);
        assert_eq!(latest.path, checkpoint_path(folder.path(), 10));
        let damaged: Vec<_> = latest.damaged.iter().map(|(path, _)| path.clone()).collect();
        assert_eq!(damaged, [30, 20].map(|step| checkpoint_path(folder.path(), step)));
        assert_eq!(everything_in(folder.path()), before);
    }

    #[test]
    fn all_damaged_names_each_and_changes_nothing() {
        let folder = folder_with(&[10, 20]);
        damage(folder.path(), 10);
        fs::write(checkpoint_path(folder.path(), 20), "something else").unwrap();
        let before = everything_in(folder.path());
        let message = latest_checkpoint(folder.path()).unwrap_err().to_string();
        let lines: Vec<_> = message.lines().collect();
        let place = folder.path().display();
        assert_eq!(lines[0], format!("no checkpoint in {place} can be used; start the run again"));
        let expected =
            format!("  {place}/000000000020.checkpoint is not a thixo checkpoint: it begins with other bytes");
        assert_eq!(lines[1], expected);
        assert!(lines[2].starts_with(&format!("  {place}/000000000010.checkpoint is damaged: block `")), "{message}");
        assert_eq!(everything_in(folder.path()), before);
    }

    #[test]
    fn no_checkpoint_at_all_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for folder in [folder.path(), &folder.path().join("missing")] {
            let error = latest_checkpoint(folder).unwrap_err();
            assert!(matches!(error, CheckpointError::None { .. }), "{error}");
        }
    }

    #[test]
    fn run_that_went_back_outlives_the_damaged_future() {
        let folder = folder_with(&[10, 20, 30]);
        damage(folder.path(), 20);
        damage(folder.path(), 30);
        write(folder.path(), 15);
        assert_eq!(steps(folder.path()), [10, 15]);
        assert_eq!(latest_checkpoint(folder.path()).unwrap().checkpoint.snapshot.state.clock.step, 15);
    }

    #[test]
    fn missing_folder_is_named() {
        let (state, particles) = (state(0), particles(1));
        let checkpoint =
            CheckpointRef { version: "", instruction_set: "", state: &state, particles: &particles, caller: &[] };
        let error = write_checkpoint(Path::new("no/such/folder"), &checkpoint).unwrap_err();
        assert!(error.to_string().starts_with("cannot write no/such/folder/000000000000.checkpoint: "), "{error}");
    }
}
