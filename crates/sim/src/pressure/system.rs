//! The system that implicit pressure solvers solve, in rest volumes, walls included.
//!
//! Without pressure, matter would move with the advected velocities v* for the step Δt and be compressed to
//!
//! ```text
//! φ*_i = φ_i + (Δt/φ_lattice) Σ_j V0_j (v*_i − v*_j)·∇W_ij                  walls with their own velocities
//! ```
//!
//! Pressures P = p/φ² push (the pair formula of [`pair_force`](super::pair_force)) and change that by
//!
//! ```text
//! a_i = −(1/ρ0_i) Σ_j V0_j (P_i + P_j) ∇W_ij                                walls do not give way: a_b = 0
//! (A P)_i = (Δt²/φ_lattice) Σ_j V0_j (a_i − a_j)·∇W_ij
//! ```
//!
//! Sought is P ≥ 0 with φ* + A P = 1 where P > 0, and at most 1 elsewhere. −A is symmetric after a multiplication by V0
//! and not negative. Its diagonal, which IISPH, PCISPH (δ of Sol09 Eq. 3.7) and DFSPH (α of Bender & Koschier 2017)
//! divide by, is
//!
//! ```text
//! A_ii = −(Δt²/φ_lattice) [ g_i·G_i/ρ0_i + V0_i Σ_{j moves} V0_j |∇W_ij|²/ρ0_j ],    g_i = Σ_j V0_j ∇W_ij
//! ```
//!
//! with G_i = g_i + Σ_b V0_b ∇W_ib, as if wall particles had the particle's pressure; they have the mean of their
//! surroundings, which is less. Sol09 takes δ from a full neighbourhood, for all particles alike; fluids of different
//! density need their own, and the reason given there (a particle with few neighbours divides by too little) is met by
//! a least value instead.
//!
//! What clamps hold does not give way either, and an elastic body gives way less than its particles in contact would alone:
//! 1/ρ0 is zero for the former, and divided by the body's inertia for the latter (see
//! [`IncompressibleSolver`](super::incompressible)).
//!
//! Wall particles have the pressure of the fluid around them, each weighed by its volume, and its weight:
//! P_b = max(0, Σ_f V0_f W_bf (P_f + ρ_f (g − a_b)·(x_b − x_f)) / Σ_f V0_f W_bf) (Adami 2012). Solids are not continued
//! behind a wall: they touch it with some particles and not with others, each of which it must push alone, or it pushes
//! what is already leaving and adds energy. To them a wall has no pressure of its own: then A is symmetric.

use super::lattice::{relaxation, spread};
use crate::kernel::Kernel;
use crate::neighbors::{Pairs, Who, pack, row};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

/// The least diagonal, as a share of that in a full neighbourhood at rest: particles that hardly see each other cannot be
/// pushed apart by a reasonable pressure.
const LEAST_DIAGONAL: Real = 0.1;

/// The share of a solid's overlap with others that a step removes: a body that was pushed out at once would fly.
const RECOVERY: Real = 0.1;

/// Which compression a solve is to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// All that there will be after the step: φ* − 1.
    Density,
    /// What velocities add in the step, where matter is dense already: φ* − φ.
    Divergence,
}

/// Below this compression matter may still come closer: the solve for densities sees to it that it does not come too
/// close. A flat surface, where the sum misses neighbours, reads about 0.7.
const FULL: Real = 0.99;

/// What is known of a movable particle before any pressure acts.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// g_i [1/m].
    gradient: Vec3,
    /// −1/A_ii [Pa]; 0 for a particle without neighbours.
    inverse_diagonal: Real,
    /// Compression without pressure that is too much [-].
    excess: Real,
}

/// What is known of a wall particle before any pressure acts.
#[derive(Clone, Copy, Debug, Default)]
struct WallRow {
    /// 1 / Σ V0_f W_bf; 0 far from matter.
    inverse_weight: Real,
    /// The weight of the matter between it and the wall particle [Pa].
    weight: Real,
}

