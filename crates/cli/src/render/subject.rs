//! What is shown: particles as spheres, or the surface around them.

use std::path::PathBuf;

use thixo_render::{Bounds, Clear, Colour, Discs, Field, Finish, Level, Mesh, Picture, Stride, Vec3};
use thixo_scene::Style;
use thixo_surface::{self as surface, CentreOfMass, CentreOfMassField};

use super::ply::Ply;
use crate::console::typed;
use crate::run::folder::Folder;

/// The colour of surfaces that are not coloured by a quantity.
const PLAIN: Colour = Colour::new(0.10, 0.29, 0.56);
/// The colour of jelly.
const JELLY: Colour = Colour::new(0.62, 0.16, 0.05);

/// Where the surface of a frame lies, or its refined points if they are asked for and there.
pub(super) fn surface_path(run: &Folder, number: u64, style: Style) -> PathBuf {
    let name = format!("{number:06}.ply");
    let points = Some(run.points().join(&name)).filter(|path| style == Style::Points && path.is_file());
    points.unwrap_or_else(|| run.surface().join(&name))
}

/// Reads the surface of a frame, or its refined points. The error says how to get it.
pub(super) fn read_surface(run: &Folder, number: u64, style: Style) -> Result<Ply, String> {
    let path = surface_path(run, number, style);
    if path.is_file() {
        Ply::read(&path)
    } else {
        Err(format!("{} is missing; make it with: thixo surface {}", path.display(), typed(run.root())))
    }
}

/// How surfaces of a style look in a picture in which things are `size` large, and their plain colour.
fn finish_and_colour(style: Style, size: f32) -> (Finish, Colour) {
    match style {
        Style::Particles | Style::Matte | Style::Points => (Finish::Matte, PLAIN),
        Style::Water => (Finish::Clear(Clear::water(size)), PLAIN),
        Style::Glass => (Finish::Clear(Clear::glass(size)), PLAIN),
        Style::Jelly => (Finish::Clear(Clear::jelly(JELLY, size)), JELLY),
    }
}

/// Adds the surface of particles that are `spacing` apart at rest, traced directly (Sol09 6.3).
pub(super) fn add_direct(
    picture: &mut Picture,
    positions: &[Vec3],
    spacing: f32,
    style: Style,
    size: f32,
) -> Result<(), String> {
    let finite: Vec<Vec3> = positions.iter().copied().filter(|place| place.is_finite()).collect();
    let field = CentreOfMass::default().field(&finite, spacing).map_err(|error| error.to_string())?;
    let (finish, colour) = finish_and_colour(style, size);
    picture.add(Level::new(Direct { field, colour }, Stride::Even(STRIDE * spacing)), finish);
    Ok(())
}

/// Strides through the field, in spacings: no drop is thinner.
const STRIDE: f32 = 0.25;

/// The distance to the centre of mass, as rays want it: negative inside.
struct Direct {
    field: CentreOfMassField,
    colour: Colour,
}

impl Field for Direct {
    fn value(&self, point: Vec3) -> f32 {
        -surface::Field::value(&self.field, point)
    }

    fn bounds(&self) -> Bounds {
        surface::Field::bounds(&self.field).map_or(Bounds::EMPTY, |bounds| Bounds { low: bounds.min, high: bounds.max })
    }

    fn colour(&self, _: Vec3) -> Colour {
        self.colour
    }

    fn boxes(&self) -> Vec<Bounds> {
        let samples = surface::Field::samples(&self.field);
        samples.boxes().map(|cell| Bounds { low: cell.min, high: cell.max }.grown(samples.reach())).collect()
    }
}

/// Adds a surface to a picture in which things are `size` large, in the given colours or a plain one.
pub(super) fn add_surface(picture: &mut Picture, ply: &Ply, style: Style, colours: Option<&[Colour]>, size: f32) {
    let (finish, plain) = finish_and_colour(style, size);
    let plain = [plain];
    let colours = colours.unwrap_or(&plain);
    if ply.triangles.is_empty() || style == Style::Points {
        picture.add(Discs::new(&ply.positions, &ply.normals, splat_radius(ply), colours), finish);
    } else {
        picture.add(Mesh::new(&ply.positions, &ply.normals, &ply.triangles, colours), finish);
    }
}

/// Discs that overlap: of a mesh, as large as its longest edges; of points alone, by how many share the surface of
/// their box.
fn splat_radius(ply: &Ply) -> f32 {
    let edge = |&[a, b, _]: &[u32; 3]| {
        let at = |k: u32| ply.positions.get(k as usize).copied();
        at(a).zip(at(b)).map_or(0.0, |(a, b)| (a - b).length())
    };
    if !ply.triangles.is_empty() {
        return 0.75 * ply.triangles.iter().map(edge).fold(0.0, f32::max);
    }
    let finite = ply.positions.iter().copied().filter(|place| place.is_finite());
    let bounds = Bounds::around(finite);
    let sides = if bounds.is_empty() { Vec3::ZERO } else { bounds.high - bounds.low };
    let area = 2.0 * (sides.x * sides.y + sides.y * sides.z + sides.z * sides.x);
    1.5 * (area / ply.positions.len().max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use thixo_render::Light;

    #[test]
    fn every_style_draws_a_triangle_and_points() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let mut ply = Ply { normals: vec![Vec3::Z; 3], positions, triangles: vec![[0, 1, 2]], ..Ply::default() };
        for triangles in [vec![[0, 1, 2]], vec![]] {
            ply.triangles = triangles;
            for style in [Style::Water, Style::Glass, Style::Jelly, Style::Matte, Style::Points] {
                let mut picture = Picture::new(Light::studio(-Vec3::Z, Vec3::Y));
                add_surface(&mut picture, &ply, style, None, 1.0);
                assert!(!picture.bounds().is_empty() && picture.bounds().diagonal() < 9.0, "{style:?}");
            }
        }
        assert!(
            read_surface(&Folder::new(Path::new("no run")), 3, Style::Points)
                .unwrap_err()
                .ends_with("thixo surface 'no run'")
        );
    }
}
