//! Linearised elasticity: the forces of small displacements, with rotations held fixed.
//!
//! Conjugate gradients spend most of their time here, so the law is brought into a form of few products. With the moment
//! D = Σ_j ω_ij p_ji ⊗ x⁰_ji of displacements p, the stress of [`law`](super::law) less its control is
//!
//! ```text
//! T = R (μ (RᵀDL + LDᵀR) + λ tr(RᵀDL) 1) L − β D L
//!   = D N + Q (DᵀQ + κ (Q:D) 1),    N = μ L² − β L,    Q = √μ R L,    κ = λ/μ
//! ```
//!
//! found for eight particles at a time. N is symmetric: with Q and κ sixteen numbers. Sheets and lines, where
//! displacements across them are no strain, use the law as it stands.
//!
//! If p are positions, not displacements, those at rest cause no strain, but enter the zero-energy control: T is that of
//! D − R D⁰ less β R F⁰. (To subtract the stress at rest afterwards would leave rounding errors of its size.)

use rayon::prelude::*;

use super::law::{Law, Site};
use super::matrix::{Matrix, columns, plus, product, rows, scaled, times, transposed};
use super::rotation::Extent;
use super::solids::Solids;
use crate::neighbors::{LANES, Lanes, Places, Simd, Tension};
use crate::real::{Mat3, Real};

/// Blocks of eight particles per task of parallel work.
const BLOCKS_PER_TASK: usize = 32;

/// The linear stress response of eight particles.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResponseOfEight {
    /// Q by columns.
    q: Matrix<[Real; LANES]>,
    /// The upper half of N, by columns.
    n: [[Real; LANES]; 6],
    kappa: [Real; LANES],
    /// Is one of them in a sheet or on a line?
    is_thin: bool,
}

impl ResponseOfEight {
    /// Of particles with these laws; those without one have no stress.
    #[inline(always)]
    pub(super) fn new<S: Simd>(
        set: S,
        laws: [Option<&Law>; LANES],
        sites: [&Site; LANES],
        corrections: Matrix<Lanes<S>>,
        rotations: Matrix<Lanes<S>>,
    ) -> Self {
        let mut eight = ResponseOfEight::default();
        let (mut mu, mut control) = ([0.0; LANES], [0.0; LANES]);
        for (lane, (law, site)) in laws.into_iter().zip(sites).enumerate() {
            let Some(law) = law else { continue };
            (mu[lane], control[lane]) = (law.moduli.mu, law.control);
            eight.kappa[lane] = site.lambda / mu[lane];
            eight.is_thin |= matches!(site.extent, Extent::Sheet(_) | Extent::Line(_));
        }
        let (mu, control) = (Lanes::from_array(set, mu), Lanes::from_array(set, control));
        let [x, y, z] = product(rotations, corrections);
        let root = mu.sqrt();
        let [x, y, z] = [scaled(x, root), scaled(y, root), scaled(z, root)];
        eight.q = [to_arrays(x), to_arrays(y), to_arrays(z)];
        let [a, b, c] = product(corrections, corrections);
        let [d, e, f] = corrections;
        let n = |square: Lanes<S>, own: Lanes<S>| (square * mu - own * control).to_array();
        eight.n = [n(a[0], d[0]), n(b[0], e[0]), n(b[1], e[1]), n(c[0], f[0]), n(c[1], f[1]), n(c[2], f[2])];
        eight
    }

    /// T of eight moments.
    #[inline(always)]
    fn tensions<S: Simd>(&self, set: S, moments: &[Tension; LANES]) -> [Tension; LANES] {
        let [xx, xy, yy, xz, yz, zz] = &self.n;
        let q = [from_arrays(set, &self.q[0]), from_arrays(set, &self.q[1]), from_arrays(set, &self.q[2])];
        let n = [lanes(set, [xx, xy, xz]), lanes(set, [xy, yy, yz]), lanes(set, [xz, yz, zz])];
        let d = columns(set, moments);
        // QᵀD, by rows.
        let mut x = transposed(product(transposed(q), d));
        let swell = (x[0][0] + x[1][1] + x[2][2]) * Lanes::from_array(set, self.kappa);
        (x[0][0], x[1][1], x[2][2]) = (x[0][0] + swell, x[1][1] + swell, x[2][2] + swell);
        let first = rows(plus(times(d, n[0]), times(q, x[0])));
        let next = rows(plus(times(d, n[1]), times(q, x[1])));
        let last = rows(plus(times(d, n[2]), times(q, x[2])));
        let mut out = [Tension::default(); LANES];
        for (lane, out) in out.iter_mut().enumerate() {
            *out = Tension([first[lane], next[lane], last[lane], moments[lane].0[3]]);
        }
        out
    }
}

#[inline(always)]
fn lanes<S: Simd>(set: S, [x, y, z]: [&[Real; LANES]; 3]) -> [Lanes<S>; 3] {
    [Lanes::from_array(set, *x), Lanes::from_array(set, *y), Lanes::from_array(set, *z)]
}

#[inline(always)]
fn from_arrays<S: Simd>(set: S, [x, y, z]: &[[Real; LANES]; 3]) -> [Lanes<S>; 3] {
    lanes(set, [x, y, z])
}

#[inline(always)]
fn to_arrays<S: Simd>([x, y, z]: [Lanes<S>; 3]) -> [[Real; LANES]; 3] {
    [x.to_array(), y.to_array(), z.to_array()]
}

/// Elastic bodies with fixed rotations: the law of each particle, if it is to have stress, and its rotation.
pub(super) struct Linearised<'a, L, R> {
    pub(super) solids: &'a Solids,
    pub(super) law: L,
    pub(super) rotation: R,
}

