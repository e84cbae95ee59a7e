//! Bonds: who was next to whom in the undeformed shape of an elastic body.
//!
//! The lists of the pair loop, made once from the undeformed shape and kept while the body exists: whatever happens to
//! it, its particles have the neighbours they were born with (Peer18 3.2). Beside each entry stands what a sum over
//! bonds needs, the vector to the neighbour at rest and its weight, so that no formula asks where a particle was at rest:
//! a bond may come or go alone.
//!
//! Bonded particles are the first of the world, in an order that never changes, and only particles of one body are
//! bonded. They do not see each other as other neighbours do: elasticity keeps them apart, and together. What the lists
//! of [`Pairs`] hold for them is contact.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::entry::{self, Entries, entry};
use super::instruction_set::InstructionSet;
use super::lanes::{LANES, Lanes, VecLanes, Wide};
use super::near::rows;
use super::pairs::{Crowded, Pairs};
use super::search::CHUNK;
use super::simd::{Avx2, Simd};
use crate::kernel::Kernel;
use crate::real::{Real, Vec3};
use crate::world::{Domain, Particles};

/// Runs `|i, near, value| { ... }` for every bonded particle, in parallel: as [`each!`](crate::each) does, over bonds.
macro_rules! each_bond {
    ($bonds:expr, $out:expr, |$i:pat_param, $near:ident, $value:pat_param| $body:block) => {{
        let bonds: &$crate::neighbors::Bonds = $bonds;
        macro_rules! run {
            ($set:expr) => {
                bonds.each_with(
                    $set,
                    $out,
                    #[inline(always)]
                    |$i, $near, $value| $body,
                )
            };
        }
        match bonds.avx2() {
            Some(set) => run!(set),
            None => run!($crate::Portable),
        }
    }};
}
pub(crate) use each_bond;

/// What a particle's stress does to its neighbours: the rows of a matrix, each followed by a coordinate of the particle.
pub(crate) type Tension = [[Real; 4]; 3];

/// Bonds of a run of particles.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// The first block of each particle, and the end of the last.
    starts: Vec<u32>,
    /// How many bonds each particle has.
    counts: Vec<u16>,
    /// Entries of the neighbours, in ascending order; the last block is filled up with the particle itself.
    entries: Vec<[u32; LANES]>,
    /// Vectors to the neighbours at rest, and weights: zero where a block is filled up.
    rests: Vec<[[Real; LANES]; 4]>,
}

/// The bonds of all elastic bodies, and the loop over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bonds {
    count: usize,
    chunks: Vec<Chunk>,
    avx2: Option<Avx2>,
}

impl Bonds {
    /// Bonds the first particles of a world, as many as `body` has entries, with those of their body that are within the
    /// support at rest. `weigh(j, r)` is the weight of neighbour `j` at the distance `r`.
    pub(crate) fn new(
        (kernel, domain, set): (&Kernel, &Domain, InstructionSet),
        rest: &[Vec3],
        body: &[u32],
        weigh: impl Fn(usize, Real) -> Real + Sync,
    ) -> Result<Self, Crowded> {
        let mut shape = Particles::zeroed(rest.len());
        shape.position.copy_from_slice(rest);
        let mut near = Pairs::new(*kernel, 0, *domain, set);
        near.update(&mut shape, rest.len(), 0.0, &Bonds::default())?;
        let chunk_of = |c: usize| {
            let mut chunk = Chunk::default();
            chunk.starts.push(0);
            for i in c * CHUNK..((c + 1) * CHUNK).min(rest.len()) {
                let mut bonded: Vec<usize> = near.neighbors(i).filter(|&j| body[j] == body[i]).collect();
                bonded.sort_unstable();
                chunk.push(i, &bonded, |j| domain.shortest(rest[j] - rest[i]), &weigh);
            }
            chunk
        };
        let chunks = (0..rest.len().div_ceil(CHUNK)).into_par_iter().map(chunk_of).collect();
        let mut bonds = Bonds { count: rest.len(), chunks, avx2: None };
        bonds.set_instruction_set(set);
        Ok(bonds)
    }

    /// How many particles are bonded: those before this index.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The permission to use AVX2, if it is in use.
    pub(crate) fn avx2(&self) -> Option<Avx2> {
        self.avx2
    }

    /// Uses the given set from now on, if this processor has it.
    pub(crate) fn set_instruction_set(&mut self, set: InstructionSet) {
        self.avx2 = if set == InstructionSet::Avx2 { InstructionSet::avx2() } else { None };
    }

    /// The particles bonded to particle `i`, each with the vector to it at rest and its weight.
    pub(crate) fn of(&self, i: usize) -> impl Iterator<Item = (usize, Vec3, Real)> {
        let (chunk, k) = (&self.chunks[i / CHUNK], i % CHUNK);
        let rests = &chunk.rests[chunk.starts[k] as usize..];
        chunk.entries(k).particles().enumerate().map(move |(n, j)| {
            let [x, y, z, weight] = rests[n / LANES].map(|lanes| lanes[n % LANES]);
            (j, Vec3::new(x, y, z), weight)
        })
    }

