//! Whom the particles of one cell may have as neighbours.
//!
//! All particles of a cell look for their neighbours in the same 27 cells. What these hold is found once per cell; of it
//! only the particles within reach of the box around the cell's own are kept, four in ten, laid side by side. Every
//! particle of the cell then has a short loop over them, without gaps.

use super::crowd::{Crowd, Run};
use super::lanes::{LANES, Lanes, VecLanes};
use super::search::Search;
use super::simd::Simd;
use crate::real::{Real, Vec3};

/// How many cells' candidates are kept. Neighbours in memory mostly lie in one cell or in few.
const KEPT: usize = 32;

/// The candidates of the cells that were met last, each in its place.
#[derive(Clone, Debug)]
pub(super) struct Recent([Candidates; KEPT]);

impl Recent {
    /// Memory for so many candidates of each kind; more are no fault, but ask for more memory.
    pub(super) fn with_room(room: usize) -> Self {
        Recent(std::array::from_fn(|_| Candidates {
            cell: None,
            kinds: [Crowd::with_capacity(room), Crowd::with_capacity(room)],
            counts: [0; 2],
        }))
    }

    /// Nothing is known of any cell.
    pub(super) fn forget(&mut self) {
        self.0.iter_mut().for_each(|candidates| candidates.cell = None);
    }

    /// The candidates of the cell with a number; `home` is a place in it.
    #[inline(always)]
    pub(super) fn around<S: Simd, const PERIODIC: bool>(
        &mut self,
        search: &Search<'_, S>,
        cell: u32,
        home: Vec3,
        of_walls: bool,
    ) -> &Candidates {
        // The eight cells of a row, of two rows beside and above each other, have places of their own.
        let key = search.cells[usize::from(of_walls)].key(cell);
        let place = key & 7 | (key >> 4 & 3) << 3;
        let candidates = &mut self.0[place as usize % KEPT];
        if candidates.cell != Some(cell) {
            candidates.gather::<S, PERIODIC>(search, cell, home, of_walls);
        }
        candidates
    }
}

/// The candidates of one cell.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    cell: Option<u32>,
    /// Matter and walls.
    kinds: [Crowd; 2],
    counts: [usize; 2],
}

impl Candidates {
    /// The candidates of both kinds, and how many they are.
    pub(super) fn kinds(&self) -> [(&Crowd, Run); 2] {
        [0, 1].map(|kind| (&self.kinds[kind], Run { start: 0, end: self.counts[kind] as u32 }))
    }

    /// Finds the candidates of all particles in a cell; wall particles have no other walls.
    #[inline(always)]
    fn gather<S: Simd, const PERIODIC: bool>(&mut self, search: &Search<'_, S>, cell: u32, home: Vec3, of_walls: bool) {
        self.cell = Some(cell);
        let mut runs = [[Run::default(); 27]; 2];
        let mut counts = [0; 2];
        for piece in search.grid.pieces_around(home) {
            for (kind, cells) in search.cells.iter().enumerate().take(2 - usize::from(of_walls)) {
                if let Some(run) = cells.run(piece) {
                    runs[kind][counts[kind]] = run;
                    counts[kind] += 1;
                }
            }
        }
        let bounds = search.cells[usize::from(of_walls)].bounds(cell);
        for (kind, crowd) in self.kinds.iter_mut().enumerate() {
            let all = search.cells[kind].sorted();
            self.counts[kind] = gather::<S, PERIODIC>(crowd, search, all, &runs[kind][..counts[kind]], bounds);
        }
    }
}

/// Copies those of the runs that are within reach of a box; says how many.
#[inline(always)]
fn gather<S: Simd, const PERIODIC: bool>(
    to: &mut Crowd,
    search: &Search<'_, S>,
    all: &Crowd,
    runs: &[Run],
    [low, high]: [Vec3; 2],
) -> usize {
    let room = runs.iter().map(|run| run.len()).sum::<usize>() + 2 * LANES;
    if to.x.len() < room {
        to.resize(room);
    }
    // A hair more than the reach, so that rounding cannot hide a pair.
    let reach = Lanes::splat(search.set, search.reach * search.reach * 1.0001);
    let centre = VecLanes::splat(search.set, (low + high) * 0.5);
    let half = (high - low) * 0.5;
    let mut count = 0;
    for run in runs {
        let mut left = run.len();
        for (particles, place) in all.blocks(*run) {
            let place = VecLanes::from_arrays(search.set, place);
            let away = search.shortest::<PERIODIC>(centre - place);
            let (x, y, z) = (excess(away.x, half.x), excess(away.y, half.y), excess(away.z, half.z));
            // Lanes beyond the run belong to another cell.
            let in_run = (1 << left.min(LANES)) - 1;
            left = left.saturating_sub(LANES);
            let bits = (x * x + y * y + z * z).less(reach) & in_run;
            if let Some(out) = to.particles[count..].first_chunk_mut() {
                search.set.compress(particles, bits, out);
            }
            append(place.x, bits, &mut to.x[count..]);
            append(place.y, bits, &mut to.y[count..]);
            append(place.z, bits, &mut to.z[count..]);
            count += bits.count_ones() as usize;
        }
    }
    to.end_at(count);
    count
}

/// How far numbers lie outside of -half..half.
#[inline(always)]
fn excess<S: Simd>(x: Lanes<S>, half: Real) -> Lanes<S> {
    (x.max(-x) - half).max(x.like(0.0))
}

/// Writes the chosen lanes to the front of a column.
#[inline(always)]
fn append<S: Simd>(x: Lanes<S>, bits: u32, column: &mut [Real]) {
    if let Some(out) = column.first_chunk_mut() {
        x.compress(bits, out);
    }
}
