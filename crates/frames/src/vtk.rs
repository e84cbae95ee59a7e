//! VTK XML polygonal data, `.vtp`: a vertex per particle, every column as point data.
//!
//! The format is that of the VTK file formats guide (<https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html>):
//! XML that says where each array lies in the raw bytes after it. Points are the column `position`; the unit of a
//! column is its `UNITS_LABEL`; the time is the field `TimeValue`, which ParaView shows.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use thixo_sim::{ColumnInfo, Particles, Values};

use crate::frame::{Contents, FrameError, FrameInfo};
use crate::layout::{Layout, Number, write_rows};
use crate::rigid::{self, RigidState};
use crate::whole;

/// Writes the first `movable` particles as a frame in VTK's format for polygonal data.
pub fn write_vtk(path: &Path, info: FrameInfo, particles: &Particles, movable: usize) -> Result<(), FrameError> {
    let contents = Contents::new(path, info, particles, movable)?;
    Ok(whole::write(path, |out| write(out, &contents))?)
}

pub(crate) fn write(out: &mut dyn Write, contents: &Contents<'_>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let points = contents.columns.iter().filter(|(column, _)| column.name == POINTS);
    let point_data = contents.columns.iter().filter(|(column, _)| column.name != POINTS);
    let arrays: Vec<Array<'_>> = points
        .map(|(column, values)| Array::Column(column, *values))
        .chain([Array::Connectivity, Array::Offsets])
        .chain(point_data.map(|(column, values)| Array::Column(column, *values)))
        .collect();

    write_description(&mut out, contents, &arrays)?;
    // The underscore is where offsets count from.
    write!(out, "<AppendedData encoding=\"raw\">\n_")?;
    for array in &arrays {
        out.write_all(&array.size(contents.rows.len()).to_le_bytes())?;
        array.write(&mut out, &contents.rows)?;
    }
    write!(out, "\n</AppendedData>\n</VTKFile>\n")?;
    out.flush()
}

/// The column that says where the points are.
const POINTS: &str = "position";

fn write_description(out: &mut impl Write, contents: &Contents<'_>, arrays: &[Array<'_>]) -> io::Result<()> {
    let count = contents.rows.len();
    let mut offset = 0;
    let mut elements = arrays.iter().map(|array| {
        let element = array.element(offset);
        offset += size_of::<u64>() as u64 + array.size(count);
        element
    });
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(
        out,
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>"
    )?;
    writeln!(
        out,
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:e}</DataArray>",
        contents.info.time
    )?;
    write_rigid_bodies(out, contents.rigid)?;
    writeln!(out, "</FieldData>")?;
    writeln!(
        out,
        "<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">"
    )?;
    for (parent, children) in [("Points", 1), ("Verts", 2), ("PointData", usize::MAX)] {
        writeln!(out, "<{parent}>")?;
        elements.by_ref().take(children).try_for_each(|element| writeln!(out, "{element}"))?;
        writeln!(out, "</{parent}>")?;
    }
    writeln!(out, "</Piece>\n</PolyData>")
}

/// A field of each column of rigid bodies, if there are any.
fn write_rigid_bodies(out: &mut impl Write, rigid: &[RigidState]) -> io::Result<()> {
    for column in rigid::COLUMNS.iter().filter(|_| !rigid.is_empty()) {
        let Layout { number, components } = column.layout;
        writeln!(
            out,
            "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{components}\" NumberOfTuples=\"{}\" \
             format=\"ascii\">{}</DataArray>",
            vtk_name(number),
            column.name,
            rigid.len(),
            column.text(rigid)
        )?;
    }
    Ok(())
}

/// An array of the file.
enum Array<'a> {
    Column(&'a ColumnInfo<'a>, Values<'a>),
    /// The point of each vertex: its own number.
    Connectivity,
    /// Where each vertex ends in the connectivity: after itself.
    Offsets,
}

