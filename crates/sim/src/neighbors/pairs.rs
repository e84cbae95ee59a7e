//! The pair loop, written once.
//!
//! Every sum over neighbours in this program goes through [`Pairs::each`]: it hands a closure one particle at a
//! time together with its neighbours, and the closure sums over them eight at a time with [`Near::sum`]. A loop
//! writes only its own particle's value (gather, never scatter), so any number of threads gives the same bits.
//!
//! ```ignore
//! // φ_i = Σ_j V0_j W_ij / φ_lattice: fluid, solid and wall alike.
//! pairs.each(Who::Movable, &mut compression, |_, near, phi| {
//!     *phi = (near.sum(|j| j.volume() * j.w()) + near.self_term()) / lattice_sum;
//! });
//! ```
//!
//! Neighbours are exactly the particles closer than the support radius, never the particle itself, and the
//! relation is symmetric. Two wall particles are not neighbours: nothing acts between them.

use std::ops::Range;

use rayon::prelude::*;

use super::cells::{Cells, Coordinates, around};
use super::instruction_set::InstructionSet;
use super::lanes::{LANES, Lanes, VecLanes, Wide};
use crate::kernel::Kernel;
use crate::real::{Real, Vec3};
use crate::world::{Particles, Spare};

/// Particles per unit of parallel work.
const CHUNK: usize = 256;

/// More neighbours than any sampling of matter has: particles have collapsed into one place, and listing all
/// their pairs would take memory without bound.
const MOST_NEIGHBORS: usize = 8192;

/// Over which particles a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Those that move.
    Movable,
    /// Those of walls.
    Walls,
}

/// Neighbours of a run of particles.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// Where each particle's list starts in `neighbors`, and the end of the last. Starts are multiples of LANES.
    starts: Vec<u32>,
    /// How many neighbours each particle has; its list is longer, filled up with the particle itself.
    counts: Vec<u32>,
    neighbors: Vec<u32>,
    /// Pairs at distance zero.
    coincident: usize,
    /// A particle with too many neighbours to list.
    crowded: Option<usize>,
}

/// A particle has more neighbours than matter can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crowded {
    pub(crate) particle: usize,
}

/// The neighbours of every particle at one moment, and the loop over them.
#[derive(Clone, Debug)]
pub struct Pairs {
    kernel: Kernel,
    set: InstructionSet,
    list_capacity: usize,
    movable: usize,
    /// Position and rest volume of every particle, packed so that one load fetches a neighbour.
    /// Invariant: every entry of every chunk's `neighbors` is smaller than its length.
    packed: Vec<[Real; 4]>,
    movable_cells: Cells,
    wall_cells: Cells,
    walls_moved: bool,
    movable_chunks: Vec<Chunk>,
    wall_chunks: Vec<Chunk>,
}

impl Pairs {
    /// No pairs yet; on a lattice at rest each particle will have about `expected_neighbors`.
    pub(crate) fn new(kernel: Kernel, expected_neighbors: usize, set: InstructionSet) -> Self {
        Pairs {
            kernel,
            set,
            // Twice what a lattice has, and room for the candidates of the last particle: then motion asks for no
            // more memory. What is reserved but never written is not resident.
            list_capacity: CHUNK * 2 * expected_neighbors.next_multiple_of(LANES) + 1024,
            movable: 0,
            packed: Vec::new(),
            movable_cells: Cells::default(),
            wall_cells: Cells::default(),
            walls_moved: true,
            movable_chunks: Vec::new(),
            wall_chunks: Vec::new(),
        }
    }

