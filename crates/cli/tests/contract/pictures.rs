//! Pictures and films: what is drawn, what is drawn again, and what is refused.

use std::fs;
use std::path::Path;

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
fn finished_pictures_stay_missing_ones_follow_and_other_looks_lie_beside_them() {
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
    let density = ["render", "x", "--color", "density", "--threads", "1", "--frames", "1..3"];
    let ended = sandbox.thixo(&density).expect(0);
    assert!(ended.stderr.contains("x/images/density: 2 pictures in"), "{}", ended.stderr);
    let two = ["000001.png", "000002.png", "film.gif", "look.json"];
    assert_eq!(file_names(&sandbox.path("x/images/density")), two);
    let after = contents(&sandbox.path("x"));
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)), "the scene's own pictures stay");
    assert_eq!(after.len(), before.len() + two.len());
    // The same look again finds its pictures, and another one with the same name has another folder.
    assert!(!sandbox.thixo(&density).expect(0).stderr.contains("picture"));
    let run = fs::read_to_string(sandbox.path("x/run.toml")).unwrap();
    sandbox.write("x/run.toml", run.replace("size = [48, 36]", "size = [32, 24]"));
    sandbox.thixo(&[&density[..], &["-q"]].concat()).expect(0);
    assert_eq!(file_names(&sandbox.path("x/images/density-2")), two);
    let later = contents(&sandbox.path("x"));
    assert!(after.iter().all(|(path, bytes)| path.ends_with("run.toml") || later.get(path) == Some(bytes)));
    // What the edited scene asks for takes the place of its earlier look, which moves away with its film.
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.02", "-q"]).expect(0);
    assert_eq!(file_names(&sandbox.path("x/images/48x36")), [&ALL[..5], &["film.gif", "look.json"]].concat());
    let moved = |name: &str| fs::read(sandbox.path("x/images/48x36").join(name)).unwrap();
    assert!(ALL.iter().all(|name| moved(name) == before[&sandbox.path("x/images").join(name)]));
    assert!(moved("film.gif") == before[&sandbox.path("x/film.gif")] && sandbox.path("x/film.gif").is_file());
    // A new run has none of them.
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.01", "--overwrite", "-q"]).expect(0);
    let left = contents(&sandbox.path("x/images"));
    assert!(left.is_empty(), "{:?}", left.keys());
}

#[test]
fn pictures_lie_where_the_user_wants_them_if_nothing_is_lost_there() {
    let sandbox = drawn();
    let before = contents(&sandbox.path("x"));
    let render = |more: &[&str]| sandbox.thixo(&[&["render", "x", "-o", "mine/a", "-q"], more].concat());
    render(&[]).expect(0);
    assert_eq!(file_names(&sandbox.path("mine/a")), [&ALL[..5], &["film.gif", "look.json"]].concat());
    let mine = contents(&sandbox.path("mine"));
    render(&[]).expect(0);
    render(&["--style", "matte", "--direct"]).refused(&["mine/a holds pictures of another look", "`-o`"]);
    sandbox.thixo(&["run", "small.toml", "-o", "y", "--until", "0.02", "-q"]).expect(0);
    sandbox.thixo(&["render", "y", "-o", "mine/a"]).refused(&["mine/a holds pictures", "another run"]);
    sandbox.thixo(&["render", "x", "-o", "y"]).refused(&["y: it is the folder of a run"]);
    sandbox.thixo(&["render", "x", "-o", "small.toml"]).refused(&["cannot draw into small.toml"]);
    assert!(contents(&sandbox.path("mine")) == mine);
    let after = contents(&sandbox.path("x"));
    assert!(
        after.keys().eq(before.keys())
            && ALL.iter().all(|name| {
                let path = sandbox.path("x/images").join(name);
                after[&path] == before[&path]
            })
    );
}

