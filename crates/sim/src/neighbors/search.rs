//! The search for neighbours: exactly the particles closer than the support radius.

use std::ops::Range;

use rayon::prelude::*;

use super::bonds::Bonds;
use super::candidates::Recent;
use super::cells::Cells;
use super::crowd::{Crowd, Run};
use super::entry::{Entries, entry, index};
use super::grid::Grid;
use super::lanes::{LANES, Lanes, VecLanes};
use super::simd::Simd;
use crate::real::{Real, Vec3};
use crate::world::Domain;

/// Particles per unit of parallel work.
pub(super) const LIST_CHUNK: usize = 256;

/// More neighbours than any sampling of matter has: particles have collapsed into one place, and listing all
/// their pairs would take memory without bound.
const MOST_NEIGHBORS: usize = 8192;

/// Neighbours of a run of particles.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    /// Where each particle's list starts in `neighbors`, and the end of the last. Starts are multiples of LANES.
    pub(super) starts: Vec<u32>,
    /// How many neighbours of matter each particle has, and how many wall particles. Its list has first the ones, then
    /// the others, each filled up to a multiple of LANES with the particle itself.
    pub(super) counts: Vec<[u16; 2]>,
    /// Their entries; beyond the end of the last list there may be anything.
    pub(super) neighbors: Vec<u32>,
    /// W'/r of each entry, if it was trimmed.
    pub(super) slopes: Vec<Real>,
    /// Σ V0 W of each particle over its neighbours, if it was trimmed.
    pub(super) sums: Vec<[Real; 2]>,
    /// Where the neighbours of each particle begin in `bonded` that are bonded to it, and the end of the last; empty unless
    /// they are asked for. In whole blocks, filled up like the lists.
    pub(super) bonded_starts: Vec<u32>,
    /// How many they are.
    pub(super) bonded_counts: Vec<u16>,
    /// Their entries.
    pub(super) bonded: Vec<u32>,
    /// Rigid particles of the run, each with a wall particle or one of another rigid body within reach.
    pub(super) touching: Vec<[u32; 2]>,
    /// Pairs at distance zero.
    pub(super) coincident: usize,
    /// A particle with too many neighbours to list.
    pub(super) crowded: Option<usize>,
}

impl Chunk {
    /// All neighbours of the k-th particle.
    pub(super) fn neighbors(&self, k: usize) -> impl Iterator<Item = usize> {
        let matter = Entries(&self.neighbors[self.starts[k] as usize..][..self.counts[k][0] as usize]);
        matter.particles().chain(self.walls(k).particles())
    }

    /// The blocks of neighbours that are bonded to the k-th particle, and how many they are.
    pub(super) fn bonded(&self, k: usize) -> (&[[u32; LANES]], u16) {
        match (self.bonded_starts.get(k..k + 2), self.bonded_counts.get(k)) {
            (Some(&[start, end]), Some(&count)) => (self.bonded[start as usize..end as usize].as_chunks().0, count),
            _ => (&[], 0),
        }
    }

    /// The wall particles near the k-th particle.
    pub(super) fn walls(&self, k: usize) -> Entries<'_> {
        let [matter, walls] = self.counts[k].map(|count| count as usize);
        Entries(&self.neighbors[self.starts[k] as usize + matter.next_multiple_of(LANES)..][..walls])
    }
}

/// One search, over all particles.
pub(super) struct Search<'a, S: Simd> {
    pub(super) set: S,
    pub(super) position: &'a [Vec3],
    pub(super) reach: Real,
    /// Room that a chunk's lists get at once.
    pub(super) list_capacity: usize,
    /// Matter and wall particles, sorted.
    pub(super) cells: [&'a Cells; 2],
    pub(super) grid: Grid,
    /// The box that holds all that matter can reach: beyond it nobody has a neighbour of matter.
    pub(super) matter: [Vec3; 2],
    pub(super) domain: &'a Domain,
    /// Who is listed apart, if at all.
    pub(super) bonds: &'a Bonds,
    /// Are neighbours listed that are bonded to each other?
    pub(super) lists_bonded: bool,
    /// The particles of rigid bodies, those of walls, and the body of every particle.
    pub(super) rigid: Range<usize>,
    pub(super) walls: Range<usize>,
    pub(super) body: &'a [u32],
}