impl<'a, L: Fn(usize) -> Option<&'a Law> + Sync, R: Fn(usize) -> Mat3 + Sync> Linearised<'a, L, R> {
    /// The tensions of positions.
    pub(super) fn tensions_of_places<S: Simd>(
        &self,
        set: S,
        responses: &[ResponseOfEight],
        places: &Places<'_>,
        tensions: &mut [Tension],
    ) {
        self.find_tensions::<S, true>(
            set,
            responses,
            #[inline(always)]
            |i| self.solids.bonds.near(set, i).moments_of_places(places, i),
            tensions,
        );
    }

    /// The tensions of displacements.
    pub(super) fn tensions_of_displacements<S: Simd>(
        &self,
        set: S,
        responses: &[ResponseOfEight],
        displacement: &[[Real; 4]],
        tensions: &mut [Tension],
    ) {
        self.find_tensions::<S, false>(
            set,
            responses,
            #[inline(always)]
            |i| self.solids.bonds.near(set, i).moments(displacement, i),
            tensions,
        );
    }

    fn find_tensions<S: Simd, const OF_PLACES: bool>(
        &self,
        set: S,
        responses: &[ResponseOfEight],
        moment_of: impl Fn(usize) -> Tension + Sync,
        tensions: &mut [Tension],
    ) {
        let pieces =
            tensions.par_chunks_mut(LANES * BLOCKS_PER_TASK).zip(responses.par_chunks(BLOCKS_PER_TASK)).enumerate();
        pieces.for_each(|(piece, (tensions, responses))| {
            set.run(
                #[inline(always)]
                || {
                    for (k, (out, response)) in tensions.chunks_mut(LANES).zip(responses).enumerate() {
                        let first = LANES * (BLOCKS_PER_TASK * piece + k);
                        if !(first..first + out.len()).any(|i| (self.law)(i).is_some()) {
                            continue;
                        }
                        let mut moments = [Tension::default(); LANES];
                        for (i, moment) in (first..).zip(&mut moments[..out.len()]) {
                            *moment = moment_of(i);
                            if OF_PLACES {
                                let (sum, spread) = moment.parts();
                                *moment = Tension::new(sum - (self.rotation)(i) * self.solids.sites[i].moment, spread);
                            }
                        }
                        match response.is_thin {
                            true => (first..).zip(&moments).zip(&mut *out).for_each(|((i, moment), out)| {
                                *out = self.tension_by_law(i, moment);
                            }),
                            false => out.copy_from_slice(&response.tensions(set, &moments)[..out.len()]),
                        }
                        if OF_PLACES {
                            (first..).zip(out).for_each(|(i, out)| *out = self.with_control_at_rest(i, out));
                        }
                    }
                },
            );
        });
    }

    /// The tension of a moment by the law as it stands.
    fn tension_by_law(&self, i: usize, moment: &Tension) -> Tension {
        let Some(law) = (self.law)(i) else { return Tension::default() };
        let (site, (moment, spread)) = (&self.solids.sites[i], moment.parts());
        let gradient = moment * site.correction;
        Tension::new(law.linear_response(site, gradient, (self.rotation)(i)) - gradient * law.control, spread)
    }

    /// A tension less β R F⁰, the zero-energy control of positions at rest.
    #[inline(always)]
    fn with_control_at_rest(&self, i: usize, tension: &Tension) -> Tension {
        let (stress, spread) = tension.parts();
        let control = (self.law)(i).map_or(0.0, |law| law.control);
        Tension::new(stress - (self.rotation)(i) * self.solids.sites[i].identity * control, spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elasticity::matrix::gather;
    use crate::elasticity::pull::force_density;
    use crate::neighbors::dispatch::Portable;
    use crate::neighbors::each_bond;
    use crate::real::Vec3;
    use crate::with_set;

    impl<'a, L: Fn(usize) -> Option<&'a Law> + Sync, R: Fn(usize) -> Mat3 + Sync> Linearised<'a, L, R> {
        /// The linear responses of all particles.
        pub(in crate::elasticity) fn responses(&self) -> Vec<ResponseOfEight> {
            let eight = |first: usize| {
                let index = |lane: usize| (first + lane).min(self.solids.len() - 1);
                let indices: [usize; LANES] = std::array::from_fn(index);
                let (sites, rotations) = (indices.map(|i| &self.solids.sites[i]), indices.map(|i| (self.rotation)(i)));
                let corrections = gather(Portable, sites.map(|site| &site.correction));
                ResponseOfEight::new(
                    Portable,
                    indices.map(|i| (self.law)(i)),
                    sites,
                    corrections,
                    gather(Portable, rotations.each_ref()),
                )
            };
            (0..self.solids.len()).step_by(LANES).map(eight).collect()
        }

        /// The forces [N] that displacements cause; `tensions` is memory.
        pub(in crate::elasticity) fn linear_forces(
            &self,
            (responses, rest_volume): (&[ResponseOfEight], &[Real]),
            displacement: &[[Real; 4]],
            tensions: &mut [Tension],
            force: &mut [Vec3],
        ) {
            with_set!(self.solids.bonds.available(), |set| {
                self.tensions_of_displacements(set, responses, displacement, tensions);
            });
            let tensions = &*tensions;
            each_bond!(&self.solids.bonds, force, |i, near, force| {
                *force = (self.law)(i).map_or(Vec3::ZERO, |law| {
                    force_density(near, tensions, i, self.solids.sites[i].lean, law.control) * rest_volume[i]
                });
            });
        }
    }
}
