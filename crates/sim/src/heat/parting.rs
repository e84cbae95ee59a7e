//! Have solids fallen apart, of which particles have melted?

use std::collections::BTreeSet;

use crate::world::World;

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
}
