//! What particles are coloured by: a column of the frame, or what follows from one.

use std::collections::BTreeMap;

use thixo_frames::{Column, ColumnValues, Frame};
use thixo_scene::{Scene, nearest};

/// What particles are coloured by.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Quantity {
    /// A number per particle: a column, the length of a vector, or a component of it.
    Number { column: String, part: Part, title: String, unit: String },
    /// The body it belongs to.
    Body,
    /// The material of that body.
    Material,
}

/// What of a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The number itself.
    Itself,
    /// The length of the vector.
    Length,
    /// A component of the vector.
    Component(usize),
}

/// The names of components.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

impl Quantity {
    /// What suits a scene: its materials if there are several, otherwise how fast everything moves.
    pub(super) fn suitable(scene: &Scene) -> &'static str {
        if materials(scene).len() > 1 { "material" } else { "speed" }
    }

    /// The quantity of that name, as far as the columns of this frame have it; otherwise what is wrong.
    pub(super) fn named(name: &str, frame: &Frame) -> Result<Quantity, String> {
        let number = |column: &Column, part, title: &str| {
            let (title, unit) = (title.replace('_', " "), column.unit.clone());
            Quantity::Number { column: column.name.clone(), part, title, unit }
        };
        match name {
            "body" => return Ok(Quantity::Body),
            "material" => return Ok(Quantity::Material),
            "speed" => {
                if let Some(velocity) = frame.column("velocity") {
                    return Ok(number(velocity, Part::Length, "speed"));
                }
            }
            _ => {}
        }
        let (base, axis) = name.split_once('.').map_or((name, None), |(base, axis)| (base, Some(axis)));
        let found = frame.column(base).filter(|column| column.name != "id");
        let component = axis.map(|axis| AXES.iter().position(|&name| name == axis));
        match (found, component) {
            (Some(column), None) if column.components == 1 => Ok(number(column, Part::Itself, base)),
            (Some(column), None) => Ok(number(column, Part::Length, base)),
            (Some(column), Some(Some(axis))) if column.components > axis && column.components > 1 => {
                Ok(number(column, Part::Component(axis), &format!("{base} {}", AXES[axis])))
            }
            _ => Err(unknown(name, frame)),
        }
    }

    /// The values of all particles of a frame, in single precision.
    pub(super) fn values(&self, frame: &Frame, scene: &Scene) -> Vec<f32> {
        match self {
            Quantity::Number { column, part, .. } => frame.column(column).map_or(Vec::new(), |column| part.of(column)),
            Quantity::Body => {
                // Streams come after bodies, whatever walls have the numbers between.
                let rows: BTreeMap<_, _> = scene.all_matter().map(|(number, ..)| number).zip(0u16..).collect();
                indices(frame, "body").map(|body| rows.get(&body).map_or(f32::NAN, |&row| f32::from(row))).collect()
            }
            Quantity::Material => {
                let names = materials(scene);
                let kind = |material: &str| names.iter().position(|&name| name == material);
                let known = scene.all_matter().map(|(number, _, material, _)| (number, kind(material)));
                let kinds: BTreeMap<_, _> =
                    known.map(|(number, kind)| (number, kind.map_or(f32::NAN, |kind| kind as f32))).collect();
                let [particles, bodies] = ["id", "body"].map(|name| indices(frame, name).collect::<Vec<_>>());
                let started_in = scene.started_in(&particles, &bodies);
                started_in.iter().map(|body| kinds.get(body).copied().unwrap_or(f32::NAN)).collect()
            }
        }
    }

    /// The names of kinds, if it is no number.
    pub(super) fn kinds(&self, scene: &Scene) -> Option<Vec<String>> {
        match self {
            Quantity::Number { .. } => None,
            Quantity::Body => Some(scene.all_matter().map(|(_, name, ..)| name.to_owned()).collect()),
            Quantity::Material => Some(materials(scene).into_iter().map(str::to_owned).collect()),
        }
    }
}

