//! Materials of solids, clamps and loads that make no sense.

use thixo_sim::{Clamp as Hold, Elastic, Fluid, Load as Bearing, Material, Plastic};

use super::{Finding, ends_early, finding, missing, out_of_range};
use crate::document::Path;
use crate::sampling::{BodySample, Samples};
use crate::wording::plain;
use crate::{Body, Clamp, Description, LoadPlace};

/// What holds and pulls a body.
#[derive(Debug)]
pub(crate) struct Attached {
    /// Clamps, each with the particles that it holds, counted from the first of the body.
    pub(crate) clamps: Vec<(Hold, Vec<usize>)>,
    /// Loads, with those who bear them.
    pub(crate) loads: Vec<Bearing>,
}

/// What is attached to each body. There are `samples` if the shapes of the scene are sound.
pub(super) fn attached(scene: &Description, samples: Option<&Samples>, found: &mut Vec<Finding>) -> Vec<Attached> {
    let mut all = Vec::new();
    let root = Path::default();
    for (name, material) in &scene.materials {
        let path = root.key("materials").key(name);
        let solid = [("elastic", material.elastic.is_some()), ("rigid", material.rigid.is_some())];
        let flows_as_well = material.fluid != Fluid::default() && !material.melts();
        for (key, _) in solid.into_iter().filter(|(_, is_so)| *is_so && flows_as_well) {
            let message = format!("material `{name}` is {key}, and cannot flow as well");
            let or_melts = if key == "elastic" { ", or let it melt: `heat.melts = [50, 60]`" } else { "" };
            let help = format!("leave `fluid` or `{key}` out{or_melts}");
            found.push(Finding { other: Some(path.key(key)), ..finding(path.key("fluid"), message, help) });
        }
        if let Some(limits) = &material.plastic {
            plastic(name, material, limits, (path.key("plastic"), found));
        }
        if material.breaks.is_some() && material.elastic.is_none() {
            let what = if material.rigid.is_some() { "rigid" } else { "a fluid" };
            let message = format!("material `{name}` is {what}, and only what is elastic has bonds that break");
            found.push(finding(path.key("breaks"), message, "add `elastic.implicit = {}`, or leave `breaks` out"));
        }
        if solid.iter().all(|(_, is_so)| *is_so) {
            let message = format!("material `{name}` is elastic, and cannot be rigid as well");
            let help = "leave `elastic` or `rigid` out";
            found.push(Finding { other: Some(path.key("elastic")), ..finding(path.key("rigid"), message, help) });
        }
    }
    for (k, body) in scene.bodies.iter().enumerate() {
        let is_elastic = scene.is_elastic(body);
        if scene.is_fluid(body) && !scene.pressure.allows_fluids() {
            let message = format!(
                "body `{}` is of `{}`, which is a fluid, but this only keeps solids apart",
                body.name, body.material
            );
            found.push(Finding {
                other: Some(root.key("bodies").index(k).key("material")),
                ..finding(root.key("pressure"), message, "fluids need a pressure: choose `iisph`, `dfsph` or `wcsph`")
            });
        }
        let sample = samples.and_then(|samples| samples.bodies.get(k));
        let owner = Owner { scene, body, path: root.key("bodies").index(k), is_elastic, sample };
        all.push(Attached { clamps: owner.clamps(found), loads: owner.loads(found) });
    }
    all
}

/// What is plastic must be elastic, by a law for which a turn is no strain.
fn plastic(name: &str, material: &Material, limits: &Plastic, (path, found): (Path, &mut Vec<Finding>)) {
    if limits.largest_strain < limits.yield_strain {
        let [largest, least] = [limits.largest_strain, limits.yield_strain];
        let message = format!("material `{name}` yields at a strain of {least}, but keeps no more than {largest}");
        found.push(finding(path.key("largest_strain"), message, "make `largest_strain` the larger of the two"));
    }
    match &material.elastic {
        Some(Elastic::Sph(_)) => {
            let message = format!(
                "material `{name}` is plastic, but plain SPH takes a turn for strain: it would flow as it turns"
            );
            found.push(finding(path, message, "choose `elastic.implicit` or another model"));
        }
        Some(_) => {}
        None => {
            let what = if material.rigid.is_some() { "rigid" } else { "a fluid" };
            let message = format!("material `{name}` is {what}, and only what is elastic can be plastic");
            found.push(finding(path, message, "add `elastic.implicit = {}`, or leave `plastic` out"));
        }
    }
}

/// A body to which something may be attached.
struct Owner<'a> {
    scene: &'a Description,
    body: &'a Body,
    /// Where it stands in the scene.
    path: Path,
    is_elastic: bool,
    /// Its particles, if they can be looked at.
    sample: Option<&'a BodySample>,
}

impl Owner<'_> {
    fn clamps(&self, found: &mut Vec<Finding>) -> Vec<(Hold, Vec<usize>)> {
        let Owner { scene, body, is_elastic, sample, .. } = self;
        let mut clamps = Vec::new();
        for (number, clamp) in body.clamps.iter().enumerate() {
            let path = self.path.key("clamps").index(number);
            out_of_range(path.key("region"), &clamp.region, found);
            if let Some((keyframe, fault)) = clamp.motion().and_then(|path| path.fault()) {
                let message = format!("a clamp of body `{}` cannot follow its path: {fault}", body.name);
                let help = "times increase, and a path has one axis and one centre";
                found.push(finding(path.key("path").index(keyframe), message, help));
            }
            self.wall(clamp, &path, found);
            if !is_elastic {
                found.push(self.not_elastic(path, "a clamp"));
                continue;
            }
            let Some(sample) = sample else { continue };
            let held = sample.starting_in(&scene.world, &clamp.region);
            if held.is_empty() {
                let message = format!("this clamp holds nothing: no particle of `{}` starts in its region", body.name);
                found.push(finding(path.key("region"), message, "move the region into the body, or make it larger"));
            }
            clamps.push((Hold { path: scene.clamp_path(clamp) }, held));
        }
        clamps
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

    fn loads(&self, found: &mut Vec<Finding>) -> Vec<Bearing> {
        let Owner { scene, body, is_elastic, sample, .. } = self;
        let mut loads = Vec::new();
        for (number, load) in body.loads.iter().enumerate() {
            let path = self.path.key("loads").index(number);
            if let LoadPlace::Region(region) = &load.place {
                out_of_range(path.key("region"), region, found);
            }
            if let Some(until) = load.until.filter(|&until| until <= load.from) {
                found.push(ends_early(&path, "a load", [load.from, until]));
            }
            if !is_elastic {
                found.push(self.not_elastic(path, "a load"));
                continue;
            }
            let Some(sample) = sample else { continue };
            let bearing = load.bearing(&scene.world, sample);
            if bearing.shares.is_empty() {
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
            loads.push(bearing);
        }
        loads
    }

    fn not_elastic(&self, path: Path, what: &str) -> Finding {
        let body = self.body;
        let message = format!("body `{}` has {what}, but its material `{}` is not elastic", body.name, body.material);
        let help = match self.scene.is_rigid(body) {
            true => "only elastic bodies can have one; what is rigid and held is a wall, which may have a `path`",
            false => "only elastic bodies can have one; give the material `elastic.implicit = { ... }`",
        };
        finding(path, message, help)
    }
}
