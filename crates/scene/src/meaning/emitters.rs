//! What comes in through emitters and goes out through sinks, and where there is no way.

use glam::DVec3;
use thixo_sim::{NewEmitter, Nozzle, Real, Region, RegionBox, RegionSphere};

use super::names::missing;
use super::space::point;
use super::{Finding, ends_early, finding, out_of_range};
use crate::document::Path;
use crate::emitter::Sink;
use crate::near::Near;
use crate::sampling::{Samples, Stream, Walls};
use crate::shape::Bounds;
use crate::{Description, Emitter};

/// What is nearer to each other than this many spacings is in one place.
const TOO_NEAR: f64 = 0.75;

/// Fluid that gives way to a pipe keeps this far away, in spacings.
const ROOM: f64 = 0.95;

/// How deep in a wall an opening may be, in spacings: at curved walls some corner is.
const DEEP: f64 = 0.25;

/// Emitters and sinks by themselves.
pub(super) fn findings(scene: &Description, found: &mut Vec<Finding>) {
    for (k, emitter) in scene.emitters.iter().enumerate() {
        let path = Path::default().key("emitters").index(k);
        let name = &emitter.name;
        match (emitter.speed, emitter.rate) {
            (Some(_), Some(_)) => {
                let message = format!("emitter `{name}` has a speed and a rate");
                found.push(finding(path.key("rate"), message, "give one: the other follows from the opening"));
            }
            (None, None) => {
                let message = format!("emitter `{name}` has neither a speed nor a rate");
                found.push(finding(path.clone(), message, "add `speed` in m/s, or `rate` in m^3/s"));
            }
            _ => {}
        }
        if emitter.end() <= emitter.from {
            found.push(ends_early(&path, &format!("emitter `{name}`"), [emitter.from, emitter.end()]));
        }
        material(scene, emitter, &path, found);
        attached(scene, emitter, &path, found);
    }
    for (k, sink) in scene.sinks.iter().enumerate() {
        let path = Path::default().key("sinks").index(k);
        out_of_range(path.key("region"), &sink.region, found);
        if let Some(until) = sink.until.filter(|&until| until <= sink.from) {
            found.push(ends_early(&path, &sink.title(k), [sink.from, until]));
        }
        let axes = usize::from(scene.world.dimension);
        if let Region::Box(RegionBox { min, max }) = &sink.region
            && (0..axes).any(|axis| max[axis] <= min[axis])
        {
            let message = format!("the region of {} has no inside", sink.title(k));
            let help = "every number of `max` must be greater than that of `min`";
            found.push(finding(path.key("region").key("box").key("max"), message, help));
        }
    }
}

fn material(scene: &Description, emitter: &Emitter, path: &Path, found: &mut Vec<Finding>) {
    let names = scene.materials.keys().map(String::as_str);
    match scene.materials.get(&emitter.material) {
        None => found.push(missing(path.key("material"), "material", &emitter.material, names)),
        Some(material) if !material.is_fluid_at(emitter.temperature.map(|t| t as Real)) => {
            let (kind, help) = match (&material.rigid, material.melts()) {
                (None, true) => ("solid at its temperature", "give the emitter a `temperature` at which it has melted"),
                (Some(_), _) => ("rigid", "only fluids come out of emitters; solids are bodies"),
                (None, false) => ("elastic", "only fluids come out of emitters; solids are bodies"),
            };
            let message = format!("emitter `{}` lets out `{}`, which is {kind}", emitter.name, emitter.material);
            found.push(finding(path.key("material"), message, help));
        }
        Some(_) if !scene.pressure.allows_fluids() => {
            let message =
                format!("emitter `{}` lets out a fluid, and the solver only keeps solids apart", emitter.name);
            found.push(finding(path.key("material"), message, "choose another solver, or leave `pressure` out"));
        }
        Some(_) => {}
    }
}

/// The wall that it is fixed to, or the path that it follows.
fn attached(scene: &Description, emitter: &Emitter, path: &Path, found: &mut Vec<Finding>) {
    if let Some(wall) = &emitter.wall {
        let names = scene.walls.iter().map(|wall| wall.name.as_str());
        if !names.clone().any(|name| name == wall) {
            found.push(missing(path.key("wall"), "wall", wall, names));
        }
        if !emitter.path.is_empty() {
            let message = format!("emitter `{}` is fixed to a wall, and has a path of its own", emitter.name);
            found.push(finding(path.key("path"), message, "leave one of them out"));
        }
    } else if let Some((keyframe, fault)) = scene.emitter_path(emitter).and_then(|path| path.fault()) {
        let message = format!("emitter `{}` cannot follow its path: {fault}", emitter.name);
        let help = "times increase, and a path has one axis and one centre";
        found.push(finding(path.key("path").index(keyframe), message, help));
    }
}

