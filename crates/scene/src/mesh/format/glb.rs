//! GLB: a glTF document and its numbers in one file.

use super::{Fault, gltf};
use crate::mesh::triangles::Triangles;

const HEAD: usize = 12;

pub(super) fn read(bytes: &[u8], beside: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Triangles, Fault> {
    let (json, binary) = chunks(bytes)?;
    gltf::read(json, binary, beside)
}

/// The document, and its numbers if they are in the file.
pub(in crate::mesh) fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    if !bytes.starts_with(b"glTF") {
        return Err(Fault::whole("a GLB file begins with `glTF`"));
    }
    match word(bytes, 4) {
        Some(2) => {}
        Some(version) => return Err(Fault::byte(4, format!("it is of version {version}; only version 2 can be read"))),
        None => return Err(cut(bytes)),
    }
    let (json, rest) = chunk(bytes, HEAD, b"JSON")?.ok_or_else(|| Fault::byte(HEAD, "its first chunk is not JSON"))?;
    let binary = if rest < bytes.len() { chunk(bytes, rest, b"BIN\0")? } else { None };
    Ok((json, binary.map(|(binary, _)| binary)))
}

/// The contents of the chunk at `at` and where the next begins; none if it is of another kind.
fn chunk<'a>(bytes: &'a [u8], at: usize, kind: &[u8; 4]) -> Result<Option<(&'a [u8], usize)>, Fault> {
    let (Some(length), Some(found)) = (word(bytes, at), bytes.get(at + 4..at + 8)) else { return Err(cut(bytes)) };
    let start = at + 8;
    let Some(contents) = bytes.get(start..start.saturating_add(length as usize)) else { return Err(cut(bytes)) };
    Ok((found == kind).then_some((contents, start + length as usize)))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word))
}

fn cut(bytes: &[u8]) -> Fault {
    Fault::byte(bytes.len(), "the file ends within a chunk: it is cut short")
}
