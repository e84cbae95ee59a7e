//! The world: particles, what they belong to, what they are made of, and what time it is.

mod bodies;
mod clock;
mod domain;
mod following;
mod impenetrable;
mod load;
mod materials;
mod particles;
mod path;

pub use bodies::{Body, BodyId, BodyKind, Clamp, NewBody, NewWall, WallMotion};
pub use clock::Clock;
pub use domain::Domain;
pub(crate) use impenetrable::keep_out_of_walls;
pub use load::Load;
pub(crate) use load::LoadForce;
pub use materials::{Fluid, Material};
pub(crate) use particles::Spare;
pub use particles::{ColumnInfo, Lifetime, Particles, Values, ValuesMut, Whose};
pub use path::{Interpolation, Keyframe, Path, Rotation};

use crate::elasticity::Solids;
use crate::real::{Dimension, Real, Vec3};

/// Everything that exists, between two steps.
#[derive(Clone, Debug)]
pub struct World {
    /// All particles: the movable ones first, then those of walls.
    pub particles: Particles,
    /// How many of them are movable.
    pub movable: usize,
    /// Bodies and walls, by identifier; removed ones keep their place.
    pub bodies: Vec<Body>,
    /// Materials, by index.
    pub materials: Vec<Material>,
    /// Time.
    pub clock: Clock,
    /// Acceleration of free fall [m/s^2].
    pub gravity: Vec3,
    /// Distance between neighbouring particles at rest [m].
    pub spacing: Real,
    /// Coordinates in which matter extends.
    pub dimension: Dimension,
    /// Where space repeats itself.
    pub domain: Domain,
    /// What is known of elastic bodies, whose particles are the first.
    pub(crate) solids: Solids,
    /// The time for which walls were last put on their paths [s].
    pub(crate) posed: f64,
}

impl World {
    /// How many particles belong to walls.
    pub fn walls(&self) -> usize {
        self.particles.len() - self.movable
    }

    /// The material of a body; walls have none.
    pub fn material_of(&self, body: u32) -> Option<&Material> {
        match self.bodies.get(body as usize)?.kind {
            BodyKind::Matter { material } => self.materials.get(material),
            BodyKind::Wall { .. } => None,
        }
    }

    /// How many particles belong to elastic bodies: they are the first, in an order that never changes.
    pub fn elastic(&self) -> usize {
        let particles = |(k, body): (usize, &Body)| if self.is_elastic(k as u32) { body.particles } else { 0 };
        self.bodies.iter().enumerate().map(particles).sum()
    }

    /// Is a body elastic?
    pub fn is_elastic(&self, body: u32) -> bool {
        self.material_of(body).is_some_and(|material| material.elastic.is_some())
    }

    /// How many times its mass particle `i` seems to have to what pushes it: 1 but for elastic bodies.
    pub(crate) fn inertia(&self, i: usize) -> Real {
        if i < self.solids.len() { self.bodies[self.particles.body[i] as usize].inertia } else { 1.0 }
    }

    /// The name of the body that particle `i` belongs to.
    pub fn name_of(&self, i: usize) -> &str {
        let body = self.particles.body.get(i).and_then(|&body| self.bodies.get(body as usize));
        body.map_or("", |body| &body.name)
    }

    /// Fills `out` with a number per particle that its body decides.
    pub(crate) fn by_body(&self, out: &mut Vec<Real>, value: impl Fn(&World, u32) -> Real) {
        out.clear();
        let mut last = (u32::MAX, 0.0);
        // Neighbours in memory mostly belong to one body: ask again only when it changes.
        out.extend(self.particles.body.iter().map(|&body| {
            if body != last.0 {
                last = (body, value(self, body));
            }
            last.1
        }));
    }
}
