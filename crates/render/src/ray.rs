//! Rays and the boxes they meet.

use glam::Vec3;

/// A half line.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vec3,
    /// Where it goes; of length one.
    pub direction: Vec3,
    /// One over each component of the direction, never infinite.
    pub(crate) inverse: Vec3,
}

impl Ray {
    /// From a point in a direction of length one.
    pub fn new(origin: Vec3, direction: Vec3) -> Ray {
        // A ray along a face of a box must not give 0 times infinity.
        let inverse = direction.to_array().map(|d| if d.abs() > 1e-20 { 1.0 / d } else { 1e20_f32.copysign(d) });
        Ray { origin, direction, inverse: inverse.into() }
    }

    /// The point at that distance.
    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its lowest corner.
    pub low: Vec3,
    /// Its highest corner.
    pub high: Vec3,
}

impl Bounds {
    /// Contains nothing.
    pub const EMPTY: Bounds = Bounds { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    /// Around points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Bounds {
        points.into_iter().fold(Bounds::EMPTY, |bounds, point| bounds.with(point))
    }

    /// Does it contain no point at all?
    pub fn is_empty(&self) -> bool {
        !self.low.cmple(self.high).all()
    }

    /// With one more point.
    pub fn with(self, point: Vec3) -> Bounds {
        Bounds { low: self.low.min(point), high: self.high.max(point) }
    }

    /// Around both.
    pub fn union(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What both contain.
    pub fn common(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// Wider by `distance` on every side.
    pub fn grown(self, distance: f32) -> Bounds {
        Bounds { low: self.low - Vec3::splat(distance), high: self.high + Vec3::splat(distance) }
    }

    /// Its middle.
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// From corner to opposite corner.
    pub fn diagonal(&self) -> f32 {
        if self.is_empty() { 0.0 } else { (self.high - self.low).length() }
    }

    /// Its eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            let pick = |bit: usize, low, high| if k >> bit & 1 == 0 { low } else { high };
            let (low, high) = (self.low, self.high);
            Vec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z))
        })
    }

    /// Where a ray enters and leaves it, at distances from 0 to `limit`.
    pub fn crossed(&self, ray: &Ray, limit: f32) -> Option<(f32, f32)> {
        let (a, b) = ((self.low - ray.origin) * ray.inverse, (self.high - ray.origin) * ray.inverse);
        let (enter, leave) = (a.min(b).max_element().max(0.0), a.max(b).min_element().min(limit));
        (enter <= leave).then_some((enter, leave))
    }

    pub(crate) fn area(&self) -> f32 {
        let size = (self.high - self.low).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_crossed_from_outside_and_inside() {
        let bounds = Bounds { low: Vec3::ZERO, high: Vec3::new(1.0, 2.0, 3.0) };
        let crossed = |origin, direction, limit| bounds.crossed(&Ray::new(origin, direction), limit);
        assert_eq!(crossed(Vec3::new(-1.0, 1.0, 1.0), Vec3::X, 9.0), Some((1.0, 2.0)));
        assert_eq!(crossed(Vec3::new(0.25, 1.0, 1.0), -Vec3::X, 9.0), Some((0.0, 0.25)));
        assert_eq!(crossed(Vec3::new(-1.0, 1.0, 1.0), Vec3::X, 0.5), None);
        assert_eq!(crossed(Vec3::new(-1.0, 3.0, 1.0), Vec3::X, 9.0), None);
        assert_eq!(bounds.corners()[5], Vec3::new(1.0, 0.0, 3.0));
        assert!(Bounds::around([]).is_empty() && !Bounds::around([Vec3::ONE]).is_empty());
    }
}
