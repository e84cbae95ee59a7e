//! Probes that measure nothing, and what the others measure.

use super::names::missing;
use super::{Finding, finding};
use crate::document::Path;
use crate::probes::{NamedTarget, Part, Target, region};
use crate::sampling::Samples;
use crate::{Description, JointKind, Measure};

/// What the probes measure. There are `samples` if the shapes of the scene are sound.
pub(super) fn targets(
    scene: &Description,
    samples: Option<&Samples>,
    found: &mut Vec<Finding>,
) -> Vec<NamedTarget<Part>> {
    let mut targets = Vec::new();
    for (k, probe) in scene.probes.iter().enumerate() {
        let path = Path::default().key("probes").index(k);
        let target = target(scene, samples, &probe.measure, &path, found);
        targets.extend(target.map(|target| NamedTarget { name: probe.name.clone(), target }));
    }
    targets
}

/// What a probe measures; none if that makes no sense, or cannot be known yet.
fn target(
    scene: &Description,
    samples: Option<&Samples>,
    measure: &Measure,
    path: &Path,
    found: &mut Vec<Finding>,
) -> Option<Target<Part>> {
    let world = &scene.world;
    Some(match measure {
        Measure::Pressure(probe) => Target::pressure(world, probe),
        Measure::Temperature(_) | Measure::Heat(_)
            if scene.materials.values().all(|material| material.heat.is_none()) =>
        {
            let message = "there is no heat to measure: no material holds any".into();
            let help = "give a material `heat = { conductivity = 0.6, capacity = 4186.0 }`";
            found.push(finding(path.clone(), message, help));
            return None;
        }
        Measure::Temperature(probe) => Target::temperature(world, probe),
        Measure::Heat(probe) => Target::Heat(one_or_all(scene, path.key("heat"), probe.body.as_deref(), found)?),
        Measure::Front(probe) => {
            let body = one_or_all(scene, path.key("front"), probe.body.as_deref(), found);
            if world.flat(probe.direction).length_squared() == 0.0 {
                let message = "the direction is zero".into();
                found.push(finding(path.key("front").key("direction"), message, "`[1, 0, 0]` is along x"));
            }
            Target::front(world, probe, body?)
        }
        Measure::Position(probe) => {
            let path = path.key("position");
            let body = body(scene, path.clone(), &probe.body, found)?;
            if body >= scene.bodies.len() {
                let message =
                    format!("`{}` comes from an emitter: no particle of it is there at the start", probe.body);
                found.push(finding(path.key("body"), message, "measure its `front` or `momentum`"));
                return None;
            }
            let ids = region(world, samples?, body, probe);
            if ids.is_empty() {
                let message = format!("no particle of `{}` starts in this region", probe.body);
                found.push(finding(path, message, "move `min` and `max`, or leave them out"));
            }
            Target::Position { ids: ids.into() }
        }
        Measure::Energy(probe) => Target::Energy(one_or_all(scene, path.key("energy"), probe.body.as_deref(), found)?),
        Measure::Momentum(probe) => {
            Target::Momentum(one_or_all(scene, path.key("momentum"), probe.body.as_deref(), found)?)
        }
        Measure::Motion(probe) => {
            let path = path.key("motion");
            let body = body(scene, path.clone(), &probe.body, found)?;
            if !scene.bodies.get(body).is_some_and(|body| scene.is_rigid(body)) {
                let message = format!("body `{}` is not rigid, and has no motion as a whole", probe.body);
                let help = "measure its `position` and `momentum`, or give its material `rigid = {}`";
                found.push(finding(path.key("body"), message, help));
            }
            Target::Motion(Part::Body(body))
        }
        Measure::Joint(probe) => {
            let path = path.key("joint").key("name");
            let names = scene.joints.iter().map(|joint| joint.name.as_str());
            let Some(joint) = scene.joints.iter().find(|joint| joint.name == probe.name) else {
                found.push(missing(path, "joint", &probe.name, names));
                return None;
            };
            let slides = match joint.kind {
                JointKind::Hinge(_) => false,
                JointKind::Slider(_) => true,
                JointKind::Fixed(_) | JointKind::Ball(_) => {
                    let message = format!("joint `{}` has no axis, and nothing to measure", probe.name);
                    found.push(finding(path, message, "measure the `motion` of its bodies"));
                    return None;
                }
            };
            Target::Joint { name: probe.name.as_str().into(), slides }
        }
        Measure::Force(probe) => {
            let parts = (0..).map(Part::Body).zip(scene.bodies.iter().map(|body| &body.name));
            let mut parts = parts.chain((0..).map(Part::Wall).zip(scene.walls.iter().map(|wall| &wall.name)));
            let names = parts.clone().map(|(_, name)| name.as_str());
            let Some((part, _)) = parts.find(|(_, name)| **name == probe.on) else {
                found.push(missing(path.key("force").key("on"), "body or wall", &probe.on, names));
                return None;
            };
            Target::Force(part)
        }
    })
}

/// The body of this name, or all of them if there is none.
fn one_or_all(scene: &Description, path: Path, name: Option<&str>, found: &mut Vec<Finding>) -> Option<Option<Part>> {
    match name {
        Some(name) => body(scene, path, name, found).map(|body| Some(Part::Body(body))),
        None => Some(None),
    }
}

/// The index of the body of this name.
fn body(scene: &Description, path: Path, name: &str, found: &mut Vec<Finding>) -> Option<usize> {
    let names = scene.names_of_matter();
    let body = names.clone().position(|body| body == name);
    if body.is_none() {
        found.push(missing(path.key("body"), "body", name, names));
    }
    body
}
