//! PLY, the format of scanners: a header that describes rows, then the rows, as text or in bytes.

use std::ops::Range;

use glam::DVec3;

use super::Fault;
use super::text::shortened;
use crate::mesh::triangles::Triangles;

/// How the numbers of the rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a number: its size in bytes, and whether it has a sign or a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

/// A column of an element.
#[derive(Clone, Debug)]
struct Property {
    name: String,
    number: Number,
    /// The type of the count in front of a list; none if there is one number.
    list: Option<Number>,
}

/// A table.
#[derive(Clone, Debug)]
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

/// A number of a vertex, where it stands in the file.
#[derive(Clone, Debug)]
pub(in crate::mesh) struct PlySite {
    pub(in crate::mesh) vertex: u32,
    /// x, y, z, or those of the normal.
    pub(in crate::mesh) column: usize,
    pub(in crate::mesh) span: Range<usize>,
    number: Number,
    encoding: Encoding,
}

impl PlySite {
    /// Can it hold any number?
    pub(in crate::mesh) fn is_fraction(&self) -> bool {
        matches!(self.number, Number::Float(_))
    }

    /// The bytes of another number in its place.
    pub(in crate::mesh) fn write(&self, value: f64, out: &mut Vec<u8>) {
        let start = out.len();
        match (self.encoding, self.number) {
            (Encoding::Text, _) => out.extend((value as f32 + 0.0).to_string().bytes()),
            (_, Number::Float(8)) => out.extend((value + 0.0).to_le_bytes()),
            _ => out.extend((value as f32 + 0.0).to_le_bytes()),
        }
        if self.encoding == Encoding::BigEndian {
            out[start..].reverse();
        }
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Triangles, Fault> {
    walk(bytes, |_, _| {})
}

/// Reads a file, and tells of every number of the place or normal of a vertex.
pub(in crate::mesh) fn walk(bytes: &[u8], mut tell: impl FnMut(PlySite, f64)) -> Result<Triangles, Fault> {
    let (encoding, elements, body) = header(bytes)?;
    let mut rows = Rows { bytes, at: body, encoding };
    let mut mesh = Triangles::default();
    let mut values = Vec::new();
    for element in &elements {
        let of = |name: &str| element.properties.iter().position(|property| property.name == name);
        let place = (element.name == "vertex").then(|| ["x", "y", "z"].map(of));
        let normal = (element.name == "vertex").then(|| ["nx", "ny", "nz"].map(of));
        let normal = normal.filter(|normal| !normal.contains(&None));
        let corners = (element.name == "face").then(|| of("vertex_indices").or(of("vertex_index")));
        if place.is_some_and(|place| place.contains(&None)) {
            return Err(Fault::whole("its vertices have no x, y and z"));
        }
        for row in 0..element.count {
            let at = |fault: Fault| Fault { cause: format!("{} {}: {}", element.name, row + 1, fault.cause), ..fault };
            let mut numbers = [0.0; 3];
            for (column, property) in element.properties.iter().enumerate() {
                let before = rows.at;
                rows.read(property, &mut values).map_err(at)?;
                let axis_of = |axes: Option<[Option<usize>; 3]>| axes?.iter().position(|&axis| axis == Some(column));
                let value = values.first().copied().unwrap_or(f64::NAN);
                let axis = axis_of(place);
                if let Some(axis) = axis {
                    numbers[axis] = value;
                }
                let told = axis.or(axis_of(normal).map(|axis| 3 + axis)).filter(|_| property.list.is_none());
                if let Some(column) = told {
                    let span = rows.behind_blanks(before)..rows.at;
                    let vertex = mesh.vertices.len() as u32;
                    tell(PlySite { vertex, column, span, number: property.number, encoding }, value);
                }
                if corners == Some(Some(column)) {
                    let corners: Vec<u32> = values.iter().map(|&value| index(value)).collect();
                    mesh.add_polygon(&corners).map_err(Fault::whole)?;
                }
            }
            if place.is_some() {
                mesh.vertices.push(DVec3::from_array(numbers));
            }
        }
    }
    Ok(mesh)
}

/// A vertex number; what is none is beyond every vertex.
fn index(value: f64) -> u32 {
    if value >= 0.0 && value < f64::from(u32::MAX) { value as u32 } else { u32::MAX }
}

/// Encoding, elements, and where the rows begin.
fn header(bytes: &[u8]) -> Result<(Encoding, Vec<Element>, usize), Fault> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut start = 0;
    for (k, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let at = |cause: String| Fault::line(k + 1, cause);
        let end = start + line.len();
        let line = String::from_utf8_lossy(line);
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["ply"] if k == 0 => {}
            _ if k == 0 => return Err(at("a PLY file begins with `ply`".into())),
            ["format", name, ..] => encoding = Some(encoding_of(name).map_err(at)?),
            ["element", name, count] => {
                let count = count.parse().map_err(|_| at(format!("`{}` is no number of rows", shortened(count))))?;
                elements.push(Element { name: (*name).into(), count, properties: Vec::new() });
            }
            ["property", rest @ ..] => {
                let element = elements.last_mut().ok_or_else(|| at("a property of no element".into()))?;
                element.properties.push(property(rest).map_err(at)?);
            }
            ["end_header"] => {
                let encoding = encoding.ok_or_else(|| at("the header names no format".into()))?;
                // Rows without columns take no room, so there could be any number of them.
                elements.retain(|element| !element.properties.is_empty());
                return Ok((encoding, elements, end));
            }
            _ => {}
        }
        start = end;
    }
    Err(Fault::whole("the header has no end: it is cut short or no PLY file"))
}

