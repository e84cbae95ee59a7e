//! What a scene will cost, before it is run.

use glam::DVec3;
use thixo_sim::{Particles, Pressure, Real, StepSize, Values, Whose};

use crate::motion::VelocityField;
use crate::sampling::{BodySample, Samples, Size, Stream, Walls};
use crate::shape::Bounds;
use crate::{Body, Description, FrameFormat, Scene, World};

/// Most particles of a scene, walls included. More would need tens of gigabytes of memory.
pub(crate) const MOST_PARTICLES: f64 = 1e8;

/// Moments of a run at which it is asked how much has come in.
const MOMENTS: u64 = 1000;

/// What a scene will cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Particles of each body, by name.
    pub bodies: Vec<(String, u64)>,
    /// Particles of each wall, by name.
    pub walls: Vec<(String, u64)>,
    /// What comes in through each emitter, by name.
    pub emitters: Vec<(String, Inflow)>,
    /// Particles in the mean over the run, walls included.
    pub mean_particles: f64,
    /// Memory while it runs, in bytes.
    pub memory: u64,
    /// Number of frames, the first included.
    pub frames: u64,
    /// Size of one frame in all formats, in the mean over the run, in bytes.
    pub frame_size: u64,
    /// Size of all frames, in bytes.
    pub disk: u64,
}

/// What comes in through an emitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inflow {
    /// Particles of its pipe and casing, which are there from the start.
    pub fixed: u64,
    /// Particles that come until the end of the scene.
    pub come: u64,
    /// Their volume [m³], in 2D per metre of depth.
    pub volume: f64,
    /// Does neither a time nor a volume end it?
    pub is_endless: bool,
}

/// How fast the matter of a scene is, and may become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prospect {
    /// The highest speed at the start [m/s].
    pub(crate) first_speed: f64,
    /// The strongest acceleration by gravity and fields [m/s^2].
    pub(crate) pull: f64,
    /// The speed of a fall to the lowest place [m/s].
    pub(crate) highest_speed: f64,
}

impl Estimate {
    /// Particles that move.
    pub fn movable(&self) -> u64 {
        self.bodies.iter().map(|(_, count)| count).sum()
    }

    /// Particles of walls.
    pub fn fixed(&self) -> u64 {
        let nozzles = self.emitters.iter().map(|(_, inflow)| inflow.fixed);
        self.walls.iter().map(|(_, count)| *count).chain(nozzles).sum()
    }

    /// Particles that come in until the end.
    pub fn come(&self) -> u64 {
        self.emitters.iter().map(|(_, inflow)| inflow.come).sum()
    }

    /// Particles of the mean over the run, over those of the start: what steps cost grows so. Sinks are not counted on.
    pub fn growth(&self) -> f64 {
        let start = (self.movable() + self.fixed()).max(1) as f64;
        self.mean_particles / start
    }
}

impl Scene {
    /// What the scene will cost in memory. Counts are exact; memory is about right. Steps are told by [`Scene::rehearse`].
    pub fn estimate(&self) -> Estimate {
        let (world, samples) = (&self.world, &self.meaning.samples);
        let bodies = self.bodies.iter().zip(&samples.bodies).map(|(body, sample)| (body.name.clone(), sample.count()));
        let walls = self.walls.iter().zip(&samples.walls).map(|(wall, sample)| (wall.name.clone(), sample.count()));
        let (bodies, walls): (Vec<_>, Vec<_>) = (bodies.collect(), walls.collect());
        let movable: u64 = bodies.iter().map(|(_, count)| count).sum();
        let (end, cell) = (self.time.end, world.cell_volume());
        let emitters: Vec<_> = self
            .emitters
            .iter()
            .zip(&samples.streams)
            .map(|(emitter, stream)| {
                let come = stream.come(cell, end);
                let is_endless = emitter.until.is_none() && emitter.most.is_none();
                let inflow = Inflow { fixed: stream.fixed(), come: come as u64, volume: come * cell, is_endless };
                (emitter.name.clone(), inflow)
            })
            .collect();
        let fixed = walls.iter().map(|(_, count)| *count).chain(emitters.iter().map(|(_, inflow)| inflow.fixed));
        let start = movable + fixed.sum::<u64>();
        let all = start + emitters.iter().map(|(_, inflow)| inflow.come).sum::<u64>();
        let frames = (self.time.end * self.time.fps * (1.0 + 1e-12)).floor() as u64 + 1;
        let derived: u64 = self.output.columns.iter().map(|columns| columns.numbers() * size_of::<Real>() as u64).sum();
        let row = |format: &FrameFormat| bytes_per_row(*format) + derived;
        let row: u64 = self.output.frames.iter().map(row).sum();
        let moments = frames.clamp(1, MOMENTS);
        let moment = |k: u64| samples.come(cell, end * (k as f64 + 0.5) / moments as f64);
        let come = if self.emitters.is_empty() { 0.0 } else { (0..moments).map(moment).sum::<f64>() / moments as f64 };
        let frame_size = (movable as f64 + come) as u64 * row;
        Estimate {
            bodies,
            walls,
            emitters,
            mean_particles: start as f64 + come,
            memory: (all as f64 * bytes_per_particle(world)) as u64,
            frames,
            frame_size,
            disk: frame_size.saturating_mul(frames),
        }
    }
}

