//! Shapes: they must have an inside, fit between their walls, keep clear of each other, and be few enough.

use std::collections::BTreeSet;

use glam::DVec3;
use thixo_sim::Real;

use super::{Finding, emitters, finding, motion, overlap};
use crate::document::Path;
use crate::estimate::{MOST_PARTICLES, bytes_per_particle, fitting_spacing, rough_counts};
use crate::sampling::{BodySample, Samples, Walls};
use crate::shape::{Bounds, Surroundings};
use crate::wording::{bytes, plain, quoted};
use crate::{Body, Description, Filling, Shape, World, memory};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Looks at every shape; the particles that fill them, if all are sound. Whoever waits is told of each body before it is
/// filled.
pub(super) fn samples(scene: &Description, tell: fn(&Filling<'_>), found: &mut Vec<Finding>) -> Option<Samples> {
    let before = found.len();
    for (owner, bounds) in shapes(scene, found) {
        extent(&owner, bounds, &scene.world, found);
    }
    let counts = if found.len() == before { size(scene, found) } else { Vec::new() };
    if found.len() > before {
        return None;
    }
    let all = counts.iter().sum();
    let tell = |k: usize| tell(&Filling { body: &scene.bodies[k].name, particles: counts[k], all });
    match Samples::of(scene, tell) {
        Ok(mut samples) => {
            motion::starts(scene, &samples, found);
            if found.len() > before {
                return None;
            }
            empty(scene, &samples, found);
            walls(scene, &samples.bodies, found);
            overlap::findings(scene, &samples.bodies, found);
            emitters::place(scene, &mut samples, found);
            if found.len() > before {
                return None;
            }
            samples.decompress(scene);
            Some(samples)
        }
        Err(wrong) => {
            found.extend(wrong);
            None
        }
    }
}

/// Looks at every shape by itself; the bounds of those that are sound, by who has them.
pub(super) fn shapes<'a>(scene: &'a Description, found: &mut Vec<Finding>) -> Vec<(Owner<'a>, Bounds)> {
    let before = found.len();
    for (name, shape) in &scene.shapes {
        let path = Path::default().key("shapes").key(name);
        // Whether it needs an inside depends on who uses it.
        let faults = shape.solid(Surroundings { surface: true, ..scene.surroundings() }, &path).err();
        tell(faults.into_iter().flatten(), before, found);
    }
    let mut sound = Vec::new();
    for owner in owners(scene) {
        match owner.shape.solid(owner.surroundings(scene), &owner.path) {
            Err(faults) => tell(faults.into_iter(), before, found),
            Ok(solid) => sound.push((owner, solid.bounds())),
        }
    }
    sound
}

/// Adds faults that are not known yet: one in a shape with a name is met wherever that is used.
fn tell(faults: impl Iterator<Item = Finding>, before: usize, found: &mut Vec<Finding>) {
    for fault in faults {
        if found[before..].iter().all(|known| known.path != fault.path) {
            found.push(fault);
        }
    }
}

/// A body or a wall.
pub(super) struct Owner<'a> {
    /// What it is called.
    pub(super) title: String,
    pub(super) shape: &'a Shape,
    /// Where its shape stands in the scene.
    pub(super) path: Path,
    /// None for a wall.
    pub(super) body: Option<&'a Body>,
}

impl<'a> Owner<'a> {
    fn surroundings(&self, scene: &'a Description) -> Surroundings<'a> {
        self.body.map_or(scene.surroundings(), |body| body.surroundings(scene.surroundings()))
    }
}

/// Bodies and walls.
pub(super) fn owners(scene: &Description) -> impl Iterator<Item = Owner<'_>> {
    let path = |list: &str, k: usize| Path::default().key(list).index(k).key("shape");
    let bodies = scene.bodies.iter().enumerate().map(move |(k, body)| Owner {
        title: format!("body `{}`", body.name),
        shape: &body.shape,
        path: path("bodies", k),
        body: Some(body),
    });
    let walls = scene.walls.iter().enumerate().map(move |(k, wall)| Owner {
        title: format!("wall `{}`", wall.name),
        shape: &wall.shape,
        path: path("walls", k),
        body: None,
    });
    bodies.chain(walls)
}

