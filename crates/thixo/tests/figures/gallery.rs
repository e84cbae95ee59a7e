//! Pictures with several things side by side.

use std::fs::File;
use std::path::PathBuf;

use thixo::render::{Camera, Colour, Discs, Finish, Ground, Light, Mesh, Picture, Quality, Size, Spheres};

use crate::Vec3;

pub(crate) const BLUE: Colour = Colour::new(0.10, 0.29, 0.56);
pub(crate) const RED: Colour = Colour::new(0.62, 0.06, 0.04);
pub(crate) const YELLOW: Colour = Colour::new(0.85, 0.62, 0.06);
pub(crate) const BLACK: Colour = Colour::new(0.02, 0.02, 0.02);

const FINE: Quality = Quality { least: 16, most: 96, good: 0.003 };
const SKETCH: Quality = Quality { least: 1, most: 4, good: 0.02 };

/// A picture of things in a row.
pub(crate) struct Row {
    picture: Picture,
    /// From one thing to the next [m].
    stride: Vec3,
    direction: Vec3,
}

impl Row {
    /// Things so far from each other [m], seen along a direction.
    pub(crate) fn new(stride: f32, direction: Vec3) -> Row {
        let stride = stride * direction.cross(Vec3::Y).normalize();
        Row { picture: Picture::new(Light::studio(direction, Vec3::Y)), stride, direction }
    }

    fn moved(&self, places: &[Vec3], column: f32) -> Vec<Vec3> {
        places.iter().map(|place| *place + column * self.stride).collect()
    }

    pub(crate) fn spheres(&mut self, column: f32, places: &[Vec3], radius: f32, colours: &[Colour]) {
        self.picture.add(Spheres::new(&self.moved(places, column), radius, colours), Finish::Matte);
    }

    pub(crate) fn discs(&mut self, column: f32, [places, normals]: [&[Vec3]; 2], radius: f32, colours: &[Colour]) {
        self.picture.add(Discs::new(&self.moved(places, column), normals, radius, colours), Finish::Matte);
    }

    pub(crate) fn mesh(&mut self, column: f32, mesh: &thixo::surface::Mesh) {
        let places = self.moved(&mesh.position, column);
        self.picture.add(Mesh::new(&places, &mesh.normal, &mesh.triangles, &[BLUE]), Finish::Matte);
    }

    /// Draws what is there, on the floor or nowhere, and writes it down.
    pub(crate) fn draw(mut self, name: &str, [width, height]: [u32; 2], has_floor: bool) {
        let book = std::env::var_os("FIGURES").map(PathBuf::from);
        let shrink = if book.is_some() { 1 } else { 8 };
        let size = Size { width: width / shrink, height: height / shrink };
        self.picture.quality = if book.is_some() { FINE } else { SKETCH };
        let bounds = self.picture.bounds();
        if has_floor {
            let (point, colour) = (bounds.low, Colour::splat(0.56));
            self.picture.ground = Some(Ground { point, normal: Vec3::Y, colour, is_endless: false });
        }
        let camera = Camera::framing(&bounds, self.direction, Vec3::Y, 24.0, size.aspect());
        let image = self.picture.draw(&camera, size).unwrap();
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = book.map_or(PathBuf::from(env!("CARGO_TARGET_TMPDIR")), |book| root.join(book));
        image.write_png(File::create(folder.join(name)).unwrap(), "").unwrap();
    }
}
