//! Every scene of the gallery is valid, survives a round trip, and can be built.

use std::path::Path;

use thixo_scene::{Scene, gallery};

#[test]
fn every_file_of_the_folder_is_in_the_gallery_and_the_demo_is_first() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut names: Vec<_> = gallery().iter().map(|scene| scene.name).collect();
    assert_eq!(names[0], "demo");
    names.sort_unstable();
    assert_eq!(names, files);
}

#[test]
fn names_and_titles_are_printable() {
    for scene in gallery() {
        assert!(scene.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", scene.name);
        assert!(scene.text.starts_with("# "), "{}", scene.name);
        assert!(scene.title().len() > 10, "{}", scene.name);
    }
}

#[test]
fn every_scene_is_valid_and_counts_its_particles_exactly() {
    for entry in gallery() {
        let scene = Scene::read(entry.name, entry.text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(scene.warnings(), Vec::<String>::new(), "{}", entry.name);
        let simulation = scene.build().unwrap();
        let estimate = scene.estimate();
        assert_eq!(simulation.movable() as u64, estimate.movable(), "{}", entry.name);
        assert_eq!(simulation.particles().len() as u64, estimate.movable() + estimate.fixed(), "{}", entry.name);
        for (body, (name, count)) in simulation.bodies().iter().zip(estimate.bodies.iter().chain(&estimate.walls)) {
            assert_eq!((&body.name, body.particles as u64), (name, *count));
        }
    }
}

#[test]
fn what_is_written_reads_as_the_same_scene() {
    for entry in gallery() {
        let scene = Scene::read(entry.name, entry.text, &[]).unwrap();
        let text = scene.to_toml().unwrap();
        let again = Scene::read("run.toml", &text, &[]).unwrap_or_else(|problems| panic!("{text}\n{problems}"));
        assert_eq!(again, scene);
        assert_eq!(again.to_toml().unwrap(), text);
    }
}
