//! Surfaces: what is made, what is made again, and what is refused.

use std::fs;

use crate::sandbox::{Sandbox, contents, file_names};

/// The splash, and its first five surfaces.
fn meshed() -> Sandbox {
    let sandbox = Sandbox::new();
    let ended = sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.02", "--surface"]).expect(0);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("x/surface: 5 surfaces"), "{}", ended.stderr);
    sandbox
}

const ALL: [&str; 6] = ["000000.ply", "000001.ply", "000002.ply", "000003.ply", "000004.ply", "options.toml"];

fn header(sandbox: &Sandbox, name: &str) -> String {
    let file = fs::read(sandbox.path(name)).unwrap();
    let end = file.windows(10).position(|word| word == b"end_header").unwrap();
    String::from_utf8(file[..end].to_vec()).unwrap()
}

#[test]
fn surfaces_have_normals_velocities_and_whatever_is_asked_for() {
    let sandbox = meshed();
    assert_eq!(file_names(&sandbox.path("x/surface")), ALL);
    let first = header(&sandbox, "x/surface/000003.ply");
    for line in ["format binary_little_endian 1.0", "property float nz", "property float velocity_y", "element face"] {
        assert!(first.contains(line), "{first}");
    }
    sandbox.thixo(&["surface", "x", "--quantity", "pressure", "--points", "2", "--frames", "2..4"]).expect(0);
    assert!(header(&sandbox, "x/surface/000003.ply").contains("property float pressure"));
    let points = header(&sandbox, "x/points/000003.ply");
    assert!(points.contains("property float pressure") && !points.contains("element face"), "{points}");
    assert_eq!(file_names(&sandbox.path("x/points")), ["000002.ply", "000003.ply"]);
    for method in ["centre_of_mass", "iso_density"] {
        sandbox.thixo(&["surface", "x", "--method", method, "--body", "drop", "--smoothing", "0"]).expect(0);
    }
}

#[test]
fn finished_surfaces_stay_and_others_are_made_again() {
    let sandbox = meshed();
    let before = contents(&sandbox.path("x"));
    let ended = sandbox.thixo(&["surface", "x", "--threads", "1"]).expect(0);
    assert!(ended.stderr.contains("0 surfaces") && ended.stderr.contains("5 were there"), "{}", ended.stderr);
    assert!(contents(&sandbox.path("x")) == before);
    // A mesh that is gone, one that is damaged, and one that was made of another frame.
    fs::remove_file(sandbox.path("x/surface/000000.ply")).unwrap();
    fs::write(sandbox.path("x/surface/000001.ply"), "ply\n").unwrap();
    fs::copy(sandbox.path("x/surface/000003.ply"), sandbox.path("x/surface/000002.ply")).unwrap();
    let ended = sandbox.thixo(&["surface", "x", "--threads", "1"]).expect(0);
    assert!(ended.stderr.contains("3 surfaces"), "{}", ended.stderr);
    assert!(contents(&sandbox.path("x")) == before, "the same bits with another number of threads");
    let ended = sandbox.thixo(&["surface", "x", "--cell-size", "0.7"]).expect(0);
    assert!(ended.stderr.contains("5 surfaces"), "{}", ended.stderr);
    // A run that goes on finishes what was begun, as it was begun.
    fs::remove_file(sandbox.path("x/surface/000004.ply")).unwrap();
    let ended = sandbox.thixo(&["run", "--resume", "x", "--until", "0.02"]).expect(0);
    assert!(ended.stderr.contains("1 surface in") && ended.stderr.contains("4 were there"), "{}", ended.stderr);
    assert!(header(&sandbox, "x/surface/000004.ply").contains("\"cell_size\":0.7"));
}

#[test]
fn damaged_and_missing_frames_are_named_and_the_rest_goes_on() {
    let sandbox = meshed();
    fs::write(sandbox.path("x/frames/000001.thixo"), "junk").unwrap();
    fs::remove_file(sandbox.path("x/frames/000003.thixo")).unwrap();
    let ended = sandbox.thixo(&["surface", "x", "--smoothing", "1"]).expect(1);
    assert!(ended.stderr.contains("x/frames/000001.thixo is not a thixo frame"), "{}", ended.stderr);
    assert!(ended.stderr.contains("frame 000003 is missing"), "{}", ended.stderr);
    assert!(ended.stderr.contains("3 surfaces"), "{}", ended.stderr);
    assert_eq!(file_names(&sandbox.path("x/surface")), ALL);
}

#[test]
fn what_cannot_be_made_is_refused_before_anything_is_written() {
    let sandbox = Sandbox::new();
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.01"]).expect(0);
    let before = contents(&sandbox.path("x"));
    let refused = |arguments: &[&str], words: &[&str]| {
        sandbox.thixo(&[&["surface"], arguments].concat()).refused(words);
    };
    refused(&["nowhere"], &["there is no folder nowhere"]);
    refused(&["x", "--body", "dorp"], &["`dorp`", "did you mean `drop`?"]);
    refused(&["x", "--material", "oil"], &["no material `oil`", "water"]);
    refused(&["x", "--quantity", "presure"], &["did you mean `pressure`?"]);
    refused(&["x", "--method", "magic"], &["iso_density, centre_of_mass"]);
    refused(&["x", "--cell-size", "0"], &["positive"]);
    refused(&["x", "--iso", "nan"], &["volume, dg96 or a positive number"]);
    refused(&["x", "--uncorrected"], &["centre_of_mass"]);
    refused(&["x", "--frames", "900.."], &["no frames of these numbers"]);
    if !cfg!(feature = "splashsurf") {
        refused(&["x", "--method", "splashsurf"], &["--features splashsurf"]);
    }
    assert!(contents(&sandbox.path("x")) == before);
}

#[test]
fn new_run_in_an_old_folder_leaves_no_old_surfaces() {
    let sandbox = meshed();
    sandbox.thixo(&["surface", "x", "--points", "1"]).expect(0);
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.01", "--overwrite"]).expect(0);
    assert!(file_names(&sandbox.path("x/surface")).is_empty() && file_names(&sandbox.path("x/points")).is_empty());
}
