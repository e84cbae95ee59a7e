//! Between steps, matter changes kind, body and bonds: what melts, freezes, splits and merges is made of this.
//!
//! All changes of a call are made together, in one renumbering: a particle that leaves the segment of its kind changes
//! places with the last of the segment (or the first), and segments shift by one. So only as many particles move as change,
//! and one more for each segment between; whoever holds an index is told ([`Renumbering`]): columns, bonds, meshes, loads.
//! Lists of neighbours are made anew before the next step. Identifiers of particles (probes, skins) and of bodies stay.

mod parts;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::error::SetupError;
use crate::real::Mat3;
use crate::simulation::{Due, Simulation};
use crate::world::{Body, BodyId, KindId, Load, Structure, World};

/// Where particles have moved in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renumbering {
    /// From where each of them came, by where it is now.
    origins: BTreeMap<usize, usize>,
    /// Where each of them is now, by where it was.
    places: BTreeMap<usize, usize>,
}

impl Renumbering {
    /// Every particle that has moved: where it was, and where it is now.
    pub fn moved(&self) -> impl Iterator<Item = (usize, usize)> {
        self.places.iter().map(|(&before, &now)| (before, now)).filter(|(before, now)| before != now)
    }

    /// Where the particle is now that was at an index before.
    pub fn place_of(&self, before: usize) -> usize {
        self.places.get(&before).copied().unwrap_or(before)
    }

    /// Two particles have changed places.
    fn swap(&mut self, a: usize, b: usize) {
        let [from_a, from_b] = [a, b].map(|i| self.origins.get(&i).copied().unwrap_or(i));
        for (now, before) in [(a, from_b), (b, from_a)] {
            self.origins.insert(now, before);
            self.places.insert(before, now);
        }
    }
}

/// A batch of changes.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) renumbering: Renumbering,
    /// Particles whose bonds have changed.
    pub(crate) particles: BTreeSet<usize>,
    /// Bodies whose particles have changed, or moved.
    pub(crate) bodies: BTreeSet<u32>,
}

impl Batch {
    /// Two particles change places.
    fn swap(&mut self, world: &mut World, a: usize, b: usize) {
        self.bodies.extend([a, b].map(|i| world.particles.body[i]));
        if a == b {
            return;
        }
        world.particles.swap(a, b);
        if world.solids.len() > a.max(b) {
            world.solids.swap(a, b);
            // Sums over bonds go by the order of memory.
            let bonds = &world.solids.bonds;
            self.particles.extend([a, b].into_iter().chain(bonds.all_of(a)).chain(bonds.all_of(b)));
        }
        self.renumbering.swap(a, b);
    }

    /// Moves a particle to the segment of another kind, from segment to segment; says where it is then.
    pub(crate) fn transfer(&mut self, world: &mut World, mut i: usize, to: KindId) -> usize {
        while let Some((here, next)) = world.kinds.towards(i, to) {
            let segment = world.kinds.segment(here);
            let is_forwards = world.kinds.segment(next).start >= segment.end;
            if world.kinds.is_bonded(here) {
                let others = world.release(i);
                self.particles.extend(others);
            }
            let edge = if is_forwards { segment.end - 1 } else { segment.start };
            self.swap(world, i, edge);
            i = edge;
            if world.kinds.is_bonded(here) {
                self.particles.remove(&i);
                world.solids.pop();
            }
            world.kinds.count(here, -1);
            world.kinds.count(next, 1);
            let particles = &mut world.particles;
            (particles.phase[i], particles.clamp[i]) = (next.0, 0);
            if world.kinds.is_bonded(next) {
                // A place at rest of its own: its bonds will know better, and its body's shape no longer tells them.
                particles.anchor[i] = particles.position[i];
                crate::elasticity::forget(particles, i);
                world.bodies[particles.body[i] as usize].is_reshaped = true;
                world.add_bonded();
                self.particles.insert(i);
            }
        }
        i
    }
}

impl World {
    /// Breaks all bonds of a particle; says with whom.
    fn release(&mut self, i: usize) -> Vec<usize> {
        let mut solids = std::mem::take(&mut self.solids);
        let others = solids.release(self, i);
        self.solids = solids;
        others
    }

    fn add_bonded(&mut self) {
        let mut solids = std::mem::take(&mut self.solids);
        solids.push(self);
        self.solids = solids;
    }
}

