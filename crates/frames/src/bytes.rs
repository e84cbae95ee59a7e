//! Reading from and writing to streams of bytes.

use std::io::{self, Write};

/// Passes bytes on and keeps the checksum of all of them.
pub(crate) struct Checksummed<W> {
    inner: W,
    checksum: crc32fast::Hasher,
}

impl<W: Write> Checksummed<W> {
    pub(crate) fn new(inner: W) -> Self {
        Checksummed { inner, checksum: crc32fast::Hasher::new() }
    }

    /// Ends the stream with the checksum of everything before it.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.inner.write_all(&self.checksum.finalize().to_le_bytes())
    }
}

impl<W: Write> Write for Checksummed<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(data)?;
        self.checksum.update(&data[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// What comes before the checksum at the end of `data`, if the checksum is right.
pub(crate) fn without_checksum(data: &[u8]) -> Option<&[u8]> {
    let (contents, checksum) = data.split_last_chunk()?;
    (crc32fast::hash(contents) == u32::from_le_bytes(*checksum)).then_some(contents)
}

/// Takes values from the front of a slice; `None` when it ends too early.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// A count of things in memory; `None` also when there cannot be so many.
    pub(crate) fn count(&mut self) -> Option<usize> {
        self.u64().and_then(|count| usize::try_from(count).ok())
    }
}
