//! Height fields: the part of a box that lies under a function of the horizontal coordinates.
//!
//! The function is asked at the nodes of a grid as fine as the particles; between them the surface is made of triangles,
//! and the solid is what they, the sides and the bottom enclose.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Solid;
use super::formula::Formula;
use crate::mesh::{Landscape, enclosed};
use crate::{Up, Vector, World};

/// Most nodes of the grid.
const MOST_NODES: f64 = 1e6;

/// The part of a box under a height, for hills, river beds and waves:
/// `shape.height_field = { min = [0, 0, 0], max = [2, 1, 2], height = "0.4 + 0.1 * sin(6 * x) * cos(4 * z)" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeightField {
    /// The lowest corner of the box [m].
    pub min: Vector,
    /// The highest corner of the box [m]; what would be higher is cut off.
    pub max: Vector,
    /// The height [m] as a formula of `x` and `z`, or of `x` and `y` where z is up. It may have numbers, `pi`,
    /// `+ - * / ^`, brackets, `sin cos tan exp ln sqrt abs` and `min(a, b)`, `max(a, b)`.
    pub height: String,
}

/// What is wrong with a height field: the key, the cause.
type Fault = (&'static str, String);

impl HeightField {
    /// The solid, if the formula has a height everywhere.
    pub(super) fn solid(&self, world: &World) -> Result<Box<dyn Solid>, Fault> {
        let (up, names) = match world.up {
            Up::Y => (1, ["x", "z"]),
            Up::Z => (2, ["x", "y"]),
        };
        let axes = if up == 1 { [0, 2] } else { [0, 1] };
        let formula = Formula::read(&self.height, &names).map_err(|cause| ("height", cause))?;
        let (min, max) = self.corners(world);
        let sizes = axes.map(|axis| (max - min)[axis]);
        // As fine as the particles, but not without bound: neither in all nor along a narrow strip.
        let coarsest =
            (sizes[0] * sizes[1] / MOST_NODES).sqrt().max(sizes[0].max(sizes[1]) / MOST_NODES.sqrt() / 100.0);
        let edge = world.spacing.max(coarsest);
        let nodes = sizes.map(|size| (size / edge).ceil().max(1.0) as usize + 1);
        let mut landscape = Landscape { min, max, axes, up, nodes, heights: Vec::with_capacity(nodes[0] * nodes[1]) };
        for node in 0..nodes[0] * nodes[1] {
            let place = landscape.place(node);
            let height = formula.at(&place);
            if !height.is_finite() {
                let [a, b] = place;
                return Err(("height", format!("it has no value at {} = {a}, {} = {b}", names[0], names[1])));
            }
            landscape.heights.push(height.clamp(min[up], max[up]));
        }
        let solid = enclosed(landscape.triangles())
            .map_err(|_| ("height", "it is nowhere above the bottom of the box".into()))?;
        Ok(Box::new(solid))
    }

    /// The corners of the box; in 2D it reaches across the plane z = 0.
    fn corners(&self, world: &World) -> (DVec3, DVec3) {
        let (min, max) = (DVec3::from_array(self.min), DVec3::from_array(self.max));
        match world.dimension {
            2 => (min.with_z(-4.0 * world.spacing), max.with_z(4.0 * world.spacing)),
            _ => (min, max),
        }
    }
}
