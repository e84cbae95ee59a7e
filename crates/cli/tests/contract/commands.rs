//! Every command: its exit codes, what it writes where, and what it refuses.

use std::fs::{self, File};
use std::process::Stdio;

use serde_json::Value;

use crate::sandbox::{SPLASH, Sandbox};

#[test]
fn results_go_to_stdout_and_nothing_else_does() {
    let sandbox = Sandbox::new();
    for arguments in [&["scenes"][..], &["scenes", "demo"], &["schema"], &["check", "splash.toml"], &["--help"]] {
        let ended = sandbox.thixo(arguments).expect(0);
        assert!(!ended.stdout.is_empty() && ended.stderr.is_empty(), "{arguments:?}: {}", ended.stderr);
    }
    let run = sandbox.thixo(&["run", "splash.toml", "--until", "0.02"]).expect(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("out/splash: 5 frames in "), "{}", run.stderr);
    let quiet = sandbox.thixo(&["run", "splash.toml", "--until", "0.02", "-o", "quiet", "--quiet"]).expect(0);
    assert_eq!((quiet.stdout, quiet.stderr), (String::new(), String::new()));
}

#[test]
fn version_names_the_instruction_set() {
    let sandbox = Sandbox::new();
    let text = sandbox.thixo(&["--version"]).expect(0).stdout;
    let set = text.strip_prefix(concat!("thixo ", env!("CARGO_PKG_VERSION"), " (")).unwrap();
    assert!(["avx2)\n", "baseline)\n"].contains(&set), "{text}");
}

#[test]
fn wrong_arguments_are_refused() {
    let sandbox = Sandbox::new();
    let wrong: [&[&str]; 17] = [
        &[],
        &["fly"],
        &["run", "--fly"],
        &["run", "splash.toml", "second.toml"],
        &["run", "splash.toml", "--threads", "0"],
        &["run", "splash.toml", "--threads", "-1"],
        &["run", "splash.toml", "--threads", "many"],
        &["run", "splash.toml", "--threads", "20000"],
        &["run", "splash.toml", "--instruction-set", "mmx"],
        &["run", "splash.toml", "--resume", "x"],
        &["run", "--resume", "x", "--set", "time.end=2"],
        &["run", "--resume", "x", "--overwrite"],
        &["run", "--resume"],
        &["check"],
        &["info"],
        &["bench", "--threads", "0"],
        &["bench", "--instruction-set", "mmx"],
    ];
    for arguments in wrong {
        sandbox.thixo(arguments).refused(&["--help"]);
    }
    assert!(!sandbox.path("out").exists());
}

#[test]
fn wrong_words_are_told_what_was_probably_meant() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    let cases: [(&[&str], &str); 10] = [
        (&["splash.toml"], "tip: to simulate that scene: thixo run splash.toml"),
        (&["two-drops"], "tip: to simulate that scene: thixo run two-drops"),
        (&["simulate", "splash.toml"], "tip: the commands are run, check, scenes"),
        (&["scenes", "two-drop"], "(did you mean `two-drops`?)"),
        (&["scenes", "two-drops.toml"], "(did you mean `two-drops`?)"),
        (&["validate", "f1"], "(did you mean `F1`?)"),
        (&["bench", "dam_wscph"], "(did you mean `dam_wcsph`?)"),
        (&["run", "splash.toml", "-o", "file"], "file exists and is a file; choose another folder"),
        (&["run", "splash.toml", "--set", "world.spacing=0,02"], "numbers have a decimal point"),
        (&["run", "splash.toml", "--treads", "2"], "tip: a similar argument exists: '--threads'"),
    ];
    for (arguments, advice) in cases {
        sandbox.thixo(arguments).refused(&[advice]);
    }
    let no_option = sandbox.thixo(&["check", "-o", "x", "splash.toml"]).expect(2).stderr;
    assert!(no_option.contains("unexpected argument '-o'") && !no_option.contains("-- -o"), "{no_option}");
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.02", "-q"]).expect(0);
    let finished = sandbox.thixo(&["run", "--resume", "x", "--until", "0.01"]).expect(0).stderr;
    assert!(finished.ends_with("t = 0.020000 s\n"), "{finished}");
}

