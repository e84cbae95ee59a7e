//! A short list of numbers for each point, all in one piece of memory.

use rayon::prelude::*;

/// Points that one task works on.
const POINTS_PER_TASK: usize = 512;

/// A list for each point.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

/// Lists that are being made, one after another.
#[derive(Default)]
pub(super) struct Builder {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Builder {
    /// Adds to the present list.
    pub(super) fn push(&mut self, item: u32) {
        self.items.push(item);
    }

    /// Ends the present list and begins another.
    pub(super) fn close(&mut self) {
        self.ends.push(self.items.len() as u32);
    }
}

impl Lists {
    /// The list of a point.
    pub(super) fn of(&self, point: usize) -> &[u32] {
        &self.items[self.start[point] as usize..self.start[point + 1] as usize]
    }

    /// Where the list of each point begins, and the end; and all lists, one after another.
    pub(super) fn into_parts(self) -> (Vec<u32>, Vec<u32>) {
        (self.start, self.items)
    }

    /// Lists that `fill` makes, one for each point, in parallel. `memory` is lent to it, as a call left it.
    pub(super) fn gather<M>(
        count: usize,
        memory: impl Fn() -> M + Sync + Send,
        fill: impl Fn(usize, &mut M, &mut Vec<u32>) + Sync,
    ) -> Lists {
        let memory = || (memory(), Vec::new());
        Lists::gather_groups(count, memory, |point, (memory, list), lists| {
            list.clear();
            fill(point, memory, list);
            lists.items.extend_from_slice(list);
            lists.close();
        })
    }

    /// Lists that `fill` makes, any number for each point, in parallel. `memory` is lent to it, as a call left it.
    pub(super) fn gather_groups<M>(
        count: usize,
        memory: impl Fn() -> M + Sync + Send,
        fill: impl Fn(usize, &mut M, &mut Builder) + Sync,
    ) -> Lists {
        let parts: Vec<Builder> = (0..count.div_ceil(POINTS_PER_TASK))
            .into_par_iter()
            .map_init(memory, |memory, part| {
                let mut lists = Builder::default();
                (part * POINTS_PER_TASK..count.min((part + 1) * POINTS_PER_TASK))
                    .for_each(|point| fill(point, memory, &mut lists));
                lists
            })
            .collect();
        let mut lists = Lists { start: vec![0], items: Vec::new() };
        lists.items.reserve(parts.iter().map(|part| part.items.len()).sum());
        for part in parts {
            let before = lists.items.len() as u32;
            lists.start.extend(part.ends.iter().map(|end| end + before));
            lists.items.extend_from_slice(&part.items);
        }
        lists
    }

    /// For each of `count` owners, the members that name it, in their order.
    pub(super) fn by_owner(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut start = vec![0_u32; count + 1];
        for (owner, _) in pairs.clone() {
            start[owner as usize + 1] += 1;
        }
        for owner in 1..start.len() {
            start[owner] += start[owner - 1];
        }
        let mut next = start.clone();
        let mut items = vec![0; start[count] as usize];
        for (owner, member) in pairs {
            let place = &mut next[owner as usize];
            items[*place as usize] = member;
            *place += 1;
        }
        Lists { start, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_what_was_put_into_them() {
        let lists = Lists::gather(1300, || (), |point, (), list| list.extend(0..point as u32 % 4));
        assert!((0..1300).all(|point| lists.of(point).len() == point % 4));
        assert_eq!(lists.of(1299), [0, 1, 2]);
        let owned = Lists::by_owner(3, [(2, 7), (0, 8), (2, 9)].into_iter());
        assert_eq!([owned.of(0), owned.of(1), owned.of(2)], [&[8][..], &[], &[7, 9]]);
    }
}