/// Finds what waits in pipes, makes room for it, and tells what is in the way.
pub(super) fn place(scene: &Description, samples: &mut Samples, found: &mut Vec<Finding>) {
    let (before, spacing) = (found.len(), scene.world.spacing);
    let mut streams: Vec<Stream> = Vec::new();
    for (k, emitter) in scene.emitters.iter().enumerate() {
        let path = Path::default().key("emitters").index(k);
        if found.iter().any(|told| told.path.starts_with(&path)) {
            continue;
        }
        let new = scene.new_emitter(emitter);
        let nozzle = match new.nozzle(spacing, scene.world.support(), scene.world.dimension()) {
            Ok(nozzle) => nozzle,
            Err(fault) => {
                let (path, help) = match () {
                    () if fault.contains("direction") => (path.key("direction"), "turn it towards the normal"),
                    () if fault.contains("spacings") => (path.key("shape"), "make it wider, or `spacing` smaller"),
                    () => (path.key("shape"), "an opening is plane, at least two spacings wide, and has a normal"),
                };
                found.push(finding(path, format!("emitter `{}` lets nothing out: {fault}", emitter.name), help));
                continue;
            }
        };
        in_one_place(scene, &streams, (emitter, &nozzle), &path, found);
        in_walls(scene, samples, (emitter, &new, &nozzle), &path, found);
        in_bodies(scene, samples, (emitter, &nozzle), &path, found);
        streams.push(Stream { new, nozzle, casing: 0 });
    }
    if found.len() == before {
        streams.iter().for_each(|stream| make_room(scene, samples, stream));
        for k in 0..streams.len() {
            let walls = samples.walls.iter().flat_map(|wall| wall.particles.iter().map(|particle| particle.position));
            let others = streams[..k].iter().flat_map(|other| all(&other.nozzle));
            let near = Near::of(walls.chain(others), TOO_NEAR * spacing);
            let is_free = |place: &&[f64; 3]| !near.has_any(DVec3::from_array(**place));
            streams[k].casing = streams[k].nozzle.casing.iter().filter(is_free).count() as u64;
        }
    }
    samples.streams = streams;
    for (k, sink) in scene.sinks.iter().enumerate() {
        useless(scene, samples, (sink, k), found);
    }
}

/// Whatever is there of an emitter.
fn all(nozzle: &Nozzle) -> impl Iterator<Item = DVec3> + '_ {
    nozzle.waiting.iter().chain(&nozzle.casing).copied().map(DVec3::from_array)
}

fn waiting(nozzle: &Nozzle) -> impl Iterator<Item = DVec3> + '_ {
    nozzle.waiting.iter().copied().map(DVec3::from_array)
}

fn front(nozzle: &Nozzle) -> impl Iterator<Item = DVec3> + '_ {
    nozzle.front.iter().copied().map(DVec3::from_array)
}

fn in_one_place(
    scene: &Description,
    streams: &[Stream],
    (emitter, nozzle): (&Emitter, &Nozzle),
    path: &Path,
    found: &mut Vec<Finding>,
) {
    for (other, stream) in scene.emitters.iter().zip(streams) {
        let near = Near::of(all(&stream.nozzle), TOO_NEAR * scene.world.spacing);
        let Some(place) = all(nozzle).find(|place| near.has_any(*place)) else { continue };
        let message = format!("emitters `{}` and `{}` are in one place, at {}", other.name, emitter.name, point(place));
        let help = "move one of them: their pipes reach back as far as a particle sees, and have a casing";
        found.push(finding(path.key("shape"), message, help));
        return;
    }
}

fn in_walls(
    scene: &Description,
    samples: &Samples,
    (emitter, new, nozzle): (&Emitter, &NewEmitter, &Nozzle),
    path: &Path,
    found: &mut Vec<Finding>,
) {
    let walls = Walls::of(scene);
    let buried = front(nozzle).find_map(|x| Some((walls.holding(x, DEEP * scene.world.spacing, false)?, x)));
    if let Some((wall, place)) = buried {
        let wall = &scene.walls[wall];
        let (message, help) = match wall.inside {
            true => (
                format!("emitter `{}` opens outside of wall `{}`, at {}", emitter.name, wall.name, point(place)),
                format!("fluid stays inside `{}`: move the opening to its face or inside", wall.name),
            ),
            false => (
                format!("emitter `{}` opens inside wall `{}`, at {}", emitter.name, wall.name, point(place)),
                format!("move it to the face of `{}`, or turn its normal round", wall.name),
            ),
        };
        found.push(finding(path.key("shape"), message, help));
        return;
    }
    let near = Near::of(waiting(nozzle), TOO_NEAR * scene.world.spacing);
    for (wall, sample) in scene.walls.iter().zip(&samples.walls) {
        let moves_along = wall.motion() == new.path;
        let meets = |place: DVec3| !moves_along && near.has_any(place);
        if let Some(particle) = sample.particles.iter().find(|particle| meets(particle.position)) {
            let place = point(particle.position);
            let message = format!("the pipe of emitter `{}` is in wall `{}`, at {place}", emitter.name, wall.name);
            let help = format!("they do not move together: fix it with `wall = \"{}\"`, or move it away", wall.name);
            found.push(finding(path.key("shape"), message, help));
            return;
        }
    }
}

