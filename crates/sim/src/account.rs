//! Accounts of momentum: what a wall or body has received, exactly.
//!
//! A step changes the momentum of matter by forces F on particles, at their places x before it, and by putting back who got
//! into a wall ([`keep_out_of_walls`](crate::world)). What matter gets from a wall, the wall gets from matter: its force is
//! −Σ F, its torque about the origin −Σ x × F, found where both are exchanged, pair by pair
//! ([`Force::add_wall_forces`](crate::Force)) or, where a particle meets the mean plane of the walls around it, shared among
//! these by the kernel. A step that moves by Euler's scheme adds Δt F to momentum, the leapfrog
//!
//! ```text
//! ½ Δt(n−1) (F(n) − F(n−1)) + Δt(n) F(n)
//! ```
//!
//! to that of the velocities which belong to the positions. So the sum over all walls, and gravity and fields, is the change
//! of the momentum of matter to rounding; of angular momentum as well, as far as forces between two particles are central
//! and the scheme is (of the leapfrog to second order, and no error adds up).
//!
//! A body has received what its own momentum has changed by. Nothing of this is done unless a program asks for an account.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::contact::friction::is_rough;
use crate::force::StepContext;
use crate::models::Models;
use crate::neighbors::Pairs;
use crate::pressure::Integrator;
use crate::real::{Real, Vec3, wide};
use crate::reduce::{self, Sum};
use crate::rigid::WallForce;
use crate::simulation::Simulation;
use crate::stage::stage;
use crate::world::{BodyId, World};

/// What a wall or body has received since its account was opened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Whose it is.
    pub body: BodyId,
    /// All that it has received; the impulse is in N s.
    pub received: Impulse,
    /// What it received in the last step, over the length of the step: force and torque.
    pub force: Impulse,
    /// The force of the last step but for sudden changes of velocity, which the leapfrog must know.
    steady: Impulse,
}

/// Momentum and angular momentum that are handed over, or rates of them: a force and its torque.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impulse {
    /// Of momentum.
    pub linear: [f64; 3],
    /// Of angular momentum about the origin.
    pub angular: [f64; 3],
}

impl Impulse {
    /// Of a momentum that is handed over at a place.
    fn at(place: Vec3, momentum: DVec3) -> Self {
        Self::new(momentum, wide(place).cross(momentum))
    }

    fn new(linear: DVec3, angular: DVec3) -> Self {
        Impulse { linear: linear.to_array(), angular: angular.to_array() }
    }

    /// The difference to another.
    fn minus(self, other: Self) -> Self {
        self.plus(other.times(-1.0))
    }

    /// This times a number.
    fn times(self, factor: f64) -> Self {
        Impulse { linear: self.linear.map(|x| factor * x), angular: self.angular.map(|x| factor * x) }
    }
}

impl Sum for Impulse {
    fn plus(self, other: Self) -> Self {
        Impulse { linear: self.linear.plus(other.linear), angular: self.angular.plus(other.angular) }
    }
}

/// The entries of a step, until it has succeeded.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// By account: its force in the step, and what it got at once. Of a body, the momentum before the step.
    entries: Vec<Entry>,
    /// Forces on the particles of walls, by pairs [N].
    by_pairs: Vec<Vec3>,
    /// Positions and velocities before particles in walls were put back.
    before: (Vec<Vec3>, Vec<Vec3>),
    partials: Vec<Impulse>,
    powers: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    steady: Impulse,
    blow: Impulse,
}

impl Simulation {
    /// Opens an account of what a wall or body receives from now on, if there is none.
    pub fn open_account(&mut self, body: BodyId) {
        if self.account(body).is_none() {
            let zero = Impulse::default();
            self.world.memory.accounts.push(Account { body, received: zero, force: zero, steady: zero });
        }
    }

    /// What a wall or body has received, if an account was opened.
    pub fn account(&self, body: BodyId) -> Option<&Account> {
        self.world.memory.accounts.iter().find(|account| account.body == body)
    }

    /// Opens the ledger of a step: what bodies have before it.
    pub(crate) fn open_ledger(&mut self) {
        let Ledger { entries, partials, .. } = &mut self.scratch.ledger;
        let accounts = &self.world.memory.accounts;
        entries.clear();
        let entry =
            |account: &Account| Entry { steady: momentum_of(&self.world, account.body, partials), ..Entry::default() };
        entries.extend(accounts.iter().map(entry));
    }

