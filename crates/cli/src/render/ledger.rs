//! Which pictures of an album are there already, and whether they still look as they should.
//!
//! Beside the pictures lies a record of how they look. Each picture says which file it was made of and by which record, so
//! that pictures of a run that has gone on, say, are drawn again one by one. Nothing of another look is touched.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;
use thixo_frames::whole;
use thixo_render::Image;

use super::album::{Album, is_same, name};
use crate::failure::{Failure, plain};
use crate::run::folder::Folder;

/// The pictures of one look, locked for this process.
pub(super) struct Ledger {
    album: Album,
    /// How a picture says by which record it was drawn.
    mark: String,
    /// Held until the end; the system drops it however the process ends.
    _lock: Option<File>,
}

impl Ledger {
    /// Opens the album for the scene's own look. What an edited scene or an older version left there of another look gets a
    /// folder of its own.
    pub(super) fn own(run: &Folder, record: &str) -> Result<Ledger, Failure> {
        let make_room = |album: &Album, found: Option<Value>, look: &Value| {
            let Some(found) = found else { return Ok(()) };
            let name = name(&found["request"], &look["request"]);
            let other = Album::named(run, &name, &found);
            album.move_to(&other).map_err(|cause| unwritable(other.images(), &cause))
        };
        Ledger::open(Album::own(run), record, make_room)
    }

    /// Opens an album for another look than the scene's own: where the user wants it, or under a name.
    pub(super) fn other(run: &Folder, own: &Value, record: &str, output: Option<&Path>) -> Result<Ledger, Failure> {
        let album = match output {
            Some(folder) => chosen(folder)?,
            None => {
                let look = parse(record);
                Album::named(run, &name(&look["request"], own), &look)
            }
        };
        let refuse = |album: &Album, found: Option<Value>, _: &Value| match found.is_none() && album.is_empty() {
            true => Ok(()),
            false => Err(Failure::BadInput(format!(
                "{} holds pictures of another look or another run, which would be lost; choose another folder with `-o`",
                album.images().display()
            ))),
        };
        Ledger::open(album, record, refuse)
    }

    /// Opens an album. `make_room` deals with pictures of another look, or of one that nobody knows.
    fn open(
        album: Album,
        record: &str,
        make_room: impl Fn(&Album, Option<Value>, &Value) -> Result<(), Failure>,
    ) -> Result<Ledger, Failure> {
        let failed = |cause: io::Error| unwritable(album.images(), &cause);
        fs::create_dir_all(album.images()).map_err(failed)?;
        let lock = lock(album.images())?;
        let (found, look) = (album.look(), parse(record));
        if !found.as_ref().is_some_and(|found| is_same(found, &look)) {
            make_room(&album, found, &look)?;
        }
        album.remove_leftovers().map_err(failed)?;
        if !fs::read_to_string(album.record()).is_ok_and(|old| old == record) {
            whole::write(&album.record(), |out| out.write_all(record.as_bytes()))
                .map_err(|error| Failure::Failed(error.to_string()))?;
        }
        let mark = format!("drawn by look {:08x}", crc32fast::hash(record.as_bytes()));
        Ok(Ledger { album, mark, _lock: lock })
    }

    /// Where the pictures lie.
    pub(super) fn album(&self) -> &Album {
        &self.album
    }

    /// What a picture that was made of a source says of itself.
    pub(super) fn stamp(&self, source: Option<&str>) -> String {
        format!("{}, {}", source.unwrap_or_default(), self.mark)
    }

    /// Is there a picture of a frame, made of this source? Where the source is gone, any will do: there is no other.
    pub(super) fn has(&self, number: u64, source: Option<&str>) -> bool {
        let picture = self.album.picture(number);
        match source {
            None => picture.is_file(),
            Some(_) => stamp(&picture).is_some_and(|found| found == self.stamp(source)),
        }
    }

    /// All pictures that look as they should, in the order of their frames.
    pub(super) fn pictures(&self) -> io::Result<Vec<PathBuf>> {
        let pictures = self.album.pictures()?.into_iter().map(|(_, path)| path);
        Ok(pictures.filter(|path| stamp(path).is_some_and(|found| found.ends_with(&self.mark))).collect())
    }

    /// Removes the picture of a frame, if it is there.
    pub(super) fn remove(&self, number: u64) -> Result<(), String> {
        let picture = self.album.picture(number);
        match fs::remove_file(&picture) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                Err(format!("cannot remove {}: {}", picture.display(), plain(&cause)))
            }
            _ => Ok(()),
        }
    }
}

