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
            false => Err(wrong.into_iter().filter_map(Result::err).collect()),
        }
    }

    /// Bodies give way, in their order, to those that do not and to those before them.
    fn without_overlaps(&self, mut samples: Vec<BodySample>) -> Vec<BodySample> {
        let gives_way = |body: usize| self.bodies[body].overlap == Overlap::GiveWay;
        for body in (0..samples.len()).filter(|&body| gives_way(body)) {
            let (before, rest) = samples.split_at_mut(body);
            let Some((own, behind)) = rest.split_first_mut() else { continue };
            before.iter().for_each(|other| own.give_way(other));
            let firm = behind.iter().enumerate().filter(|(k, _)| !gives_way(body + 1 + k));
            firm.for_each(|(_, other)| own.give_way(other));
        }
        samples
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
