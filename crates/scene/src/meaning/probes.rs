//! Probes that measure nothing.

use super::names::missing;
use super::{Finding, finding};
use crate::document::Path;
use crate::probes::region;
use crate::{Measure, PositionProbe, Scene};

/// `whole`: the shapes of the scene are sound, particles can be looked at.
pub(super) fn findings(scene: &Scene, whole: bool, found: &mut Vec<Finding>) {
    let bodies = scene.bodies.iter().map(|body| body.name.as_str());
    let walls = scene.walls.iter().map(|wall| wall.name.as_str());
    for (k, probe) in scene.probes.iter().enumerate() {
        let path = Path::default().key("probes").index(k);
        let mut body = |path: Path, name: &str| {
            if !bodies.clone().any(|body| body == name) {
                found.push(missing(path.key("body"), "body", name, bodies.clone()));
            }
        };
        match &probe.measure {
            Measure::Pressure(_) => {}
            Measure::Front(front) => {
                front.body.iter().for_each(|name| body(path.key("front"), name));
                if scene.world.flat(front.direction).length_squared() == 0.0 {
                    let message = "the direction is zero".into();
                    found.push(finding(path.key("front").key("direction"), message, "`[1, 0, 0]` is along x"));
                }
            }
            Measure::Position(position) => {
                body(path.key("position"), &position.body);
                if whole && is_empty(scene, position) {
                    let message = format!("no particle of `{}` starts in this region", position.body);
                    found.push(finding(path.key("position"), message, "move `min` and `max`, or leave them out"));
                }
            }
            Measure::Energy(total) => total.body.iter().for_each(|name| body(path.key("energy"), name)),
            Measure::Momentum(total) => total.body.iter().for_each(|name| body(path.key("momentum"), name)),
            Measure::Force(force) => {
                if !bodies.clone().chain(walls.clone()).any(|name| name == force.on) {
                    let names = bodies.clone().chain(walls.clone());
                    found.push(missing(path.key("force").key("on"), "body or wall", &force.on, names));
                }
            }
        }
    }
}

fn is_empty(scene: &Scene, probe: &PositionProbe) -> bool {
    scene.bodies.iter().any(|body| body.name == probe.body) && region(scene, probe).is_empty()
}
