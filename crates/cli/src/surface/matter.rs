//! What surfaces are made of: the particles of the chosen bodies, material by material.
//!
//! Bodies of one material flow together and have one surface; materials have surfaces of their own, one beside the
//! other in a file, told apart by the vertex property `material`, which counts materials by name. Bodies that carry a skin
//! have that instead.

use std::path::PathBuf;

use thixo_frames::{ColumnValues, Frame, read_native};
use thixo_scene::{Body, Scene, StreamOf, nearest};
use thixo_surface::{Attribute, Quantity, Reconstruction, Surface, Vec3};

use super::options::Options;
use super::skins::{BodySkin, DrawnSkin, bind};

/// Columns that say nothing about a surface.
const HIDDEN: [&str; 3] = ["id", "position", "body"];

/// What surfaces are made of, and how.
pub(super) struct Matter<'a> {
    scene: &'a Scene,
    reconstruction: Reconstruction,
    /// The number of the material of the chosen bodies without a skin, by the number of the body.
    flowing: Vec<Option<usize>>,
    quantities: Vec<String>,
    skins: Vec<BodySkin>,
}

impl<'a> Matter<'a> {
    /// Refuses what the scene or its frames do not have.
    pub(super) fn new(scene: &'a Scene, options: &Options, frames: &[(u64, PathBuf)]) -> Result<Matter<'a>, String> {
        let reconstruction = options.reconstruction()?;
        known("body", &options.bodies, scene.all_matter().map(|(_, name, ..)| name).collect::<Vec<_>>().into_iter())?;
        known("material", &options.materials, scene.materials.keys().map(String::as_str))?;
        let is_wanted = |names: &[String], name: &str| names.is_empty() || names.iter().any(|known| known == name);
        let is_asked_for =
            |name: &str, material: &str| is_wanted(&options.bodies, name) && is_wanted(&options.materials, material);
        let is_chosen = |body: &Body| is_asked_for(&body.name, &body.material);
        if !scene.all_matter().any(|(_, name, material, _)| is_asked_for(name, material)) {
            return Err("no body has both a `--body` and a `--material` that were asked for".into());
        }
        let mut quantities = vec!["velocity".to_owned()];
        for name in &options.quantities {
            if !quantities.contains(name) {
                quantities.push(name.clone());
            }
        }
        // A frame that cannot be read is told when its turn comes.
        if let Some(frame) = frames.iter().find_map(|(_, path)| read_native(path).ok()) {
            let names = frame.columns.iter().map(|column| column.name.as_str());
            known("column", &options.quantities, names.filter(|name| !HIDDEN.contains(name)))?;
        }
        let skins = bind(scene, scene.matter().filter(|matter| is_chosen(matter.body)))?;
        let mut flowing = vec![None; scene.all_matter().map(|(number, ..)| number as usize + 1).max().unwrap_or(0)];
        let is_skinned = |number: u32| skins.iter().any(|skin| skin.number == number);
        for matter in scene.matter().filter(|matter| is_chosen(matter.body) && !is_skinned(matter.number)) {
            flowing[matter.number as usize] = Some(matter.material);
        }
        let of_emitter = |stream: &StreamOf<'_>| is_asked_for(&stream.emitter.name, &stream.emitter.material);
        for stream in scene.streams().filter(of_emitter) {
            flowing[stream.number as usize] = Some(stream.material);
        }
        Ok(Matter { scene, reconstruction, flowing, quantities, skins })
    }

    /// The skins of the chosen bodies.
    pub(super) fn skins(&self) -> &[BodySkin] {
        &self.skins
    }

    /// A skin in a frame, with quantities as surfaces have them.
    pub(super) fn skin(&self, frame: &Frame, skin: &BodySkin) -> Result<DrawnSkin, String> {
        let rows = skin.rows(frame)?;
        let places = places(&numbers(frame, "position", 3)?, &rows);
        let DrawnSkin { mut mesh, contents } = skin.drawn(&places)?;
        mesh.attributes = self.columns(frame, &rows)?.iter().map(|column| skin.quantity(column)).collect();
        let mut surface = Surface { mesh, points: None };
        self.tell_material(&mut surface, skin.material);
        Ok(DrawnSkin { mesh: surface.mesh, contents })
    }

    /// The surface of a frame, but for what skins show.
    pub(super) fn surface(&self, frame: &Frame) -> Result<Surface, String> {
        let spacing = self.scene.world.spacing as f32;
        let position = numbers(frame, "position", 3)?;
        let column = |name: &str| match frame.column(name).map(|column| &column.values) {
            Some(ColumnValues::U32(numbers)) => Ok(numbers),
            _ => Err(format!("it has no column `{name}`")),
        };
        let bodies = self.scene.started_in(column("id")?, column("body")?);
        let mut whole: Option<Surface> = None;
        for number in 0..self.scene.materials.len() {
            let is_made_of = |body: u32| self.flowing.get(body as usize) == Some(&Some(number));
            let rows: Vec<usize> = (0..bodies.len()).filter(|&row| is_made_of(bodies[row])).collect();
            // The first gives an empty frame its properties.
            if rows.is_empty() && whole.is_some() {
                continue;
            }
            let columns = self.columns(frame, &rows)?;
            let quantities: Vec<_> = columns
                .iter()
                .map(|column| Quantity { name: &column.name, components: column.components, values: &column.values })
                .collect();
            let surface = self.reconstruction.surface(&places(&position, &rows), spacing, &quantities);
            let mut surface = surface.map_err(|error| error.to_string())?;
            self.tell_material(&mut surface, number);
            match &mut whole {
                Some(whole) => whole.append(surface),
                None => whole = Some(surface),
            }
        }
        Ok(whole.unwrap_or_default())
    }

    fn columns(&self, frame: &Frame, rows: &[usize]) -> Result<Vec<Attribute>, String> {
        let column = |name: &String| {
            let components = frame.column(name).map_or(1, |column| column.components);
            let values = pick(&numbers(frame, name, components)?, components, rows);
            Ok(Attribute { name: name.clone(), components, values })
        };
        self.quantities.iter().map(column).collect()
    }

    /// Where there are several materials, vertices and points say to which they belong.
    fn tell_material(&self, surface: &mut Surface, number: usize) {
        if self.scene.materials.len() < 2 {
            return;
        }
        let tell =
            |count: usize| Attribute { name: "material".into(), components: 1, values: vec![number as f32; count] };
        surface.mesh.attributes.push(tell(surface.mesh.position.len()));
        if let Some((cloud, attributes)) = &mut surface.points {
            attributes.push(tell(cloud.position.len()));
        }
    }
}

/// The numbers of a column in single precision.
fn numbers(frame: &Frame, name: &str, components: usize) -> Result<Vec<f32>, String> {
    let column = frame.column(name).filter(|column| column.components == components);
    match column.map(|column| &column.values) {
        Some(ColumnValues::F32(values)) => Ok(values.clone()),
        Some(ColumnValues::F64(values)) => Ok(values.iter().map(|&value| value as f32).collect()),
        Some(ColumnValues::U32(values)) => Ok(values.iter().map(|&value| value as f32).collect()),
        None => Err(format!("it has no column `{name}`")),
    }
}

fn pick(values: &[f32], components: usize, rows: &[usize]) -> Vec<f32> {
    rows.iter().flat_map(|row| &values[row * components..(row + 1) * components]).copied().collect()
}

/// The places in some rows.
fn places(position: &[f32], rows: &[usize]) -> Vec<Vec3> {
    pick(position, 3, rows).as_chunks().0.iter().map(|&place: &[f32; 3]| place.into()).collect()
}

/// Refuses names that are not in the list.
fn known<'a>(what: &str, asked: &[String], names: impl Iterator<Item = &'a str> + Clone) -> Result<(), String> {
    for name in asked {
        if !names.clone().any(|known| known == name) {
            let meant = nearest(name, names.clone());
            let meant = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
            let list = names.clone().collect::<Vec<_>>().join(", ");
            return Err(format!("there is no {what} `{name}`{meant}; there are {list}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_frames::{Column, FrameInfo};

    const TWO: &str = "world.spacing = 0.1\ntime.end = 1\nmaterials.oil.density = 900\n\
                       materials.water.density = 1000\n\
                       [[bodies]]\nname = 'a'\nmaterial = 'water'\nshape.sphere = { centre = [0, 0, 0], radius = 0.2 }\n\
                       [[bodies]]\nname = 'b'\nmaterial = 'oil'\nshape.sphere = { centre = [1, 0, 0], radius = 0.2 }\n";

    /// Particles of the two bodies in turn.
    fn frame(positions: &[[f32; 3]]) -> Frame {
        let column =
            |name: &str, components, values| Column { name: name.into(), unit: "-".into(), components, values };
        let columns = vec![
            column("position", 3, ColumnValues::F32(positions.concat())),
            column("velocity", 3, ColumnValues::F64(vec![2.0; 3 * positions.len()])),
            // None of those that bodies began with.
            column("id", 1, ColumnValues::U32((0..positions.len() as u32).map(|k| u32::MAX - k).collect())),
            column("body", 1, ColumnValues::U32((0..positions.len() as u32).map(|k| k % 2).collect())),
        ];
        Frame { info: FrameInfo { frame: 0, time: 0.0 }, columns, rigid: Vec::new() }
    }

    fn surface(positions: &[[f32; 3]]) -> Result<Surface, String> {
        let scene = Scene::read("two", TWO, &[]).unwrap();
        Matter::new(&scene, &Options::default(), &[]).unwrap().surface(&frame(positions))
    }

    #[test]
    fn materials_have_surfaces_of_their_own() {
        // So near that bodies of one material would have one surface.
        let Surface { mesh, .. } = surface(&[[0.0; 3], [0.1, 0.0, 0.0]]).unwrap();
        assert_eq!(mesh.pieces().1, 2);
        let [velocity, material] = &mesh.attributes[..] else { panic!("{:?}", mesh.attributes) };
        assert!(velocity.values.iter().all(|value| (value - 2.0).abs() < 1e-5));
        // By name: oil, which is the second body, comes first.
        let oil = material.values.iter().zip(&mesh.position).filter(|(material, _)| **material == 0.0);
        assert!(oil.clone().count() > 0 && oil.map(|(_, at)| at.x).all(|x| x > 0.0));
    }

    #[test]
    fn empty_frames_have_empty_surfaces_and_places_that_are_none_are_told() {
        let Surface { mesh, .. } = surface(&[]).unwrap();
        assert!(mesh.position.is_empty() && mesh.attributes.len() == 2);
        let refusal = surface(&[[0.0; 3], [f32::NAN, 0.0, 0.0]]).unwrap_err();
        assert!(refusal.contains("lies at no place"), "{refusal}");
        let mut headless = frame(&[]);
        headless.columns.pop();
        let scene = Scene::read("two", TWO, &[]).unwrap();
        let matter = Matter::new(&scene, &Options::default(), &[]).unwrap();
        assert_eq!(matter.surface(&headless).unwrap_err(), "it has no column `body`");
    }
}
