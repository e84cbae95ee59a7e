//! The system that implicit pressure solvers solve, in rest volumes, walls included.
//!
//! Velocities compress matter, and walls as particles like any other, at the rates
//!
//! ```text
//! (D v)_i = Σ_j V0_j w_ij (v_i − v_j)·∇W_ij       of matter; neighbours j are matter and walls
//! (D v)_b = Σ_f V0_f w_bf (v_b − v_f)·∇W_bf       of a wall particle; neighbours f are fluid
//! ```
//!
//! with the weights of a [`Blend`], which are 1 in one fluid. Pressures P = p/φ² accelerate by the pair formula of
//! [`pair_force`](super::pair_force), which is the transpose of that: with masses ρ0 V0,
//!
//! ```text
//! a_i = −(1/ρ0_i) Σ_j V0_j (w_ij P_i + w_ji P_j) ∇W_ij                      walls do not give way: a_b = 0
//! ```
//!
//! A wall particle has the mean pressure of the fluid around it and what carries the weight of the fluid between
//! (Adami 2012), P_b = (E P)_b + c_b:
//!
//! ```text
//! (E P)_b = Σ_f V0_f W_bf P_f / Σ_f V0_f W_bf,    c_b = Σ_f V0_f W_bf ρ_f (g − a_b)·(x_b − x_f) / Σ_f V0_f W_bf
//! ```
//!
//! So that pressures do the work that compression tells, what walls read of it is handed back to the fluid by the
//! transpose of E. The compression that is sought, of matter that without pressure would move with v*, is
//!
//! ```text
//! C = D_matter + V0⁻¹ Eᵀ V0 D_walls
//! s_i (φ_i − 1) + (Δt/φ_lattice) (C v*)_i + (A P)_i,    A P = (Δt²/φ_lattice) C a(P)
//! ```
//!
//! and −A, multiplied by V0, is C M⁻¹ Cᵀ: symmetric and not negative. (With a wall's compression left out it is neither,
//! and walls feed energy into what comes to rest at them.) c_b is fixed while pressures change, and not so negative
//! that it would make the first of them so. Sought is P ≥ 0 with a compression of 0 where P > 0, and at most 0 elsewhere. A sum of
//! densities has no weights: the excess it finds is to be undone by motions that count w_ij, so that it counts s_i, their
//! mean weighed by V0 |∇W|². Otherwise a heavy particle among light ones, which hardly count for it, would throw them apart.
//! The diagonal, which preconditions (and is that of IISPH, δ of PCISPH in Sol09 Eq. 3.7, α of DFSPH in Bender & Koschier
//! 2017), is
//!
//! ```text
//! A_ii = −(Δt²/φ_lattice) [ |g_i + h_i|²/ρ0_i + V0_i Σ_{j moves} V0_j w_ij² |∇W_ij|²/ρ0_j ]
//! g_i = Σ_j V0_j w_ij ∇W_ij,    h_i = Σ_b V0_b w_bi E_bi ∇W_ib
//! ```
//!
//! but for what neighbours share through walls (a third of it, at most). Sol09 takes δ from a full neighbourhood, for all
//! particles alike; fluids of different density need their own, and the reason given there (a particle with few
//! neighbours divides by too little) is met by a least value instead.
//!
//! What clamps hold does not give way either: its 1/ρ0 is zero. Bodies move as they respond ([`response`](crate::response)): in
//! the place of M⁻¹ is Â⁻¹, which is symmetric too. Of it the diagonal knows the mean over directions.
//!
//! Where particles fill a domain that repeats itself, φ − 1 is taken relative to its mean (`reference_compression`).
//!
//! Solids are not continued behind a wall: they touch it with some particles and not with others, each of which it must
//! push alone, or it pushes what is already leaving and adds energy. To them a wall has no pressure of its own, and it reads
//! nothing of their compression. Where weights are those of densities, a wall is as dense as what is around it. With weights of
//! 1 for walls, light fluid between a wall and heavy fluid would be squeezed by twice what its own pressure can answer.

mod products;
mod reaction;
mod rows;
mod smoothing;

use rows::{
    Excess, LEAST_DIAGONAL, RECOVERY_WITH_WEIGHTS, RECOVERY_WITHOUT_WEIGHTS, Row, Source, Start, WallRow,
    reference_compression,
};

use super::blend::{Blend, PairPressure, weigh};
use super::lattice::spread;
use crate::density::DensityMethod;
use crate::kernel::Kernel;
use crate::neighbors::{Pairs, Who, pack, pack_some, row};
use crate::real::{Real, Vec3};
use crate::response::BodyResponse;
use crate::solve::Unknown;
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

