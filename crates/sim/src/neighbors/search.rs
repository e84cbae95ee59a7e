//! The search for neighbours: exactly the particles closer than the support radius.

use std::ops::Range;

use rayon::prelude::*;

use super::bonds::Bonds;
use super::cells::{Cells, Run};
use super::entry::{Entries, entry};
use super::grid::Grid;
use super::lanes::{LANES, Lanes, VecLanes};
use super::simd::Simd;
use crate::real::{Real, Vec3};
use crate::world::Domain;

/// Particles per unit of parallel work.
pub(super) const CHUNK: usize = 256;

/// More neighbours than any sampling of matter has: particles have collapsed into one place, and listing all
/// their pairs would take memory without bound.
const MOST_NEIGHBORS: usize = 8192;

/// Neighbours of a run of particles.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    /// Where each particle's list starts in `neighbors`, and the end of the last. Starts are multiples of LANES.
    pub(super) starts: Vec<u32>,
    /// How many movable neighbours each particle has, and how many wall particles. Its list has first the ones, then
    /// the others, each filled up to a multiple of LANES with the particle itself.
    pub(super) counts: Vec<[u16; 2]>,
    /// Their entries.
    pub(super) neighbors: Vec<u32>,
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

    /// The wall particles near the k-th particle.
    pub(super) fn walls(&self, k: usize) -> Entries<'_> {
        let [movable, walls] = self.counts[k].map(|count| count as usize);
        Entries(&self.neighbors[self.starts[k] as usize + movable.next_multiple_of(LANES)..][..walls])
    }
}

/// One search, over all particles.
pub(super) struct Search<'a> {
    pub(super) position: &'a [Vec3],
    pub(super) reach: Real,
    /// Room that a chunk's lists get at once.
    pub(super) list_capacity: usize,
    /// Movable and wall particles, sorted.
    pub(super) cells: [&'a Cells; 2],
    pub(super) grid: Grid,
    /// The box that holds all that matter can reach: beyond it nobody has a movable neighbour.
    pub(super) matter: [Vec3; 2],
    pub(super) domain: &'a Domain,
    /// Who does not count as a neighbour.
    pub(super) bonds: &'a Bonds,
}

impl Search<'_> {
    /// Fills the lists of the particles in `range`; those of walls list no walls.
    pub(super) fn fill<S: Simd>(&self, set: S, chunks: &mut Vec<Chunk>, range: Range<usize>, of_walls: bool) {
        chunks.resize_with(range.len().div_ceil(CHUNK), Chunk::default);
        chunks.par_iter_mut().enumerate().for_each(|(c, chunk)| {
            let first = range.start + c * CHUNK;
            let particles = first..(first + CHUNK).min(range.end);
            let cells = &self.cells[usize::from(of_walls)].cells_of(c * CHUNK..c * CHUNK + particles.len());
            set.run(
                #[inline(always)]
                || self.fill_chunk::<S>(chunk, particles, cells, of_walls),
            );
        });
    }

    #[inline(always)]
    fn fill_chunk<S: Simd>(&self, chunk: &mut Chunk, range: Range<usize>, cells: &[u32], of_walls: bool) {
        let Chunk { starts, counts, neighbors, coincident, crowded } = chunk;
        starts.clear();
        starts.reserve_exact(CHUNK + 1);
        counts.clear();
        counts.reserve_exact(CHUNK);
        neighbors.clear();
        neighbors.reserve_exact(self.list_capacity);
        (*coincident, *crowded) = (0, None);
        let mut around = [const { Candidates::NONE }; KEPT];
        let mut end = 0;
        for (i, &cell) in range.zip(cells) {
            let home = self.position[i];
            let begin = end;
            starts.push(begin as u32);
            if self.is_out_of_sight(home) {
                counts.push([0; 2]);
                continue;
            }
            let candidates = &mut around[cell as usize % KEPT];
            if candidates.cell != Some(cell) {
                candidates.gather_around(self, home, of_walls);
                candidates.cell = Some(cell);
            }
            // Room for all that may be found, and for each kind a last block of eight and the filling.
            let room = end + candidates.count + 4 * LANES;
            if neighbors.len() < room {
                neighbors.resize(room, 0);
            }
            let mut found = [0; 2];
            for (kind, runs) in candidates.runs().into_iter().enumerate() {
                let (mut near, zeros) = self.select::<S>(i, home, (kind, runs), &mut neighbors[end..]);
                if i < self.bonds.len() && kind == 0 {
                    near = self.bonds.strike(i, &mut neighbors[end..end + near]);
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
        }
        starts.push(end as u32);
        neighbors.truncate(end);
    }

    /// Is a place farther from all matter than the reach? Most of a dry wall is, and need not search.
    fn is_out_of_sight(&self, place: Vec3) -> bool {
        let [low, high] = self.matter;
        !self.domain.is_periodic() && (place.cmplt(low) | place.cmpgt(high)).any()
    }

    /// Writes the candidates in reach of particle `i`, of one kind and its runs, to the front of `list`: how many, and
    /// how many others lie exactly where `i` lies.
    #[inline(always)]
    fn select<S: Simd>(&self, i: usize, home: Vec3, of: (usize, &[Run]), list: &mut [u32]) -> (usize, usize) {
        // Known when it is compiled, the domain costs nothing where it does not repeat.
        if self.domain.is_periodic() {
            self.select_by::<S>(i, home, of, list, |difference| difference.shortest(self.domain))
        } else {
            self.select_by::<S>(i, home, of, list, |difference| difference)
        }
    }

    #[inline(always)]
    fn select_by<S: Simd>(
        &self,
        i: usize,
        home: Vec3,
        (kind, runs): (usize, &[Run]),
        list: &mut [u32],
        shortest: impl Fn(VecLanes<S>) -> VecLanes<S>,
    ) -> (usize, usize) {
        let reach_squared = Lanes::<S>::splat(self.reach * self.reach);
        let nothing = Lanes::<S>::splat(Real::MIN_POSITIVE);
        let home = VecLanes::<S>::splat(home);
        let (mut found, mut coincident) = (0, 0);
        for run in runs {
            let mut left = run.len();
            for (particles, place) in self.cells[kind].blocks(*run) {
                let difference = shortest(home - VecLanes::from_arrays(place));
                let r_squared = difference.dot(difference);
                // Lanes beyond the run belong to another cell.
                let in_run = (1 << left.min(LANES)) - 1;
                left = left.saturating_sub(LANES);
                let mut bits = S::less(r_squared.0, reach_squared.0) & in_run;
                let mut zeros = S::less(r_squared.0, nothing.0) & in_run;
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
                    S::compress(&particles.map(entry), bits, out);
                }
                found += bits.count_ones() as usize;
            }
        }
        (found, coincident)
    }
}

