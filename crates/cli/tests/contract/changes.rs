//! A run whose `run.toml` was changed before it goes on.

use std::fs;

use crate::sandbox::{Ended, Sandbox, contents};

/// A run that was stopped, whose scene is then changed.
fn changed(old: &str, new: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.1", "-q"]).expect(0);
    let text = fs::read_to_string(sandbox.path("x/run.toml")).unwrap();
    assert!(text.contains(old), "{text}");
    sandbox.write("x/run.toml", text.replacen(old, new, 1));
    sandbox
}

fn resume(sandbox: &Sandbox, more: &[&str]) -> Ended {
    sandbox.thixo(&[&["run", "--resume", "x", "-q"], more].concat())
}

#[test]
fn what_has_become_state_cannot_change() {
    for (old, new, told) in [
        ("density = 1000.0", "density = 900.0", "materials.water.density: 1000.0 before, 900.0 now"),
        ("-9.81", "-3.7", "world.gravity: [0.0, -9.81, 0.0] before, [0.0, -3.7, 0.0] now"),
        ("radius = 0.06", "radius = 0.05", "probes.floor.pressure.radius: 0.06 before, 0.05 now"),
        ("fps = 200.0", "fps = 100.0", "time.fps: 200.0 before, 100.0 now"),
    ] {
        let sandbox = changed(old, new);
        let before = contents(&sandbox.path("x"));
        for more in [&[][..], &["--until", "0.12"], &["--changed"]] {
            resume(&sandbox, more).refused(&[
                "x/run.toml was changed",
                told,
                "old values back",
                "thixo run x/run.toml",
            ]);
        }
        assert!(contents(&sandbox.path("x")) == before, "nothing was changed");
    }
}

#[test]
fn the_end_and_what_is_written_may_change_and_are_told() {
    let sandbox = changed("end = 1.0", "end = 0.11");
    let expected = sandbox.unbroken(&["--until", "0.11"]);
    let ended = resume(&sandbox, &[]).expect(0);
    assert!(ended.stderr.contains("time.end: 1.0 before, 0.11 now"), "{}", ended.stderr);
    sandbox.results("x").assert_same(&expected);
    // The last checkpoint was made with the new scene.
    let sandbox = changed("frames = [\"native\"]", "frames = [\"native\", \"vtk\"]");
    let ended = resume(&sandbox, &["--until", "0.2"]).expect(0);
    assert!(ended.stderr.contains("output.frames: [\"native\"] before"), "{}", ended.stderr);
    assert_eq!(resume(&sandbox, &["--until", "0.2"]).expect(0).stderr, "");
}

#[test]
fn how_steps_are_made_may_change_on_purpose() {
    let sandbox = changed("cfl = 0.4", "cfl = 0.1");
    let told = "time.step.adaptive.cfl: 0.4 before, 0.1 now";
    resume(&sandbox, &["--until", "0.12"]).refused(&[told, "thixo run --resume x --changed"]);
    let before = sandbox.results("x").log.len();
    let ended = resume(&sandbox, &["--until", "0.12", "--changed"]).expect(0);
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    let (fine, usual) =
        (sandbox.results("x").log.len() - before, sandbox.unbroken(&["--until", "0.12"]).log.len() - before);
    assert!(fine > usual, "{fine} steps instead of {usual}");
}

#[test]
fn comments_and_defaults_are_no_change() {
    let sandbox = changed("[time]", "# A remark.\n[time]");
    let text = fs::read_to_string(sandbox.path("x/run.toml")).unwrap();
    sandbox.write("x/run.toml", text.replace("no_slip = false\n", ""));
    assert_eq!(resume(&sandbox, &["--until", "0.12"]).expect(0).stderr, "");
}
