//! Bonds: who was next to whom in the undeformed shape of an elastic body.
//!
//! The lists of the pair loop, made once from the undeformed shape and kept while the body exists: whatever happens to
//! it, its particles have the neighbours they were born with (Peer18 3.2). Beside each entry stands what a sum over
//! bonds needs, the vector to the neighbour at rest times its weight, and the weight, so that no formula asks where a
//! particle was at rest: a bond may come or go alone.
//!
//! Both sums of elasticity ([`Bonded::moments`], [`Bonded::pulled`]) are made of outer products and products of matrices
//! with vectors. They take one bond at a time, the rows and columns of its matrices side by side in the lanes: nothing is
//! put together lane by lane, which costs more than the sums themselves.
//!
//! Bonded particles are the first of the world ([`Kinds`]). Bonds are state: they come and go one by one, and change places
//! with their particles ([`bond_changes`](super::bond_changes)). Bonded particles do not see each other as other neighbours do: elasticity keeps them apart, and together. What the lists
//! of [`Pairs`] hold for them is contact.

use rayon::prelude::*;

use super::bond_lists::{Chunk, Side, WAYS};
use super::entry;
use super::instruction_set::{Available, InstructionSet};
use super::lanes::{LANES, Lanes};
use super::near::row;
use super::pairs::{Crowded, Pairs};
use super::search::LIST_CHUNK;
use super::simd::Simd;
use crate::kernel::Kernel;
use crate::real::{Mat3, Real, Vec3};
use crate::world::{Domain, Kinds, Particles};

/// Runs `|i, near, value| { ... }` for every bonded particle, in parallel: as [`each!`](crate::each) does, over bonds.
macro_rules! each_bond {
    ($bonds:expr, $out:expr, |$i:pat_param, $near:ident, $value:pat_param| $body:block) => {{
        let bonds: &$crate::neighbors::Bonds = $bonds;
        $crate::with_set!(bonds.available(), |set| bonds.each_with(
            set,
            $out,
            #[inline(always)]
            |$i, $near, $value| $body,
        ))
    }};
}
pub(crate) use each_bond;

/// What a sum over bonds begins or ends with: the columns of a matrix, and a vector. Each has a number beside it that is
/// not used.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Tension(pub(crate) [[Real; 4]; 4]);

impl Tension {
    #[inline(always)]
    pub(crate) fn new(matrix: Mat3, vector: Vec3) -> Self {
        Tension([matrix.x_axis, matrix.y_axis, matrix.z_axis, vector].map(|column| row(column, 0.0)))
    }

    /// The matrix and the vector.
    #[inline(always)]
    pub(crate) fn parts(&self) -> (Mat3, Vec3) {
        let [x, y, z, w] = self.0.each_ref().map(|column| vector(column));
        (Mat3::from_cols(x, y, z), w)
    }
}

/// Where particles are, in two parts: differences between neighbours are then exact to the last digit of the difference,
/// which is far smaller than that of a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    /// Positions.
    pub(crate) coarse: &'a [[Real; 4]],
    /// What is to be added.
    pub(crate) fine: &'a [[Real; 4]],
    pub(crate) domain: &'a Domain,
}

impl Places<'_> {
    /// The vector from particle `i` to particle `j`.
    pub(crate) fn difference(&self, j: usize, i: usize) -> Vec3 {
        let to = self.domain.shortest(vector(&self.coarse[j]) - vector(&self.coarse[i]));
        to + (vector(&self.fine[j]) - vector(&self.fine[i]))
    }
}

/// What a neighbour weighs in sums.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    /// The weight ω.
    pub(crate) weight: Real,
    /// V W over the weight.
    pub(crate) ratio: Real,
}

/// The bonds of all elastic bodies, and the loop over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bonds {
    pub(super) count: usize,
    pub(super) chunks: Vec<Chunk>,
    available: Available,
    /// How many lists were changed: what changes cost.
    pub(super) edits: usize,
}

