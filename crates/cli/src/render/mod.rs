//! `thixo render`: pictures of the frames of a run.

mod quantity;
mod view;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use thixo_frames::{ColumnValues, Format, Frame, list_frames, read_native, whole};
use thixo_render::{
    Bounds, Camera, Colour, ColourMap, Finish, Legend, MISSING, MapName, Size, Spheres, Vec3, kind_colour,
};
use thixo_scene::Scene;

use crate::console::{self, duration, plural};
use crate::failure::Failure;
use crate::run::folder::Folder;
use crate::run::recorded_scene::RecordedScene;
use crate::threads::{parse_threads, thread_pool};
use quantity::Quantity;
use view::{Surroundings, bulk};

/// What `thixo render` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of a run
    folder: PathBuf,
    /// Colour particles by this: speed, body, material, or a column of the frames
    #[arg(long, value_name = "COLUMN")]
    color: Option<String>,
    /// Values at the two ends of the colour map: 0:2.5 [default: what the frames hold]
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// Colour map: ocean, meadow, ember, slate, rainbow or balance
    #[arg(long, value_name = "NAME")]
    map: Option<MapName>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    size: Size,
    /// The frames from A to B, without B: 10..20, 10.. or ..20 [default: all]
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<(u64, u64)>,
    /// Number of threads [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Say nothing but warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let ends = text.split_once(':').and_then(|(low, high)| Some([low.parse().ok()?, high.parse().ok()?]));
    match ends {
        Some([low, high]) if f64::is_finite(low) && f64::is_finite(high) && low < high => Ok([low, high]),
        _ => Err("it must be two numbers, the smaller first: 0:2.5".into()),
    }
}

fn parse_size(text: &str) -> Result<Size, String> {
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let (width, height) = sides.ok_or("it must be width and height in pixels: 1280x720")?;
    let size = Size { width, height };
    size.check().map_err(|error| error.to_string()).map(|()| size)
}

fn parse_frames(text: &str) -> Result<(u64, u64), String> {
    let wrong = || "it must be a first frame and one after the last: 10..20, 10.. or ..20".to_owned();
    let end = |text: &str, default| if text.is_empty() { Ok(default) } else { text.parse().map_err(|_| wrong()) };
    let (first, last) = text.split_once("..").ok_or_else(wrong)?;
    let (first, last) = (end(first, 0)?, end(last, u64::MAX)?);
    if first < last { Ok((first, last)) } else { Err(wrong()) }
}

/// Draws pictures of a run.
pub(crate) fn render(arguments: &Arguments) -> Result<(), Failure> {
    let folder = Folder::new(&arguments.folder);
    let RecordedScene { scene, .. } = RecordedScene::read(&folder)?;
    thread_pool(arguments.threads)?.install(|| draw_all(arguments, &folder, &scene))
}

fn draw_all(arguments: &Arguments, folder: &Folder, scene: &Scene) -> Result<(), Failure> {
    let started = Instant::now();
    let name = folder.root().display();
    let frames = list_frames(&folder.frames(), Format::Native).unwrap_or_default();
    let (first, end) = arguments.frames.unwrap_or((0, u64::MAX));
    let frames: Vec<_> = frames.into_iter().filter(|(number, _)| (first..end).contains(number)).collect();
    if frames.is_empty() {
        return Err(Failure::BadInput(format!(
            "{name} has no frames to draw; run its scene with `output.frames = [\"native\"]`"
        )));
    }
    let look = Look::new(arguments, scene, &frames)?;
    let images = folder.root().join("images");
    std::fs::create_dir_all(&images).map_err(|cause| {
        Failure::Failed(format!("cannot make {}: {}", images.display(), crate::failure::plain(&cause)))
    })?;
    let drawn: Vec<Result<(), String>> =
        frames.par_iter().map(|(number, path)| look.draw(path, &images.join(format!("{number:06}.png")))).collect();
    let failed: Vec<&String> = drawn.iter().filter_map(|done| done.as_ref().err()).collect();
    if !arguments.quiet {
        let count = (drawn.len() - failed.len()) as u64;
        let seconds = duration(started.elapsed().as_secs_f64());
        console::tell(format_args!("{}: {count} picture{} in {seconds}", images.display(), plural(count)));
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::Failed(failed.iter().map(|text| text.as_str()).collect::<Vec<_>>().join("\n")))
    }
}

