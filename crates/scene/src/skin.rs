//! Fine meshes that follow bodies.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mesh::{Moved, Template};
use crate::{Body, Description, Fill, Mesh, Vector};

/// A fine mesh that a solid carries: `skin.mesh = { file = "duck.obj", scale = 0.01 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Skin {
    /// A mesh from a file that ends in `.obj`, `.ply`, `.gltf` or `.glb`. Texture coordinates, groups and materials stay.
    Mesh(Mesh),
    /// The surface of the body's own shape.
    Shape(SkinShape),
}

/// The surface of a body's own shape.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkinShape {
    /// Edge of the cells in which the surface is found, about that of its triangles [m]; half a spacing unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub cell: Option<f64>,
}

/// The finest and coarsest cells of a skin, in spacings.
pub(crate) const CELLS: [f64; 2] = [0.05, 2.0];

/// A vertex farther from all particles of its body than this is no part of its skin, in spacings.
pub(crate) const FARTHEST: f64 = 3.0;

/// The mesh file of a skin, placed in the world.
#[derive(Clone, Debug)]
pub struct SkinFile {
    template: Arc<Template>,
    scale: f64,
    rotation: DQuat,
    translation: DVec3,
}

impl SkinFile {
    /// Where its vertices are at rest [m], in the order of the file.
    pub fn vertices(&self) -> Vec<Vector> {
        let place = |&vertex: &DVec3| (self.rotation * (vertex * self.scale) + self.translation).to_array();
        self.template.mesh.vertices.iter().map(place).collect()
    }

    /// Three vertices each.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.template.mesh.faces
    }

    /// How the name of its file ends: `obj`, `ply`, `gltf` or `glb`.
    pub fn ending(&self) -> &'static str {
        self.template.ending
    }

    /// The file, with vertices where they are now [m]; all else is as it was. `normal` tells where the normal of a vertex
    /// points now, given where it points at rest.
    pub fn write(&self, positions: &[Vector], normal: impl Fn(usize, Vector) -> Vector) -> Vec<u8> {
        let mut positions: Vec<_> = positions.iter().map(|&place| DVec3::from_array(place)).collect();
        positions.resize(self.template.mesh.vertices.len(), DVec3::ZERO);
        let turned =
            |vertex: usize, given: DVec3| DVec3::from_array(normal(vertex, (self.rotation * given).to_array()));
        self.template.write(&Moved { positions: &positions, normal: &turned })
    }
}

impl Description {
    /// Does a body show its own shape as it is, though it has no skin? What is rigid does, but for slices and lines.
    pub fn shows_its_shape(&self, body: &Body) -> bool {
        let is_whole = self.world.dimension == 3 && self.world.periodic.axes() == [None; 3];
        let is_filled = match body.fill {
            Fill::Volume => true,
            Fill::Surface => self.faces(&body.shape).is_some(),
            Fill::Line => false,
        };
        self.is_rigid(body) && body.skin.is_none() && is_whole && is_filled
    }

    /// The mesh file of a body's skin, if it has one, or why it cannot be used.
    pub fn skin_file(&self, body: &Body) -> Option<Result<SkinFile, String>> {
        let Some(Skin::Mesh(mesh)) = &body.skin else { return None };
        let file = self.files.template(mesh).map(|template| SkinFile {
            template: Arc::new(template),
            scale: mesh.scale,
            rotation: mesh.turn().unwrap_or(DQuat::IDENTITY),
            translation: DVec3::from_array(mesh.translation),
        });
        Some(file)
    }
}
