//! Materials that cannot melt as they are asked to, and heaters that heat nothing.

use thixo_sim::{Course, Elastic, HeaterTarget, Material, Region, RegionBox, Supply};

use super::names::missing;
use super::{Finding, ends_early, finding, out_of_range};
use crate::Description;
use crate::document::Path;
use crate::heat::Heater;
use crate::probes::Part;

/// What a heater heats.
#[derive(Clone, Debug)]
pub(crate) enum Heated {
    /// A body or a wall.
    Part(Part),
    /// Matter in a piece of space.
    Region(Region),
}

/// A heater whose names are known.
#[derive(Clone, Debug)]
pub(crate) struct KnownHeater {
    pub(crate) heated: Heated,
    pub(crate) supply: Supply,
    pub(crate) from: f64,
    pub(crate) until: Option<f64>,
}

impl Heated {
    /// The same for a simulation that knows each part as `identify` says.
    pub(crate) fn target(&self, identify: impl Fn(Part) -> thixo_sim::BodyId) -> HeaterTarget {
        match self {
            Heated::Part(part @ Part::Body(_)) => HeaterTarget::Body(identify(*part)),
            Heated::Part(part @ Part::Wall(_)) => HeaterTarget::Wall(identify(*part)),
            Heated::Region(region) => HeaterTarget::Region(region.clone()),
        }
    }
}

/// What heats: walls that have a temperature, then heaters.
pub(super) fn heaters(scene: &Description, found: &mut Vec<Finding>) -> Vec<KnownHeater> {
    let root = Path::default();
    for (name, material) in &scene.materials {
        phases(scene, name, material, &root.key("materials").key(name), found);
    }
    idle(scene, found);
    let mut all = Vec::new();
    for (k, wall) in scene.walls.iter().enumerate() {
        let heated = Heated::Part(Part::Wall(k));
        let held = wall.temperature.map(|value| Supply::Temperature(Course::constant(value)));
        all.extend(held.map(|supply| KnownHeater { heated, supply, from: 0.0, until: None }));
    }
    for (k, heater) in scene.heaters.iter().enumerate() {
        let path = root.key("heaters").index(k);
        let (heated, supply) = (target(scene, heater, &path, found), supply(heater, &path, found));
        if let Some(until) = heater.until.filter(|&until| until <= heater.from) {
            found.push(ends_early(&path, "a heater", [heater.from, until]));
        }
        let (from, until) = (heater.from, heater.until);
        if let (Some(heated), Some(supply)) = (heated, supply) {
            all.push(KnownHeater { heated, supply, from, until });
        }
    }
    all
}

/// A material must be something on both sides of melting.
fn phases(scene: &Description, name: &str, material: &Material, path: &Path, found: &mut Vec<Finding>) {
    let Some(heat) = &material.heat else { return };
    let path = path.key("heat");
    if let Some((key, cause, help)) = heat.fault() {
        found.push(finding(path.key(key), format!("material `{name}`: {cause}"), help));
        return;
    }
    if heat.melts.is_none() {
        return;
    }
    let path = path.key("melts");
    match (&material.elastic, &material.rigid) {
        (_, Some(_)) => {
            let message = format!("material `{name}` is rigid, and what is rigid cannot melt yet");
            found.push(finding(path.clone(), message, "make it `elastic`, as stiff as need be, or leave `melts` out"));
        }
        (None, None) => {
            let message = format!("material `{name}` melts, but nothing says what it is while it is solid");
            found.push(finding(path.clone(), message, "add `elastic.implicit = {}`, or leave `melts` out"));
        }
        (Some(Elastic::Mls(_)), _) => {
            let message = format!("material `{name}` melts, and moving least squares cannot be fitted to what freezes");
            found.push(finding(path.clone(), message, "choose `elastic.implicit` or another model"));
        }
        _ => {}
    }
    if !scene.pressure.allows_fluids() {
        let message = format!("material `{name}` melts, but this only keeps solids apart");
        let help = "fluids need a pressure: choose `iisph`, `dfsph` or `wcsph`";
        found.push(Finding { other: Some(path), ..finding(Path::default().key("pressure"), message, help) });
    }
}