    /// The kernel all pairs are weighed with.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The instruction set in use.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    pub(crate) fn set_instruction_set(&mut self, set: InstructionSet) {
        self.set = if set.is_available() { set } else { InstructionSet::Baseline };
    }

    /// Must be called when wall particles were added, removed or moved.
    pub(crate) fn walls_moved(&mut self) {
        self.walls_moved = true;
    }

    /// Pairs of particles at the very same place. They weigh in densities, but push each other nowhere.
    pub fn coincident_pairs(&self) -> usize {
        let chunks = self.movable_chunks.iter().chain(&self.wall_chunks);
        // A pair of movable particles is seen from both sides, one with a wall particle too.
        chunks.map(|chunk| chunk.coincident).sum::<usize>() / 2
    }

    /// Number of (particle, neighbour) entries: every pair is counted from both sides.
    pub fn count(&self) -> usize {
        let chunks = self.movable_chunks.iter().chain(&self.wall_chunks);
        chunks.flat_map(|chunk| &chunk.counts).map(|&count| count as usize).sum()
    }

    /// The neighbours of particle `i`, in no particular but always the same order.
    pub fn neighbors(&self, i: usize) -> &[u32] {
        let (chunks, i) =
            if i < self.movable { (&self.movable_chunks, i) } else { (&self.wall_chunks, i - self.movable) };
        let Some(chunk) = chunks.get(i / CHUNK) else { return &[] };
        let k = i % CHUNK;
        let start = chunk.starts[k] as usize;
        &chunk.neighbors[start..start + chunk.counts[k] as usize]
    }

    /// Sorts particles along a Z-curve, so that neighbours are near in memory. Walls only if they moved.
    pub(crate) fn reorder(
        &mut self,
        particles: &mut Particles,
        movable: usize,
        order: &mut Vec<u32>,
        spare: &mut Spare,
    ) {
        let (reach, count) = (self.kernel.support(), particles.len());
        let mut sort = |cells: &mut Cells, range: Range<usize>| {
            cells.rebuild(&particles.position, range.clone(), reach);
            order.clear();
            order.extend_from_slice(cells.order());
            particles.permute(range.start, order, spare);
        };
        sort(&mut self.movable_cells, 0..movable);
        if self.walls_moved {
            sort(&mut self.wall_cells, movable..count);
        }
    }

    /// Finds all pairs closer than the support radius. Fails with a particle that has absurdly many neighbours.
    pub(crate) fn rebuild(&mut self, particles: &Particles, movable: usize) -> Result<(), Crowded> {
        let Particles { position, rest_volume, .. } = particles;
        let count = particles.len();
        let reach = self.kernel.support();
        self.movable = movable;
        self.packed.resize(count, [0.0; 4]);
        self.packed.par_iter_mut().with_min_len(4096).enumerate().for_each(|(i, packed)| {
            let x = position[i];
            *packed = [x.x, x.y, x.z, rest_volume[i]];
        });
        self.movable_cells.rebuild(position, 0..movable, reach);
        if self.walls_moved {
            self.wall_cells.rebuild(position, movable..count, reach);
            self.walls_moved = false;
        }
        let search = Search {
            packed: &self.packed,
            reach_squared: reach * reach,
            list_capacity: self.list_capacity,
            movable: &self.movable_cells,
            walls: &self.wall_cells,
        };
        search.fill(&mut self.movable_chunks, 0..movable, true);
        search.fill(&mut self.wall_chunks, movable..count, false);
        let crowded = self.movable_chunks.iter().chain(&self.wall_chunks).find_map(|chunk| chunk.crowded);
        crowded.map_or(Ok(()), |particle| Err(Crowded { particle }))
    }

    /// Runs `update(i, neighbours, &mut out[i])` for the movable or the wall particles, in parallel.
    ///
    /// `out` holds one value per particle of that kind; `i` counts all particles. Mark the closure
    /// `#[inline(always)]`: it is compiled once for each instruction set.
    pub fn each<T: Send>(&self, who: Who, out: &mut [T], update: impl Fn(usize, &Near<'_>, &mut T) + Sync) {
        let (chunks, first) = match who {
            Who::Movable => (&self.movable_chunks, 0),
            Who::Walls => (&self.wall_chunks, self.movable),
        };
        out.par_chunks_mut(CHUNK).zip(chunks).enumerate().for_each(|(c, (out, chunk))| {
            let work = Work { pairs: self, chunk, first: first + c * CHUNK };
            match self.set {
                // SAFETY: `set_instruction_set` and `detect` only let through sets that this processor has.
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => unsafe { work.run_avx2(out, &update) },
                _ => work.run(out, &update),
            }
        });
    }
}

/// One chunk of a pair loop.
struct Work<'a> {
    pairs: &'a Pairs,
    chunk: &'a Chunk,
    first: usize,
}

