//! Solids that have fallen apart become several bodies.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::StepError;
use crate::simulation::Simulation;
use crate::world::{Body, BodyKind, KindId, World};

impl Simulation {
    /// Makes solids that have fallen apart several bodies.
    pub(crate) fn split_solids(&mut self, concerned: &BTreeSet<u32>) -> Result<(), StepError> {
        let parts = self.world.loose_parts(|slot| concerned.contains(&slot));
        if parts.is_empty() {
            return Ok(());
        }
        let changed = self.change(&[], |batch, world| {
            for (body, part) in &parts {
                let slot = world.part_of(*body);
                for &i in part {
                    world.hand_over(i, slot);
                }
                // Bonds that no longer weigh may be left between the two.
                for &i in part {
                    let is_other = |j: &usize| world.particles.body[*j] != slot;
                    let others: Vec<_> = world.solids.bonds.all_of(i).filter(is_other).collect();
                    for j in others {
                        world.part(i, j);
                        batch.touch(world, i, j);
                    }
                }
                batch.bodies.extend([*body, slot]);
            }
        });
        changed.map_err(|error| StepError::Phases(error.to_string()))?;
        Ok(())
    }
}

impl World {
    /// A body that nothing belongs to yet, called after another.
    pub(crate) fn new_body(&mut self, after: u32) -> u32 {
        let name = self.bodies[after as usize].name.clone();
        self.take_slot(Body { is_reshaped: true, ..Body::new(name, BodyKind::Matter, 0) }).slot
    }

    /// A body that is to be a part of another: whatever holds its particles goes on doing so.
    fn part_of(&mut self, whole: u32) -> u32 {
        let Body { name, clamps, .. } = self.bodies[whole as usize].clone();
        let slot = self.take_slot(Body { is_reshaped: true, clamps, ..Body::new(name, BodyKind::Matter, 0) }).slot;
        let vibrations = &mut self.memory.vibrations;
        if let Some(&of_whole) = vibrations.get(whole as usize) {
            vibrations.resize(vibrations.len().max(slot as usize + 1), of_whole);
            vibrations[slot as usize] = of_whole;
        }
        slot
    }

    /// May bodies be in several parts when these bonds are broken? Not while all pairs have a neighbour in common.
    pub(crate) fn may_be_apart(&self, broken: &[(usize, usize)]) -> bool {
        broken.iter().any(|&(i, j)| {
            let near: BTreeSet<_> = self.solids.holding(i).collect();
            !self.solids.holding(j).any(|k| near.contains(&k))
        })
    }

    /// Particle `i` belongs to a body from now on. A body without particles is none.
    pub(crate) fn hand_over(&mut self, i: usize, slot: u32) {
        let before = std::mem::replace(&mut self.particles.body[i], slot);
        self.bodies[slot as usize].particles += 1;
        let emptied = &mut self.bodies[before as usize];
        emptied.particles -= 1;
        emptied.is_removed = emptied.particles == 0;
        self.bodies[slot as usize].is_removed = false;
    }

    /// Parts of such solids that no bond connects to the largest part of their body, each with the slot of the body.
    pub(crate) fn loose_parts(&self, is_such: impl Fn(u32) -> bool) -> Vec<(u32, Vec<usize>)> {
        let bonded = self.kinds.segment(KindId::ELASTIC);
        let (body, id) = (&self.particles.body, &self.particles.id);
        let mut part_of = vec![usize::MAX; bonded.len()];
        let mut parts = Vec::<Vec<usize>>::new();
        let mut of_body = BTreeMap::<u32, Vec<usize>>::new();
        for seed in bonded.clone().filter(|&i| is_such(body[i])) {
            if part_of[seed] != usize::MAX {
                continue;
            }
            let mut part = Vec::new();
            let mut open = vec![seed];
            part_of[seed] = parts.len();
            while let Some(i) = open.pop() {
                part.push(i);
                for j in self.solids.holding(i) {
                    if part_of[j] == usize::MAX && body[j] == body[seed] {
                        part_of[j] = parts.len();
                        open.push(j);
                    }
                }
            }
            part.sort_unstable_by_key(|&i| id[i]);
            of_body.entry(body[seed]).or_default().push(parts.len());
            parts.push(part);
        }
        let mut loose = Vec::new();
        for (slot, mut own) in of_body {
            own.sort_by_key(|&k| (std::cmp::Reverse(parts[k].len()), id[parts[k][0]]));
            loose.extend(own.into_iter().skip(1).map(|k| (slot, std::mem::take(&mut parts[k]))));
        }
        loose
    }
}
