//! Templates: mesh files whose vertices move while all else stays as it is, texture coordinates, groups and materials too.
//!
//! A template keeps the file itself and knows where in it the vertices are; what is written differs from what was read in
//! these places only. Normals, where there are any, follow. Pictures and materials in files of their own are named as before.

mod gltf;
mod obj;
mod ply;

use std::path::Path;

use glam::DVec3;

use super::file::{checksum, read_limited, verified};
use super::format::Fault;
use super::triangles::Triangles;

/// A mesh file whose vertices can be moved.
#[derive(Debug)]
pub(crate) struct Template {
    /// Every vertex and triangle, as the file has them [units of the file].
    pub(crate) mesh: Triangles,
    /// How its name ends.
    pub(crate) ending: &'static str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Obj(Vec<u8>),
    Ply(ply::PlyTemplate),
    Gltf(gltf::GltfTemplate),
}

/// Where vertices are now.
pub(crate) struct Moved<'a> {
    /// One for each vertex.
    pub(crate) positions: &'a [DVec3],
    /// The normal of a vertex now, given that of the file.
    pub(crate) normal: &'a dyn Fn(usize, DVec3) -> DVec3,
}

impl Template {
    /// Reads a file, which must have the checksum, if there is one; or says what is wrong with it.
    pub(crate) fn read(path: &Path, expected: Option<&str>) -> Result<Template, String> {
        let bytes = read_limited(path)?;
        verified(&checksum(&bytes), expected)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let beside = |name: &str| read_limited(&folder.join(name));
        let template = Template::parse(&ending, bytes, &beside).map_err(|fault| fault.to_string())?;
        template.mesh.clone().checked()?;
        match template.mesh.vertices.iter().position(|vertex| !vertex.is_finite()) {
            Some(vertex) => Err(format!("vertex {} is at no place", vertex + 1)),
            None => Ok(template),
        }
    }

