//! The surface where a field is zero, traced directly, without a mesh (Sol09 6.3).
//!
//! A ray walks through the field in strides until its sign changes; the place in between is found by bisection and
//! false position in turn. Thinner than a stride may be missed; where the field is a distance, strides are as long as
//! it allows and nothing thicker than the shortest of them is.

use glam::Vec3;

use super::{Hit, Shape};
use crate::bvh::Bvh;
use crate::colour::Colour;
use crate::ray::{Bounds, Ray};

/// A field: negative inside, positive outside, zero on the surface.
pub trait Field: Send + Sync {
    /// Its value at a point.
    fn value(&self, point: Vec3) -> f32;

    /// Its value, roughly, where that is quicker to find: rays that look for the surface ask for this.
    fn rough_value(&self, point: Vec3) -> f32 {
        self.value(point)
    }

    /// Outside of this box it is positive.
    fn bounds(&self) -> Bounds;

    /// The colour of the surface at a point.
    fn colour(&self, point: Vec3) -> Colour;

    /// Boxes outside of all of which it is positive; none if only [`bounds`](Field::bounds) is known. What is empty
    /// is skipped.
    fn boxes(&self) -> Vec<Bounds> {
        Vec::new()
    }
}

/// How a ray walks through a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stride {
    /// In steps of this length.
    Even(f32),
    /// By as much as the field says, which never exceeds the distance to the surface, and at least by this length.
    Distance(f32),
}

/// The surface where a field is zero.
#[derive(Clone, Debug)]
pub struct Level<F> {
    field: F,
    stride: Stride,
    boxes: Vec<Bounds>,
    /// Of the boxes, if there are any.
    bvh: Option<Bvh>,
}

/// A ray gives up after so many strides.
const MOST_STRIDES: usize = 20_000;
/// Halvings after which a place is known to the last digits.
const REFINEMENTS: usize = 24;

impl<F: Field> Level<F> {
    /// Of a field; strides must be positive, or nothing is seen.
    pub fn new(field: F, stride: Stride) -> Level<F> {
        let boxes = field.boxes();
        if boxes.is_empty() {
            return Level { field, stride, boxes, bvh: None };
        }
        let (bvh, order) = Bvh::new(boxes.iter().copied());
        let boxes = order.iter().map(|&place| boxes[place as usize]).collect();
        Level { field, stride, boxes, bvh: Some(bvh) }
    }

    /// How far it is along a ray to where the field may be negative; `None` if it is nowhere.
    fn emptiness(&self, ray: &Ray, from: f32, to: f32) -> Option<f32> {
        let Some(bvh) = &self.bvh else { return Some(0.0) };
        let ray = Ray { origin: ray.at(from), ..*ray };
        // A box that the ray is in counts as nearer than any other.
        let enter = |k: usize| self.boxes[k].crossed(&ray, to - from).map(|(enter, _)| enter.max(f32::MIN_POSITIVE));
        bvh.nearest(&ray, to - from, enter).map(|(_, distance)| distance)
    }

    fn least_stride(&self) -> f32 {
        match self.stride {
            Stride::Even(length) | Stride::Distance(length) => length,
        }
    }

    /// Distances before and behind the surface, and the values there.
    fn bracket(&self, ray: &Ray, limit: f32) -> Option<[(f32, f32); 2]> {
        let (enter, leave) = self.field.bounds().crossed(ray, limit)?;
        let enter = enter + self.emptiness(ray, enter, leave)?;
        let mut before = (enter, self.field.rough_value(ray.at(enter)));
        for _ in 0..MOST_STRIDES {
            if before.1 > 0.0 {
                let empty = self.emptiness(ray, before.0, leave)?;
                if empty > self.least_stride() {
                    let distance = before.0 + empty;
                    before = (distance, self.field.rough_value(ray.at(distance)));
                }
            }
            let stride = match self.stride {
                Stride::Even(length) => length,
                Stride::Distance(least) => before.1.abs().max(least),
            };
            let distance = (before.0 + stride).min(leave);
            if distance.partial_cmp(&before.0) != Some(std::cmp::Ordering::Greater) {
                return None;
            }
            let behind = (distance, self.field.rough_value(ray.at(distance)));
            if (before.1 < 0.0) != (behind.1 < 0.0) {
                return Some([before, behind]);
            }
            before = behind;
        }
        None
    }
}

/// The place where the value changes its sign, between two others.
fn refine([mut before, mut behind]: [(f32, f32); 2], value: impl Fn(f32) -> f32) -> f32 {
    for k in 0..REFINEMENTS {
        let share = if k % 2 == 0 { before.1 / (before.1 - behind.1) } else { 0.5 };
        let distance = before.0 + share.clamp(0.02, 0.98) * (behind.0 - before.0);
        let middle = (distance, value(distance));
        if (middle.1 < 0.0) == (before.1 < 0.0) { before = middle } else { behind = middle }
    }
    0.5 * (before.0 + behind.0)
}

