//! Friction of elastic bodies on walls (Coulomb).
//!
//! The normal acceleration of a particle is the part of the pair formula due to walls; friction is at most μ times
//! that, and never more than stops the sliding:
//!
//! ```text
//! a_n = −(1/ρ0) Σ_b V0_b (P_i + P_b) ∇W_ib
//! a_t = −min(μ |a_n|, |v_t|/Δt) v_t/|v_t|
//! ```
//!
//! v_t is the velocity along the wall with which the step moves the particle. (Peer18 5 takes a viscous force instead, under
//! which everything slides in the end.) Alone, a particle is stopped by the friction that its own velocity asks for. In a body
//! it is not: all that touches the wall brakes the body together. There friction f minimises the energy
//!
//! ```text
//! ½ f·Â⁻¹f + f·v_t/Δt,    |f_i| ≤ μ m_i |a_n|
//! ```
//!
//! with the response Â of bodies ([`response`](crate::response)): what sticks comes to rest, what slides is braked by all that
//! it can be. It is found by projected conjugate gradients with an exact line search: f ← f + τ p, p ← clip(f + α z + β p) − f, with
//! z the velocity that is left over Δt Â_ii, and β such that p·Â⁻¹ of both directions is zero where nothing is clipped.

use crate::neighbors::{Pairs, Who, pack, row};
use crate::pressure::pair_force::scale_pressures;
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::response::BodyResponse;
use crate::stage::stage;
use crate::time::Motion;
use crate::world::World;
use crate::{each, exchange, sum};

/// Friction on walls, and memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallFriction {
    scaled: Vec<Real>,
    moving: Vec<[Real; 4]>,
    touches: Vec<Touch>,
    /// Accelerations by friction [m/s²], were each particle alone, and those with which bodies move.
    from_walls: Vec<Vec3>,
    answered: Vec<Vec3>,
    /// The same before the last solve.
    kept: Vec<Vec3>,
    kept_answered: Vec<Vec3>,
    /// The change of an iteration, and what bodies make of it.
    trial: Vec<Vec3>,
    moved: Vec<Vec3>,
    energies: Vec<[f64; 3]>,
}

/// How a particle touches a wall.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    normal: Vec3,
    /// The largest acceleration by friction [m/s²].
    most: Real,
    /// The acceleration along the wall that would stop it [m/s²].
    stop: Vec3,
}

impl Touch {
    /// The part of a vector along the wall; none where there is no wall.
    fn along(&self, vector: Vec3) -> Vec3 {
        if self.most > 0.0 { vector - self.normal * vector.dot(self.normal) } else { Vec3::ZERO }
    }

    /// The friction that is possible.
    fn clip(&self, friction: Vec3) -> Vec3 {
        let friction = self.along(friction);
        friction * (self.most / friction.length().max(self.most).max(Real::MIN_POSITIVE))
    }
}

/// The most iterations of a solve.
const MOST_ITERATIONS: u32 = 20;

/// A solve ends when an iteration takes this share of the energy that the first took.
const ENOUGH: f64 = 1e-3;

/// Is there a wall that holds elastic bodies by friction?
pub(crate) fn is_rough(world: &World) -> bool {
    !world.kinds.solid().is_empty() && world.bodies.iter().any(|body| body.particles > 0 && body.friction > 0.0)
}

/// Velocities of all particles, and friction of walls or masses of matter.
pub(super) fn pack_motion(world: &World, moving: &mut Vec<[Real; 4]>) {
    let particles = &world.particles;
    pack(moving, particles.len(), |i| {
        let is_wall = world.kinds.walls().contains(&i);
        let friction = || world.bodies[particles.body[i] as usize].friction;
        row(particles.velocity[i], if is_wall { friction() } else { particles.mass(i) })
    });
}

/// The change of velocity [m/s] by friction, at a velocity `sliding` along a surface; at most `most`.
#[inline(always)]
pub(super) fn hold(sliding: Vec3, most: Real) -> Vec3 {
    let speed = sliding.length();
    if speed > 0.0 { sliding * (-most.min(speed) / speed) } else { Vec3::ZERO }
}

impl WallFriction {
    /// Accelerations by friction in the last step [m/s²].
    pub(crate) fn by_walls(&self) -> &[Vec3] {
        &self.from_walls
    }

    /// Adds the friction of solids in a step; the accelerations by pressure are known. Of `acceleration` what follows from
    /// friction is found anew if it `is_known`.
    pub(crate) fn add(
        &mut self,
        (world, pairs): (&World, &Pairs),
        motion: Motion,
        response: &mut dyn BodyResponse,
        is_known: bool,
        acceleration: &mut [Vec3],
    ) {
        stage!("wall friction");
        let count = world.kinds.solid().len();
        for column in [&mut self.from_walls, &mut self.answered, &mut self.trial, &mut self.moved] {
            column.resize(acceleration.len(), Vec3::ZERO);
        }
        self.kept.clone_from(&self.from_walls);
        self.kept_answered.clone_from(&self.answered);
        if is_known {
            acceleration.iter_mut().zip(&self.answered).for_each(|(acceleration, answered)| *acceleration -= *answered);
        } else {
            self.from_walls.fill(Vec3::ZERO);
        }
        self.find_limits(world, pairs, motion, acceleration);
        if self.touches[..count].iter().any(|touch| touch.most > 0.0) {
            self.solve(world, response);
        } else {
            self.from_walls.fill(Vec3::ZERO);
            self.answered.fill(Vec3::ZERO);
        }
        acceleration.iter_mut().zip(&self.answered).for_each(|(acceleration, answered)| *acceleration += *answered);
    }