/// The system of one step, and memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    lattice_sum: Real,
    /// Σ V0² |∇W|² over a lattice at rest.
    lattice_spread: Real,
    relaxation: Real,
    dt: Real,
    rows: Vec<Row>,
    wall_rows: Vec<WallRow>,
    /// Advected velocity, and how easily a particle is pushed: 1/ρ0 of matter, 0 of walls.
    advected: Vec<[Real; 4]>,
    /// Position, and V0 P.
    pressing: Vec<[Real; 4]>,
    wall_pressure: Vec<Real>,
    /// V0 of fluids, 0 of solids and walls.
    flowing: Vec<Real>,
    /// V0 times the acceleration by pressure, and V0; zero for walls.
    pushed: Vec<[Real; 4]>,
    /// Predicted position, and V0.
    predicted: Vec<[Real; 4]>,
}

impl System {
    /// Of matter whose particles are `spacing` apart at rest.
    pub(super) fn new(kernel: &Kernel, spacing: Real) -> Self {
        System {
            lattice_sum: kernel.lattice_sum(spacing),
            lattice_spread: spread(kernel, spacing) as Real,
            relaxation: relaxation(kernel, spacing),
            ..System::default()
        }
    }

    /// The state before pressure acts, in a step of `dt` with the accelerations by everything else (none if empty).
    pub(super) fn set_up(&mut self, world: &World, pairs: &Pairs, acceleration: &[Vec3], dt: Real, aim: Aim) {
        stage!("pressure system");
        self.dt = dt;
        let (particles, movable) = (&world.particles, world.movable);
        let velocity = &particles.velocity;
        let heaviness = |i: usize| particles.rest_density[i] * world.inertia(i);
        pack(&mut self.advected, particles.len(), |i| match i < movable {
            true => {
                let softness = if particles.clamp[i] == 0 { 1.0 / heaviness(i) } else { 0.0 };
                row(velocity[i] + dt * acceleration.get(i).copied().unwrap_or(Vec3::ZERO), softness)
            }
            false => row(velocity[i], 0.0),
        });
        self.rows.resize(movable, Row::default());
        self.pressing.resize(particles.len(), [0.0; 4]);
        self.pushed.resize(particles.len(), [0.0; 4]);
        // Walls are behind matter, and matter may have become more or less.
        self.pushed[movable..].fill([0.0; 4]);
        let System { advected, rows, lattice_sum, lattice_spread, .. } = self;
        let advected = &*advected;
        let (per_lattice, least) = (dt / *lattice_sum, LEAST_DIAGONAL * *lattice_spread);
        let elastic = world.solids.len();
        each!(pairs, Who::Movable, rows, |i, near, out| {
            let [x, y, z, softness] = advected[i];
            let home = Vec3::new(x, y, z);
            let ((gradient, spread), rate) = exchange!(near, |j| {
                let (velocity, softness) = j.get_packed(advected);
                let (slope, volume) = (j.grad_w(), j.volume());
                let step = slope * volume;
                ((step, slope.dot(slope) * volume * softness), (j.splat_vec(home) - velocity).dot(step))
            });
            let is_fluid = i >= elastic;
            let behind = if is_fluid { exchange!(near.walls(), |b| b.grad_w() * b.volume()) } else { Vec3::ZERO };
            // Between a wall and matter that presses on it the two may nearly cancel: never less than without the wall.
            let own = gradient.dot(gradient + behind).max(gradient.dot(gradient));
            let total = own * softness + particles.rest_volume[i] * spread;
            let excess = match aim {
                Aim::Density => particles.compression(i) - allowed(world, i) + per_lattice * rate,
                Aim::Divergence if particles.compression(i) > FULL => per_lattice * rate,
                Aim::Divergence => -1.0,
            };
            let diagonal = dt * per_lattice * total.max(least / heaviness(i));
            let is_alone = total <= 0.0;
            *out = Row { gradient, inverse_diagonal: if is_alone { 0.0 } else { 1.0 / diagonal }, excess };
        });
        self.set_up_walls(world, pairs, aim);
    }

