//! Ctrl-C and SIGTERM.

use crate::sandbox::{Ended, Sandbox, signal};

#[test]
fn interrupted_run_goes_on_to_the_same_bits() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&[]);
    for name in ["INT", "TERM"] {
        let run = ["run", "splash.toml", "-o", name];
        let child = sandbox.spawn_and_wait(&run, name, 100);
        signal(&child, &[name]);
        let ended = Ended::of(child).expect(130);
        assert_eq!(ended.stdout, "");
        let last = ended.stderr.lines().last().unwrap();
        assert!(last.starts_with("interrupted at t = ") && last.ends_with(&format!("thixo run --resume {name}")));

        let before = sandbox.results(name);
        assert!(before.frames.len() < expected.frames.len(), "the signal came too late");
        let child = sandbox.spawn_and_wait(&["run", "--resume", name], name, before.log.len() + 50);
        assert!(sandbox.results(name).log.starts_with(&before.log), "an interrupted run lost its last steps");
        signal(&child, &[name]);
        Ended::of(child).expect(130);
        sandbox.thixo(&["run", "--resume", name]).expect(0);
        sandbox.results(name).assert_same(&expected);
    }
}

#[test]
fn interrupted_run_with_another_end_says_how_to_reach_it() {
    let sandbox = Sandbox::new();
    let child = sandbox.spawn_and_wait(&["run", "splash.toml", "-o", "my run", "--until", "3"], "my run", 50);
    signal(&child, &["INT"]);
    let ended = Ended::of(child).expect(130);
    assert!(ended.stderr.contains("thixo run --resume 'my run' --until 3\n"), "{}", ended.stderr);
}

#[test]
fn second_signal_quits_at_once_and_leaves_a_folder_that_can_be_resumed() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&[]);
    let run = ["run", "splash.toml", "-o", "x", "--threads", "1"];
    let child = sandbox.spawn_and_wait(&run, "x", 100);
    // Both wait until the process goes on, so there is no step between them.
    signal(&child, &["STOP", "INT", "TERM", "CONT"]);
    let ended = Ended::of(child).expect(130);
    assert!(!ended.stderr.contains("interrupted at"), "it took its time: {}", ended.stderr);
    sandbox.thixo(&["run", "--resume", "x"]).expect(0);
    sandbox.results("x").assert_same(&expected);
}