impl Simulation {
    /// Makes particles, given by index, matter of another kind: solids that melt become fluid, fluid that freezes becomes
    /// solid and is bonded to nobody yet.
    pub fn transform(&mut self, particles: &[usize], kind: KindId) -> Result<Renumbering, SetupError> {
        let Some(structure) = self.world.kinds.get(kind).map(|kind| kind.structure) else {
            return Err(SetupError::NoSuchParticle { reason: "there is no such kind" });
        };
        if self.world.kinds.is_moved_by_path(kind) {
            return Err(SetupError::NoSuchParticle { reason: "matter does not become a wall" });
        }
        let is_rigid = |i: &usize| self.world.kinds.rigid().contains(i);
        if structure == Structure::Rigid || particles.iter().any(is_rigid) {
            return Err(SetupError::NoSuchParticle { reason: "rigid bodies keep their particles" });
        }
        if structure == Structure::Flowing && !self.settings.pressure.allows_fluids() {
            let body = particles.first().map_or(String::new(), |&i| self.world.name_of(i).to_owned());
            return Err(SetupError::NoFluids { body, solver: self.models.solver_name() });
        }
        let springs_back = |&i: &usize| self.world.material_at(i).is_some_and(|material| material.elastic.is_some());
        if structure == Structure::Bonded && !particles.iter().all(springs_back) {
            return Err(SetupError::NoSuchParticle { reason: "its material is not elastic" });
        }
        self.change(particles, |batch, world| {
            // Those that move may change places with others of the list: each is looked up by where it was.
            let mut asked: Vec<_> = particles.to_vec();
            asked.sort_unstable();
            asked.dedup();
            for origin in asked {
                let i = batch.renumbering.place_of(origin);
                batch.transfer(world, i, kind);
            }
        })
    }

    /// Makes some particles of a body, given by index, a body of their own; bonds between the two parts break.
    pub fn split_body(&mut self, body: BodyId, particles: &[usize], name: &str) -> Result<BodyId, SetupError> {
        self.refuse_rigid(body)?;
        let Some(whole) = self.world.body(body).filter(|body| !body.kind.is_wall()).cloned() else {
            return Err(SetupError::NoSuchBody { id: body.slot, expected: "body" });
        };
        let count = particles.iter().collect::<BTreeSet<_>>().len();
        if particles.iter().any(|&i| self.world.particles.body.get(i) != Some(&body.slot)) || count == 0 {
            return Err(SetupError::NoSuchParticle { reason: "it is not a particle of the body" });
        }
        let loads = Vec::new();
        let part = Body { name: name.to_owned(), particles: count, path: None, loads, ..whole };
        let id = self.world.take_slot(part);
        self.change(particles, |batch, world| {
            world.bodies[body.slot as usize].particles -= count;
            particles.iter().for_each(|&i| world.particles.body[i] = id.slot);
            batch.bodies.extend([body.slot, id.slot]);
            let bonded = world.kinds.bonded();
            for &i in particles.iter().filter(|i| bonded.contains(i)) {
                for j in world.solids.bonds.all_of(i).collect::<Vec<_>>() {
                    if world.particles.body[j] != id.slot {
                        world.part(i, j);
                        batch.particles.extend([i, j]);
                    }
                }
            }
        })?;
        Ok(id)
    }

    /// Makes two bodies one, `into` the first. They are bonded to each other when [`bond`](Self::bond) says so.
    pub fn join_bodies(&mut self, into: BodyId, from: BodyId) -> Result<(), SetupError> {
        for body in [into, from] {
            self.refuse_rigid(body)?;
            if self.world.body(body).is_none_or(|body| body.kind.is_wall()) || into == from {
                return Err(SetupError::NoSuchBody { id: body.slot, expected: "body" });
            }
        }
        self.change(&[], |batch, world| {
            let World { particles, bodies, .. } = world;
            let emptied = &mut bodies[from.slot as usize];
            let (clamps, loads) = (std::mem::take(&mut emptied.clamps), std::mem::take(&mut emptied.loads));
            let count = std::mem::take(&mut emptied.particles);
            emptied.is_removed = true;
            let whole = &mut bodies[into.slot as usize];
            let held_before = whole.clamps.len() as u32;
            whole.particles += count;
            whole.clamps.extend(clamps);
            whole.loads.extend(loads);
            // What lies near each other in the two shapes is not bonded for that.
            whole.is_reshaped = true;
            for (body, clamp) in particles.body.iter_mut().zip(&mut particles.clamp) {
                if *body == from.slot {
                    *body = into.slot;
                    *clamp += if *clamp > 0 { held_before } else { 0 };
                }
            }
            batch.bodies.extend([into.slot, from.slot]);
        })?;
        Ok(())
    }

    /// Bonds pairs of particles of one body, given by index, as they are now: their bonds carry no stress.
    pub fn bond(&mut self, pairs: &[(usize, usize)]) -> Result<(), SetupError> {
        let (bonded, body) = (self.world.kinds.bonded(), &self.world.particles.body);
        let is_sound = |&(i, j): &(usize, usize)| bonded.contains(&i) && bonded.contains(&j) && body[i] == body[j];
        if !pairs.iter().all(is_sound) {
            return Err(SetupError::NoSuchParticle { reason: "it is not a solid of the same body" });
        }
        self.change(&[], |batch, world| {
            let mut solids = std::mem::take(&mut world.solids);
            // As they are before any bond is made: afterwards, what is known of their neighbourhoods is not up to date.
            let moments: BTreeMap<_, _> =
                pairs.iter().flat_map(|&(i, j)| [i, j]).map(|i| (i, solids.moments_at(world, i))).collect();
            for &(i, j) in pairs {
                let turned = moments[&i].plus(moments[&j]).rotation(world.dimension);
                solids.tie(world, (i, j), turned.unwrap_or(Mat3::IDENTITY));
                batch.touch(world, i, j);
            }
            world.solids = solids;
        })?;
        Ok(())
    }

