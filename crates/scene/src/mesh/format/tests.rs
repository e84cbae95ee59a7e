//! Every format gives the same cube; damaged files are refused or read, and never worse.

use std::path::Path;

use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::mesh::tests::cube;

fn nothing_beside(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("there is no {name}"))
}

fn read_as(ending: &str, bytes: &[u8]) -> Result<Triangles, String> {
    read(Path::new(&format!("mesh.{ending}")), bytes, &nothing_beside).map_err(|fault| fault.to_string())
}

fn obj(mesh: &Triangles) -> Vec<u8> {
    let mut text = "# a mesh\nmtllib none.mtl\no thing\n".to_string();
    mesh.vertices.iter().for_each(|v| text += &format!("v {} {} {}\nvn 0 0 1\n", v.x, v.y, v.z));
    let count = mesh.vertices.len() as i64;
    for (k, face) in mesh.faces.iter().enumerate() {
        let [a, b, c] = face.map(|vertex| i64::from(vertex) + 1);
        text += &match k % 4 {
            0 => format!("f {a} {b} {c}\n"),
            1 => format!("f {a}/1 {b}/2 {c}/3\r\n"),
            2 => format!("f {a}//1 {b}//2 \\\n {c}//3\n"),
            _ => format!("f {} {} {}\n", a - count - 1, b - count - 1, c - count - 1),
        };
    }
    text.into_bytes()
}

fn stl_text(mesh: &Triangles) -> Vec<u8> {
    let mut text = "solid thing\n".to_string();
    for face in 0..mesh.faces.len() {
        text += "facet normal 0 0 0\n outer loop\n";
        mesh.corners(face).iter().for_each(|v| text += &format!("  vertex {:e} {} {}\n", v.x, v.y, v.z));
        text += " endloop\nendfacet\n";
    }
    (text + "endsolid thing\n").into_bytes()
}

fn stl(mesh: &Triangles) -> Vec<u8> {
    // It begins as a text would, and is none.
    let mut bytes = [b"solid but not text ".as_slice(), &[b' '; 61]].concat();
    bytes.extend((mesh.faces.len() as u32).to_le_bytes());
    for face in 0..mesh.faces.len() {
        bytes.extend([0; 12]);
        let numbers = mesh.corners(face).into_iter().flat_map(|corner| corner.to_array());
        numbers.for_each(|x| bytes.extend((x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn ply_text(mesh: &Triangles) -> Vec<u8> {
    let mut text = format!(
        "ply\nformat ascii 1.0\ncomment hand-made\nelement vertex {}\nproperty float x\nproperty uchar red\n\
         property float y\nproperty float z\nelement face {}\nproperty list uchar int vertex_index\nend_header\n",
        mesh.vertices.len(),
        mesh.faces.len()
    );
    mesh.vertices.iter().for_each(|v| text += &format!("{} 255 {} {}\n", v.x, v.y, v.z));
    mesh.faces.iter().for_each(|[a, b, c]| text += &format!("3 {a} {b} {c}\n"));
    text.into_bytes()
}

fn ply_big_endian(mesh: &Triangles) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat binary_big_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {}\nproperty list uchar ushort vertex_indices\nproperty short flags\nend_header\n",
        mesh.vertices.len(),
        mesh.faces.len()
    )
    .into_bytes();
    mesh.vertices.iter().flat_map(|v| v.to_array()).for_each(|x| bytes.extend((x as f32).to_be_bytes()));
    for face in &mesh.faces {
        bytes.push(3);
        face.iter().for_each(|&vertex| bytes.extend((vertex as u16).to_be_bytes()));
        bytes.extend((-1i16).to_be_bytes());
    }
    bytes
}

/// Document and numbers. The mesh hangs, half as large, on a node that doubles it.
fn gltf_parts(mesh: &Triangles) -> (String, Vec<u8>) {
    let mut numbers = Vec::new();
    mesh.vertices.iter().flat_map(|v| (0.5 * *v).to_array()).for_each(|x| numbers.extend((x as f32).to_le_bytes()));
    let places = numbers.len();
    mesh.faces.iter().flatten().for_each(|&vertex| numbers.extend((vertex as u16).to_le_bytes()));
    let (vertices, indices, length) = (mesh.vertices.len(), 3 * mesh.faces.len(), numbers.len());
    let document = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[1]}}],
        "nodes":[{{"mesh":0}},{{"scale":[2,2,2],"children":[0]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{vertices},"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":{indices},"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{places}}},
        {{"buffer":0,"byteOffset":{places},"byteLength":{}}}],"buffers":[{{BUFFER"byteLength":{length}}}]}}"#,
        length - places
    );
    (document, numbers)
}

fn glb(mesh: &Triangles) -> Vec<u8> {
    let (document, numbers) = gltf_parts(mesh);
    let mut json = document.replace("BUFFER", "").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend(((28 + json.len() + numbers.len()) as u32).to_le_bytes());
    for (kind, contents) in [(b"JSON", json), (b"BIN\0", numbers)] {
        bytes.extend((contents.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(contents);
    }
    bytes
}

fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().enumerate().fold(0u32, |bits, (k, &byte)| bits | u32::from(byte) << (16 - 8 * k));
        (0..=three.len()).for_each(|k| text.push(letters[(bits >> (18 - 6 * k) & 63) as usize] as char));
        (three.len()..3).for_each(|_| text.push('='));
    }
    text
}

