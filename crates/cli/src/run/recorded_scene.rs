//! `run.toml`: the scene as it was run, and by which version.

use serde::Deserialize;
use thixo_scene::Scene;

use super::folder::Folder;
use crate::VERSION;
use crate::failure::Failure;
use crate::scene_file::SceneFile;

/// The scene of a run.
pub(crate) struct RecordedScene {
    /// The scene as it was run.
    pub(crate) scene: Scene,
    /// The file.
    pub(crate) text: String,
    /// The version that ran it.
    pub(crate) version: String,
}

/// As much of the file as every version will understand.
#[derive(Deserialize)]
struct Origin {
    provenance: Option<Provenance>,
}

#[derive(Deserialize)]
struct Provenance {
    version: String,
}

impl RecordedScene {
    /// Reads the scene of a run. A later version may have written words that are unknown here: that is asked first.
    pub(crate) fn read(folder: &Folder) -> Result<RecordedScene, Failure> {
        folder.refuse_unresumable()?;
        let file = SceneFile::read(&folder.run_toml())?;
        let origin = toml::from_str(&file.text).ok().and_then(|origin: Origin| origin.provenance);
        let version = origin.map_or(VERSION.to_owned(), |origin| origin.version);
        if numbers(&version) > numbers(VERSION) {
            return Err(Failure::BadInput(format!(
                "the run in {} was made by thixo {version}, and this is thixo {VERSION}; update thixo",
                folder.root().display()
            )));
        }
        Ok(RecordedScene { scene: file.scene(&[])?, text: file.text, version })
    }
}

/// `0.10.2` as numbers that can be compared; what comes after a hyphen does not count.
fn numbers(version: &str) -> Vec<u64> {
    let core = version.split(['-', '+']).next().unwrap_or_default();
    core.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("0.10.0") > numbers("0.9.3"));
        assert!(numbers("1.0.0") > numbers("0.99.99"));
        assert_eq!(numbers("0.1.0-beta+x"), numbers("0.1.0"));
    }
}
