//! Other ways to sum over neighbours, on the same particles and lists.

use thixo_sim::{Kernel, LANES, Real, Simulation, Vec3};

/// Positions and lists as plain arrays.
pub(crate) struct Flat {
    kernel: Kernel,
    /// x, y, z and rest volume, each followed by a particle that is in nobody's reach and has no volume.
    columns: [Vec<Real>; 4],
    /// Neighbours of particle i, filled up to whole eights with the particle in nobody's reach.
    lists: Vec<Vec<u32>>,
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
    ("cell ranges, all candidates, no list", ranges),
    ("lane loads by the compiler, listed", lane_loads),
];

const FAR: Real = 1e15;

impl Flat {
    pub(crate) fn new(simulation: &Simulation) -> Flat {
        let (particles, pairs) = (simulation.particles(), simulation.pairs());
        let count = particles.len();
        let column = |value: &dyn Fn(usize) -> Real, last: Real| (0..count).map(value).chain([last]).collect();
        let columns: [Vec<Real>; 4] = [
            column(&|i| particles.position[i].x, FAR),
            column(&|i| particles.position[i].y, FAR),
            column(&|i| particles.position[i].z, FAR),
            column(&|i| particles.rest_volume[i], 0.0),
        ];
        let mut entries = 0;
        let lists = (0..count).map(|i| {
            let mut list: Vec<u32> = pairs.neighbors(i).collect();
            entries += list.len();
            list.resize(list.len().next_multiple_of(LANES), count as u32);
            list
        });
        let lists = lists.collect();
        let kernel = *pairs.kernel();
        let cells = Cells::new(&particles.position, &particles.rest_volume, kernel.support());
        Flat { kernel, columns, lists, cells, pairs: entries }
    }

    pub(crate) fn count(&self) -> usize {
        self.lists.len()
    }

    fn place(&self, i: usize) -> Vec3 {
        Vec3::new(self.columns[0][i], self.columns[1][i], self.columns[2][i])
    }

    fn self_term(&self, i: usize) -> Real {
        self.columns[3][i] * self.kernel.value(0.0 as Real)
    }
}

fn scalar(flat: &Flat, out: &mut [Real]) {
    for (i, out) in out.iter_mut().enumerate() {
        let home = flat.place(i);
        let term = |&j: &u32| flat.columns[3][j as usize] * flat.kernel.value((home - flat.place(j as usize)).length());
        *out = flat.lists[i].iter().map(term).sum::<Real>() + flat.self_term(i);
    }
}

/// The kernel on eight numbers, as the compiler makes it of plain arrays.
fn eight_terms(kernel: &Kernel, home: Vec3, [x, y, z, volume]: [[Real; LANES]; 4]) -> [Real; LANES] {
    std::array::from_fn(|k| {
        let (dx, dy, dz) = (home.x - x[k], home.y - y[k], home.z - z[k]);
        volume[k] * kernel.value((dx * dx + dy * dy + dz * dz).sqrt())
    })
}

