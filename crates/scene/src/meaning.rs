//! What keys and types cannot tell: names that must exist, shapes that must fit, sizes that must be possible.
//!
//! To look for what makes no sense is to find out what everything means, so this is done once, here.

mod emitters;
mod heat;
mod interfaces;
mod joints;
mod motion;
mod names;
mod overlap;
mod pictures;
mod probes;
mod skins;
mod solids;
mod space;
mod steps;
mod sweeps;

pub(crate) use heat::KnownHeater;
pub(crate) use names::missing;
pub(crate) use solids::Attached;
pub(crate) use space::point;
pub(crate) use sweeps::sweeps;
use thixo_sim::{Check, Parameters, Settings};

use crate::document::Path;
use crate::probes::{NamedTarget, Part};
use crate::sampling::Samples;
use crate::shape::Bounds;
use crate::structure::Mended;
use crate::wording::plain;
use crate::{Description, Filling, Shape};

/// What a scene means: everything that it says by names, shapes and regions.
#[derive(Debug)]
pub(crate) struct Meaning {
    /// The particles of its bodies and walls.
    pub(crate) samples: Samples,
    /// The index of the material of each body.
    pub(crate) materials: Vec<usize>,
    /// What holds and pulls each body.
    pub(crate) attached: Vec<Attached>,
    /// Whom joints join: a body, and another or a wall; the world without.
    pub(crate) joined: Vec<(Part, Option<Part>)>,
    /// What heats.
    pub(crate) heaters: Vec<KnownHeater>,
    /// What is measured.
    pub(crate) probes: Vec<NamedTarget<Part>>,
}

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