/// How all pictures of a run look.
struct Look<'a> {
    scene: &'a Scene,
    quantity: Quantity,
    map: ColourMap,
    range: [f64; 2],
    size: Size,
    surroundings: Surroundings,
    camera: Camera,
}

/// Frames that are looked at to find out what there is to see.
const PROBED: usize = 24;

impl<'a> Look<'a> {
    fn new(arguments: &Arguments, scene: &'a Scene, frames: &[(u64, PathBuf)]) -> Result<Look<'a>, Failure> {
        let step = frames.len().div_ceil(PROBED);
        let probed: Vec<Frame> =
            frames.par_iter().rev().step_by(step).filter_map(|(_, path)| read_native(path).ok()).collect();
        let name = arguments.color.as_deref().unwrap_or_else(|| Quantity::suitable(scene));
        let quantity = match probed.first() {
            Some(frame) => Quantity::named(name, frame).map_err(Failure::BadInput)?,
            None => Quantity::Body,
        };
        let radius = 0.5 * scene.world.spacing as f32;
        let matter = probed.iter().map(|frame| bulk(&positions(frame), radius)).fold(Bounds::EMPTY, Bounds::union);
        let values: Vec<f32> = probed.iter().flat_map(|frame| quantity.values(frame, scene)).collect();
        let range = arguments.range.unwrap_or_else(|| suitable_range(values, name));
        let map =
            arguments.map.unwrap_or(if range[0] < 0.0 && range[1] > 0.0 { MapName::Balance } else { MapName::Ocean });
        let surroundings = Surroundings::new(scene, matter);
        let camera = surroundings.camera(arguments.size.aspect());
        Ok(Look { scene, quantity, map: ColourMap::new(map), range, size: arguments.size, surroundings, camera })
    }

    /// Draws a frame into a file.
    fn draw(&self, frame: &Path, image: &Path) -> Result<(), String> {
        let frame = read_native(frame).map_err(|error| error.to_string())?;
        let values = self.quantity.values(&frame, self.scene);
        let colours: Vec<Colour> = values.iter().map(|&value| self.colour(value)).collect();
        let mut picture = self.surroundings.picture(&self.camera, self.size.height);
        let radius = 0.5 * self.scene.world.spacing as f32;
        picture.add(Spheres::new(&positions(&frame), radius, &colours), Finish::Matte);
        let mut drawn = picture.draw(&self.camera, self.size).map_err(|error| error.to_string())?;
        self.legend().draw(&mut drawn);
        whole::write(image, |out| drawn.write_png(out)).map_err(|error| error.to_string())
    }

    fn colour(&self, value: f32) -> Colour {
        let [low, high] = self.range;
        match self.quantity {
            Quantity::Number { .. } => self.map.colour(((f64::from(value) - low) / (high - low)) as f32),
            _ if value.is_nan() => MISSING,
            _ => kind_colour(value as u32),
        }
    }

    fn legend(&self) -> Legend {
        match (&self.quantity, self.quantity.kinds(self.scene)) {
            (Quantity::Number { title, unit, .. }, _) => {
                let title = if unit == "-" { title.clone() } else { format!("{title} [{unit}]") };
                Legend::Scale { title, map: self.map.clone(), range: self.range }
            }
            (_, kinds) => {
                let kinds = kinds.unwrap_or_default().into_iter().zip(0..);
                Legend::Kinds(kinds.map(|(name, kind)| (name, kind_colour(kind))).collect())
            }
        }
    }
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

/// A range that shows most values, with round ends.
fn suitable_range(mut values: Vec<f32>, name: &str) -> [f64; 2] {
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f32::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return [0.0, 1.0] };
    let outliers = last / 200;
    let (low, high) = (f64::from(values[outliers]), f64::from(values[last - outliers]));
    let low = if low >= 0.0 && (name == "speed" || low < 0.3 * high) { 0.0 } else { low };
    if low < 0.0 && high > 0.0 && low > -4.0 * high && high < -4.0 * low {
        let most = high.max(-low);
        return [-most, most];
    }
    if high > low { [low, high] } else { [low - 0.5, low + 0.5] }
}
