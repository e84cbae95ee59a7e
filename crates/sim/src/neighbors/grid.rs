//! How space is divided into cubic cells, and what they are called.
//!
//! Eight cells side by side along x are a row. A row's key interleaves its three coordinates modulo 2²⁰: sorted by key, rows
//! lie along a Z-curve, and the three cells to the left and right of a place mostly in one row, one after another. Rows
//! 2²⁰ cells apart share a key, which is harmless: whoever looks up a cell checks distances anyway, and the 27 cells around
//! a place always differ.

use glam::DVec3;

use crate::real::{Real, Vec3, wide};
use crate::world::Domain;

/// Bits per coordinate of a cell in a key.
const BITS: u32 = 20;

/// Bits that tell the cells of a row apart.
const ROW_BITS: u32 = 3;

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

    /// The 27 cells around and including the one around `position`, as pieces of rows.
    #[inline(always)]
    pub(super) fn pieces_around(&self, position: Vec3) -> impl Iterator<Item = Piece> + use<> {
        let centre = self.coordinates(position);
        let [x, y, z] = std::array::from_fn(|axis| {
            [-1, 0, 1].map(|step| {
                let next = centre[axis].wrapping_add(step);
                let count = self.count[axis];
                (if count > 0 { next.rem_euclid(count) } else { next }) as u64
            })
        });
        let (mut along, mut count) = ([Piece::default(); 3], 0);
        for next in x {
            let Piece { row, cells } = piece(next);
            // Only what follows its left neighbour is in one piece with it.
            let last = if count > 0 { along[count - 1] } else { Piece::default() };
            if last.row == row && cells > last.cells && cells >> 1 & last.cells != 0 {
                along[count - 1].cells |= cells;
            } else {
                along[count] = Piece { row, cells };
                count += 1;
            }
        }
        let [y, z] = [(y, 1), (z, 2)].map(|(places, axis)| places.map(|place| spread(place) << axis));
        (0..9).flat_map(move |k: usize| {
            (0..count).map(move |piece| Piece { row: along[piece].row | y[k % 3] | z[k / 3], ..along[piece] })
        })
    }
}

/// Cells of a row that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    /// The key of the row.
    pub(super) row: u64,
    /// One bit for each cell.
    pub(super) cells: u8,
}

/// The part of a key that x gives, and which of the row's cells it is.
fn piece(x: u64) -> Piece {
    Piece { row: spread((x & ((1 << BITS) - 1)) >> ROW_BITS), cells: 1 << (x & ((1 << ROW_BITS) - 1)) }
}

/// The key of the row in which a cell is, and its bit there.
pub(super) fn row_of(key: u64) -> Piece {
    Piece { row: key >> ROW_BITS, cells: 1 << (key & ((1 << ROW_BITS) - 1)) }
}

/// Rounds down, without a call to the mathematics library.
fn floor(x: f64) -> i64 {
    let truncated = x as i64;
    truncated.wrapping_sub(i64::from(x < truncated as f64))
}

fn key(coordinates: Coordinates) -> u64 {
    let [x, y, z] = coordinates.map(|c| c as u64);
    let Piece { row, cells } = piece(x);
    (row | spread(y) << 1 | spread(z) << 2) << ROW_BITS | u64::from(cells.trailing_zeros())
}

/// Puts two zero bits between the lowest 20 bits.
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
        assert_eq!(key([7, 0, 0]), 7);
        assert_eq!(key([8, 0, 0]), 1 << 3);
        assert_eq!(key([0, 1, 0]), 2 << 3);
        assert_eq!(key([0, 0, 1]), 4 << 3);
        assert_eq!(key([25, 0, 2]), (0b001_001 | 0b100_000) << 3 | 1);
        // x has three bits fewer in the curve.
        assert_eq!(key([-1, 0, 0]), (0..17).map(|k| 1 << (3 * k)).sum::<u64>() << 3 | 7);
        assert!(key([-1, -1, -1]) < NONE);
    }

    #[test]
    fn cells_around_a_place_differ_everywhere_and_are_those_that_are_there() {
        let open = Grid::new(&Domain::default(), 0.1);
        let tight = Grid::new(&Domain::new([Some([0.0, 0.3]), None, Some([-1.0, 1.0])]), 0.1);
        let places = [Vec3::ZERO, Vec3::new(-0.05, 0.5, 1e5), Vec3::new(1e30, -1e30, 2e5), Vec3::new(0.29, 0.7, -0.99)];
        for (grid, place) in places.into_iter().flat_map(|place| [(open, place), (tight, place)]) {
            let mut keys = keys_around(&grid, place);
            assert!(keys.contains(&grid.key(place)));
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), 27);
        }
        let mut keys = keys_around(&open, Vec3::splat(0.75));
        let around = (0..27).map(|k| Vec3::new((k % 3) as Real, (k / 3 % 3) as Real, (k / 9) as Real));
        let mut expected: Vec<_> = around.map(|step| open.key(Vec3::splat(0.65) + 0.1 * step)).collect();
        keys.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected);
    }

    fn keys_around(grid: &Grid, place: Vec3) -> Vec<u64> {
        let bits = |cells: u8| (0..8).filter(move |bit| cells >> bit & 1 == 1);
        grid.pieces_around(place).flat_map(|Piece { row, cells }| bits(cells).map(move |bit| row << 3 | bit)).collect()
    }

    #[test]
    fn pieces_are_as_long_as_they_can_be_and_without_gaps() {
        let grid = Grid::new(&Domain::default(), 1.0);
        let pieces = |grid: &Grid, x: Real| grid.pieces_around(Vec3::new(x, 0.5, 0.5)).count();
        assert_eq!([1.5, 6.5, 7.5, 8.5, 9.5].map(|x| pieces(&grid, x)), [9, 9, 18, 18, 9]);
        // Five cells that repeat: those left of the first are at the other end of the row.
        let tight = Grid::new(&Domain::new([Some([0.0, 5.1]), None, None]), 1.0);
        assert_eq!([0.5, 1.5, 4.5].map(|x| pieces(&tight, x)), [18, 9, 18]);
        let is_whole = |Piece { cells, .. }: Piece| {
            let bits = cells >> cells.trailing_zeros();
            bits & (bits + 1) == 0
        };
        assert!((0..5).all(|x| tight.pieces_around(Vec3::splat(0.5 + x as Real)).all(is_whole)));
    }

    #[test]
    fn floor_rounds_down_and_saturates() {
        for x in [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.999, -2.001, 1e15, -1e15] {
            assert_eq!(floor(x), x.floor() as i64);
        }
        assert_eq!(floor(1e30), i64::MAX);
    }
}
