//! Walls are impenetrable.
//!
//! Pressure keeps fluid off a wall, but a lone particle has none: it is never compressed, and would fall through a wall
//! of one or two layers. So a particle that is too deep is put back, and loses its velocity into the wall.
//!
//! The height above the surface follows from the wall particles around, each of which stores the vector to its surface:
//!
//! ```text
//! height(x) = Σ_b W_b ((x − x_b)·n_b − d_b) / Σ_b W_b,    n = Σ_b W_b n_b, normalised
//! ```
//!
//! d_b n_b is the vector from a wall particle to its surface. On a plane it is exact; at edges it rounds them off, which
//! is why a quarter of a spacing is left free before a particle counts as too deep. Fluid under pressure keeps half a
//! spacing away, and never meets this rule.
//!
//! A wall particle speaks for its own surface only, and only to who comes from there: one that was behind it before the step
//! has come from another side of a thin wall. In the thinnest, wall particles lie in the middle, each with the surface that
//! happened to be nearer: where all have the other one, they are turned round.

use super::{Particles, World};
use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::stage::stage;

/// How deep a particle may be, in spacings: at edges, which the mean rounds off, a smaller depth would move particles
/// that are outside.
const TOLERATED_DEPTH: Real = 0.25;

/// Puts back matter that has got too deep into a wall in a step of `dt`. `pairs` may be those of before the motion.
pub(crate) fn keep_out_of_walls(world: &mut World, pairs: &Pairs, dt: Real) {
    if world.kinds.walls().is_empty() {
        return;
    }
    stage!("impenetrable");
    let (first_wall, domain) = (world.kinds.walls().start, world.domain);
    let deepest = -TOLERATED_DEPTH * world.spacing;
    let Particles { position, velocity, to_surface, clamp, .. } = &mut world.particles;
    let (position, wall_position) = position.split_at_mut(first_wall);
    let (velocity, wall_velocity) = velocity.split_at_mut(first_wall);
    pairs.each_at_walls(position, velocity, |i, x, v, walls| {
        // What a clamp holds stays where it is, be it inside a wall.
        if clamp[i] > 0 {
            return;
        }
        // Above the surface of every wall particle nearby, as nearly all are: then also above their mean.
        let is_above = |b: usize| {
            let to_surface = to_surface[b];
            domain.shortest(*x - wall_position[b - first_wall]).dot(to_surface) >= to_surface.length_squared()
        };
        if walls.particles().all(is_above) {
            return;
        }
        let mut sides = [Surface::default(); 2];
        for b in walls.particles() {
            let wall = b - first_wall;
            let from_wall = domain.shortest(*x - wall_position[wall]);
            let weight = pairs.kernel().value(from_wall.length());
            let before = from_wall - dt * (*v - wall_velocity[wall]);
            match before.dot(to_surface[b]) >= 0.0 {
                true => sides[0].add(weight, from_wall, to_surface[b], wall_velocity[wall]),
                false => sides[1].add(weight, from_wall, -to_surface[b], wall_velocity[wall]),
            }
        }
        let [facing, turned] = sides;
        let surface = if facing.weight > 0.0 { facing } else { turned };
        if surface.height() < deepest {
            let normal = surface.normal.normalize_or_zero();
            *x = domain.wrap(*x + normal * (deepest - surface.height()));
            let inwards = (*v - surface.velocity / surface.weight).dot(normal).min(0.0);
            *v -= normal * inwards;
        }
    });
}

/// Kernel sums over the wall particles around a position.
#[derive(Clone, Copy, Default)]
struct Surface {
    weight: Real,
    height: Real,
    normal: Vec3,
    velocity: Vec3,
}

impl Surface {
    fn add(&mut self, weight: Real, from_wall: Vec3, to_surface: Vec3, velocity: Vec3) {
        let depth = to_surface.length();
        if depth > 0.0 {
            let normal = to_surface / depth;
            self.weight += weight;
            self.height += weight * (from_wall.dot(normal) - depth);
            self.normal += weight * normal;
            self.velocity += weight * velocity;
        }
    }

    /// Above the surface; infinite where there is no wall.
    fn height(&self) -> Real {
        if self.weight > 0.0 { self.height / self.weight } else { Real::INFINITY }
    }
}