/// Temperatures where nothing has heat.
fn idle(scene: &Description, found: &mut Vec<Finding>) {
    let root = Path::default();
    let help = "give the material `heat = { conductivity = 0.6, capacity = 4186.0 }`";
    for (k, body) in scene.bodies.iter().enumerate() {
        let Some(material) = scene.materials.get(&body.material).filter(|material| material.heat.is_none()) else {
            continue;
        };
        let _ = material;
        if body.temperature.is_some() {
            let message =
                format!("body `{}` has a temperature, but its material `{}` holds no heat", body.name, body.material);
            found.push(finding(root.key("bodies").index(k).key("temperature"), message, help));
        }
    }
    for (k, emitter) in scene.emitters.iter().enumerate().filter(|(_, emitter)| emitter.temperature.is_some()) {
        if scene.materials.get(&emitter.material).is_some_and(|material| material.heat.is_none()) {
            let (name, material) = (&emitter.name, &emitter.material);
            let message = format!("emitter `{name}` has a temperature, but its material `{material}` holds no heat");
            found.push(finding(root.key("emitters").index(k).key("temperature"), message, help));
        }
    }
    if scene.materials.values().any(|material| material.heat.is_some()) {
        return;
    }
    let walls = scene.walls.iter().position(|wall| wall.temperature.is_some());
    let places = [
        walls.map(|k| root.key("walls").index(k).key("temperature")),
        (!scene.heaters.is_empty()).then(|| root.key("heaters").index(0)),
        scene.world.surroundings.as_ref().map(|_| root.key("world").key("surroundings")),
    ];
    let idle = places.into_iter().flatten();
    found.extend(idle.map(|path| finding(path, "this heats nothing: no material holds heat".into(), help)));
}

/// What a heater heats, if that is one thing and there.
fn target(scene: &Description, heater: &Heater, path: &Path, found: &mut Vec<Finding>) -> Option<Heated> {
    let Heater { wall, body, region, .. } = heater;
    let given = [wall.is_some(), body.is_some(), region.is_some()].into_iter().filter(|is_given| *is_given).count();
    if given != 1 {
        let message = if given == 0 { "this heater heats nothing" } else { "this heater has several targets" };
        let help = "name one `wall`, one `body` or one `region`";
        found.push(finding(path.clone(), message.into(), help));
        return None;
    }
    if let Some(region) = region {
        out_of_range(path.key("region"), region, found);
        if let Region::Box(RegionBox { min, max }) = region
            && (0..usize::from(scene.world.dimension)).any(|axis| max[axis] <= min[axis])
        {
            let help = "every number of `max` must be greater than that of `min`";
            let message = "the region of this heater has no inside".into();
            found.push(finding(path.key("region").key("box").key("max"), message, help));
        }
        return Some(Heated::Region(region.clone()));
    }
    let look_up = |key: &str, name: &str, mut names: Box<dyn Iterator<Item = &str> + '_>| {
        names.position(|other| other == name).ok_or_else(|| path.key(key))
    };
    let walls = || scene.walls.iter().map(|wall| wall.name.as_str());
    let bodies = || scene.bodies.iter().map(|body| body.name.as_str());
    let part = match (wall, body) {
        (Some(name), _) => look_up("wall", name, Box::new(walls()))
            .map(Part::Wall)
            .map_err(|path| missing(path, "wall", name, walls())),
        (None, Some(name)) => look_up("body", name, Box::new(bodies()))
            .map(Part::Body)
            .map_err(|path| missing(path, "body", name, bodies())),
        (None, None) => return None,
    };
    part.map_err(|missing| found.push(missing)).ok().map(Heated::Part)
}

/// What a heater does, if that is one thing and makes sense.
fn supply(heater: &Heater, path: &Path, found: &mut Vec<Finding>) -> Option<Supply> {
    let Some(supply) = heater.supply() else {
        let message = "this heater does nothing, or several things at a time".into();
        found.push(finding(path.clone(), message, "give one of `temperature`, `power`, `temperatures` and `powers`"));
        return None;
    };
    let (Supply::Temperature(course) | Supply::Power(course)) = &supply;
    if let Some(k) = course.fault() {
        let key = if heater.temperatures.is_empty() { "powers" } else { "temperatures" };
        let message = "the time of this value is not later than that of the one before".into();
        found.push(finding(path.key(key).index(k), message, "write values in the order of their times"));
    }
    Some(supply)
}
