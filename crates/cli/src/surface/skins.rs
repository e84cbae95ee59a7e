//! Skins: fine meshes that bodies carry through the frames. Rigid bodies without one carry their own shape.

use std::collections::HashMap;
use std::path::PathBuf;

use thixo_frames::{ColumnValues, Frame};
use thixo_scene::{Faces, Matter, Outline, Scene, Skin as Worn, SkinFile};
use thixo_surface::{
    Attribute, Carried, DVec3, Field, Kernel, Mesh, Nearby, PATCH, POINTS, Patch, Samples, Shape, Skin, Vec3, ply,
    triangulate,
};

use crate::run::folder::Folder;

/// How far the surface of a shape may be from its particles, in spacings: those at a corner are a diagonal of half a cell
/// inside.
const COVER: f32 = 2.0;

/// Cells in which the surface of a rigid body's shape is found, in spacings.
const CELL: f32 = 0.25;

/// The cosine of the angle at which edges are sharp: 40 degrees.
const SHARP: f64 = 0.77;

/// The skin of a body.
pub(super) struct BodySkin {
    /// The number of its material.
    pub(super) material: usize,
    /// The number of its body.
    pub(super) number: u32,
    /// The folder of its files, if the scene asks for them.
    pub(super) folder: Option<String>,
    /// The number of its first particle.
    first: u32,
    particles: usize,
    skin: Skin,
    /// The mesh at rest, every place once.
    mesh: Mesh,
    /// The file it comes from; none if it is the body's own shape.
    file: Option<SkinFile>,
}

/// A skin in a frame.
pub(super) struct DrawnSkin {
    /// What is shown of it, without quantities.
    pub(super) mesh: Mesh,
    /// Its own file, if it is to have one.
    pub(super) contents: Vec<u8>,
}

/// The skins of some bodies, bound to their particles at rest.
pub(super) fn bind<'a>(scene: &Scene, bodies: impl Iterator<Item = Matter<'a>>) -> Result<Vec<BodySkin>, String> {
    let mut skins: Vec<BodySkin> = Vec::new();
    for matter in bodies {
        let Matter { body, number, first_particle: first, material, .. } = matter;
        if scene.shows_its_shape(body) {
            skins.extend(own_shape(scene, &matter));
        }
        let Some(worn) = &body.skin else { continue };
        let of = |cause: String| format!("the skin of `{}` cannot be made: {cause}", body.name);
        let rest: Vec<_> = matter.positions_at_rest().map(narrow).collect();
        let spacing = scene.world.spacing as f32;
        let file = scene.skin_file(body).transpose().map_err(of)?;
        let mesh = match (&file, worn) {
            (Some(file), _) => one_per_place(file),
            (None, Worn::Shape(shape)) => {
                let outline = scene.outline(&body.shape).ok_or_else(|| of("its shape makes no sense".into()))?;
                let cell = shape.cell.map_or(0.5 * spacing, |cell| cell as f32);
                surface_of(outline, &rest, spacing, cell).map_err(of)?
            }
            (None, Worn::Mesh(_)) => continue,
        };
        let skin = Skin::bind(&mesh.position, &rest, spacing).map_err(|error| of(error.to_string()))?;
        let mut folder = plain_name(&body.name);
        if folder != body.name || skins.iter().any(|other| other.folder.as_ref() == Some(&folder)) {
            folder = format!("{folder}-{number}");
        }
        skins.push(BodySkin { material, number, folder: Some(folder), first, particles: rest.len(), skin, mesh, file });
    }
    Ok(skins)
}

/// The shape of a rigid body as its skin; none if it reaches too far beyond its particles.
fn own_shape(scene: &Scene, matter: &Matter<'_>) -> Option<BodySkin> {
    let &Matter { body, number, first_particle: first, material, .. } = matter;
    let rest: Vec<_> = matter.positions_at_rest().map(narrow).collect();
    let spacing = scene.world.spacing as f32;
    let mesh = match scene.faces(&body.shape) {
        Some(Faces { vertices, triangles }) => {
            let position = vertices.into_iter().map(narrow).collect();
            let mut mesh = Mesh { position, triangles, ..Mesh::default() };
            mesh.split_at_edges(SHARP);
            mesh
        }
        None => surface_of(scene.outline(&body.shape)?, &rest, spacing, CELL * spacing).ok()?,
    };
    let skin = Skin::bind(&mesh.position, &rest, spacing).ok()?;
    Some(BodySkin { material, number, folder: None, first, particles: rest.len(), skin, mesh, file: None })
}

/// A name that any file system bears.
fn plain_name(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "-_ ".contains(letter) { letter } else { '_' })
        .collect()
}

fn narrow(place: [f64; 3]) -> Vec3 {
    DVec3::from_array(place).as_vec3()
}

