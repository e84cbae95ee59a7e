//! The balance of energy: what matter has, what it was given, and what came from nowhere.
//!
//! ```text
//! E = Σ ½ m v² − Σ m g·x + Σ V0 e(φ) + Σ V0 ½ ε:σ        motion, height, compression, deformation
//! W = ∫ P dt                                             work of moving walls, moving clamps, loads and fields
//! ```
//!
//! Friction and inelastic contact only take energy, so that U = E − W never rises. What it has risen by since it was lowest came
//! from nowhere. It is measured by what was turned over: the most that there was of motion, and the differences between the most
//! and the least that there was of each other form, and of work. A world in which hardly anything happens is measured by what it
//! takes to lift all of its matter by a spacing: below, particles that find their places tell more than physics.
//!
//! The energy of deformation takes a loop over bonds, and the others one over particles, so that a balance is drawn up only every
//! [`STEPS_WITH_EXPLICIT_SOLIDS`] or [`STEPS`] steps; work is added up in every step. Velocities of solvers that iterate are half
//! a step old ([`integrator`](crate::time)): heights are those of that moment, or a body would seem to lose energy when it falls,
//! and to gain it when it rises. Gravity along an axis that repeats itself has no potential; it does work.
//! Solvers that iterate, and contact without pressure, have no energy of compression: what it would be counts as lost, and as a
//! gain when it comes back. Whatever programs change between steps (bodies that come and go, matter that becomes of another kind)
//! starts a new balance: it counts as given. Melting and freezing does not: what is stored in bonds that are dropped becomes heat,
//! which has left the balance, and what new bonds store has come from nowhere.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::elasticity::{DeformationEnergies, Law, Reactions};
use crate::neighbors::Pairs;
use crate::pressure::PressureSolver;
use crate::real::{Real, Vec3, wide};
use crate::reduce::{self, Sum};
use crate::simulation::Simulation;
use crate::stage::stage;
use crate::time::Integrator;
use crate::world::{RigidBody, World};

/// Steps from one balance to the next. More often it costs more than a hundredth of the steps; less often an explosion in long
/// steps is noticed late.
const STEPS: u64 = 20;

/// The same where steps are short and a loop over bonds is a good part of each.
const STEPS_WITH_EXPLICIT_SOLIDS: u64 = 100;

/// What cannot be told from rounding errors, which velocities have in single precision: a share of the energy that matter has.
const RESOLUTION: f64 = 1e-4;

/// The forms that energy takes [J].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of height in gravity, zero at the origin.
    pub potential: f64,
    /// Of compression.
    pub compression: f64,
    /// Of elastic deformation.
    pub deformation: f64,
}

impl Energies {
    /// All of it.
    pub fn sum(&self) -> f64 {
        self.kinetic + self.potential + self.compression + self.deformation
    }

    fn with(self, other: Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Energies {
            kinetic: combine(self.kinetic, other.kinetic),
            potential: combine(self.potential, other.potential),
            compression: combine(self.compression, other.compression),
            deformation: combine(self.deformation, other.deformation),
        }
    }
}

impl Sum for Energies {
    fn plus(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

/// A balance of energy of all matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyBalance {
    /// The step after which it was drawn up.
    pub step: u64,
    /// What there was then [J].
    pub energies: Energies,
    /// What moving walls, moving clamps, loads and fields have given since the watch began [J].
    pub work: f64,
    /// What has come from nowhere: how much energy less work has risen since it was lowest [J].
    pub gained: f64,
    /// What was turned over [J].
    pub turned_over: f64,
    /// It must be started anew before the next step.
    is_due: bool,
    /// Has a wall been moved by the caller?
    walls_move: bool,
    /// Work up to now [J], and the power that was given in the last step [W].
    given: f64,
    power: f64,
    /// What was carried over from balances before, and the least that energy less work has been since [J].
    carried: f64,
    least: f64,
    /// The least and the most that there was of each form [J], and of work.
    fewest: Energies,
    most: Energies,
    worked: [f64; 2],
    /// What it takes to lift all matter by a spacing [J].
    lift: f64,
}

impl EnergyBalance {
    /// The gain that a run should warn of [-]. Right scenes gain up to 0.1 (docs/energy.md).
    pub const WARNS: f64 = 0.15;