/// The album in a folder that the user chose.
fn chosen(folder: &Path) -> Result<Album, Failure> {
    let refused = |why: &str| {
        let name = folder.display();
        Failure::BadInput(format!("cannot draw into {name}: {why}; choose another folder with `-o`"))
    };
    if Folder::new(folder).is_run() {
        return Err(refused("it is the folder of a run"));
    }
    fs::create_dir_all(folder).map_err(|cause| refused(&plain(&cause)))?;
    Ok(Album::apart(folder.to_owned()))
}

/// What a picture says of itself.
fn stamp(picture: &Path) -> Option<String> {
    Image::read_source(BufReader::new(File::open(picture).ok()?))
}

fn parse(record: &str) -> Value {
    // It was written by this program a moment ago.
    serde_json::from_str(record).unwrap_or_default()
}

fn unwritable(folder: &Path, cause: &io::Error) -> Failure {
    Failure::Failed(format!("cannot write into {}: {}", folder.display(), plain(cause)))
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
    use thixo_render::{Camera, Light, Picture, Size, Vec3, View};

    const BLUE: &str = r#"{ "request": { "style": "blue" }, "range": 1 }"#;
    const RED: &str = r#"{ "request": { "style": "red" }, "range": 1 }"#;

    /// Something that passes for a picture.
    fn draw(ledger: &Ledger, number: u64) {
        let camera = Camera { from: Vec3::Z, look_at: Vec3::ZERO, up: Vec3::Y, view: View::Parallel(1.0) };
        let picture = Picture::new(Light::studio(-Vec3::Z, Vec3::Y));
        let image = picture.draw(&camera, Size { width: 1, height: 1 }).unwrap();
        let file = File::create(ledger.album().picture(number)).unwrap();
        image.write_png(file, &ledger.stamp(Some("frame"))).unwrap();
    }

    #[test]
    fn pictures_stay_whatever_the_look() {
        let root = tempfile::tempdir().unwrap();
        let run = Folder::new(root.path());
        let ledger = Ledger::own(&run, BLUE).unwrap();
        draw(&ledger, 3);
        assert!(
            ledger.has(3, None) && ledger.has(3, Some("frame")) && !ledger.has(3, Some("f")) && !ledger.has(4, None)
        );
        let at = |name: &str| root.path().join(name);
        fs::write(at("images/mine.png"), "not ours").unwrap();
        fs::write(at("images/.000004.png.tmp"), "half").unwrap();
        assert!(matches!(Ledger::own(&run, BLUE), Err(Failure::BadInput(_))));
        drop(ledger);
        let ledger = Ledger::own(&run, BLUE).unwrap();
        assert!(ledger.has(3, Some("frame")) && !at("images/.000004.png.tmp").exists());
        // Another look has another folder.
        let red = Ledger::other(&run, &parse(BLUE)["request"], RED, None).unwrap();
        assert_eq!(red.album().images(), at("images/red"));
        assert!(!red.has(3, None) && ledger.has(3, Some("frame")));
        drop((ledger, red));
        // What follows from the run has changed: what is there must be drawn again.
        let ledger = Ledger::own(&run, &BLUE.replace('1', "2")).unwrap();
        assert!(ledger.has(3, None) && !ledger.has(3, Some("frame")) && ledger.pictures().unwrap().is_empty());
        draw(&ledger, 4);
        assert_eq!(ledger.pictures().unwrap(), [at("images/000004.png")]);
        drop(ledger);
        // The scene was edited: what it wanted before moves away.
        fs::write(at("film.gif"), "film").unwrap();
        let ledger = Ledger::own(&run, RED).unwrap();
        assert!(ledger.album().is_empty() && at("images/mine.png").is_file());
        for name in ["000003.png", "000004.png", "film.gif", "look.json"] {
            assert!(at("images/blue").join(name).is_file(), "{name}");
        }
    }

    #[test]
    fn who_chooses_a_folder_loses_nothing_in_it() {
        let root = tempfile::tempdir().unwrap();
        let (run, mine) = (Folder::new(&root.path().join("x")), root.path().join("mine"));
        let open = |record: &str| Ledger::other(&run, &Value::Null, record, Some(&mine));
        draw(&open(BLUE).unwrap(), 1);
        assert!(open(BLUE).unwrap().has(1, Some("frame")));
        assert!(matches!(open(RED), Err(Failure::BadInput(_))));
        assert!(matches!(open(&BLUE.replace('}', ", \"run\": \"y\" }")), Err(Failure::BadInput(_))));
        fs::remove_file(mine.join("look.json")).unwrap();
        assert!(matches!(open(BLUE), Err(Failure::BadInput(_))));
        fs::write(mine.join("run.toml"), "").unwrap();
        fs::remove_file(mine.join("000001.png")).unwrap();
        assert!(matches!(open(BLUE), Err(Failure::BadInput(_))));
    }
}
