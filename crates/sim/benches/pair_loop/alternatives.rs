//! Other ways to sum over neighbours, on the same particles and lists.

use thixo_sim::dispatch::Avx2;
use thixo_sim::{Kernel, LANES, Lanes, Real, Simd, Simulation, Vec3, VecLanes, Wide};

/// Positions and lists as plain arrays.
pub(crate) struct Flat {
    kernel: Kernel,
    /// The proof that there are the instructions that are compared.
    set: Avx2,
    /// x, y, z and rest volume, each followed by a particle that is in nobody's reach and has no volume.
    columns: [Vec<Real>; 4],
    /// The lists, one after another, each filled up to whole eights with the particle in nobody's reach.
    neighbors: Vec<u32>,
    /// Where the list of each particle starts, and the end of the last.
    starts: Vec<usize>,
    cells: Cells,
    /// (Particle, neighbour) entries.
    pub(crate) pairs: usize,
}

/// A sum of V W over neighbours.
pub(crate) type Sum = fn(&Flat, &mut [Real]);

/// Every alternative for the density.
pub(crate) const SUMS: [(&str, Sum); 4] = [
    ("scalar, listed", scalar),
    ("hardware gathers, listed", gathers),
    ("eight loads per column, listed", lane_loads),
    ("cell ranges, all candidates, no list", ranges),
];

const FAR: Real = 1e15;

