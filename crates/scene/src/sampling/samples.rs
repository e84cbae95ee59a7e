//! The particles of all bodies and walls, sampled once for all who ask.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::walls::{SampledWall, Walls};
use super::{BodySample, Overlap};
use crate::document::Path;
use crate::meaning::Finding;
use crate::{Body, Scene, Shape, Wall, World};

/// What was sampled last. Whoever changes the scene gets other particles; a copy of it has the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    bodies: Memo<Vec<BodySample>>,
    walls: Memo<Vec<SampledWall>>,
}

impl Scene {
    /// The particles of the bodies, in their order, or what is wrong with their shapes.
    pub(crate) fn samples(&self) -> Result<Arc<Vec<BodySample>>, Vec<Finding>> {
        let origin = Origin { walls: Vec::new(), ..Origin::of(self) };
        self.samples.bodies.get_or(origin, || self.sample_bodies())
    }

    /// The particles of the walls, in their order. Those of shapes that make no sense have none.
    pub(crate) fn wall_samples(&self) -> Arc<Vec<SampledWall>> {
        let sampled = self.samples.walls.get_or(Origin::of(self), || {
            let walls = Walls::of(self);
            Ok::<_, std::convert::Infallible>((0..self.walls.len()).map(|wall| walls.sample(wall)).collect())
        });
        match sampled {
            Ok(sampled) => sampled,
        }
    }

    fn sample_bodies(&self) -> Result<Vec<BodySample>, Vec<Finding>> {
        let path = |k: usize| Path::default().key("bodies").index(k);
        let bodies = self.bodies.iter().enumerate();
        let sampled = bodies.map(|(k, body)| BodySample::new(body, self.surroundings(), &path(k)));
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

/// All that particles depend on.
#[derive(Clone, PartialEq)]
struct Origin {
    world: World,
    bodies: Vec<Body>,
    walls: Vec<Wall>,
    shapes: BTreeMap<String, Shape>,
}

impl Origin {
    fn of(scene: &Scene) -> Origin {
        Origin {
            world: scene.world.clone(),
            bodies: scene.bodies.clone(),
            walls: scene.walls.clone(),
            shapes: scene.shapes.clone(),
        }
    }
}

/// One thing, and what it was made from.
struct Memo<T>(Mutex<Option<(Origin, Arc<T>)>>);

impl<T> Memo<T> {
    /// What is remembered, if it was made from the same; otherwise it is made.
    fn get_or<E>(&self, origin: Origin, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = memory.as_ref().filter(|(known, _)| *known == origin) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        *memory = Some((origin, Arc::clone(&made)));
        Ok(made)
    }
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Memo(Mutex::default())
    }
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Memo(Mutex::new(known))
    }
}

impl<T> PartialEq for Memo<T> {
    fn eq(&self, _: &Memo<T>) -> bool {
        // What is remembered follows from the rest of the scene.
        true
    }
}

impl<T> fmt::Debug for Memo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}