    fn set_up_walls(&mut self, world: &World, pairs: &Pairs, aim: Aim) {
        let (particles, gravity) = (&world.particles, world.gravity);
        self.wall_rows.resize(world.walls(), WallRow::default());
        self.wall_pressure.resize(world.walls(), 0.0);
        self.flowing.clear();
        self.flowing.resize(particles.len(), 0.0);
        let fluid = world.solids.len()..world.movable;
        self.flowing[fluid.clone()].copy_from_slice(&particles.rest_volume[fluid]);
        let flowing = &self.flowing;
        each!(pairs, Who::Walls, &mut self.wall_rows, |b, near, out| {
            let pull = gravity - particles.acceleration[b];
            let (share, weight) = sum!(near, |f| {
                let share = f.get(flowing) * f.w();
                (share, share * f.get(&particles.density) * f.splat_vec(pull).dot(f.x_ij()))
            });
            let inverse_weight = if share > 0.0 { 1.0 / share } else { 0.0 };
            // What stops velocities carries no weight.
            let weight = if aim == Aim::Density { weight * inverse_weight } else { 0.0 };
            *out = WallRow { inverse_weight, weight };
        });
    }

    /// The pressures P of the last push, smoothed over the neighbourhood along the slope that the accelerations tell.
    ///
    /// Pressures that alternate from particle to particle push nobody, so no iteration would ever remove them, and
    /// taken along from step to step they would grow.
    pub(super) fn smooth(&self, world: &World, pairs: &Pairs, acceleration: &[Vec3], smoothed: &mut [Real]) {
        stage!("pressure smoothing");
        let (particles, pressing, gravity) = (&world.particles, &self.pressing, world.gravity);
        let elastic = world.solids.len();
        each!(pairs, Who::Movable, smoothed, |i, near, smoothed| {
            let pressure = pressing[i][3] / particles.rest_volume[i];
            if i < elastic {
                // What carries a solid is stress: its pressures have no slope to go by.
                *smoothed = pressure;
                return;
            }
            let ((pressures, offset), weights) = sum!(near.matter(), |j| {
                let (weight, volume) = (j.w(), j.volume());
                ((weight * j.get_packed(pressing).1, j.x_ij() * (weight * volume)), weight * volume)
            });
            let own = near.self_term();
            let slope = (gravity - acceleration[i]) * particles.density[i];
            *smoothed = ((pressures + own * pressure + slope.dot(offset)) / (weights + own)).max(0.0);
        });
    }

    /// The accelerations that these pressures P give, of matter and through walls.
    pub(super) fn push(&mut self, world: &World, pairs: &Pairs, pressure: &[Real]) {
        let (particles, movable, elastic) = (&world.particles, world.movable, world.solids.len());
        let System { pressing, wall_rows, wall_pressure, rows, pushed, advected, .. } = self;
        {
            stage!("pressure walls");
            let share = |i: usize| pressure.get(i).map_or(0.0, |p| particles.rest_volume[i] * p);
            // Solids tell walls nothing.
            pack(pressing, particles.len(), |i| row(particles.position[i], if i < elastic { 0.0 } else { share(i) }));
            each!(pairs, Who::Walls, wall_pressure, |b, near, p_b| {
                let WallRow { inverse_weight, weight } = wall_rows[b - movable];
                let sum = sum!(near.among(pressing, pressing[b]), |f| f.volume() * f.w());
                *p_b = (sum * inverse_weight + weight).max(0.0);
            });
            let walls = pressing[movable..].iter_mut().zip(&*wall_pressure).zip(&particles.rest_volume[movable..]);
            walls.for_each(|((row, p_b), volume)| row[3] = volume * p_b);
            pressing[..elastic].iter_mut().enumerate().for_each(|(i, row)| row[3] = share(i));
        }
        stage!("pressure push");
        let pressing = &*pressing;
        each!(pairs, Who::Movable, &mut pushed[..movable], |i, near, out| {
            let near = near.among(pressing, pressing[i]);
            let near = if i < elastic { near.matter() } else { near };
            let push = exchange!(near, |j| j.grad_w() * j.volume());
            let (volume, softness) = (particles.rest_volume[i], advected[i][3]);
            *out = row((push + rows[i].gradient * pressure[i]) * (-softness * volume), volume);
        });
    }

