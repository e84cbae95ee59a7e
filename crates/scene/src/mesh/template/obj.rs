//! OBJ: lines stay, but for `v`, `vn`, and the normals that faces name.
//!
//! A normal may belong to many vertices, which turn differently: so each vertex gets its own, in front of the first face
//! that needs it.

use std::collections::HashMap;
use std::fmt::Write;

use glam::DVec3;

use super::Moved;
use crate::mesh::format::{Words, obj_index, obj_lines};

pub(super) fn write(bytes: &[u8], moved: &Moved<'_>) -> Vec<u8> {
    let mut normals = Normals::default();
    let (mut out, mut vertices) = (Vec::with_capacity(bytes.len()), 0);
    for (_, line) in obj_lines(bytes) {
        let text = String::from_utf8_lossy(&line);
        let mut words = Words::of(&text);
        match words.next() {
            Some("v") => {
                let place = moved.positions.get(vertices).copied().unwrap_or_default();
                vertices += 1;
                let rest: Vec<_> = words.skip(3).collect();
                let blank = if rest.is_empty() { "" } else { " " };
                out.extend(format!("v {}{blank}{}", numbers(place), rest.join(" ")).bytes());
            }
            Some("vn") => {
                normals.given.push(words.numbers().map_or(DVec3::ZERO, DVec3::from_array));
                continue;
            }
            Some("f") => out.extend(normals.face(words, vertices, moved).bytes()),
            _ => out.extend(line.iter()),
        }
        out.push(b'\n');
    }
    // The file may have ended without a line break, or with one.
    if bytes.last() == Some(&b'\n') && out.ends_with(b"\n\n") {
        out.pop();
    }
    out
}

fn numbers(vector: DVec3) -> String {
    let [x, y, z] = vector.to_array().map(|coordinate| coordinate as f32 + 0.0);
    format!("{x} {y} {z}")
}

#[derive(Default)]
struct Normals {
    /// Those of the file, so far.
    given: Vec<DVec3>,
    /// The number of that of a vertex which had a given one.
    known: HashMap<(usize, usize), usize>,
}

impl Normals {
    /// A face that names the normals of its vertices, behind those which are new.
    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>, vertices: usize, moved: &Moved<'_>) -> String {
        let (mut fresh, mut face) = (String::new(), String::from("f"));
        for word in words {
            let mut parts = word.split('/');
            let (vertex, texture, normal) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
            let named = normal.and_then(|normal| obj_index(normal, self.given.len()));
            let (Some(normal), Some(index)) = (named, obj_index(vertex, vertices)) else {
                // Without a normal, or one that does not exist.
                let kept =
                    if normal.is_some() { format!("{vertex}/{}", texture.unwrap_or_default()) } else { word.into() };
                face += &format!(" {}", kept.trim_end_matches('/'));
                continue;
            };
            let next = self.known.len() + 1;
            let number = *self.known.entry((index, normal)).or_insert_with(|| {
                // A text can always be written to.
                let _ = writeln!(fresh, "vn {}", numbers((moved.normal)(index, self.given[normal])));
                next
            });
            face += &format!(" {vertex}/{}/{number}", texture.unwrap_or_default());
        }
        fresh + &face
    }
}
