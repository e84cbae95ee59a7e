//! The pair loop, written once.
//!
//! Every sum over neighbours in this program goes through [`each!`](crate::each): it hands a closure one particle at
//! a time together with its neighbours, and the closure sums over them eight at a time with [`sum!`](crate::sum). A
//! loop writes only its own particle's value (gather, never scatter), so any number of threads gives the same bits.
//!
//! ```
//! # use thixo_sim::{Pairs, Who, each, sum};
//! # fn compressions(pairs: &Pairs, compression: &mut [thixo_sim::Real], lattice_sum: thixo_sim::Real) {
//! // φ_i = Σ_j V0_j W_ij / φ_lattice: fluid, solid and wall alike.
//! each!(pairs, Who::Matter, compression, |_i, near, phi| {
//!     *phi = (sum!(near, |j| j.volume() * j.w()) + near.self_term()) / lattice_sum;
//! });
//! # }
//! ```
//!
//! Neighbours are exactly the particles closer than the support radius, never the particle itself, and the
//! relation is symmetric. Two wall particles are not neighbours: nothing acts between them. Nor are two particles of an
//! elastic body that are bonded to each other: see [`Bonds`](super::Bonds).

mod listing;

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::candidates::Recent;
use super::cells::Cells;
use super::entry::Entries;
use super::instruction_set::{Available, InstructionSet};
use super::lanes::LANES;
use super::near::Near;
use super::search::{Chunk, LIST_CHUNK};
use super::setting::{Compiled, Setting};
use super::simd::Simd;
use crate::kernel::Kernel;
use crate::real::{Real, Vec3};
use crate::world::Domain;
use crate::{each, sum};

/// Over which particles a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Matter: those that a step moves.
    Matter,
    /// Matter whose forces are due: all of it, unless steps are individual. The loop leaves the values of the others as they are.
    Due,
    /// Those of walls.
    Walls,
}

/// How often lists are gone through in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    /// A few times.
    Few,
    /// So often that taking off their skin pays.
    Many,
    /// So too, also with particles where they will be after the step.
    ManyAfterMoving,
}

/// What lists were made of, beside the column `listed`: part of the state of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lists {
    /// By how much they reach beyond the support [m].
    pub skin: Real,
    /// The length of the step by which they were last trimmed [s].
    pub pace: Real,
}

/// A particle has more neighbours than matter can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crowded {
    pub(crate) particle: usize,
}

/// The neighbours of every particle at one moment, and the loop over them.
#[derive(Clone, Debug)]
pub struct Pairs {
    pub(super) kernel: Kernel,
    /// W(0).
    pub(super) value_at_zero: Real,
    available: Available,
    pub(super) domain: Domain,
    list_capacity: usize,
    /// By how much lists reach beyond the support [m].
    skin: Real,
    /// The length of the step by which lists were last trimmed [s].
    pace: Real,
    /// Lists were made anew since the last [`mark`](Self::mark).
    is_remade: bool,
    /// Lists must be made from the present positions, whatever has moved.
    listing_due: bool,
    /// Lists must be made anew from where particles were at the last listing.
    lists_lost: bool,
    /// Whose forces are due; empty if all are.
    due: Vec<bool>,
    /// Whom paths or the caller move: they list no others of their kind.
    walls: Range<usize>,
    /// Those of rigid bodies, who list no walls and no rigid bodies.
    rigid: Range<usize>,
    /// Position and rest volume of every particle, packed so that one load fetches a neighbour.
    /// Invariant: every entry of every chunk's `neighbors` is smaller than its length.
    pub(super) packed: Vec<[Real; 4]>,
    matter_cells: Cells,
    wall_cells: Cells,
    /// The reach that the cells of walls were made for; 0 when they must be made anew.
    wall_reach: Real,
    /// Velocities, packed, if lists are gone through after moving.
    pub(super) moving: Vec<[Real; 4]>,
    /// The lists of matter and of walls.
    lists: [Vec<Chunk>; 2],
    /// The same without their skin, and with slopes.
    trimmed: [Vec<Chunk>; 2],
    /// How often lists will be gone through.
    passes: Passes,
    /// Are neighbours listed that are bonded to each other?
    lists_bonded: bool,
    /// Memory for the searches that run at a time.
    memory: Vec<Recent>,
    /// Memory for the keys of cells.
    keys: Vec<u64>,
}