impl Work<'_> {
    #[inline(always)]
    fn run<T>(&self, out: &mut [T], update: &impl Fn(usize, &Near<'_>, &mut T)) {
        for (k, out) in out.iter_mut().enumerate() {
            let i = self.first + k;
            let list = self.chunk.starts[k] as usize..self.chunk.starts[k + 1] as usize;
            let near = Near {
                pairs: self.pairs,
                list: &self.chunk.neighbors[list],
                count: self.chunk.counts[k],
                home: self.pairs.packed[i],
            };
            update(i, &near, out);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2<T>(&self, out: &mut [T], update: &impl Fn(usize, &Near<'_>, &mut T)) {
        self.run(out, update);
    }
}

/// A particle's neighbourhood.
pub struct Near<'a> {
    pairs: &'a Pairs,
    list: &'a [u32],
    count: u32,
    home: [Real; 4],
}

impl Near<'_> {
    /// How many neighbours there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// V0_i W(0): what the particle itself adds to a sum of V0 W.
    #[inline(always)]
    pub fn self_term(&self) -> Real {
        self.home[3] * self.pairs.kernel.value(0.0 as Real)
    }

    /// Σ_j term(j), eight neighbours at a time, in an order that never depends on threads or instructions.
    #[inline(always)]
    pub fn sum<W: Wide>(&self, term: impl Fn(&Block<'_>) -> W) -> W::Total {
        let mut total = W::ZERO;
        let (blocks, _) = self.list.as_chunks::<LANES>();
        for (b, j) in blocks.iter().enumerate() {
            let block = Block::load(self.pairs, self.home, j);
            let first = (b * LANES) as Real;
            let valid = Lanes::from_array(std::array::from_fn(|k| self.count as Real - first - k as Real));
            total.add_where(valid, term(&block));
        }
        total.total()
    }
}

/// Eight neighbours j of a particle i. Lanes beyond the last neighbour hold the particle itself; the sum
/// leaves them out.
pub struct Block<'a> {
    pairs: &'a Pairs,
    j: &'a [u32; LANES],
    x_ij: VecLanes,
    volume: Lanes,
}

impl<'a> Block<'a> {
    #[inline(always)]
    fn load(pairs: &'a Pairs, home: [Real; 4], j: &'a [u32; LANES]) -> Self {
        // SAFETY: by the invariant of `packed`, every neighbour index is smaller than its length.
        let near: [&[Real; 4]; LANES] = j.map(|j| unsafe { pairs.packed.get_unchecked(j as usize) });
        let lane = |c: usize| Lanes::from_array(std::array::from_fn(|k| near[k][c]));
        let x_ij = VecLanes {
            x: Lanes::splat(home[0]) - lane(0),
            y: Lanes::splat(home[1]) - lane(1),
            z: Lanes::splat(home[2]) - lane(2),
        };
        Block { pairs, j, x_ij, volume: lane(3) }
    }

    /// x_i − x_j [m].
    #[inline(always)]
    pub fn x_ij(&self) -> VecLanes {
        self.x_ij
    }

    /// Distances [m].
    #[inline(always)]
    pub fn r(&self) -> Lanes {
        self.x_ij.dot(self.x_ij).sqrt()
    }

    /// Rest volumes V0_j.
    #[inline(always)]
    pub fn volume(&self) -> Lanes {
        self.volume
    }

    /// W_ij.
    #[inline(always)]
    pub fn w(&self) -> Lanes {
        self.pairs.kernel.value(self.r())
    }

    /// ∇W_ij with respect to x_i.
    #[inline(always)]
    pub fn grad_w(&self) -> VecLanes {
        self.x_ij * self.pairs.kernel.slope_over_r(self.r())
    }

    /// Laplacian of the viscosity kernel.
    #[inline(always)]
    pub fn viscosity_laplacian(&self) -> Lanes {
        self.pairs.kernel.viscosity_laplacian(self.r())
    }

    /// 1 where j is a wall particle, 0 where it is movable.
    #[inline(always)]
    pub fn is_wall(&self) -> Lanes {
        let movable = self.pairs.movable as u32;
        Lanes::from_array(self.j.map(|j| if j >= movable { 1.0 } else { 0.0 }))
    }

    /// The neighbours' values of a column.
    #[inline(always)]
    pub fn get(&self, column: &[Real]) -> Lanes {
        assert!(column.len() >= self.pairs.packed.len());
        // SAFETY: every neighbour index is smaller than the length of `packed`, which is at most that of the column.
        Lanes::from_array(self.j.map(|j| unsafe { *column.get_unchecked(j as usize) }))
    }

    /// The neighbours' vectors of a column.
    #[inline(always)]
    pub fn get_vec(&self, column: &[Vec3]) -> VecLanes {
        assert!(column.len() >= self.pairs.packed.len());
        // SAFETY: as in `get`.
        let v = self.j.map(|j| unsafe { *column.get_unchecked(j as usize) });
        VecLanes {
            x: Lanes::from_array(v.map(|v| v.x)),
            y: Lanes::from_array(v.map(|v| v.y)),
            z: Lanes::from_array(v.map(|v| v.z)),
        }
    }
}

/// The search for neighbours.
struct Search<'a> {
    packed: &'a [[Real; 4]],
    reach_squared: Real,
    list_capacity: usize,
    movable: &'a Cells,
    walls: &'a Cells,
}

