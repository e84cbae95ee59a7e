//! Whole or absent: a file appears under its name only when all of it is on the disk.
//!
//! The contents go to a temporary file beside it, which is synchronised with the disk and then renamed. Whoever looks, at any
//! moment, even after a power cut, finds the old file, the new one, or none; never a part of one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that could not be written. Nothing of it is left behind.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {}; {}", .path.display(), plain_cause(.cause), remedy(.cause))]
pub struct WriteError {
    /// The file, under its final name.
    pub path: PathBuf,
    /// What went wrong.
    pub cause: io::Error,
}

/// A file that could not be removed.
#[derive(Debug, thiserror::Error)]
#[error("cannot remove {}: {}; {}", .path.display(), plain_cause(.cause), remedy(.cause))]
pub struct RemoveError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub cause: io::Error,
}

/// Writes a file with the contents that `fill` produces, or no file at all.
///
/// The folder must exist. An existing file of the same name is replaced at the last moment.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    write_through(path, fill, |file| file)
}

/// Removes a file.
pub fn remove(path: &Path) -> Result<(), RemoveError> {
    fs::remove_file(path).map_err(|cause| RemoveError { path: path.into(), cause })
}

/// Removes the temporary files that a killed run left in `folder`, and says how many there were.
/// A folder that does not exist has none.
pub fn remove_leftovers(folder: &Path) -> Result<usize, RemoveError> {
    let failed = |cause| RemoveError { path: folder.into(), cause };
    let entries = match fs::read_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(failed)?,
    };
    let mut removed = 0;
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_temporary(&entry.file_name()) {
            remove(&entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Is this the name of a file that is still being written, or that a killed run left behind?
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.len() > PREFIX.len() + SUFFIX.len() && name.starts_with(PREFIX.as_bytes()) && name.ends_with(SUFFIX.as_bytes())
}

const PREFIX: &str = ".";
const SUFFIX: &str = ".tmp";

/// As `write`, with something between the contents and the file: tests put a full disk there.
fn write_through<W: Write>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    through: impl FnOnce(File) -> W,
) -> Result<(), WriteError> {
    let failed = |cause| WriteError { path: path.into(), cause };
    let temporary = temporary_path(path).map_err(failed)?;
    write_and_rename(path, &temporary, fill, through).map_err(|cause| {
        // The first error is the one to report; that the file may be gone already is no news.
        let _ = fs::remove_file(&temporary);
        failed(cause)
    })
}

fn write_and_rename<W: Write>(
    path: &Path,
    temporary: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    through: impl FnOnce(File) -> W,
) -> io::Result<()> {
    let file = File::create(temporary)?;
    let mut writer = BufWriter::new(through(file.try_clone()?));
    fill(&mut writer)?;
    writer.flush()?;
    file.sync_all()?;
    fs::rename(temporary, path)?;
    // The name is part of the folder, which is synchronised too where the system can do that. The file is whole
    // and has its name by now, so a folder that cannot be synchronised is no failure.
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// `frames/000012.thixo` is written as `frames/.000012.thixo.tmp`, in the same folder because a rename must not
/// cross from one disk to another.
fn temporary_path(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut temporary = OsString::from(PREFIX);
    temporary.push(name);
    temporary.push(SUFFIX);
    Ok(folder_of(path).join(temporary))
}

/// The cause in the form of our messages: lowercase, without the number the system gives it.
pub(crate) fn plain_cause(cause: &io::Error) -> String {
    let text = cause.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn remedy(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space on that disk and try again",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "choose a folder you may write to",
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "make sure its folder exists",
        _ => "make sure the folder and its disk can be written to",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Disk;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn full_disk_leaves_nothing_behind_and_the_old_file_untouched() {
        // Less than a buffer holds, and more.
        for size in [10, 100_000] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("000012.thixo");
            let contents = vec![7_u8; size];
            let write_with_room =
                |room| write_through(&path, |out| out.write_all(&contents), |file| Disk { file, room });
            for room in [0, 1, size / 2, size - 1] {
                assert_eq!(write_with_room(room).unwrap_err().cause.kind(), io::ErrorKind::StorageFull);
                assert!(names(folder.path()).is_empty(), "{room} bytes of room left {:?}", names(folder.path()));
            }
            fs::write(&path, "old").unwrap();
            write_with_room(size - 1).unwrap_err();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            write_with_room(size).unwrap();
            assert_eq!(fs::read(&path).unwrap(), contents);
            assert_eq!(names(folder.path()), ["000012.thixo"]);
        }
    }

    #[test]
    fn file_is_invisible_until_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        write(&path, |out| {
            out.write_all(&vec![1; 1 << 20])?;
            let names = names(folder.path());
            assert_eq!(names, [".run.toml.tmp"]);
            assert!(is_temporary(&names[0]));
            Ok(())
        })
        .unwrap();
        assert_eq!(names(folder.path()), ["run.toml"]);
    }

    #[test]
    fn error_names_file_cause_and_remedy() {
        let path = Path::new("no/such/folder/000012.thixo");
        let error = write(path, |_| Ok(())).unwrap_err();
        let expected =
            "cannot write no/such/folder/000012.thixo: no such file or directory; make sure its folder exists";
        assert_eq!(error.to_string(), expected);
        let full = WriteError { path: "a".into(), cause: io::Error::from_raw_os_error(28) };
        let expected = "cannot write a: no space left on device; free some space on that disk and try again";
        assert_eq!(full.to_string(), expected);
        assert!(write(Path::new(".."), |_| Ok(())).unwrap_err().to_string().contains("names no file"));
    }

    #[test]
    fn file_that_cannot_take_its_name_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("000000.thixo");
        fs::create_dir(&taken).unwrap();
        write(&taken, |out| out.write_all(b"contents")).unwrap_err();
        assert_eq!(names(folder.path()), ["000000.thixo"]);
    }

    #[cfg(unix)]
    #[test]
    fn folder_that_may_not_be_written_stays_as_it_was() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        let path = folder.path().join("000000.thixo");
        // The superuser may write everywhere; then there is nothing to see.
        if let Err(error) = write(&path, |out| out.write_all(b"contents")) {
            assert!(error.to_string().ends_with("permission denied; choose a folder you may write to"), "{error}");
            assert!(names(folder.path()).is_empty());
        }
        let file = folder.path().join("000000.thixo").join("below");
        write(&file, |_| Ok(())).unwrap_err();
    }

    #[test]
    fn only_temporary_files_are_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let kept = ["000000.thixo", "notes.tmp", ".hidden", ".tmp", "run.toml"];
        for name in kept.iter().chain(&[".000001.thixo.tmp", ".run.toml.tmp"]) {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join(".folder.tmp")).unwrap();
        assert_eq!(remove_leftovers(folder.path()).unwrap(), 2);
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, [".folder.tmp", ".hidden", ".tmp", "000000.thixo", "notes.tmp", "run.toml"]);
        assert_eq!(remove_leftovers(&folder.path().join("missing")).unwrap(), 0);
    }
}