/// The mesh of a file; triangles share the first vertex at a place, so that it is smooth across seams of textures.
fn one_per_place(file: &SkinFile) -> Mesh {
    let position: Vec<Vec3> = file.vertices().into_iter().map(narrow).collect();
    let mut seen = HashMap::new();
    let first: Vec<u32> =
        (0..).zip(&position).map(|(k, place)| *seen.entry(place.to_array().map(f32::to_bits)).or_insert(k)).collect();
    let triangles = file.triangles().iter().map(|corners| corners.map(|vertex| first[vertex as usize])).collect();
    Mesh { position, triangles, ..Mesh::default() }
}

impl BodySkin {
    /// Its file in a frame of a run, if it is to have one.
    pub(super) fn path(&self, run: &Folder, number: u64) -> Option<PathBuf> {
        let ending = self.file.as_ref().map_or("ply", SkinFile::ending);
        Some(run.skin(self.folder.as_ref()?, number, ending))
    }

    /// The rows of a frame that hold its particles, in the order of binding.
    pub(super) fn rows(&self, frame: &Frame) -> Result<Vec<usize>, String> {
        let Some(ColumnValues::U32(ids)) = frame.column("id").map(|column| &column.values) else {
            return Err("it has no column `id`".into());
        };
        let mut rows = vec![usize::MAX; self.particles];
        for (row, id) in ids.iter().enumerate() {
            let own = id.checked_sub(self.first).and_then(|number| rows.get_mut(number as usize));
            own.into_iter().for_each(|place| *place = row);
        }
        if rows.contains(&usize::MAX) { Err("particles of a skinned body are missing".into()) } else { Ok(rows) }
    }

    /// The skin when its particles, in the order of binding, are at these places.
    pub(super) fn drawn(&self, now: &[Vec3]) -> Result<DrawnSkin, String> {
        let carried = self.skin.carry(now).map_err(|error| error.to_string())?;
        let mut mesh = Mesh { position: carried.position.clone(), ..self.mesh.clone() };
        mesh.set_normals_by_triangles();
        let contents = match &self.file {
            Some(file) => written(file, &carried),
            None if self.folder.is_none() => Vec::new(),
            None => {
                let mut bytes = Vec::new();
                ply::write_mesh(&mut bytes, &mesh, &[]).map_err(|error| error.to_string())?;
                bytes
            }
        };
        Ok(DrawnSkin { mesh, contents })
    }

    /// A quantity of the particles, at the vertices.
    pub(super) fn quantity(&self, column: &Attribute) -> Attribute {
        Attribute { values: self.skin.blend(&column.values, column.components), ..column.clone() }
    }
}

fn written(file: &SkinFile, carried: &Carried) -> Vec<u8> {
    let wide = |vector: Vec3| vector.as_dvec3().to_array();
    let positions: Vec<_> = carried.position.iter().map(|&place| wide(place)).collect();
    file.write(&positions, |vertex, normal| wide(carried.normal(vertex, narrow(normal))))
}

/// The surface of a shape, found where there are particles.
fn surface_of(outline: Outline, rest: &[Vec3], spacing: f32, cell: f32) -> Result<Mesh, String> {
    let samples = Samples::new(rest, COVER * spacing).map_err(|error| error.to_string())?;
    let field = ShapeField { outline, weights: vec![1.0; rest.len()], samples };
    let mesh = triangulate(&field, cell).map_err(|error| error.to_string())?;
    if mesh.triangles.is_empty() { Err("its shape has no surface near its particles".into()) } else { Ok(mesh) }
}

/// The distance to a shape, as surfaces are made of: positive inside.
struct ShapeField {
    outline: Outline,
    samples: Samples,
    weights: Vec<f32>,
}

impl Field for ShapeField {
    fn samples(&self) -> &Samples {
        &self.samples
    }

    fn value(&self, at: Vec3) -> f32 {
        -self.outline.distance(at.as_dvec3().to_array()) as f32
    }

    fn value_and_gradient(&self, at: Vec3) -> (f32, Vec3) {
        let step = 1e-3 * self.samples.reach();
        let slope = |axis: Vec3| (self.value(at + axis * step) - self.value(at - axis * step)) / (2.0 * step);
        (self.value(at), Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)))
    }

    fn fill(&self, patch: &Patch, _: &[Nearby], values: &mut [f32; POINTS]) {
        for (k, value) in values.iter_mut().enumerate() {
            let steps = DVec3::new((k % PATCH) as f64, (k / PATCH % PATCH) as f64, (k / PATCH / PATCH) as f64);
            *value = -self.outline.distance((patch.origin + steps * f64::from(patch.cell)).to_array()) as f32;
        }
    }

    fn weights(&self) -> &[f32] {
        &self.weights
    }

    fn kernel(&self) -> Kernel {
        Kernel { shape: Shape::Poly6, support: self.samples.reach() }
    }
}
