//! A run that is killed again and again, at any moment, ends as one that was left alone.

use std::fs;
use std::thread;
use std::time::Duration;

use crate::sandbox::{Sandbox, file_names};

/// Kills that must hit a running process.
const KILLS: usize = 24;

/// Numbers that look random and are the same in every run of the test (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Where kills fell.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    before_run_toml: usize,
    while_stepping: usize,
}

#[test]
fn run_killed_at_random_moments_equals_an_unbroken_one() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&[]);
    assert_eq!(expected.frames.len(), 201);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut tally = Tally::default();
    // A run may be through before all kills are spent; the next gets the rest.
    for attempt in 0.. {
        run_under_fire(&sandbox, &format!("killed-{attempt}"), &mut random, &mut tally);
        sandbox.results(&format!("killed-{attempt}")).assert_same(&expected);
        if tally.kills >= KILLS {
            break;
        }
    }
    println!("{tally:?}");
    assert!(tally.while_stepping >= KILLS / 2, "{tally:?}");
}

fn run_under_fire(sandbox: &Sandbox, folder: &str, random: &mut Random, tally: &mut Tally) {
    for kills_so_far in 0.. {
        let path = sandbox.path(folder);
        let can_resume = path.join("run.toml").exists();
        let start = ["run", "splash.toml", "-o", folder, "--overwrite"];
        let go_on = ["run", "--resume", folder];
        let mut child = sandbox.spawn(if can_resume { &go_on } else { &start });
        // Some die in their first milliseconds, while the folder is made or put back; most while they step.
        // On a machine so busy that hardly any gets to its next checkpoint, they are given more and more time.
        let longest = 180 + 10 * kills_so_far;
        let delay = if random.below(4) == 0 { random.below(12) } else { random.below(longest) };
        thread::sleep(Duration::from_millis(delay));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return;
        }
        let rows = fs::metadata(path.join("log.jsonl")).map_or(0, |log| log.len());
        child.kill().unwrap();
        child.wait().unwrap();
        tally.kills += 1;
        tally.before_run_toml += usize::from(!path.join("run.toml").exists());
        tally.while_stepping += usize::from(can_resume && rows > 0);
        assert_nothing_half_written(sandbox, folder);
    }
}

/// Whatever has a final name is whole, at any moment.
fn assert_nothing_half_written(sandbox: &Sandbox, folder: &str) {
    let frames = sandbox.path(folder).join("frames");
    for name in file_names(&frames).iter().filter(|name| name.ends_with(".thixo")) {
        thixo_frames::read_native(&frames.join(name)).unwrap();
    }
    let checkpoints = sandbox.path(folder).join("checkpoints");
    for name in file_names(&checkpoints).iter().filter(|name| name.ends_with(".checkpoint")) {
        thixo_frames::read_checkpoint(&checkpoints.join(name)).unwrap();
    }
}

#[test]
fn run_killed_in_its_first_moments_can_be_resumed_or_overwritten() {
    let sandbox = Sandbox::new();
    let expected = sandbox.unbroken(&["--until", "0.05"]);
    for delay in 0..12 {
        let folder = format!("killed-{delay}");
        let mut child = sandbox.spawn(&["run", "splash.toml", "-o", &folder]);
        thread::sleep(Duration::from_micros(700 * delay));
        child.kill().unwrap();
        child.wait().unwrap();
        let path = sandbox.path(&folder);
        if path.join("run.toml").exists() {
            sandbox.thixo(&["run", "--resume", &folder, "--until", "0.05"]).expect(0);
        } else {
            if path.exists() {
                sandbox.thixo(&["run", "--resume", &folder]).expect(2);
            }
            sandbox.thixo(&["run", "splash.toml", "-o", &folder, "--overwrite", "--until", "0.05"]).expect(0);
        }
        let results = sandbox.results(&folder);
        // One that was quick may have got beyond.
        if results.frames.len() == expected.frames.len() {
            results.assert_same(&expected);
        }
    }
}
