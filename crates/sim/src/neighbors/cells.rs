//! Particles sorted by the cells they lie in.
//!
//! Only cells that hold particles exist: memory is linear in particles, whatever the extent of the domain. The cells are
//! found first, far fewer than particles, and sorted along the curve of the [grid](super::grid); then particles are counted into them. Every worker
//! looks at all particles and keeps those of its own cells: what it writes lies together, and nobody else writes there.

use std::ops::Range;

use rayon::prelude::*;

use super::crowd::{Crowd, Run};
use super::grid::{Grid, NONE, Piece, row_of};
use super::lanes::LANES;
use super::table::Table;
use crate::real::Vec3;

/// Particles per unit of parallel work.
const KEYS_PER_TASK: usize = 4096;

/// The particles of a range, sorted by cell; in a cell, by index.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// The cell of each particle of the range.
    cell_of: Vec<u32>,
    /// The keys of the cells, sorted.
    keys: Vec<u64>,
    /// The rows that have cells, in the same order.
    rows: Vec<Row>,
    row_keys: Vec<u64>,
    table: Table,
    /// Where the particles of each cell end in the sorted order; those of the next begin there.
    ends: Vec<u32>,
    /// The particles in sorted order, followed by LANES that are in nobody's reach.
    sorted: Crowd,
    /// Memory for the keys that each chunk of particles finds.
    found: Vec<Vec<u64>>,
}

/// The cells of a row.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Which of the eight hold particles, one bit for each.
    cells: u8,
    /// The number of the first that does.
    first: u32,
}

impl Row {
    /// The numbers of those of its cells that hold particles; there must be no gap between the bits that ask for them.
    fn among(self, cells: u8) -> Range<usize> {
        let before = self.cells & (cells & cells.wrapping_neg()).wrapping_sub(1);
        let start = self.first as usize + before.count_ones() as usize;
        start..start + (self.cells & cells).count_ones() as usize
    }
}

impl Cells {
    /// No particles.
    pub(crate) const EMPTY: Cells = Cells {
        cell_of: Vec::new(),
        keys: Vec::new(),
        rows: Vec::new(),
        row_keys: Vec::new(),
        table: Table::EMPTY,
        ends: Vec::new(),
        sorted: Crowd::EMPTY,
        found: Vec::new(),
    };

    /// Sorts the particles `range` into the cells of a grid.
    /// `key_of` is memory for the key of each particle's cell.
    pub(crate) fn rebuild(&mut self, position: &[Vec3], range: Range<usize>, grid: &Grid, key_of: &mut Vec<u64>) {
        self.find_cells(&position[range.clone()], grid, key_of);
        self.count();
        self.sort(range.start);
        self.place(position);
    }

    /// Finds the cells that hold particles, and the cell of each particle.
    fn find_cells(&mut self, position: &[Vec3], grid: &Grid, key_of: &mut Vec<u64>) {
        let Cells { cell_of, keys, rows, row_keys, table, found, .. } = self;
        found.resize_with(position.len().div_ceil(KEYS_PER_TASK), || Vec::with_capacity(KEYS_PER_TASK));
        key_of.resize(position.len(), NONE);
        let columns = (position.par_chunks(KEYS_PER_TASK), key_of.par_chunks_mut(KEYS_PER_TASK));
        found.par_iter_mut().zip(columns).for_each(|(found, (position, key_of))| {
            found.clear();
            for (key, &place) in key_of.iter_mut().zip(position) {
                *key = grid.key(place);
                // Neighbours in memory mostly share a cell.
                if found.last() != Some(key) {
                    found.push(*key);
                }
            }
            found.sort_unstable();
            found.dedup();
        });
        keys.clear();
        keys.reserve(position.len());
        found.iter().for_each(|found| keys.extend_from_slice(found));
        keys.par_sort_unstable();
        keys.dedup();
        rows.clear();
        rows.reserve(position.len());
        row_keys.clear();
        row_keys.reserve(position.len());
        for (first, Piece { row, cells }) in keys.iter().map(|&key| row_of(key)).enumerate() {
            match rows.last_mut().filter(|_| row_keys.last() == Some(&row)) {
                Some(last) => last.cells |= cells,
                None => {
                    rows.push(Row { cells, first: first as u32 });
                    row_keys.push(row);
                }
            }
        }
        table.rebuild(row_keys, position.len());
        let (rows, table) = (&*rows, &*table);

        cell_of.resize(position.len(), 0);
        cell_of.par_chunks_mut(KEYS_PER_TASK).zip(key_of.par_chunks(KEYS_PER_TASK)).for_each(|(cell_of, key_of)| {
            let mut last = (NONE, 0);
            for (cell, &key) in cell_of.iter_mut().zip(key_of) {
                if key != last.0 {
                    let Piece { row, cells } = row_of(key);
                    let row = table.get(row).and_then(|row| rows.get(row as usize));
                    last = (key, row.map_or(0, |row| row.among(cells).start as u32));
                }
                *cell = last.1;
            }
        });
    }

