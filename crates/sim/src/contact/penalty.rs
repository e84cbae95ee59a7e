//! Penalty contact: springs between particles that overlap (Liu12 V), for elastic bodies alone.
//!
//! Particles that are not bonded overlap by δ if they are closer than a spacing d to each other, or than half a spacing
//! to a wall. With the stiffness k, the reduced mass m, and velocities of approach v_n,
//!
//! ```text
//! f = (k δ + 2 ζ √(k m) v_n) n,  not below 0;    m = m_i m_j/(m_i + m_j), or m_i at a wall
//! k = 2 E_i E_j/(E_i + E_j) d^(dim−2),           or E_i d^(dim−2) at a wall
//! ```
//!
//! so that contact is as stiff as the bodies are: half a layer of each in series. On a wall, which gives way nowhere, half a
//! layer would be twice as stiff as k; but with steps of 0.8 d/c a damped block then chatters on the floor, and friction does
//! not hold it. Liu12 says that the force depends on distance and relative velocity, and no more. Friction is at most μ f and never more than stops
//! the sliding. Momentum is conserved, and energy without damping and friction, in steps that follow the springs: between
//! two materials they oscillate like waves of the speed
//!
//! ```text
//! c² = ½ k (1/ρ_i + 1/ρ_j) / d^(dim−2),          E/ρ if both are the same
//! ```
//!
//! A particle that meets four at once, as between two lattices, has springs of twice that stiffness in all: steps of
//! 0.8 d/c (`cfl` 0.4, support 2 d) make 1.6 of the 2 that the leapfrog bears.

use super::Contact;
use super::friction::{hold, is_rough, pack_motion};
use super::wall_plane::WallPlane;
use crate::force::StepContext;
use crate::neighbors::{Lanes, Pairs, Simd, Who};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::time::Motion;
use crate::world::{Material, World};
use crate::{each, exchange};

parameters! {
    /// Contact of elastic bodies by springs: for explicit models, which make small steps anyway. No fluids.
    pub struct Penalty {
        /// How stiff contact is [Pa]; as the bodies that meet, in series, unless given.
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

/// The modulus of half a layer each of two materials, one behind the other [Pa].
fn in_series(one: Real, other: Real) -> Real {
    2.0 * one * other / (one + other).max(Real::MIN_POSITIVE)
}

/// The same of many.
#[inline(always)]
fn in_series_of<S: Simd>(others: Lanes<S>, own: Real) -> Lanes<S> {
    others * (2.0 * own) / (others + own)
}

/// Penalty contact at work.
#[derive(Clone, Debug)]
pub(crate) struct PenaltySolver {
    parameters: Penalty,
    /// Young's modulus of every material, and of every particle, that counts for contact [Pa].
    moduli: Vec<Real>,
    young: Vec<Real>,
    /// Speed of sound of the contact springs [m/s].
    speed: Real,
    moving: Vec<[Real; 4]>,
    /// Accelerations by walls [m/s²], and by their friction.
    from_walls: Vec<Vec3>,
    friction: Vec<Vec3>,
}

impl PenaltySolver {
    /// d^(dim−2), by which moduli become springs.
    fn scale(world: &World) -> Real {
        world.dimension.cell_volume(world.spacing) / (world.spacing * world.spacing)
    }

    /// The normal force of a wall on particle `i` [N].
    #[inline(always)]
    fn normal_force(&self, plane: &WallPlane, world: &World, i: usize) -> Real {
        let overlap = 0.5 * world.spacing - plane.height;
        if overlap <= 0.0 {
            return 0.0;
        }
        let (spring, mass) = (self.young[i] * Self::scale(world), world.particles.mass(i));
        let parting = (world.particles.velocity[i] - plane.velocity).dot(plane.normal);
        (spring * overlap - 2.0 * self.parameters.damping * (spring * mass).sqrt() * parting).max(0.0)
    }

    pub(crate) fn new(parameters: Penalty) -> Self {
        PenaltySolver {
            parameters,
            moduli: Vec::new(),
            young: Vec::new(),
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
        let young = |material: &Material| material.elastic.as_ref().map(|elastic| elastic.law().moduli.young());
        // What has no modulus of its own is as stiff as the stiffest that has.
        let stiffest = world.materials_in_use().filter_map(young).fold(0.0, Real::max);
        let given = self.parameters.stiffness;
        let modulus = |material: &Material| given.or(young(material)).unwrap_or(stiffest);
        self.moduli.clear();
        self.moduli.extend(world.materials.iter().map(modulus));
        let both = || world.materials_in_use().map(|material| (modulus(material), 1.0 / material.density));
        let squared = |(one, other): ((Real, Real), (Real, Real))| 0.5 * in_series(one.0, other.0) * (one.1 + other.1);
        let pairs = both().flat_map(|one| both().map(move |other| (one, other)));
        self.speed = pairs.map(squared).fold(0.0, Real::max).sqrt();
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
        let (moduli, scale) = (&self.moduli, Self::scale(world));
        self.young.clear();
        let materials = &particles.material[world.kinds.matter()];
        self.young.extend(materials.iter().map(|&material| moduli[material as usize]));
        self.young.resize(particles.len(), 0.0);
        let young = &self.young;
        each!(pairs, Who::Matter, acceleration, |i, near, acceleration| {
            let (home, mass, own) = (particles.velocity[i], particles.mass(i), young[i]);
            let force = exchange!(near.matter(), |j| {
                let (velocity, other) = j.get_packed(moving);
                let (tiny, zero) = (j.splat(Real::MIN_POSITIVE), j.splat(0.0));
                // A particle and itself have no direction between them.
                let normal = j.x_ij() * (j.splat(1.0) / j.r().max(tiny));
                let overlap = j.splat(spacing) - j.r();
                let stiffness = in_series_of(j.get(young), own) * scale;
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
            let bear = |plane: WallPlane| plane.normal * (self.normal_force(&plane, world, i) / particles.mass(i));
            *from_walls = WallPlane::of(near, to_surface, moving).map_or(Vec3::ZERO, bear);
        });
        acceleration.iter_mut().zip(&from_walls).for_each(|(acceleration, from_wall)| *acceleration += *from_wall);
        self.from_walls = from_walls;
    }

    fn by_walls(&self) -> &[Vec3] {
        &self.from_walls
    }

    /// Friction on walls: all other accelerations are known here.
    fn correct(&mut self, world: &World, pairs: &Pairs, motion: Motion, acceleration: &mut [Vec3]) {
        if !is_rough(world) {
            return;
        }
        stage!("wall friction");
        let moving = &self.moving;
        let (to_surface, lead) = (&world.particles.to_surface, motion.lead(world));
        let mut friction = std::mem::take(&mut self.friction);
        friction.resize(acceleration.len(), Vec3::ZERO);
        let known = &*acceleration;
        each!(pairs, Who::Matter, &mut friction, |i, near, friction| {
            *friction = Vec3::ZERO;
            if let Some(plane) = WallPlane::of(near, to_surface, moving) {
                let after = motion.velocity(world, i, known[i]) - plane.velocity;
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
