//! Entries of the lists: twice the index of a particle.
//!
//! An instruction that fetches memory can multiply a number by up to 8 on the way. Twice the index times 8 is the place
//! of a row of four single-precision numbers, which the index itself would need a shift for: one in nine instructions
//! of a loop.

/// The most particles that lists can tell apart.
pub(crate) const MOST_PARTICLES: usize = (u32::MAX / 2) as usize;

/// The entry of a particle.
#[inline(always)]
pub(super) fn entry(index: u32) -> u32 {
    2 * index
}

/// The particle of an entry.
#[inline(always)]
pub(super) fn index(entry: u32) -> usize {
    (entry / 2) as usize
}

/// Entries of a list.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a>(pub(super) &'a [u32]);

impl<'a> Entries<'a> {
    /// The indices of the particles.
    #[inline(always)]
    pub(crate) fn particles(self) -> impl Iterator<Item = usize> + use<'a> {
        self.0.iter().map(|entry| index(*entry))
    }
}

/// The particle's value in a column.
///
/// # Safety
/// The column must be longer than the particle's index.
#[inline(always)]
pub(super) unsafe fn get<T>(column: &[T], entry: u32) -> &T {
    const { assert!(size_of::<T>().is_multiple_of(2)) };
    // SAFETY: half the size times twice the index is the offset of the value, which is in the column.
    unsafe { &*column.as_ptr().byte_add(entry as usize * (size_of::<T>() / 2)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_lead_to_values_of_any_size() {
        let rows: Vec<[f32; 4]> = (0..9).map(|k| [k as f32; 4]).collect();
        let vectors: Vec<[f64; 3]> = (0..9).map(|k| [f64::from(k); 3]).collect();
        for k in 0..9 {
            assert!(Entries(&[entry(k)]).particles().eq([k as usize]));
            // SAFETY: both columns have nine values.
            unsafe {
                assert_eq!(get(&rows, entry(k))[3], k as f32);
                assert_eq!(get(&vectors, entry(k))[2], f64::from(k));
            }
        }
    }
}