    /// Enters what a step of `dt` handed over, which has succeeded, into the accounts.
    pub(crate) fn settle(&mut self, dt: Real) {
        let integrator = self.world.motion(dt).integrator;
        let (dt, last_dt) = (f64::from(dt), f64::from(self.world.clock.last_dt));
        let late = if integrator == Integrator::Leapfrog { 0.5 * last_dt } else { 0.0 };
        let Ledger { entries, partials, .. } = &mut self.scratch.ledger;
        for (k, &Entry { steady, blow }) in entries.iter().enumerate() {
            let account = self.world.memory.accounts[k];
            let received = match is_matter(&self.world, account.body) {
                true => momentum_of(&self.world, account.body, partials).minus(steady),
                false => steady.times(dt).plus(steady.minus(account.steady).times(late)).plus(blow),
            };
            let force = received.times(1.0 / dt);
            self.world.memory.accounts[k] =
                Account { received: account.received.plus(received), force, steady, ..account };
        }
    }
}

/// Is it a body, and no wall?
fn is_matter(world: &World, body: BodyId) -> bool {
    world.body(body).is_some_and(|body| !body.kind.is_wall())
}

/// The momentum of a body; zero of a wall.
fn momentum_of(world: &World, body: BodyId, partials: &mut Vec<Impulse>) -> Impulse {
    if !is_matter(world, body) {
        return Impulse::default();
    }
    if let Some(rigid) = world.rigid_bodies().find(|rigid| rigid.body == body) {
        let momentum = rigid.mass * rigid.velocity;
        return Impulse::new(momentum, rigid.centre.cross(momentum) + rigid.angular_momentum);
    }
    let particles = &world.particles;
    reduce::sum(world.kinds.matter().len(), partials, |i| match particles.body[i] == body.slot {
        true => Impulse::at(particles.position[i], wide(particles.velocity[i]) * f64::from(particles.mass(i))),
        false => Impulse::default(),
    })
}

impl Ledger {
    /// Enters the forces of the step on walls: all accelerations are known, and nothing has moved.
    /// Returns the power of walls that move [W], if energy is watched.
    pub(crate) fn enter_forces(&mut self, models: &Models, friction: &[Vec3], step: &StepContext<'_>) -> f64 {
        let &StepContext { world, pairs, .. } = step;
        if !asks_for_wall_forces(world) {
            return 0.0;
        }
        stage!("accounts");
        let Ledger { entries, by_pairs, partials, powers, .. } = self;
        by_pairs.clear();
        by_pairs.resize(world.kinds.walls().len(), Vec3::ZERO);
        models.pressure.add_wall_forces(step, by_pairs);
        models.forces.iter().for_each(|force| force.add_wall_forces(step, by_pairs));
        models.viscosity.add_wall_forces(step, by_pairs);
        let from_walls = match &models.contact {
            Some(contact) => contact.by_walls(),
            None if is_rough(world) => friction,
            None => &[],
        };
        let (particles, first) = (&world.particles, world.kinds.walls().start);
        for (entry, slot) in entries.iter_mut().zip(wall_slots(world)) {
            let Some(slot) = slot else { continue };
            let of_pairs = reduce::sum(by_pairs.len(), partials, |k| match particles.body[first + k] == slot {
                true => Impulse::at(particles.position[first + k], wide(by_pairs[k])),
                false => Impulse::default(),
            });
            let of_planes = reduce::sum(from_walls.len(), partials, |i| match from_walls[i] == Vec3::ZERO {
                true => Impulse::default(),
                false => {
                    let (x, mass) = (particles.position[i], f64::from(particles.mass(i)));
                    Impulse::at(x, wide(from_walls[i]) * -mass).times(share_of(world, pairs, slot, i, x))
                }
            });
            let of_contacts = models.rigid.forces_on_walls().filter(|on_wall| on_wall.slot == slot);
            let of_contacts = of_contacts.fold(Impulse::default(), |sum, WallForce { point, force, .. }| {
                sum.plus(Impulse::new(force, point.cross(force)))
            });
            *entry = Entry { steady: of_pairs.plus(of_planes).plus(of_contacts), blow: Impulse::default() };
        }
        if !world.watches_moving_walls() {
            return 0.0;
        }
        let by_contacts: f64 = models.rigid.forces_on_walls().map(|on_wall| -on_wall.force.dot(on_wall.velocity)).sum();
        let velocity = |k: usize| wide(particles.velocity[first + k]);
        let by_pairs = reduce::sum(by_pairs.len(), powers, |k| -wide(by_pairs[k]).dot(velocity(k)));
        let by_planes = reduce::sum(from_walls.len(), powers, |i| match from_walls[i] == Vec3::ZERO {
            true => 0.0,
            false => {
                let force = wide(from_walls[i]) * f64::from(particles.mass(i));
                force.dot(wall_velocity(world, pairs, i, particles.position[i]))
            }
        });
        by_pairs + by_planes + by_contacts
    }

