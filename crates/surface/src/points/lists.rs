//! A short list of numbers for each point, all in one piece of memory.

use rayon::prelude::*;

/// Points that one task works on.
const CHUNK: usize = 512;

/// A list for each point.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The list of a point.
    pub(super) fn of(&self, point: usize) -> &[u32] {
        &self.items[self.start[point] as usize..self.start[point + 1] as usize]
    }

    /// Lists that `fill` makes, each by itself, in parallel.
    pub(super) fn gather(count: usize, fill: impl Fn(usize, &mut Vec<u32>) + Sync) -> Lists {
        let parts: Vec<(Vec<u32>, Vec<u32>)> = (0..count.div_ceil(CHUNK))
            .into_par_iter()
            .map(|part| {
                let (mut lengths, mut items, mut list) = (Vec::with_capacity(CHUNK), Vec::new(), Vec::new());
                for point in part * CHUNK..count.min((part + 1) * CHUNK) {
                    list.clear();
                    fill(point, &mut list);
                    items.extend_from_slice(&list);
                    lengths.push(list.len() as u32);
                }
                (lengths, items)
            })
            .collect();
        let mut lists = Lists { start: Vec::with_capacity(count + 1), items: Vec::new() };
        lists.items.reserve(parts.iter().map(|(_, items)| items.len()).sum());
        let mut end = 0;
        lists.start.push(0);
        for (lengths, items) in parts {
            for length in lengths {
                end += length;
                lists.start.push(end);
            }
            lists.items.extend_from_slice(&items);
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
        let lists = Lists::gather(1300, |point, list| list.extend(0..point as u32 % 4));
        assert!((0..1300).all(|point| lists.of(point).len() == point % 4));
        assert_eq!(lists.of(1299), [0, 1, 2]);
        let owned = Lists::by_owner(3, [(2, 7), (0, 8), (2, 9)].into_iter());
        assert_eq!([owned.of(0), owned.of(1), owned.of(2)], [&[8][..], &[], &[7, 9]]);
    }
}
