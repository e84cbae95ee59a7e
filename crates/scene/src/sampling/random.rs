//! Random numbers of a place.

use crate::random::Random;

/// The random numbers of a cell: they depend on it and the seed, and on nothing that happened before.
pub(super) fn of_cell(seed: u64, cell: [i64; 3]) -> Random {
    let mixed = cell.into_iter().fold(seed, |state, index| Random::new(state ^ index as u64).bits());
    Random::new(mixed)
}