impl<S: Simd> Search<'_, S> {
    /// Fills the lists of the particles in `range`; those of walls list no walls.
    pub(super) fn fill(&self, chunks: &mut Vec<Chunk>, range: Range<usize>, of_walls: bool, memory: &mut [Recent]) {
        chunks.resize_with(range.len().div_ceil(LIST_CHUNK), Chunk::default);
        let share = chunks.len().div_ceil(memory.len()).max(1);
        let work = chunks.par_chunks_mut(share).zip(memory).enumerate();
        work.for_each(|(k, (chunks, recent))| {
            recent.forget();
            for (c, chunk) in (k * share..).zip(chunks) {
                let first = range.start + c * LIST_CHUNK;
                let particles = first..(first + LIST_CHUNK).min(range.end);
                let cells =
                    self.cells[usize::from(of_walls)].cells_of(c * LIST_CHUNK..c * LIST_CHUNK + particles.len());
                self.set.run(
                    #[inline(always)]
                    || {
                        if self.domain.is_periodic() {
                            self.fill_chunk::<true>(chunk, particles, cells, of_walls, recent);
                        } else {
                            self.fill_chunk::<false>(chunk, particles, cells, of_walls, recent);
                        }
                    },
                );
            }
        });
    }

    #[inline(always)]
    fn fill_chunk<const PERIODIC: bool>(
        &self,
        chunk: &mut Chunk,
        range: Range<usize>,
        cells: &[u32],
        of_walls: bool,
        recent: &mut Recent,
    ) {
        let Chunk {
            starts,
            counts,
            neighbors,
            bonded_starts,
            bonded_counts,
            bonded,
            touching,
            coincident,
            crowded,
            ..
        } = chunk;
        bonded_starts.clear();
        bonded_counts.clear();
        bonded.clear();
        touching.clear();
        starts.clear();
        starts.reserve_exact(LIST_CHUNK + 1);
        counts.clear();
        counts.reserve_exact(LIST_CHUNK);
        // Longer than the lists, or as long: what an earlier search left is not worth erasing.
        neighbors.reserve_exact(self.list_capacity.saturating_sub(neighbors.len()));
        (*coincident, *crowded) = (0, None);
        let mut end = 0;
        for (i, &cell) in range.zip(cells) {
            let home = self.position[i];
            let begin = end;
            starts.push(begin as u32);
            let begin_bonded = bonded.len();
            if self.is_out_of_sight(home) {
                counts.push([0; 2]);
                if self.lists_bonded {
                    bonded_starts.push(begin_bonded as u32);
                    bonded_counts.push(0);
                }
                continue;
            }
            let crowds = recent.around::<S, PERIODIC>(self, cell, home, of_walls).kinds();
            // Room for all that may be found, and for each kind a last block of eight and the filling.
            let room = end + crowds[0].1.len() + crowds[1].1.len() + 4 * LANES;
            if neighbors.len() < room {
                neighbors.resize(room, 0);
            }
            let mut found = [0; 2];
            for (kind, crowd) in crowds.into_iter().enumerate() {
                let (mut near, zeros) = self.select::<PERIODIC>(i, home, crowd, &mut neighbors[end..]);
                if i < self.bonds.len() && kind == 0 {
                    let struck = self.lists_bonded.then_some(&mut *bonded);
                    near = self.bonds.strike(i, &mut neighbors[end..end + near], struck);
                }
                if self.rigid.contains(&i) {
                    let own = self.lists_bonded.then_some(&mut *bonded);
                    near = self.set_apart(i, &mut neighbors[end..end + near], (touching, own));
                } else if of_walls && !self.rigid.is_empty() {
                    near = self.without_rigid(&mut neighbors[end..end + near]);
                }
                let full = (end + near).next_multiple_of(LANES);
                neighbors[end + near..full].fill(entry(i as u32));
                (found[kind], end) = (near, full);
                *coincident += zeros;
            }
            if end - begin > MOST_NEIGHBORS {
                (*crowded, found, end) = (Some(i), [0; 2], begin);
            }
            // Fewer than MOST_NEIGHBORS.
            counts.push(found.map(|count| count as u16));
            if self.lists_bonded {
                bonded_starts.push(begin_bonded as u32);
                bonded_counts.push((bonded.len() - begin_bonded) as u16);
                bonded.resize(bonded.len().next_multiple_of(LANES), entry(i as u32));
            }
        }
        starts.push(end as u32);
        if self.lists_bonded {
            bonded_starts.push(bonded.len() as u32);
        }
    }

    /// Takes walls and rigid bodies off the list of rigid particle `i`, which contact keeps apart from them; those of others go to
    /// `touching`, and all rigid ones to those that are bonded, if these are asked for. How many are left, at the front.
    fn set_apart(
        &self,
        i: usize,
        list: &mut [u32],
        (touching, mut bonded): (&mut Vec<[u32; 2]>, Option<&mut Vec<u32>>),
    ) -> usize {
        let mut kept = 0;
        for k in 0..list.len() {
            let j = index(list[k]);
            if !self.walls.contains(&j) && !self.rigid.contains(&j) {
                list[kept] = list[k];
                kept += 1;
                continue;
            }
            if let Some(bonded) = bonded.as_mut().filter(|_| !self.walls.contains(&j)) {
                bonded.push(list[k]);
            }
            if self.body[j] != self.body[i] {
                touching.push([i as u32, j as u32]);
            }
        }
        kept
    }

    /// Takes rigid bodies off the list of a wall particle, which they do not list either: else walls would be charged for pressure
    /// that nobody feels. How many are left, at the front.
    fn without_rigid(&self, list: &mut [u32]) -> usize {
        let mut kept = 0;
        for k in 0..list.len() {
            if !self.rigid.contains(&index(list[k])) {
                list[kept] = list[k];
                kept += 1;
            }
        }
        kept
    }

    /// Is a place farther from all matter than the reach? Most of a dry wall is, and need not search.
    fn is_out_of_sight(&self, place: Vec3) -> bool {
        let [low, high] = self.matter;
        !self.domain.is_periodic() && (place.cmplt(low) | place.cmpgt(high)).any()
    }

    /// The shortest vectors that mean the same: known when it is compiled, the domain costs nothing where it does not
    /// repeat.
    #[inline(always)]
    pub(super) fn shortest<const PERIODIC: bool>(&self, difference: VecLanes<S>) -> VecLanes<S> {
        if PERIODIC { difference.shortest(self.domain) } else { difference }
    }

    /// Writes the candidates in reach of particle `i` to the front of `list`: how many, and how many others lie exactly
    /// where `i` lies.
    #[inline(always)]
    fn select<const PERIODIC: bool>(
        &self,
        i: usize,
        home: Vec3,
        (crowd, run): (&Crowd, Run),
        list: &mut [u32],
    ) -> (usize, usize) {
        let reach_squared = Lanes::splat(self.set, self.reach * self.reach);
        let nothing = Lanes::splat(self.set, Real::MIN_POSITIVE);
        let home = VecLanes::splat(self.set, home);
        let (mut found, mut coincident) = (0, 0);
        for (particles, place) in crowd.blocks(run) {
            let difference = self.shortest::<PERIODIC>(home - VecLanes::from_arrays(self.set, place));
            let r_squared = difference.dot(difference);
            let mut bits = r_squared.less(reach_squared);
            let mut zeros = r_squared.less(nothing);
            while zeros != 0 {
                let lane = zeros.trailing_zeros();
                zeros &= zeros - 1;
                if particles[lane as usize] as usize == i {
                    bits &= !(1 << lane);
                } else {
                    coincident += 1;
                }
            }
            if let Some(out) = list[found..].first_chunk_mut() {
                self.set.compress(&particles.map(entry), bits, out);
            }
            found += bits.count_ones() as usize;
        }
        (found, coincident)
    }
}
