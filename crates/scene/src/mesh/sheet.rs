//! A mesh as a sheet: a surface that need not enclose anything.
//!
//! Its distance is never negative, so it has no volume, and only its surface can be filled. Where it ends, the outermost
//! particles shall lie half a spacing inside, as everywhere: so it ends that much earlier.

use std::sync::Arc;

use glam::DVec3;

use super::tree::Tree;
use crate::shape::{Bounds, Solid};

/// A sheet.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(super) surface: Arc<Tree>,
    /// The edges along which the mesh ends; none if it is closed.
    pub(super) rim: Option<Arc<Tree>>,
    /// How much earlier the sheet ends [units of the file].
    pub(super) margin: f64,
}

impl Solid for Sheet {
    fn distance(&self, point: DVec3) -> f64 {
        let distance = self.surface.distance(point, f64::INFINITY);
        let beyond = |rim: &Arc<Tree>| self.margin - rim.distance(point, self.margin);
        self.rim.as_ref().map_or(distance, |rim| distance.max(beyond(rim)))
    }

    fn bounds(&self) -> Bounds {
        let (min, max) = self.surface.bounds();
        Bounds { min, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::triangles::Triangles;

    #[test]
    fn a_square_sheet_ends_within_its_rim() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let vertices = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
        let mesh = Triangles { vertices, faces: vec![[0, 1, 2], [0, 2, 3]] };
        assert_eq!(mesh.area(), 1.0);
        let rim = mesh.rim().unwrap();
        assert_eq!(rim.faces.len(), 4);
        let rim = Some(Arc::new(Tree::new(&rim)));
        let sheet = Sheet { surface: Arc::new(Tree::new(&mesh)), rim, margin: 0.1 };
        for (point, distance) in [
            (DVec3::new(0.5, 0.4, 0.0), 0.0),
            (DVec3::new(0.5, 0.4, -0.3), 0.3),
            (DVec3::new(0.5, 0.1, 0.0), 0.0),
            (DVec3::new(0.5, 0.04, 0.0), 0.06),
            (DVec3::new(0.5, -0.2, 0.0), 0.2),
        ] {
            assert!((sheet.distance(point) - distance).abs() < 1e-12, "{point}");
        }
    }
}
