//! Lists of bonds that can change: a bond comes or goes at a cost that depends on its two particles alone.
//!
//! A particle's list lies in whole blocks in the memory of its chunk. A list that grows beyond its blocks moves to the end;
//! what it leaves behind is reclaimed when half of the chunk is lost.

use std::ops::Range;

use super::bonds::Weight;
use super::entry::{Entries, entry};
use crate::real::{Real, Vec3};

/// Sums go four ways at a time: the next bond need not wait until the last is added, and rounding grows less.
pub(super) const WAYS: usize = 4;

/// The least that a vector at rest times its weight may be.
const SLIGHTEST: Real = 1e6 * Real::MIN_POSITIVE;

/// A bond, as one of its particles sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Side {
    /// The other particle.
    pub(super) other: u32,
    /// The vector to it at rest times its weight, and the weight.
    pub(super) row: [Real; 4],
    /// W over the weight.
    pub(super) ratio: Real,
}

impl Side {
    pub(super) fn new(other: u32, rest: Vec3, weight: Weight) -> Self {
        let Weight { weight, ratio } = weight;
        // At the very edge of the support nothing is left to weigh, and no vector could be told from its product.
        match weight * rest.length() > SLIGHTEST {
            true => Side { other, row: [rest.x * weight, rest.y * weight, rest.z * weight, weight], ratio },
            false => Side { other, row: [0.0; 4], ratio: 0.0 },
        }
    }
}

/// Where the list of a particle is.
#[derive(Clone, Copy, Debug, Default)]
struct List {
    /// Its first block.
    start: u32,
    /// How many bonds it has.
    count: u16,
    /// How many blocks it may fill.
    room: u16,
}

impl List {
    fn blocks(self) -> Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.count).div_ceil(WAYS)
    }
}

/// Bonds of a run of particles.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    lists: Vec<List>,
    /// Entries of the neighbours, in ascending order; the last block is filled up with the particle itself.
    pub(super) entries: Vec<[u32; WAYS]>,
    /// Vectors to the neighbours at rest times weights, and weights: zero where a block is filled up.
    pub(super) rows: Vec<[[Real; 4]; WAYS]>,
    /// W over the weight, for sums that weigh by the kernel.
    pub(super) ratios: Vec<[Real; WAYS]>,
    /// Blocks that no list uses.
    lost: usize,
}

impl Chunk {
    /// How many particles it has.
    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    /// The blocks of the k-th particle.
    #[inline(always)]
    pub(super) fn blocks(&self, k: usize) -> Range<usize> {
        self.lists[k].blocks()
    }

    /// The entries of the k-th particle.
    pub(super) fn entries(&self, k: usize) -> Entries<'_> {
        let list = self.lists[k];
        Entries(&self.entries[list.start as usize..].as_flattened()[..usize::from(list.count)])
    }

    /// What the k-th particle is bonded by, in ascending order.
    pub(super) fn sides(&self, k: usize) -> impl Iterator<Item = Side> {
        let blocks = self.blocks(k);
        let rows = self.rows[blocks.clone()].as_flattened().iter();
        let ratios = self.ratios[blocks].as_flattened();
        let sides = self.entries(k).particles().zip(rows).zip(ratios);
        sides.map(|((other, row), ratio)| Side { other: other as u32, row: *row, ratio: *ratio })
    }

    /// Adds a particle, number `i` of all, with its bonds in ascending order.
    pub(super) fn push(&mut self, i: u32, sides: &[Side]) {
        let start = self.append(i, sides);
        let room = (self.entries.len() - start) as u16;
        self.lists.push(List { start: start as u32, count: sides.len() as u16, room });
    }

    /// Takes the last particle away.
    pub(super) fn pop(&mut self) {
        self.lost += self.lists.pop().map_or(0, |list| usize::from(list.room));
    }

    /// Gives the k-th particle, number `i` of all, other bonds, in ascending order.
    pub(super) fn replace(&mut self, k: usize, i: u32, sides: &[Side]) {
        let (needed, room) = (sides.len().div_ceil(WAYS), usize::from(self.lists[k].room));
        if needed > room {
            self.lost += room;
            self.lists[k].start = self.append(i, sides) as u32;
        } else {
            self.lost += room - needed;
            let start = self.lists[k].start as usize;
            for (block, sides) in (start..).zip(sides.chunks(WAYS)) {
                (self.entries[block], self.rows[block], self.ratios[block]) = block_of(i, sides);
            }
        }
        (self.lists[k].count, self.lists[k].room) = (sides.len() as u16, needed as u16);
        if 2 * self.lost > self.entries.len() {
            self.reclaim();
        }
    }

    /// Writes bonds to the end; says where they begin.
    fn append(&mut self, i: u32, sides: &[Side]) -> usize {
        let start = self.entries.len();
        for sides in sides.chunks(WAYS) {
            let (entries, rows, ratios) = block_of(i, sides);
            self.entries.push(entries);
            self.rows.push(rows);
            self.ratios.push(ratios);
        }
        start
    }

    /// Lays lists one after another, without what was lost.
    fn reclaim(&mut self) {
        let mut next = Chunk::default();
        for list in &self.lists {
            let (blocks, start) = (list.blocks(), next.entries.len() as u32);
            next.entries.extend_from_slice(&self.entries[blocks.clone()]);
            next.rows.extend_from_slice(&self.rows[blocks.clone()]);
            next.ratios.extend_from_slice(&self.ratios[blocks.clone()]);
            next.lists.push(List { start, count: list.count, room: blocks.len() as u16 });
        }
        *self = next;
    }
}

/// A block of bonds of particle `i`, filled up with the particle itself.
fn block_of(i: u32, sides: &[Side]) -> ([u32; WAYS], [[Real; 4]; WAYS], [Real; WAYS]) {
    let mut block = ([entry(i); WAYS], [[0.0; 4]; WAYS], [0.0; WAYS]);
    for (way, side) in sides.iter().enumerate() {
        (block.0[way], block.1[way], block.2[way]) = (entry(side.other), side.row, side.ratio);
    }
    block
}
