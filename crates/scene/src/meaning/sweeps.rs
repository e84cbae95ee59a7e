//! Walls whose paths lead through each other.
//!
//! Matter between two walls that close is crushed. Points of the surface of one wall are followed along both paths: the
//! signed distance to the other wall tells how long none of them can meet it, so that few moments are looked at.

use glam::DVec3;
use thixo_sim::Path;

use super::space::point;
use crate::Description;
use crate::document::Path as Place;
use crate::sampling::Samples;
use crate::shape::Solid;
use crate::wording::plain;

/// A gap this wide holds matter, in spacings.
const ROOM: f64 = 1.5;

/// A gap this narrow crushes what was in it, in spacings.
const CLOSED: f64 = 0.5;

/// Walls that approach each other less steeply, by the sine of the angle, pass by.
const HEAD_ON: f64 = 0.2;

/// Moments at which it is looked whether walls stay together.
const MOMENTS: u32 = 32;

/// Most points of a surface that are followed.
const MOST_POINTS: usize = 400;

/// Most moments at which a point is looked at.
const MOST_LOOKS: usize = 2000;

/// A wall, its matter as a solid, where it is when, and points of its surface before it moves.
struct Mover<'a> {
    name: &'a str,
    inside: bool,
    solid: Box<dyn Solid>,
    path: Option<Path>,
    surface: Vec<SurfacePoint>,
}

/// A point of a surface, before the wall moves, and the direction to the side of the matter.
#[derive(Clone, Copy)]
struct SurfacePoint {
    anchor: DVec3,
    normal: DVec3,
}

/// Where and when two walls meet.
struct Meeting {
    time: f64,
    place: DVec3,
}

/// A sentence for each pair of walls that close on each other.
pub(crate) fn sweeps(scene: &Description, samples: &Samples) -> Vec<String> {
    if scene.walls.iter().all(|wall| wall.path.is_empty()) {
        return Vec::new();
    }
    let movers = scene.walls.iter().zip(&samples.walls).filter_map(|(wall, sample)| {
        let solid = wall.shape.solid(scene.surroundings(), &Place::default()).ok()?;
        let outermost = |depth: f64| depth < 0.9 * scene.world.spacing;
        let surface = sample.particles.iter().filter(|particle| outermost(particle.to_surface.length()));
        let surface = surface.filter_map(|particle| {
            let normal = particle.to_surface.try_normalize()?;
            Some(SurfacePoint { anchor: particle.position + particle.to_surface, normal })
        });
        let surface: Vec<_> = surface.collect();
        let stride = surface.len().div_ceil(MOST_POINTS).max(1);
        let surface = surface.into_iter().step_by(stride).collect();
        Some(Mover { name: &wall.name, inside: wall.inside, solid, path: wall.motion(), surface })
    });
    let movers: Vec<_> = movers.collect();
    let mut told = Vec::new();
    for (k, second) in movers.iter().enumerate() {
        for first in &movers[..k] {
            // Of two cavities none is an obstacle in the other.
            if (first.path.is_none() && second.path.is_none()) || (first.inside && second.inside) {
                continue;
            }
            let meetings = [meeting(scene, first, second), meeting(scene, second, first)];
            let earliest = meetings.into_iter().flatten().min_by(|a, b| a.time.total_cmp(&b.time));
            told.extend(earliest.map(|Meeting { time, place }| {
                format!(
                    "walls `{}` and `{}` meet at {} s, at {}: matter between them is crushed; let their paths leave two \
                     spacings, or keep matter away",
                    first.name,
                    second.name,
                    plain((time * 1000.0).round() / 1000.0),
                    point(place)
                )
            }));
        }
    }
    told
}

/// The first time that a point of the surface of one wall comes near another that was away from it. One that slides along
/// the other, as a piston does in its cylinder, crushes nothing; and what it opens behind itself is empty when it closes again.
fn meeting(scene: &Description, one: &Mover<'_>, other: &Mover<'_>) -> Option<Meeting> {
    let end = scene.time.end;
    let speed = one.highest_speed(other) + other.highest_speed(one);
    let [room, closed] = [ROOM, CLOSED].map(|gap| gap * scene.world.spacing);
    let shortest = (end / MOST_LOOKS as f64).max(0.1 * closed / speed);
    let is_tight = [(one, other), (other, one)].into_iter().any(|(a, b)| a.slides_along(b, end, closed));
    let meetings = one.surface.iter().filter_map(|point| {
        let (mut time, mut was_apart) = (0.0, false);
        if is_tight && one.gap(point, other, 0.0) < closed {
            return None;
        }
        while time <= end {
            let place = one.place_at(point.anchor, time);
            let gap = one.gap(point, other, time);
            if was_apart && gap < closed {
                if one.closes_on(other, point, time, shortest) {
                    return Some(Meeting { time, place });
                }
                was_apart = false;
            }
            was_apart |= gap > room;
            // Until it is away anything may happen; then nothing can sooner than the gap closes.
            let sure = if was_apart { (gap - closed) / speed } else { 0.0 };
            time += sure.max(shortest);
        }
        None
    });
    meetings.min_by(|a, b| a.time.total_cmp(&b.time))
}

impl Mover<'_> {
    /// Where a point is at a time that is at `anchor` before the wall moves.
    fn place_at(&self, anchor: DVec3, time: f64) -> DVec3 {
        self.path.as_ref().map_or(anchor, |path| path.place_at(anchor, time))
    }

    /// Which point is at a place at a time; where it is before the wall moves.
    fn anchor_at(&self, place: DVec3, time: f64) -> DVec3 {
        self.path.as_ref().map_or(place, |path| path.anchor_at(place, time))
    }

    /// How far a point of the surface is from another wall [m]; negative in it.
    fn gap(&self, point: &SurfacePoint, other: &Mover<'_>, time: f64) -> f64 {
        let distance = other.solid.distance(other.anchor_at(self.place_at(point.anchor, time), time));
        if other.inside { -distance } else { distance }
    }

    /// Does any point of the surface stay on another wall all the time, so that nothing gets behind?
    fn slides_along(&self, other: &Mover<'_>, end: f64, closed: f64) -> bool {
        let mut times = (0..=MOMENTS).map(|k| end * f64::from(k) / f64::from(MOMENTS));
        let mut sliding: Vec<_> = self.surface.iter().collect();
        times.all(|time| {
            sliding.retain(|point| self.gap(point, other, time).abs() < closed);
            !sliding.is_empty()
        })
    }

    /// Does a point of the surface approach what the other wall has there, and not only pass by?
    fn closes_on(&self, other: &Mover<'_>, point: &SurfacePoint, time: f64, moment: f64) -> bool {
        let before = (time - moment).max(0.0);
        let place = self.place_at(point.anchor, time);
        let normal = self.place_at(point.anchor + point.normal, time) - place;
        let own = place - self.place_at(point.anchor, before);
        let others = place - other.place_at(other.anchor_at(place, time), before);
        (own - others).dot(normal) > HEAD_ON * (own - others).length()
    }

    /// No point of two walls near each other moves faster [m/s].
    fn highest_speed(&self, other: &Mover<'_>) -> f64 {
        let Some(path) = &self.path else { return 0.0 };
        let translations =
            [self, other].into_iter().filter_map(|mover| mover.path.as_ref()).flat_map(|path| &path.keyframes);
        let moved: f64 = translations.map(|keyframe| DVec3::from_array(keyframe.translation).length()).sum();
        let anchors = self.surface.iter().chain(&other.surface);
        let reach = anchors.map(|point| point.anchor.distance(path.centre())).fold(0.0, f64::max) + moved;
        path.highest_speed(reach)
    }
}
