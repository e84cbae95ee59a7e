//! Shapes for those who only want to look at them.

use glam::DVec3;

use super::{Shape, Solid};
use crate::document::Path;
use crate::{Description, Vector};

/// A shape that can be asked how far a point is from its surface.
#[derive(Debug)]
pub struct Outline(Box<dyn Solid>);

impl Outline {
    /// Signed distance [m]: negative inside, never larger in size than the true distance.
    pub fn distance(&self, point: Vector) -> f64 {
        self.0.distance(DVec3::from_array(point))
    }

    /// The lowest and highest corner of a box that holds it [m]; infinite where it is.
    pub fn bounds(&self) -> [Vector; 2] {
        let bounds = self.0.bounds();
        [bounds.min.to_array(), bounds.max.to_array()]
    }
}

impl Description {
    /// The outline of a shape; `None` if the shape makes no sense.
    pub fn outline(&self, shape: &Shape) -> Option<Outline> {
        shape.solid(self.surroundings(), &Path::default()).ok().map(Outline)
    }
}
