//! The file of a checkpoint: magic, version, number of blocks, the blocks, the checksum of all that.
//!
//! Blocks are found by name. First come those about the program and the simulation as a whole, then one for each
//! column of the particles, walls included; names of columns that processes own begin with [`OWN`].

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use thixo_sim::{OwnColumn, PRECISION, Particles, Snapshot, State, ValuesMut};

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
/// What the names of columns begin with that processes own.
const OWN: &str = "own ";
/// How many blocks there are beside the columns.
const RECORDS: usize = 5;

pub(super) fn write(out: &mut dyn Write, checkpoint: &CheckpointRef<'_>) -> io::Result<()> {
    let CheckpointRef { version, instruction_set, state, particles, caller } = *checkpoint;
    if !particles.is_consistent() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the columns of the particles are not equally long"));
    }
    let state = postcard::to_stdvec(state).map_err(io::Error::other)?;
    let records: [(&str, &[u8]); RECORDS] = [
        (PROGRAM_VERSION, version.as_bytes()),
        (INSTRUCTION_SET, instruction_set.as_bytes()),
        (PRECISION_BLOCK, PRECISION.as_bytes()),
        (STATE, &state),
        (CALLER, caller),
    ];

    let mut out = BufWriter::new(Checksummed::new(out));
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&((RECORDS + particles.columns().count()) as u32).to_le_bytes())?;
    for (name, data) in records {
        write_block(&mut out, name, Layout::BYTES, data)?;
    }
    let mut data = Vec::new();
    for (k, (column, values)) in particles.columns().enumerate() {
        data.clear();
        write_rows(&mut data, values, 0..particles.len())?;
        let prefix = if k < Particles::COLUMNS.len() { "" } else { OWN };
        write_block(&mut out, &format!("{prefix}{}", column.name), Layout::of(&values), &data)?;
    }
    out.into_inner()?.finish()
}

/// Reads a checkpoint.
pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, CheckpointError> {
    let data = fs::read(path).map_err(|cause| CheckpointError::Read { path: path.into(), cause })?;
    parse(path, &data)
}

