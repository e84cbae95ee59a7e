//! Walls and rigid bodies that close in on matter.
//!
//! What is between two of them that come closer must get out or be crushed. No solver survives the latter: fluid is as
//! incompressible as it can be, and is shot away, or everywhere at once.

use super::World;
use crate::real::{Real, Vec3};

/// Rigid bodies that come closer more slowly than this many times √(g d) rest on what is between.
const SLOWEST: Real = 0.05;

/// Two walls or rigid bodies that close in on a particle: a particle of each, the one that moves first.
pub(crate) struct Closing {
    pub(crate) sides: [usize; 2],
    /// How far apart their surfaces are there [m].
    pub(crate) gap: Real,
}

impl World {
    /// Those of some particles of walls and rigid bodies that close in on particle `i`: one that moves towards it and, farther on
    /// in the same direction, the next one of another wall or body.
    pub(crate) fn closing_in_on(&self, i: usize, around: impl Iterator<Item = usize> + Clone) -> Option<Closing> {
        let particles = &self.particles;
        // How far one of them is ahead, if it is on the way.
        let way = |b: usize, direction: Vec3| {
            let there = self.domain.shortest(particles.position[b] - particles.position[i]);
            let ahead = there.dot(direction);
            ((there - ahead * direction).length() < self.spacing && ahead > 0.0).then_some(ahead)
        };
        let pushers = around.clone().filter_map(|b| {
            let direction = particles.velocity[b].normalize_or_zero();
            Some((b, direction, way(b, -direction).filter(|_| direction != Vec3::ZERO)?))
        });
        let (pusher, direction, behind) = pushers.min_by(|a, b| a.2.total_cmp(&b.2))?;
        let are_walls = |c: usize| [pusher, c].iter().all(|b| self.kinds.walls().contains(b));
        let creep = SLOWEST * (self.gravity.length() * self.spacing).sqrt();
        let comes_closer = |c: usize| {
            let speed = (particles.velocity[pusher] - particles.velocity[c]).dot(direction);
            speed > if are_walls(c) { 0.0 } else { creep }
        };
        let others = around.filter(|&c| particles.body[c] != particles.body[pusher] && comes_closer(c));
        let (other, ahead) = others.filter_map(|c| Some((c, way(c, direction)?))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        let depth = |b: usize| match self.kinds.walls().contains(&b) {
            true => particles.to_surface[b].dot(direction).abs(),
            false => 0.5 * self.spacing,
        };
        Some(Closing { sides: [pusher, other], gap: behind + ahead - depth(pusher) - depth(other) })
    }
}
