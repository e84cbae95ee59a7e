//! STL, the format of printers: triangles without shared vertices, in 50 bytes each or as text.

use glam::DVec3;

use super::{Fault, text::Words};
use crate::mesh::triangles::Triangles;

/// A free text of 80 bytes, and the number of triangles.
const HEAD: usize = 84;
/// A normal, three vertices and two bytes for nobody.
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8]) -> Result<Triangles, Fault> {
    // A binary file may begin with "solid" as well, but its size fits its count.
    let is_text = bytes.trim_ascii_start().starts_with(b"solid");
    match bytes.first_chunk::<HEAD>() {
        Some(head) if !is_text || bytes.len() == HEAD + TRIANGLE * count(head) => binary(bytes, count(head)),
        _ if is_text => text(bytes),
        _ => Err(Fault::whole("it is too short for STL")),
    }
}

fn count(head: &[u8; HEAD]) -> usize {
    u32::from_le_bytes([head[80], head[81], head[82], head[83]]) as usize
}

fn binary(bytes: &[u8], count: usize) -> Result<Triangles, Fault> {
    let room = (bytes.len() - HEAD) / TRIANGLE;
    if room < count {
        return Err(Fault::whole(format!(
            "it should have {count} triangles, but ends after {room}; it is cut short or no STL file"
        )));
    }
    let mut mesh = Triangles::default();
    for triangle in bytes[HEAD..].chunks_exact(TRIANGLE).take(count) {
        let coordinate = |k: usize| {
            let at = 12 + 4 * k;
            f64::from(f32::from_le_bytes([triangle[at], triangle[at + 1], triangle[at + 2], triangle[at + 3]]))
        };
        let corners = [0, 3, 6].map(|k| DVec3::new(coordinate(k), coordinate(k + 1), coordinate(k + 2)));
        add(&mut mesh, corners).map_err(Fault::whole)?;
    }
    Ok(mesh)
}

fn text(bytes: &[u8]) -> Result<Triangles, Fault> {
    let mut mesh = Triangles::default();
    let mut corners = Vec::new();
    let mut open = false;
    for (k, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let at = |cause: String| Fault::line(k + 1, cause);
        let line = String::from_utf8_lossy(line);
        let mut words = Words::of(&line);
        match words.next() {
            Some("facet") => open = true,
            Some("vertex") => {
                let [x, y, z] = words.numbers().map_err(at)?;
                corners.push(DVec3::new(x, y, z));
            }
            Some("endfacet") => {
                let found = corners.len();
                let corners = <[DVec3; 3]>::try_from(std::mem::take(&mut corners))
                    .map_err(|_| at(format!("a facet needs three vertices, but has {found}")))?;
                add(&mut mesh, corners).map_err(at)?;
                open = false;
            }
            _ => {}
        }
    }
    if open || !corners.is_empty() {
        return Err(Fault::whole("it ends within a facet: it is cut short"));
    }
    Ok(mesh)
}

fn add(mesh: &mut Triangles, corners: [DVec3; 3]) -> Result<(), String> {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(corners);
    mesh.add_polygon(&[first, first + 1, first + 2])
}