impl Pairs {
    /// No pairs yet; on a lattice at rest each particle will have about `expected_neighbors`.
    pub(crate) fn new(kernel: Kernel, expected_neighbors: usize, domain: Domain, set: InstructionSet) -> Self {
        Pairs {
            kernel,
            value_at_zero: kernel.value(0.0),
            available: set.or_baseline(),
            // Twice what a lattice has, and room for the candidates of the last particle: then motion asks for no
            // more memory. What is reserved but never written is not resident.
            list_capacity: LIST_CHUNK * 2 * expected_neighbors.next_multiple_of(LANES) + 1024,
            domain,
            skin: listing::SKINS[0].1 * kernel.support(),
            pace: 0.0,
            is_remade: false,
            listing_due: true,
            lists_lost: true,
            due: Vec::new(),
            walls: 0..0,
            rigid: 0..0,
            packed: Vec::new(),
            matter_cells: Cells::EMPTY,
            wall_cells: Cells::EMPTY,
            wall_reach: 0.0,
            moving: Vec::new(),
            lists: [Vec::new(), Vec::new()],
            trimmed: [Vec::new(), Vec::new()],
            passes: Passes::Few,
            lists_bonded: false,
            memory: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// The kernel all pairs are weighed with.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The instruction set in use.
    pub fn instruction_set(&self) -> InstructionSet {
        self.available.set()
    }

    /// The loop to run, for the set in use, the kernel and the domain.
    #[doc(hidden)]
    pub fn compiled(&self) -> Compiled {
        Compiled::choose(self.available, &self.kernel, &self.domain)
    }

    /// Uses the given set from now on, if this processor has it.
    pub(crate) fn set_instruction_set(&mut self, set: InstructionSet) {
        self.available = set.or_baseline();
    }

    /// Pairs of particles at the very same place. They weigh in densities, but exert no force on each other.
    pub fn coincident_pairs(&self) -> usize {
        // Every pair is seen from both sides.
        self.lists.iter().flatten().map(|chunk| chunk.coincident).sum::<usize>() / 2
    }

    /// Number of (particle, neighbour) entries in the lists: every pair is counted from both sides, those within
    /// the skin included.
    pub fn listed(&self) -> usize {
        self.listed_by(Who::Matter) + self.listed_by(Who::Walls)
    }

    /// The same for the lists of one kind of particle.
    pub fn listed_by(&self, who: Who) -> usize {
        self.chunks(who)
            .iter()
            .flat_map(|chunk| &chunk.counts)
            .map(|&[matter, walls]| usize::from(matter) + usize::from(walls))
            .sum()
    }

    /// The neighbours of particle `i`, in no particular but always the same order.
    pub fn neighbors(&self, i: usize) -> impl Iterator<Item = usize> {
        let (who, k) = if i < self.walls.start { (Who::Matter, i) } else { (Who::Walls, i - self.walls.start) };
        let place = |i: usize| Vec3::new(self.packed[i][0], self.packed[i][1], self.packed[i][2]);
        let reach = self.kernel.support();
        self.chunks(who).get(k / LIST_CHUNK).into_iter().flat_map(move |chunk| chunk.neighbors(k % LIST_CHUNK)).filter(
            move |&j| {
                let difference = self.domain.shortest(place(i) - place(j));
                difference.dot(difference) < reach * reach
            },
        )
    }

    /// The wall particles in the list of particle `i` of matter, some of which may be beyond the support.
    pub(crate) fn walls_near(&self, i: usize) -> impl Iterator<Item = usize> {
        self.chunks(Who::Matter)
            .get(i / LIST_CHUNK)
            .into_iter()
            .flat_map(move |chunk| chunk.walls(i % LIST_CHUNK).particles())
    }

    /// Rigid particles, each with a wall particle or one of another rigid body that it may touch: in the order of the former.
    pub(crate) fn touching(&self) -> impl Iterator<Item = [usize; 2]> {
        self.lists[Who::Matter as usize].iter().flat_map(|chunk| &chunk.touching).map(|pair| pair.map(|i| i as usize))
    }

    /// Runs `update` with index, position, velocity and the wall particles in its list for every particle of matter that has
    /// any.
    pub(crate) fn each_at_walls(
        &self,
        position: &mut [Vec3],
        velocity: &mut [Vec3],
        update: impl Fn(usize, &mut Vec3, &mut Vec3, Entries<'_>) + Sync,
    ) {
        let columns =
            (position.par_chunks_mut(LIST_CHUNK), velocity.par_chunks_mut(LIST_CHUNK), self.chunks(Who::Matter));
        columns.into_par_iter().enumerate().for_each(|(c, (position, velocity, chunk))| {
            for (k, (x, v)) in position.iter_mut().zip(velocity).enumerate() {
                if chunk.counts[k][1] > 0 {
                    update(c * LIST_CHUNK + k, x, v, chunk.walls(k));
                }
            }
        });
    }

    /// `value(i, own, others, slope)` of every particle of matter, from what it adds to its own Σ V0 W, what its neighbours do, and
    /// the length of their Σ V0 ∇W, if it is wanted. `sums` is memory.
    pub(crate) fn weigh(
        &self,
        out: [&mut [Real]; 2],
        (wants_slope, sums): (bool, &mut Vec<[Real; 2]>),
        value: impl Fn(usize, Real, Real, Real) -> [Real; 2] + Sync,
    ) {
        let [first, second] = out;
        let columns = first.par_chunks_mut(LIST_CHUNK).zip(second.par_chunks_mut(LIST_CHUNK)).enumerate();
        let write = |c: usize, (first, second): (&mut [Real], &mut [Real]), sums: &[[Real; 2]]| {
            let rows = first.iter_mut().zip(second).zip(sums);
            for (i, ((first, second), &[others, slope])) in (c * LIST_CHUNK..).zip(rows) {
                [*first, *second] = value(i, self.packed[i][3] * self.value_at_zero, others, slope);
            }
        };
        if self.passes != Passes::Few {
            // Whoever trimmed the lists has summed.
            return columns.zip(self.chunks(Who::Matter)).for_each(|((c, out), chunk)| write(c, out, &chunk.sums));
        }
        sums.resize(self.walls.start, [0.0; 2]);
        match wants_slope {
            false => each!(self, Who::Matter, sums, |_i, near, sums| {
                sums[0] = sum!(near, |j| j.volume() * j.w());
            }),
            true => each!(self, Who::Matter, sums, |_i, near, sums| {
                let (others, slope) = sum!(near, |j| (j.volume() * j.w(), j.grad_w() * j.volume()));
                *sums = [others, slope.length()];
            }),
        }
        columns.for_each(|(c, out)| write(c, out, &sums[c * LIST_CHUNK..]));
    }

    /// The blocks of neighbours that particle `i` is bonded to, and how many they are.
    pub(super) fn bonded(&self, i: usize) -> (&[[u32; LANES]], u16) {
        self.lists[Who::Matter as usize].get(i / LIST_CHUNK).map_or((&[], 0), |chunk| chunk.bonded(i % LIST_CHUNK))
    }

    /// Position and rest volume of every particle.
    pub(crate) fn places(&self) -> &[[Real; 4]] {
        &self.packed
    }

    /// The lists to go through.
    fn chunks(&self, who: Who) -> &[Chunk] {
        let lists = if self.passes != Passes::Few { &self.trimmed } else { &self.lists };
        &lists[usize::from(who == Who::Walls)]
    }

    /// Whose forces are due: one entry for each particle of matter, or none if those of all are.
    pub(crate) fn due(&self) -> &[bool] {
        &self.due
    }

    /// The same, to be said anew.
    pub(crate) fn due_mut(&mut self) -> &mut Vec<bool> {
        &mut self.due
    }

    /// What [`each!`](crate::each) becomes for one instruction set and setting.
    #[doc(hidden)]
    pub fn each_with<S: Simd, K: Setting, T: Send>(
        &self,
        (set, _setting): (S, K),
        who: Who,
        out: &mut [T],
        update: impl Fn(usize, &Near<'_, S, K>, &mut T) + Sync,
    ) {
        let first = if who == Who::Walls { self.walls.start } else { 0 };
        let due: &[bool] = if who == Who::Due { &self.due } else { &[] };
        out.par_chunks_mut(LIST_CHUNK).zip(self.chunks(who)).enumerate().for_each(|(c, (out, chunk))| {
            set.run(
                #[inline(always)]
                || {
                    let due = due.get(c * LIST_CHUNK..).unwrap_or_default();
                    let first = first + c * LIST_CHUNK;
                    let homes = &self.packed[first..first + out.len()];
                    let (blocks, slopes) = (chunk.neighbors.as_chunks().0, chunk.slopes.as_chunks().0);
                    let lists = chunk.starts.iter().zip(&chunk.starts[1..]).zip(&chunk.counts);
                    for (k, ((out, home), ((start, end), counts))) in out.iter_mut().zip(homes).zip(lists).enumerate() {
                        if due.get(k) == Some(&false) {
                            continue;
                        }
                        let range = *start as usize / LANES..*end as usize / LANES;
                        let slopes = slopes.get(range.clone()).unwrap_or_default();
                        let near = Near::new((set, self), (first + k, *home), &blocks[range], slopes, *counts);
                        update(first + k, &near, out);
                    }
                },
            );
        });
    }
}