/// How large a shape is, and how far away.
fn extent(owner: &Owner<'_>, bounds: Bounds, world: &World, found: &mut Vec<Finding>) {
    let Owner { title, shape, path, body } = owner;
    let spacing = world.spacing;
    let size = bounds.max - bounds.min;
    // A body has an end; a wall without one is built as far as matter is.
    if body.is_some() && !bounds.is_finite() && !bounds.is_empty() {
        let help = "intersect its shape with a box";
        found.push(finding(path.clone(), format!("{title} has no end"), help));
        return;
    }
    let exact = matches!(shape, Shape::Box(_) | Shape::Sphere(_));
    for axis in (0..usize::from(world.dimension)).filter(|&axis| exact && size[axis] < spacing * (1.0 - 1e-3)) {
        let size = rounded(size[axis]);
        let needs = format!("less than one spacing of {} m: it has no room for a particle", plain(spacing));
        let message = match shape {
            Shape::Sphere(_) => format!("{title} is {} m thick, {needs}", plain(size)),
            _ => format!("{title} is {} m thick in {}, {needs}", plain(size), AXES[axis]),
        };
        let help = format!("make it larger, or `spacing` at most {}", plain(size));
        let path = match shape {
            Shape::Sphere(_) => path.key("sphere").key("radius"),
            _ => path.key("box"),
        };
        found.push(finding(path, message, help));
        if matches!(shape, Shape::Sphere(_)) {
            break;
        }
    }
    // Beyond this, rounding moves particles by a noticeable part of their distance.
    let farthest = 0.05 * spacing / f64::from(Real::EPSILON);
    let coordinates = [bounds.min, bounds.max].into_iter().flat_map(|corner| corner.to_array());
    let reach = coordinates.filter(|coordinate| coordinate.is_finite()).fold(0.0, |reach: f64, x| reach.max(x.abs()));
    if reach > farthest {
        let message = format!(
            "{title} reaches {} m from the origin, too far to place particles {} m apart",
            plain(reach),
            plain(spacing)
        );
        let help = format!("stay within {} m of the origin", plain(rounded(farthest)));
        found.push(finding(path.clone(), message, help));
    }
}

/// Every body and every wall must have particles.
fn empty(scene: &Description, samples: &Samples, found: &mut Vec<Finding>) {
    let bodies = samples.bodies.iter().map(|sample| sample.count() == 0);
    let walls = samples.walls.iter().map(|sample| sample.count() == 0);
    for (Owner { title, path, .. }, _) in owners(scene).zip(bodies.chain(walls)).filter(|(_, is_empty)| *is_empty) {
        let spacing = plain(scene.world.spacing);
        let message = format!("{title} has no room for a particle at a spacing of {spacing} m");
        let help = match scene.world.dimension {
            2 => "is its shape empty or thinner than the spacing, or not cut by z = 0?",
            _ => "is its shape empty, or thinner than the spacing?",
        };
        found.push(finding(path, message, help));
    }
}

