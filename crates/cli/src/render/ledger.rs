//! The folder of pictures: which are there already, and whether they still look as they should.
//!
//! Beside the pictures lies a record of how they look. Pictures of another look are removed, its record first, so that
//! whatever is there when someone pulls the plug fits its record. Each picture says which file it was made of.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use thixo_frames::whole;
use thixo_render::Image;

use crate::failure::{Failure, plain};
use crate::run::folder::Folder;

/// The folder of pictures of a run, locked for this process.
pub(super) struct Ledger {
    folder: PathBuf,
    /// Held until the end; the system drops it however the process ends.
    _lock: Option<File>,
}

impl Ledger {
    /// Opens the folder for pictures of the recorded look. Pictures of another look are removed.
    pub(super) fn open(run: &Folder, record: &str) -> Result<Ledger, Failure> {
        let folder = run.images();
        let failed =
            |cause: io::Error| Failure::Failed(format!("cannot write into {}: {}", folder.display(), plain(&cause)));
        fs::create_dir_all(&folder).map_err(failed)?;
        let lock = lock(&folder)?;
        whole::remove_leftovers(&folder).map_err(|error| failed(error.cause))?;
        let path = folder.join("look.json");
        if fs::read_to_string(&path).is_ok_and(|old| old == record) {
            return Ok(Ledger { folder, _lock: lock });
        }
        match fs::remove_file(&path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(failed(cause)),
            _ => run.remove_pictures().map_err(failed)?,
        }
        whole::write(&path, |out| out.write_all(record.as_bytes()))
            .map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(Ledger { folder, _lock: lock })
    }

    /// Is there a picture of a frame, made of this source? Where the source is gone, any will do: there is no other.
    pub(super) fn has(&self, number: u64, source: Option<&str>) -> bool {
        let picture = self.picture(number);
        match source {
            None => picture.is_file(),
            Some(source) => {
                let found = File::open(picture).ok().and_then(|file| Image::read_source(BufReader::new(file)));
                found.is_some_and(|found| found == source)
            }
        }
    }

    /// Removes the picture of a frame, if it is there.
    pub(super) fn remove(&self, number: u64) -> Result<(), String> {
        let picture = self.picture(number);
        match fs::remove_file(&picture) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                Err(format!("cannot remove {}: {}", picture.display(), plain(&cause)))
            }
            _ => Ok(()),
        }
    }

    /// Where the picture of a frame lies.
    pub(super) fn picture(&self, number: u64) -> PathBuf {
        picture_path(&self.folder, number)
    }
}

/// Where the picture of a frame lies in the folder of pictures.
pub(crate) fn picture_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:06}.png"))
}

/// Two that write the same pictures would spoil each other's files.
fn lock(folder: &Path) -> Result<Option<File>, Failure> {
    // Where folders cannot be locked everyone must look after himself.
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let name = folder.display();
            Err(Failure::BadInput(format!("someone else draws into {name} at this moment; wait for it")))
        }
        Err(TryLockError::Error(_)) => Ok(None),
        Ok(()) => Ok(Some(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_stay_while_the_look_does() {
        let root = tempfile::tempdir().unwrap();
        let run = Folder::new(root.path());
        let ledger = Ledger::open(&run, "blue").unwrap();
        fs::write(ledger.picture(3), "picture").unwrap();
        assert!(ledger.has(3, None) && !ledger.has(3, Some("frames/000003")) && !ledger.has(4, None));
        fs::write(root.path().join("images/mine.png"), "not ours").unwrap();
        fs::write(root.path().join("images/.000004.png.tmp"), "half").unwrap();
        assert!(matches!(Ledger::open(&run, "blue"), Err(Failure::BadInput(_))));
        drop(ledger);
        let ledger = Ledger::open(&run, "blue").unwrap();
        assert!(ledger.picture(3).is_file() && !root.path().join("images/.000004.png.tmp").exists());
        drop(ledger);
        let ledger = Ledger::open(&run, "red").unwrap();
        assert!(!ledger.picture(3).exists() && root.path().join("images/mine.png").exists());
    }
}