fn gltf(mesh: &Triangles) -> Vec<u8> {
    let (document, numbers) = gltf_parts(mesh);
    let address = format!(r#""uri":"data:application/octet-stream;base64,{}","#, base64(&numbers));
    document.replace("BUFFER", &address).into_bytes()
}

fn all(mesh: &Triangles) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("obj", obj(mesh)),
        ("stl", stl_text(mesh)),
        ("stl", stl(mesh)),
        ("ply", ply_text(mesh)),
        ("ply", to_ply(mesh)),
        ("ply", ply_big_endian(mesh)),
        ("glb", glb(mesh)),
        ("gltf", gltf(mesh)),
    ]
}

#[test]
fn every_format_gives_the_same_mesh() {
    let mesh = cube().checked().unwrap();
    for (ending, bytes) in all(&mesh) {
        assert_eq!(read_as(ending, &bytes).unwrap(), mesh, "{ending}");
        assert_eq!(read_as(&ending.to_uppercase(), &bytes).unwrap(), mesh);
    }
}

#[test]
fn a_document_finds_its_numbers_beside_it() {
    let mesh = cube().checked().unwrap();
    let (document, numbers) = gltf_parts(&mesh);
    let document = document.replace("BUFFER", r#""uri":"my%20cube.bin","#);
    let beside = |name: &str| if name == "my cube.bin" { Ok(numbers.clone()) } else { Err("no".into()) };
    assert_eq!(read(Path::new("a.gltf"), document.as_bytes(), &beside).unwrap(), mesh);
    let cause = read_as("gltf", document.as_bytes()).unwrap_err();
    assert_eq!(cause, "buffer 0: there is no my cube.bin");
}

#[test]
fn a_copy_is_the_same_to_the_last_bit() {
    let mesh = cube().moved(|v| v * 0.1 + DVec3::new(0.3, 1.0 / 3.0, 1e-9)).checked().unwrap();
    assert_eq!(read_as("ply", &to_ply(&mesh)).unwrap(), mesh);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let cases: [(&str, &[u8], &str); 16] = [
        ("obj", b"", "it is empty"),
        ("obj", b"v 0 0 0\n", "it has no triangles"),
        ("obj", b"v 0 0 0\nv 1 0 x\n", "line 2: `x` is no number"),
        ("obj", b"v 0 0\n", "line 1: a vertex needs three numbers"),
        ("obj", b"v 0 0 0\nf 1 2 3\n", "line 2: a face has vertex 2, but there are 1"),
        ("obj", b"v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face needs three vertices, but has 2"),
        ("stl", b"facet", "it is too short for STL"),
        ("stl", b"solid\nfacet\nvertex 0 0 0\n", "it ends within a facet: it is cut short"),
        ("ply", b"solid\n", "line 1: a PLY file begins with `ply`"),
        ("ply", b"ply\nformat ascii 1.0\n", "the header has no end: it is cut short or no PLY file"),
        (
            "ply",
            b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n",
            "its vertices have no x, y and z",
        ),
        ("glb", b"glTF", "byte 5: the file ends within a chunk: it is cut short"),
        ("gltf", b"{}", "it is no glTF of version 2"),
        ("gltf", b"{\n\"asset\" 1}", "line 2: this is no JSON: expected `:` at line 2 column 9"),
        ("fbx", b"Kaydara", "its name ends in none of .obj, .stl, .ply, .gltf, .glb, .png"),
        ("ply", b"ply\nformat ascii 1.0\nelement dust 999999999999\nend_header\n", "it has no triangles"),
    ];
    for (ending, bytes, cause) in cases {
        assert_eq!(read_as(ending, bytes).unwrap_err(), cause);
    }
    let mesh = cube();
    let short = |bytes: Vec<u8>| bytes[..bytes.len() - 7].to_vec();
    let cause = read_as("stl", &short(stl(&mesh))).unwrap_err();
    // It begins as a text, and its size fits no count.
    assert_eq!(cause, "it has no triangles");
    let cause = read_as("ply", &short(to_ply(&mesh))).unwrap_err();
    assert!(cause.ends_with("face 12: the file ends here: it is cut short"), "{cause}");
    let cause = read_as("glb", &short(glb(&mesh))).unwrap_err();
    assert!(cause.ends_with("the file ends within a chunk: it is cut short"), "{cause}");
    let mut binary = stl(&mesh);
    binary[0] = b'x';
    let cause = read_as("stl", &short(binary)).unwrap_err();
    assert_eq!(cause, "it should have 12 triangles, but ends after 11; it is cut short or no STL file");
    let infinite = Triangles { vertices: vec![DVec3::X * f64::INFINITY, DVec3::X, DVec3::Y], faces: vec![[0, 1, 2]] };
    assert!(read_as("ply", &to_ply(&infinite)).unwrap_err().starts_with("vertex 1 is at [inf, NaN, NaN]"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_never_panic_and_never_grow(
        which in 0..8_usize,
        length in any::<prop::sample::Index>(),
        cut in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (ending, mut bytes) = all(&cube()).swap_remove(which);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if cut {
            bytes.truncate(length.index(bytes.len()));
        }
        if let Ok(mesh) = read_as(ending, &bytes) {
            prop_assert!(mesh.faces.len() <= bytes.len() && mesh.vertices.len() <= bytes.len());
        }
    }
}
