//! How all pictures of a run look, and the drawing of one.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;
use thixo_frames::{ColumnValues, Frame, read_native};
use thixo_render::{
    Bounds, Camera, Colour, ColourMap, Finish, Image, Legend, MISSING, MapName, Picture, Spheres, Vec3, kind_colour,
};
use thixo_scene::{Scene, Style};

use super::quantity::Quantity;
use super::request::Request;
use super::subject::{add_direct, add_surface, read_surface, surface_path};
use super::view::{Surroundings, bulk};
use crate::VERSION;
use crate::failure::Failure;
use crate::run::folder::Folder;
use crate::surface::checksum_of_frame;

/// Frames that are looked at to find out what there is to see.
const PROBED: usize = 24;

/// How all pictures of a run look.
pub(super) struct Look<'a> {
    scene: &'a Scene,
    request: &'a Request,
    run: &'a Folder,
    quantity: Quantity,
    map: MapName,
    range: [f64; 2],
    surroundings: Surroundings,
    camera: Camera,
    /// Pictures in one turn of the turntable.
    turn: usize,
}

/// What is written down of a look. Looks of equal requests are the same look, whose pictures are drawn anew if the rest has
/// changed.
#[derive(Serialize)]
struct Record<'a> {
    version: &'a str,
    /// The run, if the pictures do not lie in its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<PathBuf>,
    request: &'a Request,
    map: &'a str,
    range: [f64; 2],
    camera: String,
    surroundings: String,
    /// How surfaces were made, if they are shown.
    surface: Option<String>,
}

