//! The project's own tasks: `cargo xtask help`.

mod paths;
mod python;
mod sizes;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const HELP: &str = "\
cargo xtask TASK

  test    everything that must hold: format, lints, tests, documentation, named paths, sizes of files, the Python
          readers
  bless   rewrites expected outputs (messages of wrong scenes, scene reference) from what the program says now
  validate-f64
          the verification build, in double precision, held against the cases that are told by it
  strangers [--seed S] [--count N]
          runs scenes drawn from random shapes, samplings, solvers and materials (1 and 100 unless given); those that gain
          energy, do not rest or make no sense lie in target/strangers
  paths   checks that every path named in the documents exists
  help    this text";

/// What a task answers: nothing, or the sentence that says what failed.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let task = env::args().nth(1).unwrap_or_default();
    let outcome = match task.as_str() {
        "test" => test(),
        "bless" => bless(),
        "validate-f64" => validate_f64(),
        "strangers" => strangers(),
        "paths" => paths::check(&root()),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no task `{other}`\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// All checks, cheapest first. One optimised profile throughout: nothing is built twice.
fn test() -> Outcome {
    let begin = Instant::now();
    run("format", cargo(&["fmt", "--all", "--check"]))?;
    paths::check(&root())?;
    sizes::check(&root())?;
    run("tests", cargo(&["test", "--release", "--workspace", "--no-fail-fast"]))?;
    run("lints", cargo(&["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let mut documentation = cargo(&["doc", "--release", "--workspace", "--no-deps", "--quiet"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    run("documentation", documentation)?;
    python::read_samples(&root())?;
    println!("xtask: all checks passed in {:.0} s", begin.elapsed().as_secs_f64());
    Ok(())
}

fn bless() -> Outcome {
    let mut tests = cargo(&["test", "--release", "--package", "thixo-scene"]);
    tests.env("BLESS", "1");
    run("bless", tests)
}

/// Cases whose tolerance in double precision is stricter than in single precision, or that must hold in both.
const DOUBLE: [&str; 10] = ["K1", "K2", "C1", "C2", "C3", "D1", "E1", "F11", "S1", "DG96"];

fn validate_f64() -> Outcome {
    let build = ["--release", "--features", "f64", "--target-dir", "target/f64"];
    run("verification build", cargo(&[&["build"][..], &build].concat()))?;
    let mut validate = Command::new(root().join("target/f64/release/thixo"));
    validate.arg("validate").args(DOUBLE).args(env::args().skip(2));
    run("validation in double precision", validate)
}

fn strangers() -> Outcome {
    let test = ["test", "--release", "--package", "thixo-cli", "--test", "contract", "--"];
    let mut tests = cargo(&[&test[..], &["--ignored", "--nocapture", "many_scenes_of_strangers"]].concat());
    let arguments: Vec<_> = env::args().skip(2).collect();
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name == "--seed" && value.parse::<u64>().is_ok() => tests.env("STRANGERS_SEED", value),
            [name, value] if name == "--count" && value.parse::<u64>().is_ok() => tests.env("STRANGERS_COUNT", value),
            other => return Err(format!("strangers: `{}` is no option with a whole number", other.join(" "))),
        };
    }
    run("scenes of strangers", tests)
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end; what it prints is shown.
fn run(name: &str, mut command: Command) -> Outcome {
    println!("xtask: {name}");
    let status = command.status().map_err(|error| format!("{name}: cannot start {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed: {command:?}")) }
}
