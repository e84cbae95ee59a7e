//! The particles of rigid bodies: which are whose, and which are at the surface.
//!
//! Particles read of their own body what they did when it was made, as those of elastic bodies do. Who reads little is at the
//! surface, and its normal is against the gradient of what it reads:
//!
//! ```text
//! n_i = −Σ_j V0_j ∇W_ij / |…|
//! ```
//!
//! On a face this is the normal of the face, and the sum has the length that it has at the edge of a half-space. Where it is longer,
//! there is an edge or a corner: it touches others, but has no face that others could touch. A plate of one layer has two faces.

use std::ops::Range;

use glam::DMat3;
use rayon::prelude::*;

use crate::elasticity::{Directions, Extent, LARGEST_OWN_SHARE};
use crate::kernel::Kernel;
use crate::neighbors::{Bonds, Crowded, Pairs};
use crate::real::{Real, Vec3, narrow, wide};
use crate::world::{BodyId, Domain, Kinds, Particles, RigidBody, World};

/// The slope of a particle is the length of its gradient over the sum of its parts' lengths. On a face it is that of a lattice which
/// fills half of space, times a factor of this range: behind a face it is a tenth, on an edge of a box 1.6.
const ON_FACE: [Real; 2] = [0.5, 1.3];

/// Who has no slope is inside, or on a plate or rod, whose sides cancel: these read at most 0.8 of a full neighbourhood.
const AT_SURFACE: Real = 0.9;

/// What of a body a particle is, in the axes that the body was made in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Site {
    /// Behind the surface.
    #[default]
    Inside,
    /// On a face with this normal.
    Face(Vec3),
    /// On a plate of one layer with this axis.
    Plate(Vec3),
    /// On an edge or corner, a rod, or alone.
    Edge,
}

/// Which particles belong to which rigid body.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidParticles {
    /// Runs of them in memory: the place of the body among the rigid ones, and its particles.
    pub(super) runs: Vec<(usize, Range<usize>)>,
    /// The rigid body of each slot.
    bodies: Vec<Option<usize>>,
    /// The index of the first of them.
    pub(super) first: usize,
    /// What each and those of its body add to its Σ V0 W.
    share: Vec<Real>,
    /// Slots of two that a joint lets pass through each other.
    pub(super) parted: Vec<[u32; 2]>,
    /// Walls that bodies are joined to.
    pub(super) walls: Vec<BodyId>,
    sites: Vec<Site>,
    /// The way of each to the surface of its body, in the axes that the body was made in.
    pub(super) ways: Vec<Vec3>,
    /// The volume of a fluid around a body that friction ties to it, over its mass: the largest of all [m³/kg].
    bound: Real,
}

impl RigidParticles {
    /// Of the rigid particles of a world.
    fn of(world: &World, pairs: &Pairs, lattice_sum: Real) -> Result<Self, Crowded> {
        let rigid = world.kinds.rigid();
        let mut bodies = vec![None; world.bodies.len()];
        world.memory.rigid.iter().enumerate().for_each(|(k, rigid)| bodies[rigid.body.slot as usize] = Some(k));
        let mut runs = Vec::<(usize, Range<usize>)>::new();
        for i in rigid.clone() {
            let Some(body) = bodies[world.particles.body[i] as usize] else { continue };
            match runs.last_mut().filter(|(last, _)| *last == body) {
                Some((_, run)) => run.end = i + 1,
                None => runs.push((body, i..i + 1)),
            }
        }
        let near = Undeformed::of(world, pairs)?;
        let share = near.each(|i| near.share(i).min(LARGEST_OWN_SHARE * lattice_sum));
        let slope = slope_of_face(pairs.kernel(), world.spacing);
        let sites = near.each(|i| near.site(i, world, (slope, AT_SURFACE * lattice_sum)));
        let mut bound = vec![0.0; world.memory.rigid.len()];
        for (body, run) in &runs {
            let mass = world.memory.rigid[*body].mass as Real;
            bound[*body] += run.clone().fold(0.0, |sum: Real, i| {
                let open = 1.0 - near.share(i - rigid.start) / lattice_sum;
                sum + world.particles.rest_volume[i] * open.max(0.0) / mass
            });
        }
        let bound = bound.into_iter().fold(0.0, Real::max);
        let ways = near.each(|i| near.way_to_surface(i, &sites, world.spacing));
        let (first, parted, walls) = (rigid.start, Vec::new(), Vec::new());
        Ok(RigidParticles { runs, bodies, first, share, sites, ways, bound, parted, walls })
    }

