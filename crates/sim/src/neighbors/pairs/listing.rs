//! How lists are made, and when.
//!
//! Lists reach a little farther than the support (the skin), so that they serve for several steps: a list made when
//! every particle was at `listed` holds all neighbours until one has moved by half the skin. Kernels are zero beyond
//! the support, so the longer lists change no sum. Where particles were at the last listing is a column: a resumed
//! run makes the same lists, in the same order, and goes on to the same bits.

use std::ops::Range;

use rayon::prelude::*;

use super::{Crowded, Lists, Pairs, Passes};
use crate::neighbors::bonds::Bonds;
use crate::neighbors::candidates::Recent;
use crate::neighbors::cells::Cells;
use crate::neighbors::grid::Grid;
use crate::neighbors::near::{pack, row};
use crate::neighbors::search::{LIST_CHUNK, Search};
use crate::neighbors::simd::Simd;
use crate::neighbors::trim::trim;
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::{Kinds, Particles, Spare};
use crate::{reduce, with_set, with_setting};

/// Skins that a list may have, each after the most that the fastest particle may move in a step for it to pay, both as
/// shares of the support radius: a thicker skin makes lists longer but serves for more steps. Beyond the last there
/// is none, and lists are made every step. (With search costing 1.5 times the sums of a step, the best skin is about
/// the square root of the motion; a few fixed sizes keep the cells of walls the same from list to list.)
pub(super) const SKINS: [(Real, Real); 3] = [(0.0025, 0.04), (0.015, 0.08), (0.04, 0.16)];

/// A margin of trimmed lists that makes them hardly longer, as a share of the support radius: below it, how fast two
/// particles come near each other need not be known.
const SLIGHT: Real = 0.06;

impl Pairs {
    /// Lists will be gone through so often.
    pub(crate) fn expect(&mut self, passes: Passes) {
        self.passes = passes;
    }

    /// From now on neighbours that are bonded to each other are listed too, apart from the others.
    pub(crate) fn list_bonded(&mut self) {
        (self.lists_bonded, self.listing_due) = (true, true);
    }

    /// What the lists were made of.
    pub(crate) fn lists(&self) -> Lists {
        Lists { skin: self.skin, pace: self.pace }
    }

    /// From here on it counts whether lists are made anew.
    pub(crate) fn mark(&mut self) {
        self.is_remade = false;
    }

    /// Particles were added, removed or moved about: lists must be made from where they are now.
    pub(crate) fn particles_changed(&mut self) {
        (self.listing_due, self.wall_reach) = (true, 0.0);
    }

    /// Matter has changed places in memory: lists must be made anew, but not the cells of walls.
    pub(crate) fn matter_renumbered(&mut self) {
        self.listing_due = true;
    }

    /// Particles come from elsewhere, with lists that were made so: [`retrace`](Self::retrace) makes the same.
    pub(crate) fn lists_lost(&mut self, lists: Lists) {
        (self.listing_due, self.lists_lost, self.is_remade) = (false, true, false);
        (self.skin, self.pace, self.wall_reach) = (lists.skin, lists.pace, 0.0);
    }

    /// Sorts particles along a Z-curve, so that neighbours are near in memory: free ones, and walls only if they changed.
    pub(crate) fn reorder(&mut self, particles: &mut Particles, kinds: &Kinds, spare: &mut Spare) {
        stage!("order of memory");
        let support = self.kernel.support();
        let keys = &mut self.keys;
        let mut sort = |cells: &mut Cells, range: Range<usize>, reach: Real| {
            let grid = Grid::new(&self.domain, reach);
            cells.rebuild(&particles.position, range.clone(), &grid, keys);
            particles.permute(range.start, cells.order(), spare);
        };
        // By the cells of the lists to come: particles of one cell find the same neighbours one after another.
        kinds.sortable().for_each(|segment| sort(&mut self.matter_cells, segment, support + self.skin));
        if self.wall_reach == 0.0 {
            // By the same cells at all times: whether walls are sorted again after a restart makes no difference.
            sort(&mut self.wall_cells, kinds.walls(), support);
        }
        self.listing_due = true;
    }

    /// Sorts a new body along a Z-curve.
    pub(crate) fn put_in_order(&self, body: &mut Particles) {
        let mut cells = Cells::EMPTY;
        let grid = Grid::new(&self.domain, self.kernel.support());
        cells.rebuild(&body.position, 0..body.len(), &grid, &mut Vec::new());
        body.permute(0, cells.order(), &mut Spare::default());
    }

    /// Brings lists and positions up to date, after a step of `dt` [s]. Fails with a particle that has absurdly many
    /// neighbours. Particles that are bonded to each other are not listed. If lists are made anew in a step, `earlier` holds
    /// where particles were when they were made before.
    pub(crate) fn update(
        &mut self,
        particles: &mut Particles,
        kinds: &Kinds,
        dt: Real,
        bonds: &Bonds,
        earlier: &mut Vec<Vec3>,
    ) -> Result<(), Crowded> {
        let before = self.lists();
        (self.walls, self.rigid) = (kinds.walls(), kinds.rigid());
        self.follow(&particles.position, &particles.rest_volume);
        let Particles { position, velocity, listed, .. } = &mut *particles;
        if self.listing_due || self.have_moved_too_far(position, listed) {
            let have_walls_moved = listed[self.walls.clone()] != position[self.walls.clone()];
            if have_walls_moved {
                self.wall_reach = 0.0;
            }
            // After a change between steps there is nothing to go back to.
            earlier.clear();
            if !self.listing_due {
                earlier.extend_from_slice(if have_walls_moved { &listed[..] } else { &listed[..self.walls.start] });
            }
            listed.copy_from_slice(position);
            self.skin = self.best_skin(self.fastest(velocity) * dt);
            (self.lists_lost, self.is_remade) = (true, true);
        }
        self.listing_due = false;
        self.pace = dt;
        let made = self.make(particles, bonds);
        if made.is_err() {
            // As if nobody had tried.
            (self.skin, self.pace, self.listing_due) = (before.skin, before.pace, true);
        }
        made
    }