fn in_bodies(
    scene: &Description,
    samples: &Samples,
    (emitter, nozzle): (&Emitter, &Nozzle),
    path: &Path,
    found: &mut Vec<Finding>,
) {
    let near = Near::of(all(nozzle).chain(front(nozzle)), TOO_NEAR * scene.world.spacing);
    for (body, sample) in scene.bodies.iter().zip(&samples.bodies).filter(|(body, _)| !scene.is_fluid(body)) {
        let Some(place) = sample.positions().find(|place| near.has_any(*place)) else { continue };
        let message = format!("emitter `{}` is in body `{}`, at {}", emitter.name, body.name, point(place));
        let help = format!("fluid gives way to its pipe, solids do not: move it or `{}`", body.name);
        found.push(finding(path.key("shape"), message, help));
        return;
    }
}

/// Walls have a hole where a pipe is, and fluid stays away from it.
fn make_room(scene: &Description, samples: &mut Samples, Stream { nozzle, .. }: &Stream) {
    let spacing = scene.world.spacing;
    let pipe = Near::of(waiting(nozzle), TOO_NEAR * spacing);
    samples.walls.iter_mut().for_each(|wall| wall.keep_out(&pipe));
    let around = Near::of(all(nozzle), ROOM * spacing);
    let fluids = scene.bodies.iter().zip(&mut samples.bodies).filter(|(body, _)| scene.is_fluid(body));
    fluids.for_each(|(_, sample)| sample.keep_out(&around));
}

/// A sink that takes everything at once, or never anything.
fn useless(scene: &Description, samples: &Samples, (sink, k): (&Sink, usize), found: &mut Vec<Finding>) {
    let (world, path) = (&scene.world, Path::default().key("sinks").index(k).key("region"));
    let (dimension, domain) = (world.dimension(), world.domain());
    let takes = |x: DVec3| sink.region.contains(dimension, &domain, crate::build::narrow(x)) != sink.outside;
    let bodies = scene.bodies.iter().zip(&samples.bodies).filter(|(body, _)| scene.is_fluid(body));
    let mut all = bodies
        .flat_map(|(_, sample)| sample.positions())
        .chain(samples.streams.iter().flat_map(|stream| front(&stream.nozzle)));
    if sink.from == 0.0 && all.all(takes) {
        let message = format!("{} takes all fluid at once, and whatever comes in", sink.title(k));
        let help = if sink.outside {
            "make the region larger"
        } else {
            "make the region smaller, or is `outside = true` meant?"
        };
        found.push(finding(path, message, help));
        return;
    }
    let cavities = || scene.walls.iter().filter(|wall| wall.inside);
    let space = cavities().map(|wall| scene.bounds(&wall.shape)).fold(Bounds::EMPTY, Bounds::joined);
    let around = match &sink.region {
        Region::Box(RegionBox { min, max }) => {
            Bounds { min: DVec3::from_array(min.map(f64::from)), max: DVec3::from_array(max.map(f64::from)) }
        }
        Region::Sphere(RegionSphere { centre, radius }) => {
            Bounds::around(DVec3::from_array(centre.map(f64::from)), DVec3::splat(f64::from(*radius)))
        }
    };
    let axes = usize::from(world.dimension);
    let misses = match sink.outside {
        true => {
            matches!(sink.region, Region::Box(_))
                && (0..axes).all(|axis| around.min[axis] <= space.min[axis] && around.max[axis] >= space.max[axis])
        }
        false => (0..axes).any(|axis| around.min[axis] > space.max[axis] || around.max[axis] < space.min[axis]),
    };
    if cavities().next().is_some() && cavities().all(|wall| wall.path.is_empty()) && misses {
        let message = format!("{} never takes anything: no wall lets matter there", sink.title(k));
        found.push(finding(
            path,
            message,
            format!("matter stays between {} and {}", point(space.min), point(space.max)),
        ));
    }
}
