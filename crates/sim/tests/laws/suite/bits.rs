//! Are two worlds the same, bit for bit?

use thixo_sim::{Real, Values};

use super::View;

/// What differs first between two worlds: time, or a column, in the order of memory.
pub(crate) fn difference(one: View<'_>, other: View<'_>) -> Option<String> {
    if one.time.to_bits() != other.time.to_bits() {
        return Some(format!("times are {} s and {} s", one.time, other.time));
    }
    one.particles.columns().zip(other.particles.columns()).find_map(|((info, one), (_, other))| {
        let (one, other) = (bits(one), bits(other));
        let differ = one.iter().zip(&other).filter(|(one, other)| one != other).count();
        match one.len() == other.len() {
            true if differ == 0 => None,
            true => Some(format!("{differ} of {} particles differ in `{}`", one.len(), info.name)),
            false => Some(format!("there are {} and {} particles", one.len(), other.len())),
        }
    })
}

#[track_caller]
pub(crate) fn assert_same_bits(one: View<'_>, other: View<'_>, when: &str) {
    let difference = difference(one, other);
    assert!(difference.is_none(), "{when}: {}", difference.unwrap_or_default());
}

/// The bits of a column, one row for each particle.
fn bits(values: Values<'_>) -> Vec<[u64; 3]> {
    // Wider than they may be: numbers in single precision are exact in double precision.
    let wide = |value: Real| f64::from(value).to_bits();
    match values {
        Values::Scalar(values) => values.iter().map(|&value| [wide(value), 0, 0]).collect(),
        Values::Vector(values) => values.iter().map(|value| value.to_array().map(wide)).collect(),
        Values::Index(values) => values.iter().map(|&value| [u64::from(value), 0, 0]).collect(),
    }
}