    fn parse(
        ending: &str,
        bytes: Vec<u8>,
        beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Template, Fault> {
        let with = |ending, mesh, kind| Ok(Template { mesh, ending, kind });
        match ending {
            "obj" => with("obj", super::format::read_obj(&bytes)?, Kind::Obj(bytes)),
            "ply" => ply::PlyTemplate::read(bytes).and_then(|(mesh, ply)| with("ply", mesh, Kind::Ply(ply))),
            "gltf" => {
                let (mesh, gltf) = gltf::GltfTemplate::read(&bytes, None, beside)?;
                with("gltf", mesh, Kind::Gltf(gltf))
            }
            "glb" => {
                let (json, binary) = super::format::chunks(&bytes)?;
                let (mesh, gltf) = gltf::GltfTemplate::read(json, binary, beside)?;
                with("glb", mesh, Kind::Gltf(gltf))
            }
            _ => Err(Fault::whole("a skin must end in .obj, .ply, .gltf or .glb")),
        }
    }

    /// The file with its vertices moved.
    pub(crate) fn write(&self, moved: &Moved<'_>) -> Vec<u8> {
        match &self.kind {
            Kind::Obj(bytes) => obj::write(bytes, moved),
            Kind::Ply(ply) => ply.write(moved),
            Kind::Gltf(gltf) => gltf.write(moved, self.ending == "glb"),
        }
    }

    /// The file as it was, in one piece.
    pub(crate) fn original(&self) -> Vec<u8> {
        match &self.kind {
            Kind::Obj(bytes) => bytes.clone(),
            Kind::Ply(ply) => ply.bytes.clone(),
            Kind::Gltf(gltf) => gltf.original(self.ending == "glb"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJ: &str = "# a roof\nmtllib roof.mtl\no roof\nv 0 0 0 0.5 0.5 0.5\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\n\
                       vt 1 1\nvn 0 0 1\ng left\nusemtl slate\nf 1/1/1 2/2/1 3/1/1\ng right\nf -4/2/-1 -2/1/-1 \\\n -1//-1\n";

    fn template(ending: &str, bytes: &[u8]) -> Result<Template, Fault> {
        Template::parse(ending, bytes.to_vec(), &|name| Err(format!("there is no {name}")))
    }

    /// Turns a mesh by a right angle about x and lifts it.
    fn turned(template: &Template) -> Vec<u8> {
        let turn = |v: DVec3| DVec3::new(v.x, -v.z, v.y);
        let positions: Vec<_> = template.mesh.vertices.iter().map(|&vertex| turn(vertex) + DVec3::Y * 2.5).collect();
        template.write(&Moved { positions: &positions, normal: &|_, normal| turn(normal) })
    }

    #[test]
    fn lines_of_obj_files_stay_but_for_vertices_and_normals() {
        let roof = template("obj", OBJ.as_bytes()).unwrap();
        let text = String::from_utf8(turned(&roof)).unwrap();
        let expected = "# a roof\nmtllib roof.mtl\no roof\nv 0 2.5 0 0.5 0.5 0.5\nv 1 2.5 0\nv 1 2.5 1\nv 0 2.5 1\n\
                        vt 0 0\nvt 1 1\ng left\nusemtl slate\nvn 0 -1 0\nvn 0 -1 0\nvn 0 -1 0\nf 1/1/1 2/2/2 3/1/3\n\
                        g right\nvn 0 -1 0\nf -4/2/1 -2/1/3 -1//4\n";
        assert_eq!(text, expected);
        assert_eq!(roof.original(), OBJ.as_bytes());
        // It can be moved again, and has the same triangles.
        let again = template("obj", text.as_bytes()).unwrap();
        assert_eq!(again.mesh.faces, roof.mesh.faces);
        assert_eq!(again.mesh.vertices[2], DVec3::new(1.0, 2.5, 1.0));
    }

    const PLY: &str = "ply\nformat ascii 1.0\ncomment TextureFile roof.png\nelement vertex 3\nproperty float s\n\
                       property float x\nproperty float y\nproperty double z\nproperty float nx\nproperty float ny\n\
                       property float nz\nelement face 1\nproperty list uchar int vertex_indices\nproperty uchar group\n\
                       end_header\n0.25 0 0 0 0 0 1\n0.5 1 0 0 0 0 1\n0.75 1 1 0 0 0 1\n3 0 1 2 7\n";

    #[test]
    fn rows_of_ply_files_stay_but_for_places_and_normals() {
        let text = String::from_utf8(turned(&template("ply", PLY.as_bytes()).unwrap())).unwrap();
        let rows = "0.25 0 2.5 0 0 -1 0\n0.5 1 2.5 0 0 -1 0\n0.75 1 2.5 1 0 -1 0\n3 0 1 2 7\n";
        assert!(text.ends_with(rows), "{text}");
        assert!(text.starts_with(&PLY[..PLY.find("0.25 ").unwrap()]));
        for order in ["little", "big"] {
            let header = PLY[..PLY.find("0.25 ").unwrap()].replace("ascii", &format!("binary_{order}_endian"));
            let mut bytes = header.clone().into_bytes();
            let float = |x: f32| if order == "big" { x.to_be_bytes() } else { x.to_le_bytes() };
            let double = |x: f64| if order == "big" { x.to_be_bytes() } else { x.to_le_bytes() };
            for [s, x, y] in [[0.25, 0.0, 0.0], [0.5, 1.0, 0.0], [0.75, 1.0, 1.0]] {
                [s, x, y].iter().for_each(|&x| bytes.extend(float(x)));
                bytes.extend(double(0.0));
                [0.0, 0.0, 1.0].iter().for_each(|&x| bytes.extend(float(x)));
            }
            bytes.push(3);
            [0_i32, 1, 2]
                .iter()
                .for_each(|k| bytes.extend(if order == "big" { k.to_be_bytes() } else { k.to_le_bytes() }));
            bytes.push(7);
            let found = turned(&template("ply", &bytes).unwrap());
            assert_eq!(found.len(), bytes.len());
            assert_eq!(found[header.len()..header.len() + 4], float(0.25));
            assert_eq!(found[header.len() + 2 * 32 + 12..][..8], double(1.0));
            assert_eq!(found[header.len() + 2 * 32 + 24..][..4], float(-1.0));
            assert_eq!(found[header.len() + 96..], bytes[header.len() + 96..]);
        }
        let whole = PLY.replace("double z", "int z");
        assert!(template("ply", whole.as_bytes()).unwrap_err().to_string().contains("whole numbers"));
    }

    /// A triangle that its node turns and moves, with normals, tangents and texture coordinates.
    fn gltf(instances: usize) -> Vec<u8> {
        let floats: [f32; 27] = [
            0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 0., 1., 0., 0., 1., 0., 0., 1., 0., 0., 1., 0., 1., 1., 0., 0., 0.,
        ];
        let bytes: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
        let node = serde_json::json!({ "mesh": 0, "translation": [0, 0, 3], "rotation": [0.5, 0.5, 0.5, 0.5], "scale": [2, 2, 2] });
        let document = serde_json::json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": (0..instances).collect::<Vec<_>>() }],
            "nodes": vec![node; instances],
            "meshes": [{ "name": "roof", "primitives": [{
                "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "TANGENT": 1 }, "material": 0 }] }],
            "materials": [{ "name": "slate" }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
                { "bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 3, "type": "VEC3" },
                { "bufferView": 0, "byteOffset": 72, "componentType": 5126, "count": 3, "type": "VEC2" }],
            "bufferViews": [{ "buffer": 0, "byteLength": 108 }],
            "buffers": [{ "byteLength": 108, "uri": format!("data:application/octet-stream;base64,{}", gltf::encode(&bytes)) }],
        });
        serde_json::to_vec(&document).unwrap()
    }

    #[test]
    fn gltf_files_keep_nodes_materials_and_texture_coordinates() {
        let roof = template("gltf", &gltf(1)).unwrap();
        // Node: twice as large, x to y to z to x, moved along z.
        assert!((roof.mesh.vertices[2] - DVec3::new(0.0, 2.0, 5.0)).length() < 1e-6, "{}", roof.mesh.vertices[2]);
        for ending in ["gltf", "glb"] {
            let roof = Template { ending, ..template("gltf", &gltf(1)).unwrap() };
            let bytes = turned(&roof);
            let again = template(ending, &bytes).unwrap();
            for (now, before) in again.mesh.vertices.iter().zip(&roof.mesh.vertices) {
                let expected = DVec3::new(before.x, -before.z + 2.5, before.y);
                assert!((*now - expected).length() < 1e-6, "{now} {expected}");
            }
            let Kind::Gltf(kept) = &again.kind else { panic!("{ending}") };
            assert_eq!(kept.document["materials"][0]["name"], "slate");
            assert_eq!(kept.document["nodes"][0]["translation"][2], 3);
            assert!(kept.document["meshes"][0]["primitives"][0]["attributes"]["TANGENT"].is_null());
            let Kind::Gltf(before) = &roof.kind else { panic!() };
            assert_eq!(kept.buffers[0][72..96], before.buffers[0][72..96]);
            // The normal along z of the file is along x of the world, and stays there.
            let normal: Vec<_> = kept.buffers[0][36..48].as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
            assert!((normal[2] - 1.0).abs() < 1e-6, "{normal:?}");
            let low = kept.document["accessors"][0]["min"][1].as_f64().unwrap();
            assert!(again.mesh.vertices.len() == 3 && low.is_finite());
        }
        assert!(template("gltf", &gltf(2)).unwrap_err().to_string().contains("more than one node"));
    }

    #[test]
    fn other_files_are_refused_and_damaged_ones_are_never_worse() {
        assert!(template("stl", b"solid").unwrap_err().to_string().contains(".glb"));
        for (ending, bytes) in [("obj", OBJ.as_bytes()), ("ply", PLY.as_bytes()), ("gltf", &gltf(1))] {
            for place in 0..bytes.len() {
                let mut damaged = bytes.to_vec();
                damaged[place] ^= 0x15;
                if let Ok(template) = template(ending, &damaged) {
                    turned(&template);
                }
                if let Ok(template) = self::template(ending, &bytes[..place]) {
                    turned(&template);
                }
            }
        }
    }
}
