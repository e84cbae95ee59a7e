//! Predictor-corrector contact: impulses between particles that would overlap after the step (BIT09 5.4, after
//! Guendelman 2003 without its iteration), for elastic bodies alone.
//!
//! With the predicted velocities w, and n the direction between two particles at their predicted positions,
//!
//! ```text
//! w_i −= Σ_j (1 + e) m_j/(m_i + m_j) (w_ij·n) n / max(s_i, s_j, 1)    of pairs less than d apart after the step, and nearing
//! s_i  = |Σ_j n|² / Σ_j 1                                               of the same pairs
//! ```
//!
//! d is the spacing, e the restitution. All pairs act at once: s_i is the factor by which the impulses of pairs with
//! similar n would add up to too much. Pairs that overlap count as nearing until they part by a tenth of the overlap in
//! a step, or bodies at rest would sink into each other. The distance kept from a wall is half a spacing. Friction is
//! at most μ times the normal impulse. Momentum is conserved exactly.

use super::Contact;
use super::friction::{hold, pack_motion};
use super::wall_plane::WallPlane;
use crate::neighbors::{Pairs, Who, pack, row};
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::stage::stage;
use crate::time::Motion;
use crate::world::World;
use crate::{each, exchange, sum};

parameters! {
    /// Contact of elastic bodies by stopping what would come too close: for explicit models. No fluids.
    pub struct PredictorCorrector {
        /// The share of the approach with which particles part again [-]; bodies rebound by their elasticity even without.
        restitution: Real = 0.0, Limits::within(0.0, 1.0);
        /// Friction of bodies on each other: the share of the normal impulse that it can bear [-]. Walls have their own.
        friction: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

/// The share of an overlap that a step removes; with none, bodies at rest would sink into each other.
const OVERLAP_REMOVED: Real = 0.1;

/// Predictor-corrector contact at work.
#[derive(Clone, Debug)]
pub(crate) struct PredictorCorrectorSolver {
    parameters: PredictorCorrector,
    /// Predicted velocities, and friction of walls or masses of matter.
    moving: Vec<[Real; 4]>,
    /// Predicted positions.
    predicted: Vec<[Real; 4]>,
    /// max(s_i, 1).
    crowding: Vec<Real>,
    /// Changes of velocity by other matter [m/s].
    changes: Vec<Vec3>,
    /// Accelerations by walls [m/s²].
    from_walls: Vec<Vec3>,
}

impl PredictorCorrectorSolver {
    pub(crate) fn new(parameters: PredictorCorrector) -> Self {
        PredictorCorrectorSolver {
            parameters,
            moving: Vec::new(),
            predicted: Vec::new(),
            crowding: Vec::new(),
            changes: Vec::new(),
            from_walls: Vec::new(),
        }
    }

    /// Velocities and positions by these accelerations.
    fn predict(&mut self, world: &World, motion: Motion, acceleration: &[Vec3]) {
        let particles = &world.particles;
        pack_motion(world, &mut self.moving);
        for (i, moving) in self.moving[world.kinds.matter()].iter_mut().enumerate() {
            *moving = row(motion.velocity(world, i, acceleration[i]), moving[3]);
        }
        let moving = &self.moving;
        pack(&mut self.predicted, particles.len(), |i| {
            let [x, y, z, _] = moving[i];
            row(particles.position[i] + motion.dt * Vec3::new(x, y, z), particles.rest_volume[i])
        });
    }
}

impl Contact for PredictorCorrectorSolver {
    fn name(&self) -> &'static str {
        "predictor_corrector"
    }

    fn by_walls(&self) -> &[Vec3] {
        &self.from_walls
    }

    fn correct(&mut self, world: &World, pairs: &Pairs, motion: Motion, acceleration: &mut [Vec3]) {
        stage!("predictor-corrector contact");
        self.predict(world, motion, acceleration);
        self.crowding.resize(world.particles.len(), 0.0);
        let PredictorCorrectorSolver { parameters, moving, predicted, crowding, changes, from_walls } = self;
        let (moving, predicted) = (&*moving, &*predicted);
        let (spacing, to_surface) = (world.spacing, &world.particles.to_surface);
        let velocity = |i: usize| Vec3::new(moving[i][0], moving[i][1], moving[i][2]);
        // Speed of parting, over the overlap.
        let recovery = OVERLAP_REMOVED / motion.dt;
        each!(pairs, Who::Matter, &mut crowding[world.kinds.matter()], |i, near, crowding| {
            let near = near.among(predicted, predicted[i]);
            let (count, normals) = sum!(near.matter(), |j| {
                let normal = j.x_ij() * (j.splat(1.0) / j.r().max(j.splat(Real::MIN_POSITIVE)));
                let overlap = j.splat(spacing) - j.r();
                let parting = (j.splat_vec(velocity(i)) - j.get_packed(moving).0).dot(normal);
                let (one, zero) = (j.splat(1.0), j.splat(0.0));
                let meets = one.where_positive(overlap, zero).where_positive(overlap * recovery - parting, zero);
                (meets, normal * meets)
            });
            *crowding = (normals.length_squared() / count.max(1.0)).max(1.0);
        });
        let crowding = &*crowding;
        let more = 1.0 + parameters.restitution;
        changes.resize(acceleration.len(), Vec3::ZERO);
        each!(pairs, Who::Matter, changes, |i, near, change| {
            let near = near.among(predicted, predicted[i]);
            let (home, [.., mass]) = (velocity(i), moving[i]);
            *change = exchange!(near.matter(), |j| {
                let (velocity, other) = j.get_packed(moving);
                let (tiny, zero) = (j.splat(Real::MIN_POSITIVE), j.splat(0.0));
                let normal = j.x_ij() * (j.splat(1.0) / j.r().max(tiny));
                let apart = j.splat_vec(home) - velocity;
                let overlap = j.splat(spacing) - j.r();
                let parting = (apart.dot(normal) - overlap * recovery).min(zero).where_positive(overlap, zero);
                let share = other / ((other + mass) * j.get(crowding).max(j.splat(crowding[i])));
                let sliding = apart - normal * apart.dot(normal);
                let speed = sliding.dot(sliding).sqrt();
                let grip = (parting * (-more * parameters.friction)).min(speed) / speed.max(tiny);
                (normal * (parting * -more) - sliding * grip) * share
            });
        });
        let (changes, lead) = (&*changes, motion.lead(world));
        from_walls.resize(acceleration.len(), Vec3::ZERO);
        each!(pairs, Who::Matter, from_walls, |i, near, from_walls| {
            let near = near.among(predicted, predicted[i]);
            *from_walls = Vec3::ZERO;
            if let Some(plane) = WallPlane::of(&near, to_surface, moving) {
                let apart = velocity(i) + changes[i] - plane.velocity;
                let (parting, overlap) = (apart.dot(plane.normal), 0.5 * spacing - plane.height);
                if overlap > 0.0 && parting < recovery * overlap {
                    let stop = more * (recovery * overlap - parting);
                    let change = plane.normal * stop + hold(apart - plane.normal * parting, plane.friction * stop);
                    *from_walls = change / lead;
                }
            }
        });
        for (acceleration, (change, from_walls)) in acceleration.iter_mut().zip(changes.iter().zip(&*from_walls)) {
            *acceleration += *change / lead + *from_walls;
        }
    }
}
