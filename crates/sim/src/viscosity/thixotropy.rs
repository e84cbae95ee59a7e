//! Structure that shear breaks down and rest builds up: a process with a column of its own.
//!
//! The equation of [`rheology`](super::rheology) is solved exactly for the rate of shear of the start of each step, so that it does not
//! limit the step.

use rayon::prelude::*;

use super::rheology::thixotropy_of;
use super::shear_rate::ShearRate;
use crate::force::StepContext;
use crate::process::{OwnValues, Process};
use crate::real::Real;
use crate::world::{Material, OwnColumn, World};

/// The name of the column.
const STRUCTURE: &str = "structure";

/// The share of its structure that each particle has.
pub(super) fn structure(world: &World) -> Option<&[Real]> {
    world.particles.own.iter().find(|column| column.name == STRUCTURE).map(|column| column.values.as_slice())
}

/// The process of materials that have thixotropy.
#[derive(Debug)]
pub(crate) struct ThixotropicStructure {
    rate: ShearRate,
}

impl ThixotropicStructure {
    /// The process, if one of the materials asks for it.
    pub(crate) fn of(materials: &[Material]) -> Option<Box<dyn Process>> {
        let is_asked = materials.iter().any(|material| thixotropy_of(material).is_some());
        is_asked.then(|| Box::new(ThixotropicStructure { rate: ShearRate::default() }) as Box<dyn Process>)
    }
}

impl Process for ThixotropicStructure {
    fn columns(&self) -> Vec<OwnColumn> {
        vec![OwnColumn::new(STRUCTURE, "-", 1.0)]
    }

    fn advance(&mut self, step: &StepContext<'_>, own: &mut OwnValues<'_>) {
        let world = step.world;
        if !world.flowing_materials().any(|material| thixotropy_of(material).is_some()) {
            return;
        }
        let rates = self.rate.find((world, step.pairs), |material| thixotropy_of(material).is_some());
        let flowing = world.kinds.flowing();
        let columns = (&mut own[0][flowing.clone()], &rates[flowing.clone()], &world.particles.material[flowing]);
        columns.into_par_iter().with_min_len(4096).for_each(|(structure, rate, material)| {
            if let Some(thixotropy) = thixotropy_of(&world.materials[*material as usize]) {
                *structure = thixotropy.after(*structure, *rate, step.dt);
            }
        });
    }
}
