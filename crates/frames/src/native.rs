//! The native frame format, `.thixo`; `docs/frame-format.md` describes it byte by byte.
//!
//! A header of 64 bytes, a record of 64 bytes for each column, the columns (each from a multiple of 64 bytes on),
//! the checksum of all that. Where a column lies follows from the columns before it, so what the records say
//! about that is for simple readers; this one believes a file only if it says what we would have written.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use thixo_sim::Particles;

use crate::bytes::{Checksummed, Cursor, without_checksum};
use crate::frame::{Column, ColumnValues, Contents, Frame, FrameError, FrameInfo};
use crate::layout::{Layout, Number, read_numbers, write_rows};
use crate::whole;

/// First byte not ASCII, last ones a line end: a file that was sent as text shows it here already.
const MAGIC: &[u8; 8] = b"\x89thixf\r\n";
const VERSION: u32 = 1;
const HEADER_SIZE: usize = 64;
const RECORD_SIZE: usize = 64;
const NAME_SIZE: usize = 32;
const UNIT_SIZE: usize = 16;
/// Columns begin at multiples of this, so that mapped memory suits any vector instruction.
const ALIGNMENT: usize = 64;
const CHECKSUM_SIZE: usize = 4;

// A name or unit that does not fit its record stops the build, not a run.
const _: () = {
    let mut k = 0;
    while k < Particles::COLUMNS.len() {
        assert!(Particles::COLUMNS[k].name.len() <= NAME_SIZE, "the name of a column is too long for frames");
        assert!(Particles::COLUMNS[k].unit.len() <= UNIT_SIZE, "the unit of a column is too long for frames");
        k += 1;
    }
};

/// Writes the first `movable` particles as a frame in the native format.
pub fn write_native(path: &Path, info: FrameInfo, particles: &Particles, movable: usize) -> Result<(), FrameError> {
    let contents = Contents::new(path, info, particles, movable)?;
    Ok(whole::write(path, |out| write(out, &contents))?)
}

/// Reads a frame in the native format.
pub fn read_native(path: &Path) -> Result<Frame, FrameError> {
    let data = fs::read(path).map_err(|cause| FrameError::Read { path: path.into(), cause })?;
    parse(path, &data)
}

fn write(out: &mut dyn Write, contents: &Contents<'_>) -> io::Result<()> {
    let Contents { info, rows, columns } = contents;
    let layouts: Vec<Layout> = columns.iter().map(|(_, values)| Layout::of(values)).collect();
    let Some(places) = Places::of(&layouts, rows.len()) else {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the frame is larger than a file can be"));
    };

    let mut out = BufWriter::with_capacity(1 << 16, Checksummed::new(out));
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&(columns.len() as u32).to_le_bytes())?;
    out.write_all(&(rows.len() as u64).to_le_bytes())?;
    out.write_all(&info.frame.to_le_bytes())?;
    out.write_all(&info.time.to_le_bytes())?;
    out.write_all(&(places.file_size as u64).to_le_bytes())?;
    out.write_all(&[0; 16])?;
    for (((column, _), layout), &offset) in columns.iter().zip(&layouts).zip(&places.offsets) {
        out.write_all(&padded::<NAME_SIZE>(column.name))?;
        out.write_all(&padded::<UNIT_SIZE>(column.unit))?;
        out.write_all(layout.number.code())?;
        out.write_all(&layout.components.to_le_bytes())?;
        out.write_all(&(offset as u64).to_le_bytes())?;
    }
    for ((_, values), layout) in columns.iter().zip(&layouts) {
        write_rows(&mut out, *values, rows.iter().copied())?;
        let size = rows.len() * layout.row_size();
        out.write_all(&[0; ALIGNMENT][..size.next_multiple_of(ALIGNMENT) - size])?;
    }
    out.into_inner()?.finish()
}

