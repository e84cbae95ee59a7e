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
//! each!(pairs, Who::Movable, compression, |_i, near, phi| {
//!     *phi = (sum!(near, |j| j.volume() * j.w()) + near.self_term()) / lattice_sum;
//! });
//! # }
//! ```
//!
//! Neighbours are exactly the particles closer than the support radius, never the particle itself, and the
//! relation is symmetric. Two wall particles are not neighbours: nothing acts between them. Nor are two particles of an
//! elastic body that are bonded to each other: see [`Bonds`].
//!
//! Lists reach a little farther than the support (the skin), so that they serve for several steps: a list made when
//! every particle was at `listed` holds all neighbours until one has moved by half the skin. Kernels are zero beyond
//! the support, so the longer lists change no sum. Where particles were at the last listing is a column: a resumed
//! run makes the same lists, in the same order, and goes on to the same bits.

use std::ops::Range;

use rayon::prelude::*;

use super::bonds::Bonds;
use super::candidates::Recent;
use super::cells::Cells;
use super::entry::Entries;
use super::grid::Grid;
use super::instruction_set::{Available, InstructionSet};
use super::lanes::LANES;
use super::near::{Near, pack, row};
use super::search::{CHUNK, Chunk, Search};
use super::setting::{Compiled, Setting};
use super::simd::Simd;
use super::trim::trim;
use crate::kernel::Kernel;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::stage::stage;
use crate::world::{Domain, Particles, Spare};
use crate::{each, sum, with_set, with_setting};

/// Over which particles a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Those that move.
    Movable,
    /// Those of walls.
    Walls,
}

/// Skins that a list may have, as shares of the support radius, each with the share that the fastest particle may
/// move in a step for it to pay: a thicker skin makes lists longer but serves for more steps. Beyond the last there
/// is none, and lists are made every step. (With search costing 1.5 times the sums of a step, the best skin is about
/// the square root of the motion; a few fixed sizes keep the cells of walls the same from list to list.)
const SKINS: [(Real, Real); 3] = [(0.0025, 0.04), (0.015, 0.08), (0.04, 0.16)];

