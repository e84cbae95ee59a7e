//! A particle and its neighbours, as formulas see them.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::entry;
use super::lanes::{LANE_NUMBERS, LANES, Lanes, VecLanes, Wide};
use super::pairs::Pairs;
use super::setting::Setting;
use super::simd::Simd;
use crate::real::{Real, Vec3};

/// Runs `|i, near, value| { ... }` for matter or the wall particles of some [`Pairs`], in parallel.
///
/// `value` is `&mut out[k]` of the k-th particle of that kind, `i` counts all particles, `near` is its [`Near`].
/// The closure is compiled once for each instruction set and each common [`Setting`].
#[macro_export]
macro_rules! each {
    ($pairs:expr, $who:expr, $out:expr, |$i:pat_param, $near:ident, $value:pat_param| $body:block) => {{
        let pairs: &$crate::Pairs = $pairs;
        $crate::with_setting!(pairs.compiled(), |set, setting| pairs.each_with(
            (set, setting),
            $who,
            $out,
            #[inline(always)]
            |$i, $near, $value| $body,
        ))
    }};
}

/// Σ_j of an expression over the neighbours in a [`Near`]: `sum!(near, |j| j.volume() * j.w())`.
#[macro_export]
macro_rules! sum {
    ($near:expr, |$j:ident| $term:expr) => {
        $near.sum(
            #[inline(always)]
            |$j| $term,
        )
    };
}

/// Σ_j of what a particle and a neighbour exchange, as [`sum!`](crate::sum) but faster: the expression must be zero
/// between a particle and itself, as everything is that has a factor x_ij, ∇W_ij or v_ij.
///
/// `exchange!(near, |j, slope| ...)` has W'_ij/r_ij as `slope`, so that ∇W_ij = x_ij `slope`: lists that are gone through
/// many times in a step hold it. Between a particle and itself it may be anything.
#[macro_export]
macro_rules! exchange {
    ($near:expr, |$j:ident| $term:expr) => {
        $near.exchange(
            #[inline(always)]
            |$j| $term,
        )
    };
    ($near:expr, |$j:ident, $slope:ident| $term:expr) => {
        $near.exchange_along_slopes(
            #[inline(always)]
            |$j, $slope| $term,
        )
    };
}

/// A part of a neighbourhood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Matter to which the particle is not bonded.
    Free,
    /// Matter to which it is bonded.
    Bonded,
    /// Walls: surfaces that have no pressure of their own.
    Walls,
}

/// A particle's neighbourhood, in parts: each interaction names those it sees. Without a name they are all that the particle
/// is not bonded to; [`matter`](Self::matter) and [`walls`](Self::walls) are these apart, [`bonded`](Self::bonded) the rest.
pub struct Near<'a, S: Simd, K: Setting> {
    pairs: &'a Pairs,
    /// Where particles are, and a number of each; at least as long as `Pairs::packed`.
    rows: &'a [[Real; 4]],
    /// Entries of neighbours of matter, then of wall particles, both in whole blocks.
    list: &'a [[u32; LANES]],
    /// W'/r of the pairs in the list, or none.
    slopes: &'a [[Real; LANES]],
    /// How many blocks are of neighbours of matter.
    split: usize,
    /// How many neighbours of each kind there are.
    counts: [u16; 2],
    home: [Real; 4],
    /// Its index.
    index: usize,
    set: S,
    setting: PhantomData<K>,
}

