//! An album: the pictures of one look, the films made of them, and the record of how they look.
//!
//! The scene's own look has its pictures in `images/` and its films beside that; every other look has a folder of its own,
//! `images/<look>/`, or wherever the user wants it. So no look takes the place of another.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thixo_frames::{list_numbered, whole};

use crate::run::folder::{Folder, none_if_missing, remove_if_there};

/// How films end.
const FILMS: [&str; 2] = ["gif", "mp4"];

/// Where the pictures and the films of one look lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Album {
    images: PathBuf,
    films: PathBuf,
}

impl Album {
    /// Of the scene's own look.
    pub(crate) fn own(run: &Folder) -> Album {
        Album { images: run.images(), films: run.root().to_owned() }
    }

    /// All in one folder.
    pub(super) fn apart(folder: PathBuf) -> Album {
        Album { images: folder.clone(), films: folder }
    }

    /// Of other looks, in the folder of a run, by name.
    pub(crate) fn others(run: &Folder) -> io::Result<Vec<Album>> {
        let Some(entries) = none_if_missing(fs::read_dir(run.images()).map(Some))? else { return Ok(Vec::new()) };
        let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort_unstable();
        Ok(paths.into_iter().map(Album::apart).filter(|album| album.record().is_file()).collect())
    }

    /// Of another look, in the folder of a run: under its name, unless another one is there.
    pub(super) fn named(run: &Folder, name: &str, look: &Value) -> Album {
        let folder = |k: u32| run.images().join(if k == 1 { name.to_owned() } else { format!("{name}-{k}") });
        let mut albums = (1..).map(|k| Album::apart(folder(k)));
        let is_free = |album: &Album| album.look().map_or_else(|| album.is_empty(), |found| is_same(&found, look));
        // The numbers do not end before the disk is full.
        albums.find(is_free).unwrap_or_else(|| Album::apart(folder(0)))
    }

    /// The folder of the pictures.
    pub(super) fn images(&self) -> &Path {
        &self.images
    }

    /// The record of how they look.
    pub(super) fn record(&self) -> PathBuf {
        self.images.join("look.json")
    }

    /// How they look, as far as that is recorded.
    pub(super) fn look(&self) -> Option<Value> {
        serde_json::from_str(&fs::read_to_string(self.record()).ok()?).ok()
    }

    /// Where the picture of a frame lies.
    pub(super) fn picture(&self, number: u64) -> PathBuf {
        self.images.join(format!("{number:06}.png"))
    }

    /// Every picture, by the number of its frame.
    pub(crate) fn pictures(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        none_if_missing(list_numbered(&self.images, |number| self.picture(number)))
    }

    /// The film, in the format with that extension.
    pub(super) fn film(&self, extension: &str) -> PathBuf {
        self.films.join(format!("film.{extension}"))
    }

    /// Removes all films.
    pub(super) fn remove_films(&self) -> io::Result<()> {
        FILMS.iter().try_for_each(|extension| remove_if_there(&self.film(extension)))
    }

    /// Are there neither pictures nor films?
    pub(super) fn is_empty(&self) -> bool {
        let has_film = || FILMS.iter().any(|extension| self.film(extension).exists());
        self.pictures().is_ok_and(|pictures| pictures.is_empty()) && !has_film()
    }

    /// Removes everything, the record first.
    pub(crate) fn clear(&self) -> io::Result<()> {
        remove_if_there(&self.record())?;
        self.remove_films()?;
        self.pictures()?.into_iter().try_for_each(|(_, picture)| fs::remove_file(picture))?;
        self.remove_leftovers()
    }

    /// Removes what someone who was killed was about to write.
    pub(crate) fn remove_leftovers(&self) -> io::Result<()> {
        whole::remove_leftovers(&self.images).map(drop).map_err(|error| error.cause)
    }

    /// Moves everything into another album of the same look. Whoever is killed on the way can do it again.
    pub(super) fn move_to(&self, other: &Album) -> io::Result<()> {
        fs::create_dir_all(&other.images)?;
        fs::copy(self.record(), other.record())?;
        for (number, picture) in self.pictures()? {
            fs::rename(picture, other.picture(number))?;
        }
        for extension in FILMS {
            none_if_missing(fs::rename(self.film(extension), other.film(extension)))?;
        }
        remove_if_there(&self.record())
    }
}

/// Do two records mean the same look, of the same run? All else in them follows from what the run holds.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    ["request", "run"].iter().all(|key| one.get(key) == other.get(key))
}

/// A name for a look: what distinguishes it from the scene's own.
pub(super) fn name(request: &Value, own: &Value) -> String {
    let keys = ["style", "direct", "color", "map", "range", "size", "quality", "turntable"];
    let changed = keys.into_iter().filter(|key| request.get(key) != own.get(key));
    let words: Vec<String> = changed.filter_map(|key| word(key, request.get(key)?)).collect();
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let name: String = words.join("-").chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    match name.trim_matches('.') {
        "" => "other".into(),
        name => name.into(),
    }
}

fn word(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(true) => Some(key.into()),
        Value::Array(numbers) => {
            let numbers: Vec<_> = numbers.iter().filter_map(Value::as_f64).map(|number| number.to_string()).collect();
            Some(numbers.join(if key == "size" { "x" } else { ".." }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn looks_are_named_by_what_distinguishes_them() {
        let own = json!({ "style": "particles", "color": null, "range": null, "size": [640, 360], "turntable": false });
        let named = |changes: Value| {
            let mut request = own.clone();
            request.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            name(&request, &own)
        };
        assert_eq!(named(json!({ "style": "water" })), "water");
        assert_eq!(named(json!({ "style": "glass", "turntable": true, "size": [64, 36] })), "glass-64x36-turntable");
        assert_eq!(named(json!({ "color": "velocity.x", "range": [-0.5, 4000.0] })), "velocity.x--0.5..4000");
        assert_eq!(named(json!({ "color": "../x" })), "_x");
        assert_eq!(name(&own, &json!({ "style": "particles", "color": "density", "size": [640, 360] })), "other");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let root = tempfile::tempdir().unwrap();
        let run = Folder::new(root.path());
        let (red, blue) = (json!({ "request": "red" }), json!({ "request": "blue", "range": 1 }));
        let album = Album::named(&run, "water", &red);
        assert_eq!(album.images(), run.images().join("water"));
        fs::create_dir_all(album.images()).unwrap();
        assert_eq!(Album::named(&run, "water", &red), album);
        fs::write(album.record(), red.to_string()).unwrap();
        assert_eq!(Album::named(&run, "water", &red), album);
        assert_eq!(Album::named(&run, "water", &blue).images(), run.images().join("water-2"));
        assert_eq!(Album::others(&run).unwrap(), [album]);
    }
}