impl<'a> Look<'a> {
    /// Of the pictures of all frames of a run, of which some may be damaged.
    pub(super) fn new(
        request: &'a Request,
        scene: &'a Scene,
        run: &'a Folder,
        frames: &[(u64, PathBuf)],
    ) -> Result<Look<'a>, Failure> {
        let step = frames.len().div_ceil(PROBED).max(1);
        let probed = frames.par_iter().rev().step_by(step).filter_map(|(_, path)| read_native(path).ok());
        let probed: Vec<Frame> = probed.collect();
        let name = request.color.as_deref().unwrap_or_else(|| Quantity::suitable(scene));
        let quantity = match probed.first() {
            Some(frame) => Quantity::named(name, frame).map_err(Failure::BadInput)?,
            None => Quantity::Body,
        };
        let radius = 0.5 * scene.world.spacing as f32;
        let matter = probed.iter().map(|frame| bulk(&positions(frame), radius)).fold(Bounds::EMPTY, Bounds::union);
        let range = request
            .range
            .unwrap_or_else(|| suitable_range(probed.iter().flat_map(|frame| quantity.values(frame, scene)).collect()));
        let suitable = if range[0] < 0.0 && range[1] > 0.0 { MapName::Balance } else { MapName::Ocean };
        let surroundings = Surroundings::new(scene, matter);
        let (map, turn) = (request.map().unwrap_or(suitable), frames.len());
        let legend = legend(&quantity, scene, ColourMap::new(map), range);
        let share = if request.is_opaque() { legend.share(request.size()) } else { 0.0 };
        let camera = surroundings.camera(request.size().aspect(), share);
        Ok(Look { scene, request, run, quantity, map, range, surroundings, camera, turn })
    }

    /// Everything that decides how pictures look, as text. Those that lie elsewhere say of which run they are.
    pub(super) fn record(&self, is_elsewhere: bool) -> String {
        let root = || fs::canonicalize(self.run.root()).unwrap_or_else(|_| self.run.root().to_owned());
        let record = Record {
            version: VERSION,
            run: is_elsewhere.then(root),
            request: self.request,
            map: self.map.name(),
            range: self.range,
            camera: format!("{:?}", self.camera),
            surroundings: format!("{:?}", self.surroundings),
            surface: (self.request.style != Style::Particles)
                .then(|| fs::read_to_string(self.run.surface().join("options.toml")).unwrap_or_default()),
        };
        // Strings and numbers can always be written.
        serde_json::to_string_pretty(&record).unwrap_or_default() + "\n"
    }

    /// Draws a frame. Also says what of it cannot be shown.
    pub(super) fn draw(&self, number: u64, path: &Path) -> Result<(Image, Option<String>), String> {
        let camera = match self.request.turntable {
            true => self.camera.turned(360.0 * number as f32 / self.turn.max(1) as f32),
            false => self.camera,
        };
        let time = number as f64 / self.scene.time.fps;
        let mut picture = self.surroundings.picture(&camera, self.request.size().height, time);
        picture.quality = self.request.quality.samples(!self.request.is_opaque());
        let map = ColourMap::new(self.map);
        let (warning, is_coloured) = match self.request.style {
            Style::Particles => (self.add_particles(&mut picture, path, &map)?, true),
            _ if self.request.direct => (self.add_direct(&mut picture, path)?, false),
            _ => (None, self.add_surface(&mut picture, number, &map)?),
        };
        let mut image = picture.draw(&camera, self.request.size()).map_err(|error| error.to_string())?;
        if is_coloured {
            legend(&self.quantity, self.scene, map, self.range).draw(&mut image);
        }
        Ok((image, warning))
    }

    /// Adds the particles of a frame. Says how many of them are nowhere.
    fn add_particles(&self, picture: &mut Picture, path: &Path, map: &ColourMap) -> Result<Option<String>, String> {
        let frame = read_native(path).map_err(|error| error.to_string())?;
        let positions = positions(&frame);
        let values = self.quantity.values(&frame, self.scene);
        let colours: Vec<Colour> = values.iter().map(|&value| self.colour(map, value)).collect();
        let radius = 0.5 * self.scene.world.spacing as f32;
        picture.add(Spheres::new(&positions, radius, &colours), Finish::Matte);
        Ok(lost(path, &positions))
    }

    /// Adds the surface of a frame, traced from its particles.
    fn add_direct(&self, picture: &mut Picture, path: &Path) -> Result<Option<String>, String> {
        let positions = positions(&read_native(path).map_err(|error| error.to_string())?);
        let (spacing, size) = (self.scene.world.spacing as f32, self.surroundings.size());
        add_direct(picture, &positions, spacing, self.request.style, size)?;
        Ok(lost(path, &positions))
    }

    /// Adds the surface of a frame. Says whether its colours mean something.
    fn add_surface(&self, picture: &mut Picture, number: u64, map: &ColourMap) -> Result<bool, String> {
        let surface = read_surface(self.run, number, self.request.style)?;
        let values = surface.values(&self.quantity).filter(|_| self.request.is_opaque());
        let colours: Option<Vec<Colour>> =
            values.map(|values| values.iter().map(|&value| self.colour(map, value)).collect());
        add_surface(picture, &surface, self.request.style, colours.as_deref(), self.surroundings.size());
        Ok(colours.is_some())
    }

    fn colour(&self, map: &ColourMap, value: f32) -> Colour {
        let [low, high] = self.range;
        match self.quantity {
            Quantity::Number { .. } => map.colour(((f64::from(value) - low) / (high - low)) as f32),
            _ if value.is_nan() => MISSING,
            _ => kind_colour(value as u32),
        }
    }

    /// What the picture of a frame is made of: the file, and a checksum of it. Nothing if there is no such file.
    pub(super) fn source(&self, number: u64, frame: &Path) -> Option<String> {
        let is_frame = self.request.style == Style::Particles || self.request.direct;
        let path = if is_frame { frame.to_owned() } else { surface_path(self.run, number, self.request.style) };
        let name = path.strip_prefix(self.run.root()).unwrap_or(&path).display().to_string();
        // A frame has its checksum at its end; of other files all is read.
        let checksum = if is_frame { checksum_of_frame(&path) } else { crc32fast::hash(&fs::read(&path).ok()?) };
        Some(format!("{name} with checksum {checksum:08x}"))
    }
}

/// What the colours mean.
fn legend(quantity: &Quantity, scene: &Scene, map: ColourMap, range: [f64; 2]) -> Legend {
    if let Quantity::Number { title, unit, .. } = quantity {
        let title = if unit == "-" { title.clone() } else { format!("{title} [{unit}]") };
        return Legend::Scale { title, map, range };
    }
    let kinds = quantity.kinds(scene).unwrap_or_default().into_iter().zip(0..);
    Legend::Kinds(kinds.map(|(name, kind)| (name, kind_colour(kind))).collect())
}