    /// Strikes the entries of a list of particle `i` that are bonded to it; returns how many are left, at the front.
    pub(super) fn strike(&self, i: usize, list: &mut [u32]) -> usize {
        let bonded = self.chunks[i / CHUNK].entries(i % CHUNK).0;
        let mut kept = 0;
        for k in 0..list.len() {
            list[kept] = list[k];
            kept += usize::from(bonded.binary_search(&list[k]).is_err());
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
        out.par_chunks_mut(CHUNK).zip(&self.chunks).enumerate().for_each(|(c, (out, chunk))| {
            set.run(
                #[inline(always)]
                || {
                    for (k, (out, ends)) in out.iter_mut().zip(chunk.starts.windows(2)).enumerate() {
                        let list = ends[0] as usize..ends[1] as usize;
                        let (entries, rests) = (&chunk.entries[list.clone()], &chunk.rests[list]);
                        update(c * CHUNK + k, &Bonded { count: self.count, entries, rests, set: PhantomData }, out);
                    }
                },
            );
        });
    }
}

impl Chunk {
    /// Adds the bonds of particle `i`.
    fn push(&mut self, i: usize, bonded: &[usize], to: impl Fn(usize) -> Vec3, weigh: impl Fn(usize, Real) -> Real) {
        for block in bonded.chunks(LANES) {
            let (mut entries, mut rests) = ([entry(i as u32); LANES], [[0.0; LANES]; 4]);
            for (lane, &j) in block.iter().enumerate() {
                let rest = to(j);
                entries[lane] = entry(j as u32);
                for (row, value) in rests.iter_mut().zip([rest.x, rest.y, rest.z, weigh(j, rest.length())]) {
                    row[lane] = value;
                }
            }
            self.entries.push(entries);
            self.rests.push(rests);
        }
        self.counts.push(bonded.len() as u16);
        self.starts.push(self.entries.len() as u32);
    }

    /// The entries of the k-th particle.
    fn entries(&self, k: usize) -> Entries<'_> {
        Entries(&self.entries[self.starts[k] as usize..].as_flattened()[..usize::from(self.counts[k])])
    }
}

/// A particle and those it is bonded to.
pub(crate) struct Bonded<'a, S: Simd> {
    count: usize,
    entries: &'a [[u32; LANES]],
    rests: &'a [[[Real; LANES]; 4]],
    set: PhantomData<S>,
}

impl<S: Simd> Bonded<'_, S> {
    /// Σ_j term(j), eight neighbours at a time; the term must have the weight as a factor. Write it as
    /// [`sum!`](crate::sum).
    #[inline(always)]
    pub(crate) fn sum<W: Wide<S>>(&self, term: impl Fn(&BondBlock<'_, S>) -> W) -> W::Total {
        let mut total = W::zero();
        for (j, [x, y, z, weight]) in self.entries.iter().zip(self.rests) {
            let (rest, weight) = (VecLanes::from_arrays([x, y, z]), Lanes::from_array(*weight));
            total = total.plus(term(&BondBlock { count: self.count, j, rest, weight }));
        }
        total.total()
    }
}

/// Eight particles j that are bonded to a particle i.
pub(crate) struct BondBlock<'a, S: Simd> {
    count: usize,
    j: &'a [u32; LANES],
    rest: VecLanes<S>,
    weight: Lanes<S>,
}

impl<S: Simd> BondBlock<'_, S> {
    /// The vectors x⁰_ji from i to j at rest [m].
    #[inline(always)]
    pub(crate) fn rest(&self) -> VecLanes<S> {
        self.rest
    }

    /// The weights ω_ij.
    #[inline(always)]
    pub(crate) fn weight(&self) -> Lanes<S> {
        self.weight
    }

    /// The same vector for all.
    #[inline(always)]
    pub(crate) fn splat_vec(&self, value: Vec3) -> VecLanes<S> {
        VecLanes::splat(value)
    }

    /// Their rows of a packed column.
    #[inline(always)]
    pub(crate) fn get_packed(&self, column: &[[Real; 4]]) -> (VecLanes<S>, Lanes<S>) {
        assert!(column.len() >= self.count);
        // Every entry is that of a bonded particle, of which there are `count`.
        rows(column, self.j)
    }

    /// Their tensions, row by row, each with a coordinate.
    #[inline(always)]
    pub(crate) fn get_tension(&self, column: &[Tension]) -> [(VecLanes<S>, Lanes<S>); 3] {
        assert!(column.len() >= self.count);
        // SAFETY: every entry is that of a bonded particle, of which there are `count`.
        let tensions = self.j.map(|j| unsafe { entry::get(column, j) });
        // Written out: what `from_fn` calls would not be compiled for the instructions of this set.
        let [xx, xy, xz, x] = S::transpose(tensions.map(|tension| &tension[0]));
        let [yx, yy, yz, y] = S::transpose(tensions.map(|tension| &tension[1]));
        let [zx, zy, zz, z] = S::transpose(tensions.map(|tension| &tension[2]));
        let row = VecLanes { x: Lanes(xx), y: Lanes(xy), z: Lanes(xz) };
        let next = VecLanes { x: Lanes(yx), y: Lanes(yy), z: Lanes(yz) };
        let last = VecLanes { x: Lanes(zx), y: Lanes(zy), z: Lanes(zz) };
        [(row, Lanes(x)), (next, Lanes(y)), (last, Lanes(z))]
    }
}