    /// The compression that is left after the last push, to first order in the step: φ* + A P − 1.
    pub(super) fn compression_to_first_order(&self, pairs: &Pairs, excess: &mut [Real]) {
        stage!("pressure product");
        let System { rows, pushed, dt, lattice_sum, .. } = self;
        let scale = dt * dt / lattice_sum;
        each!(pairs, Who::Movable, excess, |i, near, out| {
            let Row { gradient, excess, .. } = rows[i];
            // Walls do not give way.
            let others = exchange!(near.matter(), |j| j.get_packed(pushed).0.dot(j.grad_w()));
            *out = excess + scale * (acceleration(pushed[i]).dot(gradient) - others);
        });
    }

    /// The same with densities summed at the positions to which the last push takes all particles.
    pub(super) fn compression_after_moving(&mut self, world: &World, pairs: &Pairs, excess: &mut [Real]) {
        stage!("pressure prediction");
        let System { pushed, advected, predicted, dt, lattice_sum, .. } = self;
        let (particles, dt) = (&world.particles, *dt);
        pack(predicted, particles.len(), |i| {
            let [x, y, z, _] = advected[i];
            // Walls are not pushed, and the volume of what was not is zero.
            let push = if i < world.movable { acceleration(pushed[i]) } else { Vec3::ZERO };
            row(particles.position[i] + dt * (Vec3::new(x, y, z) + dt * push), particles.rest_volume[i])
        });
        let (predicted, scale, share) = (&*predicted, 1.0 / *lattice_sum, &world.solids.share);
        each!(pairs, Who::Movable, excess, |i, near, out| {
            let near = near.among(predicted, predicted[i]);
            // What is bonded counts as at rest.
            let own = share.get(i).copied().unwrap_or_else(|| near.self_term());
            *out = (sum!(near, |j| j.volume() * j.w()) + own) * scale - allowed(world, i);
        });
    }

    /// The change of pressure P that removes a compression from particle `i` alone, relaxed.
    pub(super) fn remedy(&self, i: usize, excess: Real) -> Real {
        self.relaxation * self.rows[i].inverse_diagonal * excess
    }

    /// What is left to do for particle `i` when its pressure is P and its compression too large by `excess`: that, or the
    /// expansion which its pressure could still undo.
    pub(super) fn open(&self, i: usize, pressure: Real, excess: Real) -> Real {
        let remedy = self.remedy(i, 1.0);
        if remedy > 0.0 { excess.max(-pressure / remedy) } else { 0.0 }
    }

    /// What a pressure weighs in a sum over particles, so that those of unequal volume and density can be compared.
    pub(super) fn weight(&self, i: usize) -> Real {
        let Row { inverse_diagonal, .. } = self.rows[i];
        if inverse_diagonal > 0.0 { self.pushed[i][3] / inverse_diagonal } else { 0.0 }
    }

    /// The compression of particle `i` that is too much, without pressure.
    pub(super) fn excess(&self, i: usize) -> Real {
        self.rows[i].excess
    }

    /// By how much the last push accelerates particle `i`, as heavy as its inertia makes it.
    pub(super) fn acceleration(&self, i: usize) -> Vec3 {
        acceleration(self.pushed[i])
    }

    /// Pressures of wall particles in the last push.
    pub(super) fn wall_pressures(&self) -> &[Real] {
        &self.wall_pressure
    }
}

/// The compression that particle `i` may have after the step: that at rest, or what a solid still has to lose.
fn allowed(world: &World, i: usize) -> Real {
    let overlap = world.particles.compression(i) - 1.0;
    if i < world.solids.len() { 1.0 + (1.0 - RECOVERY) * overlap.max(0.0) } else { 1.0 }
}