    /// Remembers matter before those who got into a wall are put back.
    pub(crate) fn before_blows(&mut self, world: &World) {
        if asks_for_wall_forces(world) {
            let matter = world.kinds.matter();
            let (position, velocity) = &mut self.before;
            position.clear();
            position.extend_from_slice(&world.particles.position[matter.clone()]);
            velocity.clear();
            velocity.extend_from_slice(&world.particles.velocity[matter]);
        }
    }

    /// Enters what those lost who were put back, to the walls that did it.
    /// Returns the work of walls that move [J], if energy is watched.
    pub(crate) fn enter_blows(&mut self, world: &World, pairs: &Pairs) -> f64 {
        if !asks_for_wall_forces(world) {
            return 0.0;
        }
        let (particles, (places, velocities)) = (&world.particles, &self.before);
        for (entry, slot) in self.entries.iter_mut().zip(wall_slots(world)) {
            let Some(slot) = slot else { continue };
            entry.blow = reduce::sum(places.len(), &mut self.partials, |i| {
                let (now, v) = (particles.position[i], particles.velocity[i]);
                if (now, v) == (places[i], velocities[i]) {
                    return Impulse::default();
                }
                let mass = f64::from(particles.mass(i));
                let had = Impulse::at(places[i], wide(velocities[i]) * mass);
                had.minus(Impulse::at(now, wide(v) * mass)).times(share_of(world, pairs, slot, i, now))
            });
        }
        if !world.watches_moving_walls() {
            return 0.0;
        }
        reduce::sum(places.len(), &mut self.powers, |i| {
            let (now, v) = (particles.position[i], particles.velocity[i]);
            if (now, v) == (places[i], velocities[i]) {
                return 0.0;
            }
            let momentum = (wide(v) - wide(velocities[i])) * f64::from(particles.mass(i));
            momentum.dot(wall_velocity(world, pairs, i, now))
        })
    }
}

/// Must the forces on walls be known: for an account of one, or as some of them move while energy is watched?
pub(crate) fn asks_for_wall_forces(world: &World) -> bool {
    wall_slots(world).any(|slot| slot.is_some()) || world.watches_moving_walls()
}

/// The slot of the wall of each account; none for bodies.
fn wall_slots(world: &World) -> impl Iterator<Item = Option<u32>> {
    world.memory.accounts.iter().map(|account| {
        let is_wall = world.body(account.body).is_some_and(|body| body.kind.is_wall());
        is_wall.then_some(account.body.slot)
    })
}

/// The share of a wall in the plane that particle `i` meets at a place: its part of Σ_b W_b.
fn share_of(world: &World, pairs: &Pairs, slot: u32, i: usize, place: Vec3) -> f64 {
    let (mut own, mut all) = (0.0, 0.0);
    for b in pairs.walls_near(i) {
        let distance = world.domain.shortest(place - world.particles.position[b]).length();
        let weight = f64::from(pairs.kernel().value(distance));
        all += weight;
        own += if world.particles.body[b] == slot { weight } else { 0.0 };
    }
    if all > 0.0 { own / all } else { 0.0 }
}

/// The velocity of the plane that particle `i` meets at a place: the mean of the walls around it.
fn wall_velocity(world: &World, pairs: &Pairs, i: usize, place: Vec3) -> DVec3 {
    let (mut sum, mut all) = (DVec3::ZERO, 0.0);
    for b in pairs.walls_near(i) {
        let distance = world.domain.shortest(place - world.particles.position[b]).length();
        let weight = f64::from(pairs.kernel().value(distance));
        all += weight;
        sum += weight * wide(world.particles.velocity[b]);
    }
    if all > 0.0 { sum / all } else { DVec3::ZERO }
}
