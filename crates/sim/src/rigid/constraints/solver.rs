//! Sweeps over all constraints until none has to be changed: projected Gauss-Seidel, block by block, with conjugate
//! directions.
//!
//! The change Δ that a sweep makes to the impulses P is a preconditioned gradient of the energy that is minimised, so that
//! sweeps can be the steps of a nonlinear conjugate-gradient method (Silcowitz 2010), which needs far fewer of them for
//! stacks and for unequal masses:
//!
//! ```text
//! P ← sweep(P),   β = |Δₖ|²/|Δₖ₋₁|²,   P ← P + β dₖ₋₁,   dₖ = β dₖ₋₁ + Δₖ,       d = 0 where β > 1
//! ```
//!
//! Contacts come in an order of their own, always the same (`stride`).
//!
//! The last sweep is followed by no direction, so that every impulse that is given back lies in its cone.
//!
//! Positions are corrected by the same sweeps over displacements, which are added to positions and to no velocity:
//! what pushes bodies apart gives them no momentum.

use glam::{DQuat, DVec3};

use super::contacts::Block;
use super::holding::Holding;
use super::islands::Islands;
use super::rows::Impulse;
use super::{Contact, Inertia, Joint, Twist};

/// How constraints are solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    /// How long the velocities that are found will move the bodies [s].
    pub(crate) dt: f64,
    /// Approach below which nothing is thrown back: what gravity adds in a step or two [m/s].
    pub(crate) bounce_speed: f64,
    /// The largest change of a velocity at a contact by a sweep that is not worth another [m/s].
    pub(crate) tolerance: f64,
    /// The most sweeps.
    pub(crate) most_sweeps: usize,
    /// How deep bodies may overlap, so that contacts which rest persist [m].
    pub(crate) slop: f64,
    /// How much of what overlaps more is removed in a step [-].
    pub(crate) share: f64,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Sweeps.
    pub(crate) sweeps: usize,
    /// The largest change of a velocity at a contact in the last sweep [m/s].
    pub(crate) residual: f64,
}

/// A gain of energy below this part of what is exchanged is rounding: elastic collisions keep energy, and no more.
const ROUNDING: f64 = 1e-12;

/// The part of the slop to which displacements are found.
const CLOSE: f64 = 0.01;

/// The memory that sweeps need: scratch, nothing of it survives.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    islands: Islands,
    holding: Holding,
    blocks: Vec<Block>,
    /// Which block a contact is.
    block_of: Vec<Option<usize>>,
    before: Vec<Twist>,
    bounced: Vec<Twist>,
    previous: Vec<Twist>,
    directions: Vec<Twist>,
}

impl Solver {
    /// Makes joints ready for a step of bodies that are where they are; all else follows it.
    pub(crate) fn prepare(
        &mut self,
        inertias: &[Inertia],
        orientations: &[DQuat],
        joints: &mut [Joint],
        contacts: &[Contact],
    ) {
        self.islands.prepare(inertias, orientations, joints);
        self.holding.prepare(inertias, self.islands.rows(), contacts);
    }

    /// The exact linear response of bodies that joints hold, and contacts that are expected to press: takes changes of twists that
    /// forces would give to bodies that are free, and leaves those that are let through. Motors and limits have no part in it.
    pub(crate) fn hold(&mut self, changes: &mut [Twist]) {
        self.holding.hold(changes);
    }

    /// Adds to the twists what contacts and joints demand.
    pub(crate) fn solve(
        &mut self,
        inertias: &[Inertia],
        twists: &mut [Twist],
        contacts: &mut [Contact],
        joints: &mut [Joint],
        control: &Control,
    ) -> Outcome {
        self.blocks_of(inertias, contacts);
        self.islands.aim(twists, joints, control.dt);
        self.before.clear();
        self.before.extend_from_slice(twists);
        let bounces = self.aim(contacts, control, true);
        let mut outcome = self.sweeps(inertias, twists, control.tolerance, control.most_sweeps);
        if bounces && self.gains(twists) {
            outcome.sweeps += self.limit_bounce(inertias, twists, contacts, control);
        }
        for (contact, block) in contacts.iter_mut().zip(&self.block_of) {
            contact.impulse = block.map_or(DVec3::ZERO, |block| self.blocks[block].impulse.value);
        }
        self.islands.finish(joints);
        outcome
    }

