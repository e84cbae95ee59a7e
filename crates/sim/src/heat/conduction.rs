//! Heat between particles: the sums over neighbours.
//!
//! ```text
//! m_i dh_i/dt = Σ_j g_ij (T_j − T_i)
//! g_ij = 2/K · 2 k_i k_j/(k_i + k_j) · V_i V_j |W'_ij|/r_ij         Brookshaw 1985, Cleary & Monaghan 1999
//! K = Σ_j V_j x_ij² |W'_ij|/r_ij  on the lattice                     so that a lattice conducts k exactly
//! ```
//!
//! What one particle loses its neighbour gains, whatever the two are made of; the harmonic mean of the conductivities k keeps
//! the heat flux through an interface continuous. (Sol09 Eq. 5.12 does neither: `docs/heat.md`.) V are rest volumes.
//!
//! Each flow is split in two, a multiple of a power of two and a remainder, which are summed apart: the first sum is exact, and
//! the second so small that its rounding is that of double precision. So flows cancel to 1e-13 though each is in single.
//!
//! Walls that have a temperature T_w have it at their surface, mirrored as no-slip walls mirror velocity
//! (`viscosity/walls.rs`); they conduct as well as what touches them:
//!
//! ```text
//! m_i dh_i/dt = … + Σ_b 2/K · k_i V_i V_b |W'_ib|/r_ib (1 + d_b/d_i) (T_w − T_i)
//! ```
//!
//! A free surface passes α A (T_s − T_i) to the surroundings. The area A_i belonging to a particle follows from what is missing
//! of its neighbourhood, A_i = C V_i/spacing · max(0, 0.9 − φ_i), with C such that a flat surface of a lattice has its area.

use rayon::prelude::*;

use crate::kernel::{Kernel, lattice_offsets};
use crate::neighbors::{Block, Lanes, Pairs, Setting, Simd, Who, pack};
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::viscosity::walls;
use crate::world::World;
use crate::{each, exchange, sum};

/// So much may be missing of a neighbourhood in the middle of matter [-]: stirred fluid misses a few hundredths.
const SCATTER: Real = 0.1;

/// How many bits of the largest flow are in the part that is summed exactly: with more, a hundred neighbours overflow the digits
/// of single precision; with fewer, the remainder is larger than it need be.
const EXACT_BITS: i32 = 17;

/// What a particle exchanges with others, by the volume of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contact {
    /// Σ_j g_ij [W/K].
    pub(super) matter: Real,
    /// The same of walls that have a temperature [W/K].
    pub(super) walls: Real,
    /// Σ_b g_ib (T_w − T_i) before the step [W].
    pub(super) drive: Real,
    /// α A_i [W/K].
    pub(super) surface: Real,
}

/// Constants of the sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calibration {
    /// 2/K times the volume of a cell, against W'/r.
    factor: Real,
    /// What a full lattice gives of Σ V W.
    lattice_sum: Real,
    /// C/spacing [1/m].
    area: Real,
}

impl Calibration {
    pub(super) fn new(kernel: &Kernel, spacing: Real, lattice_sum: Real) -> Self {
        let dimension = kernel.dimension();
        let cell = f64::from(dimension.cell_volume(spacing));
        let reach = kernel.support() / spacing;
        let second_moment: f64 = lattice_offsets(reach, dimension)
            .map(|offset| {
                let r = offset * spacing;
                cell * f64::from(r.x).powi(2) * -f64::from(kernel.slope_over_r(r.length()))
            })
            .sum();
        // Of a lattice that fills half of space, layer by layer.
        let layers = reach.ceil() as i32;
        let present = |layer: i32| {
            let inside = lattice_offsets(reach, dimension).filter(|offset| offset.x >= -(layer as Real));
            inside.map(|offset| cell as Real * kernel.value((offset * spacing).length())).sum::<Real>() / lattice_sum
        };
        let missing: Real = (0..layers).map(|layer| (1.0 - SCATTER - present(layer)).max(0.0)).sum();
        Calibration { factor: (2.0 * cell / second_moment) as Real, lattice_sum, area: 1.0 / (missing * spacing) }
    }
}

/// Memory for the sums of a step, and what they go by.
#[derive(Debug, Default)]
pub(super) struct Conduction {
    /// Temperature, conductivity, nothing and volume of each particle, the last as a share of a cell. Of walls: the temperature of
    /// their surface, and 1 if they have one.
    pub(super) rows: Vec<[Real; 4]>,
    /// Half the digits that flows are rounded to.
    magic: Real,
}

