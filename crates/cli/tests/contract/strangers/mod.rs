//! Scenes that nobody has thought of: random shapes, samplings, solvers, materials and tanks, each with plain defaults. Pools in
//! matching tanks rest, no energy is gained, and what ends with 0 makes sense.
//!
//! `cargo xtask strangers --seed 7 --count 100` draws others and prints what each did; those that fail lie in
//! `target/strangers`.

mod drawing;
mod verdict;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::sandbox::{Ended, Sandbox, signal};
use drawing::Drawn;
use verdict::Verdict;

/// Scenes take seconds.
const LONGEST: Duration = Duration::from_secs(60);

/// Draws scenes, runs and judges them; returns what those that fail did.
fn judge(seed: u64, numbers: impl Iterator<Item = u64>) -> Vec<String> {
    let mut failed = Vec::new();
    for number in numbers {
        let Drawn { title, text, check } = drawing::draw(seed, number);
        let sandbox = Sandbox::new();
        sandbox.write("scene.toml", &text);
        let ended = run(&sandbox);
        let Verdict { told, wrong } = Verdict::of(&ended, &sandbox.path("x"), &check);
        let row = format!("{seed}-{number:03} {} {title}: {told}", if wrong.is_empty() { "ok  " } else { "FAIL" });
        println!("{row}{}", wrong.iter().map(|fault| format!("; {fault}")).collect::<String>());
        if !wrong.is_empty() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/strangers");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{seed}-{number:03}.toml")), &text).unwrap();
            failed.push(format!("{row}; {}", wrong.join("; ")));
        }
    }
    failed
}

/// Runs the scene, but not for ever: steps that become tiny are asked to stop.
fn run(sandbox: &Sandbox) -> Ended {
    let mut child = sandbox.spawn(&["run", "scene.toml", "-o", "x", "--quiet"]);
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > LONGEST {
            signal(&child, &["INT"]);
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ended::of(child)
}

/// Scenes of the first seed that hold today, seconds together. That is not yet true of all: pools in 3D are not quite at rest after a
/// second, and cohesion, and some bodies that water or walls squeeze, gain energy.
const HOLDING: [u64; 20] = [1, 2, 6, 7, 8, 9, 14, 15, 17, 23, 28, 29, 32, 36, 39, 42, 43, 44, 47, 54];

#[test]
fn a_few_scenes_of_strangers_make_sense() {
    let failed = judge(1, HOLDING.into_iter());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
#[ignore = "minutes: cargo xtask strangers"]
fn many_scenes_of_strangers_make_sense() {
    let number = |name, otherwise| std::env::var(name).map_or(otherwise, |text| text.parse().unwrap());
    let (seed, count) = (number("STRANGERS_SEED", 1), number("STRANGERS_COUNT", 100));
    let failed = judge(seed, 0..count);
    println!("{} of {count} fail", failed.len());
    assert!(failed.is_empty());
}
