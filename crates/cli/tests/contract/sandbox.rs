//! A folder of its own for a test, the binary to run in it, and what runs leave there.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A drop falls into a small pool, in 2D: 200 frames in about a second.
pub(crate) const SPLASH: &str = r#"
[world]
spacing = 0.02
dimension = 2

[time]
end = 1.0
fps = 200

[materials.water]
density = 1000.0
fluid.viscosity.xsph = { strength = 0.02 }

[[bodies]]
name = "pool"
material = "water"
shape.box = { min = [0.0, 0.0, 0.0], max = [0.5, 0.2, 0.0] }

[[bodies]]
name = "drop"
material = "water"
shape.sphere = { centre = [0.2, 0.3, 0.0], radius = 0.07 }

[[walls]]
name = "tank"
shape.box = { min = [0.0, 0.0, 0.0], max = [0.5, 0.6, 0.0] }
inside = true

[[probes]]
name = "floor"
pressure = { at = [0.25, 0.0, 0.0], radius = 0.06 }

[[probes]]
name = "drop"
position = { body = "drop" }

[[probes]]
name = "all"
energy = {}
"#;

/// A folder that goes away with the test.
pub(crate) struct Sandbox(TempDir);

impl Sandbox {
    /// With `splash.toml` in it.
    pub(crate) fn new() -> Sandbox {
        let sandbox = Sandbox(tempfile::tempdir().unwrap());
        sandbox.write("splash.toml", SPLASH);
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The command, to be run in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thixo"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn thixo(&self, arguments: &[&str]) -> Ended {
        Ended::new(self.command(arguments).output().unwrap())
    }

    /// Starts the command.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Starts a run into a folder and returns when it has made so many steps.
    pub(crate) fn spawn_and_wait(&self, arguments: &[&str], folder: &str, steps: usize) -> Child {
        let child = self.spawn(arguments);
        let log = self.path(folder).join("log.jsonl");
        let started = Instant::now();
        while fs::read(&log).map_or(0, |rows| rows.iter().filter(|&&byte| byte == b'\n').count()) < steps {
            assert!(started.elapsed() < Duration::from_secs(30), "the run makes no steps");
            thread::sleep(Duration::from_millis(1));
        }
        child
    }

    /// What an unbroken run of `splash.toml` leaves.
    pub(crate) fn unbroken(&self, arguments: &[&str]) -> Results {
        let all = [&["run", "splash.toml", "-o", "unbroken", "--overwrite"], arguments].concat();
        self.thixo(&all).expect(0);
        self.results("unbroken")
    }

    pub(crate) fn results(&self, folder: &str) -> Results {
        Results::of(&self.path(folder))
    }
}

/// A command that has ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn new(output: Output) -> Ended {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ended = Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        ended
    }

    pub(crate) fn of(child: Child) -> Ended {
        Ended::new(child.wait_with_output().unwrap())
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Refused: exit code 2, nothing on standard output, and an explanation with these words.
    #[track_caller]
    pub(crate) fn refused(self, words: &[&str]) {
        let Ended { stdout, stderr, .. } = self.expect(2);
        assert_eq!(stdout, "");
        for words in words {
            assert!(stderr.contains(words), "`{words}` is missing: {stderr}");
        }
    }
}

/// Everything a run leaves but checkpoints and wall times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Results {
    /// Hash of every frame file, by name.
    pub(crate) frames: BTreeMap<String, u64>,
    /// Rows of the log, without the time each step took.
    pub(crate) log: Vec<String>,
    /// Rows of the probes.
    pub(crate) probes: Vec<String>,
}

impl Results {
    fn of(folder: &Path) -> Results {
        for inner in [folder.to_owned(), folder.join("frames"), folder.join("checkpoints")] {
            let names = file_names(&inner);
            assert!(!names.iter().any(|name| name.ends_with(".tmp")), "left over: {names:?}");
        }
        let hash = |name: String| {
            let mut hasher = DefaultHasher::new();
            fs::read(folder.join("frames").join(&name)).unwrap().hash(&mut hasher);
            (name, hasher.finish())
        };
        let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
        let probes = fs::read_to_string(folder.join("probes.csv")).unwrap();
        assert!((log.is_empty() || log.ends_with('\n')) && probes.ends_with('\n'), "the last row is not whole");
        Results {
            frames: file_names(&folder.join("frames")).into_iter().map(hash).collect(),
            log: log.lines().map(|row| row.split(",\"ms\":").next().unwrap().to_owned()).collect(),
            probes: probes.lines().map(str::to_owned).collect(),
        }
    }

    /// Equality, with a short message where they differ.
    #[track_caller]
    pub(crate) fn assert_same(&self, other: &Results) {
        assert_eq!(self.frames.keys().collect::<Vec<_>>(), other.frames.keys().collect::<Vec<_>>());
        let differs = self.frames.iter().find(|(name, hash)| other.frames[*name] != **hash);
        assert!(differs.is_none(), "frames differ, the first is {differs:?}");
        assert_eq!(self.log.len(), other.log.len(), "steps");
        let differs = self.log.iter().zip(&other.log).find(|(a, b)| a != b);
        assert!(differs.is_none(), "rows of the log differ: {differs:?}");
        let differs = self.probes.iter().zip(&other.probes).find(|(a, b)| a != b);
        assert!(differs.is_none(), "rows of the probes differ: {differs:?}");
        assert_eq!(self.probes.len(), other.probes.len());
        assert_eq!(self.probes.len(), self.log.len() + 1, "a row per step and the header");
    }
}

/// The names in a folder, sorted; none if there is no such folder.
pub(crate) fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Every file below a folder with its contents: to show that nothing was changed.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// Sends signals to a process, one after another.
pub(crate) fn signal(child: &Child, signals: &[&str]) {
    let kills: Vec<_> = signals.iter().map(|signal| format!("kill -{signal} {}", child.id())).collect();
    assert!(Command::new("sh").args(["-c", &kills.join(" && ")]).status().unwrap().success());
}
