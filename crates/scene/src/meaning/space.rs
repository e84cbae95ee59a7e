//! Shapes: they must have an inside, fit between their walls, keep clear of each other, and be few enough.

use glam::DVec3;
use thixo_sim::Real;

use super::{Finding, finding, overlap};
use crate::document::Path;
use crate::estimate::{MOST_PARTICLES, bytes_per_particle, fitting_spacing, rough_count, sizes};
use crate::sampling::{BodySample, WallCells};
use crate::wording::{bytes, plain};
use crate::{BoxShape, Scene, Shape, Sphere, World};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Looks at every shape; true if all are sound.
pub(super) fn findings(scene: &Scene, found: &mut Vec<Finding>) -> bool {
    let before = found.len();
    let root = Path::default();
    for (k, body) in scene.bodies.iter().enumerate() {
        let path = root.key("bodies").index(k).key("shape");
        shape(&format!("body `{}`", body.name), &body.shape, &scene.world, path, found);
    }
    for (k, wall) in scene.walls.iter().enumerate() {
        let path = root.key("walls").index(k).key("shape");
        shape(&format!("wall `{}`", wall.name), &wall.shape, &scene.world, path, found);
    }
    if found.len() == before {
        size(scene, found);
    }
    if found.len() == before {
        match scene.samples() {
            Ok(samples) => {
                empty(scene, &samples, found);
                walls(scene, &samples, found);
                overlap::findings(scene, &samples, found);
            }
            Err(wrong) => found.extend(wrong),
        }
    }
    found.len() == before
}

/// One shape by itself.
fn shape(owner: &str, shape: &Shape, world: &World, path: Path, found: &mut Vec<Finding>) {
    let spacing = world.spacing;
    let thin = |size: f64| size < spacing * (1.0 - 1e-3);
    let remedy = |size: f64| format!("make it larger, or `spacing` at most {}", plain(size));
    let needs = format!("less than one spacing of {} m: it has no room for a particle", plain(spacing));
    let reach = match shape {
        Shape::Box(BoxShape { min, max }) => {
            let path = path.key("box");
            for axis in 0..usize::from(world.dimension) {
                let (low, high, name) = (min[axis], max[axis], AXES[axis]);
                if high <= low {
                    let message = format!(
                        "{owner} has no inside: `min` is {} and `max` is {} in {name}",
                        plain(low),
                        plain(high)
                    );
                    found.push(finding(
                        path.key("max"),
                        message,
                        "every number of `max` must be greater than that of `min`",
                    ));
                } else if thin(high - low) {
                    let message = format!("{owner} is {} m thick in {name}, {needs}", plain(rounded(high - low)));
                    found.push(finding(path.clone(), message, remedy(rounded(high - low))));
                }
            }
            world.flat(*min).abs().max(world.flat(*max).abs()).max_element()
        }
        Shape::Sphere(Sphere { centre, radius }) => {
            if thin(2.0 * radius) {
                let message = format!("{owner} is {} m thick, {needs}", plain(2.0 * radius));
                found.push(finding(path.key("sphere").key("radius"), message, remedy(2.0 * radius)));
            }
            world.flat(*centre).abs().max_element() + radius
        }
    };
    // Beyond this, rounding moves particles by a noticeable part of their distance.
    let farthest = 0.05 * spacing / f64::from(Real::EPSILON);
    if reach > farthest {
        let message = format!(
            "{owner} reaches {} m from the origin, too far to place particles {} m apart",
            plain(reach),
            plain(spacing)
        );
        let help = format!("stay within {} m of the origin", plain(rounded(farthest)));
        found.push(finding(path, message, help));
    }
}

/// All shapes together: can a computer hold them?
fn size(scene: &Scene, found: &mut Vec<Finding>) {
    let sizes = sizes(scene);
    let count = rough_count(scene, &sizes, scene.world.spacing);
    if count > MOST_PARTICLES {
        let message = format!(
            "about {count:.1e} particles at a spacing of {} m need {} of memory; at most {MOST_PARTICLES:.0e} are possible",
            plain(scene.world.spacing),
            bytes(count * bytes_per_particle(&scene.world)),
        );
        let help = format!("a `spacing` of {} would fit", plain(fitting_spacing(scene, &sizes)));
        found.push(finding(Path::default().key("world").key("spacing"), message, help));
    }
}

/// Every body has matter.
fn empty(scene: &Scene, samples: &[BodySample], found: &mut Vec<Finding>) {
    for (k, (body, _)) in scene.bodies.iter().zip(samples).enumerate().filter(|(_, (_, sample))| sample.count() == 0) {
        let message = format!("body `{}` has no room for a particle of {} m", body.name, plain(scene.world.spacing));
        let path = Path::default().key("bodies").index(k).key("shape");
        found.push(finding(path, message, "make it larger, or `spacing` smaller"));
    }
}

/// Matter must be on the right side of every wall.
fn walls(scene: &Scene, samples: &[BodySample], found: &mut Vec<Finding>) {
    let walls: Vec<_> = scene.walls.iter().map(|wall| (wall, WallCells::new(wall, scene.surroundings()))).collect();
    for (k, (body, sample)) in scene.bodies.iter().zip(samples).enumerate() {
        for (wall, surface) in &walls {
            let buried = |position: &DVec3| surface.depth(*position) > sample.beyond + 1e-6 * scene.world.spacing;
            let Some(position) = sample.positions().find(buried) else { continue };
            let (name, wall_name) = (&body.name, &wall.name);
            let message = match wall.inside {
                true => format!(
                    "body `{name}` is not inside wall `{wall_name}`: a particle would start at {}",
                    point(position)
                ),
                false => format!(
                    "body `{name}` reaches into wall `{wall_name}`: a particle would start at {}",
                    point(position)
                ),
            };
            let help = match wall.inside {
                true => {
                    format!("matter stays inside `{wall_name}`, which has `inside = true`: move or shrink `{name}`")
                }
                false => format!("matter stays outside `{wall_name}`: move `{name}`, or is `inside = true` meant?"),
            };
            found.push(finding(Path::default().key("bodies").index(k).key("shape"), message, help));
        }
    }
}

/// Without the last digits, which come from rounding.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

pub(super) fn point(position: DVec3) -> String {
    let [x, y, z] = position.to_array().map(|coordinate| plain(rounded(coordinate)));
    format!("({x}, {y}, {z})")
}