#[test]
fn unreadable_scenes_are_refused_with_a_remedy() {
    let sandbox = Sandbox::new();
    sandbox.write("binary.toml", [0xff, 0xfe, 0x00, 0x80]);
    fs::create_dir(sandbox.path("folder")).unwrap();
    for command in ["run", "check"] {
        sandbox.thixo(&[command, "missing.toml"]).refused(&["cannot read missing.toml: no such file", "thixo scenes"]);
        sandbox.thixo(&[command, "folder"]).refused(&["cannot read folder: ", "not a folder"]);
        sandbox.thixo(&[command, "binary.toml"]).refused(&["binary.toml is no text in UTF-8", "byte 1 "]);
        sandbox.thixo(&[command, "/dev/zero"]).refused(&["/dev/zero is no scene", "larger than"]);
        let gallery = "did you mean the scene `two-drops` of the gallery? thixo run two-drops";
        sandbox.thixo(&[command, "two-drop"]).refused(&[gallery]);
    }
    assert!(!sandbox.path("out").exists());
}

#[test]
fn scenes_of_the_gallery_run_by_name_unless_a_file_has_it() {
    let sandbox = Sandbox::new();
    let ended = sandbox.thixo(&["check", "two-drops"]).expect(0);
    assert!(ended.stdout.starts_with("two-drops.toml: no problems"), "{}", ended.stdout);
    assert!(ended.stderr.contains("two-drops: the scene of the gallery"), "{}", ended.stderr);
    // A folder of that name is no scene.
    fs::create_dir(sandbox.path("two-drops")).unwrap();
    sandbox.thixo(&["run", "two-drops", "--until", "0.001", "-q"]).expect(0);
    assert!(sandbox.path("out/two-drops/run.toml").is_file());
    for file in ["two-cuboids", "two-drops.toml"] {
        sandbox.write(file, SPLASH);
        let ended = sandbox.thixo(&["check", file.trim_end_matches(".toml")]).expect(0);
        assert!(ended.stdout.contains("body pool"), "{}", ended.stdout);
        assert!(ended.stderr.contains(&format!("{file}: the file of that name, not the scene")), "{}", ended.stderr);
    }
}

#[test]
fn usage_says_what_may_stand_together() {
    let sandbox = Sandbox::new();
    let usage = |arguments: &[&str]| sandbox.thixo(arguments).expect(2).stderr;
    let run = usage(&["run", "splash.toml", "--resume", "x", "-o", "y"]);
    assert!(run.contains("thixo run [OPTIONS] [SCENE]\n       thixo run [OPTIONS] --resume <DIR>"), "{run}");
    let render = usage(&["render", "x", "--surface", "--style", "glass"]);
    assert!(render.contains("Usage: thixo render [OPTIONS] <FOLDER>\n"), "{render}");
    assert!(usage(&["run", "splash.toml", "--changed"]).contains("--resume"));
}

#[test]
fn overrides_know_names_and_refuse_what_nobody_uses() {
    let sandbox = Sandbox::new();
    let set = ["run", "splash.toml", "-o", "x", "--until", "0.001", "-q", "--set", "bodies.drop.velocity=[0, -1, 0]"];
    sandbox.thixo(&set).expect(0);
    assert!(fs::read_to_string(sandbox.path("x/run.toml")).unwrap().contains("velocity = [0.0, -1.0, 0.0]"));
    let check = |set| sandbox.thixo(&["check", "splash.toml", "--set", set]);
    check("materials.watr.density=900").refused(&["nobody uses one of that name", "did you mean `water`?"]);
    check("bodies.dorp.velocity=[0, 0, 0]").refused(&["did you mean `drop`?"]);
    check("probes.flor.name=x").refused(&["did you mean `floor`?"]);
}

#[test]
fn scene_with_problems_is_refused_with_all_of_them_and_no_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.toml", SPLASH.replace("spacing = 0.02", "spacing = -1.0").replace("density =", "densty ="));
    for command in [&["check", "bad.toml"][..], &["run", "bad.toml"], &["run", "bad.toml", "-o", "a/b"]] {
        sandbox.thixo(command).refused(&["bad.toml:3:", "bad.toml:11:", "did you mean `density`?"]);
    }
    // As written it must be sound, whatever is overridden.
    let run = ["run", "bad.toml", "--set", "world.spacing=0.02", "--set", "materials.water.density=1000"];
    sandbox.thixo(&run).refused(&["bad.toml:3:"]);
    sandbox.thixo(&["check", "splash.toml", "--set", "world.spacing=-1"]).refused(&["--set world.spacing=-1"]);
    assert!(!sandbox.path("out").exists() && !sandbox.path("a").exists());
}

