//! Frames read by other people's programs: numpy and VTK, from PyPI, in a virtual environment of our own.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, cargo, run};

const PACKAGES: [&str; 2] = ["numpy", "vtk"];

/// Writes sample frames and has Python read them. Without the packages the check is skipped, except under `CI`.
pub(crate) fn read_frames(root: &Path) -> Outcome {
    let python = match environment(root) {
        Ok(python) => python,
        Err(reason) if env::var_os("CI").is_some() => return Err(format!("Python packages: {reason}")),
        Err(reason) => {
            println!("xtask: skipped: frames read by numpy and VTK ({reason})");
            return Ok(());
        }
    };
    let folder = root.join("target/python/frames");
    let folder = folder.to_string_lossy();
    run(
        "sample frames",
        cargo(&["run", "--release", "--quiet", "-p", "thixo-frames", "--example", "write_sample", "--", &folder]),
    )?;
    let mut test = Command::new(python);
    test.env("PYTHONDONTWRITEBYTECODE", "1").arg(root.join("crates/frames/python/test_read_frame.py")).arg(&*folder);
    run("frames read by numpy and VTK", test)
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
