//! glTF 2.0: a JSON document of nodes and meshes, whose numbers lie in buffers.
//!
//! The triangles of the default scene are read, each moved as its nodes say. Materials, textures, animations and
//! skins are ignored.

use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

use super::Fault;
use super::accessor::Buffers;
use crate::mesh::triangles::{MOST_TRIANGLES, Triangles, missing_vertex};

/// Nodes that hang on each other deeper than this are no tree.
const DEEPEST: usize = 100;

/// What changes where vertices are, so that leaving it out would give another shape.
const HARMLESS: [&str; 2] = ["KHR_materials_", "KHR_texture_"];

pub(super) fn read(
    json: &[u8],
    binary: Option<&[u8]>,
    beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Triangles, Fault> {
    collect(&parse(json)?, binary, beside).map(|(mesh, _)| mesh).map_err(Fault::whole)
}

/// The document of a file.
pub(in crate::mesh) fn parse(json: &[u8]) -> Result<Value, Fault> {
    serde_json::from_slice(json).map_err(|error| {
        let cause = format!("this is no JSON: {error}");
        Fault::line(error.line().max(1), cause)
    })
}

/// Triangles that a node shows.
#[derive(Clone, Debug)]
pub(in crate::mesh) struct Drawn {
    /// The node.
    pub(in crate::mesh) node: usize,
    /// From the vertices of the file to those of the mesh.
    pub(in crate::mesh) place: DMat4,
    /// The accessor of its vertices.
    pub(in crate::mesh) positions: usize,
    /// That of their normals, if they have any.
    pub(in crate::mesh) normals: Option<usize>,
    /// Its first vertex.
    pub(in crate::mesh) first: usize,
    /// How many it has.
    pub(in crate::mesh) count: usize,
}

/// All triangles, and what they belong to.
pub(in crate::mesh) fn collect(
    document: &Value,
    binary: Option<&[u8]>,
    beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<(Triangles, Vec<Drawn>), String> {
    match document["asset"]["version"].as_str() {
        Some(version) if version.starts_with("2.") => {}
        _ => return Err("it is no glTF of version 2".into()),
    }
    let required = document["extensionsRequired"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(unknown) = required.into_iter().find(|name| !HARMLESS.iter().any(|known| name.starts_with(known))) {
        return Err(format!("it needs the extension {unknown}, which is not known here; export it without"));
    }
    let nodes = document["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let buffers = Buffers::open(document, binary, beside)?;
    let mut collector = Collector {
        document,
        nodes,
        seen: vec![false; nodes.len()],
        buffers,
        mesh: Triangles::default(),
        drawn: Vec::new(),
    };
    for root in roots(document, nodes)? {
        collector.node(root, DMat4::IDENTITY, 0)?;
    }
    Ok((collector.mesh, collector.drawn))
}

/// The nodes of the default scene, else of the first, else all that hang on no other.
fn roots(document: &Value, nodes: &[Value]) -> Result<Vec<usize>, String> {
    let scene = number(&document["scene"]).unwrap_or(0);
    match &document["scenes"][scene]["nodes"] {
        Value::Array(roots) => {
            roots.iter().map(|root| number(root).ok_or_else(|| format!("{root} is no node"))).collect()
        }
        _ => {
            let children: Vec<_> = nodes.iter().flat_map(children).filter_map(number).collect();
            Ok((0..nodes.len()).filter(|node| !children.contains(node)).collect())
        }
    }
}

fn children(node: &Value) -> impl Iterator<Item = &Value> {
    node["children"].as_array().into_iter().flatten()
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

struct Collector<'a> {
    document: &'a Value,
    nodes: &'a [Value],
    /// Nodes that were reached: in a tree, each is once.
    seen: Vec<bool>,
    buffers: Buffers<'a>,
    mesh: Triangles,
    drawn: Vec<Drawn>,
}

impl Collector<'_> {
    fn node(&mut self, index: usize, parent: DMat4, depth: usize) -> Result<(), String> {
        let Some(node) = self.nodes.get(index) else {
            return Err(format!("there is no node {index}"));
        };
        if std::mem::replace(&mut self.seen[index], true) {
            return Err(format!("node {index} hangs on two nodes"));
        }
        if depth > DEEPEST {
            return Err(format!("its nodes hang on each other more than {DEEPEST} deep"));
        }
        let place = parent * transform(node).map_err(|cause| format!("node {index}: {cause}"))?;
        if let Some(mesh) = number(&node["mesh"]) {
            let primitives = self.document["meshes"][mesh]["primitives"].as_array();
            let primitives = primitives.ok_or_else(|| format!("node {index} has mesh {mesh}, which is not there"))?;
            for primitive in primitives {
                self.primitive(primitive, index, place).map_err(|cause| format!("mesh {mesh}: {cause}"))?;
            }
        }
        for child in children(node) {
            let child = number(child).ok_or_else(|| format!("node {index}: {child} is no node"))?;
            self.node(child, place, depth + 1)?;
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Value, node: usize, place: DMat4) -> Result<(), String> {
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        if mode < 4 {
            // Points and lines enclose nothing.
            return Ok(());
        }
        let accessor = number(&primitive["attributes"]["POSITION"]).ok_or("a primitive has no positions")?;
        let positions = self.buffers.positions(self.document, accessor)?;
        let first = self.mesh.vertices.len();
        let count = positions.len();
        if first + count > 3 * MOST_TRIANGLES {
            return Err(format!("there are more than {} vertices", 3 * MOST_TRIANGLES));
        }
        let normals = number(&primitive["attributes"]["NORMAL"]);
        self.drawn.push(Drawn { node, place, positions: accessor, normals, first, count });
        self.mesh.vertices.extend(positions.into_iter().map(|position| place.transform_point3(position)));
        let indices = match number(&primitive["indices"]) {
            Some(accessor) => self.buffers.indices(self.document, accessor)?,
            None => (0..count as u32).collect(),
        };
        if let Some(&beyond) = indices.iter().find(|&&index| index as usize >= count) {
            return Err(missing_vertex(i64::from(beyond) + 1, count));
        }
        // A mirrored node shows its triangles from behind.
        let mirrored = place.determinant() < 0.0;
        let mut add = |[a, b, c]: [u32; 3]| {
            let corners = if mirrored { [a, c, b] } else { [a, b, c] };
            self.mesh.add_polygon(&corners.map(|corner| corner + first as u32))
        };
        match mode {
            4 => indices.chunks_exact(3).try_for_each(|t| add([t[0], t[1], t[2]])),
            5 => indices.windows(3).enumerate().try_for_each(|(k, t)| match k % 2 {
                0 => add([t[0], t[1], t[2]]),
                _ => add([t[1], t[0], t[2]]),
            }),
            6 => indices.windows(2).skip(1).try_for_each(|t| add([indices[0], t[0], t[1]])),
            _ => Err(format!("{mode} is no way to draw triangles")),
        }
    }
}

/// A matrix, or translation, rotation and scale.
fn transform(node: &Value) -> Result<DMat4, String> {
    if let Some(matrix) = numbers::<16>(&node["matrix"])? {
        return Ok(DMat4::from_cols_array(&matrix));
    }
    let translation = numbers::<3>(&node["translation"])?.map_or(DVec3::ZERO, DVec3::from_array);
    let scale = numbers::<3>(&node["scale"])?.map_or(DVec3::ONE, DVec3::from_array);
    let rotation = numbers::<4>(&node["rotation"])?.map_or(DQuat::IDENTITY, DQuat::from_array);
    Ok(DMat4::from_scale_rotation_translation(scale, rotation.normalize(), translation))
}

/// So many numbers, if there are any.
fn numbers<const N: usize>(value: &Value) -> Result<Option<[f64; N]>, String> {
    if value.is_null() {
        return Ok(None);
    }
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let numbers: Vec<f64> = list.iter().filter_map(Value::as_f64).collect();
    match <[f64; N]>::try_from(numbers) {
        Ok(numbers) => Ok(Some(numbers)),
        Err(found) => Err(format!("{N} numbers are needed, but there are {}", found.len())),
    }
}
