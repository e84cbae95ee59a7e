//! Wavefront OBJ: lines of text, of which `v` (a vertex) and `f` (a face) matter.

use glam::DVec3;

use super::{Fault, text::Words};
use crate::mesh::triangles::{Triangles, missing_vertex};

pub(in crate::mesh) fn read(bytes: &[u8]) -> Result<Triangles, Fault> {
    let mut mesh = Triangles::default();
    let mut corners = Vec::new();
    for (number, line) in lines(bytes) {
        let at = |cause: String| Fault::line(number, cause);
        let line = String::from_utf8_lossy(&line);
        let mut words = Words::of(&line);
        match words.next() {
            Some("v") => {
                let [x, y, z] = words.numbers().map_err(at)?;
                mesh.vertices.push(DVec3::new(x, y, z));
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(corner(word, mesh.vertices.len()).map_err(at)?);
                }
                if corners.len() < 3 {
                    return Err(at(format!("a face needs three vertices, but has {}", corners.len())));
                }
                mesh.add_polygon(&corners).map_err(at)?;
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// The vertex of `7`, `7/2`, `7//3` or `-1` (the last one so far), counted from 0.
fn corner(word: &str, count: usize) -> Result<u32, String> {
    let vertex = word.split('/').next().unwrap_or_default();
    let number: i64 = vertex.parse().map_err(|_| format!("`{word}` is no vertex of a face"))?;
    index(vertex, count).map(|index| index as u32).ok_or_else(|| missing_vertex(number, count))
}

/// What `7` or `-1` (the last one so far) means among so many, counted from 0.
pub(in crate::mesh) fn index(word: &str, count: usize) -> Option<usize> {
    let number: i64 = word.parse().ok()?;
    let index = if number < 0 { (count as i64).checked_add(number)? } else { number - 1 };
    usize::try_from(index).ok().filter(|&index| index < count)
}

/// Lines with their numbers; a line that ends with a backslash goes on in the next.
pub(in crate::mesh) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, std::borrow::Cow<'_, [u8]>)> {
    let mut lines = bytes.split(|&byte| byte == b'\n').enumerate();
    std::iter::from_fn(move || {
        let (number, line) = lines.next()?;
        let mut line = std::borrow::Cow::Borrowed(line.trim_ascii_end());
        while line.ends_with(b"\\") {
            let mut joined = line.into_owned();
            joined.pop();
            joined.push(b' ');
            match lines.next() {
                Some((_, next)) => joined.extend(next.trim_ascii_end()),
                None => return Some((number + 1, joined.into())),
            }
            line = joined.into();
        }
        Some((number + 1, line))
    })
}
