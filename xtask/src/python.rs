//! Frames and surfaces read by other people's programs: numpy, meshio and VTK, from PyPI, in a virtual environment of
//! our own.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, cargo, run};

/// meshio prints through rich, and imports it at once.
const PACKAGES: [&str; 4] = ["numpy", "vtk", "meshio", "rich"];

/// Writes samples and has Python read them. Without the packages the check is skipped, except under `CI`.
pub(crate) fn read_samples(root: &Path) -> Outcome {
    let python = match environment(root) {
        Ok(python) => python,
        Err(reason) if env::var_os("CI").is_some() => return Err(format!("Python packages: {reason}")),
        Err(reason) => {
            println!("xtask: skipped: frames and surfaces read by numpy, meshio and VTK ({reason})");
            return Ok(());
        }
    };
    read(root, &python, "frame")?;
    read(root, &python, "surface")
}

/// Writes the samples of a crate, `frame` or `surface`, and has its test in Python read them.
fn read(root: &Path, python: &Path, what: &str) -> Outcome {
    let (package, example, source) = match what {
        "frame" => ("thixo-frames", "write_sample", "crates/frames/python/test_read_frame.py"),
        _ => ("thixo-surface", "write_surface", "crates/surface/python/test_read_surface.py"),
    };
    let folder = root.join("target/python").join(format!("{what}s"));
    let folder = folder.to_string_lossy();
    let sample = ["run", "--release", "--quiet", "-p", package, "--example", example, "--", &folder];
    run(&format!("sample {what}s"), cargo(&sample))?;
    let mut test = Command::new(python);
    test.env("PYTHONDONTWRITEBYTECODE", "1").arg(root.join(source)).arg(&*folder);
    run(&format!("{what}s read by other programs"), test)
}

/// The interpreter of a virtual environment that has the packages, made if need be.
fn environment(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/python/environment");
    let python = folder.join("bin/python");
    let succeeds = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    let imports = PACKAGES.map(|package| format!("import {package}")).join("; ");
    if succeeds(Command::new(&python).args(["-c", &imports])) {
        return Ok(python);
    }
    println!("xtask: installing {} into {}", PACKAGES.join(", "), folder.display());
    if !succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder)) {
        return Err("python3 cannot make a virtual environment".into());
    }
    // Without what they depend on: VTK would bring a plotting library that nothing here needs.
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]).args(PACKAGES);
    if succeeds(&mut pip) { Ok(python) } else { Err(format!("pip cannot install {}", PACKAGES.join(", "))) }
}