fn add(total: &mut [Real; LANES], terms: [Real; LANES]) {
    total.iter_mut().zip(terms).for_each(|(total, term)| *total += term);
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn lane_loads_with_avx2(flat: &Flat, out: &mut [Real]) {
    for (i, out) in out.iter_mut().enumerate() {
        let (home, mut total) = (flat.place(i), [0.0; LANES]);
        for j in flat.lists[i].as_chunks::<LANES>().0 {
            let loaded = [0, 1, 2, 3].map(|c| j.map(|j| flat.columns[c][j as usize]));
            add(&mut total, eight_terms(&flat.kernel, home, loaded));
        }
        *out = total.iter().sum::<Real>() + flat.self_term(i);
    }
}

fn lane_loads(flat: &Flat, out: &mut [Real]) {
    if has_avx2() {
        // SAFETY: the processor has it.
        unsafe { lane_loads_with_avx2(flat, out) };
    } else {
        scalar(flat, out);
    }
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
#[target_feature(enable = "avx2")]
fn gathers_with_avx2(flat: &Flat, out: &mut [Real]) {
    use std::arch::x86_64::*;
    for (i, out) in out.iter_mut().enumerate() {
        let (home, mut total) = (flat.place(i), [0.0; LANES]);
        for j in flat.lists[i].as_chunks::<LANES>().0 {
            // SAFETY: every entry of a list is an index into the columns.
            let loaded = [0, 1, 2, 3].map(|c| unsafe {
                let index = _mm256_loadu_si256(j.as_ptr().cast());
                let mut eight = [0.0; LANES];
                _mm256_storeu_ps(eight.as_mut_ptr(), _mm256_i32gather_ps::<4>(flat.columns[c].as_ptr(), index));
                eight
            });
            add(&mut total, eight_terms(&flat.kernel, home, loaded));
        }
        *out = total.iter().sum::<Real>() + flat.self_term(i);
    }
}

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
fn gathers(flat: &Flat, out: &mut [Real]) {
    if has_avx2() {
        // SAFETY: the processor has it.
        unsafe { gathers_with_avx2(flat, out) };
    } else {
        scalar(flat, out);
    }
}

#[cfg(not(all(target_arch = "x86_64", not(feature = "f64"))))]
fn gathers(flat: &Flat, out: &mut [Real]) {
    scalar(flat, out);
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
        let low = position.iter().copied().fold(Vec3::splat(Real::INFINITY), Vec3::min) - Vec3::splat(2.0 * reach);
        let high = position.iter().copied().fold(Vec3::splat(Real::NEG_INFINITY), Vec3::max) + Vec3::splat(3.0 * reach);
        let edge = reach * 1.0001;
        let counts = ((high - low) / edge).to_array().map(|c| c as usize + 1);
        let home: Vec<_> = position.iter().map(|&x| ((x - low) / edge).to_array().map(|c| c as usize)).collect();
        let key = |[x, y, z]: [usize; 3]| (z * counts[1] + y) * counts[0] + x;
        let mut particles: Vec<u32> = (0..position.len() as u32).collect();
        particles.sort_by_key(|&i| key(home[i as usize]));
        let mut starts = vec![0; counts.iter().product::<usize>() + 1];
        home.iter().for_each(|&cell| starts[key(cell) + 1] += 1);
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let column = |value: &dyn Fn(usize) -> Real, last: Real| {
            let sorted = particles.iter().map(|&i| value(i as usize));
            sorted.chain([last; LANES]).collect::<Vec<_>>()
        };
        let columns = [
            column(&|i| position[i].x, FAR),
            column(&|i| position[i].y, FAR),
            column(&|i| position[i].z, FAR),
            column(&|i| volume[i], 0.0),
        ];
        Cells { columns, particles, starts, counts, home }
    }

    /// The nine ranges of candidates around a cell.
    fn around(&self, [x, y, z]: [usize; 3]) -> impl Iterator<Item = (usize, usize)> {
        let row = move |dy: usize, dz: usize| ((z + dz - 1) * self.counts[1] + y + dy - 1) * self.counts[0] + x;
        (0..9).map(move |k| {
            let row = row(k % 3, k / 3);
            (self.starts[row - 1], self.starts[row + 2])
        })
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn ranges_with_avx2(flat: &Flat, out: &mut [Real]) {
    let cells = &flat.cells;
    for &i in &cells.particles {
        let i = i as usize;
        let (home, mut total) = (flat.place(i), [0.0; LANES]);
        for (start, end) in cells.around(cells.home[i]) {
            for at in (start..end).step_by(LANES) {
                let mut loaded = [0, 1, 2, 3].map(|c| *cells.columns[c][at..].first_chunk::<LANES>().unwrap());
                let left = (end - at).min(LANES);
                loaded[3][left..].fill(0.0);
                add(&mut total, eight_terms(&flat.kernel, home, loaded));
            }
        }
        // The particle itself is among its candidates.
        out[i] = total.iter().sum::<Real>();
    }
}

fn ranges(flat: &Flat, out: &mut [Real]) {
    if has_avx2() {
        // SAFETY: the processor has it.
        unsafe { ranges_with_avx2(flat, out) };
    } else {
        scalar(flat, out);
    }
}

/// Kernel values and gradients of every pair, kept from a pass before.
pub(crate) struct Stored {
    values: Vec<Real>,
    gradients: [Vec<Real>; 3],
}

impl Stored {
    pub(crate) fn new(simulation: &Simulation, flat: &Flat) -> Stored {
        let kernel = simulation.pairs().kernel();
        let pairs = || flat.lists.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |&j| (i, j as usize)));
        let apart = |i: usize, j: usize| flat.place(i) - flat.place(j);
        let values = pairs().map(|(i, j)| kernel.value(apart(i, j).length())).collect();
        let gradients: Vec<Vec3> = pairs().map(|(i, j)| kernel.gradient(apart(i, j))).collect();
        let along = |axis: usize| gradients.iter().map(|g| g[axis]).collect();
        Stored { values, gradients: [along(0), along(1), along(2)] }
    }

    pub(crate) fn density(&self, flat: &Flat, out: &mut [Real]) {
        if has_avx2() {
            // SAFETY: the processor has it.
            unsafe { self.density_with_avx2(flat, out) };
        }
    }

    pub(crate) fn force(&self, flat: &Flat, column: &[Real], out: &mut [Vec3]) {
        if has_avx2() {
            // SAFETY: the processor has it.
            unsafe { self.force_with_avx2(flat, column, out) };
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn density_with_avx2(&self, flat: &Flat, out: &mut [Real]) {
        let mut stored = self.values.as_chunks::<LANES>().0.iter();
        for (i, out) in out.iter_mut().enumerate() {
            let mut total = [0.0; LANES];
            for (j, w) in flat.lists[i].as_chunks::<LANES>().0.iter().zip(&mut stored) {
                let volume = j.map(|j| flat.columns[3][j as usize]);
                add(&mut total, std::array::from_fn(|k| volume[k] * w[k]));
            }
            *out = total.iter().sum::<Real>() + flat.self_term(i);
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    fn force_with_avx2(&self, flat: &Flat, column: &[Real], out: &mut [Vec3]) {
        let [mut x, mut y, mut z] = [0, 1, 2].map(|axis| self.gradients[axis].as_chunks::<LANES>().0.iter());
        let last = column.len();
        for (i, out) in out.iter_mut().enumerate() {
            let mut total = [[0.0; LANES]; 3];
            for j in flat.lists[i].as_chunks::<LANES>().0 {
                let (Some(x), Some(y), Some(z)) = (x.next(), y.next(), z.next()) else { return };
                let share: [Real; LANES] = j.map(|j| {
                    let j = j as usize;
                    flat.columns[3][j] * (column[j.min(last - 1)] + column[i])
                });
                for (total, gradient) in total.iter_mut().zip([x, y, z]) {
                    add(total, std::array::from_fn(|k| share[k] * gradient[k]));
                }
            }
            *out = Vec3::from_array(total.map(|lanes| lanes.iter().sum()));
        }
    }
}
