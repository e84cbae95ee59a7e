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

    /// Around a point, as far as `reach` along each axis.
    pub(crate) fn around(centre: DVec3, reach: DVec3) -> Bounds {
        Bounds { min: centre - reach, max: centre + reach }
    }

    /// Signed distance of a point from the faces [m], exact everywhere.
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        let beyond = (self.min - point).max(point - self.max);
        beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
    }
}