#[test]
fn overrides_are_part_of_the_scene_as_run() {
    let sandbox = Sandbox::new();
    let set = ["--set", "materials.water.density=900", "--set", "bodies.1.velocity=[0, -1, 0]"];
    sandbox.thixo(&[&["run", "splash.toml", "-o", "x", "--until", "0.01"], &set[..]].concat()).expect(0);
    let text = fs::read_to_string(sandbox.path("x/run.toml")).unwrap();
    assert!(text.contains("density = 900.0") && text.contains("velocity = [0.0, -1.0, 0.0]"), "{text}");
    assert!(text.contains("seed = ") && text.contains("instruction_set = ") && text.contains("version = "), "{text}");
}

#[test]
fn check_tells_what_a_scene_takes() {
    let sandbox = Sandbox::new();
    let report = sandbox.thixo(&["check", "splash.toml"]).expect(0).stdout;
    for words in [
        "no problems",
        "body pool  250 particles",
        "wall tank",
        "memory ",
        "201 frames",
        "pressure   ",
        "steps ",
        "time  ",
    ] {
        assert!(report.contains(words), "`{words}` is missing: {report}");
    }
    let warned = sandbox.thixo(&["check", "splash.toml", "--set", "bodies.0.shape.box.max=[0.5, 0.19, 0]"]).expect(0);
    assert!(warned.stderr.starts_with("warning: body `pool`"), "{}", warned.stderr);
    // Springs that no such step can follow.
    let stiff = "materials.water={ density = 1000, elastic.corotated = { young_modulus = 1e12 } }";
    let set = ["--set", stiff, "--set", "pressure={ penalty = {} }", "--set", "time.step={ fixed = 0.005 }"];
    let failed = sandbox.thixo(&[&["check", "splash.toml"], &set[..]].concat()).expect(1);
    assert!(failed.stderr.contains("splash.toml: the first steps fail: "), "{}", failed.stderr);
}

/// With debug information it was seven times as large.
#[test]
fn the_program_carries_nothing_that_its_users_do_not_need() {
    let size = fs::metadata(env!("CARGO_BIN_EXE_thixo")).unwrap().len();
    assert!(cfg!(debug_assertions) || size < 32_000_000, "{size}");
}

#[test]
fn scenes_are_listed_one_per_line_with_the_demo_first() {
    let sandbox = Sandbox::new();
    let list = sandbox.thixo(&["scenes"]).expect(0).stdout;
    let names: Vec<_> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names[0], "demo");
    for name in &names {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
    }
    let json: Value = serde_json::from_str(&sandbox.thixo(&["scenes", "--json"]).expect(0).stdout).unwrap();
    let listed: Vec<_> = json.as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap()).collect();
    assert_eq!(listed, names);
    let one: Value = serde_json::from_str(&sandbox.thixo(&["scenes", "demo", "--json"]).expect(0).stdout).unwrap();
    assert_eq!(one["text"].as_str().unwrap(), sandbox.thixo(&["scenes", "demo"]).expect(0).stdout);
    sandbox.thixo(&["scenes", "demon"]).refused(&["no scene `demon`", "demo, "]);
}

#[test]
fn schema_is_json() {
    let schema: Value = serde_json::from_str(&Sandbox::new().thixo(&["schema"]).expect(0).stdout).unwrap();
    assert!(schema["properties"]["world"].is_object());
}

#[test]
fn info_tells_what_a_run_holds() {
    let sandbox = Sandbox::new();
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.1"]).expect(0);
    let text = sandbox.thixo(&["info", "x"]).expect(0).stdout;
    for words in ["x: stopped", "pool, drop", "0.1 s of 1 s", "21 of 201", "velocity [m/s]"] {
        assert!(text.contains(words), "`{words}` is missing: {text}");
    }
    let json: Value = serde_json::from_str(&sandbox.thixo(&["info", "x", "--json"]).expect(0).stdout).unwrap();
    let log = sandbox.results("x").log;
    assert_eq!(json["steps"], log.len());
    assert_eq!((&json["time"], &json["frames"], &json["state"]), (&0.1.into(), &21.into(), &"stopped".into()));
    assert_eq!(json["bodies"], serde_json::json!(["pool", "drop"]));
    sandbox.thixo(&["info", "splash.toml"]).refused(&["splash.toml is a file"]);
    sandbox.thixo(&["info", "."]).refused(&["not the folder of a run"]);

    sandbox.thixo(&["run", "splash.toml", "-o", "y", "--set", "time.end=0.0123"]).expect(0);
    let text = sandbox.thixo(&["info", "y"]).expect(0).stdout;
    assert!(text.starts_with("y: finished\n"), "{text}");

    // A damaged frame is a failure, and the rest is told all the same.
    sandbox.write("y/frames/000002.thixo", "damaged");
    let ended = sandbox.thixo(&["info", "y"]).expect(1);
    assert!(ended.stdout.contains("3 of 3") && ended.stderr.contains("error: y/frames/000002.thixo"));
}

