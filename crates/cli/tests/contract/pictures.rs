//! Pictures and films: what is drawn, what is drawn again, and what is refused.

use std::fs;

use crate::sandbox::{Sandbox, contents, file_names};

/// The splash, with small pictures.
fn drawn() -> Sandbox {
    let sandbox = Sandbox::new();
    let small = format!("{}\n[output.images]\nsize = [48, 36]\n", crate::sandbox::SPLASH);
    sandbox.write("small.toml", small);
    let ended = sandbox.thixo(&["run", "small.toml", "-o", "x", "--until", "0.02"]).expect(0);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("5 pictures") && ended.stderr.contains("film.gif"), "{}", ended.stderr);
    sandbox
}

const ALL: [&str; 6] = ["000000.png", "000001.png", "000002.png", "000003.png", "000004.png", "look.json"];

#[test]
fn run_that_asks_for_pictures_leaves_pictures_film_and_report() {
    let sandbox = drawn();
    assert_eq!(file_names(&sandbox.path("x/images")), ALL);
    assert!(fs::read(sandbox.path("x/images/000003.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(fs::read(sandbox.path("x/film.gif")).unwrap().starts_with(b"GIF89a"));
    let report = fs::read_to_string(sandbox.path("x/report.html")).unwrap();
    assert!(report.contains("data:image/png;base64,") && report.contains("Energy") && report.contains("Momentum"));
    assert!(report.contains("Wall time of a step") && !report.contains("http"));
}

#[test]
fn finished_pictures_stay_missing_ones_follow_and_other_looks_replace_them() {
    let sandbox = drawn();
    let before = contents(&sandbox.path("x"));
    sandbox.thixo(&["render", "x"]).expect(0);
    assert!(contents(&sandbox.path("x")) == before, "nothing was missing");
    fs::remove_file(sandbox.path("x/images/000002.png")).unwrap();
    let ended = sandbox.thixo(&["render", "x"]).expect(0);
    assert!(ended.stderr.contains(" 1 picture in"), "{}", ended.stderr);
    assert!(contents(&sandbox.path("x")) == before, "the same picture again");
    // Resuming a finished run finishes its pictures.
    fs::remove_file(sandbox.path("x/images/000004.png")).unwrap();
    fs::remove_file(sandbox.path("x/film.gif")).unwrap();
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.02"]).expect(0);
    assert!(contents(&sandbox.path("x")) == before, "the same picture and film again");
    let ended = sandbox.thixo(&["render", "x", "--color", "density", "--threads", "1", "--frames", "1..3"]).expect(0);
    assert!(ended.stderr.contains(" 2 pictures in"), "{}", ended.stderr);
    assert_eq!(file_names(&sandbox.path("x/images")), ["000001.png", "000002.png", "look.json"]);
}

#[test]
fn damaged_frames_are_named_and_the_rest_goes_on() {
    let sandbox = drawn();
    fs::write(sandbox.path("x/frames/000001.thixo"), "junk").unwrap();
    let frame = fs::read(sandbox.path("x/frames/000003.thixo")).unwrap();
    fs::write(sandbox.path("x/frames/000003.thixo"), &frame[..frame.len() / 2]).unwrap();
    let ended = sandbox.thixo(&["render", "x", "--color", "pressure", "--film", "none"]).expect(1);
    assert!(ended.stderr.contains("x/frames/000001.thixo is not a thixo frame"), "{}", ended.stderr);
    assert!(ended.stderr.contains("x/frames/000003.thixo is cut short"), "{}", ended.stderr);
    assert_eq!(file_names(&sandbox.path("x/images")), ["000000.png", "000002.png", "000004.png", "look.json"]);
    assert!(!sandbox.path("x/film.gif").exists(), "the old film does not show these pictures");
}

#[test]
fn what_cannot_be_drawn_is_refused_before_anything_is_written() {
    let sandbox = drawn();
    let before = contents(&sandbox.path("x"));
    let refused = |arguments: &[&str], words: &[&str]| {
        sandbox.thixo(&[&["render"], arguments].concat()).refused(words);
    };
    refused(&["nowhere"], &["there is no folder nowhere"]);
    refused(&["."], &["not the folder of a run"]);
    refused(&["x", "--color", "presure"], &["`presure`", "did you mean `pressure`?"]);
    refused(&["x", "--size", "0x0"], &["0x0", "--size"]);
    refused(&["x", "--size", "99999x99999"], &["99999x99999"]);
    refused(&["x", "--range", "2:1"], &["the smaller first"]);
    refused(&["x", "--map", "viridis"], &["meadow"]);
    refused(&["x", "--frames", "900..901"], &["no frames of these numbers"]);
    if !cfg!(feature = "mp4") {
        refused(&["x", "--film", "mp4"], &["--features mp4"]);
        sandbox.write("film.toml", format!("{}\n[output.images]\nfilm = 'mp4'\n", crate::sandbox::SPLASH));
        sandbox.thixo(&["run", "film.toml", "-o", "y"]).refused(&["--features mp4"]);
        assert!(!sandbox.path("y").exists());
    }
    assert!(contents(&sandbox.path("x")) == before);
    sandbox.write("vtk.toml", format!("{}\n[output]\nframes = ['vtk']\n", crate::sandbox::SPLASH));
    sandbox.thixo(&["run", "vtk.toml", "--render", "-o", "z"]).refused(&["native"]);
}

#[test]
fn new_run_in_an_old_folder_leaves_no_old_pictures() {
    let sandbox = drawn();
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.01", "--overwrite"]).expect(0);
    assert_eq!(file_names(&sandbox.path("x/images")), Vec::<String>::new());
    assert!(!sandbox.path("x/film.gif").exists() && sandbox.path("x/report.html").is_file());
}

#[test]
fn surfaces_are_drawn_when_they_are_made_and_can_be_traced_without() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "drop.toml",
        "world.spacing = 0.05\ntime = { end = 0.02, fps = 100 }\nmaterials.water.density = 1000\n\
         output.images.size = [32, 24]\n[[bodies]]\nname = 'drop'\nmaterial = 'water'\n\
         shape.sphere = { centre = [0, 1, 0], radius = 0.15 }\n",
    );
    sandbox.thixo(&["run", "drop.toml", "-o", "x", "-q"]).expect(0);
    let spheres = fs::read(sandbox.path("x/images/000001.png")).unwrap();
    let ended = sandbox.thixo(&["render", "x", "--surface"]).expect(1);
    assert!(
        ended.stderr.contains("x/surface/000001.ply is missing; make it with: thixo surface x"),
        "{}",
        ended.stderr
    );
    sandbox.thixo(&["surface", "x", "-q"]).expect(0);
    sandbox.thixo(&["render", "x", "--surface", "-q"]).expect(0);
    let water = fs::read(sandbox.path("x/images/000001.png")).unwrap();
    sandbox.thixo(&["render", "x", "--direct", "--frames", "1..2", "-q"]).expect(0);
    let direct = fs::read(sandbox.path("x/images/000001.png")).unwrap();
    assert!(spheres != water && water != direct && direct != spheres);
    sandbox.write("x/surface/000001.ply", "ply\njunk");
    let ended = sandbox.thixo(&["render", "x", "--style", "matte"]).expect(1);
    assert!(ended.stderr.contains("000001.ply is no PLY file of this program"), "{}", ended.stderr);
}
