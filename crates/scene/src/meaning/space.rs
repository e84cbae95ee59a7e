//! Shapes: they must have an inside, fit between their walls, keep clear of each other, and be few enough.

use glam::DVec3;
use thixo_sim::Real;

use super::{Finding, finding};
use crate::document::Path;
use crate::estimate::{MOST_PARTICLES, bytes_per_particle, fitting_spacing, rough_count};
use crate::sampling::{BodyCells, WallCells};
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
        walls(scene, found);
        overlaps(scene, found);
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
    let count = rough_count(scene, scene.world.spacing);
    if count > MOST_PARTICLES {
        let message = format!(
            "about {count:.1e} particles at a spacing of {} m need {} of memory; at most {MOST_PARTICLES:.0e} are possible",
            plain(scene.world.spacing),
            bytes(count * bytes_per_particle(&scene.world)),
        );
        let help = format!("a `spacing` of {} would fit", plain(fitting_spacing(scene)));
        found.push(finding(Path::default().key("world").key("spacing"), message, help));
    }
}

/// Matter must be on the right side of every wall.
fn walls(scene: &Scene, found: &mut Vec<Finding>) {
    let walls: Vec<_> = scene.walls.iter().map(|wall| (wall, WallCells::new(wall, scene.surroundings()))).collect();
    for (k, body) in scene.bodies.iter().enumerate() {
        let cells = BodyCells::new(&body.shape, scene.surroundings());
        for (wall, surface) in &walls {
            let buried = |position: &DVec3| surface.depth(*position) > 1e-6 * scene.world.spacing;
            let Some(position) = cells.positions().find(buried) else { continue };
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

/// No two bodies may fill the same space. Of each body only the first overlap is told: a pile of copies has too many.
fn overlaps(scene: &Scene, found: &mut Vec<Finding>) {
    let root = Path::default();
    let cells: Vec<_> = scene.bodies.iter().map(|body| BodyCells::new(&body.shape, scene.surroundings())).collect();
    for (second, own) in cells.iter().enumerate() {
        let meets = |other: &BodyCells| own.first_overlap(other).or_else(|| other.first_overlap(own));
        let mut earlier = cells[..second].iter().enumerate();
        let Some((first, position)) = earlier.find_map(|(first, other)| Some((first, meets(other)?))) else { continue };
        let (a, b) = (&scene.bodies[first].name, &scene.bodies[second].name);
        let message = format!("bodies `{a}` and `{b}` overlap at {}", point(position));
        let path = root.key("bodies").index(second).key("shape");
        let help = format!("move or shrink `{b}` or `{a}`; they may share faces");
        let other = Some(root.key("bodies").index(first).key("shape"));
        found.push(Finding { other, ..finding(path, message, help) });
    }
}

/// Without the last digits, which come from rounding.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

fn point(position: DVec3) -> String {
    let [x, y, z] = position.to_array().map(|coordinate| plain(rounded(coordinate)));
    format!("({x}, {y}, {z})")
}