impl Part {
    fn of(self, column: &Column) -> Vec<f32> {
        let numbers: Vec<f32> = match &column.values {
            ColumnValues::F32(values) => values.clone(),
            ColumnValues::F64(values) => values.iter().map(|&value| value as f32).collect(),
            ColumnValues::U32(values) => values.iter().map(|&value| value as f32).collect(),
        };
        let rows = numbers.chunks(column.components.max(1));
        let one = |row: &[f32]| match self {
            Part::Itself => row.first().copied(),
            Part::Length => Some(row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt() as f32),
            Part::Component(axis) => row.get(axis).copied(),
        };
        rows.map(|row| one(row).unwrap_or(f32::NAN)).collect()
    }
}

fn indices<'a>(frame: &'a Frame, name: &str) -> impl Iterator<Item = u32> + use<'a> {
    match frame.column(name).map(|column| &column.values) {
        Some(ColumnValues::U32(bodies)) => bodies.as_slice(),
        _ => &[],
    }
    .iter()
    .copied()
}

/// The materials in use, in the order of the bodies.
fn materials(scene: &Scene) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (_, _, material, _) in scene.all_matter() {
        if !names.contains(&material) {
            names.push(material);
        }
    }
    names
}

fn unknown(name: &str, frame: &Frame) -> String {
    let columns = frame.columns.iter().map(|column| column.name.as_str()).filter(|name| *name != "id");
    let mut names: Vec<&str> = columns.chain(["speed", "material"]).collect();
    names.sort_unstable();
    let meant = nearest(name, names.iter().copied());
    let meant = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
    let list = names.join(", ");
    format!("particles cannot be coloured by `{name}`{meant}; there are {list}, and components as in `velocity.x`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_frames::FrameInfo;

    fn frame() -> Frame {
        let column = |name: &str, unit: &str, components, values| Column {
            name: name.into(),
            unit: unit.into(),
            components,
            values,
        };
        let velocity = ColumnValues::F32(vec![3.0, 4.0, 0.0, 0.0, 0.0, -2.0]);
        let columns = vec![
            column("velocity", "m/s", 3, velocity),
            column("rest_density", "kg/m^3", 1, ColumnValues::F64(vec![1.5, 2.5])),
            column("body", "-", 1, ColumnValues::U32(vec![0, 1])),
            column("id", "-", 1, ColumnValues::U32(vec![0, 40])),
        ];
        Frame { info: FrameInfo { frame: 0, time: 0.0 }, columns, rigid: Vec::new() }
    }

    fn scene() -> Scene {
        let text = "world.spacing = 0.1\ntime.end = 1\nmaterials.oil.density = 900\nmaterials.water.density = 1000\n\
                    [[bodies]]\nname = 'a'\nmaterial = 'water'\nshape.sphere = { centre = [0, 0, 0], radius = 0.2 }\n\
                    [[bodies]]\nname = 'b'\nmaterial = 'oil'\nshape.sphere = { centre = [1, 0, 0], radius = 0.2 }\n";
        Scene::read("two", text, &[]).unwrap()
    }

    #[test]
    fn columns_lengths_components_and_kinds_have_values() {
        let (frame, scene) = (frame(), scene());
        let values = |name| Quantity::named(name, &frame).unwrap().values(&frame, &scene);
        assert_eq!(values("speed"), [5.0, 2.0]);
        assert_eq!(values("velocity"), [5.0, 2.0]);
        assert_eq!(values("velocity.z"), [0.0, -2.0]);
        assert_eq!(values("rest_density"), [1.5, 2.5]);
        assert_eq!(values("body"), [0.0, 1.0]);
        // The first body is of water.
        assert_eq!(values("material"), [0.0, 1.0]);
        assert_eq!(Quantity::Material.kinds(&scene).unwrap(), ["water", "oil"]);
        assert_eq!(Quantity::suitable(&scene), "material");
    }

    #[test]
    fn unknown_names_are_told_with_what_was_meant() {
        let told = |name| Quantity::named(name, &frame()).unwrap_err();
        assert!(told("velocty").contains("did you mean `velocity`?"), "{}", told("velocty"));
        for name in ["id", "velocity.w", "body.x", "rest_density.x", "", "."] {
            assert!(told(name).contains("there are body, material, rest_density, speed, velocity"), "{}", told(name));
        }
    }
}
