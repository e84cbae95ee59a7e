//! The native frame format, `.thixo`; `docs/frame-format.md` describes it byte by byte.
//!
//! A header of 64 bytes, a record of 64 bytes for each column, the columns (each from a multiple of 64 bytes on),
//! the checksum of all that. Columns of rigid bodies come last, and only with them is it version 2. Where a column lies follows from the columns before it, so what the records say
//! about that is for simple readers; this one believes a file only if it says what we would have written.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use thixo_sim::Particles;

use crate::bytes::{Checksummed, Cursor, without_checksum};
use crate::frame::{Column, ColumnValues, Contents, Frame, FrameError, FrameInfo};
use crate::layout::{Layout, Number, read_numbers, write_rows};
use crate::rigid::{self, RigidColumn, RigidState};
use crate::whole;

/// First byte not ASCII, last ones a line end: a file that was sent as text shows it here already.
const MAGIC: &[u8; 8] = b"\x89thixf\r\n";
/// Without rigid bodies, and with them: older programs read what they know.
const PLAIN: u32 = 1;
const VERSION: u32 = 2;
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

pub(crate) fn write(out: &mut dyn Write, contents: &Contents<'_>) -> io::Result<()> {
    let Contents { info, rows, columns, rigid } = contents;
    let rigid_columns: &[RigidColumn] = if rigid.is_empty() { &[] } else { &rigid::COLUMNS };
    let of_particles =
        columns.iter().map(|(column, values)| (column.name, column.unit, Layout::of(values), rows.len()));
    let of_bodies = rigid_columns.iter().map(|column| (column.name, column.unit, column.layout, rigid.len()));
    let records: Vec<_> = of_particles.chain(of_bodies).collect();
    let Some(places) = Places::of(records.iter().map(|&(.., layout, rows)| (layout, rows))) else {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the frame is larger than a file can be"));
    };

    let mut out = BufWriter::with_capacity(1 << 16, Checksummed::new(out));
    out.write_all(MAGIC)?;
    out.write_all(&(if rigid.is_empty() { PLAIN } else { VERSION }).to_le_bytes())?;
    out.write_all(&(records.len() as u32).to_le_bytes())?;
    out.write_all(&(rows.len() as u64).to_le_bytes())?;
    out.write_all(&info.frame.to_le_bytes())?;
    out.write_all(&info.time.to_le_bytes())?;
    out.write_all(&(places.file_size as u64).to_le_bytes())?;
    out.write_all(&(rigid.len() as u64).to_le_bytes())?;
    out.write_all(&(rigid_columns.len() as u32).to_le_bytes())?;
    out.write_all(&[0; 4])?;
    for (&(name, unit, layout, _), &offset) in records.iter().zip(&places.offsets) {
        out.write_all(&padded::<NAME_SIZE>(name))?;
        out.write_all(&padded::<UNIT_SIZE>(unit))?;
        out.write_all(layout.number.code())?;
        out.write_all(&layout.components.to_le_bytes())?;
        out.write_all(&(offset as u64).to_le_bytes())?;
    }
    let padding = |size: usize| &[0; ALIGNMENT][..size.next_multiple_of(ALIGNMENT) - size];
    for (_, values) in columns {
        write_rows(&mut out, *values, rows.iter().copied())?;
        out.write_all(padding(rows.len() * Layout::of(values).row_size()))?;
    }
    for column in rigid_columns {
        out.write_all(&column.bytes(rigid))?;
        out.write_all(padding(rigid.len() * column.layout.row_size()))?;
    }
    out.into_inner()?.finish()
}

pub(crate) fn parse(path: &Path, data: &[u8]) -> Result<Frame, FrameError> {
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
    if version < PLAIN {
        return Err(damaged("it has a version that never existed"));
    }
    let agrees = (version == PLAIN) == (header.rigid == (0, 0));
    let (columns, rigid) =
        agrees.then(|| header.columns(data)).flatten().ok_or_else(|| damaged("its header contradicts itself"))?;
    Ok(Frame { info: header.info, columns, rigid })
}

struct Header {
    columns: u32,
    particles: u64,
    info: FrameInfo,
    file_size: u64,
    /// How many rigid bodies there are, and how many of the columns are theirs.
    rigid: (u64, u32),
}

impl Header {
    /// Reads what follows the version.
    fn parse(mut cursor: Cursor<'_>) -> Option<Header> {
        Some(Header {
            columns: cursor.u32()?,
            particles: cursor.u64()?,
            info: FrameInfo { frame: cursor.u64()?, time: cursor.f64()? },
            file_size: cursor.u64()?,
            rigid: (cursor.u64()?, cursor.u32()?),
        })
    }

