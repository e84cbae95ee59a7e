//! Pieces of space that a field or a clamp is limited to.

use serde::{Deserialize, Serialize};

use crate::parameters::{Check, Limits, Parameters};
use crate::real::{Dimension, Real, Vec3};
use crate::world::Domain;

/// A piece of space: `region.box = { min = [0, 0, 0], max = [1, 1, 1] }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Region {
    /// A box along the axes; a rectangle in 2D.
    Box(RegionBox),
    /// A ball; a disc in 2D.
    Sphere(RegionSphere),
}

/// A box along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegionBox {
    /// Its lowest corner [m].
    pub min: [Real; 3],
    /// Its highest corner [m].
    pub max: [Real; 3],
}

/// A ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = crate::parameters::limits_into_schema::<RegionSphere>))]
#[serde(deny_unknown_fields)]
pub struct RegionSphere {
    /// Its centre [m].
    pub centre: [Real; 3],
    /// Its radius [m].
    pub radius: Real,
}

impl Default for RegionSphere {
    fn default() -> Self {
        RegionSphere { centre: [0.0; 3], radius: 1.0 }
    }
}

impl Parameters for Region {
    fn check(&self, check: &mut Check) {
        match self {
            Region::Box(shape) => check.group("box", shape),
            Region::Sphere(shape) => check.group("sphere", shape),
        }
    }
}

impl Parameters for RegionBox {
    fn check(&self, check: &mut Check) {
        check.vector("min", self.min);
        check.vector("max", self.max);
    }
}

impl Parameters for RegionSphere {
    fn check(&self, check: &mut Check) {
        check.vector("centre", self.centre);
        check.number("radius", self.radius, Limits::POSITIVE);
    }
}

impl Region {
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