    /// Goes a share of the way that the last solve went.
    pub(crate) fn go_back(&mut self, share: Real) {
        for (column, kept) in [(&mut self.from_walls, &self.kept), (&mut self.answered, &self.kept_answered)] {
            column.iter_mut().zip(kept).for_each(|(now, kept)| *now = *kept + (*now - *kept) * share);
        }
    }

    /// How solids touch walls, and what would stop their sliding.
    fn find_limits(&mut self, world: &World, pairs: &Pairs, motion: Motion, acceleration: &[Vec3]) {
        scale_pressures(world, &mut self.scaled);
        pack_motion(world, &mut self.moving);
        let (scaled, moving, lead) = (&self.scaled, &self.moving, motion.lead(world));
        self.touches.resize(world.kinds.solid().len(), Touch::default());
        each!(pairs, Who::Matter, &mut self.touches, |i, near, touch| {
            *touch = Touch::default();
            let gradient = exchange!(near.walls(), |b| b.grad_w() * (b.volume() * (b.get(scaled) + scaled[i])));
            let normal_acceleration = gradient.length() * world.mobility(i);
            if normal_acceleration <= 0.0 {
                return;
            }
            let (weight, (velocity, friction)) = sum!(near.walls(), |b| {
                let (weight, (velocity, friction)) = (b.w(), b.get_packed(moving));
                (weight, (velocity * weight, friction * weight))
            });
            let after = motion.velocity(world, i, acceleration[i]) - velocity / weight;
            *touch = Touch {
                normal: gradient / gradient.length(),
                most: friction / weight * normal_acceleration,
                stop: Vec3::ZERO,
            };
            touch.stop = touch.along(after) * (-1.0 / lead);
        });
    }

    /// Finds the friction that stops sliding, as far as it may, and what bodies make of it.
    fn solve(&mut self, world: &World, response: &mut dyn BodyResponse) {
        let coherent = world.kinds.coherent();
        // What was found before is part of what stops.
        for (touch, friction) in self.touches.iter().zip(&mut self.from_walls) {
            *friction = touch.clip(*friction);
        }
        self.answered.copy_from_slice(&self.from_walls);
        if self.from_walls.iter().any(|&friction| friction != Vec3::ZERO) {
            response.respond(world, &mut self.answered[coherent.clone()]);
        }
        for (touch, answered) in self.touches.iter_mut().zip(&self.answered) {
            touch.stop -= touch.along(*answered);
        }
        let (mut length, mut first, mut of_last) = (1.0, 0.0, 0.0);
        for _ in 0..MOST_ITERATIONS {
            let mut descent = self.choose_direction(world, response, length, of_last);
            if descent <= 0.0 && of_last > 0.0 {
                descent = self.choose_direction(world, response, length, 0.0);
            }
            first = descent.max(first);
            if descent <= ENOUGH * first {
                break;
            }
            self.moved.copy_from_slice(&self.trial);
            response.respond(world, &mut self.moved[coherent.clone()]);
            let curvature = self.product(world, |this, i| this.trial[i]);
            if curvature <= 0.0 {
                break;
            }
            let best = (descent / curvature) as Real;
            self.go(best.min(1.0));
            length *= best.clamp(0.5, 2.0);
            let beside = self.product(world, |this, i| this.touches[i].stop / share(world, response, i));
            of_last = (-f64::from(length) * beside / curvature).max(0.0) as Real;
        }
    }

    /// The next change, with so much of the last one; returns how much energy it takes at first.
    fn choose_direction(&mut self, world: &World, response: &dyn BodyResponse, length: Real, of_last: Real) -> f64 {
        let Self { touches, from_walls, trial, energies, .. } = self;
        for (i, (touch, trial)) in touches.iter().zip(&mut *trial).enumerate() {
            let towards = touch.stop * (length / share(world, response, i)) + *trial * of_last;
            *trial = touch.clip(from_walls[i] + towards) - from_walls[i];
        }
        let [descent, ..] = reduce::sum(touches.len(), energies, |i| {
            [f64::from(world.particles.mass(i)) * f64::from(touches[i].stop.dot(trial[i])), 0.0, 0.0]
        });
        descent
    }

    /// Σ m u·w, with what bodies make of the change as u.
    fn product(&mut self, world: &World, w: impl Fn(&Self, usize) -> Vec3 + Sync) -> f64 {
        let mut energies = std::mem::take(&mut self.energies);
        let [product, ..] = reduce::sum(self.touches.len(), &mut energies, |i| {
            [f64::from(world.particles.mass(i)) * f64::from(self.moved[i].dot(w(self, i))), 0.0, 0.0]
        });
        self.energies = energies;
        product
    }

    /// Goes so far along the change.
    fn go(&mut self, length: Real) {
        for (i, touch) in self.touches.iter_mut().enumerate() {
            self.from_walls[i] += self.trial[i] * length;
            touch.stop -= touch.along(self.moved[i]) * length;
        }
        // All of a body moves, not only what touches.
        self.answered.iter_mut().zip(&self.moved).for_each(|(answered, moved)| *answered += *moved * length);
    }
}

/// The share of its mobility that particle `i` has in its body.
fn share(world: &World, response: &dyn BodyResponse, i: usize) -> Real {
    if world.kinds.coherent().contains(&i) { response.share(world, i) } else { 1.0 }
}