    /// Particles are where they were when lists were made so: makes the same, if others were made since. `earlier` is what
    /// [`update`](Self::update) left.
    pub(crate) fn retrace(&mut self, particles: &mut Particles, lists: Lists, bonds: &Bonds, earlier: &[Vec3]) {
        if self.is_remade {
            particles.listed[..earlier.len()].copy_from_slice(earlier);
            self.lists_lost(lists);
        }
        self.pace = lists.pace;
        self.follow(&particles.position, &particles.rest_volume);
        // They could be made before.
        let _made = self.make(particles, bonds);
    }

    /// The same after [`lists_lost`](Self::lists_lost).
    pub(crate) fn retrace_all(&mut self, particles: &mut Particles, kinds: &Kinds, bonds: &Bonds) {
        (self.walls, self.rigid) = (kinds.walls(), kinds.rigid());
        self.retrace(particles, self.lists(), bonds, &[]);
    }

    /// Lists, if they are lost, from where particles were listed; and trims them.
    fn make(&mut self, particles: &Particles, bonds: &Bonds) -> Result<(), Crowded> {
        if std::mem::take(&mut self.lists_lost) {
            self.list(&particles.listed, &particles.body, bonds)?;
        }
        let velocity = &particles.velocity;
        match self.passes {
            Passes::Few => {}
            Passes::Many => self.trim::<false>(0.0, 0.0),
            Passes::ManyAfterMoving => {
                let motion = self.pace * self.fastest(velocity);
                // Towards each other, and as much again because matter may become faster.
                let margin = 4.0 * motion;
                if margin < SLIGHT * self.kernel.support() {
                    self.trim::<false>(margin.min(self.skin), 0.0);
                } else {
                    pack(&mut self.moving, velocity.len(), |i| row(velocity[i], 0.0));
                    self.trim::<true>(motion.min(self.skin), self.pace);
                }
            }
        }
        Ok(())
    }

    /// Leaves no more in the lists than the neighbours, and whoever is farther away by `margin` [m], or by what it may come
    /// nearer in twice a step of `dt` if that counts.
    fn trim<const MOVING: bool>(&mut self, margin: Real, dt: Real) {
        stage!("trimming");
        let reach = [self.kernel.support() + margin, 2.0 * dt];
        let mut trimmed = std::mem::take(&mut self.trimmed);
        for ((near, listed), first) in trimmed.iter_mut().zip(&self.lists).zip([0, self.walls.start]) {
            with_setting!(self.compiled(), |set, setting| {
                trim::<_, _, MOVING>(self, (set, setting), (listed, first), reach, near);
            });
        }
        self.trimmed = trimmed;
    }

    /// The speed of the fastest particle [m/s].
    fn fastest(&self, velocity: &[Vec3]) -> Real {
        reduce::max(self.walls.start, |i| f64::from(velocity[i].length_squared())).sqrt() as Real
    }

    /// Packs the positions.
    fn follow(&mut self, position: &[Vec3], rest_volume: &[Real]) {
        stage!("positions");
        pack(&mut self.packed, position.len(), |i| row(position[i], rest_volume[i]));
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
    fn list(&mut self, position: &[Vec3], body: &[u32], bonds: &Bonds) -> Result<(), Crowded> {
        stage!("listing");
        let reach = self.kernel.support() + self.skin;
        let grid = Grid::new(&self.domain, reach);
        self.matter_cells.rebuild(position, 0..self.walls.start, &grid, &mut self.keys);
        if self.wall_reach != reach {
            self.wall_cells.rebuild(position, self.walls.clone(), &grid, &mut self.keys);
            self.wall_reach = reach;
        }
        with_set!(self.available, |set| self.search(set, (position, body), grid, bonds));
        let crowded = self.lists.iter().flatten().find_map(|chunk| chunk.crowded);
        crowded.map_or(Ok(()), |particle| Err(Crowded { particle }))
    }

    fn search<S: Simd>(&mut self, set: S, (position, body): (&[Vec3], &[u32]), grid: Grid, bonds: &Bonds) {
        // Several for each worker, so that none waits long for the others; each with room for the candidates of a particle,
        // five times its neighbours, in cells that hold twice as many as a lattice's and are wider by the skin.
        let room = self.list_capacity / (LIST_CHUNK / 8);
        self.memory.resize_with(2 * rayon::current_num_threads(), || Recent::with_room(room));
        let search = Search {
            set,
            position,
            reach: self.kernel.support() + self.skin,
            list_capacity: self.list_capacity,
            cells: [&self.matter_cells, &self.wall_cells],
            grid,
            matter: self.sight(&position[..self.walls.start]),
            domain: &self.domain,
            bonds,
            lists_bonded: self.lists_bonded,
            rigid: self.rigid.clone(),
            walls: self.walls.clone(),
            body,
        };
        let [matter, walls] = &mut self.lists;
        search.fill(matter, 0..self.walls.start, false, &mut self.memory);
        search.fill(walls, self.walls.clone(), true, &mut self.memory);
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
}