/// What particle `i` is in its sums.
#[derive(Clone, Copy)]
struct Home {
    temperature: Real,
    conductivity: Real,
    volume: Real,
    factor: Real,
    magic: Real,
}

impl Home {
    /// What it gains from each of eight neighbours, in two parts. It must be the same but for the sign seen from the other side.
    #[inline(always)]
    fn gain<S: Simd, K: Setting>(
        &self,
        j: &Block<'_, S, K>,
        row: [Lanes<S>; 3],
        slope: Lanes<S>,
    ) -> (Lanes<S>, Lanes<S>) {
        let [temperature, conductivity, volume] = row;
        let flow = self.conductance(j, conductivity, volume, slope) * (temperature - self.temperature);
        let rounded = (flow + self.magic) - self.magic;
        (rounded, flow - rounded)
    }

    #[inline(always)]
    fn conductance<S: Simd, K: Setting>(
        &self,
        j: &Block<'_, S, K>,
        conductivity: Lanes<S>,
        volume: Lanes<S>,
        slope: Lanes<S>,
    ) -> Lanes<S> {
        let (product, sum) = (conductivity * self.conductivity, conductivity + self.conductivity);
        let harmonic = product * 2.0 / sum.max(j.splat(Real::MIN_POSITIVE));
        (volume * self.volume) * harmonic * (slope * -self.factor)
    }
}

/// What conducts of a wall particle `b`, given x_i − x_b, the vector from b to the surface, and the lengths of both.
fn stretch(x_ib: Vec3, to_surface: Vec3) -> Real {
    let depth = to_surface.length();
    let height = x_ib.dot(to_surface) / depth - depth;
    1.0 + (depth / height.max(0.5 * depth)).min(2.0)
}

impl Conduction {
    /// Fills the rows.
    pub(super) fn fill(&mut self, count: usize, row: impl Fn(usize) -> [Real; 4] + Sync) {
        pack(&mut self.rows, count, row);
    }

    /// The temperatures have changed.
    pub(super) fn set_temperatures(&mut self, temperature: &[Real]) {
        let rows = self.rows.par_iter_mut().with_min_len(4096).zip(temperature);
        rows.for_each(|(row, temperature)| row[0] = *temperature);
    }

    /// Rounds flows to so many digits that differences of temperature as there are now can be summed exactly.
    pub(super) fn find_digits(&mut self, world: &World, pairs: &Pairs, calibration: &Calibration) {
        let matter = world.kinds.matter().len();
        let rows = &self.rows;
        let first = rows.first().map_or(0.0, |row| row[0]);
        let above = reduce::max(matter, |i| f64::from(rows[i][0] - first));
        let below = reduce::max(matter, |i| f64::from(first - rows[i][0]));
        let conductivity = reduce::max(matter, |i| f64::from(rows[i][1]));
        let volume = reduce::max(matter, |i| f64::from(rows[i][3]));
        let slope = -f64::from(pairs.kernel().slope_over_r(0.5 * world.spacing)) * f64::from(calibration.factor);
        let largest = slope * conductivity * volume * volume * (above + below);
        let digits = (Real::MANTISSA_DIGITS - 1) as i32;
        let quantum = 2.0_f64.powi(largest.max(f64::from(Real::MIN_POSITIVE)).log2().ceil() as i32 - EXACT_BITS);
        self.magic = (1.5 * quantum * 2.0_f64.powi(digits)) as Real;
    }

    fn home(&self, i: usize, calibration: &Calibration) -> Home {
        let [temperature, conductivity, _, volume] = self.rows[i];
        Home { temperature, conductivity, volume, factor: calibration.factor, magic: self.magic }
    }

    /// What every particle gains from the others [W], by the volume of a cell.
    pub(super) fn flows(&self, pairs: &Pairs, calibration: &Calibration, out: &mut [f64]) {
        let rows = &self.rows;
        each!(pairs, Who::Matter, out, |i, near, out| {
            let home = self.home(i, calibration);
            *out = 0.0;
            if home.conductivity > 0.0 {
                let (most, rest) = exchange!(near.matter(), |j, slope| {
                    let (row, volume) = j.get_packed(rows);
                    home.gain(j, [row.x, row.y, volume], slope)
                });
                let (most_bonded, rest_bonded) = exchange!(near.bonded(), |j, slope| {
                    let (row, volume) = j.get_packed(rows);
                    home.gain(j, [row.x, row.y, volume], slope)
                });
                *out = (f64::from(most) + f64::from(most_bonded)) + (f64::from(rest) + f64::from(rest_bonded));
            }
        });
    }

