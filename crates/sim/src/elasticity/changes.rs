//! Bonded particles come and go, are bonded anew and parted: what must be known of solids follows.
//!
//! What it costs depends on what changes: lists of bonds of the particles concerned and of those they are bonded to, the
//! neighbourhoods at rest of these, the meshes of their bodies. (And a look at which body each bonded particle belongs to.)
//!
//! A bond that is made between particles as they are has the vector between them, turned back by the rotation of their
//! neighbourhood, as its vector at rest: then it carries no stress (Sol09 5.1). Neighbourhoods of one body turn nearly alike;
//! two bodies that become one do not, so that one of them is turned at rest first, which nothing feels.

use std::collections::BTreeSet;

use glam::DMat3;
use serde::{Deserialize, Serialize};

use super::explicit::fastest_oscillation;
use super::law::Law;
use super::rotation::{Extent, outer, rotation_in};
use super::solids::{Directions, Solids};
use crate::real::{Dimension, Mat3, Real, Vec3, narrow_matrix};
use crate::world::World;

/// A bond of a body that does not follow from its undeformed shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredBond {
    /// The identifiers of its particles, the lower first.
    pub particles: [u32; 2],
    /// The vector at rest from the first to the second [m]; that of the shape unless given.
    pub rest: Option<[Real; 3]>,
}

impl Solids {
    /// The bonds of bodies that do not follow from their shape, each once.
    pub(crate) fn stored(&self, world: &World) -> Vec<StoredBond> {
        let (id, body) = (&world.particles.id, &world.particles.body);
        let is_reshaped = |i: &usize| world.bodies[body[*i] as usize].is_reshaped;
        let bonds = |i: usize| {
            let later = self.bonds.all_of(i).filter(move |&j| id[i] < id[j]);
            later.map(move |j| {
                let particles = [id[i], id[j]];
                StoredBond { particles, rest: self.born.get(&(id[i], id[j])).map(|rest| rest.to_array()) }
            })
        };
        (0..self.len()).filter(is_reshaped).flat_map(bonds).collect()
    }

    /// Makes stored bonds.
    pub(super) fn tie_stored(&mut self, world: &World, stored: &[StoredBond]) {
        if stored.is_empty() {
            return;
        }
        let id = &world.particles.id;
        let mut places: Vec<_> = (0..self.bonds.len()).map(|i| (id[i], i)).collect();
        places.sort_unstable();
        let place = |id: u32| Some(places[places.binary_search_by_key(&id, |&(id, _)| id).ok()?].1);
        let weigh = self.weighing(world);
        for &StoredBond { particles: [a, b], rest } in stored {
            let (Some(i), Some(j)) = (place(a), place(b)) else { continue };
            if let Some(rest) = rest {
                self.born.insert((a, b), Vec3::from_array(rest));
            }
            let rest = self.exact_rest(world, i, j);
            self.bonds.tie((i, j), rest, &weigh);
        }
    }

    /// The vector from bonded particle `i` to `j` at rest, as exact as places are.
    pub(super) fn exact_rest(&self, world: &World, i: usize, j: usize) -> Vec3 {
        let (id, anchor) = (&world.particles.id, &world.particles.anchor);
        let shape = || world.domain.shortest(anchor[j] - anchor[i]);
        match self.born.is_empty() {
            true => shape(),
            false if id[i] < id[j] => self.born.get(&(id[i], id[j])).copied().unwrap_or_else(shape),
            false => self.born.get(&(id[j], id[i])).map_or_else(shape, |rest| -*rest),
        }
    }

    /// Bonds two particles as they are now, in a neighbourhood that has turned so.
    pub(crate) fn tie(&mut self, world: &World, (i, j): (usize, usize), turned: Mat3) {
        if i == j || self.bonds.is_tied(i, j) {
            return;
        }
        let position = &world.particles.position;
        let rest = world.dimension.flatten(turned.transpose() * world.domain.shortest(position[j] - position[i]));
        let rest = self.note_rest(world, (i, j), rest);
        let weigh = self.weighing(world);
        self.bonds.tie((i, j), rest, &weigh);
    }

    /// Turns all bonds within a body at rest: a body is at rest in any orientation. Says which particles it concerns.
    pub(crate) fn turn_rest(&mut self, world: &World, body: u32, turn: Mat3) -> Vec<usize> {
        let weigh = self.weighing(world);
        let members: Vec<_> = (0..self.len()).filter(|&i| world.particles.body[i] == body).collect();
        for &i in &members {
            for j in self.bonds.all_of(i).filter(|&j| j > i).collect::<Vec<_>>() {
                let rest = world.dimension.flatten(turn * self.exact_rest(world, i, j));
                let rest = self.note_rest(world, (i, j), rest);
                self.bonds.cut(i, j);
                self.bonds.tie((i, j), rest, &weigh);
            }
        }
        members
    }

