//! Fracture (Sol09 5.2.4): bonds that are stretched too far break.
//!
//! Between two steps, before the next, a bond breaks that is longer than at rest by more than a ratio s,
//!
//! ```text
//! |x_ji| > s |x⁰_ji|
//! ```
//!
//! where the less of both materials counts, and a material without limit has none. Both particles drop each other at once, with their share in
//! what is known of each other's neighbourhood, and are neighbours like any others from then on: what they do to each other is
//! contact. They are farther apart than at rest, and each reads less of the other than it read while they were bonded, so that contact does not
//! throw them apart. What has fallen apart is several bodies from then on, of which the one with the most particles keeps the name; all
//! keep the clamps that hold their particles.
//!
//! Bonds of all lengths break at the same ratio: a crack that has opened by 0.6 spacings, where s is 1.6, is still bridged by bonds
//! between particles that were two spacings apart, until it has opened by 1.2.
//!
//! Energy of bonds that break is gone: it is no work. All of it follows from columns and bonds, so that a run that is resumed
//! breaks the same.

use std::collections::BTreeSet;

use super::explicit::remainders;
use crate::error::StepError;
use crate::neighbors::each_bond;
use crate::parameters::{Limits, parameters};
use crate::real::Real;
use crate::simulation::Simulation;
use crate::stage::stage;
use crate::world::{Material, World};

parameters! {
    /// Breaks where it is stretched too far: `breaks = { stretch = 1.6 }`.
    pub struct Breaks {
        /// Length of bonds over that at rest beyond which they break [-]: glass has 1.01, rubber 3.
        stretch: Real = 1.5, Limits::above(1.0);
    }
}

/// Memory for fracture.
#[derive(Debug, Default)]
pub(crate) struct Fracture {
    fine: Vec<[Real; 4]>,
    /// Of which particles is a bond too long?
    is_torn: Vec<bool>,
}

/// The square of the ratio at which the bonds of a material break.
fn limit_squared(material: &Material) -> Real {
    material.breaks.as_ref().map_or(Real::INFINITY, |breaks| breaks.stretch * breaks.stretch)
}

impl Simulation {
    /// Breaks bonds that are too long; neighbours must be up to date, and will be again.
    pub(crate) fn break_stretched_bonds(&mut self) -> Result<(), StepError> {
        let World { solids, materials, .. } = &self.world;
        if solids.len() == 0 || materials.iter().all(|material| material.breaks.is_none()) {
            return Ok(());
        }
        let broken = self.find_stretched_bonds();
        if broken.is_empty() {
            return Ok(());
        }
        let mut concerned = BTreeSet::new();
        let changed = self.change(&[], |batch, world| {
            for &(i, j) in &broken {
                world.part(i, j);
                batch.touch(world, i, j);
            }
            concerned.clone_from(&batch.bodies);
        });
        changed.map_err(|error| StepError::Phases(error.to_string()))?;
        if self.world.may_be_apart(&broken) {
            self.split_solids(&concerned)?;
        }
        self.prepare()
    }

    /// Pairs whose bonds are too long, each once, in the order of identifiers.
    fn find_stretched_bonds(&mut self) -> Vec<(usize, usize)> {
        stage!("fracture");
        let Simulation { world, pairs, scratch, .. } = self;
        let World { solids, particles, materials, .. } = &*world;
        let Fracture { fine, is_torn } = &mut scratch.fracture;
        let places = remainders(world, pairs, fine);
        let limit = |i: usize| limit_squared(&materials[particles.material[i] as usize]);
        is_torn.clear();
        is_torn.resize(solids.len(), false);
        each_bond!(&solids.bonds, is_torn, |i, near, is_torn| {
            let own = limit(i);
            *is_torn = own < Real::INFINITY && near.longest_stretch_squared(&places, i) > own;
        });
        let mut broken = BTreeSet::new();
        for i in (0..solids.len()).filter(|&i| is_torn[i]) {
            for (j, rest, _) in solids.bonds.of(i) {
                let length = places.difference(j, i).length_squared();
                if length > limit(i).min(limit(j)) * rest.length_squared() {
                    let (a, b) = if particles.id[i] < particles.id[j] { (i, j) } else { (j, i) };
                    broken.insert([(particles.id[a], a), (particles.id[b], b)]);
                }
            }
        }
        broken.into_iter().map(|[(_, a), (_, b)]| (a, b)).collect()
    }
}
