//! A scene file as it lies on the disk.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thixo_scene::{Filling, GalleryScene, Scene, WrittenScene, gallery, nearest};

use crate::console::{self, typed};
use crate::failure::{Failure, plain};

/// A scene is a short text. This much is surely something else, and must not fill the memory.
const LARGEST: u64 = 16 << 20;

/// The text of a scene, and what to call it.
pub(crate) struct SceneFile {
    /// How messages name it.
    pub(crate) name: String,
    /// Its contents.
    pub(crate) text: String,
    /// Where it lies: files that it names are looked for there.
    folder: PathBuf,
    /// What the folder of its results is called unless another is chosen.
    pub(crate) stem: PathBuf,
}

impl SceneFile {
    /// The built-in demo.
    pub(crate) fn demo() -> Result<SceneFile, Failure> {
        let first = gallery().first();
        first.map(SceneFile::of).ok_or_else(|| Failure::Failed("this program was built without a gallery".into()))
    }

    fn of(GalleryScene { name, text, .. }: &GalleryScene) -> SceneFile {
        SceneFile { name: format!("{name}.toml"), text: (*text).into(), folder: PathBuf::new(), stem: name.into() }
    }

    /// Reads a file, or takes the scene of the gallery that is so called. A file of that name has precedence, also one
    /// with the ending of scenes: whoever printed the scene to change it means that.
    pub(crate) fn find(path: &Path) -> Result<SceneFile, Failure> {
        let Some(scene) = gallery().iter().find(|scene| Path::new(scene.name) == path) else {
            return SceneFile::read(path);
        };
        let name = scene.name;
        match [path.to_owned(), path.with_extension("toml")].into_iter().find(|file| file.is_file()) {
            Some(file) => {
                let file_name = file.display();
                console::tell(format_args!(
                    "{file_name}: the file of that name, not the scene `{name}` of the gallery"
                ));
                SceneFile::read(&file)
            }
            None => {
                console::tell(format_args!("{name}: the scene of the gallery; `thixo scenes {name}` prints it"));
                Ok(SceneFile::of(scene))
            }
        }
    }

    /// Reads a file; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<SceneFile, Failure> {
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        let read = if is_stdin { read_limited(io::stdin().lock()) } else { File::open(path).and_then(read_limited) };
        let bytes = read.map_err(|cause| unreadable(path, &name, &cause))?;
        if bytes.len() as u64 > LARGEST {
            let text = format!("{name} is no scene: it is larger than {} MB", LARGEST >> 20);
            return Err(Failure::BadInput(text));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::BadInput(format!(
                "{name} is no text in UTF-8: byte {} is none of its characters; save it as UTF-8, or choose another file",
                at + 1
            ))
        })?;
        let stem = if is_stdin { "scene".into() } else { path.file_stem().unwrap_or_default().into() };
        let folder = if is_stdin { Path::new("") } else { path.parent().unwrap_or(Path::new("")) };
        Ok(SceneFile { name, text, folder: folder.into(), stem })
    }

    /// The scene, with overrides (`materials.water.density=900`) applied after the file as written is found sound.
    pub(crate) fn scene(&self, overrides: &[String]) -> Result<Scene, Failure> {
        let written = WrittenScene::parse(&self.name, &self.text).map_err(Failure::Scene)?;
        written.beside(&self.folder).telling(tell_of_many).check(overrides).map_err(Failure::Scene)
    }
}

/// So many particles take a while.
const MANY: f64 = 2e6;

fn tell_of_many(Filling { body, particles, all }: &Filling<'_>) {
    if *all > MANY {
        console::tell(format_args!("filling body `{body}` with about {particles:.1e} particles"));
    }
}

fn read_limited(file: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, name: &str, cause: &io::Error) -> Failure {
    let names = gallery().iter().map(|scene| scene.name);
    let meant = nearest(path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default(), names);
    let remedy = match meant {
        _ if path.is_dir() && path.join("run.toml").exists() => {
            format!("it is the folder of a run; to go on with it: thixo run --resume {}", typed(path))
        }
        _ if path.is_dir() => "a scene is a file, not a folder".into(),
        Some(name) => format!("did you mean the scene `{name}` of the gallery? thixo run {name}"),
        None => "give the path of a scene file, or start from one of the gallery: thixo scenes".into(),
    };
    Failure::BadInput(format!("cannot read {name}: {}; {remedy}", plain(cause)))
}