/// All shapes together: can this computer hold them? About how many particles each body has.
fn size(scene: &Description, found: &mut Vec<Finding>) -> Vec<f64> {
    let (bodies, walls) = rough_counts(scene);
    let counts: (f64, f64) = (bodies.iter().sum::<f64>() + to_come(scene), walls.iter().sum());
    let count = counts.0 + counts.1;
    let memory = memory::total().unwrap_or(f64::INFINITY);
    let needed = count * bytes_per_particle(&scene.world);
    let [wanted, needs] = [format!("{count:.1e}"), bytes(needed)];
    let spacing = plain(scene.world.spacing);
    let (message, most, verdict) = if count > MOST_PARTICLES {
        let message = format!(
            "about {wanted} particles at a spacing of {spacing} m need {needs} of memory; at most {MOST_PARTICLES:.0e} are possible"
        );
        (message, MOST_PARTICLES, "is the least possible")
    } else if needed > memory {
        let message = format!(
            "about {wanted} particles at a spacing of {spacing} m need {needs} of memory; this computer has {}",
            bytes(memory)
        );
        (message, memory / bytes_per_particle(&scene.world), "would fit")
    } else {
        return bodies;
    };
    let fitting = plain(fitting_spacing(scene, counts, most));
    let help = format!("a `spacing` of {fitting} {verdict}");
    let all = owners(scene).zip(bodies.iter().chain(&walls));
    let largest = all.max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, most)| **most > OUTSIZE * count);
    let help = match largest.filter(|_| bodies.len() + walls.len() > 1) {
        Some((Owner { title, shape, .. }, share)) => format!(
            "{title} alone is {} and takes {:.0} % of them: is its unit right? {help}",
            dimensions(scene, shape),
            (100.0 * share / count).floor()
        ),
        None => help,
    };
    found.push(finding(Path::default().key("world").key("spacing"), message, help));
    bodies
}

/// About how many particles come in through emitters.
fn to_come(scene: &Description) -> f64 {
    let World { spacing, .. } = scene.world;
    let come = scene.emitters.iter().map(|emitter| {
        let new = scene.new_emitter(emitter);
        let nozzle = new.nozzle(spacing, scene.world.support(), scene.world.dimension());
        nozzle.map_or(0.0, |nozzle| nozzle.volume(&new, scene.time.end))
    });
    come.sum::<f64>() / scene.world.cell_volume()
}

/// A body with this share of all particles is likely the one that is too large.
const OUTSIZE: f64 = 0.9;

/// How large a shape is.
fn dimensions(scene: &Description, shape: &Shape) -> String {
    let Bounds { min, max } = scene.bounds(shape);
    let size = (max - min).to_array();
    let sides = size[..usize::from(scene.world.dimension)].iter().map(|side| plain((side * 1e3).round() / 1e3));
    format!("{} m", sides.collect::<Vec<_>>().join(" x "))
}

/// Matter must be on the right side of every wall.
fn walls(scene: &Description, samples: &[BodySample], found: &mut Vec<Finding>) {
    let walls = Walls::of(scene);
    let cavities: Vec<_> = scene.walls.iter().filter(|wall| wall.inside).map(|wall| wall.name.as_str()).collect();
    for (k, (body, sample)) in scene.bodies.iter().zip(samples).enumerate() {
        let mut told = BTreeSet::new();
        let is_fluid = scene.is_fluid(body);
        for position in sample.positions() {
            let holding = walls.holding(position, sample.beyond, is_fluid);
            let Some(index) = holding.filter(|&index| told.insert(index)) else { continue };
            let (name, wall, start) = (&body.name, &scene.walls[index], point(position));
            let wall_name = &wall.name;
            if scene.are_parted(name, wall_name) {
                continue;
            }
            let (message, help) = match (wall.inside, cavities.len()) {
                (false, _) => (
                    format!("body `{name}` reaches into wall `{wall_name}`: a particle would start at {start}"),
                    format!("matter stays outside `{wall_name}`: move `{name}`, or is `inside = true` meant?"),
                ),
                (true, 1) => (
                    format!("body `{name}` is not inside wall `{wall_name}`: a particle would start at {start}"),
                    format!("matter stays inside `{wall_name}`, which has `inside = true`: move or shrink `{name}`"),
                ),
                (true, _) => (
                    format!(
                        "body `{name}` is inside none of the walls that hold matter: a particle would start at {start}"
                    ),
                    format!(
                        "matter stays inside {}, which have `inside = true`: move or shrink `{name}`",
                        quoted(cavities.iter().copied(), "or")
                    ),
                ),
            };
            found.push(finding(Path::default().key("bodies").index(k).key("shape"), message, help));
        }
    }
}

/// Without the last digits, which come from rounding.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

pub(crate) fn point(position: DVec3) -> String {
    let [x, y, z] = position.to_array().map(|coordinate| plain(rounded(coordinate)));
    format!("({x}, {y}, {z})")
}