    /// The place of a body among the rigid ones, by its slot.
    pub(super) fn body(&self, slot: u32) -> Option<usize> {
        self.bodies.get(slot as usize).copied().flatten()
    }

    /// What the k-th of them and those of its body add to its Σ V0 W.
    #[inline(always)]
    pub(crate) fn share(&self, k: usize) -> Option<Real> {
        self.share.get(k).copied()
    }

    /// Kinematic viscosity of a fluid over its dynamic one, if it were as easily braked as the body that gives way most [m³/kg].
    pub(crate) fn largest_bound(&self) -> Real {
        self.bound
    }

    /// Does a joint let these two pass through each other, by their slots?
    pub(super) fn are_parted(&self, a: u32, b: u32) -> bool {
        self.parted.iter().any(|parted| *parted == [a, b] || *parted == [b, a])
    }

    /// The first particle of a body.
    pub(super) fn first_of(&self, body: usize) -> Option<usize> {
        self.runs.iter().find(|(other, _)| *other == body).map(|(_, run)| run.start)
    }

    /// What of its body particle `i` is.
    pub(super) fn site(&self, i: usize) -> Site {
        self.sites[i - self.first]
    }
}

/// The neighbourhoods of rigid particles where they were when their bodies were made.
pub(super) struct Undeformed<'a> {
    pairs: Pairs,
    shape: Particles,
    body: &'a [u32],
}

impl<'a> Undeformed<'a> {
    fn of(world: &'a World, pairs: &Pairs) -> Result<Self, Crowded> {
        let rigid = world.kinds.rigid();
        let mut shape = Particles::zeroed(rigid.len());
        shape.position.copy_from_slice(&world.particles.anchor[rigid.clone()]);
        shape.rest_volume.copy_from_slice(&world.particles.rest_volume[rigid.clone()]);
        let mut near = Pairs::new(*pairs.kernel(), 0, Domain::default(), pairs.instruction_set());
        near.update(&mut shape, &Kinds::fluid_alone(rigid.len()), 0.0, &Bonds::default(), &mut Vec::new())?;
        Ok(Undeformed { pairs: near, shape, body: &world.particles.body[rigid] })
    }

    fn each<T: Send>(&self, value: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        (0..self.body.len()).into_par_iter().map(value).collect()
    }

    pub(super) fn kernel(&self) -> &Kernel {
        self.pairs.kernel()
    }

    /// Particles of the same body, each with the vector from it.
    pub(super) fn around(&self, i: usize) -> impl Iterator<Item = (usize, Vec3)> {
        let own = self.pairs.neighbors(i).filter(move |&j| self.body[j] == self.body[i]);
        own.map(move |j| (j, self.shape.position[i] - self.shape.position[j]))
    }

    fn share(&self, i: usize) -> Real {
        let (kernel, volume) = (self.pairs.kernel(), &self.shape.rest_volume);
        self.around(i).fold(volume[i] * kernel.value(0.0), |sum, (j, r)| sum + volume[j] * kernel.value(r.length()))
    }

    fn site(&self, i: usize, world: &World, (of_face, at_surface): (Real, Real)) -> Site {
        let (mut gradient, mut length, mut moment) = (Vec3::ZERO, 0.0, DMat3::ZERO);
        for (j, r) in self.around(i) {
            let part = self.pairs.kernel().gradient(r) * self.shape.rest_volume[j];
            (gradient, length) = (gradient - part, length + part.length());
            let wide = wide(r) * f64::from(part.length());
            moment += DMat3::from_cols(wide * f64::from(r.x), wide * f64::from(r.y), wide * f64::from(r.z));
        }
        let slope = gradient.length() / length.max(Real::MIN_POSITIVE) / of_face;
        if slope > ON_FACE[0] {
            return if slope < ON_FACE[1] { Site::Face(gradient.normalize_or_zero()) } else { Site::Edge };
        }
        if self.share(i) > at_surface {
            return Site::Inside;
        }
        match Directions::of(moment, world.dimension).extent {
            Extent::Sheet(across) => Site::Plate(across),
            Extent::Line(along) if world.dimension == crate::real::Dimension::Two => {
                Site::Plate(Vec3::new(-along.y, along.x, 0.0))
            }
            _ => Site::Edge,
        }
    }
}

