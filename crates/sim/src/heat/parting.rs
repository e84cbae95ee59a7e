//! Have solids fallen apart, of which particles have melted?

use std::collections::{BTreeMap, BTreeSet};

use crate::world::{KindId, World};

impl World {
    /// May solids be in several parts when these particles have left them? Not if those around each hole are still connected by
    /// bonds among themselves: then every way through the hole has a way around it.
    pub(super) fn may_fall_apart(&self, leaving: &[usize]) -> bool {
        let leaves = |i: &usize| leaving.binary_search(i).is_ok();
        let mut seen = BTreeSet::new();
        leaving.iter().any(|&seed| {
            if !seen.insert(seed) {
                return false;
            }
            let (mut open, mut around) = (vec![seed], BTreeSet::new());
            while let Some(i) = open.pop() {
                for j in self.solids.holding(i) {
                    match leaves(&j) {
                        true if seen.insert(j) => open.push(j),
                        true => {}
                        false => _ = around.insert(j),
                    }
                }
            }
            open.extend(around.pop_first());
            while let Some(i) = open.pop() {
                open.extend(self.solids.holding(i).filter(|j| around.remove(j)));
            }
            !around.is_empty()
        })
    }

    /// Parts of such solids that no bond connects to the largest part of their body, each with the slot of the body.
    pub(super) fn loose_parts(&self, is_such: impl Fn(u32) -> bool) -> Vec<(u32, Vec<usize>)> {
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