#[test]
fn scenes_may_have_any_line_ends_mark_and_path() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&["--until", "0.02"]);
    sandbox.write("Über die Wüste 水.toml", format!("\u{feff}{}", SPLASH.replace('\n', "\r\n")));
    let folder = "Ergebnisse hier/tief 水";
    sandbox.thixo(&["run", "Über die Wüste 水.toml", "-o", folder, "--until", "0.01"]).expect(0);
    sandbox.thixo(&["run", "--resume", folder, "--until", "0.02"]).expect(0);
    sandbox.results(folder).assert_same(&expected);
    sandbox.thixo(&["check", "Über die Wüste 水.toml"]).expect(0);
    sandbox.thixo(&["run", "Über die Wüste 水.toml", "--until", "0.02"]).expect(0);
    sandbox.results("out/Über die Wüste 水").assert_same(&expected);
}

#[test]
fn scene_may_come_from_standard_input() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&["--until", "0.02"]);
    let mut command = sandbox.command(&["run", "-", "--until", "0.02"]);
    let status =
        command.stdin(File::open(sandbox.path("splash.toml")).unwrap()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success());
    sandbox.results("out/scene").assert_same(&expected);
}

#[test]
fn closed_pipes_bring_nothing_down() {
    let sandbox = Sandbox::new();
    for script in [
        "\"$0\" schema | true",
        "\"$0\" run splash.toml -o x --until 0.02 2>&1 | true",
        "\"$0\" run splash.toml -o y --until 0.02 >&- 2>&-",
    ] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_thixo")]).current_dir(sandbox.path(""));
        assert!(command.status().unwrap().success(), "{script}");
    }
    assert_eq!(sandbox.results("y").frames.len(), 5);
    assert_eq!(sandbox.results("x").frames.len(), 5);
}

#[test]
fn diverging_run_fails_with_a_diagnosis_and_a_valid_folder() {
    let sandbox = Sandbox::new();
    // Steps far too long for so stiff a fluid.
    let set = ["--set", "time.step={ fixed = 0.05 }", "--set", "pressure.wcsph.stiffness=1e9", "--set", "time.fps=1"];
    let ended = sandbox.thixo(&[&["run", "splash.toml", "-o", "x"], &set[..]].concat()).expect(1);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("error: the simulation diverged at t = "), "{}", ended.stderr);
    assert!(ended.stderr.contains("x holds everything up to t = "), "{}", ended.stderr);
    assert_eq!(sandbox.results("x").frames.len(), 1);
    sandbox.thixo(&["info", "x"]).expect(0);
}

#[test]
fn cases_that_do_not_exist_are_not_measured() {
    let sandbox = Sandbox::new();
    sandbox.thixo(&["bench", "dam_wcsph", "dam_of_gold", "--json"]).refused(&["`dam_of_gold`", "dam_wcsph"]);
}

#[test]
fn matter_without_room_is_told_before_the_run_fails() {
    let sandbox = Sandbox::new();
    sandbox.write("piston.toml", include_str!("piston.toml"));
    let story = sandbox.thixo(&["run", "piston.toml", "-o", "x"]).expect(1).stderr;
    assert!(story.contains("J of energy have come from nowhere"), "{story}");
    let warn = ["--overwrite", "--set", "world.energy_gain=\"warn\""];
    let story = sandbox.thixo(&[&["run", "piston.toml", "-o", "x"], &warn[..]].concat()).expect(1).stderr;
    for told in [
        "iterations of the pressure solver left an error of",
        "matter has been denser than at rest for 100 steps",
        "steps have shrunk to",
        "look for matter that has no room",
        "error: the simulation diverged at t = ",
    ] {
        assert!(story.contains(told), "`{told}` in {story}");
    }
}
