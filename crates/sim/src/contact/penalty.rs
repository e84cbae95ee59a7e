//! Penalty contact: springs between particles that overlap (Liu12 V), for elastic bodies alone.
//!
//! Particles that are not bonded overlap by δ if they are closer than a spacing d to each other, or than half a spacing
//! to a wall. With the stiffness k = E d^(dim−2), the reduced mass m, and velocities of approach v_n,
//!
//! ```text
//! f = (k δ + 2 ζ √(k m) v_n) n,  not below 0;    m = m_i m_j/(m_i + m_j), or m_i at a wall
//! ```
//!
//! so that contact is as stiff as one more layer of the body. Liu12 says that the force depends on distance and relative
//! velocity, and no more. Friction is at most μ f and never more than stops the sliding. Momentum is conserved, and
//! energy without damping and friction.

use super::Contact;
use super::friction::{hold, is_rough, pack_motion};
use super::wall_plane::WallPlane;
use crate::elasticity::Elastic;
use crate::force::StepContext;
use crate::neighbors::{Pairs, Who};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::time::Leapfrog;
use crate::world::World;
use crate::{each, exchange};

parameters! {
    /// Contact of elastic bodies by springs: for explicit models, which make small steps anyway. No fluids.
    pub struct Penalty {
        /// How stiff contact is [Pa]; as the stiffest of the bodies unless given.
        #[serde(skip_serializing_if = "Option::is_none")]
        stiffness: Option<Real> = None, Limits::POSITIVE;
        /// Damping of an impact, as a share of what would stop it without rebound [-].
        damping: Real = 0.0, Limits::within(0.0, 1.0);
        /// Friction of bodies on each other: the share of the normal force that it can bear [-]. Walls have their own.
        friction: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

/// The share of a sliding velocity that friction between bodies stops in a step at most: forces that come later in the
/// step are not known to it.
const LARGEST_STOPPED_SHARE: Real = 0.5;

/// Penalty contact at work.
#[derive(Clone, Debug)]
pub(crate) struct PenaltySolver {
    parameters: Penalty,
    /// [Pa].
    stiffness: Real,
    /// Speed of sound of the contact springs [m/s].
    speed: Real,
    moving: Vec<[Real; 4]>,
    /// Accelerations by walls [m/s²], and by their friction.
    from_walls: Vec<Vec3>,
    friction: Vec<Vec3>,
}

impl PenaltySolver {
    /// k [N/m].
    fn spring(&self, world: &World) -> Real {
        self.stiffness * world.dimension.cell_volume(world.spacing) / (world.spacing * world.spacing)
    }

    /// The normal force of a wall on particle `i` [N].
    #[inline(always)]
    fn normal_force(&self, plane: &WallPlane, world: &World, i: usize) -> Real {
        let overlap = 0.5 * world.spacing - plane.height;
        if overlap <= 0.0 {
            return 0.0;
        }
        let (spring, mass) = (self.spring(world), world.particles.mass(i));
        let parting = (world.particles.velocity[i] - plane.velocity).dot(plane.normal);
        (spring * overlap - 2.0 * self.parameters.damping * (spring * mass).sqrt() * parting).max(0.0)
    }

    pub(crate) fn new(parameters: Penalty) -> Self {
        PenaltySolver {
            stiffness: parameters.stiffness.unwrap_or(0.0),
            parameters,
            speed: 0.0,
            moving: Vec::new(),
            from_walls: Vec::new(),
            friction: Vec::new(),
        }
    }
}

impl Contact for PenaltySolver {
    fn name(&self) -> &'static str {
        "penalty"
    }

    fn set_up(&mut self, world: &World) {
        let materials = || world.materials_in_use();
        let young = |elastic: &Elastic| elastic.law().moduli.young();
        if self.parameters.stiffness.is_none() {
            self.stiffness =
                materials().filter_map(|material| material.elastic.as_ref()).map(young).fold(0.0, Real::max);
        }
        let lightest = materials().map(|material| material.density).fold(Real::INFINITY, Real::min);
        self.speed = (self.stiffness / lightest).sqrt();
    }

    fn speed(&self) -> Real {
        self.speed
    }

    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        stage!("penalty contact");
        let &StepContext { world, pairs, dt, .. } = step;
        let (particles, spacing) = (&world.particles, world.spacing);
        pack_motion(world, &mut self.moving);
        let (moving, to_surface) = (&self.moving, &particles.to_surface);
        let Penalty { damping, friction, .. } = self.parameters;
        let stiffness = self.spring(world);
        each!(pairs, Who::Matter, acceleration, |i, near, acceleration| {
            let (home, mass) = (particles.velocity[i], particles.mass(i));
            let force = exchange!(near.matter(), |j| {
                let (velocity, other) = j.get_packed(moving);
                let (tiny, zero) = (j.splat(Real::MIN_POSITIVE), j.splat(0.0));
                // A particle and itself have no direction between them.
                let normal = j.x_ij() * (j.splat(1.0) / j.r().max(tiny));
                let overlap = j.splat(spacing) - j.r();
                let shared = other * mass / (other + mass);
                let apart = j.splat_vec(home) - velocity;
                let parting = apart.dot(normal);
                let resist = (shared * stiffness).sqrt() * parting * (2.0 * damping);
                let strength = (overlap * stiffness - resist).max(zero).where_positive(overlap, zero);
                let sliding = apart - normal * parting;
                let speed = sliding.dot(sliding).sqrt();
                let grip = (strength * friction).min(shared * speed * (LARGEST_STOPPED_SHARE / dt)) / speed.max(tiny);
                normal * strength - sliding * grip
            });
            *acceleration += force / mass;
        });
        let mut from_walls = std::mem::take(&mut self.from_walls);
        from_walls.resize(acceleration.len(), Vec3::ZERO);
        each!(pairs, Who::Matter, &mut from_walls, |i, near, from_walls| {
            let push = |plane: WallPlane| plane.normal * (self.normal_force(&plane, world, i) / particles.mass(i));
            *from_walls = WallPlane::of(near, to_surface, moving).map_or(Vec3::ZERO, push);
        });
        acceleration.iter_mut().zip(&from_walls).for_each(|(acceleration, from_wall)| *acceleration += *from_wall);
        self.from_walls = from_walls;
    }

    fn from_walls(&self) -> &[Vec3] {
        &self.from_walls
    }

    /// Friction on walls: all other accelerations are known here.
    fn correct(&mut self, world: &World, pairs: &Pairs, dt: Real, acceleration: &mut [Vec3]) {
        if !is_rough(world) {
            return;
        }
        stage!("wall friction");
        let moving = &self.moving;
        let (to_surface, lead) = (&world.particles.to_surface, Leapfrog::lead(world, dt));
        let mut friction = std::mem::take(&mut self.friction);
        friction.resize(acceleration.len(), Vec3::ZERO);
        let known = &*acceleration;
        each!(pairs, Who::Matter, &mut friction, |i, near, friction| {
            *friction = Vec3::ZERO;
            if let Some(plane) = WallPlane::of(near, to_surface, moving) {
                let after = Leapfrog::middle(world, i, known[i], dt) - plane.velocity;
                let sliding = after - plane.normal * after.dot(plane.normal);
                let normal_acceleration = self.normal_force(&plane, world, i) / world.particles.mass(i);
                *friction = hold(sliding, plane.friction * normal_acceleration * lead) / lead;
            }
        });
        let columns = acceleration.iter_mut().zip(&mut self.from_walls).zip(&friction);
        columns.for_each(|((acceleration, from_walls), friction)| {
            *acceleration += *friction;
            *from_walls += *friction;
        });
        self.friction = friction;
    }
}
