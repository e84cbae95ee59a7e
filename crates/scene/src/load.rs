//! What pulls parts of elastic bodies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Load as Bearing, Real, Region};

use crate::sampling::BodySample;
use crate::{Vector, World};

/// A force from outside on a part of an elastic body. Its direction does not turn with the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Load {
    /// Where it acts.
    #[serde(flatten)]
    pub place: LoadPlace,
    /// All of it [N]; in 2D per metre of depth.
    pub force: Vector,
    /// When it begins [s].
    #[serde(default)]
    pub from: f64,
    /// When it ends [s]; never unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// How long it takes to grow to its full strength [s].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub ramp: f64,
}

/// Where a load acts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadPlace {
    /// At a point [m]: particles around it share the force so that its moment is that of a force at the point.
    Point(Vector),
    /// On the particles that start in a region, evenly by their volumes. A layer at the surface makes it a traction: the
    /// force over the area.
    Region(Region),
}

impl Load {
    /// The load as the simulation knows it: who of a body bears how much.
    pub(crate) fn bearing(&self, world: &World, sample: &BodySample) -> Bearing {
        let shares = match &self.place {
            LoadPlace::Point(point) => {
                let kernel = world.kernel.kernel(world.spacing as Real, world.dimension());
                let ways = (0..).zip(sample.at_rest()).map(|(i, place)| (i, place - world.flat(*point)));
                Bearing::focused(&kernel, world.dimension(), ways)
            }
            LoadPlace::Region(region) => {
                // The particles of a body have one volume.
                let bearing = sample.starting_in(world, region);
                Bearing::spread(bearing.iter().map(|&i| (i as u32, 1.0)))
            }
        };
        let force = self.force.map(|component| component as Real);
        Bearing { force, from: self.from, until: self.until, ramp: self.ramp, shares }
    }
}
