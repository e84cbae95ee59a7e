//! `thixo render`: pictures of the frames of a run, and a film of them.

mod album;
mod bricks;
mod film;
mod ledger;
mod look;
mod ply;
mod quantity;
mod request;
mod subject;
mod view;
mod walls;

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;
use thixo_frames::whole;
use thixo_render::{MapName, Quality, Size};
use thixo_scene::{Film, Images, Scene, Style};

use crate::console::{self, duration, plural, typed};
use crate::every_frame::{Frames, every_frame, parse_frames};
use crate::failure::{Failure, plain};
use crate::report;
use crate::run::folder::Folder;
use crate::run::interrupt::Interrupt;
use crate::run::recorded_scene::RecordedScene;
use crate::threads::{parse_threads, thread_pool};
pub(crate) use album::Album;
use ledger::Ledger;
use look::Look;
use request::Request;
pub(crate) use request::refuse_missing_feature;

/// What `thixo render` is told.
#[derive(Debug, clap::Args)]
#[command(override_usage = "thixo render [OPTIONS] <FOLDER>")]
pub(crate) struct Arguments {
    /// The folder of a run
    folder: PathBuf,
    /// Folder for pictures and film [default: images/ in the folder of the run for the scene's own look, images/LOOK/ for
    /// others]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Show the surface around the particles, as water; make it first with `thixo surface`
    #[arg(long)]
    surface: bool,
    /// Trace the surface directly from the particles, without a mesh; takes its time
    #[arg(long)]
    direct: bool,
    /// What is shown: particles, or the surface as water, glass, jelly, matte or points
    #[arg(long, value_name = "STYLE", value_parser = parse_style, conflicts_with = "surface")]
    style: Option<Style>,
    /// Colour particles by this: speed, body, material, a column of the frames, or velocity.x
    #[arg(long, value_name = "COLUMN")]
    color: Option<String>,
    /// Values at the two ends of the colour map: 0:2.5 [default: what the frames hold]
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// Colour map: ocean, meadow, ember, slate, rainbow or balance
    #[arg(long, value_name = "NAME")]
    map: Option<MapName>,
    /// Width and height in pixels [default: 1280x720]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<Size>,
    /// How much work goes into a pixel [default: normal]
    #[arg(long, value_name = "QUALITY")]
    quality: Option<Effort>,
    /// The frames from A to B, without B: 10..20, 10.. or ..20 [default: all]
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<(u64, u64)>,
    /// Go once around the scene in the course of the run
    #[arg(long)]
    turntable: bool,
    /// The film that is made of the pictures [default: gif]
    #[arg(long, value_name = "FORMAT")]
    film: Option<FilmFormat>,
    /// Number of threads [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Say nothing but warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

/// How much work goes into a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Effort {
    /// A sketch, several times as fast
    Draft,
    /// Good enough for a film
    #[default]
    Normal,
    /// Without grain, several times as slow
    Fine,
}

impl Effort {
    /// Samples of a pixel, for things that light goes through or does not.
    fn samples(self, is_clear: bool) -> Quality {
        let quality = match self {
            Effort::Draft => Quality { least: 1, most: 4, good: 0.02 },
            Effort::Normal => Quality::default(),
            Effort::Fine => Quality { least: 16, most: 128, good: 0.003 },
        };
        // Light takes many ways through clear things.
        if is_clear { Quality { most: 2 * quality.most, ..quality } } else { quality }
    }
}

/// A film, as the command line names it.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum FilmFormat {
    Gif,
    Mp4,
    None,
}

impl From<FilmFormat> for Film {
    fn from(format: FilmFormat) -> Film {
        match format {
            FilmFormat::Gif => Film::Gif,
            FilmFormat::Mp4 => Film::Mp4,
            FilmFormat::None => Film::None,
        }
    }
}

impl Arguments {
    /// What is shown, if the scene says `default`.
    fn style(&self, default: Style) -> Style {
        match (self.style, default) {
            (Some(style), _) => style,
            (None, Style::Particles) if self.surface => Style::Water,
            (None, Style::Particles) if self.direct => Style::Matte,
            (None, default) => default,
        }
    }
}

const STYLES: [(&str, Style); 6] = [
    ("particles", Style::Particles),
    ("water", Style::Water),
    ("glass", Style::Glass),
    ("jelly", Style::Jelly),
    ("matte", Style::Matte),
    ("points", Style::Points),
];

