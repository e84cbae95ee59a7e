//! A file that grows by whole rows.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use thixo_frames::whole::WriteError;

/// A text file that grows by whole rows and can be cut back to an earlier length.
#[derive(Debug)]
pub(crate) struct Rows {
    path: PathBuf,
    /// Open for appending.
    file: File,
    length: u64,
}

impl Rows {
    /// The rows of a file that is open for appending.
    pub(crate) fn new(path: PathBuf, file: File) -> Result<Rows, WriteError> {
        match file.metadata() {
            Ok(metadata) => Ok(Rows { length: metadata.len(), path, file }),
            Err(cause) => Err(WriteError { path, cause }),
        }
    }

    /// Bytes so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Adds a row, which ends with a line break, or nothing at all.
    pub(crate) fn append(&mut self, row: &[u8]) -> Result<(), WriteError> {
        // One write per row, not buffered: what a killed run leaves ends with a whole row.
        self.file.write_all(row).map_err(|cause| {
            // A full disk may have taken a part of the row.
            let _ = self.file.set_len(self.length);
            self.failed(cause)
        })?;
        self.length += row.len() as u64;
        Ok(())
    }

    /// Forgets all rows after the first `length` bytes. Says whether there were that many.
    pub(crate) fn cut(&mut self, length: u64) -> Result<bool, WriteError> {
        let is_whole = self.length >= length;
        let length = length.min(self.length);
        self.file.set_len(length).map_err(|cause| self.failed(cause))?;
        self.length = length;
        Ok(is_whole)
    }

    /// Returns when the rows are on the disk.
    pub(crate) fn synchronise(&self) -> Result<(), WriteError> {
        self.file.sync_data().map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: io::Error) -> WriteError {
        WriteError { path: self.path.clone(), cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_can_be_cut_back_and_grow_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let open = || File::options().append(true).create(true).open(&path).unwrap();
        let mut rows = Rows::new(path.clone(), open()).unwrap();
        rows.append(b"one\n").unwrap();
        rows.append(b"two\n").unwrap();
        let mut rows = Rows::new(path.clone(), open()).unwrap();
        assert_eq!(rows.length(), 8);
        assert!(rows.cut(4).unwrap());
        rows.append(b"three\n").unwrap();
        assert!(!rows.cut(1000).unwrap());
        rows.synchronise().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one\nthree\n");
    }
}
