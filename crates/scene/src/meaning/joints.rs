//! Whom joints join, and joints that make no sense.

use glam::DVec3;

use super::names::missing;
use super::{Finding, finding};
use crate::document::Path;
use crate::joint::{Hinge, Joint, JointKind, Slider};
use crate::probes::Part;
use crate::wording::plain;
use crate::{Description, Vector};

/// The first body of each joint, and the second or a wall, if it is not the world.
pub(super) fn joined(scene: &Description, found: &mut Vec<Finding>) -> Vec<(Part, Option<Part>)> {
    let mut all = Vec::new();
    for (k, joint) in scene.joints.iter().enumerate() {
        let path = Path::default().key("joints").index(k);
        free(scene, joint, &path, found);
        let mut each = |k: usize| {
            let path = path.key("between").index(k);
            joint.between.get(k).map(|name| part(scene, joint, path, name, found))
        };
        let (first, second) = (each(0).flatten(), each(1));
        if let (Some(first), None | Some(Some(_))) = (first, second) {
            all.push((first, second.flatten()));
        }
        if let [first, second] = &joint.between[..]
            && first == second
        {
            let message = format!("joint `{}` joins `{first}` to itself", joint.name);
            let help = "name another body or a wall, or one alone: it is joined to the world";
            found.push(finding(path.key("between").index(1), message, help));
        }
    }
    all
}

/// Who has this name: the first is a rigid body, the second one or a wall.
fn part(scene: &Description, joint: &Joint, path: Path, name: &str, found: &mut Vec<Finding>) -> Option<Part> {
    let is_first = joint.between.first().is_some_and(|first| first == name);
    if let Some(body) = scene.bodies.iter().position(|body| body.name == name) {
        if !scene.is_rigid(&scene.bodies[body]) {
            let message = format!("joint `{}` joins body `{name}`, which is not rigid", joint.name);
            let help = "give its material `rigid = {}`; what holds elastic bodies is a clamp";
            found.push(finding(path, message, help));
        }
        return Some(Part::Body(body));
    }
    let wall = scene.walls.iter().position(|wall| wall.name == name);
    match wall {
        Some(_) if is_first => {
            let message = format!("joint `{}` begins with wall `{name}`", joint.name);
            let help = "name a rigid body first: its motion relative to the second is that of the joint";
            found.push(finding(path, message, help));
        }
        Some(_) => {}
        None => {
            let bodies = scene.bodies.iter().map(|body| body.name.as_str());
            let names = bodies.chain(scene.walls.iter().map(|wall| wall.name.as_str()));
            found.push(missing(path, "body or wall", name, names));
        }
    }
    wall.map(Part::Wall)
}

/// What is left free has an axis and an order.
fn free(scene: &Description, joint: &Joint, path: &Path, found: &mut Vec<Finding>) {
    let is_flat = scene.world.dimension == 2;
    let no_direction = |axis: DVec3| axis.try_normalize().is_none();
    let path = match &joint.kind {
        JointKind::Fixed(_) | JointKind::Ball(_) => return,
        JointKind::Hinge(Hinge { axis, .. }) => {
            let path = path.key("hinge");
            match axis {
                None if is_flat => {}
                None => {
                    let message = format!("hinge `{}` has no axis", joint.name);
                    found.push(finding(path.clone(), message, "add one: `axis = [0, 0, 1]` is along z"));
                }
                &Some([x, y, z]) if is_flat && ([x, y] != [0.0; 2] || z == 0.0) => {
                    let message = format!("hinge `{}` does not turn about z, as all do in 2D", joint.name);
                    found.push(finding(path.key("axis"), message, "leave `axis` out"));
                }
                &Some(axis) if no_direction(axis.into()) => found.push(zero_axis(&path, ALONG_Z)),
                Some(_) => {}
            }
            path
        }
        JointKind::Slider(Slider { axis, .. }) => {
            let path = path.key("slider");
            if no_direction(scene.world.flat(*axis)) {
                found.push(zero_axis(&path, ALONG_X));
            }
            path
        }
    };
    let Some([least, most]) = joint.kind.limits() else { return };
    if least > most {
        let message =
            format!("the limits of joint `{}` are reversed: {} and {}", joint.name, plain(least), plain(most));
        found.push(finding(path.key("limits"), message, "write the lower one first"));
    } else if least > 0.0 || most < 0.0 {
        let message =
            format!("joint `{}` starts at 0, which is not between {} and {}", joint.name, plain(least), plain(most));
        let help = "limits are counted from where bodies start: place them within";
        found.push(finding(path.key("limits"), message, help));
    }
}

const ALONG_X: (&str, Vector) = ("x", [1.0, 0.0, 0.0]);
const ALONG_Z: (&str, Vector) = ("z", [0.0, 0.0, 1.0]);

fn zero_axis(path: &Path, (name, axis): (&str, Vector)) -> Finding {
    finding(path.key("axis"), "the axis is zero".into(), format!("`{axis:?}` is along {name}"))
}
