//! The particles of all bodies, sampled once for all who ask.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::BodySample;
use crate::document::Path;
use crate::meaning::Finding;
use crate::{Body, Scene, Shape, World};

/// The particles of every body, in the order of the scene.
pub(crate) type Samples = Vec<BodySample>;

/// What was sampled last, and from what. Whoever changes the scene gets other particles; a copy of it has the same.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Option<(Origin, Arc<Samples>)>>);

/// All that particles depend on.
#[derive(Clone, PartialEq)]
struct Origin {
    world: World,
    bodies: Vec<Body>,
    shapes: BTreeMap<String, Shape>,
}

impl Scene {
    /// The particles of the bodies, or what is wrong with their shapes.
    pub(crate) fn samples(&self) -> Result<Arc<Samples>, Vec<Finding>> {
        let shapes = self.surroundings().shapes.clone();
        let origin = Origin { world: self.world.clone(), bodies: self.bodies.clone(), shapes };
        let mut memory = self.samples.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, samples)) = memory.as_ref().filter(|(known, _)| *known == origin) {
            return Ok(samples.clone());
        }
        let samples = Arc::new(self.sample()?);
        *memory = Some((origin, samples.clone()));
        Ok(samples)
    }

    fn sample(&self) -> Result<Samples, Vec<Finding>> {
        let path = |k: usize| Path::default().key("bodies").index(k).key("shape");
        let bodies = self.bodies.iter().enumerate();
        let sampled = bodies.map(|(k, body)| BodySample::new(body, self.surroundings(), &path(k)));
        let (sampled, wrong): (Vec<_>, Vec<_>) = sampled.partition(Result::is_ok);
        match wrong.is_empty() {
            true => Ok(sampled.into_iter().flatten().collect()),
            false => Err(wrong.into_iter().filter_map(Result::err).collect()),
        }
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Memory(Mutex::new(known))
    }
}

impl PartialEq for Memory {
    fn eq(&self, _: &Memory) -> bool {
        // What is remembered follows from the rest of the scene.
        true
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}
