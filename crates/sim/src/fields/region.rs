//! Pieces of space that a field or a clamp is limited to.

use crate::parameters::{Limits, parameters};
use crate::real::{Dimension, Real, Vec3};
use crate::world::Domain;

parameters! {
    /// A piece of space: `region.box = { min = [0, 0, 0], max = [1, 1, 1] }`.
    pub enum Region {
        /// A box along the axes; a rectangle in 2D.
        Box(RegionBox),
        /// A ball; a disc in 2D.
        Sphere(RegionSphere),
    }
}

parameters! {
    /// A box along the axes.
    #[serde(deny_unknown_fields)]
    pub struct RegionBox {
        /// Its lowest corner [m].
        min: [Real; 3], Limits::FINITE;
        /// Its highest corner [m].
        max: [Real; 3], Limits::FINITE;
    }
}

parameters! {
    /// A ball.
    #[serde(deny_unknown_fields)]
    pub struct RegionSphere {
        /// Its centre [m].
        centre: [Real; 3], Limits::FINITE;
        /// Its radius [m].
        radius: Real, Limits::POSITIVE;
    }
}

impl Region {
    /// Does it hold nothing?
    pub(crate) fn is_empty(&self, dimension: Dimension) -> bool {
        match self {
            Region::Box(RegionBox { min, max }) => (0..dimension.count())
                .any(|axis| max[axis].partial_cmp(&min[axis]) != Some(std::cmp::Ordering::Greater)),
            Region::Sphere(RegionSphere { radius, .. }) => *radius <= 0.0,
        }
    }

    /// Is the point in it?
    pub fn contains(&self, dimension: Dimension, domain: &Domain, point: Vec3) -> bool {
        let flat = |corner: &[Real; 3]| dimension.flatten(Vec3::from_array(*corner));
        match self {
            Region::Box(RegionBox { min, max }) => point.cmpge(flat(min)).all() && point.cmple(flat(max)).all(),
            Region::Sphere(RegionSphere { centre, radius }) => {
                domain.shortest(point - flat(centre)).length_squared() <= radius * radius
            }
        }
    }
}
