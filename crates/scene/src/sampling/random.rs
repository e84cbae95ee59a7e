//! Random numbers that depend on where they are used and on nothing else.

/// A random whole number for a place and a purpose (splitmix64 of Steele, Lea & Flood 2014, over all of them).
pub(super) fn bits(seed: u64, [x, y, z]: [i64; 3], purpose: u64) -> u64 {
    [x as u64, y as u64, z as u64, purpose].into_iter().fold(mix(seed), |state, word| mix(state ^ word))
}

/// The same as a number from 0 to below 1.
pub(super) fn unit(seed: u64, cell: [i64; 3], purpose: u64) -> f64 {
    (bits(seed, cell, purpose) >> 11) as f64 * 2.0_f64.powi(-53)
}

fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
