//! Places at a certain depth behind a surface.
//!
//! The nearest such place is found by way of the surface, so that low estimates of distances do not matter. Where a solid
//! is too thin for the depth, it lies in the middle.

use glam::DVec3;

use crate::shape::{Solid, gradient, surface_point};

/// What is behind the surface of a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inset<'a> {
    pub(super) solid: &'a dyn Solid,
    /// Distances times this are depths: minus one inside the solid, one around it.
    pub(super) sign: f64,
    /// Two or three.
    pub(super) axes: usize,
    /// What lengths are compared with [m].
    pub(super) spacing: f64,
}

/// A place behind a surface, and the nearest point of the surface [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) place: DVec3,
    pub(super) surface: DVec3,
}

/// With less of the depth that was asked for, the solid is too thin. Low estimates of distances must not look like that.
const THIN: f64 = 0.5;

impl Inset<'_> {
    /// How deep a point is, or less [m].
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        self.sign * self.solid.distance(point)
    }

    /// The place nearest to another that has the depth; none if there is none, or if the solid is too thin for more than
    /// one layer and this would be the second.
    pub(super) fn settled(&self, place: DVec3, depth: f64) -> Option<Settled> {
        let spacing = self.spacing;
        // As near to two sides is near to neither: a little aside decides.
        let aside = DVec3::new(0.61, 0.37, if self.axes == 2 { 0.0 } else { -0.52 });
        let mut place = place + 1e-4 * spacing * aside;
        let mut surface = place;
        let mut found = self.depth(place);
        for round in 0..6 {
            surface = surface_point(self.solid, place, 1e-6 * spacing)?;
            let inwards = match found > 1e-3 * spacing {
                true => place - surface,
                false => self.sign * gradient(self.solid, surface, 1e-3 * spacing),
            };
            place = surface + inwards.try_normalize()? * depth;
            found = self.depth(place);
            // Near an edge another side is nearer now: then once more.
            if (found - depth).abs() < 0.01 * spacing || (round > 1 && found < THIN * depth) {
                break;
            }
        }
        match found < THIN * depth {
            true => self.in_the_middle(surface, place - surface).filter(|_| depth < spacing),
            false => Some(Settled { place, surface }),
        }
    }

    /// The deepest place on the way inwards from a point of the surface, if the solid is that thick at all.
    fn in_the_middle(&self, surface: DVec3, inwards: DVec3) -> Option<Settled> {
        let inwards = inwards.try_normalize()?;
        let places = (1..=10).map(|k| surface + inwards * (0.05 * f64::from(k) * self.spacing));
        let (depth, place) = places.map(|place| (self.depth(place), place)).max_by(|a, b| a.0.total_cmp(&b.0))?;
        (depth > 0.02 * self.spacing).then_some(Settled { place, surface })
    }
}