fn parse_style(text: &str) -> Result<Style, String> {
    let found = STYLES.iter().find(|(name, _)| *name == text);
    found.map(|(_, style)| *style).ok_or_else(|| format!("there are {}", STYLES.map(|(name, _)| name).join(", ")))
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

/// Draws pictures of a run.
pub(crate) fn render(arguments: &Arguments) -> Result<(), Failure> {
    let folder = Folder::new(&arguments.folder);
    let RecordedScene { scene, .. } = RecordedScene::read(&folder)?;
    let images = scene.output.images.clone().unwrap_or_default();
    let request = Request::new(&images, arguments);
    request.check()?;
    let drawing = Drawing {
        folder: &folder,
        scene: &scene,
        own: &Request::of(&images),
        request: &request,
        output: arguments.output.as_deref(),
        quiet: arguments.quiet,
        interrupt: &Interrupt::listen()?,
    };
    let frames = arguments.frames.unwrap_or((0, u64::MAX));
    thread_pool(arguments.threads)?.install(|| drawing.draw(frames, &console::this_command()))
}

/// Draws the pictures that a scene asks for when its run has ended, as far as they are missing. The look of `own` is that
/// which is recorded.
pub(crate) fn finish(
    folder: &Folder,
    scene: &Scene,
    own: &Images,
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let Some(images) = &scene.output.images else { return Ok(()) };
    let (own, request) = (Request::of(own), Request::of(images));
    let again = format!("thixo run --resume {}", typed(folder.root()));
    Drawing { folder, scene, own: &own, request: &request, output: None, quiet, interrupt }.draw((0, u64::MAX), &again)
}

/// The drawing of a run.
struct Drawing<'a> {
    folder: &'a Folder,
    scene: &'a Scene,
    /// What the scene asks for.
    own: &'a Request,
    /// What is asked for now.
    request: &'a Request,
    /// Where the pictures are to lie, if not in the folder of the run.
    output: Option<&'a Path>,
    quiet: bool,
    interrupt: &'a Interrupt,
}

impl Drawing<'_> {
    /// Draws the pictures of some frames as far as they are missing, then the film of all pictures, then the report.
    fn draw(&self, range: (u64, u64), again: &str) -> Result<(), Failure> {
        let started = Instant::now();
        let Frames { all, asked, missing: gaps } = Frames::of(self.folder, range)?;
        let look = Look::new(self.request, self.scene, self.folder, &all)?;
        let ledger = self.ledger(&look)?;
        let sources = asked.par_iter().map(|(number, path)| (*number, path, look.source(*number, path)));
        let due: Vec<_> = sources.filter(|(number, _, source)| !ledger.has(*number, source.as_deref())).collect();
        if !due.is_empty() {
            // They will not show these pictures.
            let failed = |cause: io::Error| Failure::Failed(format!("cannot remove the film: {}", plain(&cause)));
            ledger.album().remove_films().map_err(failed)?;
        }
        let mut done = every_frame(&due, "picture", self.quiet, self.interrupt, |(number, path, source)| {
            let picture = ledger.album().picture(*number);
            look.draw(*number, path)
                .and_then(|(image, warning)| {
                    warning.iter().for_each(console::warn);
                    whole::write(&picture, |out| image.write_png(out, &ledger.stamp(source.as_deref())))
                        .map_err(|error| error.to_string())
                })
                // What is there shows something else.
                .or_else(|error| ledger.remove(*number).and(Err(error)))
        });
        done.failures.extend(gaps);
        let film = if done.is_interrupted { Ok(None) } else { self.film(&ledger) };
        let reported = report::write(self.folder, self.scene).map_err(Failure::Failed);
        if !self.quiet && done.count > 0 {
            let seconds = duration(started.elapsed().as_secs_f64());
            let (count, name) = (done.count, ledger.album().images());
            let film = film.as_ref().ok().and_then(Option::as_ref);
            let film = film.map_or(String::new(), |path| format!("; the film is {}", path.display()));
            console::tell(format_args!("{}: {count} picture{} in {seconds}{film}", name.display(), plural(count)));
        }
        done.outcome("picture", again)?;
        film.map_err(Failure::Failed)?;
        reported
    }

    /// The pictures of this look that are there already.
    fn ledger(&self, look: &Look<'_>) -> Result<Ledger, Failure> {
        let record = look.record(self.output.is_some());
        if self.output.is_none() && self.request.looks_like(self.own) {
            return Ledger::own(self.folder, &record);
        }
        Ledger::other(self.folder, &self.own.to_json(), &record, self.output)
    }

    /// Makes the film of all pictures, unless it is there.
    fn film(&self, ledger: &Ledger) -> Result<Option<PathBuf>, String> {
        let extension = if self.request.film == Film::Mp4 { "mp4" } else { "gif" };
        if ledger.album().film(extension).is_file() {
            return Ok(None);
        }
        let pictures = ledger.pictures().map_err(|cause| format!("cannot make the film: {}", plain(&cause)))?;
        film::make(ledger.album(), self.request.film, &pictures, self.scene.time.fps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ranges_are_read_or_refused() {
        assert_eq!(parse_size("640x360"), Ok(Size { width: 640, height: 360 }));
        for text in ["0x0", "640", "640x", "x360", "-1x5", "99999x99999", "4294967296x1", "1e3x5"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert_eq!(parse_range("-1:2.5"), Ok([-1.0, 2.5]));
        for text in ["1", "2:1", "1:1", "nan:1", "0:inf", ":"] {
            assert!(parse_range(text).is_err(), "{text}");
        }
    }
}
