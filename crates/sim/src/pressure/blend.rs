//! How the pressures of two particles combine between them.
//!
//! All forms are the pair formula ([`pair_force`](super::pair_force)) with weights,
//!
//! ```text
//! F_i = −V0_i Σ_j V0_j (w_ij P_i + w_ji P_j) ∇W_ij,    P = p/φ²
//! w_ij = 2 ρ0_j/(ρ0_i + ρ0_j)      density_weighted     after Hu & Adams 2006
//! w_ij = 1                         own_volumes          Sol09 Eq. 4.12
//! w_ij = φ_i/φ_j                   both_volumes         Sol09 Eq. 4.7, without its factor ½
//! ```
//!
//! Momentum is exact with each of them. Energy is exact if the weights are also those of the rate of compression: with
//! summed densities these are 1; the continuity equation ([`DensityMethod::Continuity`]) and solvers that iterate take
//! those of the form. For one density the first form is the second. Where masses are summed instead of volumes
//! ([`DensityMethod::Masses`]) the second and the third are the forms of one fluid, Sol09 Eq. 2.18 and 2.17:
//! w_ij = ρ0_j/ρ0_i and w_ij = φ_i/φ_j.
//!
//! Why densities weigh: pressure has a kink where fluids meet, and rises by ρ0 g below and above it. Sol09's forms mix the
//! two slopes, which changes the force on the heavy fluid by its own weight, but that on the light one by the weight of
//! the heavy one, many times its own: it is displaced until a gap is left. The weights are those of the pressure p
//! between two particles when both sides are to have the same acceleration, (p_i − p)/ρ0_i = (p − p_j)/ρ0_j.

use serde::{Deserialize, Serialize};

use crate::density::DensityMethod;
use crate::neighbors::{Block, Lanes, Pairs, Setting, Simd, Who};
use crate::real::Real;
use crate::world::World;
use crate::{each, sum};

/// How the pressures of two particles combine between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PairPressure {
    /// Each weighed by the other's density: fluids touch, however different their densities (Hu & Adams 2006). Where fluids
    /// mix, densities are less exact.
    #[default]
    DensityWeighted,
    /// Each with its own volume (Sol09 Eq. 4.12): a gap opens above a much heavier fluid.
    OwnVolumes,
    /// Both with both volumes (Sol09 Eq. 4.7).
    BothVolumes,
}

/// The weights of all pairs in a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blend {
    kind: Kind,
    /// ρ0, 1/ρ0 or φ of every particle of matter, by which weights are found; empty if all are 1.
    keys: Vec<Real>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// w_ij = 1.
    #[default]
    Equal,
    /// w_ij = 2 k_j/(k_i + k_j).
    Harmonic,
    /// w_ij = k_i/k_j.
    Ratio,
}

impl Blend {
    /// Looks at the world as it is now.
    pub(crate) fn set_up(&mut self, world: &World, form: PairPressure, density: DensityMethod) {
        let particles = &world.particles;
        // Solids carry stress, and have no pressure of their own that weights could spoil.
        let fluids = &particles.rest_density[world.kinds.flowing()];
        let is_mixed = fluids.windows(2).any(|pair| pair[0] != pair[1]);
        self.keys.clear();
        self.kind = match form {
            PairPressure::DensityWeighted if is_mixed => {
                self.keys.extend_from_slice(&particles.rest_density);
                Kind::Harmonic
            }
            PairPressure::OwnVolumes if is_mixed && density == DensityMethod::Masses => {
                self.keys.extend(particles.rest_density.iter().map(|density| 1.0 / density));
                Kind::Ratio
            }
            PairPressure::BothVolumes => {
                self.keys.extend(world.kinds.matter().map(|i| particles.compression(i)));
                self.keys.resize(particles.len(), 1.0);
                Kind::Ratio
            }
            PairPressure::DensityWeighted | PairPressure::OwnVolumes => Kind::Equal,
        };
    }

    /// Are all weights 1?
    pub(crate) fn is_equal(&self) -> bool {
        self.kind == Kind::Equal
    }

    /// The weights; all 1 if `EQUAL`.
    pub(crate) fn weights<const EQUAL: bool>(&self) -> Weights<'_, EQUAL> {
        Weights(self)
    }

    /// Walls are as dense as the fluids around them, each of which counts by its volume in `flowing`.
    pub(crate) fn set_up_walls(&mut self, world: &World, pairs: &Pairs, flowing: &[Real]) {
        if self.kind != Kind::Harmonic {
            return;
        }
        let rest_density = &world.particles.rest_density;
        each!(pairs, Who::Walls, &mut self.keys[world.kinds.walls()], |_b, near, key| {
            let (of_fluid, of_all) = sum!(near, |f| {
                let (density, fluid, all) = (f.get(rest_density), f.get(flowing) * f.w(), f.volume() * f.w());
                ((fluid * density, fluid), (all * density, all))
            });
            // Where only solids touch it, it is as dense as they are; where nothing does, any number will do.
            let (weighed, share) = if of_fluid.1 > 0.0 { of_fluid } else { of_all };
            *key = if share > 0.0 { weighed / share } else { 1.0 };
        });
    }
}

/// The weights of pairs, as a loop over neighbours sees them: if `EQUAL`, it is compiled for weights of 1.
#[derive(Clone, Copy)]
pub(crate) struct Weights<'a, const EQUAL: bool>(&'a Blend);

impl<const EQUAL: bool> Weights<'_, EQUAL> {
    /// w_ij and w_ji of particle `i` and its neighbours.
    #[inline(always)]
    pub(crate) fn of<S: Simd, K: Setting>(self, i: usize, j: &Block<'_, S, K>) -> [Lanes<S>; 2] {
        let Weights(Blend { kind, keys }) = self;
        if EQUAL || *kind == Kind::Equal {
            return [j.splat(1.0); 2];
        }
        let (own, other) = (j.splat(keys[i]), j.get(keys));
        if *kind == Kind::Ratio {
            return [own / other, other / own];
        }
        let scale = j.splat(2.0) / (own + other);
        [scale * other, scale * own]
    }

    /// w_ij P_i + w_ji P_j of particle `i` and its neighbours.
    #[inline(always)]
    pub(crate) fn pressure<S: Simd, K: Setting>(self, i: usize, j: &Block<'_, S, K>, scaled: &[Real]) -> Lanes<S> {
        let [own, other] = self.of(i, j);
        other * j.get(scaled) + own * scaled[i]
    }

    /// The mean of weights, by the sums of something weighed and of the same `plain`.
    #[inline(always)]
    pub(crate) fn mean(self, weighed: Real, plain: Real) -> Real {
        if !EQUAL && plain > 0.0 { weighed / plain } else { 1.0 }
    }
}

/// Runs a loop with the [`Weights`] of a [`Blend`], compiled once for weights of 1 and once for all others.
macro_rules! weigh {
    ($blend:expr, |$weights:ident| $work:expr) => {
        if $blend.is_equal() {
            let $weights = $blend.weights::<true>();
            $work
        } else {
            let $weights = $blend.weights::<false>();
            $work
        }
    };
}
pub(crate) use weigh;
