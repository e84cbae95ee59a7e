//! Shapes: pieces of space, by how far a point is from their surface.
//!
//! [`Shape`] is what a scene file says; [`Shape::solid`] turns it into a [`Solid`], which sampling asks for distances.
//! Each file has what may be said about a shape or a small family of them, and the distances that follow from it.

mod ball;
mod bounds;
mod cuboid;

use std::collections::BTreeMap;
use std::fmt;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use ball::Sphere;
pub(crate) use bounds::Bounds;
pub use cuboid::BoxShape;

use crate::document::Path;
use crate::meaning::Finding;
use crate::{Scene, World};

/// A piece of space: `shape.box = { min = [0, 0, 0], max = [1, 1, 1] }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A box along the axes; a rectangle in 2D.
    Box(BoxShape),
    /// A ball; a disc in 2D.
    Sphere(Sphere),
}

/// Anything that can say how far a point is from its surface.
pub(crate) trait Solid: fmt::Debug + Send + Sync {
    /// Signed distance [m]: negative inside, exact in its sign; never larger in size than the true distance, so that
    /// steps of this length never cross the surface.
    fn distance(&self, point: DVec3) -> f64;

    /// A box that holds it; infinite where it is.
    fn bounds(&self) -> Bounds;
}

/// What the meaning of a shape depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// Space: in 2D, shapes are cut by z = 0.
    pub(crate) world: &'a World,
    /// Shapes with a name.
    pub(crate) shapes: &'a BTreeMap<String, Shape>,
}

impl Scene {
    /// What the meaning of its shapes depends on.
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        static NONE: BTreeMap<String, Shape> = BTreeMap::new();
        Surroundings { world: &self.world, shapes: &NONE }
    }

    /// A box that holds a shape; empty if the shape makes no sense.
    pub(crate) fn bounds(&self, shape: &Shape) -> Bounds {
        shape.solid(self.surroundings(), &Path::default()).map_or(Bounds::EMPTY, |solid| solid.bounds())
    }
}

impl Shape {
    /// The solid that is meant. `path` is where the shape stands in the scene.
    pub(crate) fn solid(&self, surroundings: Surroundings<'_>, path: &Path) -> Result<Box<dyn Solid>, Finding> {
        let solid = self.whole(surroundings, path)?;
        Ok(if surroundings.world.dimension == 2 { Box::new(Slice(solid)) } else { solid })
    }

    /// The solid in space.
    fn whole(&self, surroundings: Surroundings<'_>, _path: &Path) -> Result<Box<dyn Solid>, Finding> {
        let world = surroundings.world;
        Ok(match self {
            Shape::Box(shape) => shape.solid(world),
            Shape::Sphere(shape) => shape.solid(world),
        })
    }
}

/// What the plane z = 0 cuts out of a solid.
#[derive(Debug)]
struct Slice(Box<dyn Solid>);

impl Solid for Slice {
    fn distance(&self, point: DVec3) -> f64 {
        self.0.distance(point.with_z(0.0))
    }

    fn bounds(&self) -> Bounds {
        let Bounds { min, max } = self.0.bounds();
        Bounds { min: min.with_z(0.0), max: max.with_z(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_flat_and_its_boxes_and_balls_are_cut_in_the_middle() {
        let text = "[world]\nspacing = 0.1\ndimension = 2\n[time]\nend = 1\n[materials.water]\ndensity = 1\n\
                    [[bodies]]\nname = \"a\"\nmaterial = \"water\"\nshape.box = { min = [0, 0, 3], max = [2, 1, 1] }\n\
                    [[bodies]]\nname = \"b\"\nmaterial = \"water\"\nshape.sphere = { centre = [5, 0, 7], radius = 1 }\n";
        let scene = Scene::read("flat", text, &[]).unwrap();
        let solids = scene.bodies.iter().map(|body| body.shape.solid(scene.surroundings(), &Path::default()).unwrap());
        let solids: Vec<_> = solids.collect();
        assert_eq!(solids[0].bounds(), Bounds { min: DVec3::ZERO, max: DVec3::new(2.0, 1.0, 0.0) });
        assert_eq!(solids[0].distance(DVec3::new(1.0, 0.25, 9.0)), -0.25);
        assert_eq!(solids[0].distance(DVec3::new(5.0, 5.0, 0.0)), 5.0);
        assert_eq!(solids[1].bounds(), Bounds { min: DVec3::new(4.0, -1.0, 0.0), max: DVec3::new(6.0, 1.0, 0.0) });
        assert_eq!(solids[1].distance(DVec3::new(5.0, 0.25, 1.0)), -0.75);
    }
}