fn parse(path: &Path, data: &[u8]) -> Result<Frame, FrameError> {
    let damaged = |cause| FrameError::Damaged { path: path.into(), cause };
    let truncated = |expected| FrameError::Truncated { path: path.into(), found: data.len() as u64, expected };
    let too_short = || truncated((HEADER_SIZE + CHECKSUM_SIZE) as u64);

    let mut header = Cursor(data);
    let magic = header.take(MAGIC.len().min(data.len())).unwrap_or_default();
    if !MAGIC.starts_with(magic) {
        return Err(FrameError::NotAFrame { path: path.into() });
    }
    let version = header.u32().ok_or_else(too_short)?;
    if version > VERSION {
        // Only if it really is newer: a flipped bit must not send anyone looking for an update.
        without_checksum(data).ok_or_else(|| damaged("its checksum is wrong"))?;
        return Err(FrameError::NewerVersion { path: path.into(), found: version, known: VERSION });
    }
    let header = Header::parse(header).ok_or_else(too_short)?;
    if (data.len() as u64) < header.file_size {
        return Err(truncated(header.file_size));
    }
    without_checksum(data).ok_or_else(|| damaged("its checksum is wrong"))?;
    // The checksum rules out accidents; what follows rules out files made to mislead.
    if version != VERSION {
        return Err(damaged("it has a version that never existed"));
    }
    let columns = header.columns(data).ok_or_else(|| damaged("its header contradicts itself"))?;
    Ok(Frame { info: header.info, columns })
}

struct Header {
    columns: u32,
    particles: u64,
    info: FrameInfo,
    file_size: u64,
}

impl Header {
    /// Reads what follows the version.
    fn parse(mut cursor: Cursor<'_>) -> Option<Header> {
        Some(Header {
            columns: cursor.u32()?,
            particles: cursor.u64()?,
            info: FrameInfo { frame: cursor.u64()?, time: cursor.f64()? },
            file_size: cursor.u64()?,
        })
    }

    /// Reads the columns out of the whole file, if they lie where they must.
    fn columns(&self, data: &[u8]) -> Option<Vec<Column>> {
        let particles = usize::try_from(self.particles).ok()?;
        let table_size = (self.columns as usize).checked_mul(RECORD_SIZE)?;
        let table = data.get(HEADER_SIZE..)?.get(..table_size)?;
        let records: Vec<Record> = table.chunks(RECORD_SIZE).map(Record::parse).collect::<Option<_>>()?;
        let layouts: Vec<Layout> = records.iter().map(|record| record.layout).collect();
        let places = Places::of(&layouts, particles)?;
        let offsets_agree = records.iter().map(|record| record.offset).eq(places.offsets);
        if !offsets_agree || places.file_size != data.len() || self.file_size != data.len() as u64 {
            return None;
        }
        records.into_iter().map(|record| record.column(data, particles)).collect()
    }
}

struct Record {
    name: String,
    unit: String,
    layout: Layout,
    offset: usize,
}

impl Record {
    fn parse(record: &[u8]) -> Option<Record> {
        let mut cursor = Cursor(record);
        let name = unpadded(cursor.take(NAME_SIZE)?)?;
        let unit = unpadded(cursor.take(UNIT_SIZE)?)?;
        let number = Number::from_code(cursor.take(4)?)?;
        let components = cursor.u32().filter(|components| [1, 3].contains(components))?;
        Some(Record { name, unit, layout: Layout { number, components }, offset: cursor.count()? })
    }

    fn column(self, data: &[u8], particles: usize) -> Option<Column> {
        let Record { name, unit, layout, offset } = self;
        let values = data.get(offset..)?.get(..particles.checked_mul(layout.row_size())?)?;
        let values = match layout.number {
            Number::F32 => ColumnValues::F32(read_numbers(values, f32::from_le_bytes)),
            Number::F64 => ColumnValues::F64(read_numbers(values, f64::from_le_bytes)),
            Number::U32 => ColumnValues::U32(read_numbers(values, u32::from_le_bytes)),
            Number::U8 => return None,
        };
        Some(Column { name, unit, components: layout.components as usize, values })
    }
}

/// Where everything lies in a file.
struct Places {
    offsets: Vec<usize>,
    file_size: usize,
}

impl Places {
    /// `None` if there is more than can be addressed.
    fn of(layouts: &[Layout], particles: usize) -> Option<Places> {
        let mut end = RECORD_SIZE.checked_mul(layouts.len())?.checked_add(HEADER_SIZE)?;
        let mut offsets = Vec::with_capacity(layouts.len());
        for layout in layouts {
            offsets.push(end);
            let size = particles.checked_mul(layout.row_size())?.checked_next_multiple_of(ALIGNMENT)?;
            end = end.checked_add(size)?;
        }
        Some(Places { offsets, file_size: end.checked_add(CHECKSUM_SIZE)? })
    }
}

/// A text followed by zeros. That it fits is checked when the program is built.
fn padded<const SIZE: usize>(text: &str) -> [u8; SIZE] {
    std::array::from_fn(|k| text.as_bytes().get(k).copied().unwrap_or(0))
}

fn unpadded(field: &[u8]) -> Option<String> {
    let text = field.split(|&byte| byte == 0).next()?;
    String::from_utf8(text.to_vec()).ok()
}
