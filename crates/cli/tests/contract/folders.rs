//! Folders that cannot, may not or must not be written into.

use std::fs;

use crate::sandbox::{Ended, Sandbox, contents, file_names, signal};

/// A finished run of a few frames, with three checkpoints.
fn short_run(sandbox: &Sandbox, folder: &str) {
    sandbox.thixo(&["run", "splash.toml", "-o", folder, "--until", "0.15"]).expect(0);
    assert_eq!(file_names(&sandbox.path(folder).join("checkpoints")).len(), 3);
}

/// Flips a bit in the middle of a file.
fn damage(path: &std::path::Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(path, bytes).unwrap();
}

#[test]
fn unwritable_folder_is_refused_and_nothing_is_made() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "contents");
    for folder in ["file/below", "file/below/deep", "/proc/thixo/below"] {
        sandbox.thixo(&["run", "splash.toml", "-o", folder]).refused(&["cannot write into", folder, "use a folder"]);
    }
    sandbox.thixo(&["run", "splash.toml", "-o", "file"]).refused(&["file exists"]);
    sandbox.thixo(&["run", "splash.toml", "-o", "file", "--overwrite"]).refused(&["not a directory"]);
    // A name that is too long is found out only below parents that could be made.
    let long = format!("new/parent/{}", "x".repeat(300));
    sandbox.thixo(&["run", "splash.toml", "-o", &long]).refused(&["name too long"]);
    sandbox.thixo(&["run", "splash.toml", "-o", "new/.."]).refused(&["new/.. exists"]);
    sandbox.thixo(&["run", "splash.toml", "-o", ""]).refused(&["--output"]);
    assert_eq!(file_names(&sandbox.path("")), ["file", "splash.toml"]);
    assert_eq!(fs::read_to_string(sandbox.path("file")).unwrap(), "contents");
}

#[test]
fn unwritable_folder_is_not_resumed_and_stays_as_it_was() {
    let sandbox = Sandbox::new();
    short_run(&sandbox, "x");
    // Permissions do not bind the superuser; a file in the place of a folder does.
    fs::remove_dir_all(sandbox.path("x/frames")).unwrap();
    sandbox.write("x/frames", "no folder");
    sandbox.write("x/.000000.thixo.tmp", "left over");
    let before = contents(&sandbox.path("x"));
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.3"]).refused(&["cannot write into x/frames"]);
    assert_eq!(contents(&sandbox.path("x")), before);
}

#[test]
fn existing_folder_is_overwritten_only_when_asked_and_only_if_it_is_a_run() {
    let sandbox = Sandbox::new();
    short_run(&sandbox, "x");
    sandbox.write("x/notes.txt", "mine");
    sandbox.write("x/frames/notes.txt", "mine too");
    let before = contents(&sandbox.path("x"));
    let run = ["run", "splash.toml", "-o", "x", "--until", "0.05"];
    sandbox.thixo(&run).refused(&["x exists", "`--overwrite`", "thixo run --resume x"]);
    // Bad input is found before anything is removed.
    sandbox.thixo(&[&run[..], &["--overwrite", "--set", "world.spacing=-1"]].concat()).expect(2);
    assert_eq!(contents(&sandbox.path("x")), before);

    sandbox.thixo(&[&run[..], &["--overwrite"]].concat()).expect(0);
    assert_eq!(fs::read_to_string(sandbox.path("x/notes.txt")).unwrap(), "mine");
    fs::remove_file(sandbox.path("x/frames/notes.txt")).unwrap();
    sandbox.results("x").assert_same(&sandbox.unbroken(&["--until", "0.05"]));

    fs::create_dir(sandbox.path("other")).unwrap();
    sandbox.thixo(&["run", "splash.toml", "-o", "other"]).refused(&["other exists"]);
    sandbox.write("other/thesis.txt", "mine");
    let overwrite = ["run", "splash.toml", "-o", "other", "--overwrite"];
    sandbox.thixo(&overwrite).refused(&["other is not the folder of a run and will not be overwritten"]);
    assert_eq!(file_names(&sandbox.path("other")), ["thesis.txt"]);
    fs::remove_file(sandbox.path("other/thesis.txt")).unwrap();
    sandbox.thixo(&[&overwrite[..], &["--until", "0.01"]].concat()).expect(0);
}