    /// With whom every particle is in contact, and how well. `exchange` is α of free surfaces.
    pub(super) fn contacts(
        &self,
        world: &World,
        pairs: &Pairs,
        (calibration, exchange): (&Calibration, Real),
        out: &mut [Contact],
    ) {
        let (rows, to_surface, kernel) = (&self.rows, &world.particles.to_surface, *pairs.kernel());
        let surfaces = exchange * calibration.area;
        each!(pairs, Who::Matter, out, |i, near, out| {
            let home = self.home(i, calibration);
            *out = Contact::default();
            if home.conductivity > 0.0 {
                let conductance = sum!(near.matter(), |j| {
                    let (row, volume) = j.get_packed(rows);
                    home.conductance(j, row.y, volume, kernel.slope_over_r(j.r()))
                });
                let bonded = sum!(near.bonded(), |j| {
                    let (row, volume) = j.get_packed(rows);
                    home.conductance(j, row.y, volume, kernel.slope_over_r(j.r()))
                });
                let (walls, drive) = sum!(near.walls(), |b| {
                    let (row, volume) = b.get_packed(rows);
                    let stretch = walls::stretch(b.x_ij(), b.get_vec(to_surface));
                    let slope = kernel.slope_over_r(b.r()) * -home.factor;
                    let conductance = volume * home.volume * home.conductivity * slope * stretch * row.y;
                    (conductance, conductance * (row.x - home.temperature))
                });
                (out.matter, out.walls, out.drive) = (conductance + bonded, walls, drive);
            }
            if surfaces > 0.0 {
                let others = sum!(near, |j| j.volume() * j.w()) + sum!(near.bonded(), |j| j.volume() * j.w());
                let present = (others + near.self_term()) / calibration.lattice_sum;
                out.surface = surfaces * home.volume * (1.0 - SCATTER - present).max(0.0);
            }
        });
        self.touch_walls(world, pairs, calibration, |i, b, conductance| {
            let [temperature, is_held, ..] = rows[b];
            out[i].walls += conductance * is_held;
            out[i].drive += conductance * is_held * (temperature - rows[i][0]);
        });
    }

    /// How well every particle would conduct from the wall particles that have a 1 in a column.
    pub(super) fn shares(
        &self,
        world: &World,
        pairs: &Pairs,
        calibration: &Calibration,
        walls: &[Real],
        out: &mut [Real],
    ) {
        let (rows, to_surface, kernel) = (&self.rows, &world.particles.to_surface, *pairs.kernel());
        each!(pairs, Who::Matter, out, |i, near, out| {
            let home = self.home(i, calibration);
            *out = sum!(near.walls(), |b| {
                let (_, volume) = b.get_packed(rows);
                let stretch = walls::stretch(b.x_ij(), b.get_vec(to_surface));
                let slope = kernel.slope_over_r(b.r()) * -home.factor;
                volume * home.volume * home.conductivity * slope * stretch * b.get(walls)
            });
        });
        self.touch_walls(world, pairs, calibration, |i, b, conductance| out[i] += conductance * walls[b]);
    }

    /// Rigid bodies list no walls: those they touch are listed apart.
    fn touch_walls(
        &self,
        world: &World,
        pairs: &Pairs,
        calibration: &Calibration,
        mut enter: impl FnMut(usize, usize, Real),
    ) {
        let particles = &world.particles;
        for [i, b] in pairs.touching().filter(|[_, b]| world.kinds.walls().contains(b)) {
            let ([_, conductivity, _, volume], [_, _, _, of_wall]) = (self.rows[i], self.rows[b]);
            let x_ib = world.domain.shortest(particles.position[i] - particles.position[b]);
            let slope = -calibration.factor * pairs.kernel().slope_over_r(x_ib.length());
            let stretch = stretch(x_ib, particles.to_surface[b]);
            enter(i, b, volume * of_wall * conductivity * slope * stretch);
        }
    }
}
