//! Tension between fluids, and of their surfaces, that makes no sense.

use std::collections::BTreeMap;

use thixo_sim::Tension;

use super::names::missing;
use super::{Finding, finding};
use crate::Description;
use crate::document::Path;

pub(super) fn findings(scene: &Description, found: &mut Vec<Finding>) {
    let root = Path::default();
    let mut pairs: BTreeMap<[&str; 2], Path> = BTreeMap::new();
    for (k, interface) in scene.interfaces.iter().enumerate() {
        let path = root.key("interfaces").index(k).key("between");
        let [first, second] = interface.between.each_ref().map(String::as_str);
        for (k, name) in [first, second].into_iter().enumerate() {
            fluid(scene, path.index(k), name, "meets another fluid", found);
        }
        if first == second {
            let message = format!("there is no interface between `{first}` and itself");
            let help = "name two fluids; the tension of a free surface is `tension.surface` of the material";
            found.push(finding(path.index(1), message, help));
            continue;
        }
        let pair = if first < second { [first, second] } else { [second, first] };
        match pairs.get(&pair) {
            Some(other) => {
                let message = format!("the interface between `{first}` and `{second}` is given twice");
                let other = Some(other.clone());
                found.push(Finding { other, ..finding(path, message, "give it once, in any order") });
            }
            None => _ = pairs.insert(pair, path),
        }
    }
    for (k, wall) in scene.walls.iter().enumerate() {
        let path = root.key("walls").index(k).key("wetting");
        wall.wetting.keys().for_each(|name| fluid(scene, path.key(name), name, "wets a wall", found));
    }
    for (name, material) in scene.materials.iter().filter(|(_, material)| !material.is_fluid()) {
        if material.tension != Tension::default() {
            let path = root.key("materials").key(name).key("tension");
            let message = format!("material `{name}` does not flow, and its surface has no tension");
            found.push(finding(path, message, "leave `tension` out; how a fluid wets it is said by the fluid"));
        }
    }
}

/// A fluid of this name must exist, and somewhere there must be some of it.
fn fluid(scene: &Description, path: Path, name: &str, what: &str, found: &mut Vec<Finding>) {
    match scene.materials.get(name) {
        None => found.push(missing(path, "material", name, scene.materials.keys().map(String::as_str))),
        Some(material) if !material.is_fluid() => {
            let message = format!("material `{name}` {what} here, but does not flow");
            found.push(finding(path, message, "name a material that is neither elastic nor rigid"));
        }
        Some(_) if !scene.bodies.is_empty() && scene.bodies.iter().all(|body| body.material != name) => {
            let message = format!("material `{name}` {what} here, but no body is made of it");
            found.push(finding(path, message, format!("give a body `material = \"{name}\"`, or leave this out")));
        }
        Some(_) => {}
    }
}
