//! A step that fails leaves no trace: what it may change is kept before it, and put back.
//!
//! That is all of the state ([`State`](crate::State)) that a step changes: the rows of the columns by their
//! [`Lifetime`](crate::Lifetime), the [`Memory`] of bodies and models, and what the lists of neighbours were made of. Bodies,
//! bonds and the order of memory change between steps only.

use crate::measure::Extremes;
use crate::neighbors::Lists;
use crate::simulation::Simulation;
use crate::world::{Memory, Particles, RowsAtRisk, World};

/// What a step may change, as it was before.
#[derive(Debug, Default)]
pub(crate) struct Rollback {
    particles: Particles,
    memory: Memory,
    lists: Lists,
    extremes: Extremes,
}

/// The rows of the columns that a step may change.
fn rows_at_risk(world: &World) -> RowsAtRisk {
    let turns = world.bodies.iter().filter_map(|body| body.path.as_ref()).any(|path| path.turns());
    let walls = world.kinds.walls();
    let turning = if turns { walls } else { walls.end..walls.end };
    RowsAtRisk { matter: world.kinds.matter(), turning, count: world.particles.len() }
}

impl Simulation {
    /// Remembers the world before a step.
    pub(crate) fn keep(&mut self) {
        let Rollback { particles, memory, lists, extremes } = &mut self.scratch.rollback;
        particles.keep(&self.world.particles, &rows_at_risk(&self.world));
        memory.clone_from(&self.world.memory);
        (*lists, *extremes) = (self.pairs.lists(), self.extremes);
        self.pairs.mark();
    }

    /// Puts the world back as it was before the step.
    pub(crate) fn take_back(&mut self) {
        let Simulation { world, pairs, scratch, extremes, .. } = self;
        let (kept, rows) = (&scratch.rollback, rows_at_risk(world));
        kept.particles.put_back(&mut world.particles, &rows);
        world.memory.clone_from(&kept.memory);
        *extremes = kept.extremes;
        // Walls and clamps are where their paths say.
        world.follow_paths(world.clock.time);
        let World { particles, solids, .. } = world;
        pairs.retrace(particles, kept.lists, &solids.bonds, &scratch.acceleration);
        #[cfg(test)]
        if std::mem::take(&mut self.fault.in_take_back) {
            self.take_back();
        }
    }
}

#[cfg(test)]
mod tests;
