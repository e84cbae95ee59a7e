//! The particles of all bodies and walls.

use glam::DVec3;
use thixo_sim::{NewEmitter, Nozzle};

use super::density::{Compression, decompress};
use super::walls::{SampledWall, Walls};
use super::{BodySample, Overlap, WallParticle};
use crate::document::Path;
use crate::meaning::Finding;
use crate::{Body, Description};

/// The particles of all bodies and walls of a scene, in its order.
#[derive(Debug)]
pub(crate) struct Samples {
    pub(crate) bodies: Vec<BodySample>,
    /// Those of shapes that make no sense have none.
    pub(crate) walls: Vec<SampledWall>,
    /// What comes in through emitters, in the order of the scene.
    pub(crate) streams: Vec<Stream>,
    /// The highest density that each body starts with, if it is a fluid.
    pub(crate) compressions: Vec<Option<Compression>>,
}

/// An emitter in space.
#[derive(Debug)]
pub(crate) struct Stream {
    /// The emitter for a simulation.
    pub(crate) new: NewEmitter,
    /// Where its pipe is.
    pub(crate) nozzle: Nozzle,
    /// How many particles its casing has beside the walls that are there.
    pub(crate) casing: u64,
}

impl Stream {
    /// How many particles have come out at a time [s].
    pub(crate) fn come(&self, cell_volume: f64, time: f64) -> f64 {
        (self.nozzle.volume(&self.new, time) / cell_volume).floor()
    }

    /// Particles of its casing and in its pipe.
    pub(crate) fn fixed(&self) -> u64 {
        self.casing + self.nozzle.waiting.len() as u64
    }
}

impl Samples {
    /// How many particles have come out of all emitters at a time [s].
    pub(crate) fn come(&self, cell_volume: f64, time: f64) -> f64 {
        self.streams.iter().map(|stream| stream.come(cell_volume, time)).sum()
    }

    /// Fills all shapes, or says what is wrong with those of bodies. `tell` has the number of each body before it is filled.
    pub(crate) fn of(scene: &Description, tell: impl Fn(usize)) -> Result<Samples, Vec<Finding>> {
        let bodies = scene.sample_bodies(tell)?;
        let walls = Walls::of(scene);
        let walls = (0..scene.walls.len()).map(|wall| walls.sample(wall)).collect();
        Ok(Samples { bodies, walls, streams: Vec::new(), compressions: Vec::new() })
    }

    /// Moves particles of fluids that would start compressed.
    pub(crate) fn decompress(&mut self, scene: &Description) {
        // Pipes are walls to those around.
        let walls = self.walls.len();
        let pipe = |Stream { nozzle, .. }: &Stream| {
            let places = nozzle.waiting.iter().chain(&nozzle.casing).copied().map(DVec3::from_array);
            let particle = |position: DVec3| WallParticle { position, to_surface: DVec3::ZERO };
            SampledWall { particles: places.map(particle).collect(), rest_volumes: Vec::new() }
        };
        self.walls.extend(self.streams.iter().map(pipe));
        self.compressions = decompress(scene, &mut self.bodies, &self.walls);
        self.walls.truncate(walls);
    }

    /// The number of the first particle of each body: they are numbered body by body.
    pub(crate) fn first_particles(&self) -> impl Iterator<Item = u32> {
        self.bodies.iter().scan(0, |next, sample| {
            let first = *next;
            *next += sample.count();
            Some(first as u32)
        })
    }
}

impl Description {
    fn sample_bodies(&self, tell: impl Fn(usize)) -> Result<Vec<BodySample>, Vec<Finding>> {
        let path = |k: usize| Path::default().key("bodies").index(k);
        let bodies = self.bodies.iter().enumerate();
        let sampled = bodies.map(|(k, body)| {
            tell(k);
            BodySample::new(body, self.surroundings(), &path(k))
        });
        let (sampled, wrong): (Vec<_>, Vec<_>) = sampled.partition(Result::is_ok);
        match wrong.is_empty() {
            true => Ok(self.without_overlaps(sampled.into_iter().flatten().collect())),
            false => Err(wrong.into_iter().filter_map(Result::err).flatten().collect()),
        }
    }

    /// Bodies give way to those before them in rank, which have their final particles by then.
    fn without_overlaps(&self, mut samples: Vec<BodySample>) -> Vec<BodySample> {
        let mut ranks: Vec<_> = (0..samples.len()).collect();
        ranks.sort_by_key(|&body| self.rank(body));
        for (rank, &own) in ranks.iter().enumerate() {
            for &other in ranks[..rank].iter().filter(|&&other| self.is_settled(other, own)) {
                if let Ok([own, other]) = samples.get_disjoint_mut([own, other]) {
                    own.give_way(other);
                }
            }
        }
        samples
    }

    /// The lowest keeps its place: by priority, then who does not give way, then who comes first.
    fn rank(&self, body: usize) -> (i32, bool, usize) {
        let Body { priority, overlap, .. } = self.bodies[body];
        (-priority, overlap == Overlap::GiveWay, body)
    }

    /// Is it known which of two bodies loses its particles where both are?
    pub(crate) fn is_settled(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|body| &self.bodies[body]);
        a.priority != b.priority || [a, b].iter().any(|body| body.overlap == Overlap::GiveWay)
    }
}
