//! The trait of processes: a model that owns columns and advances them.
//!
//! A force accelerates; a process changes what particles carry with them (temperature, damage, dye). Its columns are
//! columns of the world like any other: sorted, added, removed, taken back, written to frames and checkpoints with them.

use crate::force::StepContext;
use crate::neighbors::Pairs;
use crate::real::Real;
use crate::simulation::{Scratch, Simulation};
use crate::world::{OwnColumn, World};

/// Something that advances columns of its own. See CONTRIBUTING.md, "a new process in four moves".
pub trait Process: Send + Sync {
    /// The columns it owns: their names, units, and what a new particle has.
    fn columns(&self) -> Vec<OwnColumn>;

    /// Carries its columns through the step to be made, from the world before it. `own` has their values, in the order of
    /// [`columns`](Self::columns), one for each particle of the world.
    fn advance(&mut self, step: &StepContext<'_>, own: &mut [Vec<Real>]);

    /// Does it act between particles that are bonded to each other (`near.bonded()`)? Then these are listed.
    fn sees_bonded(&self) -> bool {
        false
    }

    /// The longest step for which it is stable [s], if it limits the step.
    fn longest_step(&self, world: &World, pairs: &Pairs) -> Option<Real> {
        let _ = (world, pairs);
        None
    }
}

impl Simulation {
    /// What particles carry with them changes in a step of `dt`.
    pub(crate) fn advance_processes(&mut self, dt: Real) {
        let Simulation { world, models, pairs, scratch: Scratch { own, .. }, .. } = self;
        let mut first = 0;
        for process in &mut models.processes {
            let columns = first..first + process.columns().len();
            first = columns.end;
            own.clear();
            own.extend(world.particles.own[columns.clone()].iter_mut().map(|own| std::mem::take(&mut own.values)));
            let step = StepContext { world, pairs, sound_speed: models.pressure.sound_speed(world), dt };
            process.advance(&step, own);
            world.particles.own[columns].iter_mut().zip(own.drain(..)).for_each(|(own, values)| own.values = values);
        }
    }
}
