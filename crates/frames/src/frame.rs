//! Frames: the particles of all bodies at one instant, for others to look at.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thixo_sim::measure::DerivedColumn;
use thixo_sim::{ColumnInfo, Particles, Values, Whose};

use crate::rigid::RigidState;
use crate::whole::{self, WriteError, plain_cause};
use crate::{native, vtk};

/// Which instant a frame shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameInfo {
    /// Its number; 0 is the initial state.
    pub frame: u64,
    /// Simulated time [s].
    pub time: f64,
}

/// A frame read from a file: one row per particle, sorted by `id`.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Which instant it shows.
    pub info: FrameInfo,
    /// Its columns, all with the same number of rows.
    pub columns: Vec<Column>,
    /// The rigid bodies, by index.
    pub rigid: Vec<RigidState>,
}

impl Frame {
    /// How many particles it has.
    pub fn particles(&self) -> usize {
        self.columns.first().map_or(0, Column::rows)
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// One quantity of all particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is: `velocity`.
    pub name: String,
    /// Its SI unit: `m/s`; `-` for a plain number.
    pub unit: String,
    /// Numbers per particle: 1, or 3 for a vector.
    pub components: usize,
    /// The numbers, particle after particle.
    pub values: ColumnValues,
}

impl Column {
    /// How many particles it describes.
    pub fn rows(&self) -> usize {
        let numbers = match &self.values {
            ColumnValues::F32(values) => values.len(),
            ColumnValues::F64(values) => values.len(),
            ColumnValues::U32(values) => values.len(),
        };
        numbers / self.components.max(1)
    }
}

/// The numbers of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision: frames of a program built with the feature `f64`.
    F64(Vec<f64>),
    /// Indices.
    U32(Vec<u32>),
}

/// A file format for frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Our own, `.thixo`: plain columns that can be mapped into memory.
    Native,
    /// VTK XML polygonal data, `.vtp`: ParaView and everything built on VTK.
    Vtk,
}

impl Format {
    /// Every format there is.
    pub const fn all() -> &'static [Format] {
        &[Format::Native, Format::Vtk]
    }

    /// What scenes call it.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Native => "native",
            Format::Vtk => "vtk",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        Format::all().iter().copied().find(|format| format.name() == name)
    }

    /// How its files end, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Native => "thixo",
            Format::Vtk => "vtp",
        }
    }
}

/// Writes the first `movable` particles as a frame.
pub fn write_frame(
    format: Format,
    path: &Path,
    info: FrameInfo,
    particles: &Particles,
    movable: usize,
) -> Result<(), FrameError> {
    write_frame_with(format, path, info, (particles, movable), (&[], &[]))
}

/// The same with columns that follow from others, each with a row for every particle that is written, and with the rigid bodies.
pub fn write_frame_with(
    format: Format,
    path: &Path,
    info: FrameInfo,
    (particles, movable): (&Particles, usize),
    (derived, rigid): (&[DerivedColumn], &[RigidState]),
) -> Result<(), FrameError> {
    let contents = Contents { rigid, ..Contents::with(path, info, (particles, derived), movable)? };
    Ok(whole::write(path, |out| match format {
        Format::Native => native::write(out, &contents),
        Format::Vtk => vtk::write(out, &contents),
    })?)
}

/// Where a frame lies in the folder that holds the frames: `000012.thixo`.
pub fn frame_path(folder: &Path, frame: u64, format: Format) -> PathBuf {
    folder.join(format!("{frame:06}.{}", format.extension()))
}

/// Every frame of that format in `folder`, by number. Other files are passed over.
pub fn list_frames(folder: &Path, format: Format) -> io::Result<Vec<(u64, PathBuf)>> {
    list_numbered(folder, |number| frame_path(folder, number, format))
}

/// Every file in `folder` that is called as `path_of` its number says, by number.
pub fn list_numbered(folder: &Path, path_of: impl Fn(u64) -> PathBuf) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        if let Some(number) = number.filter(|&number| path == path_of(number)) {
            found.push((number, path));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A frame that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file could not be read.
    #[error("cannot read {}: {}", .path.display(), plain_cause(.cause))]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        cause: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a thixo frame: it begins with other bytes", .path.display())]
    NotAFrame {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later program.
    #[error(
        "{} is written in version {found} of the frame format, and this program knows version {known}; update thixo",
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
    /// The end of the file is missing.
    #[error("{} is cut short: it has {found} bytes of {expected}; copy it again, or run the scene again", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes it has.
        found: u64,
        /// Bytes it should have.
        expected: u64,
    },
    /// The file is not as it was written.
    #[error("{} is damaged: {cause}; copy it again, or run the scene again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        cause: &'static str,
    },
    /// The particles to be written are no frame.
    #[error(
        "cannot write {}: {movable} of {particles} particles were asked for, from columns that need not be equally long",
        .path.display()
    )]
    UnevenColumns {
        /// The file.
        path: PathBuf,
        /// How many particles should be written.
        movable: usize,
        /// How many there are.
        particles: usize,
    },
}

/// The rows and columns that make a frame, whatever its format.
pub(crate) struct Contents<'a> {
    pub(crate) info: FrameInfo,
    /// Where each particle is, by ascending `id`.
    pub(crate) rows: Vec<usize>,
    pub(crate) columns: Vec<(ColumnInfo<'a>, Values<'a>)>,
    pub(crate) rigid: &'a [RigidState],
}

impl<'a> Contents<'a> {
    pub(crate) fn new(
        path: &Path,
        info: FrameInfo,
        particles: &'a Particles,
        movable: usize,
    ) -> Result<Self, FrameError> {
        Self::with(path, info, (particles, &[]), movable)
    }

    pub(crate) fn with(
        path: &Path,
        info: FrameInfo,
        (particles, derived): (&'a Particles, &'a [DerivedColumn]),
        movable: usize,
    ) -> Result<Self, FrameError> {
        let is_short = |column: &DerivedColumn| match column.values() {
            Values::Scalar(values) => values.len() < movable,
            Values::Vector(values) => values.len() < movable,
            Values::Index(values) => values.len() < movable,
        };
        if !particles.is_consistent() || movable > particles.len() || derived.iter().any(is_short) {
            return Err(FrameError::UnevenColumns { path: path.into(), movable, particles: particles.len() });
        }
        let mut rows: Vec<usize> = (0..movable).collect();
        rows.sort_unstable_by_key(|&row| particles.id[row]);
        let derived = derived.iter().map(|column| (column.info, column.values()));
        let columns = particles.columns().filter(|(column, _)| column.whose == Whose::All).chain(derived).collect();
        Ok(Contents { info, rows, columns, rigid: &[] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_listed_by_number_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["1000000.thixo", "000010.thixo", "000002.thixo"];
        let others = [".000003.thixo.tmp", "000004.vtp", "5.thixo", "x.thixo", "000006", "+00007.thixo"];
        for name in names.iter().chain(&others) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = list_frames(folder.path(), Format::Native).unwrap();
        let expected = [2, 10, 1_000_000].map(|frame| (frame, frame_path(folder.path(), frame, Format::Native)));
        assert_eq!(found, expected);
    }

    #[test]
    fn formats_are_found_by_their_names() {
        for &format in Format::all() {
            assert_eq!(Format::named(format.name()), Some(format));
        }
        assert_eq!(Format::named("bgeo"), None);
    }
}
