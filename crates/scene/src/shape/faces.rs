//! Flat faces of shapes, for those who only want to look at them.

use glam::{DQuat, DVec3};

use super::{BoxShape, Shape, Transform, Turn};
use crate::{Description, Vector};

/// The surface of a shape whose edges are sharp.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faces {
    /// Its corners [m].
    pub vertices: Vec<Vector>,
    /// Three vertices each, counter-clockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The sides of a box whose corners are numbered by the bits of their ends: x, y, z.
const SIDES: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

impl Description {
    /// The faces of a shape that has a mesh of its own: a box, what a file holds, or one of these moved. None of all others, and
    /// of shapes that make no sense.
    pub fn faces(&self, shape: &Shape) -> Option<Faces> {
        match shape {
            Shape::Box(BoxShape { min, max, rounding: 0.0 }) => Some(Faces::of_box([*min, *max])),
            Shape::Mesh(mesh) => {
                let file = self.files.mesh(mesh).ok()?;
                let (turn, shift) = (mesh.turn()?, DVec3::from_array(mesh.translation));
                let place = |vertex: &DVec3| (turn * (*vertex * mesh.scale) + shift).to_array();
                let (vertices, triangles) = file.faces();
                Some(Faces { vertices: vertices.iter().map(place).collect(), triangles: triangles.to_vec() })
            }
            Shape::Transform(transform) => self.faces(&transform.shape)?.moved(transform),
            Shape::Named(name) => self.faces(self.shapes.get(name)?),
            _ => None,
        }
    }
}

impl Faces {
    fn of_box(ends: [Vector; 2]) -> Faces {
        let corner = |k: usize| std::array::from_fn(|axis| ends[k >> axis & 1][axis]);
        let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        Faces { vertices: (0..8).map(corner).collect(), triangles: SIDES.into_iter().flat_map(halves).collect() }
    }

    fn moved(self, Transform { scale, stretch, rotation, translation, .. }: &Transform) -> Option<Faces> {
        let turn = rotation.as_ref().map_or(Some(DQuat::IDENTITY), Turn::rotation)?;
        let (stretch, shift) = (*scale * DVec3::from_array(*stretch), DVec3::from_array(*translation));
        let place = |vertex: Vector| (turn * (stretch * DVec3::from_array(vertex)) + shift).to_array();
        // Mirrored once or thrice, they are seen from within.
        let is_mirrored = stretch.element_product() < 0.0;
        let seen = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = self.triangles.into_iter().map(seen).collect();
        Some(Faces { vertices: self.vertices.into_iter().map(place).collect(), triangles })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    /// By the divergence theorem.
    fn volume(Faces { vertices, triangles }: &Faces) -> f64 {
        let cone = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|vertex| DVec3::from_array(vertices[vertex as usize]));
            a.dot(b.cross(c)) / 6.0
        };
        triangles.iter().map(cone).sum()
    }

    fn faces(shape: &str) -> Option<Faces> {
        let text = format!(
            "world.spacing = 0.1\ntime.end = 1\nmaterials.stone = {{ density = 1000, rigid = {{}} }}\n\
             shapes.block.box = {{ min = [1, 2, 3], max = [2, 4, 6] }}\n\
             [[bodies]]\nname = \"a\"\nmaterial = \"stone\"\nshape.{shape}\n"
        );
        let scene = Scene::read("faces", &text, &[]).unwrap();
        scene.faces(&scene.bodies[0].shape)
    }

    #[test]
    fn faces_enclose_their_volume_from_outside() {
        for (shape, expected) in [
            ("named = \"block\"", 6.0),
            (
                "transform = { shape.named = \"block\", scale = 0.5, rotation.angle = 0.3, translation = [4, 5, 6] }",
                0.75,
            ),
            ("transform = { shape.named = \"block\", stretch = [-1, 2, 1] }", 12.0),
        ] {
            let found = volume(&faces(shape).unwrap());
            assert!((found - expected).abs() < 1e-12, "{shape}: {found}");
        }
        assert_eq!(faces("sphere = { centre = [0, 0, 0], radius = 1 }"), None);
        assert_eq!(faces("box = { min = [0, 0, 0], max = [1, 1, 1], rounding = 0.2 }"), None);
    }
}
