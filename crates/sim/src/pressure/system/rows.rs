//! What is known of particles before any pressure acts: the rows of the system.

use super::Aim;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::world::World;

/// The least diagonal, as a share of that in a full neighbourhood at rest: particles that hardly see each other cannot be
/// accelerated apart by a reasonable pressure.
pub(super) const LEAST_DIAGONAL: Real = 0.1;

/// The share of a solid's overlap with others that a step removes: a body that was displaced at once would fly.
const RECOVERY_OF_SOLIDS: Real = 0.1;

/// How fast compression is undone. In a step, however short, it would throw matter apart, which makes steps shorter still.
#[derive(Clone, Copy)]
pub(super) struct Recovery {
    /// How many spacings what is compressed may move apart in the time in which matter crosses one.
    pub(super) fastest: Real,
    /// The least share that a step undoes: matter that is not expected to move must come to rest too.
    pub(super) least: Real,
}

impl Recovery {
    /// The share of compression that is undone in a step in which matter crosses so many spacings.
    pub(super) fn share(self, spacings: Real) -> Real {
        (self.fastest * spacings).clamp(self.least, 1.0)
    }
}

pub(super) const RECOVERY_WITHOUT_WEIGHTS: Recovery = Recovery { fastest: 5.0, least: 0.1 };

/// With weights, who is compressed is not who gives way: light fluid that heavy fluid has caught would be shot out.
pub(super) const RECOVERY_WITH_WEIGHTS: Recovery = Recovery { fastest: 1.0, least: 0.03 };

/// Below this compression matter may still come closer: the solve for densities sees to it that it does not come too
/// close. A flat surface, where the sum misses neighbours, reads about 0.7.
const DIVERGENCE_FREE_ABOVE: Real = 0.99;

/// What is known of a particle of matter before any pressure acts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    /// g_i [1/m].
    pub(super) gradient: Vec3,
    /// −1/A_ii, nearly [Pa]; 0 for a particle without neighbours.
    pub(super) inverse_diagonal: Real,
    /// The source term: excess compression without pressure [-].
    pub(super) source_term: Real,
    /// s_i, the mean of its weights [-].
    pub(super) mean_weight: Real,
}

/// What is known of a wall particle before any pressure acts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WallRow {
    /// 1 / Σ V0_f W_bf; 0 far from matter.
    pub(super) inverse_weight: Real,
    /// The weight of the matter between it and the wall particle [Pa].
    pub(super) weight: Real,
    /// As much of it as the wall adds to the mean pressure around it, which it does not make negative [Pa].
    pub(super) carried: Real,
    /// Σ_f V0_f w_bf (v_b − v*_f)·∇W_bf [1/s].
    pub(super) rate: Real,
}

/// The compression beyond a reference, as far as a step is to undo it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Excess {
    /// The reference compression, above which there is excess [-].
    pub(super) reference: Real,
    /// The shares of it that the step undoes, of fluids and of solids [-].
    recovery: [Real; 2],
}

impl Excess {
    /// Of which the step undoes this share in fluids.
    pub(super) fn new(reference: Real, recovery: Real) -> Self {
        Excess { reference, recovery: [recovery, RECOVERY_OF_SOLIDS] }
    }

    /// If only a share of it is asked for.
    pub(super) fn times(self, share: Real) -> Self {
        Excess { recovery: self.recovery.map(|recovery| share * recovery), ..self }
    }

    /// Of particle `i` [-]; of what is less compressed than the reference, all that is missing.
    #[inline(always)]
    pub(super) fn of(self, world: &World, i: usize) -> Real {
        let compression = world.particles.compression(i);
        let (reference, recovery) = match world.kinds.solid().contains(&i) {
            true => (1.0, self.recovery[1]),
            false => (self.reference, self.recovery[0]),
        };
        (compression - reference).min(recovery * (compression - reference))
    }
}

/// What source terms are made of.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) aim: Aim,
    pub(super) excess: Excess,
    pub(super) per_lattice: Real,
}

impl Source {
    /// The source term of a particle that is compressed at this rate.
    #[inline(always)]
    pub(super) fn term(self, world: &World, i: usize, mean_weight: Real, rate: Real) -> Real {
        match self.aim {
            Aim::Density => mean_weight * self.excess.of(world, i) + self.per_lattice * rate,
            Aim::Divergence if world.particles.compression(i) > DIVERGENCE_FREE_ABOVE => self.per_lattice * rate,
            Aim::Divergence => -1.0,
        }
    }
}

/// What rows are made of.
pub(super) struct Start<'a> {
    pub(super) world: &'a World,
    pub(super) source: Source,
    pub(super) dt: Real,
    /// The least diagonal of a particle without density.
    pub(super) least: Real,
}

impl Start<'_> {
    /// The row of a particle from its sums: C_ii; g and spread; rate of compression.
    #[inline(always)]
    pub(super) fn row(
        &self,
        i: usize,
        mobility: Real,
        own: Vec3,
        (gradient, spread): (Vec3, Real),
        rate: Real,
        mean_weight: Real,
    ) -> Row {
        let total = own.dot(own) * mobility + self.world.particles.rest_volume[i] * spread;
        // What is clamped has no mobility, but a diagonal.
        let unclamped = if mobility > 0.0 { mobility } else { 1.0 / self.world.particles.rest_density[i] };
        let diagonal = self.dt * self.source.per_lattice * total.max(self.least * mean_weight.min(1.0) * unclamped);
        let inverse_diagonal = if total <= 0.0 { 0.0 } else { 1.0 / diagonal };
        let source_term = self.source.term(self.world, i, mean_weight, rate);
        Row { gradient, inverse_diagonal, source_term, mean_weight }
    }
}

/// The reference compression φ: 1, and where space repeats itself along all axes the mean, if that is more. Particles
/// in disorder read a little more than on a lattice; in a domain that they fill no pressure can change that, but it would
/// grow until they freeze.
pub(super) fn reference_compression(world: &World, partials: &mut Vec<f64>) -> Real {
    if !world.domain.repeats_along_all(world.dimension) {
        return 1.0;
    }
    let sum = reduce::sum(world.kinds.matter().len(), partials, |i| f64::from(world.particles.compression(i)));
    (sum / world.kinds.matter().len().max(1) as f64).max(1.0) as Real
}
