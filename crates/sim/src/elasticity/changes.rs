//! Bonded particles come and go, are bonded anew and parted: what must be known of solids follows.
//!
//! What it costs depends on what changes: lists of bonds of the particles concerned and of those they are bonded to, the
//! neighbourhoods at rest of these, the meshes of their bodies. (And a look at which body each bonded particle belongs to.)
//!
//! A bond that is made between particles as they are has the vector between them, turned back by the rotation of their
//! neighbourhoods, as its vector at rest: then it carries no stress (Sol09 5.1).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::explicit::fastest_oscillation;
use super::law::Law;
use super::rotation::{Extent, outer, rotation_in};
use super::solids::Solids;
use crate::real::{Mat3, Real, Vec3, narrow_matrix};
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

    /// Bonds two particles as they are now, in neighbourhoods that have turned so.
    pub(crate) fn tie(&mut self, world: &World, (i, j): (usize, usize), turned: [Mat3; 2]) {
        if i == j || self.bonds.is_tied(i, j) {
            return;
        }
        let (position, id) = (&world.particles.position, &world.particles.id);
        let rotation = rotation_in(turned[0] + turned[1], Extent::Volume);
        let rest = world.dimension.flatten(rotation.transpose() * world.domain.shortest(position[j] - position[i]));
        let (key, along) = if id[i] < id[j] { ((id[i], id[j]), rest) } else { ((id[j], id[i]), -rest) };
        self.born.insert(key, along);
        let weigh = self.weighing(world);
        self.bonds.tie((i, j), rest, &weigh);
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

    /// The rotation of a bonded particle's neighbourhood since it was at rest; none if it has no bonds.
    pub(crate) fn rotation_at(&self, world: &World, i: usize) -> Mat3 {
        let position = &world.particles.position;
        let moment = self.bonds.of(i).fold(Mat3::ZERO, |moment, (j, rest, weight)| {
            moment + outer(world.domain.shortest(position[j] - position[i]), rest * weight)
        });
        match self.sites[i].extent {
            Extent::Point => Mat3::ZERO,
            extent => rotation_in(moment * self.sites[i].correction, extent),
        }
    }
}