    /// Reads the columns and the rigid bodies out of the whole file, if they lie where they must.
    fn columns(&self, data: &[u8]) -> Option<(Vec<Column>, Vec<RigidState>)> {
        let (particles, bodies) = (usize::try_from(self.particles).ok()?, usize::try_from(self.rigid.0).ok()?);
        let of_particles = (self.columns as usize).checked_sub(self.rigid.1 as usize)?;
        let rows = |k: usize| if k < of_particles { particles } else { bodies };
        let table_size = (self.columns as usize).checked_mul(RECORD_SIZE)?;
        let table = data.get(HEADER_SIZE..)?.get(..table_size)?;
        let records: Vec<Record> = table.chunks(RECORD_SIZE).map(Record::parse).collect::<Option<_>>()?;
        let places = Places::of(records.iter().enumerate().map(|(k, record)| (record.layout, rows(k))))?;
        let offsets_agree = records.iter().map(|record| record.offset).eq(places.offsets);
        if !offsets_agree || places.file_size != data.len() || self.file_size != data.len() as u64 {
            return None;
        }
        let columns = records.into_iter().enumerate().map(|(k, record)| record.column(data, rows(k)));
        let mut columns: Vec<Column> = columns.collect::<Option<_>>()?;
        let rigid = columns.split_off(of_particles);
        Some((columns, rigid::states(&rigid, bodies)?))
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
        let components = cursor.u32().filter(|components| [1, 3, 4].contains(components))?;
        Some(Record { name, unit, layout: Layout { number, components }, offset: cursor.count()? })
    }