/// The slope of a particle on the face of a lattice that fills half of space.
fn slope_of_face(kernel: &Kernel, spacing: Real) -> Real {
    let reach = (kernel.support() / spacing).ceil() as i32;
    let extent = |axis: i32| if axis < kernel.dimension().count() as i32 { reach } else { 0 };
    let (mut gradient, mut length) = (Vec3::ZERO, 0.0);
    for x in -extent(0)..=extent(0) {
        for y in -extent(1)..=0 {
            for z in -extent(2)..=extent(2) {
                let r = Vec3::new(x as Real, y as Real, z as Real) * spacing;
                if r != Vec3::ZERO && r.length() < kernel.support() {
                    let part = kernel.gradient(r);
                    (gradient, length) = (gradient + part, length + part.length());
                }
            }
        }
    }
    gradient.length() / length.max(Real::MIN_POSITIVE)
}

impl World {
    /// Finds the rigid bodies among the particles. One that is as it was keeps its state; another starts where its particles are.
    pub(crate) fn find_rigid_bodies(&mut self, pairs: &Pairs, lattice_sum: Real) -> Result<(), Crowded> {
        let mut members = vec![Vec::new(); self.bodies.len()];
        for i in self.kinds.rigid() {
            members[self.particles.body[i] as usize].push(i);
        }
        let known = std::mem::take(&mut self.memory.rigid);
        for (slot, members) in members.iter().enumerate() {
            let Some(&first) = members.first() else { continue };
            let id = self.bodies[slot].id(slot);
            let as_before = known.iter().find(|rigid| rigid.body == id && rigid.particles == members.len());
            let rigid = as_before.copied().unwrap_or_else(|| {
                let Particles { position, anchor, .. } = &mut self.particles;
                for &i in members {
                    anchor[i] = position[first] + self.domain.shortest(position[i] - position[first]);
                }
                RigidBody::of(id, &self.particles, members.iter().copied(), self.dimension)
            });
            self.memory.rigid.push(rigid);
        }
        self.rigid = RigidParticles::of(self, pairs, lattice_sum)?;
        self.find_joined();
        self.pose_rigid_bodies();
        Ok(())
    }

    /// The rigid bodies there are.
    pub(crate) fn rigid_bodies(&self) -> impl Iterator<Item = &RigidBody> {
        self.memory.rigid.iter().filter(|rigid| self.body(rigid.body).is_some())
    }

    /// Does particle `i` belong to a rigid body whose state is known?
    pub(crate) fn has_rigid_state(&self, i: usize) -> bool {
        self.kinds.rigid().contains(&i) && self.rigid.body(self.particles.body[i]).is_some()
    }

    /// Puts the particles of rigid bodies where these are, with the velocities that they have there.
    pub(super) fn pose_rigid_bodies(&mut self) {
        let World { particles, rigid, memory, dimension, domain, .. } = self;
        let Particles { position, remainder, velocity, anchor, .. } = particles;
        for (body, run) in &rigid.runs {
            let state = &memory.rigid[*body];
            let (turn, spin) = (state.turn(), state.spin(*dimension));
            let columns = (
                &mut position[run.clone()],
                &mut remainder[run.clone()],
                &mut velocity[run.clone()],
                &anchor[run.clone()],
            );
            let columns = columns.into_par_iter().with_min_len(super::PARTICLES_PER_TASK);
            columns.for_each(|(position, remainder, velocity, anchor)| {
                let r = turn * (wide(*anchor) - state.first_centre);
                let place = state.centre + r;
                let near = dimension.flatten(narrow(place));
                *position = domain.wrap(near);
                *remainder = dimension.flatten(narrow(place - wide(near)));
                *velocity = dimension.flatten(narrow(state.velocity + spin.cross(r)));
            });
        }
    }
}
