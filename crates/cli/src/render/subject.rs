//! What is shown: particles as spheres, or the surface around them.

use std::path::{Path, PathBuf};

use thixo_render::{Clear, Colour, Discs, Finish, Mesh, Picture, Quality, Vec3};
use thixo_scene::Style;

use super::ply::Ply;
use crate::console::typed;

/// The colour of surfaces that are not coloured by a quantity.
const PLAIN: Colour = Colour::new(0.10, 0.29, 0.56);
/// The colour of jelly.
const JELLY: Colour = Colour::new(0.62, 0.16, 0.05);
/// Light takes many ways through clear things: their pixels need more samples.
const CLEAR: Quality = Quality { least: 4, most: 32 };

/// Where the surface of a frame lies.
pub(super) fn surface_path(run: &Path, number: u64) -> PathBuf {
    run.join("surface").join(format!("{number:06}.ply"))
}

/// Reads the surface of a frame. The error says how to get it.
pub(super) fn read_surface(run: &Path, number: u64) -> Result<Ply, String> {
    let path = surface_path(run, number);
    if path.is_file() {
        Ply::read(&path)
    } else {
        Err(format!("{} is missing; make it with: thixo surface {}", path.display(), typed(run)))
    }
}

/// Adds a surface to a picture in which things are `size` large, in the given colours or a plain one.
pub(super) fn add_surface(picture: &mut Picture, ply: &Ply, style: Style, colours: Option<&[Colour]>, size: f32) {
    let finish = match style {
        Style::Particles | Style::Matte | Style::Points => Finish::Matte,
        Style::Water => Finish::Clear(Clear::water(size)),
        Style::Glass => Finish::Clear(Clear::glass(size)),
        Style::Jelly => Finish::Clear(Clear::jelly(JELLY, size)),
    };
    if finish != Finish::Matte {
        picture.quality = CLEAR;
    }
    let plain = if style == Style::Jelly { [JELLY] } else { [PLAIN] };
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
    let bounds = thixo_render::Bounds::around(finite);
    let sides = if bounds.is_empty() { Vec3::ZERO } else { bounds.high - bounds.low };
    let area = 2.0 * (sides.x * sides.y + sides.y * sides.z + sides.z * sides.x);
    1.5 * (area / ply.positions.len().max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert!(read_surface(Path::new("no run"), 3).unwrap_err().ends_with("thixo surface 'no run'"));
    }
}