impl<F: Field> Shape for Level<F> {
    fn bounds(&self) -> Bounds {
        self.field.bounds()
    }

    fn nearest(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        let bracket = self.bracket(ray, limit)?;
        let exact = bracket.map(|(distance, _)| (distance, self.field.value(ray.at(distance))));
        // Where only the rough values meet, they say where.
        let meets = (exact[0].1 < 0.0) != (exact[1].1 < 0.0);
        let ends = if meets { exact } else { bracket };
        let value = |at: f32| if meets { self.field.value(ray.at(at)) } else { self.field.rough_value(ray.at(at)) };
        let distance = refine(ends, value);
        let place = ray.at(distance);
        let little = 0.05 * self.least_stride();
        let slope = |axis: Vec3| self.field.value(place + little * axis) - self.field.value(place - little * axis);
        let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
        let is_leaving = bracket[0].1 < 0.0;
        let facing = if is_leaving { ray.direction } else { -ray.direction };
        // The sign of the field knows better than the gradient of a rough one from which side the ray comes.
        let normal = gradient.try_normalize().filter(|normal| normal.dot(facing) > 0.0).unwrap_or(facing);
        (distance > 0.0).then(|| Hit { distance, normal, colour: self.field.colour(place) })
    }

    fn is_met(&self, ray: &Ray, limit: f32) -> bool {
        self.bracket(ray, limit).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball of radius 2.
    struct Ball;

    impl Field for Ball {
        fn value(&self, point: Vec3) -> f32 {
            point.length() - 2.0
        }

        fn bounds(&self) -> Bounds {
            Bounds { low: Vec3::splat(-2.5), high: Vec3::splat(2.5) }
        }

        fn colour(&self, _: Vec3) -> Colour {
            Colour::X
        }
    }

    #[test]
    fn level_of_a_ball_is_met_as_a_sphere_is() {
        for stride in [Stride::Even(0.1), Stride::Distance(0.01)] {
            let level = Level::new(Ball, stride);
            for x in [0.0, 0.7, 1.9] {
                let ray = Ray::new(Vec3::new(x, 0.0, 6.0), -Vec3::Z);
                let half = (4.0 - x * x).sqrt();
                let hit = level.nearest(&ray, f32::INFINITY).unwrap();
                assert!((hit.distance - (6.0 - half)).abs() < 1e-5, "{stride:?} {x}: {}", hit.distance);
                assert!((hit.normal - Vec3::new(x, 0.0, half) / 2.0).length() < 1e-3, "{}", hit.normal);
                // From within, to the other side, where the normal points along the ray.
                let hit = level.nearest(&Ray::new(ray.at(6.0), -Vec3::Z), f32::INFINITY).unwrap();
                assert!((hit.distance - half).abs() < 1e-5 && hit.normal.z < 0.0);
                assert!(!level.is_met(&ray, 3.9));
            }
            assert!(!level.is_met(&Ray::new(Vec3::new(2.1, 0.0, 6.0), -Vec3::Z), f32::INFINITY));
        }
    }

    #[test]
    fn empty_space_is_skipped_and_nothing_is_lost() {
        /// Two balls far apart, each in a box; who asks elsewhere fails.
        struct Two;
        impl Field for Two {
            fn value(&self, point: Vec3) -> f32 {
                let is_near = |bounds: &Bounds| !bounds.grown(0.11).common(Bounds::around([point])).is_empty();
                assert!(self.boxes().iter().any(is_near), "asked at {point}");
                [0.0, 90.0].iter().map(|&z| (point - Vec3::Z * z).length() - 1.0).fold(f32::INFINITY, f32::min)
            }
            fn bounds(&self) -> Bounds {
                Bounds { low: Vec3::splat(-1.2), high: Vec3::new(1.2, 1.2, 91.2) }
            }
            fn colour(&self, _: Vec3) -> Colour {
                Colour::X
            }
            fn boxes(&self) -> Vec<Bounds> {
                [0.0, 90.0].map(|z| Bounds::around([Vec3::Z * z]).grown(1.1)).to_vec()
            }
        }
        let level = Level::new(Two, Stride::Even(0.1));
        let meet = |x: f32| level.nearest(&Ray::new(Vec3::new(x, 0.0, 45.0), Vec3::Z), f32::INFINITY);
        assert!((meet(0.0).unwrap().distance - 44.0).abs() < 1e-4);
        assert!(meet(1.05).is_none() && meet(1.15).is_none());
    }

    #[test]
    fn strides_of_no_length_and_fields_of_no_numbers_end() {
        let ray = Ray::new(Vec3::new(0.0, 0.0, 6.0), -Vec3::Z);
        assert!(Level::new(Ball, Stride::Even(0.0)).nearest(&ray, f32::INFINITY).is_none());
        assert!(Level::new(Ball, Stride::Even(f32::NAN)).nearest(&ray, f32::INFINITY).is_none());
    }
}
