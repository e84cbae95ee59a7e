//! What keys and types cannot tell: names that must exist, shapes that must fit, sizes that must be possible.

mod names;
mod probes;
mod space;

use thixo_sim::{Check, Parameters};

use crate::Scene;
use crate::document::Path;
use crate::wording::plain;

/// Something that makes no sense, by its path in the scene.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Where it is.
    pub(crate) path: Path,
    /// What is wrong.
    pub(crate) message: String,
    /// What helps; empty if the message says it.
    pub(crate) help: String,
    /// The other place, if two contradict each other.
    pub(crate) other: Option<Path>,
}

/// Most frames of a run.
const MOST_FRAMES: f64 = 1e6;

/// Everything in `scene` that makes no sense.
pub(crate) fn findings(scene: &Scene) -> Vec<Finding> {
    let mut found = Vec::new();
    parameters(scene, &mut found);
    general(scene, &mut found);
    names::findings(scene, &mut found);
    let whole = space::findings(scene, &mut found);
    probes::findings(scene, whole, &mut found);
    found
}

fn finding(path: Path, message: String, help: impl Into<String>) -> Finding {
    Finding { path, message, help: help.into(), other: None }
}

/// The limits that the parameters of the simulation name themselves.
fn parameters(scene: &Scene, found: &mut Vec<Finding>) {
    let root = Path::default();
    out_of_range(root.key("world").key("kernel"), &scene.world.kernel, found);
    out_of_range(root.key("time").key("step"), &scene.time.step, found);
    out_of_range(root.key("pressure"), &scene.pressure, found);
    for (name, material) in &scene.materials {
        out_of_range(root.key("materials").key(name), material, found);
    }
}

fn out_of_range(path: Path, parameters: &impl Parameters, found: &mut Vec<Finding>) {
    for problem in Check::problems(parameters) {
        let path = problem.path.split('.').fold(path.clone(), |path, key| path.key(key));
        let message = format!("{} is {}, but must be {}", path.name(), plain(problem.value), problem.limits);
        found.push(finding(path, message, ""));
    }
}

fn general(scene: &Scene, found: &mut Vec<Finding>) {
    let root = Path::default();
    if scene.world.dimension == 2 && scene.world.up == crate::Up::Z {
        let message = "`up` is \"z\", but a 2D scene lies in the plane of x and y".into();
        found.push(finding(root.key("world").key("up"), message, "write `up = \"y\"`, or leave it out"));
    }
    let frames = scene.time.end * scene.time.fps;
    if frames > MOST_FRAMES {
        let (end, fps) = (plain(scene.time.end), plain(scene.time.fps));
        let message = format!("{end} s at {fps} frames per second are {frames:.0} frames, more than {MOST_FRAMES}");
        found.push(finding(root.key("time").key("end"), message, "lower `end` or `fps`"));
    }
    let frames = &scene.output.frames;
    if let Some(twice) = (1..frames.len()).find(|&k| frames[..k].contains(&frames[k])) {
        let path = root.key("output").key("frames").index(twice);
        found.push(finding(path, "this format is listed twice".into(), "list each format once"));
    }
}