/// How many particles of a frame are nowhere, if any.
fn lost(path: &Path, positions: &[Vec3]) -> Option<String> {
    let lost = positions.iter().filter(|place| !place.is_finite()).count();
    let (name, all) = (path.display(), positions.len());
    (lost > 0)
        .then(|| format!("{name}: {lost} of {all} particles are nowhere (their position is no number) and not drawn"))
}

fn positions(frame: &Frame) -> Vec<Vec3> {
    match frame.column("position").map(|column| &column.values) {
        Some(ColumnValues::F32(values)) => values.as_chunks().0.iter().copied().map(Vec3::from_array).collect(),
        Some(ColumnValues::F64(values)) => {
            values.as_chunks().0.iter().map(|&place: &[f64; 3]| Vec3::from_array(place.map(|x| x as f32))).collect()
        }
        _ => Vec::new(),
    }
}

/// A range that shows all but the most extreme values. What has a sign is shown on both sides of zero alike.
fn suitable_range(mut values: Vec<f32>) -> [f64; 2] {
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f32::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return [0.0, 1.0] };
    let outliers = last / 200;
    let (low, high) = (f64::from(values[outliers]), f64::from(values[last - outliers]));
    let most = high.max(-low);
    match (low, high) {
        (low, high) if low < -0.2 * most && high > 0.2 * most => [-most, most],
        // Almost zero is zero.
        (low, high) if low.abs() < 0.3 * high => [0.0, high],
        (low, high) if high > low => [low, high],
        (low, _) => [low - 0.5 * low.abs().max(1.0), low + 0.5 * low.abs().max(1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_suit_what_they_show() {
        let mut speeds: Vec<f32> = (0..1000).map(|k| 0.01 + k as f32 / 999.0).collect();
        speeds[3] = 1e9;
        let [low, high] = suitable_range(speeds);
        assert!(low == 0.0 && (0.95..1.01).contains(&high), "{low} {high}");
        assert_eq!(suitable_range(vec![-3.0, 1.0, f32::NAN]), [-3.0, 3.0]);
        assert_eq!(suitable_range(vec![990.0, 1010.0]), [990.0, 1010.0]);
        assert_eq!(suitable_range(vec![1000.0; 9]), [500.0, 1500.0]);
        assert_eq!(suitable_range(vec![0.0; 9]), [-0.5, 0.5]);
        assert_eq!(suitable_range(vec![f32::INFINITY]), [0.0, 1.0]);
    }

    #[test]
    fn empty_frames_and_lost_particles_are_drawn_as_far_as_they_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let text = "world.spacing = 0.1\ntime.end = 1\nmaterials.water.density = 1000\n\
                    [[bodies]]\nname = 'a'\nmaterial = 'water'\nshape.sphere = { centre = [0, 0, 0], radius = 0.2 }\n";
        let scene = Scene::read("drop", text, &[]).unwrap();
        let mut particles = thixo_sim::Particles::zeroed(3);
        particles.position[1] = thixo_sim::Vec3::NAN;
        particles.velocity[2] = thixo_sim::Vec3::splat(thixo_sim::Real::INFINITY);
        let frame = |number: u64, movable| {
            let path = thixo_frames::frame_path(folder.path(), number, thixo_frames::Format::Native);
            let info = thixo_frames::FrameInfo { frame: number, time: 0.0 };
            thixo_frames::write_native(&path, info, &particles, movable).unwrap();
            (number, path)
        };
        let run = Folder::new(folder.path());
        let request = Request::of(&thixo_scene::Images { size: [32, 18], ..Default::default() });
        for (frames, lost) in [(vec![frame(0, 0)], 0), (vec![frame(1, 3)], 1), (vec![frame(2, 3), frame(3, 0)], 1)] {
            let look = Look::new(&request, &scene, &run, &frames).unwrap();
            let (image, warning) = look.draw(frames[0].0, &frames[0].1).unwrap();
            assert_eq!(image.size(), request.size());
            assert_eq!(warning.is_some(), lost > 0, "{warning:?}");
        }
    }
}