impl Description {
    /// The step that speeds and forces allow with a pressure solver [s], never longer than a frame.
    pub(crate) fn step_with(&self, pressure: &Pressure, samples: &Samples) -> f64 {
        let frame = 1.0 / self.time.fps;
        let adaptive = match &self.time.step {
            StepSize::Fixed(step) => return f64::from(*step).min(frame),
            StepSize::Adaptive(adaptive) => adaptive,
            StepSize::Individual(individual) => &individual.criteria(),
        };
        let Prospect { pull, highest_speed, .. } = self.prospect(samples);
        let signal = pressure.signal_speed(highest_speed * highest_speed).map(|signal| signal as Real);
        let (reach, spacing) = (self.world.support() as Real, self.world.spacing as Real);
        let own = adaptive.longest_step(signal, highest_speed, pull, reach, spacing);
        let fluids = || self.materials_used().filter(|material| material.can_flow());
        let by_tension = fluids().filter_map(|fluid| fluid.tension.longest_step(fluid.density, spacing, reach));
        let by_viscosity =
            fluids().filter_map(|material| material.fluid.viscosity.longest_step(material.density, reach));
        by_viscosity.chain(by_tension).map(f64::from).fold(own.min(frame), f64::min)
    }

    /// How fast matter is, and may become.
    pub(crate) fn prospect(&self, samples: &Samples) -> Prospect {
        let bodies = self.bodies.iter().zip(&samples.bodies);
        let first_speed = bodies.map(|(body, sample)| self.fastest(body, sample)).fold(0.0, f64::max);
        let of_stream = |stream: &Stream| stream.nozzle.speed / stream.new.spread.cos();
        let first_speed = samples.streams.iter().map(of_stream).fold(first_speed, f64::max);
        let gravity = self.world.gravity().length();
        let (by_fields, gained) = self.pull_of_fields(samples);
        let highest_speed = (first_speed * first_speed + 2.0 * gravity * self.height(samples) + gained).sqrt();
        Prospect { first_speed, pull: gravity + by_fields, highest_speed }
    }

    /// The strongest acceleration of matter by fields [m/s^2], and the square of the speed that they can give it [m^2/s^2].
    fn pull_of_fields(&self, samples: &Samples) -> (f64, f64) {
        let matter = samples.bodies.iter().map(|sample| sample.bounds()).fold(Bounds::EMPTY, Bounds::joined);
        if matter.is_empty() {
            return (0.0, 0.0);
        }
        let walls = self.walls.iter().map(|wall| self.bounds(&wall.shape)).filter(Bounds::is_finite);
        let all = walls.fold(matter, Bounds::joined);
        let extent = (all.max - all.min).length();
        let pulls = self.fields.iter().map(|field| field.pull(matter.min.to_array(), matter.max.to_array(), extent));
        pulls.fold((0.0, 0.0), |(a, b), (strongest, gained)| (a + strongest, b + gained))
    }

