//! How light gets from the sun and the sky into a pixel.
//!
//! A matte surface gets light from a point of the sun, if nothing is in between, and from a point of the sky; where the
//! sky is hidden, from what hides it, a little. Clear matter reflects and refracts (Fresnel, Snell) and takes its share
//! on the way (Beer). Light that goes through clear matter to a surface keeps its direction: shadows of water are
//! bright, but have no caustics.

use glam::Vec3;

use crate::clear::{Clear, reflect, reflectance, refract};
use crate::colour::Colour;
use crate::light::{Ground, Light};
use crate::picture::{Finish, Picture, Thing};
use crate::ray::Ray;
use crate::sampling::{Purpose, Sampler, cosine_direction, disc_direction};
use crate::shapes::Hit;

/// Interfaces after which a path through clear matter ends.
const DEEPEST: u32 = 12;
/// Interfaces at which both ways are followed; deeper, one of them is drawn by lot.
const FORKS: u32 = 2;
/// Surfaces of one thing along a ray that are looked at.
const MOST_SHADES: u32 = 32;
/// What a hidden piece of sky still sends: light that was reflected elsewhere.
const BOUNCE: f32 = 0.5;

/// A picture, ready to be drawn.
pub(crate) struct Tracer<'a> {
    things: &'a [Thing],
    ground: Option<Ground>,
    light: &'a Light,
    middle: Vec3,
    size: f32,
    /// A distance that is nothing compared with the things, and more than rounding.
    little: f32,
}

/// A ray's past.
#[derive(Clone, Copy)]
struct Path {
    sampler: Sampler,
    depth: u32,
    /// The clear matter it is in.
    medium: Option<Clear>,
}

/// What a ray meets first.
struct Meeting {
    hit: Hit,
    finish: Finish,
    /// How much of it is there: the ground fades away.
    presence: f32,
}