    fn column(self, data: &[u8], rows: usize) -> Option<Column> {
        let Record { name, unit, layout, offset } = self;
        let values = data.get(offset..)?.get(..rows.checked_mul(layout.row_size())?)?;
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
    fn of(columns: impl ExactSizeIterator<Item = (Layout, usize)>) -> Option<Places> {
        let mut end = RECORD_SIZE.checked_mul(columns.len())?.checked_add(HEADER_SIZE)?;
        let mut offsets = Vec::with_capacity(columns.len());
        for (layout, rows) in columns {
            offsets.push(end);
            let size = rows.checked_mul(layout.row_size())?.checked_next_multiple_of(ALIGNMENT)?;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thixo_sim::Whose;

    use super::*;
    use crate::testing::{Disk, bits, particles, with_right_checksum};

    const INFO: FrameInfo = FrameInfo { frame: 12, time: 0.24 };

    fn sample(count: usize, movable: usize) -> Vec<u8> {
        let particles = particles(count);
        let mut data = Vec::new();
        write(&mut data, &Contents::new(Path::new("a.thixo"), INFO, &particles, movable).unwrap()).unwrap();
        data
    }

    fn error_of(data: &[u8]) -> FrameError {
        parse(Path::new("a.thixo"), data).unwrap_err()
    }

    fn bytes_of(column: &Column) -> Vec<u8> {
        match &column.values {
            ColumnValues::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            ColumnValues::F64(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            ColumnValues::U32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }

    #[test]
    fn frame_holds_every_bit_of_the_bodies_sorted_by_id() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("000012.thixo");
        let particles = particles(41);
        write_native(&path, INFO, &particles, 29).unwrap();
        let frame = read_native(&path).unwrap();
        assert_eq!((frame.info, frame.particles()), (INFO, 29));

        let mut order: Vec<usize> = (0..29).collect();
        order.sort_by_key(|&row| particles.id[row]);
        let of_all = |(info, _): &(thixo_sim::ColumnInfo, _)| info.whose == Whose::All;
        let written: Vec<_> = particles.columns().zip(bits(&particles)).filter(|(column, _)| of_all(column)).collect();
        assert_eq!(written.len(), frame.columns.len());
        for (((info, values), bits), column) in written.iter().zip(&frame.columns) {
            assert_eq!((column.name.as_str(), column.unit.as_str()), (info.name, info.unit));
            let row_size = Layout::of(values).row_size();
            let expected: Vec<u8> =
                order.iter().flat_map(|&row| &bits[row * row_size..][..row_size]).copied().collect();
            assert_eq!(bytes_of(column), expected, "{}", info.name);
        }
        let Some(ColumnValues::U32(ids)) = frame.column("id").map(|column| &column.values) else { panic!("no ids") };
        assert!(ids.is_sorted());
    }

    #[test]
    fn frame_does_not_depend_on_the_order_in_memory() {
        let particles = particles(20);
        let contents = Contents::new(Path::new(""), INFO, &particles, 20).unwrap();
        let mut moved = Particles::default();
        for &row in &contents.rows {
            let mut one = particles.clone();
            one.retain(&std::array::from_fn::<bool, 20, _>(|k| k == row));
            moved.insert(0, one);
        }
        assert_ne!(moved.id, particles.id);
        let mut data = Vec::new();
        write(&mut data, &Contents::new(Path::new("elsewhere"), INFO, &moved, 20).unwrap()).unwrap();
        assert_eq!(data, sample(20, 20));
    }

    #[test]
    fn columns_begin_at_multiples_of_64_bytes() {
        let data = sample(7, 5);
        let columns = u32::from_le_bytes(data[12..16].try_into().unwrap()) as usize;
        for record in data[HEADER_SIZE..].chunks(RECORD_SIZE).take(columns) {
            assert_eq!(Record::parse(record).unwrap().offset % 64, 0);
        }
    }

    #[test]
    fn every_truncation_is_noticed() {
        let data = sample(3, 3);
        for size in 0..data.len() {
            let error = error_of(&data[..size]);
            assert!(matches!(error, FrameError::Truncated { .. }), "{size} bytes: {error}");
        }
        let expected =
            format!("a.thixo is cut short: it has 100 bytes of {}; copy it again, or run the scene again", data.len());
        assert_eq!(error_of(&data[..100]).to_string(), expected);
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let data = sample(3, 3);
        for bit in 0..8 * data.len() {
            let mut flipped = data.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let error = error_of(&flipped);
            assert!(!matches!(error, FrameError::NewerVersion { .. }), "bit {bit}: {error}");
        }
    }

    #[test]
    fn something_else_and_something_newer_are_told_apart() {
        assert_eq!(error_of(b"solid cube").to_string(), "a.thixo is not a thixo frame: it begins with other bytes");
        let mut newer = sample(3, 3);
        newer[8] = 3;
        let expected =
            "a.thixo is written in version 3 of the frame format, and this program knows version 2; update thixo";
        assert_eq!(error_of(&with_right_checksum(newer)).to_string(), expected);
    }

    #[test]
    fn header_that_lies_is_refused() {
        let lies: [(usize, &[u8]); 12] = [
            (8, &0_u32.to_le_bytes()),
            (8, &2_u32.to_le_bytes()),
            (48, &1_u64.to_le_bytes()),
            (56, &1_u32.to_le_bytes()),
            (12, &u32::MAX.to_le_bytes()),
            (16, &u64::MAX.to_le_bytes()),
            (16, &(1_u64 << 40).to_le_bytes()),
            (64 + 48, b"<f2\0"),
            (64 + 48, b"|u1\0"),
            (64 + 52, &2_u32.to_le_bytes()),
            (64 + 56, &u64::MAX.to_le_bytes()),
            (64 + 56, &64_u64.to_le_bytes()),
        ];
        for (place, lie) in lies {
            let mut data = sample(3, 3);
            data[place..place + lie.len()].copy_from_slice(lie);
            let error = error_of(&with_right_checksum(data));
            assert!(matches!(error, FrameError::Damaged { .. }), "byte {place}: {error}");
        }
    }

    #[test]
    fn particles_that_make_no_frame_are_refused() {
        let mut particles = particles(3);
        let path = Path::new("never-written");
        assert!(matches!(write_native(path, INFO, &particles, 4), Err(FrameError::UnevenColumns { .. })));
        particles.density.pop();
        assert!(matches!(write_native(path, INFO, &particles, 2), Err(FrameError::UnevenColumns { .. })));
    }

    #[test]
    fn full_disk_is_reported_wherever_it_strikes() {
        let particles = particles(3);
        let contents = Contents::new(Path::new(""), INFO, &particles, 3).unwrap();
        let size = sample(3, 3).len();
        for room in 0..size {
            assert!(write(&mut Disk { file: Vec::new(), room }, &contents).is_err(), "{room} bytes");
        }
        assert!(write(&mut Disk { file: Vec::new(), room: size }, &contents).is_ok());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(noise in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut data = [MAGIC.as_slice(), &VERSION.to_le_bytes()].concat();
            data.extend(noise);
            data.extend([0; 4]);
            let _ = parse(Path::new("noise"), &with_right_checksum(data.clone()));
            let _ = parse(Path::new("noise"), &data[12..]);
        }

        #[test]
        fn overwritten_places_are_read_or_refused(at in 0..640_usize, noise in prop::collection::vec(any::<u8>(), 1..9)) {
            let mut data = sample(3, 3);
            data[at..at + noise.len()].copy_from_slice(&noise);
            let _ = parse(Path::new("noise"), &with_right_checksum(data));
        }
    }
}
