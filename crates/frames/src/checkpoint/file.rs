//! The file of a checkpoint: magic, version, number of blocks, the blocks, the checksum of all that.
//!
//! Blocks are found by name. First come those about the program and the simulation as a whole, then one for each
//! column of the particles, walls included.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use thixo_sim::{PRECISION, Particles, Snapshot, State};

use super::blocks::{Block, Flaw, read_block, write_block};
use super::{Checkpoint, CheckpointError, CheckpointRef};
use crate::bytes::{Checksummed, Cursor, without_checksum};
use crate::layout::{Layout, read_rows, write_rows};

const MAGIC: &[u8; 8] = b"\x89thixc\r\n";
const VERSION: u32 = 1;

const PROGRAM_VERSION: &str = "program version";
const INSTRUCTION_SET: &str = "instruction set";
const PRECISION_BLOCK: &str = "precision";
const STATE: &str = "state";
const CALLER: &str = "caller";
/// How many blocks there are beside the columns.
const RECORDS: usize = 5;

pub(super) fn write(out: &mut dyn Write, checkpoint: &CheckpointRef<'_>) -> io::Result<()> {
    let Snapshot { state, particles } = checkpoint.snapshot;
    let state = postcard::to_stdvec(state).map_err(io::Error::other)?;
    let records: [(&str, &[u8]); RECORDS] = [
        (PROGRAM_VERSION, checkpoint.version.as_bytes()),
        (INSTRUCTION_SET, checkpoint.instruction_set.as_bytes()),
        (PRECISION_BLOCK, PRECISION.as_bytes()),
        (STATE, &state),
        (CALLER, checkpoint.caller),
    ];

    let mut out = BufWriter::new(Checksummed::new(out));
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&((RECORDS + Particles::COLUMNS.len()) as u32).to_le_bytes())?;
    for (name, data) in records {
        write_block(&mut out, name, Layout::BYTES, data)?;
    }
    let mut data = Vec::new();
    for (column, values) in particles.columns() {
        data.clear();
        write_rows(&mut data, values, 0..particles.len())?;
        write_block(&mut out, column.name, Layout::of(&values), &data)?;
    }
    out.into_inner()?.finish()
}

/// Reads a checkpoint.
pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, CheckpointError> {
    let data = fs::read(path).map_err(|cause| CheckpointError::Read { path: path.into(), cause })?;
    parse(path, &data)
}

pub(super) fn parse(path: &Path, data: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let blocks = Blocks::parse(path, data)?;
    let version = blocks.text(PROGRAM_VERSION)?;
    let precision = blocks.text(PRECISION_BLOCK)?;
    if precision != PRECISION {
        return Err(CheckpointError::OtherPrecision { path: path.into(), found: precision, known: PRECISION });
    }
    let other_program =
        |cause: String| CheckpointError::OtherProgram { path: path.into(), version: version.clone(), cause };
    let state: State = postcard::from_bytes(blocks.record(STATE)?)
        .map_err(|_| other_program("its state is made up differently".into()))?;
    let particles = blocks.particles().map_err(other_program)?;
    Ok(Checkpoint {
        instruction_set: blocks.text(INSTRUCTION_SET)?,
        snapshot: Snapshot { state, particles },
        caller: blocks.record(CALLER)?.to_vec(),
        version,
        precision,
    })
}

/// All blocks of a file.
struct Blocks<'a> {
    path: &'a Path,
    blocks: Vec<Block<'a>>,
}

impl<'a> Blocks<'a> {
    /// Takes a file apart. Blocks come before the checksum of the whole, so that an error can say where it is.
    fn parse(path: &'a Path, data: &'a [u8]) -> Result<Self, CheckpointError> {
        let truncated = || CheckpointError::Truncated { path: path.into() };
        let damaged = |cause: &str| CheckpointError::Damaged { path: path.into(), cause: cause.into() };
        let mut cursor = Cursor(data);
        let magic = cursor.take(MAGIC.len().min(data.len())).unwrap_or_default();
        if !MAGIC.starts_with(magic) {
            return Err(CheckpointError::NotACheckpoint { path: path.into() });
        }
        let found = cursor.u32().ok_or_else(truncated)?;
        if found > VERSION {
            // Only if it really is newer: a flipped bit must not send anyone looking for an update.
            without_checksum(data).ok_or_else(|| damaged("its checksum is wrong"))?;
            return Err(CheckpointError::NewerVersion { path: path.into(), found, known: VERSION });
        }
        let count = cursor.u32().ok_or_else(truncated)?;
        let mut blocks = Vec::new();
        for _ in 0..count {
            blocks.push(read_block(&mut cursor).map_err(|flaw| match flaw {
                Flaw::Truncated => truncated(),
                Flaw::Damaged(cause) => damaged(&cause),
            })?);
        }
        if cursor.0.len() < size_of::<u32>() {
            return Err(truncated());
        }
        if found < VERSION || cursor.0.len() > size_of::<u32>() || without_checksum(data).is_none() {
            return Err(damaged("its checksum is wrong"));
        }
        Ok(Blocks { path, blocks })
    }

    fn find(&self, name: &str, layout: Layout) -> Option<&[u8]> {
        let block = self.blocks.iter().find(|block| block.name == name && block.layout == layout)?;
        Some(&block.data)
    }

    fn record(&self, name: &str) -> Result<&[u8], CheckpointError> {
        self.find(name, Layout::BYTES).ok_or_else(|| CheckpointError::Damaged {
            path: self.path.into(),
            cause: format!("it has no block `{name}`"),
        })
    }

    fn text(&self, name: &str) -> Result<String, CheckpointError> {
        Ok(String::from_utf8_lossy(self.record(name)?).into_owned())
    }

    /// The particles, if there are exactly the columns that this program knows.
    fn particles(&self) -> Result<Particles, String> {
        let mut particles = Particles::default();
        for (column, values) in particles.columns_mut() {
            let data = self.find(column.name, Layout::of_mut(&values));
            read_rows(values, data.ok_or_else(|| format!("it has no column `{}`", column.name))?);
        }
        let is_column = |block: &&Block<'_>| block.layout != Layout::BYTES;
        let unknown = |block: &&Block<'_>| Particles::COLUMNS.iter().all(|column| column.name != block.name);
        if let Some(block) = self.blocks.iter().filter(is_column).find(unknown) {
            return Err(format!("it has a column `{}` that is unknown here", block.name));
        }
        if !particles.is_consistent() {
            return Err("its columns are not equally long".into());
        }
        Ok(particles)
    }
}
