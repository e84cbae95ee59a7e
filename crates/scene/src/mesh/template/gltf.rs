//! glTF and GLB: the document stays, numbers of vertices are replaced in their buffers, as each node sees them.

use glam::DVec3;
use serde_json::{Value, json};

use super::Moved;
use crate::mesh::format::{Buffers, Drawn, Fault, collect_gltf, parse_json};
use crate::mesh::triangles::Triangles;

#[derive(Debug)]
pub(super) struct GltfTemplate {
    pub(super) document: Value,
    pub(super) buffers: Vec<Vec<u8>>,
    /// What is drawn, and by which vertices.
    drawn: Vec<Drawn>,
    /// The normals of the file, of all that is drawn, where it has any.
    normals: Vec<Vec<DVec3>>,
}

impl GltfTemplate {
    pub(super) fn read(
        json: &[u8],
        binary: Option<&[u8]>,
        beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<(Triangles, GltfTemplate), Fault> {
        let document = parse_json(json)?;
        let (mesh, drawn) = collect_gltf(&document, binary, beside).map_err(Fault::whole)?;
        let buffers = Buffers::open(&document, binary, beside).map_err(Fault::whole)?;
        // They could not be in two places.
        if has_twins(&drawn) {
            return Err(Fault::whole("more than one node shows the same vertices; export it without instances"));
        }
        let normals = drawn.iter().map(|part| match part.normals {
            Some(accessor) => {
                let normals = buffers.positions(&document, accessor)?;
                (normals.len() == part.count)
                    .then_some(normals)
                    .ok_or_else(|| "normals and vertices differ in number".into())
            }
            None => Ok(Vec::new()),
        });
        let normals = normals.collect::<Result<_, String>>().map_err(Fault::whole)?;
        let buffers = buffers.into_owned();
        Ok((mesh, GltfTemplate { document, buffers, drawn, normals }))
    }

    pub(super) fn write(&self, moved: &Moved<'_>, is_binary: bool) -> Vec<u8> {
        let (mut document, mut buffers) = (self.document.clone(), self.buffers.clone());
        for (part, normals) in self.drawn.iter().zip(&self.normals) {
            let inwards = part.place.inverse();
            let own = &moved.positions[part.first..part.first + part.count];
            let local: Vec<DVec3> = own.iter().map(|&place| inwards.transform_point3(place)).collect();
            put(&document, &mut buffers, part.positions, &local);
            let (low, high) =
                local.iter().fold((DVec3::MAX, DVec3::MIN), |(low, high), &place| (low.min(place), high.max(place)));
            document["accessors"][part.positions]["min"] = rounded(low);
            document["accessors"][part.positions]["max"] = rounded(high);
            if let Some(accessor) = part.normals {
                let turned = normals.iter().enumerate().map(|(k, &normal)| {
                    // Normals are seen through the inverse transpose.
                    let outer = inwards.transpose().transform_vector3(normal).normalize_or(normal);
                    let now = (moved.normal)(part.first + k, outer);
                    part.place.transpose().transform_vector3(now).normalize_or(normal)
                });
                put(&document, &mut buffers, accessor, &turned.collect::<Vec<_>>());
            }
        }
        // Tangents would point elsewhere; programs make them anew.
        for mesh in document["meshes"].as_array_mut().into_iter().flatten() {
            for primitive in mesh["primitives"].as_array_mut().into_iter().flatten() {
                primitive["attributes"].as_object_mut().and_then(|attributes| attributes.remove("TANGENT"));
            }
        }
        packed(document, &buffers, is_binary)
    }

    pub(super) fn original(&self, is_binary: bool) -> Vec<u8> {
        packed(self.document.clone(), &self.buffers, is_binary)
    }
}

/// Do two nodes show the same vertices?
fn has_twins(drawn: &[Drawn]) -> bool {
    let mut parts: Vec<_> = drawn.iter().map(|part| (part.positions, part.node)).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.windows(2).any(|pair| pair[0].0 == pair[1].0)
}

/// As single precision has it.
fn rounded(vector: DVec3) -> Value {
    json!(vector.to_array().map(|coordinate| coordinate as f32))
}

/// Replaces the vectors of an accessor, which was read before.
fn put(document: &Value, buffers: &mut [Vec<u8>], accessor: usize, vectors: &[DVec3]) {
    let described = &document["accessors"][accessor];
    let number = |value: &Value, otherwise: usize| value.as_u64().map_or(otherwise, |number| number as usize);
    let view = &document["bufferViews"][number(&described["bufferView"], usize::MAX)];
    let first = number(&view["byteOffset"], 0) + number(&described["byteOffset"], 0);
    let stride = number(&view["byteStride"], 12).max(12);
    let Some(buffer) = buffers.get_mut(number(&view["buffer"], usize::MAX)) else { return };
    for (k, vector) in vectors.iter().enumerate() {
        if let Some(bytes) = buffer.get_mut(first + k * stride..first + k * stride + 12) {
            let numbers = vector.to_array().map(|coordinate| coordinate as f32 + 0.0);
            bytes.chunks_mut(4).zip(numbers).for_each(|(bytes, number)| bytes.copy_from_slice(&number.to_le_bytes()));
        }
    }
}

/// The document with its buffers inside.
fn packed(mut document: Value, buffers: &[Vec<u8>], is_binary: bool) -> Vec<u8> {
    for (k, contents) in buffers.iter().enumerate() {
        let Some(buffer) = document["buffers"][k].as_object_mut() else { continue };
        buffer.insert("byteLength".into(), json!(contents.len()));
        if is_binary && k == 0 {
            buffer.remove("uri");
        } else {
            let address = format!("data:application/octet-stream;base64,{}", encode(contents));
            buffer.insert("uri".into(), json!(address));
        }
    }
    let mut text = document.to_string().into_bytes();
    if !is_binary {
        return text;
    }
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = buffers.first().cloned().unwrap_or_default();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut out = Vec::with_capacity(28 + text.len() + binary.len());
    out.extend(b"glTF");
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    out.extend(2_u32.to_le_bytes());
    out.extend((28 + text.len() as u32 + binary.len() as u32).to_le_bytes());
    for (contents, kind) in [(&text, b"JSON"), (&binary, b"BIN\0")] {
        out.extend(length(contents));
        out.extend(kind);
        out.extend(contents);
    }
    out
}

/// Base64.
pub(super) fn encode(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let part = |k: usize| u32::from(three.get(k).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k) & 63) as usize] as char;
            text.push(if k <= three.len() { letter } else { '=' });
        }
    }
    text
}
