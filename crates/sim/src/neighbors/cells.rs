//! Particles sorted into cubic cells, along a Z-curve.
//!
//! Only cells that hold particles exist: memory is linear in particles, whatever the extent of the domain.
//! A cell's key interleaves its three coordinates modulo 2²¹. Cells 2²¹ apart share a key, which is harmless:
//! whoever looks up a cell checks distances anyway, and the 27 keys around a cell always differ.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::lanes::LANES;
use crate::real::{Real, Vec3, wide};
use crate::world::Domain;

/// Bits per coordinate in a key.
const BITS: u32 = 21;

/// No cell: keys have 63 bits.
const NONE: u64 = u64::MAX;

/// A particle and the cell it lies in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    index: u32,
}

/// The particles of a range, sorted by cell.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    entries: Vec<Entry>,
    /// The particles in sorted order.
    particles: Vec<u32>,
    /// Their coordinates, each followed by LANES numbers that are in nobody's reach.
    places: [Vec<Real>; 3],
}

/// Integer coordinates of a cell.
pub(crate) type Coordinates = [i64; 3];

/// How space is divided into cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    low: DVec3,
    inverse_edge: DVec3,
    /// Cells in a period, 0 along an axis that does not repeat.
    count: [i64; 3],
}

/// The fewest cells in a period: with fewer, the cells left and right of one would be the same.
pub(crate) const FEWEST_CELLS: i64 = 3;

impl Grid {
    /// Cells no smaller than `reach`; a whole number of them in each period.
    pub(crate) fn new(domain: &Domain, reach: Real) -> Self {
        // A hair wider than the reach, so that rounding cannot put two neighbours two cells apart.
        let edge = f64::from(reach) * (1.0 + 1e-6);
        let mut grid = Grid { low: wide(domain.low()), inverse_edge: DVec3::splat(1.0 / edge), count: [0; 3] };
        let length = wide(domain.length());
        for axis in 0..3 {
            if length[axis] > 0.0 {
                grid.count[axis] = ((length[axis] / edge) as i64).max(FEWEST_CELLS);
                grid.inverse_edge[axis] = grid.count[axis] as f64 / length[axis];
            }
        }
        grid
    }

    /// Coordinates of the cell around `position`.
    pub(crate) fn coordinates(&self, position: Vec3) -> Coordinates {
        // In f64: in f32 the quotient of a far particle would be off by whole cells. The cast saturates.
        let at = (wide(position) - self.low) * self.inverse_edge;
        self.wrap([floor(at.x), floor(at.y), floor(at.z)])
    }

    fn wrap(&self, coordinates: Coordinates) -> Coordinates {
        if self.count == [0; 3] {
            return coordinates;
        }
        let wrap = |c: i64, count: i64| if count > 0 { c.rem_euclid(count) } else { c };
        std::array::from_fn(|axis| wrap(coordinates[axis], self.count[axis]))
    }

    /// The 27 cells around and including the one at `centre`.
    pub(crate) fn around(&self, centre: Coordinates) -> impl Iterator<Item = Coordinates> {
        (0..27).map(move |k| {
            self.wrap([
                centre[0].wrapping_add(k % 3 - 1),
                centre[1].wrapping_add(k / 3 % 3 - 1),
                centre[2].wrapping_add(k / 9 - 1),
            ])
        })
    }
}

impl Cells {
    /// No particles.
    pub(crate) const EMPTY: Cells =
        Cells { entries: Vec::new(), particles: Vec::new(), places: [Vec::new(), Vec::new(), Vec::new()] };

    /// Sorts the particles `range` into the cells of a grid.
    pub(crate) fn rebuild(&mut self, position: &[Vec3], range: Range<usize>, grid: &Grid) {
        let first = range.start;
        self.entries.resize(range.len(), Entry::default());
        self.entries.par_iter_mut().with_min_len(4096).enumerate().for_each(|(k, entry)| {
            let index = first + k;
            *entry = Entry { key: key(grid.coordinates(position[index])), index: index as u32 };
        });
        self.entries.par_sort_unstable();
        self.place(position);
    }

