//! The folder of a run: what lies where, who may write into it, and how it is made, taken over and cleaned.
//!
//! A run holds a lock on its `log.jsonl` as long as it lives. The system drops the lock when the process ends,
//! however it ends, so a killed run leaves none behind.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thixo_frames::{Format, list_checkpoints, list_frames, list_numbered, whole};

use crate::console::typed;
use crate::failure::{Failure, plain};
use crate::render::Album;

/// How the names of mesh files end.
const MESH_ENDINGS: [&str; 4] = ["ply", "obj", "gltf", "glb"];

/// The folder of a run.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

/// The log of a run, locked and open for appending.
pub(crate) type LockedLog = File;

impl Folder {
    /// Names only; nothing is touched.
    pub(crate) fn new(root: &Path) -> Folder {
        Folder { root: root.into() }
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The scene as run.
    pub(crate) fn run_toml(&self) -> PathBuf {
        self.root.join("run.toml")
    }

    /// A line per step.
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("log.jsonl")
    }

    /// What the probes measured, a row per step.
    pub(crate) fn probes(&self) -> PathBuf {
        self.root.join("probes.csv")
    }

    /// Where frames lie.
    pub(crate) fn frames(&self) -> PathBuf {
        self.root.join("frames")
    }

    /// Where pictures lie.
    pub(crate) fn images(&self) -> PathBuf {
        self.root.join("images")
    }

    /// The pictures of all looks, the scene's own first.
    pub(crate) fn albums(&self) -> io::Result<Vec<Album>> {
        Ok([vec![Album::own(self)], Album::others(self)?].concat())
    }

    /// What the run was like, for people.
    pub(crate) fn report(&self) -> PathBuf {
        self.root.join("report.html")
    }

    /// Where meshes of frames lie.
    pub(crate) fn surface(&self) -> PathBuf {
        self.root.join("surface")
    }

    /// Where refined points of frames lie.
    pub(crate) fn points(&self) -> PathBuf {
        self.root.join("points")
    }

    /// Where skins of bodies lie, in folders of their own.
    pub(crate) fn skins(&self) -> PathBuf {
        self.root.join("skins")
    }

    /// The skin of a body, whose folder is so called, in a frame.
    pub(crate) fn skin(&self, body: &str, number: u64, ending: &str) -> PathBuf {
        self.skins().join(body).join(format!("{number:06}.{ending}"))
    }

    /// The folders of skins.
    fn skin_folders(&self) -> io::Result<Vec<PathBuf>> {
        let Some(entries) = none_if_missing(fs::read_dir(self.skins()).map(Some))? else { return Ok(Vec::new()) };
        let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
        Ok(paths.into_iter().filter(|path| path.is_dir()).collect())
    }

