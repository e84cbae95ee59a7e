//! Elastic materials and clamps that make no sense.

use thixo_sim::Fluid;

use super::{Finding, finding, out_of_range};
use crate::Scene;
use crate::document::Path;

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
        for (number, clamp) in body.clamps.iter().enumerate() {
            let path = root.key("bodies").index(k).key("clamps").index(number);
            out_of_range(path.key("region"), &clamp.region, found);
            if let Some((keyframe, fault)) = clamp.motion().and_then(|path| path.fault()) {
                let message = format!("a clamp of body `{}` cannot follow its path: {fault}", body.name);
                let help = "times increase, and a path has one axis and one centre";
                found.push(finding(path.key("path").index(keyframe), message, help));
            }
            if !is_elastic {
                let message =
                    format!("body `{}` has a clamp, but its material `{}` is not elastic", body.name, body.material);
                found.push(finding(
                    path,
                    message,
                    "fluids cannot be clamped; give the material `elastic.implicit = { ... }`",
                ));
            } else if whole && scene.held(k, clamp).is_empty() {
                let message = format!("this clamp holds nothing: no particle of `{}` starts in its region", body.name);
                found.push(finding(path.key("region"), message, "move the region into the body, or make it larger"));
            }
        }
    }
}
