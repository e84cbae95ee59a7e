//! Meshes and points from PLY files, as `thixo surface` writes them: binary, little-endian, all numbers `float`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use thixo_render::Vec3;

use super::quantity::{AXES, Part, Quantity};
use crate::failure::plain;

/// What a PLY file holds.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Ply {
    pub(super) positions: Vec<Vec3>,
    /// One for each position, or none.
    pub(super) normals: Vec<Vec3>,
    /// None in a file of points.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Every other number of a vertex, by name.
    pub(super) attributes: BTreeMap<String, Vec<f32>>,
}

impl Ply {
    /// Reads a file. The error names it, the cause and the remedy.
    pub(super) fn read(path: &Path) -> Result<Ply, String> {
        let name = path.display();
        let bytes = fs::read(path).map_err(|cause| format!("cannot read {name}: {}", plain(&cause)))?;
        Ply::parse(&bytes).ok_or_else(|| format!("{name} is no PLY file of this program; make it anew: thixo surface"))
    }

    /// The values of a quantity at all vertices, if the file has them.
    pub(super) fn values(&self, quantity: &Quantity) -> Option<Vec<f32>> {
        let Quantity::Number { column, part, .. } = quantity else { return None };
        let component = |axis: &str| self.attributes.get(&format!("{column}_{axis}"));
        match part {
            Part::Itself => self.attributes.get(column).cloned(),
            Part::Component(axis) => component(AXES[*axis]).cloned(),
            Part::Length => {
                let [x, y, z] = AXES.map(component);
                let vectors = x?.iter().zip(y?).zip(z?);
                Some(vectors.map(|((&x, &y), &z)| Vec3::new(x, y, z).length()).collect())
            }
        }
    }

    fn parse(bytes: &[u8]) -> Option<Ply> {
        const END: &[u8] = b"end_header\n";
        let header = bytes.windows(END.len()).position(|word| word == END)?;
        let body = bytes.get(header + END.len()..)?;
        let mut lines = str::from_utf8(bytes.get(..header)?).ok()?.lines();
        (lines.next()? == "ply" && lines.next()? == "format binary_little_endian 1.0").then_some(())?;
        let (mut vertices, mut faces, mut columns) = (0_usize, 0_usize, Vec::new());
        for line in lines.filter(|line| !line.starts_with("comment ")) {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["element", "vertex", count] => vertices = count.parse().ok()?,
                ["element", "face", count] => faces = count.parse().ok()?,
                ["property", "float", column] => columns.push(column),
                ["property", "list", "uchar", "uint" | "int", _] => {}
                _ => return None,
            }
        }
        let row = 4 * columns.len();
        let (numbers, rest) = body.split_at_checked(vertices.checked_mul(row)?)?;
        let column = |name: &str| -> Option<Vec<f32>> {
            let offset = 4 * columns.iter().position(|column| *column == name)?;
            let one = |row: &[u8]| row.get(offset..)?.first_chunk().map(|bytes| f32::from_le_bytes(*bytes));
            numbers.chunks(row.max(1)).map(one).collect()
        };
        let vectors = |names: [&str; 3]| -> Option<Vec<Vec3>> {
            let [x, y, z] = names.map(column);
            Some(x?.into_iter().zip(y?).zip(z?).map(|((x, y), z)| Vec3::new(x, y, z)).collect())
        };
        let known = ["x", "y", "z", "nx", "ny", "nz"];
        let others = columns.iter().filter(|name| !known.contains(name));
        Some(Ply {
            positions: vectors(["x", "y", "z"])?,
            normals: vectors(["nx", "ny", "nz"]).unwrap_or_default(),
            triangles: triangles(rest, faces)?,
            attributes: others.map(|name| Some(((*name).to_owned(), column(name)?))).collect::<Option<_>>()?,
        })
    }
}

/// Faces of three corners each, and nothing else.
fn triangles(bytes: &[u8], count: usize) -> Option<Vec<[u32; 3]>> {
    const ROW: usize = 13;
    (bytes.len() == count.checked_mul(ROW)?).then_some(())?;
    let one = |row: &[u8]| -> Option<[u32; 3]> {
        let (corners, numbers) = row.split_first()?;
        let numbers: Vec<u32> = numbers.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        (*corners == 3).then_some(())?;
        numbers.try_into().ok()
    };
    bytes.chunks(ROW).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let header = "ply\nformat binary_little_endian 1.0\ncomment a triangle\nelement vertex 3\nproperty float x\n\
                      property float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\n\
                      property float speed\nelement face 1\nproperty list uchar uint vertex_indices\nend_header\n";
        let mut bytes = header.as_bytes().to_vec();
        for k in 0..21_u8 {
            bytes.extend(f32::from(k).to_le_bytes());
        }
        bytes.push(3);
        [0_u32, 1, 2].iter().for_each(|vertex| bytes.extend(vertex.to_le_bytes()));
        bytes
    }

    #[test]
    fn triangle_is_read_back() {
        let ply = Ply::parse(&file()).unwrap();
        assert_eq!(ply.positions[1], Vec3::new(7.0, 8.0, 9.0));
        assert_eq!(ply.normals[2], Vec3::new(17.0, 18.0, 19.0));
        assert_eq!(
            (ply.attributes["speed"].as_slice(), ply.triangles.as_slice()),
            (&[6.0, 13.0, 20.0][..], &[[0, 1, 2]][..])
        );
    }

    #[test]
    fn damaged_files_are_refused_and_never_worse() {
        let file = file();
        for length in 0..file.len() {
            assert_eq!(Ply::parse(&file[..length]), None, "{length}");
        }
        for place in 0..file.len() {
            let mut damaged = file.clone();
            damaged[place] ^= 0x15;
            let _ = Ply::parse(&damaged);
        }
        let absurd =
            "ply\nformat binary_little_endian 1.0\nelement vertex 99999999999999999\nproperty float x\nend_header\n";
        assert_eq!(Ply::parse(absurd.as_bytes()), None);
    }
}