    /// Lays particles and coordinates side by side in sorted order.
    fn place(&mut self, position: &[Vec3]) {
        let Cells { entries, particles, places: [x, y, z], .. } = self;
        let padded = entries.len() + LANES;
        particles.resize(padded, 0);
        for column in [&mut *x, &mut *y, &mut *z] {
            column.resize(padded, 0.0);
            column[entries.len()..].fill(Real::INFINITY);
        }
        let columns = (entries, particles, x, y, z);
        columns.into_par_iter().with_min_len(4096).for_each(|(entry, particle, x, y, z)| {
            let place = position[entry.index as usize];
            *particle = entry.index;
            (*x, *y, *z) = (place.x, place.y, place.z);
        });
    }

    /// The cells that hold particles: key and run of sorted particles.
    fn runs(&self) -> impl Iterator<Item = (u64, Run)> {
        let mut start = 0;
        self.entries.chunk_by(|a, b| a.key == b.key).map(move |run| {
            let end = start + run.len() as u32;
            (run[0].key, Run { start: std::mem::replace(&mut start, end), end })
        })
    }

    /// Eight sorted particles and their coordinates from `start` on, whether or not they are of one cell.
    #[inline(always)]
    pub(crate) fn eight(&self, start: usize) -> (&[u32; LANES], [&[Real; LANES]; 3]) {
        let [x, y, z] = &self.places;
        (eight(&self.particles, start), [eight(x, start), eight(y, start), eight(z, start)])
    }

    /// The particles in the order of the Z-curve.
    pub(crate) fn order(&self) -> &[u32] {
        &self.particles[..self.entries.len()]
    }
}

#[inline(always)]
fn eight<T>(values: &[T], start: usize) -> &[T; LANES] {
    // The columns are LANES longer than the last run: there are always eight.
    values[start..].first_chunk().unwrap_or_else(|| unreachable!("columns are padded by {LANES}"))
}

/// A run of sorted particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Run {
    pub(crate) fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

/// Who is in a cell: a run of movable particles and one of wall particles.
pub(crate) type Inhabitants = [Run; 2];

/// Finds the inhabitants of a cell.
///
/// Occupied cells are hashed by key with linear probing; the table is a power of two long and at most half full.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    slots: Vec<(u64, Inhabitants)>,
}

impl Table {
    pub(crate) const EMPTY: Table = Table { slots: Vec::new() };

    /// Enters the cells of movable particles and of walls.
    pub(crate) fn rebuild(&mut self, movable: &Cells, walls: &Cells) {
        let size = |cells: usize| (2 * cells).next_power_of_two().max(2);
        // Sized by the cells there are, so that it stays in the cache; room is reserved for one cell per particle,
        // so that motion asks for no more memory.
        let cells = movable.runs().count() + walls.runs().count();
        self.slots.clear();
        self.slots.reserve(size(movable.entries.len() + walls.entries.len()));
        self.slots.resize(size(cells), (NONE, Inhabitants::default()));
        for (kind, cells) in [movable, walls].into_iter().enumerate() {
            for (key, run) in cells.runs() {
                let slot = self.slot(key);
                self.slots[slot].0 = key;
                self.slots[slot].1[kind] = run;
            }
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

    /// Who is in the cell at `coordinates`.
    pub(crate) fn inhabitants(&self, coordinates: Coordinates) -> Inhabitants {
        self.slots[self.slot(key(coordinates))].1
    }
}

/// Rounds down, without a call to the mathematics library.
fn floor(x: f64) -> i64 {
    let truncated = x as i64;
    truncated.wrapping_sub(i64::from(x < truncated as f64))
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
        let open = Grid::new(&Domain::default(), 0.1);
        let tight = Grid::new(&Domain::new([Some([0.0, 0.3]), None, Some([-1.0, 1.0])]), 0.1);
        let centres = [[0, 0, 0], [-1, 5, 1 << 20], [i64::MAX, i64::MIN, (1 << 21) - 1]];
        for (grid, centre) in centres.map(|centre| (open, centre)).into_iter().chain([(tight, [0, 7, 0])]) {
            let mut keys: Vec<_> = grid.around(centre).map(key).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), 27);
        }
    }

    #[test]
    fn floor_rounds_down_and_saturates() {
        for x in [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.999, -2.001, 1e15, -1e15] {
            assert_eq!(floor(x), x.floor() as i64);
        }
        assert_eq!(floor(1e30), i64::MAX);
    }
}