    /// The gain that a run should not go on with [-]: more has come from nowhere than from anywhere.
    pub const STOPS: f64 = 0.5;

    /// What came from nowhere, as a share of what was turned over [-].
    pub fn gain(&self) -> f64 {
        if self.gained > 0.0 { self.gained / self.turned_over.max(f64::MIN_POSITIVE) } else { 0.0 }
    }

    /// Matter with such an energy has come [J], or gone if it is negative: it is given like work.
    pub(crate) fn admit(&mut self, energy: f64) {
        self.given += energy;
    }

    /// Begins again with what there is now: nobody has gained from the change.
    fn begin(&mut self, energies: Energies, step: u64, lift: f64) {
        let change = energies.with(self.energies, |now, before| now - before);
        (self.fewest, self.most) = (self.fewest.plus(change), self.most.plus(change));
        self.carried += self.energies.sum() - self.work - (energies.sum() - self.given);
        (self.is_due, self.lift) = (false, lift);
        self.draw_up(energies, step);
    }

    /// So much has become heat.
    pub(crate) fn less_heat(self, heat: f64) -> Self {
        EnergyBalance { given: self.given - heat, ..self }
    }

    fn draw_up(&mut self, energies: Energies, step: u64) {
        (self.step, self.energies, self.work) = (step, energies, self.given);
        self.fewest = self.fewest.with(energies, f64::min);
        self.most = self.most.with(energies, f64::max);
        let [low, high] = self.worked;
        self.worked = [low.min(self.work), high.max(self.work)];
        let own = self.carried + energies.sum() - self.work;
        self.least = self.least.min(own);
        self.gained = own - self.least;
        let fewest = Energies { kinetic: 0.0, ..self.fewest };
        let ranges = self.most.with(fewest, |most, fewest| most - fewest);
        let least = self.lift.max(RESOLUTION * (energies.kinetic + energies.compression + energies.deformation));
        self.turned_over = (ranges.sum() + (self.worked[1] - self.worked[0])).max(least);
    }
}

/// Memory for a balance, and what is known of the power of this step.
#[derive(Debug, Default)]
pub(crate) struct EnergyScratch {
    /// What fields, walls and clamps give in the step [W].
    pub(crate) power: f64,
    /// What walls give to those who are put back [J].
    pub(crate) blow: f64,
    deformation: DeformationEnergies,
    reactions: Reactions,
    partials: Vec<Energies>,
    flows: Vec<f64>,
}

impl Simulation {
    /// Draws up balances of energy from now on.
    pub fn watch_energy(&mut self) {
        if self.world.memory.energy.is_none() {
            self.world.memory.energy = Some(EnergyBalance { is_due: true, ..EnergyBalance::default() });
        }
    }

    /// The last balance of energy, if energy is watched.
    pub fn energy(&self) -> Option<&EnergyBalance> {
        self.world.memory.energy.as_ref()
    }

    /// A wall is moved by the caller: from now on it may do work.
    pub(crate) fn wall_moves(&mut self) {
        if let Some(balance) = &mut self.world.memory.energy {
            balance.walls_move = true;
        }
    }

    /// Matter was changed: a new balance must be started.
    pub(crate) fn energy_is_given(&mut self) {
        if let Some(balance) = &mut self.world.memory.energy {
            balance.is_due = true;
        }
    }

    /// A new balance must be started if something was changed since the last step.
    pub(crate) fn energy_is_due(&mut self) {
        if let Some(balance) = &mut self.world.memory.energy {
            balance.is_due |= self.changed;
        }
    }

