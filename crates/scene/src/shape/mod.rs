//! Shapes: pieces of space, by how far a point is from their surface.
//!
//! [`Shape`] is what a scene file says; [`Shape::solid`] turns it into a [`Solid`], which sampling asks for distances.
//! Each file has what may be said about a shape or a small family of them, and the distances that follow from it;
//! `make.rs` puts them together and says what is wrong with them.

mod ball;
mod bounds;
mod combine;
mod cuboid;
mod curve;
mod faces;
mod formula;
mod height_field;
mod make;
mod outline;
mod place;
mod plane;
mod repeat;
mod round;
mod surface;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::fmt;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use ball::{Ellipsoid, Sphere};
pub(crate) use bounds::Bounds;
pub use combine::{Shell, SmoothUnion};
pub use cuboid::BoxShape;
pub use curve::Curve;
pub use faces::Faces;
pub(crate) use formula::Formula;
pub use height_field::HeightField;
pub use outline::Outline;
pub use place::{Transform, Turn};
pub use plane::Plane;
pub use repeat::{Grid, Repeat, Scatter};
pub use round::{Capsule, Cone, Cylinder, Torus};
pub(crate) use surface::{gradient, surface_point};

use crate::document::Path;
use crate::meaning::Finding;
use crate::mesh::{Files, Mesh};
use crate::{Description, World};

/// A piece of space: `shape.box = { min = [0, 0, 0], max = [1, 1, 1] }`. Shapes are made of shapes:
/// `shape.union = [{ sphere = { ... } }, { box = { ... } }]`. In 2D they are cut by the plane z = 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A box along the axes; in 2D a rectangle, whatever its z.
    Box(BoxShape),
    /// A ball; in 2D a disc, whatever its z.
    Sphere(Sphere),
    /// An ellipsoid along the axes; in 2D an ellipse, whatever its z.
    Ellipsoid(Ellipsoid),
    /// A cylinder with flat ends.
    Cylinder(Cylinder),
    /// A cylinder with round ends.
    Capsule(Capsule),
    /// A cone, with or without its point.
    Cone(Cone),
    /// A ring.
    Torus(Torus),
    /// Everything behind a plane.
    Plane(Plane),
    /// The part of a box that lies under a height.
    HeightField(HeightField),
    /// Everything near a line through points: a fibre, a stalk.
    Curve(Curve),
    /// What a mesh from a file encloses.
    Mesh(Mesh),
    /// What is in any of several shapes. Let them overlap: where they only touch, a seam remains.
    Union(#[schemars(length(min = 1))] Vec<Shape>),
    /// What is in all of several shapes.
    Intersection(#[schemars(length(min = 1))] Vec<Shape>),
    /// What is in the first of several shapes and in none of the others.
    Difference(#[schemars(length(min = 1))] Vec<Shape>),
    /// A union with its seams filled.
    SmoothUnion(SmoothUnion),
    /// The outermost part of a shape.
    Shell(Shell),
    /// A shape that is scaled, turned and moved.
    Transform(Transform),
    /// Copies of a shape, in a grid or scattered.
    Repeat(Repeat),
    /// A shape of the table `[shapes]`, by its name.
    Named(String),
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
    /// Files beside the scene.
    pub(crate) files: &'a Files,
    /// Only the surface matters: a mesh may be open.
    pub(crate) surface: bool,
}

impl Description {
    /// What the meaning of its shapes depends on.
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings { world: &self.world, shapes: &self.shapes, files: &self.files, surface: false }
    }

    /// A box that holds a shape; empty if the shape makes no sense.
    pub(crate) fn bounds(&self, shape: &Shape) -> Bounds {
        let surroundings = Surroundings { surface: true, ..self.surroundings() };
        shape.solid(surroundings, &Path::default()).map_or(Bounds::EMPTY, |solid| solid.bounds())
    }
}

impl Shape {
    /// The solid that is meant, or all that is wrong with it. `path` is where the shape stands in the scene.
    pub(crate) fn solid(&self, surroundings: Surroundings<'_>, path: &Path) -> Result<Box<dyn Solid>, Vec<Finding>> {
        let solid = make::solid(self, surroundings, path)?;
        Ok(if surroundings.world.dimension == 2 { Box::new(Slice(solid)) } else { solid })
    }

    /// The shapes that it is made of.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Shape> {
        match self {
            Shape::Union(shapes) | Shape::Intersection(shapes) | Shape::Difference(shapes) => {
                shapes.iter_mut().collect()
            }
            Shape::SmoothUnion(blend) => blend.shapes.iter_mut().collect(),
            Shape::Shell(shell) => vec![&mut shell.shape],
            Shape::Transform(transform) => vec![&mut transform.shape],
            Shape::Repeat(Repeat::Grid(grid)) => vec![&mut grid.shape],
            Shape::Repeat(Repeat::Scatter(Scatter { shape, within, on, .. })) => {
                let ground = [within, on].into_iter().flatten();
                std::iter::once(shape).chain(ground).map(|shape| &mut **shape).collect()
            }
            Shape::Box(_)
            | Shape::Sphere(_)
            | Shape::Ellipsoid(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::Cone(_)
            | Shape::Torus(_)
            | Shape::Plane(_)
            | Shape::HeightField(_)
            | Shape::Curve(_)
            | Shape::Mesh(_)
            | Shape::Named(_) => Vec::new(),
        }
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
        if min.z > 0.0 || max.z < 0.0 {
            return Bounds::EMPTY;
        }
        Bounds { min: min.with_z(0.0), max: max.with_z(0.0) }
    }
}
