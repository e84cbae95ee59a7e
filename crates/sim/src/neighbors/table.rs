//! Finds a cell by its key.

use super::grid::NONE;

/// Which of the occupied cells has a key.
///
/// Keys are hashed with linear probing; the table is a power of two long and at most half full.
#[derive(Clone, Debug)]
pub(super) struct Table {
    slots: Vec<(u64, u32)>,
}

impl Table {
    pub(super) const EMPTY: Table = Table { slots: Vec::new() };

    /// Enters keys, each with its number in the list; there will never be more than `most`.
    pub(super) fn rebuild(&mut self, keys: &[u64], most: usize) {
        let size = |cells: usize| (2 * cells).next_power_of_two().max(2);
        // Sized by the cells there are, so that it stays in the cache; room is reserved for as many as there can be,
        // so that motion asks for no more memory.
        self.slots.clear();
        self.slots.reserve(size(most));
        self.slots.resize(size(keys.len()), (NONE, 0));
        for (number, &key) in keys.iter().enumerate() {
            let slot = self.slot(key);
            self.slots[slot] = (key, number as u32);
        }
    }

    /// Where `key` is, or the free place where it would be.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        // Fibonacci hashing: the high bits of the product depend on all bits of the key.
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[slot].0 != key && self.slots[slot].0 != NONE {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// The number of a key, if it was entered.
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let (found, number) = self.slots[self.slot(key)];
        (found == key).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_others_are_not() {
        let mut table = Table::EMPTY;
        assert_eq!(table.get(0), None);
        let keys: Vec<u64> = (0..1000).map(|k| k * k * 977).collect();
        table.rebuild(&keys, 2000);
        for (number, &key) in keys.iter().enumerate() {
            assert_eq!(table.get(key), Some(number as u32));
            assert_eq!(table.get(key + 1), keys.binary_search(&(key + 1)).ok().map(|number| number as u32));
        }
        table.rebuild(&[], 0);
        assert_eq!(table.get(0), None);
    }
}