    /// Counts the particles of each cell: `ends` becomes where the first of each will be.
    fn count(&mut self) {
        let Cells { cell_of, keys, ends, .. } = self;
        ends.clear();
        ends.reserve(cell_of.len());
        ends.resize(keys.len(), 0);
        let share = share(keys.len());
        ends.par_chunks_mut(share).enumerate().for_each(|(worker, counts)| {
            let first = (worker * share) as u32;
            for &cell in &*cell_of {
                if let Some(count) = counts.get_mut(cell.wrapping_sub(first) as usize) {
                    *count += 1;
                }
            }
        });
        let mut sum = 0;
        for end in ends {
            sum += std::mem::replace(end, sum);
        }
    }

    /// Puts the particles in order: `ends` becomes what it is called.
    fn sort(&mut self, first: usize) {
        let Cells { cell_of, keys, ends, sorted, .. } = self;
        sorted.resize(cell_of.len() + LANES);
        let particles = &mut sorted.particles[..cell_of.len()];
        Sort { cell_of, first, share: share(keys.len()) }.cells(0, ends, 0, particles);
    }

    /// Lays coordinates side by side in sorted order.
    fn place(&mut self, position: &[Vec3]) {
        let count = self.cell_of.len();
        let Crowd { particles, x, y, z } = &mut self.sorted;
        let columns = (&particles[..count], &mut x[..count], &mut y[..count], &mut z[..count]);
        columns.into_par_iter().with_min_len(KEYS_PER_TASK).for_each(|(particle, x, y, z)| {
            (*x, *y, *z) = position[*particle as usize].into();
        });
        self.sorted.end_at(count);
    }

    /// The cells of some particles, counted from the first of the range.
    pub(super) fn cells_of(&self, particles: Range<usize>) -> &[u32] {
        &self.cell_of[particles]
    }

    /// The particles in a piece of a row.
    #[inline(always)]
    pub(super) fn run(&self, piece: Piece) -> Option<Run> {
        let cells = self.rows[self.table.get(piece.row)? as usize].among(piece.cells);
        (!cells.is_empty()).then(|| self.run_of(cells))
    }

    /// The particles of cells that follow each other.
    fn run_of(&self, cells: Range<usize>) -> Run {
        let start = if cells.start > 0 { self.ends[cells.start - 1] } else { 0 };
        Run { start, end: self.ends[cells.end - 1] }
    }

    /// The key of a cell.
    #[inline(always)]
    pub(super) fn key(&self, cell: u32) -> u64 {
        self.keys[cell as usize]
    }

    /// The box around the particles of a cell.
    #[inline(always)]
    pub(super) fn bounds(&self, cell: u32) -> [Vec3; 2] {
        let run = self.run_of(cell as usize..cell as usize + 1);
        let Crowd { x, y, z, .. } = &self.sorted;
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        for k in run.start as usize..run.end as usize {
            let place = Vec3::new(x[k], y[k], z[k]);
            bounds = [bounds[0].min(place), bounds[1].max(place)];
        }
        bounds
    }

    /// All particles, cell by cell.
    pub(super) fn sorted(&self) -> &Crowd {
        &self.sorted
    }

    /// The particles in the order of the Z-curve.
    pub(crate) fn order(&self) -> &[u32] {
        &self.sorted.particles[..self.cell_of.len()]
    }
}

