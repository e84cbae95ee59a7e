//! The trait of processes: a model that owns columns and advances them.
//!
//! A force accelerates; a process changes what particles carry with them (temperature, damage, dye). Its columns are
//! columns of the world like any other: sorted, added, removed, taken back, written to frames and checkpoints with them.

use std::ops::{Index, IndexMut, Range};

use crate::divergence::{Divergence, refuse_infinite_columns};
use crate::force::StepContext;
use crate::heat::HeatReceived;
use crate::neighbors::Pairs;
use crate::real::Real;
use crate::reduce::Sum;
use crate::simulation::{Scratch, Simulation};
use crate::world::{OwnColumn, World};

/// Something that advances columns of its own. See CONTRIBUTING.md, "a new process in four moves".
pub trait Process: Send + Sync {
    /// The columns it owns: their names, units, and what a new particle has.
    fn columns(&self) -> Vec<OwnColumn>;

    /// Carries its columns through the step to be made, from the world before it. `own` has their values, in the order of
    /// [`columns`](Self::columns), one for each particle of the world.
    fn advance(&mut self, step: &StepContext<'_>, own: &mut OwnValues<'_>);

    /// Does it act between particles that are bonded to each other (`near.bonded()`)? Then these are listed.
    fn sees_bonded(&self) -> bool {
        false
    }

    /// Heat that it has just let in from outside [J], if it is heat that it carries.
    fn heat_received(&self) -> Option<HeatReceived> {
        None
    }

    /// The longest step for which it is stable [s], if it limits the step. It may remember nothing from earlier steps.
    fn longest_step(&self, world: &World, pairs: &Pairs) -> Option<Real> {
        let _ = (world, pairs);
        None
    }
}

/// The values of the columns that a process owns: may be changed, but not in number.
#[derive(Debug)]
pub struct OwnValues<'a>(&'a mut [Vec<Real>]);

impl OwnValues<'_> {
    /// The columns one after another, for processes that change several at a time.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [Real]> {
        self.0.iter_mut().map(Vec::as_mut_slice)
    }
}

impl Index<usize> for OwnValues<'_> {
    type Output = [Real];

    fn index(&self, column: usize) -> &[Real] {
        &self.0[column]
    }
}

impl IndexMut<usize> for OwnValues<'_> {
    fn index_mut(&mut self, column: usize) -> &mut [Real] {
        &mut self.0[column]
    }
}

/// A process at work, and which of the columns that processes own are its.
pub(crate) struct Owner {
    pub(crate) process: Box<dyn Process>,
    pub(crate) columns: Range<usize>,
}

impl Simulation {
    /// Adds a process of your own: columns that it owns and advances.
    pub fn add_process(&mut self, process: Box<dyn Process>) {
        let particles = &mut self.world.particles;
        let first = particles.own.len();
        for mut column in process.columns() {
            column.values = vec![column.initial; particles.len()];
            particles.own.push(column);
        }
        let columns = first..particles.own.len();
        if process.sees_bonded() {
            self.list_bonded();
        }
        self.models.processes.push(Owner { process, columns });
    }

    /// The values of a column that a process owns, by its name, to be changed between steps: one for each particle.
    pub fn own_column_mut(&mut self, name: &str) -> Option<&mut [Real]> {
        let column = self.world.particles.own.iter_mut().find(|column| column.name == name)?;
        Some(&mut column.values)
    }

    /// What particles carry with them changes in a step of `dt`; nothing infinite may come of it.
    pub(crate) fn advance_processes(&mut self, dt: Real) -> Result<(), Divergence> {
        let Simulation { world, models, pairs, scratch: Scratch { own, .. }, .. } = self;
        for Owner { process, columns } in &mut models.processes {
            own.clear();
            let columns = columns.clone();
            own.extend(world.particles.own[columns.clone()].iter_mut().map(|own| std::mem::take(&mut own.values)));
            let step = StepContext { world, pairs, sound_speed: models.pressure.sound_speed(world), dt };
            process.advance(&step, &mut OwnValues(own));
            if let Some(received) = process.heat_received() {
                world.memory.heat = world.memory.heat.plus(received);
            }
            world.particles.own[columns].iter_mut().zip(own.drain(..)).for_each(|(own, values)| own.values = values);
        }
        refuse_infinite_columns(&self.world)
    }
}