impl Meaning {
    /// What `scene` means, or everything in it that makes no sense.
    pub(crate) fn of(scene: &Description, tell: fn(&Filling<'_>)) -> Result<Meaning, Vec<Finding>> {
        let mut found = Vec::new();
        parameters(scene, &mut found);
        general(scene, &mut found);
        let materials = names::materials(scene, &mut found);
        motion::findings(scene, &mut found);
        emitters::findings(scene, &mut found);
        pictures::findings(scene, &mut found);
        let samples = space::samples(scene, tell, &mut found);
        let attached = solids::attached(scene, samples.as_ref(), &mut found);
        skins::findings(scene, samples.as_ref(), &mut found);
        let joined = joints::joined(scene, &mut found);
        let heaters = heat::heaters(scene, &mut found);
        interfaces::findings(scene, &mut found);
        steps::findings(scene, &mut found);
        let probes = probes::targets(scene, samples.as_ref(), &mut found);
        match samples {
            Some(samples) if found.is_empty() => Ok(Meaning { samples, materials, attached, joined, heaters, probes }),
            _ => Err(found),
        }
    }

    /// What makes no sense in a scene whose keys are wrong as well, as far as it does not depend on what was mended.
    pub(crate) fn of_mended(scene: &Description, mended: &Mended) -> Vec<Finding> {
        let root = Path::default();
        let world = root.key("world");
        let mut found = Vec::new();
        parameters(scene, &mut found);
        motion::findings(scene, &mut found);
        pictures::findings(scene, &mut found);
        if !["dimension", "up", "spacing"].iter().any(|key| mended.is_made_up(&world.key(key))) {
            general(scene, &mut found);
        }
        names::materials(scene, &mut found);
        if !mended.is_made_up(&world.key("dimension")) {
            space::shapes(scene, &mut found);
        }
        if !mended.lacks_names() {
            solids::attached(scene, None, &mut found);
            skins::findings(scene, None, &mut found);
            emitters::findings(scene, &mut found);
            // A speed that was left out may be one that was wrong.
            found.retain(|finding| !(finding.path.is_below("emitters") && finding.path.len() == 2));
            joints::joined(scene, &mut found);
            heat::heaters(scene, &mut found);
            interfaces::findings(scene, &mut found);
            steps::findings(scene, &mut found);
            probes::targets(scene, None, &mut found);
        }
        let whole = |list: &str| mended.is_made_up(&root.key(list));
        found.retain(|finding| {
            let follows = (finding.path == root && whole("bodies"))
                || (finding.path.ends_with_key("material") && whole("materials"))
                || (finding.path.ends_with_key("named") && whole("shapes"));
            let places = [Some(&finding.path), finding.other.as_ref()];
            !follows && !places.into_iter().flatten().any(|path| mended.is_doubtful(path))
        });
        found
    }
}

pub(crate) fn finding(path: Path, message: String, help: impl Into<String>) -> Finding {
    Finding { path, message, help: help.into(), other: None }
}

/// Something that ends before it begins, from and until [s].
fn ends_early(path: &Path, who: &str, [from, until]: [f64; 2]) -> Finding {
    let message = format!("{who} ends at {} s, before it begins at {} s", plain(until), plain(from));
    finding(path.key("until"), message, "`until` must be later than `from`")
}

/// The limits that the parameters of the simulation name themselves.
fn parameters(scene: &Description, found: &mut Vec<Finding>) {
    let root = Path::default();
    out_of_range(root.key("world").key("kernel"), &scene.world.kernel, found);
    if let Some(shifting) = &scene.world.shifting {
        out_of_range(root.key("world").key("shifting"), shifting, found);
    }
    out_of_range(root.key("time").key("step"), &scene.time.step, found);
    out_of_range(root.key("pressure"), &scene.pressure, found);
    if let Some(surroundings) = &scene.world.surroundings {
        out_of_range(root.key("world").key("surroundings"), surroundings, found);
    }
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

fn general(scene: &Description, found: &mut Vec<Finding>) {
    let root = Path::default();
    if scene.world.dimension == 2 && scene.world.up == crate::Up::Z {
        let message = "`up` is \"z\", but a 2D scene lies in the plane of x and y".into();
        found.push(finding(root.key("world").key("up"), message, "write `up = \"y\"`, or leave it out"));
    }
    periods(scene, found);
    let frames = scene.time.end * scene.time.fps;
    if frames > MOST_FRAMES {
        let (end, fps) = (plain(scene.time.end), plain(scene.time.fps));
        let message = format!("{end} s at {fps} frames per second are {frames:.0} frames, more than {MOST_FRAMES}");
        found.push(finding(root.key("time").key("end"), message, "lower `end` or `fps`"));
    }
    let columns = &scene.output.columns;
    if let Some(twice) = (1..columns.len()).find(|&k| columns[..k].contains(&columns[k])) {
        let path = root.key("output").key("columns").index(twice);
        found.push(finding(path, "these columns are listed twice".into(), "list them once"));
    }
    let frames = &scene.output.frames;
    if let Some(twice) = (1..frames.len()).find(|&k| frames[..k].contains(&frames[k])) {
        let path = root.key("output").key("frames").index(twice);
        found.push(finding(path, "this format is listed twice".into(), "list each format once"));
    }
}

/// A periodic axis must exist, have room for neighbourhoods, and hold what is in the world.
fn periods(scene: &Description, found: &mut Vec<Finding>) {
    let path = Path::default().key("world").key("periodic");
    let least = (Settings::shortest_period(scene.world.support()) * 1e6).round() / 1e6;
    for ((axis, name), ends) in ["x", "y", "z"].into_iter().enumerate().zip(scene.world.periodic.axes()) {
        let Some([from, to]) = ends else { continue };
        let path = path.key(name);
        if axis >= usize::from(scene.world.dimension) {
            found.push(finding(path, format!("a 2D scene has no {name}"), format!("leave `{name}` out")));
        } else if to <= from {
            let message = format!("the period along {name} ends at {}, before it starts at {}", plain(to), plain(from));
            found.push(finding(path, message, "write the lower end first"));
        } else if to - from < least {
            let message = format!(
                "the period along {name} is {} m, but neighbourhoods need at least {}",
                plain(to - from),
                plain(least)
            );
            found.push(finding(path, message, "make the period longer, or `spacing` smaller"));
        } else {
            outside_period(scene, axis, [from, to], found);
        }
    }
}

fn outside_period(scene: &Description, axis: usize, [from, to]: [f64; 2], found: &mut Vec<Finding>) {
    let name = ["x", "y", "z"][axis];
    let slack = 1e-6 * scene.world.spacing;
    for space::Owner { title, shape, path, body } in space::owners(scene) {
        // Walls of other shapes end where the period does.
        if body.is_none() && !matches!(shape, Shape::Box(_) | Shape::Sphere(_)) {
            continue;
        }
        let Bounds { min, max } = scene.bounds(shape);
        if min[axis] < from - slack || max[axis] > to + slack {
            let message = format!(
                "{title} reaches from {} to {} in {name}, out of the period from {} to {}",
                plain(min[axis]),
                plain(max[axis]),
                plain(from),
                plain(to)
            );
            found.push(finding(path, message, "keep it within the period"));
        }
    }
}
