//! How space is divided into cubic cells, and what they are called.
//!
//! A cell's key interleaves its three coordinates modulo 2²¹: sorted by key, cells lie along a Z-curve. Cells 2²¹ apart
//! share a key, which is harmless: whoever looks up a cell checks distances anyway, and the 27 keys around a cell always
//! differ.

use glam::DVec3;

use crate::real::{Real, Vec3, wide};
use crate::world::Domain;

/// Bits per coordinate in a key.
const BITS: u32 = 21;

/// No cell: keys have 63 bits.
pub(super) const NONE: u64 = u64::MAX;

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

    /// Key of the cell around `position`.
    pub(super) fn key(&self, position: Vec3) -> u64 {
        key(self.coordinates(position))
    }

    /// Keys of the 27 cells around and including the one around `position`.
    pub(super) fn keys_around(&self, position: Vec3) -> impl Iterator<Item = u64> + use<> {
        let centre = self.coordinates(position);
        let [x, y, z] = std::array::from_fn(|axis| {
            [-1, 0, 1].map(|step| {
                let next = centre[axis].wrapping_add(step);
                let count = self.count[axis];
                spread(if count > 0 { next.rem_euclid(count) } else { next } as u64) << axis
            })
        });
        (0..27).map(move |k: usize| x[k % 3] | y[k / 3 % 3] | z[k / 9])
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
    fn keys_around_a_place_differ_everywhere_and_are_those_of_the_cells_there() {
        let open = Grid::new(&Domain::default(), 0.1);
        let tight = Grid::new(&Domain::new([Some([0.0, 0.3]), None, Some([-1.0, 1.0])]), 0.1);
        let places = [Vec3::ZERO, Vec3::new(-0.05, 0.5, 1e5), Vec3::new(1e30, -1e30, 2e5), Vec3::new(0.29, 0.7, -0.99)];
        for (grid, place) in places.into_iter().flat_map(|place| [(open, place), (tight, place)]) {
            let mut keys: Vec<_> = grid.keys_around(place).collect();
            assert_eq!(keys[13], grid.key(place));
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), 27);
        }
        let next = open.keys_around(Vec3::splat(0.05)).last();
        assert_eq!(next, Some(open.key(Vec3::splat(0.15))));
    }

    #[test]
    fn floor_rounds_down_and_saturates() {
        for x in [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.999, -2.001, 1e15, -1e15] {
            assert_eq!(floor(x), x.floor() as i64);
        }
        assert_eq!(floor(1e30), i64::MAX);
    }
}