/// Which compression a solve is to remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Aim {
    /// All that there will be after the step: φ* − 1.
    #[default]
    Density,
    /// What velocities add in the step, where matter is dense already: φ* − φ.
    Divergence,
}

/// The system of one step, and memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    lattice_sum: Real,
    /// Σ V0² |∇W|² over a lattice at rest.
    lattice_spread: Real,
    pair_pressure: PairPressure,
    blend: Blend,
    dt: Real,
    aim: Aim,
    /// How many spacings matter crosses in a second [1/s].
    pace: Real,
    /// The compression that the step undoes, and the share of it that is asked for [-].
    excess: Excess,
    asking: Real,
    rows: Vec<Row>,
    wall_rows: Vec<WallRow>,
    /// Advected velocity, and the mobility: the inverse effective density of matter, 0 of walls.
    advected: Vec<[Real; 4]>,
    /// Position, and V0 P.
    pressing: Vec<[Real; 4]>,
    wall_pressure: Vec<Real>,
    wall_reading: Vec<Real>,
    /// Has no pressure acted yet since the system was set up?
    is_fresh: bool,
    /// V0 P of an earlier solve of the same step; none if empty.
    aside: Vec<Real>,
    /// V0 of fluids, 0 of solids and walls.
    flowing: Vec<Real>,
    /// V0 times the acceleration by the pressures of a trial, and V0. Of walls: zero, and V0_b/Σ V0 W times the rate at
    /// which they are compressed by it.
    accelerated: Vec<[Real; 4]>,
    /// The acceleration by the pressures that are found.
    found: Vec<Vec3>,
    /// The share of its mobility that each particle of solids has in its body.
    share: Vec<Real>,
    /// The accelerations of solids by the pressures of a trial, and by those that are found, were each particle alone.
    pushed: Vec<Vec3>,
    found_push: Vec<Vec3>,
    /// Those with which bodies move.
    answered: Vec<Vec3>,
    /// Accelerations with which a solve started, and those of solids were each particle alone.
    started: Vec<Vec3>,
    started_push: Vec<Vec3>,
    /// The same of another solve.
    elsewhere: [Vec<Vec3>; 2],
    /// Predicted position, and V0.
    predicted: Vec<[Real; 4]>,
    partials: Vec<f64>,
}

impl System {
    /// Of matter whose particles are `spacing` apart at rest.
    pub(super) fn new(kernel: &Kernel, spacing: Real, pair_pressure: PairPressure) -> Self {
        System {
            pair_pressure,
            lattice_sum: kernel.lattice_sum(spacing),
            lattice_spread: spread(kernel, spacing) as Real,
            ..System::default()
        }
    }

    /// Compression is undone as fast as suits matter that crosses so many spacings in a second.
    pub(super) fn expect(&mut self, pace: Real) {
        self.pace = pace;
    }

    /// The state before pressure acts, in a step of `dt` with the accelerations by everything else (none if empty).
    pub(super) fn set_up(
        &mut self,
        world: &World,
        pairs: &Pairs,
        (acceleration, response): (&[Vec3], &dyn BodyResponse),
        dt: Real,
        aim: Aim,
    ) {
        stage!("pressure system");
        (self.dt, self.aim) = (dt, aim);
        self.set_up_solids(world, response);
        self.advect(world, acceleration);
        let (particles, walls) = (&world.particles, world.kinds.walls());
        self.rows.resize(world.kinds.matter().len(), Row::default());
        // Where walls are stays as it is while pressures change.
        self.pressing.resize(particles.len(), [0.0; 4]);
        self.predicted.resize(particles.len(), [0.0; 4]);
        pack_some(&mut self.predicted[walls.clone()], walls.start, |b| {
            row(particles.position[b] + dt * particles.velocity[b], particles.rest_volume[b])
        });
        self.accelerated.resize(particles.len(), [0.0; 4]);
        // Memory for a second solve too, which comes when it must.
        let [elsewhere, _] = &mut self.elsewhere;
        for column in [&mut self.found, &mut self.started, elsewhere] {
            column.resize(world.kinds.matter().len(), Vec3::ZERO);
        }
        self.flowing.clear();
        self.flowing.resize(particles.len(), 0.0);
        let fluid = world.kinds.flowing();
        self.flowing[fluid.clone()].copy_from_slice(&particles.rest_volume[fluid]);
        self.blend.set_up(world, self.pair_pressure, DensityMethod::Summation);
        self.blend.set_up_walls(world, pairs, &self.flowing);
        let recovery = if self.is_weighted() { RECOVERY_WITH_WEIGHTS } else { RECOVERY_WITHOUT_WEIGHTS };
        let reference = reference_compression(world, &mut self.partials);
        self.excess = Excess::new(reference, recovery.share(self.pace * dt));
        self.asking = 1.0;
        self.set_up_walls(world, pairs);
        let source = self.source();
        let System { advected, rows, lattice_spread, blend, pressing, accelerated, .. } = self;
        let (advected, pressing, accelerated) = (&*advected, &*pressing, &*accelerated);
        let start = Start { world, source, dt, least: LEAST_DIAGONAL * *lattice_spread };
        let solid = world.kinds.solid();
        weigh!(blend, |weights| each!(pairs, Who::Matter, rows, |i, near, out| {
            let home = vector(advected[i]);
            let ((gradient, spread), (rate, (weighed, plain))) = exchange!(near, |j, slope| {
                let (velocity, mobility) = j.get_packed(advected);
                let [weight, _] = weights.of(i, j);
                let gradient = j.x_ij() * slope;
                let plain = gradient.dot(gradient) * j.volume();
                let (step, weighed) = (gradient * (j.volume() * weight), plain * weight);
                let rate = (j.splat_vec(home) - velocity).dot(step);
                ((step, weighed * weight * mobility), (rate, (weighed, plain)))
            });
            let (behind, read) = match solid.contains(&i) {
                true => (Vec3::ZERO, 0.0),
                false => (
                    exchange!(near.walls(), |b, slope| {
                        b.x_ij() * (slope * b.w() * b.get_packed(pressing).1 * weights.of(i, b)[1])
                    }),
                    sum!(near.walls(), |b| b.w() * b.get_packed(accelerated).1),
                ),
            };
            let behind = behind * particles.rest_volume[i];
            let mean_weight = weights.mean(weighed, plain);
            *out = start.row(i, advected[i][3], gradient + behind, (gradient, spread), rate + read, mean_weight);
        }));
    }

