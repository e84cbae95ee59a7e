//! What can be wrong with a checkpoint.

use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use crate::whole::{RemoveError, WriteError, plain_cause};

/// A checkpoint that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file that is no longer needed could not be removed.
    #[error(transparent)]
    Remove(#[from] RemoveError),
    /// The file could not be read.
    #[error("cannot read {}: {}", .path.display(), plain_cause(.cause))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        cause: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a thixo checkpoint: it begins with other bytes", .path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later program.
    #[error(
        "{} is written in version {found} of the checkpoint format, and this program knows version {known}; update thixo",
        .path.display()
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// The version it is written in.
        found: u32,
        /// The latest version known here.
        known: u32,
    },
    /// The file was written by a program built for another precision.
    #[error(
        "{} was computed in {found}, and this program computes in {known}; go on with a thixo built {}",
        .path.display(), if .found == "f64" { "with the feature f64" } else { "without the feature f64" }
    )]
    OtherPrecision {
        /// The file.
        path: PathBuf,
        /// Its precision.
        found: String,
        /// The precision of this program.
        known: &'static str,
    },
    /// The file is whole, but a simulation of this program holds other things.
    #[error("{} does not fit this program: {cause}; go on with thixo {version}, which wrote it", .path.display())]
    OtherProgram {
        /// The file.
        path: PathBuf,
        /// Version of the program that wrote it.
        version: String,
        /// What does not fit.
        cause: String,
    },
    /// The end of the file is missing.
    #[error("{} is cut short", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
    },
    /// The file is not as it was written.
    #[error("{} is damaged: {cause}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        cause: String,
    },
    /// There is none.
    #[error("there is no checkpoint in {}; start the run again", .folder.display())]
    None {
        /// Where it should be.
        folder: PathBuf,
    },
    /// There are some, but none can be used.
    #[error("no checkpoint in {} can be used; start the run again{}", .folder.display(), list(.damaged))]
    AllDamaged {
        /// Where they are.
        folder: PathBuf,
        /// What is wrong with each, newest first.
        damaged: Vec<(PathBuf, CheckpointError)>,
    },
}

impl CheckpointError {
    /// Is the file itself at fault, so that an older one may serve instead?
    pub(super) fn is_damage(&self) -> bool {
        matches!(
            self,
            CheckpointError::Read { .. }
                | CheckpointError::NotACheckpoint { .. }
                | CheckpointError::Truncated { .. }
                | CheckpointError::Damaged { .. }
        )
    }
}

fn list(damaged: &[(PathBuf, CheckpointError)]) -> String {
    damaged.iter().fold(String::new(), |mut lines, (_, error)| {
        // Writing to a string cannot fail.
        let _ = write!(lines, "\n  {error}");
        lines
    })
}
