//! PLY files, binary little-endian: the polygon format that nearly every program reads.
//!
//! Vertices have `x y z`, `nx ny nz` and then the attributes; those of three components are called after their axes,
//! `velocity_x`. Comment lines can hold anything that fits on a line.

use std::io::{self, BufRead, Write};

use glam::Vec3;

use crate::mesh::{Attribute, Mesh};
use crate::points::PointCloud;

/// Writes a mesh.
pub fn write_mesh(out: &mut dyn Write, mesh: &Mesh, comments: &[&str]) -> io::Result<()> {
    write_header(out, mesh.position.len(), Some(mesh.triangles.len()), &mesh.attributes, comments)?;
    write_vertices(out, &mesh.position, &mesh.normal, &mesh.attributes)?;
    for triangle in &mesh.triangles {
        let mut row = [3_u8; 13];
        for (bytes, vertex) in row[1..].chunks_mut(4).zip(triangle) {
            bytes.copy_from_slice(&vertex.to_le_bytes());
        }
        out.write_all(&row)?;
    }
    Ok(())
}

/// Writes a cloud of points.
pub fn write_points(
    out: &mut dyn Write,
    cloud: &PointCloud,
    attributes: &[Attribute],
    comments: &[&str],
) -> io::Result<()> {
    write_header(out, cloud.position.len(), None, attributes, comments)?;
    write_vertices(out, &cloud.position, &cloud.normal, attributes)
}

/// The comments of a PLY file; none if it is something else.
pub fn read_comments(file: &mut dyn BufRead) -> Option<Vec<String>> {
    /// More lines than a header of ours has.
    const LINES: usize = 256;
    /// More bytes than a line of ours has.
    const BYTES: u64 = 4096;
    let mut comments = Vec::new();
    for number in 0..LINES {
        let mut line = Vec::new();
        io::Read::take(&mut *file, BYTES).read_until(b'\n', &mut line).ok()?;
        let line = str::from_utf8(&line).ok()?.strip_suffix('\n')?;
        match (number, line) {
            (0, "ply") => {}
            (0, _) => return None,
            (_, "end_header") => return Some(comments),
            (_, line) => comments.extend(line.strip_prefix("comment ").map(str::to_owned)),
        }
    }
    None
}

fn write_header(
    out: &mut dyn Write,
    vertices: usize,
    faces: Option<usize>,
    attributes: &[Attribute],
    comments: &[&str],
) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    for comment in comments {
        writeln!(out, "comment {}", comment.replace(['\n', '\r'], " "))?;
    }
    writeln!(out, "element vertex {vertices}")?;
    let columns = ["x", "y", "z", "nx", "ny", "nz"].map(str::to_owned);
    for name in columns.into_iter().chain(attributes.iter().flat_map(names)) {
        writeln!(out, "property float {name}")?;
    }
    if let Some(faces) = faces {
        writeln!(out, "element face {faces}\nproperty list uchar uint vertex_indices")?;
    }
    writeln!(out, "end_header")
}

/// The names of the numbers of an attribute.
fn names(attribute: &Attribute) -> Vec<String> {
    // A blank would end the name.
    let name = attribute.name.replace(char::is_whitespace, "_");
    match attribute.components {
        1 => vec![name],
        3 => ["x", "y", "z"].iter().map(|axis| format!("{name}_{axis}")).collect(),
        count => (0..count).map(|number| format!("{name}_{number}")).collect(),
    }
}

fn write_vertices(out: &mut dyn Write, position: &[Vec3], normal: &[Vec3], attributes: &[Attribute]) -> io::Result<()> {
    for (vertex, place) in position.iter().enumerate() {
        let normal = normal.get(vertex).copied().unwrap_or_default();
        for number in place.to_array().into_iter().chain(normal.to_array()) {
            out.write_all(&number.to_le_bytes())?;
        }
        for Attribute { components, values, .. } in attributes {
            for number in values.iter().skip(vertex * components).take(*components) {
                out.write_all(&number.to_le_bytes())?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::tetrahedron;

    #[test]
    fn a_tetrahedron_is_written_byte_by_byte() {
        let mut mesh = tetrahedron();
        mesh.set_normals_by_triangles();
        mesh.attributes = vec![
            Attribute { name: "velocity".into(), components: 3, values: (0..12).map(|k| k as f32).collect() },
            Attribute { name: "density".into(), components: 1, values: vec![9.0; 4] },
        ];
        let mut file = Vec::new();
        write_mesh(&mut file, &mesh, &["made by hand", "two\nlines"]).unwrap();
        let header = "ply\nformat binary_little_endian 1.0\ncomment made by hand\ncomment two lines\nelement vertex 4\n\
                      property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n\
                      property float nz\nproperty float velocity_x\nproperty float velocity_y\n\
                      property float velocity_z\nproperty float density\nelement face 4\n\
                      property list uchar uint vertex_indices\nend_header\n";
        assert!(file.starts_with(header.as_bytes()));
        assert_eq!(file.len(), header.len() + 4 * 10 * 4 + 4 * 13);
        let number = |k: usize| f32::from_le_bytes(file[header.len() + 4 * k..][..4].try_into().unwrap());
        assert_eq!([number(10), number(11), number(16), number(19)], [1.0, 0.0, 3.0, 9.0]);
        assert_eq!(file[file.len() - 13..], [3, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(read_comments(&mut file.as_slice()).unwrap(), ["made by hand", "two lines"]);
    }

    #[test]
    fn other_files_have_no_comments() {
        for file in [&b"plyx\n"[..], b"", b"ply\nformat", b"\xff\xff\n", &[b'a'; 9000], &b"ply\n".repeat(999)] {
            assert_eq!(read_comments(&mut &file[..]), None);
        }
    }
}