    /// Breaks the bonds of pairs of particles, given by index.
    pub fn break_bonds(&mut self, pairs: &[(usize, usize)]) -> Result<(), SetupError> {
        let bonded = self.world.kinds.bonded();
        if !pairs.iter().all(|(i, j)| bonded.contains(i) && bonded.contains(j)) {
            return Err(SetupError::NoSuchParticle { reason: "it is not a solid" });
        }
        self.change(&[], |batch, world| {
            for &(i, j) in pairs {
                world.part(i, j);
                batch.touch(world, i, j);
            }
        })?;
        Ok(())
    }

    /// The particles that particle `i` is bonded to, by index.
    pub fn bonds_of(&self, i: usize) -> impl Iterator<Item = usize> {
        let is_bonded = i < self.world.solids.len();
        is_bonded.then(|| self.world.solids.bonds.all_of(i)).into_iter().flatten()
    }

    fn refuse_rigid(&self, body: BodyId) -> Result<(), SetupError> {
        match self.rigid_body(body) {
            Some(_) => Err(SetupError::NoSuchParticle { reason: "rigid bodies keep their particles" }),
            None => Ok(()),
        }
    }

    /// Makes changes together, and brings everything up to date that they concern.
    pub(crate) fn change(
        &mut self,
        particles: &[usize],
        changes: impl FnOnce(&mut Batch, &mut World),
    ) -> Result<Renumbering, SetupError> {
        if !particles.iter().all(|i| self.world.kinds.matter().contains(i)) {
            return Err(SetupError::NoSuchParticle { reason: "it is not matter" });
        }
        if self.solids_due {
            self.prepare().map_err(|error| SetupError::Unprepared(error.to_string()))?;
        }
        let mut batch = Batch::default();
        changes(&mut batch, &mut self.world);
        // What changes kind passes the segments between, and moves who is there.
        if !self.world.memory.rigid.is_empty() {
            let found = self.world.find_rigid_bodies(&self.pairs, self.lattice_sum);
            found.map_err(|_| SetupError::NoSuchParticle { reason: "it has more neighbours than matter can have" })?;
        }
        let Batch { renumbering, particles, bodies } = batch;
        let mut solids = std::mem::take(&mut self.world.solids);
        solids.update(&self.world, &particles, &bodies);
        self.world.solids = solids;
        self.world.renumber_loads(&renumbering);
        self.world.take_census();
        self.pairs.matter_renumbered();
        self.due = Due::Anew;
        self.energy_is_given();
        Ok(renumbering)
    }
}

impl Batch {
    /// Turns a body at rest.
    pub(crate) fn turn_rest(&mut self, world: &mut World, slot: u32, turn: Mat3) {
        let mut solids = std::mem::take(&mut world.solids);
        self.particles.extend(solids.turn_rest(world, slot, turn));
        world.solids = solids;
        world.bodies[slot as usize].is_reshaped = true;
        self.bodies.insert(slot);
    }

    /// The bonds of two particles have changed, and no longer follow from the shape of their bodies.
    pub(crate) fn touch(&mut self, world: &mut World, i: usize, j: usize) {
        self.particles.extend([i, j]);
        for body in [i, j].map(|i| world.particles.body[i]) {
            world.bodies[body as usize].is_reshaped = true;
            self.bodies.insert(body);
        }
    }
}

impl World {
    /// Breaks the bond of two particles.
    pub(crate) fn part(&mut self, i: usize, j: usize) {
        let mut solids = std::mem::take(&mut self.solids);
        solids.cut(self, i, j);
        self.solids = solids;
    }

    /// Puts a new body in the first slot that is free.
    pub(crate) fn take_slot(&mut self, mut body: Body) -> BodyId {
        let bodies = &mut self.bodies;
        let slot = bodies.iter().position(|body| body.is_removed).unwrap_or(bodies.len());
        body.generation = bodies.get(slot).map_or(0, |before| before.generation.wrapping_add(1));
        let id = BodyId { slot: slot as u32, generation: body.generation };
        match bodies.get_mut(slot) {
            Some(free) => *free = body,
            None => bodies.push(body),
        }
        id
    }

    /// Loads follow those who bear them; a load that nobody bears is none.
    fn renumber_loads(&mut self, renumbering: &Renumbering) {
        let bonded = self.kinds.bonded();
        for body in &mut self.bodies {
            body.loads.iter_mut().for_each(|load| load.renumber(renumbering, &bonded));
            body.loads.retain(|load| !load.shares.is_empty());
        }
    }
}

impl Load {
    /// Whoever bears it bears it in its new place, while it is solid.
    fn renumber(&mut self, renumbering: &Renumbering, bonded: &Range<usize>) {
        for (particle, _) in &mut self.shares {
            *particle = renumbering.place_of(*particle as usize) as u32;
        }
        self.shares.retain(|(particle, _)| bonded.contains(&(*particle as usize)));
        self.shares.sort_unstable_by_key(|(particle, _)| *particle);
    }
}

#[cfg(test)]
mod tests;
