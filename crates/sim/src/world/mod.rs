//! The world: particles, what they belong to, what they are made of, and what time it is.

mod bodies;
mod clock;
mod closing;
mod column;
mod domain;
mod emitter;
mod following;
mod impenetrable;
mod kinds;
mod load;
mod materials;
mod memory;
mod particles;
mod path;
mod rigid_body;

pub use bodies::{Body, BodyId, BodyKind, Clamp, NewBody, NewWall, WallMotion};
pub use clock::Clock;
pub(crate) use closing::Closing;
pub(crate) use column::Spare;
pub use column::{ColumnInfo, Lifetime, OwnColumn, Values, ValuesMut, Whose};
pub use domain::Domain;
pub use emitter::{Emitter, Sink};
pub(crate) use emitter::{Pipe, Schedule};
pub(crate) use impenetrable::keep_out_of_walls;
pub use kinds::{Kind, KindId, Kinds, MovedBy, Response, Structure};
pub use load::Load;
pub(crate) use load::LoadForce;
pub use materials::{Fluid, Material, Rigid};
pub use memory::{Memory, Remembered};
pub use particles::Particles;
pub(crate) use particles::RowsAtRisk;
pub use path::{Interpolation, Keyframe, Path, Rotation};
pub use rigid_body::RigidBody;

use crate::elasticity::Solids;
use crate::heat::Heater;
use crate::real::{Dimension, Real, Vec3};
use crate::rigid::RigidParticles;
use crate::time::Integrator;

/// Everything that exists, between two steps.
#[derive(Clone, Debug)]
pub struct World {
    /// All particles, kind by kind.
    pub particles: Particles,
    /// The kinds of matter, and which particles are of which.
    pub kinds: Kinds,
    /// Bodies and walls, by slot.
    pub bodies: Vec<Body>,
    /// Materials, by index.
    pub materials: Vec<Material>,
    /// What heats it.
    pub heaters: Vec<Heater>,
    /// What lets fluid in.
    pub(crate) emitters: Vec<Emitter>,
    /// What takes fluid out.
    pub(crate) sinks: Vec<Sink>,
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
    /// How positions follow velocities, if no body asks for another way.
    pub(crate) integrator: Integrator,
    /// What is known of elastic bodies.
    pub(crate) solids: Solids,
    /// Which particles belong to which rigid body.
    pub(crate) rigid: RigidParticles,
    /// What there is at present.
    pub(crate) census: Census,
    /// What bodies and models remember from step to step.
    pub memory: Memory,
}

/// The materials that particles are made of at present, by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Census {
    flowing: Vec<usize>,
    solid: Vec<usize>,
}

impl World {
    /// The material of particle `i`; walls have none.
    pub fn material_at(&self, i: usize) -> Option<&Material> {
        let is_matter = self.kinds.matter().contains(&i);
        if is_matter { self.materials.get(self.particles.material[i] as usize) } else { None }
    }

    /// The materials that flowing matter is made of at present.
    pub(crate) fn flowing_materials(&self) -> impl Iterator<Item = &Material> {
        self.census.flowing.iter().filter_map(|&material| self.materials.get(material))
    }

    /// Their indices.
    pub(crate) fn flowing_indices(&self) -> &[usize] {
        &self.census.flowing
    }

    /// The materials that all matter is made of at present.
    pub(crate) fn materials_in_use(&self) -> impl Iterator<Item = &Material> {
        let both = self.census.solid.iter().chain(&self.census.flowing);
        both.filter_map(|&material| self.materials.get(material))
    }

    /// Are there fluids of different density?
    pub(crate) fn has_mixed_fluids(&self) -> bool {
        let mut densities = self.flowing_materials().map(|material| material.density);
        let first = densities.next();
        densities.any(|density| Some(density) != first)
    }

    /// Finds the materials in use, after particles were added, removed or changed.
    pub(crate) fn take_census(&mut self) {
        let World { kinds, particles, materials, census, .. } = self;
        let of = |range: std::ops::Range<usize>, found: &mut Vec<usize>| {
            found.clear();
            found.reserve(materials.len());
            // Neighbours in memory mostly are of one material.
            let mut last = None;
            for &material in &particles.material[range] {
                if last != Some(material) && !found.contains(&(material as usize)) {
                    found.push(material as usize);
                }
                last = Some(material);
            }
            found.sort_unstable();
        };
        of(kinds.flowing(), &mut census.flowing);
        of(kinds.solid(), &mut census.solid);
    }

    /// Inverse rest density of particle `i` [m³/kg]: how easily pressure moves it alone. Zero for what paths move.
    #[inline]
    pub(crate) fn mobility(&self, i: usize) -> Real {
        let is_held = || self.kinds.response(i) == Response::Fixed || self.particles.clamp[i] > 0;
        if !self.kinds.matter().contains(&i) || is_held() { 0.0 } else { 1.0 / self.particles.rest_density[i] }
    }

    /// The name of the body that particle `i` belongs to.
    pub fn name_of(&self, i: usize) -> &str {
        let body = self.particles.body.get(i).and_then(|&body| self.bodies.get(body as usize));
        body.map_or("", |body| &body.name)
    }

    /// The body or wall with an identifier, unless it was removed.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id.slot as usize).filter(|body| body.generation == id.generation && !body.is_removed)
    }

    /// Fills `out` with a number per particle: what its material says where matter flows, 0 for solids, what its body says
    /// for walls.
    pub(crate) fn by_fluid_and_wall(
        &self,
        out: &mut Vec<Real>,
        of_fluid: impl Fn(&Material) -> Real,
        of_wall: impl Fn(&Body) -> Real,
    ) {
        out.clear();
        out.resize(self.kinds.solid().len(), 0.0);
        // Neighbours in memory mostly are of one material and body: ask again only when it changes.
        extend(out, &self.particles.material[self.kinds.flowing()], |material| of_fluid(&self.materials[material]));
        extend(out, &self.particles.body[self.kinds.walls()], |body| of_wall(&self.bodies[body]));
    }
}

/// Appends what `value` says of each index.
fn extend(out: &mut Vec<Real>, indices: &[u32], value: impl Fn(usize) -> Real) {
    let mut last = (u32::MAX, 0.0);
    out.extend(indices.iter().map(|&index| {
        if index != last.0 {
            last = (index, value(index as usize));
        }
        last.1
    }));
}
