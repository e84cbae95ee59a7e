//! Frames depend on nothing but the scene.

use crate::sandbox::{Results, Sandbox};

/// Large enough that several chunks of every loop and every sum are shared out.
fn falling_drop(sandbox: &Sandbox, folder: &str, arguments: &[&str]) -> Results {
    let scene = sandbox.thixo(&["scenes", "falling-drop"]).expect(0).stdout;
    sandbox.write("drop.toml", scene);
    let all = ["run", "drop.toml", "-o", folder, "--until", "0.2", "--set", "world.spacing=0.025"];
    sandbox.thixo(&[&all, arguments].concat()).expect(0);
    sandbox.results(folder)
}

#[test]
fn any_thread_count_and_instruction_set_gives_the_same_bits() {
    let sandbox = Sandbox::new();
    let one = falling_drop(&sandbox, "one", &["--threads", "1"]);
    assert!(one.frames.len() >= 3 && one.log.len() > 20);
    for threads in ["2", "3"] {
        falling_drop(&sandbox, threads, &["--threads", threads]).assert_same(&one);
    }
    falling_drop(&sandbox, "baseline", &["--instruction-set", "baseline"]).assert_same(&one);
    if std::arch::is_x86_feature_detected!("avx2") {
        falling_drop(&sandbox, "avx2", &["--instruction-set", "avx2", "--threads", "2"]).assert_same(&one);
    }
}

#[test]
fn two_runs_of_one_scene_write_the_same_files() {
    let sandbox = Sandbox::new();
    for folder in ["a", "b"] {
        sandbox.thixo(&["run", "splash.toml", "-o", folder, "--until", "0.1"]).expect(0);
    }
    let [a, b] = ["a", "b"].map(|folder| sandbox.results(folder));
    a.assert_same(&b);
    let [a, b] = ["a/run.toml", "b/run.toml"].map(|file| std::fs::read_to_string(sandbox.path(file)).unwrap());
    assert_eq!(a, b);

    // And the scene as run is a scene that runs.
    sandbox.thixo(&["run", "a/run.toml", "-o", "c", "--until", "0.1"]).expect(0);
    sandbox.results("c").assert_same(&sandbox.results("a"));
    assert_eq!(std::fs::read_to_string(sandbox.path("c/run.toml")).unwrap(), a);
}

#[test]
fn same_bits_after_a_change_of_threads_and_formats_of_the_same_run() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&["--until", "0.2", "--set", "output.frames=[\"native\", \"vtk\"]"]);
    assert_eq!(expected.frames.len(), 2 * 41);
    let start = ["run", "splash.toml", "-o", "x", "--until", "0.1", "--set", "output.frames=[\"native\", \"vtk\"]"];
    sandbox.thixo(&[&start[..], &["--threads", "1"]].concat()).expect(0);
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.2", "--threads", "3"]).expect(0);
    sandbox.results("x").assert_same(&expected);
}