impl<'a, S: Simd, K: Setting> Near<'a, S, K> {
    #[inline(always)]
    pub(super) fn new(
        (set, pairs): (S, &'a Pairs),
        (index, home): (usize, [Real; 4]),
        list: &'a [[u32; LANES]],
        slopes: &'a [[Real; LANES]],
        counts: [u16; 2],
    ) -> Self {
        let split = (counts[0] as usize).div_ceil(LANES);
        Near { pairs, rows: &pairs.packed, list, slopes, split, counts, home, index, set, setting: PhantomData }
    }

    /// The neighbours of matter alone.
    #[inline(always)]
    pub fn matter(&self) -> Self {
        let slopes = self.slopes.get(..self.split).unwrap_or_default();
        Near { list: &self.list[..self.split], slopes, counts: [self.counts[0], 0], ..*self }
    }

    /// One part alone.
    #[inline(always)]
    pub fn part(&self, part: Part) -> Self {
        match part {
            Part::Free => self.matter(),
            Part::Bonded => self.bonded(),
            Part::Walls => self.walls(),
        }
    }

    /// The neighbours that are bonded to the particle, alone: they are in no other part. Those of a rigid particle are those of
    /// its own body, and of other rigid bodies, which contact keeps apart. None unless they are listed
    /// ([`Simulation::list_bonded`](crate::Simulation::list_bonded)).
    #[inline(always)]
    pub fn bonded(&self) -> Self {
        let (list, count) = self.pairs.bonded(self.index);
        Near { list, slopes: &[], split: list.len(), counts: [count, 0], ..*self }
    }

    /// The wall particles alone.
    #[inline(always)]
    pub fn walls(&self) -> Self {
        let slopes = self.slopes.get(self.split..).unwrap_or_default();
        Near { list: &self.list[self.split..], slopes, split: 0, counts: [0, self.counts[1]], ..*self }
    }

    /// The same neighbours as they stand in another packed column: places, and numbers instead of rest volumes. `home` is
    /// the row of the particle itself.
    #[inline(always)]
    pub fn among<'b>(&'b self, rows: &'b [[Real; 4]], home: [Real; 4]) -> Near<'b, S, K> {
        assert!(rows.len() >= self.pairs.packed.len());
        Near { rows, home, slopes: &[], ..*self }
    }

    /// The same neighbours in the same places, with other numbers instead of rest volumes.
    #[inline(always)]
    pub fn with_numbers<'b>(&'b self, rows: &'b [[Real; 4]]) -> Near<'b, S, K> {
        assert!(rows.len() >= self.pairs.packed.len());
        Near { rows, ..*self }
    }

    /// V0_i W(0): what the particle itself adds to a sum of V0 W.
    #[inline(always)]
    pub fn self_term(&self) -> Real {
        self.home[3] * self.pairs.value_at_zero
    }

    /// Σ_j term(j), eight neighbours at a time, in an order that never depends on threads or instructions.
    /// Write it as [`sum!`](crate::sum).
    #[inline(always)]
    pub fn sum<W: Wide<S>>(&self, term: impl Fn(&Block<'_, S, K>) -> W) -> W::Total {
        let mut total = W::zero(self.set);
        let (matter, walls) = self.list.split_at(self.split);
        for (blocks, count) in [matter, walls].into_iter().zip(self.counts) {
            let mut left = Lanes::splat(self.set, Real::from(count)) - Lanes::from_array(self.set, LANE_NUMBERS);
            for j in blocks {
                total = total.plus(term(&self.block(j)).where_positive(left));
                left = left - LANES as Real;
            }
        }
        total.total()
    }

    /// The same for terms that are zero between a particle and itself. Write it as [`exchange!`](crate::exchange).
    #[inline(always)]
    pub fn exchange<W: Wide<S>>(&self, term: impl Fn(&Block<'_, S, K>) -> W) -> W::Total {
        let mut total = W::zero(self.set);
        for j in self.list {
            total = total.plus(term(&self.block(j)));
        }
        total.total()
    }

    /// The same with the slopes of the pairs.
    #[inline(always)]
    pub fn exchange_along_slopes<W: Wide<S>>(&self, term: impl Fn(&Block<'_, S, K>, Lanes<S>) -> W) -> W::Total {
        let mut total = W::zero(self.set);
        if self.slopes.is_empty() {
            for j in self.list {
                let block = self.block(j);
                total = total.plus(term(&block, K::slope_over_r(&self.pairs.kernel, block.r())));
            }
        } else {
            for (j, slope) in self.list.iter().zip(self.slopes) {
                let block = self.block(j);
                total = total.plus(term(&block, Lanes::from_array(self.set, *slope)));
            }
        }
        total.total()
    }

    /// Eight of the list.
    #[inline(always)]
    fn block(&self, j: &'a [u32; LANES]) -> Block<'a, S, K> {
        let (position, volume) = rows(self.set, self.rows, j);
        let home = VecLanes::splat(self.set, Vec3::new(self.home[0], self.home[1], self.home[2]));
        let x_ij = K::shortest(home - position, &self.pairs.domain);
        Block { pairs: self.pairs, j, x_ij, volume, set: self.set, setting: PhantomData }
    }
}

/// Eight neighbours j of a particle i. Lanes beyond the last neighbour hold the particle itself.
pub struct Block<'a, S: Simd, K: Setting> {
    pairs: &'a Pairs,
    j: &'a [u32; LANES],
    x_ij: VecLanes<S>,
    volume: Lanes<S>,
    set: S,
    setting: PhantomData<K>,
}

impl<S: Simd, K: Setting> Block<'_, S, K> {
    /// x_i − x_j [m].
    #[inline(always)]
    pub fn x_ij(&self) -> VecLanes<S> {
        self.x_ij
    }

    /// Distances [m].
    #[inline(always)]
    pub fn r(&self) -> Lanes<S> {
        self.x_ij.dot(self.x_ij).sqrt()
    }

    /// Rest volumes V0_j.
    #[inline(always)]
    pub fn volume(&self) -> Lanes<S> {
        self.volume
    }

    /// W_ij.
    #[inline(always)]
    pub fn w(&self) -> Lanes<S> {
        K::value(&self.pairs.kernel, self.r())
    }

    /// ∇W_ij with respect to x_i.
    #[inline(always)]
    pub fn grad_w(&self) -> VecLanes<S> {
        self.x_ij * K::slope_over_r(&self.pairs.kernel, self.r())
    }

    /// Laplacian of the viscosity kernel.
    #[inline(always)]
    pub fn viscosity_laplacian(&self) -> Lanes<S> {
        self.pairs.kernel.viscosity_laplacian(self.r())
    }

    /// The same number for all neighbours.
    #[inline(always)]
    pub fn splat(&self, value: Real) -> Lanes<S> {
        Lanes::splat(self.set, value)
    }

    /// The same vector for all neighbours.
    #[inline(always)]
    pub fn splat_vec(&self, value: Vec3) -> VecLanes<S> {
        VecLanes::splat(self.set, value)
    }

    /// The neighbours' values of a column.
    #[inline(always)]
    pub fn get(&self, column: &[Real]) -> Lanes<S> {
        assert!(column.len() >= self.pairs.packed.len());
        // SAFETY: every neighbour index is smaller than the length of `packed`, which is at most that of the column.
        Lanes::from_array(self.set, self.j.map(|j| unsafe { *entry::get(column, j) }))
    }

    /// The neighbours' vectors of a column. Slow: for the few wall particles; pack what is needed of all neighbours.
    #[inline(always)]
    pub fn get_vec(&self, column: &[Vec3]) -> VecLanes<S> {
        assert!(column.len() >= self.pairs.packed.len());
        // SAFETY: as in `get`.
        let vectors = self.j.map(|j| unsafe { *entry::get(column, j) });
        let along = |axis: usize| Lanes::from_array(self.set, vectors.map(|v| v[axis]));
        VecLanes { x: along(0), y: along(1), z: along(2) }
    }

    /// The neighbours' rows of a packed column: a vector and a number, fetched with one load each.
    #[inline(always)]
    pub fn get_packed(&self, column: &[[Real; 4]]) -> (VecLanes<S>, Lanes<S>) {
        assert!(column.len() >= self.pairs.packed.len());
        rows(self.set, column, self.j)
    }
}

/// Fills a packed column, one row per particle.
pub(crate) fn pack(column: &mut Vec<[Real; 4]>, count: usize, row: impl Fn(usize) -> [Real; 4] + Sync) {
    column.resize(count, [0.0; 4]);
    pack_some(column, 0, row);
}

/// Fills rows of a packed column, of which the first is that of particle `first`.
pub(crate) fn pack_some(rows: &mut [[Real; 4]], first: usize, row: impl Fn(usize) -> [Real; 4] + Sync) {
    rows.par_iter_mut().with_min_len(4096).enumerate().for_each(|(k, out)| *out = row(first + k));
}

/// A row of a packed column: a vector and a number.
pub(crate) fn row(vector: Vec3, number: Real) -> [Real; 4] {
    [vector.x, vector.y, vector.z, number]
}

/// Eight rows of a packed column, which must be at least as long as `Pairs::packed`.
#[inline(always)]
pub(super) fn rows<S: Simd>(set: S, column: &[[Real; 4]], j: &[u32; LANES]) -> (VecLanes<S>, Lanes<S>) {
    // SAFETY: by the invariant of `packed`, every neighbour index is smaller than its length, and so than the column's.
    let [x, y, z, w] = Lanes::rows(set, j.map(|j| unsafe { entry::get(column, j) }));
    (VecLanes { x, y, z }, w)
}