impl Flat {
    pub(crate) fn new(simulation: &Simulation, set: Avx2) -> Flat {
        let (particles, pairs) = (simulation.particles(), simulation.pairs());
        let count = particles.len();
        let columns = columns((0..count).map(|i| (particles.position[i], particles.rest_volume[i])), 1);
        let (mut neighbors, mut starts, mut entries) = (Vec::new(), vec![0], 0);
        for i in 0..count {
            let before = neighbors.len();
            neighbors.extend(pairs.neighbors(i).map(|j| j as u32));
            entries += neighbors.len() - before;
            neighbors.resize(neighbors.len().next_multiple_of(LANES), count as u32);
            starts.push(neighbors.len());
        }
        let kernel = *pairs.kernel();
        let cells = Cells::new(&particles.position, &particles.rest_volume, kernel.support());
        Flat { kernel, set, columns, neighbors, starts, cells, pairs: entries }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn list(&self, i: usize) -> &[u32] {
        &self.neighbors[self.starts[i]..self.starts[i + 1]]
    }

    fn place(&self, i: usize) -> Vec3 {
        Vec3::new(self.columns[0][i], self.columns[1][i], self.columns[2][i])
    }

    fn self_term(&self, i: usize) -> Real {
        self.columns[3][i] * self.kernel.value(0.0 as Real)
    }

    /// V_j W_ij of eight neighbours.
    #[inline(always)]
    fn terms<S: Simd>(&self, home: VecLanes<S>, [x, y, z, volume]: [Lanes<S>; 4]) -> Lanes<S> {
        let apart = home - VecLanes { x, y, z };
        volume * self.kernel.value(apart.dot(apart).sqrt())
    }

    /// The density sum with eight neighbours at a time, fetched by `fetch`.
    #[inline(always)]
    fn by_eights(&self, out: &mut [Real], fetch: impl Fn(&[u32; LANES]) -> [Lanes<Avx2>; 4]) {
        for (i, out) in out.iter_mut().enumerate() {
            let (home, mut total) = (VecLanes::splat(self.set, self.place(i)), Lanes::splat(self.set, 0.0));
            for j in self.list(i).as_chunks::<LANES>().0 {
                total = total + self.terms(home, fetch(j));
            }
            *out = total.total() + self.self_term(i);
        }
    }
}

/// x, y, z and volume as columns, followed by `padding` particles in nobody's reach.
fn columns(particles: impl Iterator<Item = (Vec3, Real)>, padding: usize) -> [Vec<Real>; 4] {
    let mut columns: [Vec<Real>; 4] = Default::default();
    for (x, volume) in particles.chain(std::iter::repeat_n((Vec3::splat(FAR), 0.0), padding)) {
        columns.iter_mut().zip([x.x, x.y, x.z, volume]).for_each(|(column, value)| column.push(value));
    }
    columns
}

fn scalar(flat: &Flat, out: &mut [Real]) {
    for (i, out) in out.iter_mut().enumerate() {
        let home = flat.place(i);
        let term = |&j: &u32| flat.columns[3][j as usize] * flat.kernel.value((home - flat.place(j as usize)).length());
        *out = flat.list(i).iter().map(term).sum::<Real>() + flat.self_term(i);
    }
}

fn lane_loads(flat: &Flat, out: &mut [Real]) {
    let (set, [x, y, z, volume]) = (flat.set, &flat.columns);
    set.run(
        #[inline(always)]
        || {
            flat.by_eights(
                out,
                #[inline(always)]
                |j| [fetch(set, x, j), fetch(set, y, j), fetch(set, z, j), fetch(set, volume, j)],
            );
        },
    );
}

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
fn gathers(flat: &Flat, out: &mut [Real]) {
    let (set, [x, y, z, volume]) = (flat.set, &flat.columns);
    set.run(
        #[inline(always)]
        || {
            flat.by_eights(
                out,
                #[inline(always)]
                |j| [gather(set, x, j), gather(set, y, j), gather(set, z, j), gather(set, volume, j)],
            );
        },
    );
}

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
#[inline(always)]
fn gather(set: Avx2, column: &[Real], j: &[u32; LANES]) -> Lanes<Avx2> {
    use std::arch::x86_64::*;
    // SAFETY: every entry of a list is an index into the columns, and the set is the proof that there are such instructions.
    unsafe {
        let index = _mm256_loadu_si256(j.as_ptr().cast());
        let gathered = _mm256_i32gather_ps::<4>(column.as_ptr(), index);
        Lanes::from_array(set, std::mem::transmute::<__m256, [f32; LANES]>(gathered))
    }
}

#[cfg(not(all(target_arch = "x86_64", not(feature = "f64"))))]
fn gathers(flat: &Flat, out: &mut [Real]) {
    lane_loads(flat, out);
}

/// Particles sorted into the cells of a plain grid, x fastest: three cells in a row are one range.
struct Cells {
    columns: [Vec<Real>; 4],
    particles: Vec<u32>,
    starts: Vec<usize>,
    counts: [usize; 3],
    home: Vec<[usize; 3]>,
}

impl Cells {
    fn new(position: &[Vec3], volume: &[Real], reach: Real) -> Cells {
        let low = position.iter().copied().fold(Vec3::splat(FAR), Vec3::min) - Vec3::splat(2.0 * reach);
        let high = position.iter().copied().fold(Vec3::splat(-FAR), Vec3::max) + Vec3::splat(2.0 * reach);
        let edge = reach * 1.0001;
        let counts = ((high - low) / edge).to_array().map(|c| c as usize + 1);
        let home: Vec<_> = position.iter().map(|&x| ((x - low) / edge).to_array().map(|c| c as usize)).collect();
        let key = |[x, y, z]: [usize; 3]| (z * counts[1] + y) * counts[0] + x;
        let mut particles: Vec<u32> = (0..position.len() as u32).collect();
        particles.sort_by_key(|&i| key(home[i as usize]));
        let mut starts = vec![0; counts.iter().product::<usize>() + 1];
        home.iter().for_each(|&cell| starts[key(cell) + 1] += 1);
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let columns = columns(particles.iter().map(|&i| (position[i as usize], volume[i as usize])), LANES);
        Cells { columns, particles, starts, counts, home }
    }