    /// Where bodies are to be moved, beside their motion by `twists`, so that they overlap no more than they may and
    /// joints close.
    pub(crate) fn displacements(
        &mut self,
        inertias: &[Inertia],
        twists: &[Twist],
        contacts: &[Contact],
        joints: &[Joint],
        control: &Control,
        displacements: &mut [Twist],
    ) -> Outcome {
        displacements.fill(Twist::default());
        self.blocks_of(inertias, contacts);
        self.islands.aim_at_places(twists, joints, control.dt);
        for (contact, block) in contacts.iter().zip(&self.block_of) {
            let Some(block) = block.map(|block| &mut self.blocks[block]) else { continue };
            let gap = contact.gap + control.dt * block.normal_velocity(twists);
            block.target = if gap > 0.0 { -gap } else { control.share * (-gap - control.slop).max(0.0) };
            block.for_displacement();
        }
        let tolerance = (control.tolerance * control.dt).max(CLOSE * control.slop);
        self.sweeps(inertias, displacements, tolerance, control.most_sweeps)
    }

    /// Says how fast bodies are to be at their contacts, and what impulses are expected; does any body bounce?
    fn aim(&mut self, contacts: &[Contact], control: &Control, restitution: bool) -> bool {
        let mut bounces = false;
        for (contact, block) in contacts.iter().zip(&self.block_of) {
            let Some(block) = block.map(|block| &mut self.blocks[block]) else { continue };
            block.target = -contact.gap.max(0.0) / control.dt;
            block.impulse.start(contact.impulse);
            let velocity = block.normal_velocity(&self.before);
            if restitution && contact.restitution > 0.0 && velocity < block.target.min(-control.bounce_speed) {
                block.target = -contact.restitution * velocity;
                bounces = true;
            }
        }
        bounces
    }

    fn blocks_of(&mut self, inertias: &[Inertia], contacts: &[Contact]) {
        self.blocks.clear();
        self.block_of.clear();
        self.block_of.resize(contacts.len(), None);
        let stride = stride(contacts.len());
        let mut index = 0;
        for _ in contacts {
            let block = Block::new(&contacts[index], inertias);
            self.block_of[index] = block.is_some().then_some(self.blocks.len());
            self.blocks.extend(block);
            index = (index + stride) % contacts.len();
        }
    }

    /// Sweeps from the impulses that the blocks have, which are not yet in the twists.
    fn sweeps(&mut self, inertias: &[Inertia], twists: &mut [Twist], tolerance: f64, most: usize) -> Outcome {
        for block in &self.blocks {
            block.push(inertias, twists, block.impulse.value);
        }
        self.directions.clear();
        self.directions.resize(twists.len(), Twist::default());
        let mut outcome = Outcome::default();
        let mut change_before = 0.0;
        while outcome.sweeps < most {
            self.previous.clear();
            self.previous.extend_from_slice(twists);
            self.blocks.iter_mut().for_each(|block| block.impulse.remember());
            self.islands.impulses().for_each(Impulse::remember);
            outcome.residual = self.sweep(inertias, twists, tolerance);
            outcome.sweeps += 1;
            if outcome.residual <= tolerance || outcome.sweeps == most {
                break;
            }
            let change = self.blocks.iter().map(Block::change).sum::<f64>() + self.islands.change();
            let beta = if change <= change_before && change > 0.0 { change / change_before } else { 0.0 };
            change_before = change;
            self.go_on(twists, beta);
        }
        outcome
    }