    /// Particles are where they were when velocities were looked at: now for densities, with these accelerations.
    pub(super) fn aim_at_density(&mut self, world: &World, pairs: &Pairs, acceleration: &[Vec3]) {
        stage!("pressure system");
        self.aim = Aim::Density;
        self.advect(world, acceleration);
        self.set_up_walls(world, pairs);
        let source = self.source();
        let (advected, accelerated, solid, blend) =
            (&self.advected, &self.accelerated, world.kinds.solid(), &self.blend);
        weigh!(blend, |weights| each!(pairs, Who::Matter, &mut self.rows, |i, near, row| {
            let home = vector(advected[i]);
            let rate = exchange!(near, |j, slope| {
                let apart = j.splat_vec(home) - j.get_packed(advected).0;
                apart.dot(j.x_ij()) * (slope * j.volume() * weights.of(i, j)[0])
            });
            let read = match solid.contains(&i) {
                true => 0.0,
                false => sum!(near.walls(), |b| b.w() * b.get_packed(accelerated).1),
            };
            row.source_term = source.term(world, i, row.mean_weight, rate + read);
        }));
    }

    /// What alone moves solids, and how much of that their bodies let each of them move.
    fn set_up_solids(&mut self, world: &World, response: &dyn BodyResponse) {
        let (solid, coherent) = (world.kinds.solid(), world.kinds.coherent());
        self.share.clear();
        self.share.extend(solid.clone().map(|i| if coherent.contains(&i) { response.share(world, i) } else { 1.0 }));
        self.pushed.resize(solid.len(), Vec3::ZERO);
        let [_, elsewhere] = &mut self.elsewhere;
        for column in [&mut self.found_push, &mut self.started_push, elsewhere] {
            column.resize(solid.len(), Vec3::ZERO);
        }
        self.answered.resize(coherent.len(), Vec3::ZERO);
    }

    /// Velocities without pressure, and mobilities (inverse effective densities).
    fn advect(&mut self, world: &World, acceleration: &[Vec3]) {
        let (particles, dt, share) = (&world.particles, self.dt, &self.share);
        pack(&mut self.advected, particles.len(), |i| {
            let gained = dt * acceleration.get(i).copied().unwrap_or(Vec3::ZERO);
            row(particles.velocity[i] + gained, world.mobility(i) * share.get(i).copied().unwrap_or(1.0))
        });
    }

    fn source(&self) -> Source {
        let &System { aim, dt, lattice_sum, .. } = self;
        Source { aim, excess: self.asked_excess(), per_lattice: dt / lattice_sum }
    }

    /// The excess compression that is to be undone, as far as it is asked for.
    fn asked_excess(&self) -> Excess {
        self.excess.times(self.asking)
    }

    /// Asks for a share of what was asked for, from the next aim on.
    pub(super) fn ask(&mut self, share: Real) {
        self.asking = share;
    }

    /// The share that is asked for.
    pub(super) fn asking(&self) -> Real {
        self.asking
    }

