//! Individual steps, and what does not fit them.

use thixo_sim::Individual;

use super::{Finding, finding};
use crate::Description;
use crate::document::Path;

/// What is solved for in one step of all, or keeps time of its own, beside `time.step.individual`.
pub(super) fn findings(scene: &Description, found: &mut Vec<Finding>) {
    if scene.time.step.individual().is_none() {
        return;
    }
    let root = Path::default();
    let step = root.key("time").key("step");
    let mut add = |path: Path, message: String, help: &str| {
        found.push(Finding { other: Some(step.clone()), ..finding(path, message, help) });
    };
    if !Individual::fits_pressure(&scene.pressure) {
        let message = "individual steps need pressures that follow from densities, but these do not".to_owned();
        add(root.key("pressure"), message, "choose `wcsph` or `cohesion`, or write `step.adaptive = {}`");
    }
    for (name, material) in &scene.materials {
        if let Some((key, what)) = Individual::misfit(material) {
            let message = format!("material `{name}`: {what} and individual steps do not fit together");
            add(root.key("materials").key(name).key(key), message, "leave it out, or write `step.adaptive = {}`");
        }
    }
}