#[test]
fn folder_in_use_is_refused_by_every_other_run() {
    let sandbox = Sandbox::new();
    let run = ["run", "splash.toml", "-o", "x", "--until", "100"];
    let mut child = sandbox.spawn_and_wait(&run, "x", 10);
    sandbox.thixo(&run).refused(&["another run works in x"]);
    sandbox.thixo(&[&run[..], &["--overwrite"]].concat()).refused(&["another run works in x"]);
    sandbox.thixo(&["run", "--resume", "x"]).refused(&["another run works in x"]);
    let info = sandbox.thixo(&["info", "x"]).expect(0).stdout;
    assert!(info.starts_with("x: running\n"), "{info}");
    assert!(child.try_wait().unwrap().is_none(), "the first run was disturbed");
    // A run that is killed leaves no lock.
    child.kill().unwrap();
    child.wait().unwrap();
    let info = sandbox.thixo(&["info", "x"]).expect(0).stdout;
    assert!(info.starts_with("x: stopped; to go on: thixo run --resume x\n"), "{info}");
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.01"]).expect(0);
}

#[test]
fn of_two_runs_that_start_together_one_gets_the_folder() {
    let sandbox = Sandbox::new();
    let run = ["run", "splash.toml", "-o", "x", "--until", "0.3"];
    let children: Vec<_> = (0..4).map(|_| sandbox.spawn(&run)).collect();
    let codes: Vec<_> = children.into_iter().map(|child| Ended::of(child).code).collect();
    assert_eq!(codes.iter().filter(|&&code| code == Some(0)).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|&&code| code == Some(2)).count(), 3, "{codes:?}");
    sandbox.results("x").assert_same(&sandbox.unbroken(&["--until", "0.3"]));
}

#[test]
fn damaged_checkpoints_are_named_and_an_older_one_gives_the_same_bits() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&["--until", "0.3"]);
    short_run(&sandbox, "x");
    let checkpoints = sandbox.path("x/checkpoints");
    let names = file_names(&checkpoints);
    damage(&checkpoints.join(&names[2]));
    fs::write(checkpoints.join(&names[1]), "").unwrap();
    let ended = sandbox.thixo(&["run", "--resume", "x", "--until", "0.3"]).expect(0);
    for name in &names[1..] {
        assert!(ended.stderr.contains(&format!("warning: x/checkpoints/{name} is ")), "{}", ended.stderr);
    }
    sandbox.results("x").assert_same(&expected);
}

#[test]
fn run_with_no_whole_checkpoint_is_refused_and_stays_as_it_was() {
    let sandbox = Sandbox::new();
    short_run(&sandbox, "x");
    let checkpoints = sandbox.path("x/checkpoints");
    let names = file_names(&checkpoints);
    names.iter().for_each(|name| damage(&checkpoints.join(name)));
    sandbox.write("x/frames/.000031.thixo.tmp", "left over");
    let before = contents(&sandbox.path("x"));
    let named: Vec<_> = names.iter().map(String::as_str).collect();
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.3"]).refused(&named);
    assert_eq!(contents(&sandbox.path("x")), before);
    names.iter().for_each(|name| fs::remove_file(checkpoints.join(name)).unwrap());
    sandbox.thixo(&["run", "--resume", "x"]).refused(&["no checkpoint in x/checkpoints", "start the run again"]);
}

#[test]
fn folder_of_a_newer_version_is_refused_and_stays_as_it_was() {
    let sandbox = Sandbox::new();
    short_run(&sandbox, "x");
    let text = fs::read_to_string(sandbox.path("x/run.toml")).unwrap();
    // With words that this version cannot know.
    let newer =
        text.replace("version = \"0.1.0\"", "version = \"0.10.0\"").replace("[world]", "[world]\ncurvature = 1");
    assert!(newer.contains("0.10.0"));
    sandbox.write("x/run.toml", newer);
    let before = contents(&sandbox.path("x"));
    sandbox.thixo(&["run", "--resume", "x"]).refused(&["made by thixo 0.10.0", "update thixo"]);
    sandbox.thixo(&["info", "x"]).refused(&["made by thixo 0.10.0", "update thixo"]);
    assert_eq!(contents(&sandbox.path("x")), before);

    // An older one is resumed, with a warning.
    sandbox.write("x/run.toml", text.replace("version = \"0.1.0\"", "version = \"0.0.9\""));
    let ended = sandbox.thixo(&["run", "--resume", "x", "--until", "0.16"]).expect(0);
    assert!(ended.stderr.contains("warning: the run was made by thixo 0.0.9"), "{}", ended.stderr);
}