#[test]
fn interrupted_drawing_tells_the_command_that_goes_on() {
    let sandbox = drawn();
    let command = ["render", "x", "--size", "1600x1200", "--quality", "fine", "--threads", "1"];
    let child = sandbox.spawn(&command);
    let started = std::time::Instant::now();
    while !sandbox.path("x/images/1600x1200-fine/look.json").is_file() {
        assert!(started.elapsed().as_secs() < 60, "the drawing does not begin");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    crate::sandbox::signal(&child, &["INT"]);
    let ended = crate::sandbox::Ended::of(child).expect(130);
    assert!(ended.stderr.contains(&format!("to go on: thixo {}", command.join(" "))), "{}", ended.stderr);
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
    let images = sandbox.path("x/images/pressure");
    assert_eq!(file_names(&images), ["000000.png", "000002.png", "000004.png", "look.json"]);
    // A film that does not show the pictures goes.
    fs::write(sandbox.path("x/frames/000004.thixo"), fs::read(sandbox.path("x/frames/000000.thixo")).unwrap()).unwrap();
    sandbox.thixo(&["render", "x", "--film", "none"]).expect(1);
    assert!(!sandbox.path("x/film.gif").exists());
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
    refused(&["small.toml"], &["small.toml is a file", "thixo run"]);
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

/// A drop in two frames, with tiny pictures, and whatever else the scene says.
fn drop(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let scene = "world.spacing = 0.05\ntime = { end = 0.01, fps = 100 }\nmaterials.water.density = 1000\n\
                 output.images.size = [32, 24]\n[[bodies]]\nname = 'drop'\nmaterial = 'water'\n\
                 shape.sphere = { centre = [0, 1, 0], radius = 0.15 }\n";
    sandbox.write("drop.toml", format!("{scene}{more}"));
    sandbox
}

/// What a picture shows, without what its file says of itself before that.
fn shown(picture: &Path) -> Vec<u8> {
    let file = fs::read(picture).unwrap();
    file[file.windows(4).position(|letters| letters == b"IDAT").unwrap()..].to_vec()
}

#[test]
fn surfaces_are_drawn_in_every_style_and_can_be_traced_without_a_mesh() {
    let sandbox = drop("");
    sandbox.thixo(&["run", "drop.toml", "-o", "x", "-q"]).expect(0);
    let picture = |look: &str| shown(&sandbox.path("x/images").join(look).join("000001.png"));
    let mut pictures = vec![picture("")];
    let ended = sandbox.thixo(&["render", "x", "--surface"]).expect(1);
    assert!(
        ended.stderr.contains("x/surface/000001.ply is missing; make it with: thixo surface x"),
        "{}",
        ended.stderr
    );
    sandbox.thixo(&["surface", "x", "--points", "1", "-q"]).expect(0);
    for style in ["water", "glass", "jelly", "matte", "points"] {
        sandbox.thixo(&["render", "x", "--style", style, "--quality", "draft", "--film", "none", "-q"]).expect(0);
        pictures.push(picture(&format!("{style}-draft")));
    }
    sandbox.thixo(&["render", "x", "--direct", "--frames", "1..2", "-q"]).expect(0);
    pictures.push(picture("matte-direct"));
    for (k, one) in pictures.iter().enumerate() {
        assert!(pictures[..k].iter().all(|other| other != one), "picture {k} is one of those before");
    }
    sandbox.write("x/surface/000001.ply", "ply\njunk");
    let ended = sandbox.thixo(&["render", "x", "--style", "matte"]).expect(1);
    assert!(ended.stderr.contains("000001.ply is no PLY file of this program"), "{}", ended.stderr);
}

#[test]
fn pictures_are_drawn_again_when_what_they_show_has_changed() {
    let sandbox = drop("");
    let ended = sandbox.thixo(&["run", "drop.toml", "-o", "x", "--surface", "--render"]).expect(0);
    assert!(ended.stderr.contains("2 surfaces") && ended.stderr.contains("2 pictures"), "{}", ended.stderr);
    let render = || sandbox.thixo(&["render", "x", "--surface", "--quality", "draft"]).expect(0).stderr;
    assert!(render().contains(" 2 pictures in"));
    let before = contents(&sandbox.path("x"));
    assert!(!render().contains("picture") && contents(&sandbox.path("x")) == before);
    // Another mesh of one frame, made in the same way for all the folder tells.
    let options = fs::read(sandbox.path("x/surface/options.toml")).unwrap();
    sandbox.thixo(&["surface", "x", "--cell-size", "0.9", "--frames", "1..2", "-q"]).expect(0);
    fs::write(sandbox.path("x/surface/options.toml"), options).unwrap();
    assert!(render().contains(" 1 picture in"));
    let after = contents(&sandbox.path("x"));
    assert!(after != before && !render().contains("picture"));
    // Who has no room for meshes keeps the pictures.
    fs::remove_file(sandbox.path("x/surface/000001.ply")).unwrap();
    assert!(!render().contains("picture"));
    // A frame that has changed.
    fs::copy(sandbox.path("x/frames/000000.thixo"), sandbox.path("x/frames/000001.thixo")).unwrap();
    let ended = sandbox.thixo(&["render", "x"]).expect(0);
    assert!(ended.stderr.contains(" picture"), "{}", ended.stderr);
    // A frame that is gone, and one that is damaged: no picture of them is left that shows something else.
    fs::remove_file(sandbox.path("x/frames/000000.thixo")).unwrap();
    fs::write(sandbox.path("x/frames/000001.thixo"), "junk").unwrap();
    let ended = sandbox.thixo(&["render", "x"]).expect(1);
    assert!(ended.stderr.contains("frame 000000 is missing"), "{}", ended.stderr);
    assert!(ended.stderr.contains("000001.thixo is not a thixo frame"), "{}", ended.stderr);
    assert!(!sandbox.path("x/images/000001.png").exists());
}

#[test]
fn turntables_turn_and_cameras_may_stand_anywhere() {
    let sandbox = drop("");
    sandbox.thixo(&["run", "drop.toml", "-o", "x", "-q"]).expect(0);
    sandbox.thixo(&["render", "x", "--turntable", "--color", "body", "-q"]).expect(0);
    sandbox.thixo(&["render", "x", "--color", "body", "-q"]).expect(0);
    let shown = |name: &str| shown(&sandbox.path("x/images").join(name));
    assert!(shown("body/000001.png") != shown("body-turntable/000001.png"));
    let is_same = shown("body/000000.png") == shown("body-turntable/000000.png");
    assert!(is_same, "the turn begins where one stands");
    let cameras =
        ["from = [0, 1, 0.02]", "from = [0, 1, 0]\nlook_at = [1, 1, 0]", "from = [0, 9, 0]\nlook_at = [0, 1, 0]"];
    for (camera, folder) in cameras.iter().zip(["inside", "in-the-middle", "above"]) {
        let sandbox = drop(&format!("[camera]\n{camera}\n"));
        sandbox.thixo(&["run", "drop.toml", "-o", folder, "--surface", "-q"]).expect(0);
        sandbox.thixo(&["render", folder, "--style", "jelly", "--quality", "draft", "-q"]).expect(0);
        let images = sandbox.path(&format!("{folder}/images/jelly-draft"));
        assert_eq!(file_names(&images), ["000000.png", "000001.png", "film.gif", "look.json"]);
    }
}

#[test]
fn tanks_of_every_shape_are_drawn_and_follow_their_paths() {
    let shapes = [
        "shape.sphere = { centre = [0, 1, 0], radius = 0.4 }",
        "shape.box = { min = [-0.3, 0.7, -0.3], max = [0.3, 1.3, 0.3] }",
    ];
    for shape in shapes {
        let tank = format!("[[walls]]\nname = 'tank'\ninside = true\n{shape}\n");
        let still = drop(&tank);
        let moving = drop(&format!("{tank}path = [{{ time = 0 }}, {{ time = 0.01, translation = [0.05, 0, 0] }}]\n"));
        let bare = drop("[camera]\nfrom = [0, 1.5, 3]\nlook_at = [0, 1, 0]\n");
        let pictures = [still, moving, bare].map(|sandbox| {
            sandbox.thixo(&["run", "drop.toml", "-o", "x", "-q"]).expect(0);
            ["000000", "000001"].map(|name| fs::read(sandbox.path(&format!("x/images/{name}.png"))).unwrap())
        });
        assert!(
            pictures[0][1] != pictures[1][1] && pictures[1][0] != pictures[1][1] && pictures[0][0] != pictures[2][0]
        );
    }
}
