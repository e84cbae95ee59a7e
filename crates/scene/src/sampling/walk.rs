//! Walks through the cells of a lattice that a solid fills or cuts, without looking at the others.
//!
//! A distance tells about a whole ball around its point: a block of cells in that ball is wholly inside or outside.
//! What is neither is halved. So the cost follows the surface, not the volume around it.

use glam::DVec3;
use rayon::prelude::*;

use super::Lattice;
use crate::shape::Solid;

/// Blocks of at most so many cells along an axis are looked at by one thread.
const WIDEST_BLOCK: i64 = 16;

/// Cells of a lattice, from the first to before the last along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    first: [i64; 3],
    last: [i64; 3],
}

/// What a walk meets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Met {
    /// Cells whose centres are all deeper inside than the margin.
    Inside(Block),
    /// A cell whose centre may be as near to the surface as the margin, and its signed distance [m].
    Near([i64; 3], f64),
}

/// Walks through all cells but those whose centres are farther outside than `margin`. Each chunk of space has its own
/// result; their order is always the same.
pub(super) fn walk<R: Default + Send>(
    solid: &dyn Solid,
    lattice: &Lattice,
    margin: f64,
    visit: impl Fn(&mut R, Met) + Sync,
) -> Vec<R> {
    let walker = Walker { solid, lattice, margin };
    let mut chunks = Vec::new();
    let all = Block { first: [0; 3], last: lattice.cells };
    if all.size(0).min(all.size(1)).min(all.size(2)) > 0 {
        walker.chunks(all, &mut chunks);
    }
    let visited = chunks.into_par_iter().map(|chunk| {
        let mut result = R::default();
        walker.descend(chunk, &mut |met| visit(&mut result, met));
        result
    });
    visited.collect()
}

struct Walker<'a> {
    solid: &'a dyn Solid,
    lattice: &'a Lattice,
    margin: f64,
}

impl Walker<'_> {
    fn chunks(&self, block: Block, found: &mut Vec<Block>) {
        match block.halves(WIDEST_BLOCK) {
            None => found.push(block),
            Some(halves) => {
                let (distance, reach) = self.look(block);
                if distance > reach + self.margin {
                    return;
                }
                halves.into_iter().for_each(|half| self.chunks(half, found));
            }
        }
    }

    fn descend(&self, block: Block, visit: &mut impl FnMut(Met)) {
        let (distance, reach) = self.look(block);
        // What is not a number is nowhere.
        if distance > reach + self.margin || (distance - reach).is_nan() {
        } else if distance < -(reach + self.margin) {
            visit(Met::Inside(block));
        } else {
            match block.halves(1) {
                None => visit(Met::Near(block.first, distance)),
                Some(halves) => halves.into_iter().for_each(|half| self.descend(half, visit)),
            }
        }
    }

    /// Signed distance of the middle of a block, and how far the centres of its cells are from there [m].
    fn look(&self, block: Block) -> (f64, f64) {
        let [low, high] = [block.first, block.last.map(|last| last - 1)].map(|cell| self.lattice.centre(cell));
        (self.solid.distance(0.5 * (low + high)), 0.5 * (high - low).length())
    }
}

impl Block {
    /// How many cells.
    pub(super) fn count(self) -> u64 {
        (0..3).map(|axis| self.size(axis) as u64).product()
    }

    /// Every cell.
    pub(super) fn cells(self) -> impl Iterator<Item = [i64; 3]> {
        let [x, y, z] = std::array::from_fn(|axis| self.first[axis]..self.last[axis]);
        x.flat_map(move |x| {
            let z = z.clone();
            y.clone().flat_map(move |y| z.clone().map(move |z| [x, y, z]))
        })
    }

    fn size(self, axis: usize) -> i64 {
        self.last[axis] - self.first[axis]
    }

    /// Two halves across the longest axis, unless that has at most so many cells.
    fn halves(self, most: i64) -> Option<[Block; 2]> {
        let longest = (0..3).max_by_key(|&axis| self.size(axis)).filter(|&axis| self.size(axis) > most)?;
        let middle = self.first[longest] + self.size(longest) / 2;
        let (mut low, mut high) = (self, self);
        (low.last[longest], high.first[longest]) = (middle, middle);
        Some([low, high])
    }
}

/// The centres of all cells of a block.
pub(super) fn centres(lattice: &Lattice, block: Block) -> impl Iterator<Item = DVec3> {
    block.cells().map(|cell| lattice.centre(cell))
}