#[test]
fn what_is_not_a_run_is_not_resumed() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.thixo(&["run", "--resume", "missing"]).refused(&["there is no folder missing"]);
    sandbox.thixo(&["run", "--resume", "empty"]).refused(&["empty is not the folder of a run"]);
    sandbox.thixo(&["run", "--resume", "splash.toml"]).refused(&["splash.toml is a file"]);
    assert!(file_names(&sandbox.path("empty")).is_empty());
}

#[test]
fn scene_that_no_longer_fits_its_checkpoints_is_refused() {
    let sandbox = Sandbox::new();
    short_run(&sandbox, "x");
    let text = fs::read_to_string(sandbox.path("x/run.toml")).unwrap();
    for (from, to, cause) in [
        ("spacing = 0.02", "spacing = 0.025", "world.spacing: 0.02 before, 0.025 now"),
        ("fps = 200.0", "fps = 30.0", "time.fps: 200.0 before, 30.0 now"),
        ("fps = 200.0", "fps = 2000.0", "time.fps: 200.0 before, 2000.0 now"),
    ] {
        assert!(text.contains(from));
        sandbox.write("x/run.toml", text.replace(from, to));
        let before = contents(&sandbox.path("x"));
        sandbox.thixo(&["run", "--resume", "x"]).refused(&["was changed since the last checkpoint", cause]);
        assert_eq!(contents(&sandbox.path("x")), before);
    }
}

#[test]
fn lost_rows_are_told_and_the_run_goes_on() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&["--until", "0.3"]);
    short_run(&sandbox, "x");
    fs::remove_file(sandbox.path("x/log.jsonl")).unwrap();
    fs::remove_file(sandbox.path("x/probes.csv")).unwrap();
    let ended = sandbox.thixo(&["run", "--resume", "x", "--until", "0.3"]).expect(0);
    for file in ["log.jsonl", "probes.csv"] {
        assert!(ended.stderr.contains(&format!("warning: x/{file} has lost rows")), "{}", ended.stderr);
    }
    let results = sandbox.results("x");
    assert_eq!(results.frames, expected.frames);
    assert!(expected.log.ends_with(&results.log) && !results.log.is_empty());
    assert_eq!(results.probes[0], expected.probes[0]);
}

#[test]
fn leftovers_of_a_killed_run_go_when_it_is_resumed() {
    let sandbox = Sandbox::new();
    let child = sandbox.spawn_and_wait(&["run", "splash.toml", "-o", "x"], "x", 100);
    signal(&child, &["KILL"]);
    Ended::of(child);
    for name in ["x/.run.toml.tmp", "x/frames/.000099.thixo.tmp", "x/checkpoints/.000000000099.checkpoint.tmp"] {
        sandbox.write(name, "half");
    }
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.01"]).expect(0);
    // `results` finds them if they are still there; also those of a run that is finished.
    sandbox.results("x");
    sandbox.write("x/.run.toml.tmp", "half");
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.01"]).expect(0);
    sandbox.results("x");
}

#[test]
fn a_run_with_a_mesh_needs_nothing_but_its_folder_to_go_on() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("shapes")).unwrap();
    // A tetrahedron, beside the scene and not in the folder where the program is started.
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    sandbox.write("shapes/corner.obj", mesh);
    sandbox.write(
        "shapes/scene.toml",
        "[world]\nspacing = 0.1\n[time]\nend = 0.04\nfps = 100\n[materials.water]\ndensity = 1000\n\
         [[bodies]]\nname = \"corner\"\nmaterial = \"water\"\nshape.mesh = { file = \"corner.obj\" }\n",
    );
    sandbox.thixo(&["run", "shapes/scene.toml", "-o", "unbroken"]).expect(0);
    let run = ["run", "shapes/scene.toml", "-o", "x", "--until", "0.02"];
    sandbox.thixo(&run).expect(0);
    sandbox.write("shapes/corner.obj", "changed");
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.04"]).expect(0);
    assert_eq!(sandbox.results("x").frames, sandbox.results("unbroken").frames);
    sandbox.thixo(&["info", "x"]).expect(0);
    // The recorded scene is a scene like any other.
    sandbox.thixo(&["run", "x/run.toml", "-o", "again"]).expect(0);
    assert_eq!(sandbox.results("again").frames, sandbox.results("unbroken").frames);
    let copies = |folder: &str| std::fs::read_dir(sandbox.path(folder)).unwrap().count();
    assert_eq!(copies("x/meshes"), 1);
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--overwrite", "--until", "0.01"]).expect(0);
    assert_eq!(copies("x/meshes"), 0);
    sandbox.thixo(&["run", "shapes/scene.toml", "-o", "y"]).refused(&["corner.obj", "it has no triangles"]);
}
