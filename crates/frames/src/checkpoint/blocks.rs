//! The blocks a checkpoint is made of: named, compressed, each with its own checksum.
//!
//! Before it is compressed, a block is transposed: all first bytes of its rows, then all second bytes, and so on.
//! Signs and exponents of neighbouring particles are nearly the same, and like stands by like: this about halves
//! noisy smooth data, from which zstd alone gains next to nothing.

use std::io::{self, Read, Write};

use crate::bytes::Cursor;
use crate::layout::{Layout, Number};

/// Of zstd: the fastest. Checkpoints are written far more often than read, and most are never read.
const COMPRESSION_LEVEL: i32 = 1;

/// A block read from a checkpoint.
pub(super) struct Block<'a> {
    pub(super) name: &'a str,
    pub(super) layout: Layout,
    pub(super) data: Vec<u8>,
}

/// Why a block cannot be read.
pub(super) enum Flaw {
    /// It ends too early.
    Truncated,
    /// It is not as it was written.
    Damaged(String),
}

pub(super) fn write_block(out: &mut impl Write, name: &str, layout: Layout, data: &[u8]) -> io::Result<()> {
    let rows = data.len() / layout.row_size();
    let stored = zstd::bulk::compress(&transposed(data, layout.row_size()), COMPRESSION_LEVEL)?;
    out.write_all(&(name.len() as u32).to_le_bytes())?;
    out.write_all(name.as_bytes())?;
    out.write_all(layout.number.code())?;
    out.write_all(&layout.components.to_le_bytes())?;
    out.write_all(&(rows as u64).to_le_bytes())?;
    out.write_all(&(stored.len() as u64).to_le_bytes())?;
    out.write_all(&crc32fast::hash(&stored).to_le_bytes())?;
    out.write_all(&stored)
}

pub(super) fn read_block<'a>(cursor: &mut Cursor<'a>) -> Result<Block<'a>, Flaw> {
    let stored = Stored::take(cursor).ok_or(Flaw::Truncated)?;
    let name = std::str::from_utf8(stored.name).map_err(|_| Flaw::Damaged("the name of a block is no text".into()))?;
    let damaged = |cause: &str| Flaw::Damaged(format!("block `{name}` {cause}"));
    if crc32fast::hash(stored.data) != stored.checksum {
        return Err(damaged("has a wrong checksum"));
    }
    let number = Number::from_code(stored.number).ok_or_else(|| damaged("is of an unknown type"))?;
    let components = Some(stored.components).filter(|components| (1..=9).contains(components));
    let components = components.ok_or_else(|| damaged("has rows of impossible length"))?;
    let layout = Layout { number, components };
    let size = stored.rows.checked_mul(layout.row_size()).ok_or_else(|| damaged("is impossibly large"))?;
    let data = decompressed(stored.data, size).ok_or_else(|| damaged("cannot be decompressed"))?;
    Ok(Block { name, layout, data: transposed(&data, stored.rows) })
}

/// A block as it lies in the file.
struct Stored<'a> {
    name: &'a [u8],
    number: &'a [u8],
    components: u32,
    rows: usize,
    checksum: u32,
    data: &'a [u8],
}

impl<'a> Stored<'a> {
    fn take(cursor: &mut Cursor<'a>) -> Option<Stored<'a>> {
        let name_size = cursor.u32()?;
        let name = cursor.take(name_size as usize)?;
        let number = cursor.take(4)?;
        let (components, rows, size, checksum) = (cursor.u32()?, cursor.count()?, cursor.count()?, cursor.u32()?);
        Some(Stored { name, number, components, rows, checksum, data: cursor.take(size)? })
    }
}

/// `None` if it is not exactly `size` bytes. The memory grows with what is really there, whatever `size` claims.
fn decompressed(stored: &[u8], size: usize) -> Option<Vec<u8>> {
    let decoder = zstd::stream::read::Decoder::with_buffer(stored).ok()?;
    let mut data = Vec::new();
    decoder.take((size as u64).checked_add(1)?).read_to_end(&mut data).ok()?;
    (data.len() == size).then_some(data)
}

/// The matrix whose rows are `columns` bytes each, its columns made rows.
fn transposed(data: &[u8], columns: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    for column in 0..columns {
        out.extend(data.chunks_exact(columns).map(|row| row[column]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(layout: Layout, data: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        write_block(&mut out, "block", layout, data).unwrap();
        out
    }

    #[test]
    fn blocks_of_any_shape_come_back() {
        for (number, components) in [(Number::U8, 1), (Number::U32, 1), (Number::F32, 3), (Number::F64, 3)] {
            let layout = Layout { number, components };
            for rows in [0, 1, 2, 1000] {
                let data: Vec<u8> = (0..rows * layout.row_size()).map(|k| (k * k) as u8).collect();
                let stored = stored(layout, &data);
                let mut cursor = Cursor(&stored);
                let Ok(block) = read_block(&mut cursor) else { panic!("{layout:?}, {rows} rows") };
                assert!(cursor.0.is_empty());
                assert_eq!((block.name, block.layout, block.data), ("block", layout, data));
            }
        }
    }

    #[test]
    fn noisy_smooth_numbers_shrink_by_a_third_because_of_the_transposition() {
        let noise = |k: u32| f64::from(k.wrapping_mul(2654435761) >> 16) / 65536.0;
        let values = (0..30_000).map(|k| (1.0 + 0.2 * (f64::from(k) * 1e-3).sin() + 1e-3 * noise(k)) as f32);
        let data: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        let layout = Layout { number: Number::F32, components: 1 };
        assert!(3 * stored(layout, &data).len() < 2 * data.len());
        assert!(3 * stored(Layout::BYTES, &data).len() > 2 * data.len());
    }
}