impl Bonds {
    /// Bonds the first particles of a world, as many as there are places at rest, with those within the support at rest for
    /// which `are_bonded(i, j)` is true. `weigh(i, j, r)` is what neighbour `j` weighs to `i` at the distance `r`.
    pub(crate) fn new(
        (kernel, domain, set): (&Kernel, &Domain, InstructionSet),
        rest: &[Vec3],
        are_bonded: impl Fn(usize, usize) -> bool + Sync,
        weigh: impl Fn(usize, usize, Real) -> Weight + Sync,
    ) -> Result<Self, Crowded> {
        let mut shape = Particles::zeroed(rest.len());
        shape.position.copy_from_slice(rest);
        let mut near = Pairs::new(*kernel, 0, *domain, set);
        near.update(&mut shape, &Kinds::fluid_alone(rest.len()), 0.0, &Bonds::default(), &mut Vec::new())?;
        let chunk_of = |c: usize| {
            let (mut chunk, mut sides) = (Chunk::default(), Vec::new());
            for i in c * LIST_CHUNK..((c + 1) * LIST_CHUNK).min(rest.len()) {
                let side = |j: usize| {
                    let rest = domain.shortest(rest[j] - rest[i]);
                    Side::new(j as u32, rest, weigh(i, j, rest.length()))
                };
                sides.clear();
                sides.extend(near.neighbors(i).filter(|&j| are_bonded(i, j)).map(side));
                sides.sort_unstable_by_key(|side| side.other);
                chunk.push(i as u32, &sides);
            }
            chunk
        };
        let chunks = (0..rest.len().div_ceil(LIST_CHUNK)).into_par_iter().map(chunk_of).collect();
        Ok(Bonds { count: rest.len(), chunks, available: set.or_baseline(), edits: 0 })
    }

    /// How many particles are bonded: those before this index.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The instruction set in use.
    pub(crate) fn available(&self) -> Available {
        self.available
    }

    /// Uses the given set from now on, if this processor has it.
    pub(crate) fn set_instruction_set(&mut self, set: InstructionSet) {
        self.available = set.or_baseline();
    }

    /// The particles bonded to particle `i`, each with the vector to it at rest and its weight.
    pub(crate) fn of(&self, i: usize) -> impl Iterator<Item = (usize, Vec3, Real)> {
        let (chunk, k) = (&self.chunks[i / LIST_CHUNK], i % LIST_CHUNK);
        let rows = chunk.rows[chunk.blocks(k)].as_flattened();
        chunk.entries(k).particles().zip(rows).filter(|(_, row)| row[3] > 0.0).map(|(j, row)| (j, at_rest(row), row[3]))
    }

    /// Strikes the entries of a list of particle `i` that are bonded to it; returns how many are left, at the front. Those
    /// struck go to `struck`, if it is given.
    pub(super) fn strike(&self, i: usize, list: &mut [u32], mut struck: Option<&mut Vec<u32>>) -> usize {
        let bonded = self.chunks[i / LIST_CHUNK].entries(i % LIST_CHUNK).0;
        let mut kept = 0;
        for k in 0..list.len() {
            let (entry, is_free) = (list[k], bonded.binary_search(&list[k]).is_err());
            list[kept] = entry;
            kept += usize::from(is_free);
            if let Some(struck) = struck.as_mut().filter(|_| !is_free) {
                struck.push(entry);
            }
        }
        kept
    }

    /// What [`each_bond!`] becomes for one instruction set.
    pub(crate) fn each_with<S: Simd, T: Send>(
        &self,
        set: S,
        out: &mut [T],
        update: impl Fn(usize, &Bonded<'_, S>, &mut T) + Sync,
    ) {
        out.par_chunks_mut(LIST_CHUNK).enumerate().for_each(|(c, out)| {
            set.run(
                #[inline(always)]
                || {
                    for (i, out) in (c * LIST_CHUNK..).zip(out) {
                        update(i, &self.near(set, i), out);
                    }
                },
            );
        });
    }

    /// Particle `i` and those it is bonded to. To be called within [`Simd::run`].
    #[inline(always)]
    pub(crate) fn near<S: Simd>(&self, set: S, i: usize) -> Bonded<'_, S> {
        let (chunk, k) = (&self.chunks[i / LIST_CHUNK], i % LIST_CHUNK);
        let list = chunk.blocks(k);
        let (entries, rows) = (&chunk.entries[list.clone()], &chunk.rows[list.clone()]);
        Bonded { count: self.count, entries, rows, ratios: &chunk.ratios[list], set }
    }
}