fn encoding_of(name: &str) -> Result<Encoding, String> {
    match name {
        "ascii" => Ok(Encoding::Text),
        "binary_little_endian" => Ok(Encoding::LittleEndian),
        "binary_big_endian" => Ok(Encoding::BigEndian),
        _ => Err(format!("`{}` is no format of PLY", shortened(name))),
    }
}

fn property(words: &[&str]) -> Result<Property, String> {
    let (list, number, name) = match words {
        ["list", count, number, name] => (Some(*count), number, name),
        [number, name] => (None, number, name),
        _ => return Err("a property needs a type and a name".into()),
    };
    Ok(Property { name: (*name).into(), number: number_of(number)?, list: list.map(number_of).transpose()? })
}

fn number_of(name: &str) -> Result<Number, String> {
    Ok(match name {
        "char" | "int8" => Number::Signed(1),
        "uchar" | "uint8" => Number::Unsigned(1),
        "short" | "int16" => Number::Signed(2),
        "ushort" | "uint16" => Number::Unsigned(2),
        "int" | "int32" => Number::Signed(4),
        "uint" | "uint32" => Number::Unsigned(4),
        "float" | "float32" => Number::Float(4),
        "double" | "float64" => Number::Float(8),
        _ => return Err(format!("`{}` is no type of PLY", shortened(name))),
    })
}

/// What follows the header.
struct Rows<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl Rows<'_> {
    /// Reads the numbers of one property of one row.
    fn read(&mut self, property: &Property, values: &mut Vec<f64>) -> Result<(), Fault> {
        values.clear();
        let count = match property.list {
            None => 1,
            Some(list) => match self.number(list)? {
                // Every number takes at least a byte.
                count if count >= 0.0 && count <= (self.bytes.len() - self.at) as f64 => count as usize,
                count => return Err(Fault::byte(self.at, format!("a list of {count} numbers does not fit the file"))),
            },
        };
        for _ in 0..count {
            values.push(self.number(property.number)?);
        }
        Ok(())
    }

    fn number(&mut self, number: Number) -> Result<f64, Fault> {
        if self.encoding == Encoding::Text {
            return self.word();
        }
        let (Number::Signed(size) | Number::Unsigned(size) | Number::Float(size)) = number;
        let Some(bytes) = self.bytes.get(self.at..self.at + size) else { return Err(self.too_short()) };
        self.at += size;
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(bytes);
        if self.encoding == Encoding::BigEndian {
            wide[..size].reverse();
        }
        let bits = u64::from_le_bytes(wide);
        let unused = 64 - 8 * size as u32;
        Ok(match number {
            Number::Signed(_) => ((bits << unused) as i64 >> unused) as f64,
            Number::Unsigned(_) => bits as f64,
            Number::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Number::Float(_) => f64::from_bits(bits),
        })
    }

    /// Where a number begins that was read from there on.
    fn behind_blanks(&self, at: usize) -> usize {
        let blank = |byte: &&u8| self.encoding == Encoding::Text && byte.is_ascii_whitespace();
        at + self.bytes[at..self.at].iter().take_while(blank).count()
    }

    fn word(&mut self) -> Result<f64, Fault> {
        let rest = &self.bytes[self.at..];
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let length = rest[blank..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        if length == 0 {
            return Err(self.too_short());
        }
        let start = self.at + blank;
        self.at = start + length;
        let word = String::from_utf8_lossy(&self.bytes[start..self.at]);
        word.parse().map_err(|_| Fault::byte(start, format!("`{}` is no number", shortened(&word))))
    }

    fn too_short(&self) -> Fault {
        Fault::byte(self.bytes.len(), "the file ends here: it is cut short")
    }
}

/// The mesh as a PLY file, to the last bit.
pub(crate) fn to_ply(mesh: &Triangles) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertices.len(),
        mesh.faces.len()
    )
    .into_bytes();
    bytes.reserve(24 * mesh.vertices.len() + 13 * mesh.faces.len());
    mesh.vertices.iter().flat_map(|vertex| vertex.to_array()).for_each(|x| bytes.extend(x.to_le_bytes()));
    for face in &mesh.faces {
        bytes.push(3);
        face.iter().for_each(|vertex| bytes.extend(vertex.to_le_bytes()));
    }
    bytes
}
