//! Boxes that hold things.

use glam::DVec3;

/// A box along the axes, perhaps infinite; empty if any `max` is below its `min`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// The lowest corner [m].
    pub(crate) min: DVec3,
    /// The highest corner [m].
    pub(crate) max: DVec3,
}

impl Bounds {
    /// Around nothing.
    pub(crate) const EMPTY: Bounds = Bounds { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// Around everything.
    pub(crate) const EVERYWHERE: Bounds = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// Around a point, as far as `reach` along each axis.
    pub(crate) fn around(centre: DVec3, reach: DVec3) -> Bounds {
        Bounds { min: centre - reach, max: centre + reach }
    }

    /// With so much more on every side [m]; less if negative.
    pub(crate) fn grown(&self, margin: f64) -> Bounds {
        Bounds { min: self.min - margin, max: self.max + margin }
    }

    /// Around both.
    pub(crate) fn joined(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// What both hold.
    pub(crate) fn common(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Does it end on every side?
    pub(crate) fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Does it hold nothing at all?
    pub(crate) fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Its eight corners [m].
    pub(crate) fn corners(&self) -> [DVec3; 8] {
        let pick = |k: usize, axis: usize| if k >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] };
        std::array::from_fn(|k| DVec3::new(pick(k, 0), pick(k, 1), pick(k, 2)))
    }

    /// Signed distance of a point from the faces [m], exact everywhere.
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        let beyond = (self.min - point).max(point - self.max);
        beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
    }
}