/// The vector to a neighbour at rest.
#[inline(always)]
fn at_rest(row: &[Real; 4]) -> Vec3 {
    vector(row) / row[3]
}

#[inline(always)]
fn vector(numbers: &[Real]) -> Vec3 {
    Vec3::from_slice(numbers)
}

/// The sum of what went each way, in one half.
#[inline(always)]
fn total<S: Simd>(sums: &[[Lanes<S>; 2]; WAYS], half: usize) -> [Real; LANES] {
    let [a, b, c, d] = sums;
    ((a[half] + b[half]) + (c[half] + d[half])).to_array()
}

/// A particle and those it is bonded to.
pub(crate) struct Bonded<'a, S: Simd> {
    count: usize,
    entries: &'a [[u32; WAYS]],
    rows: &'a [[[Real; 4]; WAYS]],
    ratios: &'a [[Real; WAYS]],
    set: S,
}

impl<S: Simd> Bonded<'_, S> {
    /// Σ_j ω_ij p_ji ⊗ x⁰_ji and Σ_j ω_ij p_ji, for the differences p_ji of displacements.
    #[inline(always)]
    pub(crate) fn moments(&self, displacement: &[[Real; 4]], i: usize) -> Tension {
        assert!(displacement.len() >= self.count);
        let here = Lanes::twice(self.set, &displacement[i]);
        let [moments] = self.sum_moments(
            #[inline(always)]
            // SAFETY: every entry is that of a bonded particle, of which there are `count`.
            |j| Lanes::twice(self.set, unsafe { entry::get(displacement, j) }) - here,
        );
        moments
    }

    /// The same, and beside it Σ_j V_j W_ij p_ji ⊗ x⁰_ji.
    #[inline(always)]
    pub(crate) fn both_moments(&self, displacement: &[[Real; 4]], i: usize) -> [Tension; 2] {
        assert!(displacement.len() >= self.count);
        let here = Lanes::twice(self.set, &displacement[i]);
        self.sum_moments(
            #[inline(always)]
            // SAFETY: every entry is that of a bonded particle, of which there are `count`.
            |j| Lanes::twice(self.set, unsafe { entry::get(displacement, j) }) - here,
        )
    }

    /// The first of these for the differences of places.
    #[inline(always)]
    pub(crate) fn moments_of_places(&self, places: &Places<'_>, i: usize) -> Tension {
        let [moments] = self.each_moment_of_places(places, i);
        moments
    }

    /// The first, or both, of these for the differences of places.
    #[inline(always)]
    pub(crate) fn each_moment_of_places<const N: usize>(&self, places: &Places<'_>, i: usize) -> [Tension; N] {
        let &Places { coarse, fine, domain } = places;
        assert!(coarse.len() >= self.count && fine.len() >= self.count);
        let set = self.set;
        let (here, rest) = (Lanes::twice(set, &coarse[i]), Lanes::twice(set, &fine[i]));
        let (length, inverse) = (domain.length().extend(0.0), domain.inverse_length().extend(0.0));
        let (length, inverse) = (Lanes::twice(set, &length.to_array()), Lanes::twice(set, &inverse.to_array()));
        let is_periodic = domain.is_periodic();
        self.sum_moments(
            #[inline(always)]
            |j| {
                // SAFETY: every entry is that of a bonded particle, of which there are `count`.
                let (place, more) = unsafe { (entry::get(coarse, j), entry::get(fine, j)) };
                // Between places that are near each other nothing is lost here.
                let mut to = Lanes::twice(set, place) - here;
                if is_periodic {
                    to = to - (to * inverse).round() * length;
                }
                to + (Lanes::twice(set, more) - rest)
            },
        )
    }

    /// Of the vectors that `to` tells of entries, twice each: the second, if there is one, weighed by the kernel.
    #[inline(always)]
    fn sum_moments<const N: usize>(&self, to: impl Fn(u32) -> Lanes<S>) -> [Tension; N] {
        let (mut sums, spread) = ([[[Lanes::splat(self.set, 0.0); 2]; WAYS]; N], self.set.spread());
        for ((entries, rows), ratios) in self.entries.iter().zip(self.rows).zip(self.ratios) {
            for way in 0..WAYS {
                let mut to = to(entries[way]);
                let row = Lanes::twice(self.set, &rows[way]);
                let (first, last) = (row.first_two(spread), row.last_two(spread));
                for (k, sums) in sums.iter_mut().enumerate() {
                    if k > 0 {
                        to = to * ratios[way];
                    }
                    sums[way][0] = sums[way][0] + to * first;
                    sums[way][1] = sums[way][1] + to * last;
                }
            }
        }
        let mut moments = [Tension::default(); N];
        for (moments, sums) in moments.iter_mut().zip(&sums) {
            let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (total(sums, 0), total(sums, 1));
            *moments = Tension([[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]]);
        }
        moments
    }

    /// Σ_j ω_ij T_j x⁰_ji, and with two tensions Σ_j (ω_ij T_j + V_j W_ij T'_j) x⁰_ji.
    #[inline(always)]
    pub(crate) fn pulled<const N: usize>(&self, tensions: &[[Tension; N]]) -> Vec3 {
        assert!(tensions.len() >= self.count);
        let (mut sums, spread) = ([[Lanes::splat(self.set, 0.0); 2]; WAYS], self.set.spread());
        for ((entries, rows), ratios) in self.entries.iter().zip(self.rows).zip(self.ratios) {
            for way in 0..WAYS {
                // SAFETY: every entry is that of a bonded particle, of which there are `count`.
                let tensions = unsafe { entry::get(tensions, entries[way]) };
                let columns = |k: usize, half: usize| {
                    Lanes::from_array(self.set, tensions[k].0.as_flattened().as_chunks::<LANES>().0[half])
                };
                let (mut first, mut last) = (columns(0, 0), columns(0, 1));
                if N > 1 {
                    first = first + columns(N - 1, 0) * ratios[way];
                    last = last + columns(N - 1, 1) * ratios[way];
                }
                let row = Lanes::twice(self.set, &rows[way]);
                sums[way][0] = sums[way][0] + first * row.first_two(spread);
                sums[way][1] = sums[way][1] + last * row.last_two(spread);
            }
        }
        let (first, last) = (total(&sums, 0), total(&sums, 1));
        vector(&first) + vector(&first[4..]) + vector(&last)
    }

    /// The largest |x_ji|²/|x⁰_ji|².
    #[inline(always)]
    pub(crate) fn longest_stretch_squared(&self, places: &Places<'_>, i: usize) -> Real {
        let mut longest = 0.0;
        for (entries, rows) in self.entries.iter().zip(self.rows) {
            for (entry, &[x, y, z, weight]) in entries.iter().zip(rows) {
                // What holds no bond weighs nothing.
                let rest = x * x + y * y + z * z;
                let length = places.difference(*entry as usize / 2, i).length_squared() * (weight * weight);
                if length > longest * rest {
                    longest = length / rest.max(Real::MIN_POSITIVE);
                }
            }
        }
        longest
    }

    /// Σ_j ω_ij |x_ji − F x⁰_ji|².
    #[inline(always)]
    pub(crate) fn misfit(&self, places: &Places<'_>, i: usize, fit: Mat3) -> Real {
        let [a, b, c] = fit.to_cols_array_2d();
        let mut sums = [[0.0; 3]; WAYS];
        for (entries, rows) in self.entries.iter().zip(self.rows) {
            for way in 0..WAYS {
                let to = places.difference(entries[way] as usize / 2, i).to_array();
                let [x, y, z, weight] = rows[way];
                // Nothing weighs nothing.
                let over = 1.0 / weight.max(Real::MIN_POSITIVE);
                for k in 0..3 {
                    // Times the weight.
                    let left = to[k] * weight - (a[k] * x + b[k] * y + c[k] * z);
                    sums[way][k] += left * left * over;
                }
            }
        }
        let [x, y, z] = std::array::from_fn(|k| (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]));
        x + y + z
    }
}
