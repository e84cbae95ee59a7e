//! A disk that is full, played by a limit on the size of files.

use std::process::Command;

use crate::sandbox::{Ended, Sandbox};

/// Runs the command while no file may grow beyond so many blocks (of 512 bytes, as POSIX has it).
fn limited(sandbox: &Sandbox, blocks: u32, arguments: &[&str]) -> Ended {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let binary = env!("CARGO_BIN_EXE_thixo");
    let mut command = Command::new("sh");
    command.args(["-c", &script, binary]).args(arguments).current_dir(sandbox.path(""));
    Ended::new(command.output().unwrap())
}

#[test]
fn full_disk_stops_the_run_which_goes_on_to_the_same_bits_when_there_is_room() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&[]);
    // The log is the first that becomes too large: 200 bytes for each of some thousand steps.
    let ended = limited(&sandbox, 200, &["run", "splash.toml", "-o", "x"]).expect(1);
    assert_eq!(ended.stdout, "");
    let message = ended.stderr.split("error: ").nth(1).unwrap();
    assert!(message.starts_with("cannot write x/"), "{message}");
    assert!(message.ends_with("then go on with: thixo run --resume x\n"), "{message}");

    // What is there is whole.
    let before = sandbox.results("x");
    assert!(before.frames.len() > 20 && before.frames.len() < expected.frames.len());
    assert!(before.frames.iter().all(|(name, hash)| expected.frames[name] == *hash));
    assert!(expected.log.starts_with(&before.log));

    limited(&sandbox, 200, &["run", "--resume", "x"]).expect(1);
    sandbox.thixo(&["run", "--resume", "x"]).expect(0);
    sandbox.results("x").assert_same(&expected);
}

#[test]
fn disk_too_full_for_a_frame_leaves_no_part_of_it() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&["--until", "0.05", "--set", "output.frames=[\"native\", \"vtk\"]"]);
    let set = "output.frames=[\"native\", \"vtk\"]";
    // Room for the first checkpoint and for `run.toml`, not for a frame.
    let ended = limited(&sandbox, 12, &["run", "splash.toml", "-o", "x", "--until", "0.05", "--set", set]).expect(1);
    assert!(ended.stderr.contains("cannot write x/frames/000000.thixo: "), "{}", ended.stderr);
    assert!(sandbox.results("x").frames.is_empty());
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.05"]).expect(0);
    sandbox.results("x").assert_same(&expected);
}

#[test]
fn disk_too_full_to_begin_says_how_to_begin_again() {
    let sandbox = Sandbox::new();
    let run = ["run", "splash.toml", "-o", "x", "--until", "0.05"];
    let ended = limited(&sandbox, 1, &run).expect(1);
    assert!(ended.stderr.contains("cannot write x/checkpoints/000000000000.checkpoint: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("`-o x --overwrite`"), "{}", ended.stderr);
    sandbox.thixo(&["run", "--resume", "x"]).refused(&["stopped before its first step", "`--overwrite`"]);
    sandbox.thixo(&[&run[..], &["--overwrite"]].concat()).expect(0);
    sandbox.results("x").assert_same(&sandbox.unbroken(&["--until", "0.05"]));
}