    /// One sweep; the largest change of a velocity. Always the same way: directions are conjugate with respect to one
    /// map, and where sweeps that alternate need thousands, these need hundreds. Joints come last, and are kept.
    fn sweep(&mut self, inertias: &[Inertia], twists: &mut [Twist], tolerance: f64) -> f64 {
        let largest = self.blocks.iter_mut().map(|block| block.solve(inertias, twists)).fold(0.0, f64::max);
        largest.max(self.islands.sweep(twists, tolerance))
    }

    /// Goes on by β in the directions, and turns these into the new ones.
    fn go_on(&mut self, twists: &mut [Twist], beta: f64) {
        self.blocks.iter_mut().for_each(|block| block.impulse.go_on(beta));
        self.islands.impulses().for_each(|impulse| impulse.go_on(beta));
        for ((twist, previous), direction) in twists.iter_mut().zip(&self.previous).zip(&mut self.directions) {
            let change = previous.to(twist);
            *direction = Twist { velocity: beta * direction.velocity, spin: beta * direction.spin };
            twist.add(1.0, direction);
            direction.add(1.0, &change);
        }
    }

    /// Newton's restitution can make energy of nothing where several contacts or friction meet (Kane's paradox). If it
    /// does, the motion is taken between those without and with restitution, so that none is gained: the work
    /// ½ Σ P·(u⁻ + u⁺) is a parabola of the share of restitution, and negative without.
    fn limit_bounce(
        &mut self,
        inertias: &[Inertia],
        twists: &mut [Twist],
        contacts: &[Contact],
        control: &Control,
    ) -> usize {
        self.bounced.clear();
        self.bounced.extend_from_slice(twists);
        self.blocks.iter_mut().for_each(|block| block.impulse.keep_bounced());
        self.islands.impulses().for_each(|impulse| {
            impulse.keep_bounced();
            impulse.start_again();
        });
        twists.copy_from_slice(&self.before);
        self.aim(contacts, control, false);
        let sweeps = self.sweeps(inertias, twists, control.tolerance, control.most_sweeps).sweeps;
        let (mut constant, mut linear, mut square) = (0.0, 0.0, 0.0);
        for block in &self.blocks {
            let (impulse, velocity) = (block.impulse.value, block.velocity(twists));
            let (more, faster) = (block.impulse.of_bounce(), block.velocity(&self.bounced) - velocity);
            let sum = block.velocity(&self.before) + velocity;
            constant += impulse.dot(sum);
            linear += more.dot(sum) + impulse.dot(faster);
            square += more.dot(faster);
        }
        let root = (linear * linear - 4.0 * square * constant).max(0.0).sqrt();
        let share = if square > 0.0 { ((root - linear) / (2.0 * square)).clamp(0.0, 1.0) } else { 0.0 };
        self.blocks.iter_mut().for_each(|block| block.impulse.blend(share));
        self.islands.impulses().for_each(|impulse| impulse.blend(share));
        for (twist, bounced) in twists.iter_mut().zip(&self.bounced) {
            let change = twist.to(bounced);
            twist.add(share, &change);
        }
        sweeps
    }

    /// Do contacts make energy?
    fn gains(&self, twists: &[Twist]) -> bool {
        let (mut work, mut size) = (0.0, 0.0);
        for block in &self.blocks {
            let before = block.impulse.value.dot(block.velocity(&self.before));
            work += before + block.impulse.value.dot(block.velocity(twists));
            size += before.abs();
        }
        work > ROUNDING * size
    }
}

/// How far to go from one contact to the next so that all have their turn and neighbours, which say nearly the same, are
/// far from each other in time: the golden part of their number. In the order of a grid, a box on 100 contacts under
/// another of 100 times its mass needs 40 times as many sweeps.
fn stride(count: usize) -> usize {
    let coprime = |stride: &usize| {
        let (mut larger, mut smaller) = (count, *stride);
        while smaller != 0 {
            (larger, smaller) = (smaller, larger % smaller);
        }
        larger == 1
    };
    let golden = (0.618 * count as f64) as usize;
    (golden.max(1)..=count).find(coprime).unwrap_or(1)
}