    /// Starts a new balance before a step of `dt`, if one is due.
    pub(crate) fn begin_balance(&mut self, dt: Real) {
        if let Some(mut balance) = self.world.memory.energy.filter(|balance| balance.is_due) {
            let (step, lift) = (self.world.clock.step, lift(&self.world));
            let walls = &self.world.particles.velocity[self.world.kinds.walls()];
            balance.walls_move |= walls.iter().any(|velocity| *velocity != Vec3::ZERO);
            balance.begin(self.energies(dt), step, lift);
            self.world.memory.energy = Some(balance);
        }
    }

    /// Enters the work of a step of `dt`, which has succeeded.
    pub(crate) fn enter_work(&mut self, dt: Real) {
        let Some(mut balance) = self.world.memory.energy else { return };
        let Simulation { world, scratch, .. } = self;
        let energy = &mut scratch.energy;
        let integrator = world.motion(dt).integrator;
        let (dt, last_dt) = (f64::from(dt), f64::from(world.clock.last_dt));
        let late = if integrator == Integrator::Leapfrog { 0.5 * last_dt } else { 0.0 };
        balance.given += dt * energy.power + late * (energy.power - balance.power) + energy.blow;
        balance.given +=
            dt * (power_of_loads(world, dt as Real) + power_of_gravity(world, dt as Real, &mut energy.flows));
        balance.power = energy.power;
        world.memory.energy = Some(balance);
    }

    /// Draws up a balance if it is time for one.
    pub(crate) fn draw_up_balance(&mut self) {
        let is_short = self.world.solids.any(|law: &Law| !law.is_implicit());
        let every = if is_short { STEPS_WITH_EXPLICIT_SOLIDS } else { STEPS };
        let step = self.world.clock.step;
        if let Some(mut balance) = self.world.memory.energy.filter(|_| step.is_multiple_of(every)) {
            balance.draw_up(self.energies(self.world.clock.last_dt), step);
            self.world.memory.energy = Some(balance);
        }
    }

    /// What there is now, between steps of `dt`.
    fn energies(&mut self, dt: Real) -> Energies {
        stage!("energy");
        let Simulation { world, pairs, models, scratch, lattice_sum, .. } = self;
        let EnergyScratch { deformation, partials, .. } = &mut scratch.energy;
        let deformations = deformation.find(world, pairs);
        let of = |i: usize| Energies {
            deformation: deformations.get(i).copied().map_or(0.0, f64::from),
            ..energies_of(world, &*models.pressure, f64::from(*lattice_sum), (i, dt))
        };
        let gravity = wide(world.gravity_with_potential());
        let age = if world.motion(dt).integrator == Integrator::Leapfrog { 0.0 } else { 0.5 * f64::from(dt) };
        let of_rigid_body = |rigid: &RigidBody| Energies {
            kinetic: rigid.kinetic_energy(world.dimension),
            potential: -rigid.mass * gravity.dot(rigid.centre - age * rigid.velocity),
            ..Energies::default()
        };
        let of_bodies = world.rigid_bodies().map(of_rigid_body).fold(Energies::default(), Energies::plus);
        reduce::sum(world.kinds.matter().len(), partials, of).plus(of_bodies)
    }