    /// E, the weight of matter between it and the walls, and the rates at which advected velocities compress walls.
    fn set_up_walls(&mut self, world: &World, pairs: &Pairs) {
        let (particles, gravity, walls) = (&world.particles, world.gravity, world.kinds.walls());
        self.wall_rows.resize(walls.len(), WallRow::default());
        self.wall_pressure.resize(walls.len(), 0.0);
        self.is_fresh = true;
        if world.kinds.flowing().is_empty() {
            // Solids tell walls nothing.
            self.wall_rows.fill(WallRow::default());
            self.wall_pressure.fill(0.0);
            pack_some(&mut self.pressing[walls.clone()], walls.start, |b| row(particles.position[b], 0.0));
            self.accelerated[walls].fill([0.0; 4]);
            return;
        }
        let (aim, asked, solid) = (self.aim, self.asked_excess(), world.kinds.solid());
        // A wall is as compressed as the fluid around it, if that is compressed: a free surface beside it is not.
        let excess = |i: usize| match aim {
            Aim::Density if !solid.contains(&i) => asked.of(world, i).max(0.0),
            _ => 0.0,
        };
        pack_some(&mut self.pressing[world.kinds.matter()], 0, |i| {
            row(particles.position[i], particles.rest_volume[i] * excess(i))
        });
        let per_excess = self.lattice_sum / self.dt;
        let System { flowing, advected, blend, wall_rows, pressing, .. } = self;
        let (flowing, advected, pressing) = (&*flowing, &*advected, &*pressing);
        weigh!(blend, |weights| each!(pairs, Who::Walls, wall_rows, |b, near, out| {
            let (pull, home) = (gravity - particles.acceleration[b], vector(advected[b]));
            let (share, (weight, excess)) = sum!(near, |f| {
                let share = f.get(flowing) * f.w();
                let weight = share * f.get(&particles.density) * f.splat_vec(pull).dot(f.x_ij());
                (share, (weight, f.get_packed(pressing).1 * f.w()))
            });
            let rate = exchange!(near, |f, slope| {
                let apart = f.splat_vec(home) - f.get_packed(advected).0;
                apart.dot(f.x_ij()) * (slope * f.get(flowing) * weights.of(b, f)[0])
            });
            let inverse_weight = if share > 0.0 { 1.0 / share } else { 0.0 };
            let rate = rate + per_excess * excess * inverse_weight;
            *out = WallRow { inverse_weight, weight: weight * inverse_weight, rate, carried: 0.0 };
        }));
        let (wall_rows, first) = (&self.wall_rows, walls.start);
        let share = |b: usize| particles.rest_volume[b] * wall_rows[b - first].inverse_weight;
        pack_some(&mut self.pressing[walls.clone()], first, |b| row(particles.position[b], share(b)));
        pack_some(&mut self.accelerated[walls], first, |b| row(Vec3::ZERO, share(b) * wall_rows[b - first].rate));
    }

    /// What an iteration must know of the pressure of particle `i`.
    pub(super) fn unknown(&self, i: usize) -> Unknown {
        Unknown { inverse_diagonal: self.rows[i].inverse_diagonal, weight: self.accelerated[i][3] }
    }

    /// The source term of particle `i`: its excess compression without pressure.
    pub(super) fn source_term(&self, i: usize) -> Real {
        self.rows[i].source_term
    }

    /// The share of its volume by which particle `i` is to expand in the step [-].
    pub(super) fn asked(&self, world: &World, i: usize) -> Real {
        match self.aim {
            Aim::Density => self.excess.of(world, i).max(0.0),
            Aim::Divergence => 0.0,
        }
    }

    /// The length of the step [s].
    pub(super) fn dt(&self) -> Real {
        self.dt
    }

    /// The velocity of particle `i` without pressure.
    pub(super) fn velocity(&self, i: usize) -> Vec3 {
        vector(self.advected[i])
    }

    /// The acceleration of particle `i` by the pressures that are found; of a particle in a body, that with which it moves.
    pub(super) fn acceleration(&self, i: usize) -> Vec3 {
        self.found[i]
    }

    /// The same, were the particle alone.
    pub(super) fn push(&self, i: usize) -> Vec3 {
        self.found_push.get(i).copied().unwrap_or_else(|| self.found[i])
    }

    /// Are there weights, so that a sum of densities does not see who gives way?
    pub(super) fn is_weighted(&self) -> bool {
        !self.blend.is_equal()
    }
}

/// The acceleration in a row of V0 a and V0.
fn acceleration(row: [Real; 4]) -> Vec3 {
    vector(row) * (1.0 / row[3])
}

/// The vector in a row.
fn vector([x, y, z, _]: [Real; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}

#[cfg(test)]
mod tests;