/// How many cells a chunk keeps the candidates of. Its particles lie in about this many.
const KEPT: usize = 32;

/// Runs of particles in the 27 cells around a cell.
struct Candidates {
    cell: Option<u32>,
    /// Runs of movable and of wall particles.
    runs: [[Run; 27]; 2],
    run_counts: [usize; 2],
    /// Particles in all runs.
    count: usize,
}

impl Candidates {
    const NONE: Self =
        Candidates { cell: None, runs: [[Run { start: 0, end: 0 }; 27]; 2], run_counts: [0; 2], count: 0 };

    /// Finds the candidates of all particles in the cell of `position`; wall particles have no other walls.
    fn gather_around(&mut self, search: &Search<'_>, position: Vec3, of_walls: bool) {
        (self.run_counts, self.count) = ([0; 2], 0);
        for key in search.grid.keys_around(position) {
            for (kind, cells) in search.cells.iter().enumerate().take(2 - usize::from(of_walls)) {
                if let Some(run) = cells.run(key) {
                    self.runs[kind][self.run_counts[kind]] = run;
                    self.run_counts[kind] += 1;
                    self.count += run.len();
                }
            }
        }
        for (runs, count) in self.runs.iter_mut().zip(&mut self.run_counts) {
            *count = merge(&mut runs[..*count]);
        }
    }

    /// The runs of movable and of wall particles.
    fn runs(&self) -> [&[Run]; 2] {
        [0, 1].map(|kind| &self.runs[kind][..self.run_counts[kind]])
    }
}

/// Sorts runs and joins those that follow each other, to the front; returns how many are left. On a Z-curve the 27 cells
/// around one are mostly 8 runs.
fn merge(runs: &mut [Run]) -> usize {
    runs.sort_unstable_by_key(|run| run.start);
    let mut kept = 0;
    for k in 0..runs.len() {
        if kept > 0 && runs[kept - 1].end == runs[k].start {
            runs[kept - 1].end = runs[k].end;
        } else {
            runs[kept] = runs[k];
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_follow_each_other_are_joined() {
        let run = |start, end| Run { start, end };
        let mut runs = [run(9, 12), run(4, 6), run(0, 4), run(20, 21), run(6, 7)];
        let kept = merge(&mut runs);
        assert_eq!(runs[..kept], [run(0, 7), run(9, 12), run(20, 21)]);
        assert_eq!(merge(&mut []), 0);
    }
}