    /// What particle `i` has, between steps of `dt`, but for deformation.
    pub(crate) fn energies_of(&self, i: usize, dt: Real) -> Energies {
        energies_of(&self.world, &*self.models.pressure, f64::from(self.lattice_sum), (i, dt))
    }
}

fn energies_of(world: &World, pressure: &dyn PressureSolver, lattice_sum: f64, (i, dt): (usize, Real)) -> Energies {
    let particles = &world.particles;
    let is_rigid = world.has_rigid_state(i);
    let mass = f64::from(particles.mass(i));
    let age = f64::from(world.motion(dt).age(world, i));
    let velocity = wide(particles.velocity[i]);
    let position = wide(particles.position[i]) + wide(particles.remainder[i]) - age * velocity;
    let phi = f64::from(particles.compression(i));
    let compression = pressure.energy_density(world, phi, f64::from(particles.rest_density[i]));
    Energies {
        // What a clamp moves has the velocity of its path, whatever that takes.
        kinetic: if is_rigid || particles.clamp[i] > 0 { 0.0 } else { 0.5 * mass * velocity.length_squared() },
        potential: if is_rigid { 0.0 } else { -mass * wide(world.gravity_with_potential()).dot(position) },
        compression: lattice_sum * f64::from(particles.rest_volume[i] * particles.filling[i]) * compression,
        deformation: 0.0,
    }
}

/// What it takes to lift all matter by a spacing [J].
fn lift(world: &World) -> f64 {
    let gravity = f64::from(world.gravity_with_potential().length());
    let mass = reduce::sum(world.kinds.matter().len(), &mut Vec::new(), |i| f64::from(world.particles.mass(i)));
    mass * gravity * f64::from(world.spacing)
}

/// The velocity of particle `i` in the middle of a step that was just made: what moved it, or what changed its kinetic energy.
fn middle(world: &World, i: usize, dt: Real) -> DVec3 {
    wide(world.particles.velocity[i] - 0.5 * dt * world.particles.acceleration[i])
}

/// What loads gave in a step that was just made [W].
fn power_of_loads(world: &World, dt: Real) -> f64 {
    let loads = world.bodies.iter().filter(|body| !body.is_removed).flat_map(|body| &body.loads);
    loads
        .map(|load| {
            let force = wide(load.force_at(world));
            load.shares
                .iter()
                .map(|&(i, share)| f64::from(share) * force.dot(middle(world, i as usize, dt)))
                .sum::<f64>()
        })
        .sum()
}

/// What gravity gave along axes that repeat themselves, in a step that was just made [W].
fn power_of_gravity(world: &World, dt: Real, partials: &mut Vec<f64>) -> f64 {
    let gravity = wide(world.gravity - world.gravity_with_potential());
    if gravity == DVec3::ZERO {
        return 0.0;
    }
    let power = |i: usize| f64::from(world.particles.mass(i)) * gravity.dot(middle(world, i, dt));
    reduce::sum(world.kinds.matter().len(), partials, power)
}

impl World {
    /// Is energy watched while walls may move, so that their forces must be known?
    pub(crate) fn watches_moving_walls(&self) -> bool {
        let is_watched = |balance: &EnergyBalance| {
            balance.walls_move || !self.emitters.is_empty() || self.bodies.iter().any(|body| body.path.is_some())
        };
        self.memory.energy.as_ref().is_some_and(is_watched)
    }

    /// Is energy watched while clamps move?
    pub(crate) fn watches_moving_clamps(&self) -> bool {
        let moves = || self.bodies.iter().flat_map(|body| &body.clamps).any(|clamp| clamp.path.is_some());
        self.memory.energy.is_some() && moves()
    }

    /// Gravity along the axes that do not repeat themselves.
    pub(crate) fn gravity_with_potential(&self) -> Vec3 {
        Vec3::select(self.domain.length().cmpgt(Vec3::ZERO), Vec3::ZERO, self.gravity)
    }

    /// What it takes to move particles along with their clamps where they are accelerated so [W].
    pub(crate) fn power_at_clamps(&self, acceleration: &[Vec3]) -> f64 {
        let particles = &self.particles;
        let held = (0..acceleration.len()).filter(|&i| particles.clamp[i] > 0);
        held.map(|i| -f64::from(particles.mass(i)) * wide(acceleration[i]).dot(wide(particles.velocity[i]))).sum()
    }
}

impl EnergyScratch {
    /// Forgets the step before.
    pub(crate) fn clear(&mut self) {
        (self.power, self.blow) = (0.0, 0.0);
    }

    /// Enters what moving clamps give against forces that accelerate matter so.
    pub(crate) fn enter_clamps(&mut self, world: &World, acceleration: &[Vec3]) {
        if world.watches_moving_clamps() {
            self.power += world.power_at_clamps(acceleration);
        }
    }

    /// Enters what they give against the springs of implicit bodies.
    pub(crate) fn enter_clamps_of_implicit_bodies(&mut self, world: &World, pairs: &Pairs) {
        if world.watches_moving_clamps() && world.solids.any(Law::is_implicit) {
            self.power += world.power_at_clamps(self.reactions.find(world, pairs));
        }
    }
}