    /// The nine ranges of candidates around a cell.
    #[inline(always)]
    fn around(&self, [x, y, z]: [usize; 3]) -> [(usize, usize); 9] {
        std::array::from_fn(|k| {
            let row = ((z + k / 3 - 1) * self.counts[1] + y + k % 3 - 1) * self.counts[0] + x;
            (self.starts[row - 1], self.starts[row + 2])
        })
    }
}

fn ranges(flat: &Flat, out: &mut [Real]) {
    flat.set.run(
        #[inline(always)]
        || ranges_with(flat.set, flat, out),
    );
}

#[inline(always)]
fn ranges_with<S: Simd>(set: S, flat: &Flat, out: &mut [Real]) {
    let cells = &flat.cells;
    let [x, y, z, volume] = &cells.columns;
    for &i in &cells.particles {
        let i = i as usize;
        let (home, mut total) = (VecLanes::splat(set, flat.place(i)), Lanes::splat(set, 0.0));
        for (start, end) in cells.around(cells.home[i]) {
            for at in (start..end).step_by(LANES) {
                let eight = [eight(set, x, at), eight(set, y, at), eight(set, z, at), eight(set, volume, at)];
                let lane_numbers = Lanes::from_array(set, std::array::from_fn(|lane| lane as Real));
                let left = Lanes::splat(set, (end - at) as Real) - lane_numbers;
                total = total + flat.terms(home, eight).where_positive(left, left.like(0.0));
            }
        }
        // The particle itself is among its candidates.
        out[i] = total.total();
    }
}

/// Kernel values and gradients of every pair, kept from a pass before.
pub(crate) struct Stored {
    values: Vec<Real>,
    gradients: [Vec<Real>; 3],
}

impl Stored {
    pub(crate) fn new(flat: &Flat) -> Stored {
        let pairs = || (0..flat.count()).flat_map(|i| flat.list(i).iter().map(move |&j| (i, j as usize)));
        let apart = |i: usize, j: usize| flat.place(i) - flat.place(j);
        let values = pairs().map(|(i, j)| flat.kernel.value(apart(i, j).length())).collect();
        let along = |axis: usize| pairs().map(|(i, j)| flat.kernel.gradient(apart(i, j))[axis]).collect();
        Stored { values, gradients: [along(0), along(1), along(2)] }
    }

    pub(crate) fn density(&self, flat: &Flat, out: &mut [Real]) {
        flat.set.run(
            #[inline(always)]
            || self.density_with(flat.set, flat, out),
        );
    }

    /// `column` has a value for the particle in nobody's reach, too.
    pub(crate) fn force(&self, flat: &Flat, column: &[Real], out: &mut [Vec3]) {
        flat.set.run(
            #[inline(always)]
            || self.force_with(flat.set, flat, column, out),
        );
    }

    #[inline(always)]
    fn density_with<S: Simd>(&self, set: S, flat: &Flat, out: &mut [Real]) {
        for (i, out) in out.iter_mut().enumerate() {
            let range = flat.starts[i]..flat.starts[i + 1];
            let stored = self.values[range].as_chunks::<LANES>().0;
            let mut total = Lanes::splat(set, 0.0);
            for (j, w) in flat.list(i).as_chunks::<LANES>().0.iter().zip(stored) {
                total = total + fetch(set, &flat.columns[3], j) * Lanes::from_array(set, *w);
            }
            *out = total.total() + flat.self_term(i);
        }
    }

    #[inline(always)]
    fn force_with<S: Simd>(&self, set: S, flat: &Flat, column: &[Real], out: &mut [Vec3]) {
        for (i, out) in out.iter_mut().enumerate() {
            let start = flat.starts[i];
            let mut total = VecLanes::splat(set, Vec3::ZERO);
            let [x, y, z] = &self.gradients;
            for (k, j) in flat.list(i).as_chunks::<LANES>().0.iter().enumerate() {
                let share = fetch(set, &flat.columns[3], j) * (fetch(set, column, j) + column[i]);
                let at = start + k * LANES;
                total = total + VecLanes { x: eight(set, x, at), y: eight(set, y, at), z: eight(set, z, at) } * share;
            }
            *out = total.total();
        }
    }
}

/// Values of eight neighbours.
#[inline(always)]
fn fetch<S: Simd>(set: S, column: &[Real], j: &[u32; LANES]) -> Lanes<S> {
    // SAFETY: every entry of a list is an index into the columns.
    Lanes::from_array(set, j.map(|j| unsafe { *column.get_unchecked(j as usize) }))
}

/// Eight values in a row.
#[inline(always)]
fn eight<S: Simd>(set: S, column: &[Real], at: usize) -> Lanes<S> {
    let mut values = [0.0; LANES];
    values.copy_from_slice(&column[at..at + LANES]);
    Lanes::from_array(set, values)
}