/// The acceleration in a row of V0 a and V0.
fn acceleration([x, y, z, volume]: [Real; 4]) -> Vec3 {
    Vec3::new(x, y, z) / volume
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Simulation;
    use crate::simulation::test_worlds::three_particles;

    const DT: Real = 1e-3;
    const PRESSURE: [Real; 3] = [300.0, 500.0, 200.0];

    fn system(simulation: &Simulation, dt: Real) -> System {
        let mut system = System::new(simulation.pairs().kernel(), simulation.world().spacing);
        let push = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.0, 1.0), Vec3::ZERO];
        system.set_up(simulation.world(), simulation.pairs(), &push, dt, Aim::Density);
        system
    }

    /// φ* + A P − 1 of all particles.
    fn compressions(simulation: &Simulation, system: &mut System, pressure: [Real; 3]) -> [Real; 3] {
        let mut excess = [0.0; 3];
        system.push(simulation.world(), simulation.pairs(), &pressure);
        system.compression_to_first_order(simulation.pairs(), &mut excess);
        excess
    }

    /// Column k of A: what a unit pressure of particle k does to all.
    fn column(simulation: &Simulation, k: usize) -> [Real; 3] {
        let mut system = system(simulation, DT);
        let mut unit = [0.0; 3];
        unit[k] = 1e4;
        let (with, without) =
            (compressions(simulation, &mut system, unit), compressions(simulation, &mut system, [0.0; 3]));
        [0, 1, 2].map(|i| (with[i] - without[i]) / 1e4)
    }

    #[test]
    fn the_product_is_the_change_of_densities_when_particles_move() {
        let simulation = three_particles();
        for pressure in [[0.0; 3], PRESSURE.map(|p| 10.0 * p)] {
            let mut system = system(&simulation, DT);
            let predicted = compressions(&simulation, &mut system, pressure);
            let mut moved = [0.0; 3];
            system.compression_after_moving(simulation.world(), simulation.pairs(), &mut moved);
            for i in 0..3 {
                let change = predicted[i] - (simulation.particles().compression(i) - 1.0);
                let found = moved[i] - (simulation.particles().compression(i) - 1.0);
                assert!((change - found).abs() < 0.05 * found.abs(), "{pressure:?} {i}: {change} {found}");
            }
        }
    }

    #[test]
    fn the_system_is_symmetric_in_volumes_and_its_diagonal_is_the_one_divided_by() {
        let simulation = three_particles();
        let system = system(&simulation, DT);
        let particles = simulation.particles();
        let matrix = [0, 1, 2].map(|k| column(&simulation, k));
        let entry = |i: usize, j: usize| matrix[j][i] * particles.rest_volume[i];
        for i in 0..3 {
            for j in 0..i {
                let (a, b) = (entry(i, j), entry(j, i));
                assert!((a - b).abs() < 1e-3 * a.abs().max(b.abs()), "{i} {j}: {a} {b}");
            }
            let (found, used) = (entry(i, i), -particles.rest_volume[i] / system.rows[i].inverse_diagonal);
            assert!(found < 0.0 && (found / used - 1.0).abs() < 1e-3, "{i}: {found} {used}");
        }
    }

    /// A_ii worked from its formula.
    #[test]
    fn the_diagonal_is_that_worked_by_hand() {
        let simulation = three_particles();
        let (particles, kernel) = (simulation.particles(), simulation.pairs().kernel());
        let system = system(&simulation, DT);
        for i in 0..3 {
            let (mut sum, mut spread) = (Vec3::ZERO, 0.0);
            for j in (0..3).filter(|&j| j != i) {
                let slope = kernel.gradient(particles.position[i] - particles.position[j]);
                sum += particles.rest_volume[j] * slope;
                spread += particles.rest_volume[j] * slope.length_squared() / particles.rest_density[j];
            }
            let total = sum.length_squared() / particles.rest_density[i] + particles.rest_volume[i] * spread;
            let by_hand = DT * DT / simulation.lattice_sum() * total;
            let used = 1.0 / system.rows[i].inverse_diagonal;
            assert!((used / by_hand - 1.0).abs() < 1e-4, "{i}: {used} {by_hand}");
        }
    }

    #[test]
    fn pushes_cancel() {
        let simulation = three_particles();
        let mut system = system(&simulation, DT);
        system.push(simulation.world(), simulation.pairs(), &PRESSURE);
        let force = |i: usize| system.acceleration(i) * simulation.particles().mass(i);
        let total = force(0) + force(1) + force(2);
        assert!(total.length() < 1e-5 * force(0).length(), "{total}");
    }
}
