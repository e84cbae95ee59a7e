//! Particles sorted into cubic cells, along a Z-curve.
//!
//! Only cells that hold particles exist: memory is linear in particles, whatever the extent of the domain.
//! A cell's key interleaves its three coordinates modulo 2²¹. Cells 2²¹ apart share a key, which is harmless:
//! whoever looks up a cell checks distances anyway, and the 27 keys around a cell always differ.

use std::ops::Range;

use rayon::prelude::*;

use crate::real::{Real, Vec3};

/// Bits per coordinate in a key.
const BITS: u32 = 21;

/// A particle and the cell it lies in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    index: u32,
}

/// The particles of a range, sorted by cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    inverse_edge: f64,
    entries: Vec<Entry>,
    /// Key of every cell that holds particles, ascending.
    keys: Vec<u64>,
    /// First entry of each cell, and the end.
    starts: Vec<u32>,
    /// Particle and place of each entry, side by side for the search.
    particles: Vec<u32>,
    places: Vec<Vec3>,
}

/// Integer coordinates of a cell.
pub(crate) type Coordinates = [i64; 3];

impl Cells {
    /// Sorts the particles `range` into cells no smaller than `reach`.
    pub(crate) fn rebuild(&mut self, position: &[Vec3], range: Range<usize>, reach: Real) {
        // A hair wider than the reach, so that rounding cannot put two neighbours two cells apart.
        self.inverse_edge = 1.0 / (f64::from(reach) * (1.0 + 1e-6));
        let first = range.start;
        self.entries.resize(range.len(), Entry::default());
        let inverse_edge = self.inverse_edge;
        self.entries.par_iter_mut().with_min_len(4096).enumerate().for_each(|(k, entry)| {
            let index = first + k;
            *entry = Entry { key: key(coordinates(position[index], inverse_edge)), index: index as u32 };
        });
        self.entries.par_sort_unstable();
        self.keys.clear();
        self.starts.clear();
        // At most one cell per particle; reserving that once means that motion never asks for more memory.
        self.keys.reserve(range.len());
        self.starts.reserve(range.len() + 1);
        for (k, entry) in self.entries.iter().enumerate() {
            if self.keys.last() != Some(&entry.key) {
                self.keys.push(entry.key);
                self.starts.push(k as u32);
            }
        }
        self.starts.push(self.entries.len() as u32);
        self.particles.clear();
        self.particles.extend(self.entries.iter().map(|entry| entry.index));
        self.places.clear();
        self.places.extend(self.particles.iter().map(|&i| position[i as usize]));
    }

    /// Coordinates of the cell around `position`.
    pub(crate) fn coordinates(&self, position: Vec3) -> Coordinates {
        coordinates(position, self.inverse_edge)
    }

    /// The entries of the cell at `coordinates`; empty when it holds nothing.
    pub(crate) fn entries_at(&self, coordinates: Coordinates) -> Range<usize> {
        match self.keys.binary_search(&key(coordinates)) {
            Ok(cell) => self.starts[cell] as usize..self.starts[cell + 1] as usize,
            Err(_) => 0..0,
        }
    }

    /// Particles and places of a run of entries.
    pub(crate) fn run(&self, entries: Range<usize>) -> (&[u32], &[Vec3]) {
        (&self.particles[entries.clone()], &self.places[entries])
    }

    /// The particles in the order of the Z-curve.
    pub(crate) fn order(&self) -> &[u32] {
        &self.particles
    }

    /// Holds it no particles at all?
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn coordinates(position: Vec3, inverse_edge: f64) -> Coordinates {
    // In f64: in f32 the quotient of a far particle would be off by whole cells. The cast saturates.
    let at = |x: Real| (f64::from(x) * inverse_edge).floor() as i64;
    [at(position.x), at(position.y), at(position.z)]
}

fn key(coordinates: Coordinates) -> u64 {
    let [x, y, z] = coordinates.map(|c| spread(c as u64));
    x | y << 1 | z << 2
}

/// Puts two zero bits between the lowest 21 bits.
fn spread(value: u64) -> u64 {
    let mut v = value & ((1 << BITS) - 1);
    v = (v | v << 32) & 0x001f_0000_0000_ffff;
    v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// The 27 cells around and including the one at `centre`.
pub(crate) fn around(centre: Coordinates) -> impl Iterator<Item = Coordinates> {
    (0..27).map(move |k| {
        [centre[0].wrapping_add(k % 3 - 1), centre[1].wrapping_add(k / 3 % 3 - 1), centre[2].wrapping_add(k / 9 - 1)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_interleave_coordinates() {
        assert_eq!(key([1, 0, 0]), 1);
        assert_eq!(key([0, 1, 0]), 2);
        assert_eq!(key([0, 0, 1]), 4);
        assert_eq!(key([3, 0, 2]), 0b101_001 | 0b100_000);
        assert_eq!(key([-1, -1, -1]), u64::MAX >> 1);
    }

    #[test]
    fn keys_around_a_cell_differ_everywhere() {
        for centre in [[0, 0, 0], [-1, 5, 1 << 20], [i64::MAX, i64::MIN, (1 << 21) - 1]] {
            let mut keys: Vec<_> = around(centre).map(key).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), 27);
        }
    }
}