    /// Where checkpoints lie.
    pub(crate) fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints")
    }

    /// Where copies of the meshes of the scene lie, seen from the folder of the run.
    pub(crate) const MESHES: &str = "meshes";

    /// Where copies of the meshes of the scene lie.
    fn meshes(&self) -> PathBuf {
        self.root.join(Folder::MESHES)
    }

    /// Refuses a folder that exists already; if it may be overwritten, one that is no run, or that is in use.
    pub(crate) fn refuse_existing(root: &Path, overwrite: bool) -> Result<(), Failure> {
        let folder = Folder::new(root);
        match fs::symlink_metadata(root) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
            Err(cause) => Err(folder.unwritable(&cause)),
            Ok(_) if overwrite && !folder.is_in_use() => folder.refuse_foreign(),
            Ok(_) => Err(folder.exists()),
        }
    }

    /// Makes the folder for a new run. An existing one is refused, or else emptied of what a run had written.
    pub(crate) fn create(root: &Path, overwrite: bool) -> Result<(Folder, LockedLog), Failure> {
        Folder::refuse_existing(root, overwrite)?;
        let folder = Folder::new(root);
        if is_missing(root) { folder.make() } else { folder.take_over() }
    }

    /// Locks the folder of a run that is to go on. Nothing is changed.
    pub(crate) fn open(root: &Path) -> Result<(Folder, LockedLog), Failure> {
        let folder = Folder::new(root);
        folder.refuse_unresumable()?;
        let log = folder.lock()?;
        folder.refuse_unwritable()?;
        Ok((folder, log))
    }

    /// A folder with `run.toml` can be resumed, no other.
    pub(crate) fn refuse_unresumable(&self) -> Result<(), Failure> {
        let name = self.root.display();
        Err(Failure::BadInput(if self.run_toml().is_file() {
            return Ok(());
        } else if self.log().is_file() {
            format!("the run in {name} was stopped before its first step; start it anew with `--overwrite`")
        } else if self.root.is_dir() {
            format!("{name} is not the folder of a run: it has no run.toml; give the folder that `thixo run -o` wrote")
        } else if self.root.is_file() {
            format!(
                "{name} is a file; give the folder that `thixo run -o` wrote, or run a scene first: thixo run SCENE"
            )
        } else {
            format!("there is no folder {name}; give the folder that `thixo run -o` wrote")
        }))
    }

    /// Is it the folder of a run?
    pub(crate) fn is_run(&self) -> bool {
        self.log().is_file() || self.run_toml().is_file()
    }

    /// Does a run work in the folder at this moment?
    pub(crate) fn is_in_use(&self) -> bool {
        let tried = File::open(self.log()).map(|log| log.try_lock_shared());
        matches!(tried, Ok(Err(TryLockError::WouldBlock)))
    }

    fn make(self) -> Result<(Folder, LockedLog), Failure> {
        let made: Vec<_> = self.root.ancestors().take_while(|path| is_missing(path)).collect();
        let undo = |cause| {
            // Only what is empty goes: `remove_dir` takes no more.
            let _ = fs::remove_file(self.log());
            [self.frames(), self.checkpoints()].iter().for_each(|path| drop(fs::remove_dir(path)));
            made.iter().for_each(|path| drop(fs::remove_dir(path)));
            self.unwritable(&cause)
        };
        let parent = self.root.parent().unwrap_or(Path::new(""));
        let parents = if parent.as_os_str().is_empty() { Ok(()) } else { fs::create_dir_all(parent) };
        match parents.and_then(|()| fs::create_dir(&self.root)) {
            // Another run was faster.
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
                made.iter().skip(1).for_each(|parent| drop(fs::remove_dir(parent)));
                return Err(self.exists());
            }
            done => done.map_err(undo)?,
        }
        // The log comes first: it is the lock, and it shows that the folder is ours.
        File::create_new(self.log()).map_err(undo)?;
        let log = self.lock()?;
        self.make_subfolders().map_err(undo)?;
        Ok((self, log))
    }

    fn take_over(self) -> Result<(Folder, LockedLog), Failure> {
        let log = self.lock()?;
        self.clear(&log).and_then(|()| self.make_subfolders()).map_err(|cause| self.unwritable(&cause))?;
        Ok((self, log))
    }

    /// What is neither empty nor the folder of a run belongs to someone else.
    fn refuse_foreign(&self) -> Result<(), Failure> {
        let mut entries = fs::read_dir(&self.root).map_err(|cause| self.unwritable(&cause))?;
        if self.is_run() || entries.next().is_none() {
            return Ok(());
        }
        let name = self.root.display();
        Err(Failure::BadInput(format!(
            "{name} is not the folder of a run and will not be overwritten; choose another folder with `-o`"
        )))
    }

    /// Removes what runs write, and nothing else.
    fn clear(&self, log: &LockedLog) -> io::Result<()> {
        // First what makes the folder resumable: half a run must not be.
        remove_if_there(&self.run_toml())?;
        for (_, checkpoint) in none_if_missing(list_checkpoints(&self.checkpoints()))? {
            fs::remove_file(checkpoint)?;
        }
        self.remove_frames_from(0)?;
        self.remove_products()?;
        self.remove_meshes()?;
        remove_if_there(&self.probes())?;
        remove_if_there(&self.report())?;
        self.albums()?.iter().try_for_each(Album::clear)?;
        self.remove_leftovers()?;
        log.set_len(0)
    }

    /// Removes what was made of the frames.
    fn remove_products(&self) -> io::Result<()> {
        remove_if_there(&self.surface().join("options.toml"))?;
        for folder in [self.surface(), self.points()] {
            for (_, product) in
                none_if_missing(list_numbered(&folder, |number| folder.join(format!("{number:06}.ply"))))?
            {
                fs::remove_file(product)?;
            }
        }
        for folder in self.skin_folders()? {
            for ending in MESH_ENDINGS {
                let name = |number| folder.join(format!("{number:06}.{ending}"));
                list_numbered(&folder, name)?.into_iter().try_for_each(|(_, skin)| fs::remove_file(skin))?;
            }
        }
        Ok(())
    }

    fn remove_meshes(&self) -> io::Result<()> {
        let Some(entries) = none_if_missing(fs::read_dir(self.meshes()).map(Some))? else { return Ok(()) };
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| MESH_ENDINGS.iter().any(|known| ending == *known)) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Removes all frames from that number on.
    pub(crate) fn remove_frames_from(&self, first: u64) -> io::Result<()> {
        for &format in Format::all() {
            for (number, frame) in none_if_missing(list_frames(&self.frames(), format))? {
                if number >= first {
                    fs::remove_file(frame)?;
                }
            }
        }
        Ok(())
    }

    /// Removes what a killed run was about to write.
    pub(crate) fn remove_leftovers(&self) -> io::Result<()> {
        self.albums()?.iter().try_for_each(Album::remove_leftovers)?;
        let folders = [self.frames(), self.checkpoints(), self.surface(), self.points()];
        for folder in folders.into_iter().chain(self.skin_folders()?).chain([self.root.clone()]) {
            whole::remove_leftovers(&folder).map_err(|error| error.cause)?;
        }
        Ok(())
    }

    fn make_subfolders(&self) -> io::Result<()> {
        fs::create_dir_all(self.frames())?;
        fs::create_dir_all(self.checkpoints())
    }

    fn lock(&self) -> Result<LockedLog, Failure> {
        let opened = File::options().append(true).create(true).open(self.log());
        let log = opened.map_err(|cause| self.unwritable(&cause))?;
        match log.try_lock() {
            Ok(()) => Ok(log),
            Err(TryLockError::WouldBlock) => {
                let name = self.root.display();
                Err(Failure::BadInput(format!("another run works in {name}; wait for it, or choose another folder")))
            }
            Err(TryLockError::Error(cause)) => Err(self.unwritable(&cause)),
        }
    }

    /// Finds out whether files can be made in all folders, before anything is changed.
    fn refuse_unwritable(&self) -> Result<(), Failure> {
        for folder in [self.root.clone(), self.frames(), self.checkpoints()] {
            // Killed right here it would leave a file that counts as left over.
            let probe = folder.join(".write-test.tmp");
            let tried = File::create(&probe).and_then(|_| fs::remove_file(&probe));
            tried.map_err(|cause| Folder::new(&folder).unwritable(&cause))?;
        }
        Ok(())
    }

    fn exists(&self) -> Failure {
        let name = self.root.display();
        Failure::BadInput(match self.is_in_use() {
            true => format!("another run works in {name}; choose another folder with `-o`"),
            false if self.root.is_file() => format!("{name} exists and is a file; choose another folder with `-o`"),
            false if self.run_toml().is_file() => format!(
                "{name} exists; choose another folder with `-o`, replace it with `--overwrite`, or go on with it: thixo run --resume {}",
                typed(&self.root)
            ),
            false => format!("{name} exists; choose another folder with `-o`, or replace it with `--overwrite`"),
        })
    }

    fn unwritable(&self, cause: &io::Error) -> Failure {
        let name = self.root.display();
        Failure::BadInput(format!("cannot write into {name}: {}; use a folder you may write to", plain(cause)))
    }
}

fn is_missing(path: &Path) -> bool {
    !path.as_os_str().is_empty() && fs::symlink_metadata(path).is_err()
}

/// Removes a file unless it is gone already.
pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    none_if_missing(fs::remove_file(path))
}

/// What is not there has nothing in it.
pub(crate) fn none_if_missing<T: Default>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(T::default()),
        result => result,
    }
}