/// How many of so many cells each worker takes.
fn share(cells: usize) -> usize {
    cells.div_ceil(rayon::current_num_threads()).max(64)
}

/// Sorting by cell, each worker a share of the cells.
#[derive(Clone, Copy)]
struct Sort<'a> {
    cell_of: &'a [u32],
    /// The index of the first particle.
    first: usize,
    share: usize,
}

impl Sort<'_> {
    /// Fills the cells from `low` on, of which `ends` says where they start in a list of all particles;
    /// `particles` is the part of it that begins at `begin` and holds these cells.
    fn cells(self, low: u32, ends: &mut [u32], begin: u32, particles: &mut [u32]) {
        if ends.len() > self.share {
            let (left, right) = ends.split_at_mut(ends.len() / 2);
            let middle = right[0];
            let (before, after) = particles.split_at_mut((middle - begin) as usize);
            let next = low + left.len() as u32;
            rayon::join(|| self.cells(low, left, begin, before), || self.cells(next, right, middle, after));
            return;
        }
        for (k, &cell) in self.cell_of.iter().enumerate() {
            if let Some(end) = ends.get_mut(cell.wrapping_sub(low) as usize) {
                particles[(*end - begin) as usize] = (self.first + k) as u32;
                *end += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::Real;
    use crate::world::Domain;

    /// Places all over the world, some in one cell, in no order.
    fn places(count: u32) -> Vec<Vec3> {
        let digit = |i: u32, factor: u32| (i.wrapping_mul(factor) >> 8) as Real % 97.0 / 10.0 - 5.0;
        (0..count).map(|i| Vec3::new(digit(i, 2654435761), digit(i, 40503 * 65537), digit(i, 97 * 7919))).collect()
    }

    #[test]
    fn particles_are_sorted_by_cell_and_index_with_any_number_of_workers() {
        let position = places(9000);
        let grid = Grid::new(&Domain::default(), 0.7);
        let first = 1000;
        let mut expected: Vec<_> = (first..position.len()).map(|i| (grid.key(position[i]), i as u32)).collect();
        expected.sort_unstable();
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut cells = Cells::EMPTY;
            // The second time over what the first left.
            for _ in 0..2 {
                pool.install(|| cells.rebuild(&position, first..position.len(), &grid, &mut Vec::new()));
                assert!(cells.order().iter().copied().eq(expected.iter().map(|&(_, i)| i)), "{threads}");
            }
            for run in expected.chunk_by(|a, b| a.0 == b.0) {
                let found = cells.run(row_of(run[0].0)).unwrap();
                let particles = &cells.order()[found.start as usize..found.end as usize];
                assert!(particles.iter().copied().eq(run.iter().map(|&(_, i)| i)));
            }
            for row in expected.chunk_by(|a, b| row_of(a.0).row == row_of(b.0).row) {
                let found = cells.run(Piece { row: row_of(row[0].0).row, cells: 0b0011_1100 });
                let middle: Vec<u32> =
                    row.iter().filter(|(key, _)| (2..6).contains(&(key & 7))).map(|&(_, i)| i).collect();
                let found = found.map_or(&[][..], |run| &cells.order()[run.start as usize..run.end as usize]);
                assert_eq!(found, middle);
            }
            assert_eq!(cells.run(row_of(grid.key(Vec3::splat(50.0)))), None);
            let all = Run { start: 0, end: cells.order().len() as u32 };
            let places = cells.sorted().blocks(all).flat_map(|(particles, [x, y, z])| {
                (0..LANES).map(|k| (particles[k], Vec3::new(x[k], y[k], z[k]))).collect::<Vec<_>>()
            });
            assert!(places.take(all.len()).all(|(particle, place)| position[particle as usize] == place));
        }
    }

    #[test]
    fn no_particles_have_no_cells() {
        let mut cells = Cells::EMPTY;
        let grid = Grid::new(&Domain::default(), 0.7);
        cells.rebuild(&[], 0..0, &grid, &mut Vec::new());
        assert!(cells.order().is_empty() && cells.run(row_of(grid.key(Vec3::ZERO))).is_none());
    }
}