    /// Notes the vector at rest from `i` to `j`, as it follows from no shape.
    fn note_rest(&mut self, world: &World, (i, j): (usize, usize), rest: Vec3) -> Vec3 {
        let id = &world.particles.id;
        let (key, along) = if id[i] < id[j] { ((id[i], id[j]), rest) } else { ((id[j], id[i]), -rest) };
        self.born.insert(key, along);
        rest
    }

    /// Breaks the bond of two particles.
    pub(crate) fn cut(&mut self, world: &World, i: usize, j: usize) {
        let id = &world.particles.id;
        self.born.remove(&(id[i].min(id[j]), id[i].max(id[j])));
        self.bonds.cut(i, j);
    }

    /// Breaks all bonds of a particle; says with whom.
    pub(crate) fn release(&mut self, world: &World, i: usize) -> Vec<usize> {
        let others = self.bonds.release(i);
        let id = &world.particles.id;
        for &j in &others {
            self.born.remove(&(id[i].min(id[j]), id[i].max(id[j])));
        }
        others
    }

    /// Two bonded particles change places.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        self.bonds.swap(a, b);
        self.sites.swap(a, b);
        self.share.swap(a, b);
        self.mesh_places.swap(a, b);
    }

    /// The particle after the last bonded one is bonded from now on.
    pub(crate) fn push(&mut self, world: &World) {
        self.bonds.push();
        let i = self.bonds.len() - 1;
        self.find_law(world, i);
        self.sites.push(self.site(i, world));
        self.share.push(self.share_of(i, &world.particles.rest_volume));
        self.mesh_places.push((0, 0));
    }

    /// The last bonded particle, who has no bonds left, is free from now on.
    pub(crate) fn pop(&mut self) {
        self.bonds.pop();
        self.sites.pop();
        self.share.pop();
        self.mesh_places.pop();
    }

    /// Bonds of these particles have changed, and these bodies have other particles, or the same in other places.
    pub(crate) fn update(&mut self, world: &World, particles: &BTreeSet<usize>, bodies: &BTreeSet<u32>) {
        self.find_runs(&world.particles);
        let first_of_runs: Vec<_> = self.runs.iter().map(|(_, range)| range.start).collect();
        self.find_laws(world, first_of_runs.into_iter());
        for &i in particles {
            self.sites[i] = self.site(i, world);
            self.share[i] = self.share_of(i, &world.particles.rest_volume);
        }
        let neighbors = particles.iter().flat_map(|&i| self.bonds.all_of(i));
        let concerned: BTreeSet<_> = neighbors.chain(particles.iter().copied()).collect();
        for i in concerned {
            self.sites[i].stiffness = narrow_matrix(self.stiffness(i, world));
        }
        self.make_meshes(world, |body| bodies.contains(&body));
        let is_explicit = |law: &Law| !law.is_implicit();
        self.fastest = if self.any(is_explicit) { fastest_oscillation(world, self) } else { 0.0 };
    }

    /// Where the bonds of a bonded particle point now, and where they did at rest.
    pub(crate) fn moments_at(&self, world: &World, i: usize) -> Moments {
        let position = &world.particles.position;
        let bonds = self.bonds.of(i).map(|(j, rest, weight)| {
            let now = world.domain.shortest(position[j] - position[i]);
            Moments { now: outer(now, rest * weight), rest: outer(rest, rest * weight) }
        });
        bonds.fold(Moments::default(), Moments::plus)
    }
}

/// Of bonds, Σ ω x ⊗ x⁰ and Σ ω x⁰ ⊗ x⁰.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    now: Mat3,
    rest: Mat3,
}

impl Default for Moments {
    fn default() -> Self {
        Moments { now: Mat3::ZERO, rest: Mat3::ZERO }
    }
}

impl Moments {
    pub(crate) fn plus(self, other: Self) -> Self {
        Moments { now: self.now + other.now, rest: self.rest + other.rest }
    }

    /// Of the same bonds, turned at rest.
    pub(crate) fn turned(self, turn: Mat3) -> Self {
        let back = turn.transpose();
        Moments { now: self.now * back, rest: turn * self.rest * back }
    }

    /// How far they have turned since they were at rest; none if there are no bonds. Together, bonds tell even where each
    /// particle alone has neighbours on a line.
    pub(crate) fn rotation(&self, dimension: Dimension) -> Option<Mat3> {
        let rest = DMat3::from_cols_array(&self.rest.to_cols_array().map(f64::from));
        match Directions::of(rest, dimension) {
            Directions { extent: Extent::Point, .. } => None,
            Directions { extent, inverse, .. } => Some(rotation_in(self.now * narrow_matrix(inverse), extent)),
        }
    }
}
