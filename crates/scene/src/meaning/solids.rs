//! Elastic materials, clamps and loads that make no sense.

use thixo_sim::Fluid;

use super::{Finding, ends_early, finding, missing, out_of_range};
use crate::document::Path;
use crate::wording::plain;
use crate::{Clamp, LoadPlace, Scene};

/// `whole`: the shapes of the scene are sound, particles can be looked at.
pub(super) fn findings(scene: &Scene, whole: bool, found: &mut Vec<Finding>) {
    let root = Path::default();
    for (name, material) in &scene.materials {
        if material.elastic.is_some() && material.fluid != Fluid::default() {
            let path = root.key("materials").key(name);
            let message = format!("material `{name}` is elastic, and cannot flow as well");
            found.push(Finding {
                other: Some(path.key("elastic")),
                ..finding(path.key("fluid"), message, "leave `fluid` or `elastic` out")
            });
        }
    }
    for (k, body) in scene.bodies.iter().enumerate() {
        let is_elastic = scene.materials.get(&body.material).is_none_or(|material| material.elastic.is_some());
        if !is_elastic && !scene.pressure.allows_fluids() {
            let message = format!(
                "body `{}` is of `{}`, which is not elastic, but this only keeps elastic bodies apart",
                body.name, body.material
            );
            found.push(Finding {
                other: Some(root.key("bodies").index(k).key("material")),
                ..finding(root.key("pressure"), message, "fluids need a pressure: choose `iisph`, `dfsph` or `wcsph`")
            });
        }
        let attached = Attached { scene, body: k, is_elastic, whole };
        attached.clamps(found);
        attached.loads(found);
    }
}

/// What is attached to a body.
struct Attached<'a> {
    scene: &'a Scene,
    /// The index of the body.
    body: usize,
    is_elastic: bool,
    /// Particles can be looked at.
    whole: bool,
}

impl Attached<'_> {
    fn clamps(&self, found: &mut Vec<Finding>) {
        let &Attached { scene, body: k, is_elastic, whole } = self;
        let body = &scene.bodies[k];
        for (number, clamp) in body.clamps.iter().enumerate() {
            let path = Path::default().key("bodies").index(k).key("clamps").index(number);
            out_of_range(path.key("region"), &clamp.region, found);
            if let Some((keyframe, fault)) = clamp.motion().and_then(|path| path.fault()) {
                let message = format!("a clamp of body `{}` cannot follow its path: {fault}", body.name);
                let help = "times increase, and a path has one axis and one centre";
                found.push(finding(path.key("path").index(keyframe), message, help));
            }
            self.wall(clamp, &path, found);
            if !is_elastic {
                found.push(self.not_elastic(path, "a clamp", "fluids cannot be clamped"));
            } else if whole && scene.held(k, clamp).is_empty() {
                let message = format!("this clamp holds nothing: no particle of `{}` starts in its region", body.name);
                found.push(finding(path.key("region"), message, "move the region into the body, or make it larger"));
            }
        }
    }

    /// The wall that a clamp is fixed to exists, and moves it alone.
    fn wall(&self, clamp: &Clamp, path: &Path, found: &mut Vec<Finding>) {
        let Some(name) = &clamp.wall else { return };
        let walls = self.scene.walls.iter().map(|wall| wall.name.as_str());
        if !walls.clone().any(|wall| wall == name) {
            found.push(missing(path.key("wall"), "wall", name, walls));
        }
        if !clamp.path.is_empty() {
            let message = format!("a clamp that is fixed to wall `{name}` has a path of its own");
            let other = Some(path.key("path"));
            found.push(Finding { other, ..finding(path.key("wall"), message, "leave `wall` or `path` out") });
        }
    }

    fn loads(&self, found: &mut Vec<Finding>) {
        let &Attached { scene, body: k, is_elastic, whole } = self;
        let body = &scene.bodies[k];
        for (number, load) in body.loads.iter().enumerate() {
            let path = Path::default().key("bodies").index(k).key("loads").index(number);
            if let LoadPlace::Region(region) = &load.place {
                out_of_range(path.key("region"), region, found);
            }
            if let Some(until) = load.until.filter(|&until| until <= load.from) {
                found.push(ends_early(&path, "a load", [load.from, until]));
            }
            if !is_elastic {
                found.push(self.not_elastic(path, "a load", "fluids bear no loads"));
            } else if whole && scene.bearing(k, load).shares.is_empty() {
                let name = &body.name;
                found.push(match &load.place {
                    LoadPlace::Point(_) => {
                        let reach = plain(scene.world.support());
                        let message =
                            format!("no one bears this load: `{name}` has no particle within {reach} m of it");
                        finding(path.key("point"), message, "put the point in the body, or on its surface")
                    }
                    LoadPlace::Region(_) => {
                        let message = format!("no one bears this load: no particle of `{name}` starts in its region");
                        let help = "move the region into the body, or make it larger";
                        finding(path.key("region"), message, help)
                    }
                });
            }
        }
    }

    fn not_elastic(&self, path: Path, what: &str, why: &str) -> Finding {
        let body = &self.scene.bodies[self.body];
        let message = format!("body `{}` has {what}, but its material `{}` is not elastic", body.name, body.material);
        finding(path, message, format!("{why}; give the material `elastic.implicit = {{ ... }}`"))
    }
}
