//! Densities from rest volumes.
//!
//! By summation, anew in every step:
//!
//! ```text
//! φ_i = Σ_j V0_j W_ij / φ_lattice   (the particle itself included),   ρ_i = ρ0_i φ_i
//! ```
//!
//! Volumes, not masses, are summed (Sol09 Eq. 4.4 to 4.6): a neighbour counts by the room it takes, whatever it
//! weighs and whether it is fluid, solid or wall. Dividing by the sum on the full lattice makes a lattice at
//! rest read φ = 1 exactly; masses stay ρ0 V0.
//!
//! At a free surface the sum misses neighbours. Fluids divide it by what it would be at rest as far from the surface
//! ([`Filling`](crate::Filling)): else first layers, which feel no pressure before they read 1, sink into those below. The corrected
//! density has no gradient of its own: pressures and rates of compression are those of the sum, so that what one layer gives the
//! other gets.
//!
//! Summing masses instead, ρ_i = Σ_j m_j W_ij / φ_lattice (Sol09 Eq. 2.13), is right for one fluid only: where two meet,
//! the heavy one reads too little and the light one too much, and they part. It is here for comparison.
//!
//! Particles that are bonded to each other in an elastic body count as at rest, whatever the body's deformation:
//! elasticity resists deformation, pressure resists contact.
//!
//! Or by the continuity equation (Sol09 Eq. 2.14), from the rest density on:
//!
//! ```text
//! dφ_i/dt = (1/φ_lattice) Σ_j V0_j w_ij (v_i − v_j)·∇W_ij
//! ```
//!
//! with the weights of pressures ([`Blend`]), 1 in one fluid and for walls: forces are then conservative.
//! It is integrated by the velocities that have moved the particles, of which the [integrator](crate::time) knows, and
//! gradients at half the way, x_ij(n+1) − ½ Δt v_ij. Free surfaces read their rest density, which a sum cannot; but errors add up,
//! and nothing brings a density back to the particles it should belong to.

use serde::{Deserialize, Serialize};

use crate::elasticity::Solids;
use crate::neighbors::{Pairs, Who, pack, row};
use crate::pressure::Moment;
use crate::pressure::blend::Blend;
use crate::real::{Real, Vec3};
use crate::rigid::RigidParticles;
use crate::stage::stage;
use crate::world::{Particles, World};
use crate::{each, exchange, sum};

/// How densities are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DensityMethod {
    /// By a sum over neighbours, anew in every step: never drifts, but reads low at free surfaces.
    #[default]
    Summation,
    /// By the sum over what it would be at rest as far from a free surface, as solvers that iterate do: right at free surfaces,
    /// and water at rest is quiet. With a state equation, bodies that plunge into water gain energy.
    Corrected,
    /// By the continuity equation, from the rest density on: right at free surfaces, but drifts.
    Continuity,
    /// By a sum of masses instead of volumes: fluids of different density repel each other. For comparison.
    Masses,
}

/// What a particle and those that it is tied to in its body add to its Σ V0 W, as at rest; none if it is tied to nobody.
pub(crate) fn share_at_rest<'a>(solids: &'a Solids, rigid: &'a RigidParticles) -> impl Fn(usize) -> Option<Real> + 'a {
    let bonded = solids.share.len();
    move |i| if i < bonded { Some(solids.share[i]) } else { rigid.share(i - bonded) }
}

/// Writes the density of all matter; of fluids, corrected at free surfaces if that is wanted. `sums` is memory.
pub(crate) fn compute_densities(world: &mut World, moment: &Moment<'_>, is_corrected: bool, sums: &mut Vec<[Real; 2]>) {
    stage!("densities");
    let (matter, flowing) = (world.kinds.matter(), world.kinds.flowing());
    let own_share = share_at_rest(&world.solids, &world.rigid);
    let Particles { density, filling, rest_density, .. } = &mut world.particles;
    let scale = 1.0 / moment.lattice_sum;
    moment.pairs.weigh(
        [&mut density[matter.clone()], &mut filling[matter]],
        (is_corrected, sums),
        |i, own, others, slope| {
            let sum = others + own_share(i).unwrap_or(own);
            let filling = if is_corrected && flowing.contains(&i) { moment.filling.of(sum, slope) } else { 1.0 };
            [rest_density[i] * (sum * scale / filling), filling]
        },
    );
}

/// Writes the density of all matter as for one fluid. A wall counts as filled with the particle's own matter.
pub(crate) fn sum_masses(world: &mut World, pairs: &Pairs, lattice_sum: Real) {
    stage!("densities");
    let (matter, own_share) = (world.kinds.matter(), share_at_rest(&world.solids, &world.rigid));
    let Particles { density, rest_density, .. } = &mut world.particles;
    let scale = 1.0 / lattice_sum;
    each!(pairs, Who::Matter, &mut density[matter], |i, near, density| {
        let own = own_share(i).unwrap_or_else(|| near.self_term());
        let walls = sum!(near.walls(), |b| b.volume() * b.w());
        let others = sum!(near.matter(), |j| j.volume() * j.w() * j.get(rest_density));
        *density = (others + rest_density[i] * (own + walls)) * scale;
    });
}

/// Carries the density of all matter through the step that has just moved it. `middle` is memory
/// for the velocities at half the step.
pub(crate) fn continue_densities(world: &mut World, moment: Moment<'_>, blend: &Blend, middle: &mut Vec<[Real; 4]>) {
    stage!("densities");
    let Moment { pairs, lattice_sum, elapsed: dt, .. } = moment;
    let matter = world.kinds.matter();
    let (half, motion) = (0.5 * dt, world.motion(dt));
    pack(middle, world.particles.len(), |i| row(motion.moved(world, i), 0.0));
    let Particles { density, rest_density, .. } = &mut world.particles;
    let (kernel, scale) = (*pairs.kernel(), dt / lattice_sum);
    let (middle, weights) = (&*middle, blend.weights::<false>());
    each!(pairs, Who::Matter, &mut density[matter], |i, near, density| {
        let [x, y, z, _] = middle[i];
        let home = Vec3::new(x, y, z);
        macro_rules! rate {
            ($j:ident) => {{
                let v_ij = $j.splat_vec(home) - $j.get_packed(middle).0;
                let x_ij = $j.x_ij() - v_ij * $j.splat(half);
                $j.volume() * kernel.slope_over_r(x_ij.dot(x_ij).sqrt()) * v_ij.dot(x_ij)
            }};
        }
        let rate = match blend.is_equal() {
            true => exchange!(near, |j| rate!(j)),
            false => {
                exchange!(near.walls(), |b| rate!(b)) + exchange!(near.matter(), |j| rate!(j) * weights.of(i, j)[0])
            }
        };
        *density += rest_density[i] * (rate * scale);
    });
}
