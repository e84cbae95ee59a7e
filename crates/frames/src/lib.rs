//! Particle frames and checkpoints on disk.
//!
//! A **frame** is what others look at: the particles of the bodies at one instant, sorted so that a row is the
//! same particle in every frame. Its native format is described byte by byte in `docs/frame-format.md`; the same
//! frame can be written for other programs, see [`Format`].
//!
//! A **checkpoint** is what a run goes on from: everything that survives a step, to the bit.
//!
//! Every file is [whole or absent](whole). What a file says is never believed: a damaged one gives an error that
//! names the file, the cause and the remedy, never a panic and never more memory than its contents need.
//!
//! ```
//! use thixo_frames::{Format, FrameInfo, frame_path, read_native, write_frame};
//! use thixo_sim::Particles;
//!
//! let folder = tempfile::tempdir()?;
//! let particles = Particles::zeroed(3);
//! let path = frame_path(folder.path(), 12, Format::Native);
//! write_frame(Format::Native, &path, FrameInfo { frame: 12, time: 0.24 }, &particles, 2)?;
//! assert!(path.ends_with("000012.thixo"));
//! assert_eq!(read_native(&path)?.particles(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
mod checkpoint;
mod frame;
mod layout;
mod native;
mod rigid;
#[cfg(test)]
mod testing;
mod vtk;
pub mod whole;

pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointRef, KEPT_CHECKPOINTS, Latest, checkpoint_path, latest_checkpoint,
    list_checkpoints, read_checkpoint, write_checkpoint,
};
pub use frame::{
    Column, ColumnValues, Format, Frame, FrameError, FrameInfo, frame_path, list_frames, list_numbered, write_frame,
    write_frame_with,
};
pub use native::{read_native, write_native};
pub use rigid::RigidState;
pub use vtk::write_vtk;