    /// The highest speed that a body starts with [m/s]: of a corner where velocities change evenly.
    fn fastest(&self, body: &Body, sample: &BodySample) -> f64 {
        let velocity_at = body.start_velocity(&self.world, sample);
        let fastest = |places: &mut dyn Iterator<Item = DVec3>| {
            places.map(|place| velocity_at(place).length()).fold(0.0, f64::max)
        };
        match body.velocity_field {
            Some(VelocityField::Formula(_)) => fastest(&mut sample.positions()),
            _ => fastest(&mut self.bounds(&body.shape).corners().into_iter()),
        }
    }

    /// How deep matter can fall [m]: from the highest matter to the lowest matter or wall.
    fn height(&self, samples: &Samples) -> f64 {
        let down = self.world.gravity().normalize_or_zero();
        let extent = |low: DVec3, high: DVec3| {
            let (a, b) = (low * down, high * down);
            (a.min(b).element_sum(), a.max(b).element_sum())
        };
        let mut highest = f64::INFINITY;
        let mut lowest = f64::NEG_INFINITY;
        for sample in &samples.bodies {
            let Bounds { min, max } = sample.bounds();
            let (top, bottom) = extent(min, max);
            (highest, lowest) = (highest.min(top), lowest.max(bottom));
        }
        for place in samples.streams.iter().flat_map(|stream| &stream.nozzle.front) {
            let depth = DVec3::from_array(*place).dot(down);
            (highest, lowest) = (highest.min(depth), lowest.max(depth));
        }
        for wall in &self.walls {
            let Bounds { min, max } = self.bounds(&wall.shape);
            let bottom = extent(min, max).1;
            lowest = if bottom.is_finite() { lowest.max(bottom) } else { lowest };
        }
        (lowest - highest).max(0.0)
    }
}

/// Memory for one particle in bytes: its columns twice (a step may have to be taken back), its place in the grid
/// and its neighbours, of which a compressed fluid has some more than the lattice.
pub(crate) fn bytes_per_particle(world: &World) -> f64 {
    let columns: usize = column_sizes().map(|(_, size)| size).sum();
    let reach = world.support_over_spacing();
    let neighbors = if world.dimension == 2 { 3.2 * reach.powi(2) } else { 4.2 * reach.powi(3) };
    2.0 * columns as f64 + 100.0 + 6.0 * (neighbors + 8.0)
}

/// Size of one particle in a frame, in bytes.
fn bytes_per_row(format: FrameFormat) -> u64 {
    let columns: usize = column_sizes().filter(|(whose, _)| *whose == Whose::All).map(|(_, size)| size).sum();
    columns as u64
        + match format {
            FrameFormat::Native => 0,
            // Every point is a vertex with an index and an offset.
            FrameFormat::Vtk => 16,
        }
}

fn column_sizes() -> impl Iterator<Item = (Whose, usize)> {
    let one = Particles::zeroed(1);
    let sizes: Vec<_> = one
        .columns()
        .map(|(info, values)| match values {
            Values::Scalar(values) => (info.whose, size_of_val(values)),
            Values::Vector(values) => (info.whose, size_of_val(values)),
            Values::Index(values) => (info.whose, size_of_val(values)),
        })
        .collect();
    sizes.into_iter()
}

/// About how many particles each body and each wall of the scene has, before any of them is placed.
pub(crate) fn rough_counts(scene: &Description) -> (Vec<f64>, Vec<f64>) {
    let around = scene.surroundings();
    let bodies = scene.bodies.iter().map(|body| Size::of(body, around).particles(&scene.world)).collect();
    (bodies, Walls::of(scene).estimates().collect())
}

/// A round spacing at which a scene with so many particles now is small enough to be run [m]: bodies fill space, walls
/// cover surfaces.
pub(crate) fn fitting_spacing(scene: &Description, (bodies, walls): (f64, f64), most: f64) -> f64 {
    let dimension = i32::from(scene.world.dimension);
    let count = |ratio: f64| bodies / ratio.powi(dimension) + walls / ratio.powi(dimension - 1);
    let mut ratio = 1.0;
    while count(ratio) > most {
        ratio *= 1.02;
    }
    // Two digits, rounded up.
    let spacing = ratio * scene.world.spacing;
    let unit = 10.0_f64.powf(spacing.log10().floor() - 1.0);
    format!("{:.1e}", (spacing / unit).ceil() * unit).parse().unwrap_or(spacing)
}
