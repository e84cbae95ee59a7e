//! Worlds as plain data.

use thixo_sim::{BodyId, Material, NewBody, NewWall, Settings, WallMotion};

use super::Stepper;

/// Everything that a world is made of. Bodies and walls are added in order: the first has the number 0.
#[derive(Clone)]
pub(crate) struct Recipe {
    /// What the world is told at the start; forces are among them, as fields.
    pub(crate) settings: Settings,
    pub(crate) materials: Vec<Material>,
    pub(crate) things: Vec<Thing>,
}

/// Something with particles.
#[derive(Clone)]
pub(crate) enum Thing {
    Body(NewBody),
    Wall(NewWall),
}

/// What happens between two steps.
pub(crate) enum Change {
    Add(Box<Thing>),
    Remove(BodyId),
    Move(BodyId, WallMotion),
}

impl Recipe {
    /// A world with nothing in it yet.
    pub(crate) fn new(settings: Settings, materials: Vec<Material>) -> Self {
        Recipe { settings, materials, things: Vec::new() }
    }

    /// Adds a body or a wall; returns its number.
    pub(crate) fn add(&mut self, thing: impl Into<Thing>) -> u32 {
        self.things.push(thing.into());
        self.things.len() as u32 - 1
    }

    pub(crate) fn make<S: Stepper>(&self) -> S {
        S::make(self).unwrap()
    }

    /// The same, with densities and pressures of its beginning.
    pub(crate) fn prepared<S: Stepper>(&self) -> S {
        let mut world: S = self.make();
        world.prepare().unwrap();
        world
    }
}

impl From<NewBody> for Thing {
    fn from(body: NewBody) -> Self {
        Thing::Body(body)
    }
}

impl From<NewWall> for Thing {
    fn from(wall: NewWall) -> Self {
        Thing::Wall(wall)
    }
}
