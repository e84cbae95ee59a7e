//! `thixo scenes`: the gallery.

use serde_json::json;
use thixo_scene::{GalleryScene, gallery};

use crate::console;
use crate::failure::Failure;

/// What `thixo scenes` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scene to print; without one, all are listed
    name: Option<String>,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Lists the gallery, or prints one scene.
pub(crate) fn scenes(arguments: &Arguments) -> Result<(), Failure> {
    let text = match (&arguments.name, arguments.json) {
        (None, false) => list(),
        (None, true) => format!("{:#}\n", gallery().iter().map(summary).collect::<serde_json::Value>()),
        (Some(name), false) => find(name)?.text.to_owned(),
        (Some(name), true) => {
            let scene = find(name)?;
            format!("{:#}\n", json!({ "name": scene.name, "title": scene.title(), "text": scene.text }))
        }
    };
    console::print(&text)
}

fn list() -> String {
    let width = gallery().iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    gallery().iter().map(|scene| format!("{:width$}  {}\n", scene.name, scene.title())).collect()
}

fn summary(scene: &GalleryScene) -> serde_json::Value {
    json!({ "name": scene.name, "title": scene.title() })
}

fn find(name: &str) -> Result<&'static GalleryScene, Failure> {
    gallery().iter().find(|scene| scene.name == name).ok_or_else(|| {
        let names: Vec<_> = gallery().iter().map(|scene| scene.name).collect();
        let meant = console::meant(name.trim_end_matches(".toml"), &names);
        Failure::BadInput(format!("there is no scene `{name}` in the gallery{meant}; it has {}", names.join(", ")))
    })
}