impl Array<'_> {
    /// Its XML element; its bytes begin at `offset`.
    fn element(&self, offset: u64) -> String {
        let array = |number: &str, name: &str, components: u32, inside: &str| {
            format!(
                "<DataArray type=\"{number}\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
                 format=\"appended\" offset=\"{offset}\">{inside}</DataArray>"
            )
        };
        match self {
            Array::Connectivity => array("Int64", "connectivity", 1, ""),
            Array::Offsets => array("Int64", "offsets", 1, ""),
            Array::Column(column, values) => {
                let Layout { number, components } = Layout::of(values);
                let unit = format!(
                    "<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}</InformationKey>",
                    column.unit
                );
                array(vtk_name(number), column.name, components, &unit)
            }
        }
    }

    /// Its bytes for so many rows.
    fn size(&self, rows: usize) -> u64 {
        let row_size = match self {
            Array::Column(_, values) => Layout::of(values).row_size(),
            Array::Connectivity | Array::Offsets => size_of::<i64>(),
        };
        rows as u64 * row_size as u64
    }

    fn write(&self, out: &mut impl Write, rows: &[usize]) -> io::Result<()> {
        let count = rows.len() as u64;
        match self {
            Array::Column(_, values) => write_rows(out, *values, rows.iter().copied()),
            Array::Connectivity => (0..count).try_for_each(|vertex| out.write_all(&vertex.to_le_bytes())),
            Array::Offsets => (1..=count).try_for_each(|end| out.write_all(&end.to_le_bytes())),
        }
    }
}

fn vtk_name(number: Number) -> &'static str {
    match number {
        Number::U8 => "UInt8",
        Number::U32 => "UInt32",
        Number::F32 => "Float32",
        Number::F64 => "Float64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Disk, particles};

    const INFO: FrameInfo = FrameInfo { frame: 3, time: 0.06 };

    fn sample(particles: &Particles) -> Vec<u8> {
        let mut data = Vec::new();
        write(&mut data, &Contents::new(Path::new(""), INFO, particles, 4).unwrap()).unwrap();
        data
    }

    #[test]
    fn every_array_lies_where_its_element_says() {
        let particles = particles(6);
        let data = sample(&particles);
        let marker = b"<AppendedData encoding=\"raw\">\n_";
        let split = data.windows(marker.len()).position(|bytes| bytes == marker).unwrap();
        let (description, appended) = (std::str::from_utf8(&data[..split]).unwrap(), &data[split + marker.len()..]);
        let attribute = |line: &str, name: &str| {
            let value = line.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap();
            value.to_owned()
        };
        let mut end = 0;
        for line in description.lines().filter(|line| line.contains("appended")) {
            let offset: usize = attribute(line, "offset").parse().unwrap();
            assert_eq!(offset, end, "{line}");
            let number_size = if attribute(line, "type").ends_with("64") { 8 } else { 4 };
            let size = 4 * number_size * attribute(line, "NumberOfComponents").parse::<usize>().unwrap();
            assert_eq!(appended[offset..offset + 8], (size as u64).to_le_bytes(), "{line}");
            end = offset + 8 + size;
        }
        assert_eq!(&appended[end..], b"\n</AppendedData>\n</VTKFile>\n");
        assert!(description.contains(">6e-2</DataArray>"));
        assert!(!description.contains("to_surface"));
        let first = *Contents::new(Path::new(""), INFO, &particles, 4).unwrap().rows.first().unwrap();
        assert_eq!(appended[8..][..size_of::<thixo_sim::Real>()], particles.position[first].x.to_le_bytes());
    }

    #[test]
    fn full_disk_is_reported_wherever_it_strikes() {
        let particles = particles(6);
        let contents = Contents::new(Path::new(""), INFO, &particles, 4).unwrap();
        let size = sample(&particles).len();
        for room in 0..size {
            assert!(write(&mut Disk { file: Vec::new(), room }, &contents).is_err(), "{room} bytes");
        }
    }
}
