//! Names that must be there, be different, and exist.

use super::{Finding, finding};
use crate::Description;
use crate::document::Path;
use crate::wording::{nearest, quoted};

/// Looks at every name; the index of the material of each body.
pub(super) fn materials(scene: &Description, found: &mut Vec<Finding>) -> Vec<usize> {
    let root = Path::default();
    let bodies = scene.bodies.iter().enumerate().map(|(k, body)| (body.name.as_str(), root.key("bodies").index(k)));
    let walls = scene.walls.iter().enumerate().map(|(k, wall)| (wall.name.as_str(), root.key("walls").index(k)));
    let probes = scene.probes.iter().enumerate().map(|(k, probe)| (probe.name.as_str(), root.key("probes").index(k)));
    let emitters = scene.emitters.iter().enumerate();
    let emitters = emitters.map(|(k, emitter)| (emitter.name.as_str(), root.key("emitters").index(k)));
    let all: Vec<_> = bodies.chain(walls).chain(emitters).collect();
    let help = if scene.emitters.is_empty() { "bodies and walls" } else { "bodies, walls and emitters" };
    unique(&all, &format!("{help} need names of their own"), found);
    unique(&probes.collect::<Vec<_>>(), "probes need names of their own", found);
    let fields = scene.fields.iter().enumerate().map(|(k, field)| (field.name.as_str(), root.key("fields").index(k)));
    unique(&fields.collect::<Vec<_>>(), "fields need names of their own", found);
    let joints = scene.joints.iter().enumerate().map(|(k, joint)| (joint.name.as_str(), root.key("joints").index(k)));
    unique(&joints.collect::<Vec<_>>(), "joints need names of their own", found);
    for name in scene.materials.keys().filter(|name| !is_printable(name)) {
        found.push(unusable(root.key("materials").key(name), name));
    }

    let mut materials = Vec::new();
    for (k, body) in scene.bodies.iter().enumerate() {
        let names = scene.materials.keys().map(String::as_str);
        match names.clone().position(|name| name == body.material) {
            Some(material) => materials.push(material),
            None => {
                let path = root.key("bodies").index(k).key("material");
                found.push(missing(path, "material", &body.material, names));
            }
        }
    }
    if scene.bodies.is_empty() && scene.emitters.is_empty() {
        let help = "add `[[bodies]]` with `name`, `material` and `shape`, or `[[emitters]]`";
        found.push(finding(root, "the scene has no body: nothing would move".into(), help));
    }
    materials
}

/// A name that is used, but not defined.
pub(crate) fn missing<'a>(
    path: Path,
    kind: &str,
    name: &str,
    defined: impl Iterator<Item = &'a str> + Clone,
) -> Finding {
    let help = match (nearest(name, defined.clone()), defined.clone().next()) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, Some(_)) if defined.clone().count() == 1 => format!("there is only {}", quoted(defined, "and")),
        (None, Some(_)) => format!("there are {}", quoted(defined, "and")),
        (None, None) if kind == "shape" => format!("define it: `[shapes.{name}]`"),
        (None, None) if kind == "wall" => format!("add `[[walls]]` with `name = \"{name}\"` and a `shape`"),
        (None, None) if kind == "joint" => format!("add `[[joints]]` with `name = \"{name}\"`"),
        (None, None) => format!("define it: `[materials.{name}]` with its `density`"),
    };
    finding(path, format!("there is no {kind} called `{name}`"), help)
}

fn unique(names: &[(&str, Path)], help: &str, found: &mut Vec<Finding>) {
    let mut first = std::collections::BTreeMap::new();
    for (name, path) in names {
        let path = path.key("name");
        if !is_printable(name) {
            found.push(unusable(path, name));
        } else if let Some(other) = first.get(name) {
            let message = format!("the name `{name}` is used twice");
            found.push(Finding { other: Some(Path::clone(other)), ..finding(path, message, help) });
        } else {
            first.insert(*name, path);
        }
    }
}

/// Names become column headers and lines of text.
fn is_printable(name: &str) -> bool {
    !name.trim().is_empty() && !name.chars().any(char::is_control)
}

fn unusable(path: Path, name: &str) -> Finding {
    let fault = if name.trim().is_empty() { "is empty" } else { "holds a control character" };
    finding(path, format!("the name {fault}"), "a name is any text on one line")
}
