//! `thixo surface`: triangle meshes of the frames of a run.

mod matter;
mod options;
mod skins;

use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use thixo_frames::{read_native, whole};
use thixo_scene::Scene;
use thixo_surface::{Surface, ply};

use crate::console::{self, duration, plural, typed};
use crate::every_frame::{Frames, every_frame, parse_frames};
use crate::failure::{Failure, plain};
use crate::run::folder::Folder;
use crate::run::interrupt::Interrupt;
use crate::run::recorded_scene::RecordedScene;
use crate::threads::{parse_threads, thread_pool};
use matter::Matter;
pub(crate) use options::Options;
use skins::DrawnSkin;

/// What `thixo surface` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of a run
    folder: PathBuf,
    #[command(flatten)]
    options: Options,
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

/// Makes the surfaces of a run.
pub(crate) fn surface(arguments: &Arguments) -> Result<(), Failure> {
    let folder = Folder::new(&arguments.folder);
    let RecordedScene { scene, .. } = RecordedScene::read(&folder)?;
    let interrupt = Interrupt::listen()?;
    let work = Work { folder: &folder, scene: &scene, is_quiet: arguments.quiet, interrupt: &interrupt };
    let again = format!("thixo surface {}", typed(folder.root()));
    let frames = arguments.frames.unwrap_or(ALL);
    thread_pool(arguments.threads)?.install(|| work.surfaces(&arguments.options, frames, &again))
}

const ALL: (u64, u64) = (0, u64::MAX);

/// The surfaces that a run is still to get: those that were asked for, or begun earlier.
pub(crate) fn finish(
    folder: &Folder,
    scene: &Scene,
    is_asked: bool,
    is_quiet: bool,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let Some(options) = Options::read(folder).or(is_asked.then(Options::default)) else { return Ok(()) };
    let again = format!("thixo run --resume {}", typed(folder.root()));
    Work { folder, scene, is_quiet, interrupt }.surfaces(&options, ALL, &again)
}

/// The surfaces of a run.
struct Work<'a> {
    folder: &'a Folder,
    scene: &'a Scene,
    is_quiet: bool,
    interrupt: &'a Interrupt,
}

impl Work<'_> {
    /// Makes the surfaces of some frames as far as they are missing, or were made of other frames or in other ways.
    fn surfaces(&self, options: &Options, range: (u64, u64), again: &str) -> Result<(), Failure> {
        let started = Instant::now();
        let Frames { asked, missing, .. } = Frames::of(self.folder, range)?;
        let matter = Matter::new(self.scene, options, &asked).map_err(Failure::BadInput)?;
        self.make_folders(options, &matter)?;
        let job = |(number, frame)| Job::new(self.folder, options, &matter, number, frame);
        let jobs: Vec<Job> = asked.into_iter().map(job).collect();
        let due: Vec<&Job> = jobs.iter().filter(|job| !job.is_done()).collect();
        let mut done = every_frame(&due, "surface", self.is_quiet, self.interrupt, |job| job.make(&matter));
        if !self.is_quiet {
            let (target, count, kept) = (self.folder.surface(), done.count, jobs.len() - due.len());
            let kept = if kept > 0 { format!("; {kept} were there") } else { String::new() };
            let seconds = duration(started.elapsed().as_secs_f64());
            console::tell(format_args!("{}: {count} surface{} in {seconds}{kept}", target.display(), plural(count)));
        }
        done.failures.extend(missing);
        done.outcome("surface", again)
    }

    fn make_folders(&self, options: &Options, matter: &Matter<'_>) -> Result<(), Failure> {
        let points = options.points.map(|_| self.folder.points());
        let skins = matter.skins().iter().filter_map(|skin| Some(self.folder.skins().join(skin.folder.as_ref()?)));
        for folder in [Some(self.folder.surface()), points].into_iter().flatten().chain(skins) {
            fs::create_dir_all(&folder).map_err(|cause| {
                Failure::BadInput(format!(
                    "cannot make {}: {}; use a folder you may write to",
                    folder.display(),
                    plain(&cause)
                ))
            })?;
        }
        options.write(self.folder).map_err(|error| Failure::Failed(error.to_string()))
    }
}

/// What is to be made of a frame.
struct Job {
    frame: PathBuf,
    mesh: PathBuf,
    points: Option<PathBuf>,
    /// Of each skin, if it is to have a file.
    skins: Vec<Option<PathBuf>>,
    /// Lines that tell what it was made of, and how.
    stamp: [String; 2],
}

impl Job {
    fn new(folder: &Folder, options: &Options, matter: &Matter<'_>, number: u64, frame: PathBuf) -> Job {
        let name = format!("{number:06}.ply");
        let made_of = format!("frame {number} with checksum {:08x}", checksum_of_frame(&frame));
        Job {
            mesh: folder.surface().join(&name),
            points: options.points.map(|_| folder.points().join(&name)),
            skins: matter.skins().iter().map(|skin| skin.path(folder, number)).collect(),
            stamp: [options.stamp(), made_of],
            frame,
        }
    }

    /// Have all files been made of this frame in this way?
    fn is_done(&self) -> bool {
        let has_stamp = |target: &PathBuf| {
            let comments = File::open(target).ok().and_then(|file| ply::read_comments(&mut BufReader::new(file)));
            comments.is_some_and(|comments| comments == self.stamp)
        };
        let skins = || self.skins.iter().flatten().all(|skin| skin.is_file());
        has_stamp(&self.mesh) && skins() && self.points.as_ref().is_none_or(has_stamp)
    }

    fn make(&self, matter: &Matter<'_>) -> Result<(), String> {
        let frame = read_native(&self.frame).map_err(|error| error.to_string())?;
        let named = |error: String| format!("{}: {error}", self.frame.display());
        let mut surface = matter.surface(&frame).map_err(named)?;
        for (skin, target) in matter.skins().iter().zip(&self.skins) {
            let DrawnSkin { mesh, contents } = matter.skin(&frame, skin).map_err(named)?;
            if let Some(target) = target {
                whole::write(target, |out| out.write_all(&contents)).map_err(|error| error.to_string())?;
            }
            surface.append(Surface { mesh, points: None });
        }
        self.write(&surface).map_err(|error| error.to_string())
    }

    fn write(&self, surface: &Surface) -> Result<(), whole::WriteError> {
        let stamp = [self.stamp[0].as_str(), &self.stamp[1]];
        if let (Some(target), Some((cloud, attributes))) = (&self.points, &surface.points) {
            whole::write(target, |out| ply::write_points(out, cloud, attributes, &stamp))?;
        }
        whole::write(&self.mesh, |out| ply::write_mesh(out, &surface.mesh, &stamp))
    }
}

/// The checksum at the end of a frame; 0 if there is none, which reading it will tell.
pub(crate) fn checksum_of_frame(frame: &Path) -> u32 {
    let mut bytes = [0; 4];
    let read = File::open(frame).and_then(|mut file| {
        file.seek(SeekFrom::End(-4))?;
        file.read_exact(&mut bytes)
    });
    if read.is_ok() { u32::from_le_bytes(bytes) } else { 0 }
}
