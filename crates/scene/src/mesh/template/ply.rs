//! PLY: every byte stays, but for those of the places and normals of vertices.

use glam::DVec3;

use super::Moved;
use crate::mesh::format::{Fault, PlySite, walk_ply};
use crate::mesh::triangles::Triangles;

#[derive(Debug)]
pub(super) struct PlyTemplate {
    pub(super) bytes: Vec<u8>,
    /// Where the numbers are, in the order of the file.
    sites: Vec<PlySite>,
    /// The normals of the file, if it has any.
    normals: Vec<DVec3>,
}

impl PlyTemplate {
    pub(super) fn read(bytes: Vec<u8>) -> Result<(Triangles, PlyTemplate), Fault> {
        let (mut sites, mut normals) = (Vec::new(), Vec::new());
        let mesh = walk_ply(&bytes, |site, value| {
            if site.column >= 3 {
                let vertex = site.vertex as usize;
                normals.resize(normals.len().max(vertex + 1), DVec3::ZERO);
                normals[vertex][site.column - 3] = value;
            }
            sites.push(site);
        })?;
        if sites.iter().any(|site| !site.is_fraction()) {
            return Err(Fault::whole(
                "its vertices are whole numbers, which cannot follow a body; export it with floats",
            ));
        }
        Ok((mesh, PlyTemplate { bytes, sites, normals }))
    }

    pub(super) fn write(&self, moved: &Moved<'_>) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut done = 0;
        for site in &self.sites {
            let vertex = site.vertex as usize;
            let value = match site.column {
                axis @ 0..3 => moved.positions.get(vertex).map_or(0.0, |place| place[axis]),
                column => {
                    let given = self.normals.get(vertex).copied().unwrap_or_default();
                    (moved.normal)(vertex, given)[column - 3]
                }
            };
            out.extend(&self.bytes[done..site.span.start]);
            site.write(value, &mut out);
            done = site.span.end;
        }
        out.extend(&self.bytes[done..]);
        out
    }
}