impl Search<'_> {
    /// Fills the lists of the particles in `range`; those of walls list no walls.
    fn fill(&self, chunks: &mut Vec<Chunk>, range: Range<usize>, with_walls: bool) {
        chunks.resize_with(range.len().div_ceil(CHUNK), Chunk::default);
        chunks.par_iter_mut().enumerate().for_each(|(c, chunk)| {
            let first = range.start + c * CHUNK;
            self.fill_chunk(chunk, first..(first + CHUNK).min(range.end), with_walls);
        });
    }

    fn fill_chunk(&self, chunk: &mut Chunk, range: Range<usize>, with_walls: bool) {
        let Chunk { starts, counts, neighbors, coincident, crowded } = chunk;
        starts.clear();
        starts.reserve_exact(CHUNK + 1);
        counts.clear();
        counts.reserve_exact(CHUNK);
        neighbors.clear();
        neighbors.reserve_exact(self.list_capacity);
        *coincident = 0;
        *crowded = None;
        let mut candidates = Candidates::new();
        for i in range {
            let [x, y, z, _] = self.packed[i];
            let home = Vec3::new(x, y, z);
            candidates.gather_around(self, home, with_walls);
            starts.push(neighbors.len() as u32);
            let begin = neighbors.len();
            neighbors.resize(begin + candidates.count_all(), 0);
            let (found, coincident_here) = self.select(i, home, &candidates, &mut neighbors[begin..]);
            neighbors.truncate(begin + found);
            *coincident += coincident_here;
            if neighbors.len() - begin > MOST_NEIGHBORS {
                *crowded = Some(i);
                neighbors.truncate(begin);
            }
            counts.push((neighbors.len() - begin) as u32);
            neighbors.resize(neighbors.len().next_multiple_of(LANES), i as u32);
        }
        starts.push(neighbors.len() as u32);
    }
}

impl Search<'_> {
    /// Writes the candidates in reach of particle `i` to the front of `list`; how many, and how many of them lie
    /// exactly where `i` lies.
    fn select(&self, i: usize, home: Vec3, candidates: &Candidates<'_>, list: &mut [u32]) -> (usize, usize) {
        let (mut end, mut coincident) = (0, 0);
        for &(particles, places) in candidates.runs() {
            for (&j, &place) in particles.iter().zip(places) {
                let d = home - place;
                let r_squared = d.x * d.x + d.y * d.y + d.z * d.z;
                // Every candidate is written, but only those in reach move the end: no branch to mispredict.
                list[end] = j;
                end += usize::from(r_squared < self.reach_squared && j as usize != i);
                coincident += usize::from(r_squared == 0.0 && j as usize != i);
            }
        }
        (end, coincident)
    }
}

/// Runs of entries in the 27 cells around a place, kept while the next particle lies in the same cell.
struct Candidates<'a> {
    cell: Option<Coordinates>,
    runs: [(&'a [u32], &'a [Vec3]); 54],
    count: usize,
}

impl<'a> Candidates<'a> {
    fn new() -> Self {
        Candidates { cell: None, runs: [(&[], &[]); 54], count: 0 }
    }

    fn gather_around(&mut self, search: &Search<'a>, position: Vec3, with_walls: bool) {
        let grids = [Some(search.movable), with_walls.then_some(search.walls)];
        let Some(some) = grids.into_iter().flatten().find(|cells| !cells.is_empty()) else { return };
        let cell = some.coordinates(position);
        if self.cell == Some(cell) {
            return;
        }
        self.cell = Some(cell);
        self.count = 0;
        for cells in grids.into_iter().flatten() {
            for at in around(cell) {
                let entries = cells.entries_at(at);
                if !entries.is_empty() {
                    self.runs[self.count] = cells.run(entries);
                    self.count += 1;
                }
            }
        }
    }

    fn runs(&self) -> &[(&'a [u32], &'a [Vec3])] {
        &self.runs[..self.count]
    }

    fn count_all(&self) -> usize {
        self.runs().iter().map(|(particles, _)| particles.len()).sum()
    }
}