/// A margin of trimmed lists that makes them hardly longer, as a share of the support radius: below it, how fast two
/// particles come near each other need not be known.
const SLIGHT: Real = 0.06;

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
    /// Lists must be made from the present positions, whatever has moved.
    listing_due: bool,
    /// Lists must be made anew from where particles were at the last listing.
    lists_lost: bool,
    movable: usize,
    /// Position and rest volume of every particle, packed so that one load fetches a neighbour.
    /// Invariant: every entry of every chunk's `neighbors` is smaller than its length.
    pub(super) packed: Vec<[Real; 4]>,
    movable_cells: Cells,
    wall_cells: Cells,
    /// The reach that the cells of walls were made for; 0 when they must be made anew.
    wall_reach: Real,
    /// Velocities, packed, if lists are gone through after moving.
    pub(super) moving: Vec<[Real; 4]>,
    /// The lists of movable particles and of walls.
    lists: [Vec<Chunk>; 2],
    /// The same without their skin, and with slopes.
    trimmed: [Vec<Chunk>; 2],
    /// How often lists will be gone through.
    passes: Passes,
    /// Memory for the searches that run at a time.
    memory: Vec<Recent>,
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
            list_capacity: CHUNK * 2 * expected_neighbors.next_multiple_of(LANES) + 1024,
            domain,
            skin: SKINS[0].1 * kernel.support(),
            listing_due: true,
            lists_lost: true,
            movable: 0,
            packed: Vec::new(),
            movable_cells: Cells::EMPTY,
            wall_cells: Cells::EMPTY,
            wall_reach: 0.0,
            moving: Vec::new(),
            lists: [Vec::new(), Vec::new()],
            trimmed: [Vec::new(), Vec::new()],
            passes: Passes::Few,
            memory: Vec::new(),
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

    /// Lists will be gone through so often.
    pub(crate) fn expect(&mut self, passes: Passes) {
        self.passes = passes;
    }

    /// By how much lists reach beyond the support [m]; part of what a restart must know.
    pub(crate) fn skin(&self) -> Real {
        self.skin
    }

    /// Particles were added, removed or moved about: lists must be made from where they are now.
    pub(crate) fn particles_changed(&mut self) {
        (self.listing_due, self.wall_reach) = (true, 0.0);
    }

    /// Particles are where they were at an earlier moment, when lists had the given skin: make the same again.
    pub(crate) fn lists_lost(&mut self, skin: Real) {
        (self.listing_due, self.lists_lost, self.skin, self.wall_reach) = (false, true, skin, 0.0);
    }

    /// Pairs of particles at the very same place. They weigh in densities, but push each other nowhere.
    pub fn coincident_pairs(&self) -> usize {
        // Every pair is seen from both sides.
        self.lists.iter().flatten().map(|chunk| chunk.coincident).sum::<usize>() / 2
    }

    /// Number of (particle, neighbour) entries in the lists: every pair is counted from both sides, those within
    /// the skin included.
    pub fn listed(&self) -> usize {
        self.listed_by(Who::Movable) + self.listed_by(Who::Walls)
    }

    /// The same for the lists of one kind of particle.
    pub fn listed_by(&self, who: Who) -> usize {
        self.chunks(who)
            .iter()
            .flat_map(|chunk| &chunk.counts)
            .map(|&[movable, walls]| usize::from(movable) + usize::from(walls))
            .sum()
    }

    /// The neighbours of particle `i`, in no particular but always the same order.
    pub fn neighbors(&self, i: usize) -> impl Iterator<Item = usize> {
        let (who, k) = if i < self.movable { (Who::Movable, i) } else { (Who::Walls, i - self.movable) };
        let place = |i: usize| Vec3::new(self.packed[i][0], self.packed[i][1], self.packed[i][2]);
        let reach = self.kernel.support();
        self.chunks(who).get(k / CHUNK).into_iter().flat_map(move |chunk| chunk.neighbors(k % CHUNK)).filter(
            move |&j| {
                let difference = self.domain.shortest(place(i) - place(j));
                difference.dot(difference) < reach * reach
            },
        )
    }

    /// Runs `update` with index, position, velocity and the wall particles in its list for every movable particle that has
    /// any.
    pub(crate) fn each_at_walls(
        &self,
        position: &mut [Vec3],
        velocity: &mut [Vec3],
        update: impl Fn(usize, &mut Vec3, &mut Vec3, Entries<'_>) + Sync,
    ) {
        let columns = (position.par_chunks_mut(CHUNK), velocity.par_chunks_mut(CHUNK), self.chunks(Who::Movable));
        columns.into_par_iter().enumerate().for_each(|(c, (position, velocity, chunk))| {
            for (k, (x, v)) in position.iter_mut().zip(velocity).enumerate() {
                if chunk.counts[k][1] > 0 {
                    update(c * CHUNK + k, x, v, chunk.walls(k));
                }
            }
        });
    }

    /// `value(i, own, others)` of every movable particle, from what it adds to its own Σ V0 W and what its neighbours do.
    pub(crate) fn weigh(&self, out: &mut [Real], value: impl Fn(usize, Real, Real) -> Real + Sync) {
        if self.passes == Passes::Few {
            return each!(self, Who::Movable, out, |i, near, out| {
                *out = value(i, near.self_term(), sum!(near, |j| j.volume() * j.w()));
            });
        }
        // Whoever trimmed the lists has summed.
        out.par_chunks_mut(CHUNK).zip(self.chunks(Who::Movable)).enumerate().for_each(|(c, (out, chunk))| {
            for (i, (out, &others)) in (c * CHUNK..).zip(out.iter_mut().zip(&chunk.sums)) {
                *out = value(i, self.packed[i][3] * self.value_at_zero, others);
            }
        });
    }

    /// Position and rest volume of every particle.
    pub(crate) fn places(&self) -> &[[Real; 4]] {
        &self.packed
    }

    /// Sorts particles along a Z-curve, so that neighbours are near in memory: of the movable ones those that are not
    /// bonded, walls only if they changed.
    pub(crate) fn reorder(&mut self, particles: &mut Particles, free: Range<usize>, spare: &mut Spare) {
        stage!("order of memory");
        let support = self.kernel.support();
        let count = particles.len();
        let mut sort = |cells: &mut Cells, range: Range<usize>, reach: Real| {
            let grid = Grid::new(&self.domain, reach);
            cells.rebuild(&particles.position, range.clone(), &grid);
            particles.permute(range.start, cells.order(), spare);
        };
        // By the cells of the lists to come: particles of one cell find the same neighbours one after another.
        let movable = free.end;
        sort(&mut self.movable_cells, free, support + self.skin);
        if self.wall_reach == 0.0 {
            // By the same cells at all times: whether walls are sorted again after a restart makes no difference.
            sort(&mut self.wall_cells, movable..count, support);
        }
        self.listing_due = true;
    }

    /// Sorts a new body along a Z-curve.
    pub(crate) fn put_in_order(&self, body: &mut Particles) {
        let mut cells = Cells::EMPTY;
        cells.rebuild(&body.position, 0..body.len(), &Grid::new(&self.domain, self.kernel.support()));
        body.permute(0, cells.order(), &mut Spare::default());
    }

    /// Brings lists and positions up to date, after a step of `dt` [s]. Fails with a particle that has absurdly many
    /// neighbours. Particles that are bonded to each other are not listed.
    pub(crate) fn update(
        &mut self,
        particles: &mut Particles,
        movable: usize,
        dt: Real,
        bonds: &Bonds,
    ) -> Result<(), Crowded> {
        let Particles { position, velocity, rest_volume, listed, .. } = particles;
        self.movable = movable;
        if self.follow(position, rest_volume, listed) {
            if listed[movable..] != position[movable..] {
                self.wall_reach = 0.0;
            }
            listed.copy_from_slice(position);
            self.skin = self.best_skin(self.fastest(velocity) * dt);
            self.lists_lost = true;
        }
        self.listing_due = false;
        if std::mem::take(&mut self.lists_lost) {
            self.list(listed, bonds)?;
        }
        match self.passes {
            Passes::Few => {}
            Passes::Many => self.trim::<false>(0.0, 0.0),
            Passes::ManyAfterMoving => {
                let motion = dt * self.fastest(velocity);
                // Towards each other, and as much again because matter may become faster.
                let margin = 4.0 * motion;
                if margin < SLIGHT * self.kernel.support() {
                    self.trim::<false>(margin.min(self.skin), 0.0);
                } else {
                    pack(&mut self.moving, velocity.len(), |i| row(velocity[i], 0.0));
                    self.trim::<true>(motion.min(self.skin), dt);
                }
            }
        }
        Ok(())
    }

    /// The lists to go through.
    fn chunks(&self, who: Who) -> &[Chunk] {
        let lists = if self.passes != Passes::Few { &self.trimmed } else { &self.lists };
        &lists[who as usize]
    }

    /// Leaves no more in the lists than the neighbours, and whoever is farther away by `margin` [m], or by what it may come
    /// nearer in twice a step of `dt` if that counts.
    fn trim<const MOVING: bool>(&mut self, margin: Real, dt: Real) {
        stage!("trimming");
        let reach = [self.kernel.support() + margin, 2.0 * dt];
        let mut trimmed = std::mem::take(&mut self.trimmed);
        for ((near, listed), first) in trimmed.iter_mut().zip(&self.lists).zip([0, self.movable]) {
            with_setting!(self.compiled(), |set, setting| {
                trim::<_, _, MOVING>(self, (set, setting), (listed, first), reach, near);
            });
        }
        self.trimmed = trimmed;
    }

    /// The speed of the fastest particle [m/s].
    fn fastest(&self, velocity: &[Vec3]) -> Real {
        reduce::max(self.movable, |i| f64::from(velocity[i].length_squared())).sqrt() as Real
    }

    /// Packs the positions and says whether lists must be made from them.
    fn follow(&mut self, position: &[Vec3], rest_volume: &[Real], listed: &[Vec3]) -> bool {
        stage!("positions");
        pack(&mut self.packed, position.len(), |i| row(position[i], rest_volume[i]));
        self.listing_due || self.have_moved_too_far(position, listed)
    }

    /// The skin that pays when the fastest particle moves by `motion` in a step [m].
    fn best_skin(&self, motion: Real) -> Real {
        let reach = self.kernel.support();
        let skin = SKINS.iter().find(|(most, _)| motion < most * reach);
        skin.map_or(0.0, |(_, skin)| skin * reach)
    }

    /// Could two particles have come into reach that no list knows of?
    fn have_moved_too_far(&self, position: &[Vec3], listed: &[Vec3]) -> bool {
        // Without a skin any motion is too far. A hair less than half, so that rounding cannot lose a pair.
        let most = 0.998 * (0.5 * self.skin) * (0.5 * self.skin);
        let is_too_far = |(x, listed): (&Vec3, &Vec3)| {
            let square = self.domain.shortest(*x - *listed).length_squared();
            square > most || square.is_nan()
        };
        let chunks = position.par_chunks(4096).zip(listed.par_chunks(4096));
        chunks.any(|(position, listed)| position.iter().zip(listed).any(is_too_far))
    }

    /// Makes the lists from the given positions.
    fn list(&mut self, position: &[Vec3], bonds: &Bonds) -> Result<(), Crowded> {
        stage!("listing");
        let reach = self.kernel.support() + self.skin;
        let grid = Grid::new(&self.domain, reach);
        self.movable_cells.rebuild(position, 0..self.movable, &grid);
        if self.wall_reach != reach {
            self.wall_cells.rebuild(position, self.movable..position.len(), &grid);
            self.wall_reach = reach;
        }
        with_set!(self.available, |set| self.search(set, position, grid, bonds));
        let crowded = self.lists.iter().flatten().find_map(|chunk| chunk.crowded);
        crowded.map_or(Ok(()), |particle| Err(Crowded { particle }))
    }

    fn search<S: Simd>(&mut self, set: S, position: &[Vec3], grid: Grid, bonds: &Bonds) {
        // Several for each worker, so that none waits long for the others; each with room for the candidates of a particle,
        // five times its neighbours, in cells that hold twice as many as a lattice's and are wider by the skin.
        let room = self.list_capacity / (CHUNK / 8);
        self.memory.resize_with(2 * rayon::current_num_threads(), || Recent::with_room(room));
        let search = Search {
            set,
            position,
            reach: self.kernel.support() + self.skin,
            list_capacity: self.list_capacity,
            cells: [&self.movable_cells, &self.wall_cells],
            grid,
            matter: self.sight(&position[..self.movable]),
            domain: &self.domain,
            bonds,
        };
        let [movable, walls] = &mut self.lists;
        search.fill(movable, 0..self.movable, false, &mut self.memory);
        search.fill(walls, self.movable..position.len(), true, &mut self.memory);
    }

    /// The box around matter, as much larger as lists reach.
    fn sight(&self, matter: &[Vec3]) -> [Vec3; 2] {
        let nothing = || [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let join = |a: [Vec3; 2], b: [Vec3; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        let boxes = matter.par_chunks(4096).map(|chunk| chunk.iter().fold(nothing(), |all, &x| join(all, [x, x])));
        let [low, high] = boxes.reduce(nothing, join);
        // A hair more than the reach, so that rounding cannot hide a pair.
        let reach = Vec3::splat((self.kernel.support() + self.skin) * 1.001);
        [low - reach, high + reach]
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
        let first = if who == Who::Walls { self.movable } else { 0 };
        out.par_chunks_mut(CHUNK).zip(self.chunks(who)).enumerate().for_each(|(c, (out, chunk))| {
            set.run(
                #[inline(always)]
                || {
                    let first = first + c * CHUNK;
                    let homes = &self.packed[first..first + out.len()];
                    let (blocks, slopes) = (chunk.neighbors.as_chunks().0, chunk.slopes.as_chunks().0);
                    let lists = chunk.starts.iter().zip(&chunk.starts[1..]).zip(&chunk.counts);
                    for (k, ((out, home), ((start, end), counts))) in out.iter_mut().zip(homes).zip(lists).enumerate() {
                        let range = *start as usize / LANES..*end as usize / LANES;
                        let slopes = slopes.get(range.clone()).unwrap_or_default();
                        update(first + k, &Near::new((set, self), *home, &blocks[range], slopes, *counts), out);
                    }
                },
            );
        });
    }
}
