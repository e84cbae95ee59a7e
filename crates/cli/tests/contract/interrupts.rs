//! Ctrl-C and SIGTERM.

use std::thread;
use std::time::Duration;

use crate::sandbox::{Ended, Sandbox, file_names, signal};

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
        let last_step = format!("{:012}.checkpoint", before.log.len());
        let checkpoints = file_names(&sandbox.path(name).join("checkpoints"));
        assert!(checkpoints.contains(&last_step), "no {last_step} among {checkpoints:?}");
        let child = sandbox.spawn_and_wait(&["run", "--resume", name], name, before.log.len() + 50);
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
fn signal_to_process_and_group_is_one_wish() {
    let sandbox = Sandbox::new();
    let child = sandbox.spawn_and_wait(&["run", "splash.toml", "-o", "x"], "x", 100);
    // Both wait until the process goes on, so they arrive together, as those of `timeout` do.
    signal(&child, &["STOP", "INT", "TERM", "CONT"]);
    let ended = Ended::of(child).expect(130);
    assert!(ended.stderr.contains("interrupted at t = "), "it quit at once: {}", ended.stderr);
}

#[test]
fn second_signal_quits_at_once_and_leaves_a_folder_that_can_be_resumed() {
    let sandbox = Sandbox::new();
    // So many particles that a step takes longer than the time between the signals.
    let run = ["run", "splash.toml", "-o", "x", "--threads", "1", "--overwrite", "--set", "world.spacing=0.0005"];
    let quit = (0..5).any(|_| {
        let child = sandbox.spawn_and_wait(&run, "x", 1);
        signal(&child, &["INT"]);
        thread::sleep(Duration::from_millis(110));
        signal(&child, &["INT"]);
        // Now and then the first comes at the end of a step, and the run is over before the second.
        !Ended::of(child).expect(130).stderr.contains("interrupted at")
    });
    assert!(quit, "the second signal was never needed");
    let info = sandbox.thixo(&["info", "x"]).expect(0).stdout;
    assert!(info.starts_with("x: stopped; to go on: thixo run --resume x"), "{info}");
    sandbox.thixo(&["run", "--resume", "x", "--until", "0.0001"]).expect(0);
}