fn parse(path: &Path, data: &[u8]) -> Result<Checkpoint, CheckpointError> {
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
        for block in &self.blocks {
            if let Some(name) = block.name.strip_prefix(OWN) {
                let mut column = OwnColumn::new(name, "", 0.0);
                let values = ValuesMut::Scalar(&mut column.values);
                if block.layout != Layout::of_mut(&values) {
                    return Err(format!("its column `{name}` is not one of numbers"));
                }
                read_rows(values, &block.data);
                particles.own.push(column);
            }
        }
        let is_column = |block: &&Block<'_>| block.layout != Layout::BYTES && !block.name.starts_with(OWN);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::Number;
    use crate::testing::{Disk, particles, state, with_right_checksum};

    fn sample() -> Vec<u8> {
        let (state, particles) = (state(5), particles(4));
        let mut data = Vec::new();
        let checkpoint = CheckpointRef {
            version: "1.2.3",
            instruction_set: "avx2",
            state: &state,
            particles: &particles,
            caller: b"anything",
        };
        write(&mut data, &checkpoint).unwrap();
        data
    }

    fn error_of(data: &[u8]) -> CheckpointError {
        parse(Path::new("a.checkpoint"), data).unwrap_err()
    }

    /// The sample with one block made anew.
    fn with_block(name: &str, layout: Layout, contents: &[u8]) -> Vec<u8> {
        let whole = sample();
        let mut cursor = Cursor(&whole[16..]);
        let mut data = whole[..16].to_vec();
        while cursor.0.len() > size_of::<u32>() {
            let Ok(block) = read_block(&mut cursor) else { panic!("the sample is sound") };
            let (layout, contents) = if block.name == name { (layout, contents) } else { (block.layout, &*block.data) };
            write_block(&mut data, block.name, layout, contents).unwrap();
        }
        data.extend([0; 4]);
        with_right_checksum(data)
    }

    #[test]
    fn every_truncation_is_noticed() {
        let data = sample();
        for size in 0..data.len() {
            let error = error_of(&data[..size]);
            assert!(matches!(error, CheckpointError::Truncated { .. }), "{size} of {} bytes: {error}", data.len());
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let data = sample();
        for bit in 0..8 * data.len() {
            let mut flipped = data.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let error = error_of(&flipped);
            assert!(error.is_damage(), "bit {bit}: {error}");
        }
    }

    #[test]
    fn damage_is_located() {
        let mut data = sample();
        let name = data.windows(8).position(|bytes| bytes == b"velocity").unwrap();
        data[name + 40] ^= 4;
        assert_eq!(error_of(&data).to_string(), "a.checkpoint is damaged: block `velocity` has a wrong checksum");
    }

    #[test]
    fn newer_version_asks_for_an_update() {
        let mut data = sample();
        data[8] = 2;
        let expected = "a.checkpoint is written in version 2 of the checkpoint format, \
                        and this program knows version 1; update thixo";
        assert_eq!(error_of(&with_right_checksum(data)).to_string(), expected);
    }

    #[test]
    fn other_precision_asks_for_the_other_build() {
        let (other, remedy) = if PRECISION == "f32" { ("f64", "with") } else { ("f32", "without") };
        let data = with_block(PRECISION_BLOCK, Layout::BYTES, other.as_bytes());
        let expected = format!(
            "a.checkpoint was computed in {other}, and this program computes in {PRECISION}; \
             go on with a thixo built {remedy} the feature f64"
        );
        assert_eq!(error_of(&data).to_string(), expected);
    }

    #[test]
    fn checkpoint_of_another_program_names_its_version() {
        let state = with_block(STATE, Layout::BYTES, &[0xff; 3]);
        let expected = "a.checkpoint does not fit this program: its state is made up differently; \
                        go on with thixo 1.2.3, which wrote it";
        assert_eq!(error_of(&state).to_string(), expected);
        let column = with_block("density", Layout { number: Number::U32, components: 3 }, &[0; 48]);
        assert!(error_of(&column).to_string().contains("it has no column `density`"));
        let uneven = with_block("body", Layout { number: Number::U32, components: 1 }, &[0; 12]);
        assert!(error_of(&uneven).to_string().contains("not equally long"));
    }

    #[test]
    fn uneven_columns_are_not_written() {
        let (state, mut particles) = (state(5), particles(4));
        particles.density.pop();
        let checkpoint =
            CheckpointRef { version: "", instruction_set: "", state: &state, particles: &particles, caller: &[] };
        assert!(write(&mut Vec::new(), &checkpoint).is_err());
    }

    #[test]
    fn full_disk_is_reported_wherever_it_strikes() {
        let (state, particles) = (state(5), particles(4));
        let checkpoint =
            CheckpointRef { version: "", instruction_set: "", state: &state, particles: &particles, caller: &[] };
        let mut whole = Vec::new();
        write(&mut whole, &checkpoint).unwrap();
        for room in 0..whole.len() {
            assert!(write(&mut Disk { file: Vec::new(), room }, &checkpoint).is_err(), "{room} bytes");
        }
        assert!(write(&mut Disk { file: Vec::new(), room: whole.len() }, &checkpoint).is_ok());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(noise in prop::collection::vec(any::<u8>(), 0..200), count in 0..5_u32) {
            let mut data = [MAGIC.as_slice(), &VERSION.to_le_bytes(), &count.to_le_bytes()].concat();
            data.extend(noise);
            data.extend([0; 4]);
            let _ = parse(Path::new("noise"), &with_right_checksum(data.clone()));
            let _ = parse(Path::new("noise"), &data[16..]);
        }

        #[test]
        fn overwritten_places_are_read_or_refused(at in 0..2000_usize, noise in prop::collection::vec(any::<u8>(), 1..9)) {
            let mut data = sample();
            let at = at % (data.len() - noise.len());
            data[at..at + noise.len()].copy_from_slice(&noise);
            let _ = parse(Path::new("noise"), &with_right_checksum(data));
        }
    }
}