impl<'a> Tracer<'a> {
    pub(crate) fn new(picture: &'a Picture) -> Tracer<'a> {
        let bounds = picture.bounds();
        let size = bounds.diagonal();
        let middle = if bounds.is_empty() { Vec3::ZERO } else { bounds.centre() };
        let farthest = if bounds.is_empty() { 0.0 } else { bounds.low.abs().max(bounds.high.abs()).max_element() };
        let little = 2e-5 * size + 4.0 * f32::EPSILON * farthest;
        Tracer { things: &picture.things, ground: picture.ground, light: &picture.light, middle, size, little }
    }

    /// The light that comes in along a ray.
    pub(crate) fn light_along(&self, ray: &Ray, sampler: Sampler) -> Colour {
        self.follow(ray, Path { sampler, depth: 0, medium: None })
    }

    fn follow(&self, ray: &Ray, path: Path) -> Colour {
        let Some(Meeting { hit, finish, presence }) = self.nearest(ray) else { return self.beyond(ray, path) };
        match finish {
            Finish::Line => hit.colour,
            Finish::Clear(clear) => self.through(ray, &hit, clear, path),
            Finish::Matte | Finish::Shell => {
                let facing = if hit.normal.dot(ray.direction) > 0.0 { -hit.normal } else { hit.normal };
                let light = self.matte(ray.at(hit.distance), facing, hit.colour, path);
                let light = light * path.medium.map_or(Colour::ONE, |medium| medium.transmittance(hit.distance));
                if presence < 1.0 { self.beyond(ray, path).lerp(light, presence) } else { light }
            }
        }
    }

    /// The first thing along a ray.
    fn nearest(&self, ray: &Ray) -> Option<Meeting> {
        let mut found: Option<Meeting> = None;
        let mut limit = f32::INFINITY;
        for thing in self.things {
            let hit = match thing.finish {
                Finish::Shell => self.leaving(thing, ray, limit),
                _ => thing.shape.nearest(ray, limit),
            };
            if let Some(hit) = hit {
                limit = hit.distance;
                found = Some(Meeting { hit, finish: thing.finish, presence: 1.0 });
            }
        }
        let ground = self.ground.and_then(|ground| Some((ground, ground.distance(ray, limit)?)));
        let Some((ground, distance)) = ground else { return found };
        let presence = ground.presence((ray.at(distance) - self.middle).length(), self.size);
        let hit = Hit { distance, normal: ground.normal, colour: ground.colour };
        (presence > 0.0).then_some(Meeting { hit, finish: Finish::Matte, presence })
    }

    /// Where a ray first leaves a thing, wherever it came in.
    fn leaving(&self, thing: &Thing, ray: &Ray, limit: f32) -> Option<Hit> {
        let mut passed = 0.0;
        for _ in 0..MOST_SHADES {
            let onward = Ray::new(ray.at(passed), ray.direction);
            let hit = thing.shape.nearest(&onward, limit - passed)?;
            if hit.normal.dot(ray.direction) > 0.0 {
                return Some(Hit { distance: passed + hit.distance, ..hit });
            }
            passed += hit.distance + self.little;
        }
        None
    }

    /// What is behind everything.
    fn beyond(&self, ray: &Ray, path: Path) -> Colour {
        if path.depth == 0 { self.light.sky(ray.direction) } else { self.light.mirrored_sky(ray.direction) }
    }

    /// The light that a matte surface sends.
    fn matte(&self, place: Vec3, normal: Vec3, colour: Colour, path: Path) -> Colour {
        let start = place + normal * self.little;
        let towards_sun = disc_direction(self.light.sun, self.light.sun_size, path.sampler.point(Purpose::Sun));
        let facing = towards_sun.dot(normal);
        let sun =
            if facing > 0.0 { facing * self.light.sunlight * self.sunshine(start, towards_sun) } else { Colour::ZERO };
        let ray = Ray::new(start, cosine_direction(normal, path.sampler.point(Purpose::Sky)));
        let sky = match self.nearest_opaque(&ray) {
            Some(hidden_by) => BOUNCE * hidden_by * self.light.zenith,
            None => self.light.sky(ray.direction),
        };
        colour * (sun + sky)
    }

    /// The colour of the first thing along a ray that light does not go through.
    fn nearest_opaque(&self, ray: &Ray) -> Option<Colour> {
        let mut limit = f32::INFINITY;
        let mut found = None;
        for thing in self.things.iter().filter(|thing| thing.finish == Finish::Matte) {
            if let Some(hit) = thing.shape.nearest(ray, limit) {
                (limit, found) = (hit.distance, Some(hit.colour));
            }
        }
        let ground = self.ground.filter(|ground| ground.distance(ray, limit).is_some());
        ground.map(|ground| 1.5 * ground.colour).or(found)
    }

    /// What is left of the light of the sun on its way to a place.
    fn sunshine(&self, place: Vec3, towards_sun: Vec3) -> Colour {
        let ray = Ray::new(place, towards_sun);
        let mut left = Colour::ONE;
        for thing in self.things {
            match thing.finish {
                Finish::Line | Finish::Shell => {}
                Finish::Matte if thing.shape.is_met(&ray, f32::INFINITY) => return Colour::ZERO,
                Finish::Matte => {}
                Finish::Clear(clear) => left *= self.shade(&ray, thing, clear),
            }
        }
        left
    }

    /// What clear matter leaves of the light along a ray that it does not bend.
    fn shade(&self, ray: &Ray, thing: &Thing, clear: Clear) -> Colour {
        let mut left = Colour::ONE;
        let mut ray = *ray;
        for _ in 0..MOST_SHADES {
            let Some(hit) = thing.shape.nearest(&ray, f32::INFINITY) else { break };
            let cosine = ray.direction.dot(hit.normal);
            if cosine > 0.0 {
                left *= clear.transmittance(hit.distance) * (1.0 - clear.milk);
            }
            // From within, too, the angle outside decides: the ray is not bent here.
            left *= 1.0 - reflectance(cosine.abs(), 1.0 / clear.index);
            ray = Ray::new(ray.at(hit.distance + self.little), ray.direction);
        }
        left
    }

    /// The light that comes from an interface of clear matter.
    fn through(&self, ray: &Ray, hit: &Hit, clear: Clear, path: Path) -> Colour {
        let is_leaving = hit.normal.dot(ray.direction) > 0.0;
        let (normal, ratio) = if is_leaving { (-hit.normal, clear.index) } else { (hit.normal, 1.0 / clear.index) };
        let crossed = if is_leaving { Some(clear) } else { path.medium };
        let left = crossed.map_or(Colour::ONE, |medium| medium.transmittance(hit.distance));
        if path.depth >= DEEPEST {
            return left * self.light.horizon;
        }
        let place = ray.at(hit.distance);
        let mirrored = reflectance(-normal.dot(ray.direction), ratio);
        let go = |direction: Vec3, side: f32, medium: Option<Clear>| {
            let ray = Ray::new(place + normal * (side * self.little), direction);
            self.follow(&ray, Path { depth: path.depth + 1, medium, ..path })
        };
        let reflected = || go(reflect(ray.direction, normal), 1.0, crossed);
        let refracted = || match refract(ray.direction, normal, ratio) {
            Some(direction) => go(direction, -1.0, if is_leaving { None } else { Some(clear) }),
            None => Colour::ZERO,
        };
        let milky = || match clear.milk > 0.0 && !is_leaving {
            true => refracted().lerp(self.matte(place, normal, hit.colour, path), clear.milk),
            false => refracted(),
        };
        let lot = path.sampler.point(Purpose::Choice(path.depth)).x;
        left * match mirrored {
            all if all >= 1.0 => reflected(),
            share if path.depth < FORKS => reflected() * share + milky() * (1.0 - share),
            share if lot < share => reflected(),
            _ => milky(),
        }
    }
}
