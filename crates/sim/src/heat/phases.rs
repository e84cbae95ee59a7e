//! Melting and freezing: particles leave solids and join them (Sol09 5.4).
//!
//! Between two steps, before the next, every particle is asked once: a solid one that has all its latent heat melts, a fluid one
//! that has no more than it has at the temperature at which it sets is solid from now on. All changes are made in one batch.
//!
//! - What melts drops its bonds, and its neighbours drop theirs to it. A solid that has fallen apart is several bodies from then
//!   on, of which the one with the most particles keeps the name.
//! - What sets joins the solids of its material that it touches, and whatever else sets there: they are one body. It is bonded
//!   to all of that body within its support, as they are now, so that no bond carries stress (Sol09 5.1: a vector for each
//!   pair, no shape at rest): these vectors are turned back as far as the solid has turned, and where several solids become
//!   one, the smaller are turned at rest to agree with the largest. Only what has just set is bonded: two solids that touch without melting stay two, and are not
//!   bonded where they merely touch even if they have frozen together elsewhere.
//! - Nobody's velocity changes. The energy of deformation of bonds that are dropped becomes heat of those who melt.
//!
//! All of it follows from columns, so that a run that is resumed decides the same. Sums over particles and unions go by
//! identifiers and slots, never by the order of memory.

use std::collections::BTreeSet;

use super::freezing::Cluster;
use super::{HeatReceived, split};
use crate::elasticity::DeformationEnergies;
use crate::error::StepError;
use crate::reduce::Sum;
use crate::simulation::Simulation;
use crate::world::{KindId, World};

/// Who changes: particles by index.
#[derive(Debug, Default)]
struct Flips {
    melting: Vec<usize>,
    setting: Vec<usize>,
}

impl Simulation {
    /// Lets particles melt and freeze, if any do; neighbours must be up to date, and will be again.
    pub(crate) fn change_phases(&mut self) -> Result<(), StepError> {
        if !self.world.materials.iter().any(|material| material.melts()) {
            return Ok(());
        }
        let Flips { melting, setting } = self.find_flips();
        if melting.is_empty() && setting.is_empty() {
            return Ok(());
        }
        let before = if melting.is_empty() { 0.0 } else { self.deformation() };
        let molten: Vec<_> = melting.iter().map(|&i| self.world.particles.id[i]).collect();
        let may_fall_apart = self.world.may_fall_apart(&melting);
        let watched = self.world.memory.energy;
        let concerned = self.flip(&melting, &setting)?;
        if may_fall_apart {
            self.split_solids(&concerned)?;
        }
        self.prepare()?;
        let lost = if melting.is_empty() { 0.0 } else { before - self.deformation() };
        self.warm(&molten, lost);
        // Nobody gives energy here, so that the balance goes on: what bonds had is heat, and what new ones have is a gain.
        self.world.memory.energy = watched.map(|balance| balance.less_heat(lost));
        Ok(())
    }

    /// Who melts, and who sets?
    fn find_flips(&self) -> Flips {
        let Simulation { world, .. } = self;
        let Some(first) = self.heat_columns() else { return Flips::default() };
        let [enthalpy, remainder] = [1, 2].map(|k| &world.particles.own[first + k].values);
        let heat_of = |i: usize| {
            let heat = world.materials[world.particles.material[i] as usize].heat.as_ref()?;
            Some((heat.curve(), heat.sets_at()?, f64::from(enthalpy[i]) + f64::from(remainder[i])))
        };
        let melts = |i: &usize| heat_of(*i).is_some_and(|(curve, _, held)| curve.liquid_share(held) >= 1.0);
        let sets = |i: &usize| heat_of(*i).is_some_and(|(curve, at, held)| held <= curve.enthalpy(at));
        Flips {
            melting: world.kinds.segment(KindId::ELASTIC).filter(melts).collect(),
            setting: world.kinds.segment(KindId::FLUID).filter(sets).collect(),
        }
    }

    /// Makes all flips in one batch; the slots of the bodies concerned.
    fn flip(&mut self, melting: &[usize], setting: &[usize]) -> Result<BTreeSet<u32>, StepError> {
        let clusters = self.clusters(melting, setting);
        let targets = self.targets(&clusters);
        // As they are before any bond is dropped or made: afterwards, what is known of neighbourhoods is not up to date.
        let seams = self.seams(melting, &clusters, &targets);
        let all: Vec<_> = melting.iter().chain(setting).copied().collect();
        let mut concerned = BTreeSet::new();
        let changed = self.change(&all, |batch, world| {
            for (solid, turn) in seams.iter().flat_map(|seam| &seam.turns) {
                batch.turn_rest(world, *solid, *turn);
            }
            for &origin in melting {
                let i = batch.renumbering.place_of(origin);
                batch.transfer(world, i, KindId::FLUID);
            }
            for (cluster, target) in clusters.iter().zip(&targets) {
                let slot = world.slot_of(*target, cluster);
                for &other in cluster.solids.iter().filter(|other| **other != slot) {
                    world.merge(slot, other);
                    batch.bodies.extend([slot, other]);
                }
                for &origin in &cluster.particles {
                    let i = batch.renumbering.place_of(origin);
                    world.hand_over(i, slot);
                    batch.transfer(world, i, KindId::ELASTIC);
                }
                batch.bodies.insert(slot);
            }
            let mut solids = std::mem::take(&mut world.solids);
            for &(from, to, turned) in seams.iter().flat_map(|seam| &seam.bonds) {
                let (i, j) = (batch.renumbering.place_of(from), batch.renumbering.place_of(to));
                solids.tie(world, (i, j), turned);
                batch.touch(world, i, j);
            }
            world.solids = solids;
            concerned.clone_from(&batch.bodies);
        });
        changed.map_err(unprepared)?;
        Ok(concerned)
    }

    /// Energy of deformation of all solids [J].
    fn deformation(&self) -> f64 {
        let mut energies = DeformationEnergies::default();
        energies.find(&self.world, &self.pairs).iter().copied().map(f64::from).sum()
    }

    /// Gives particles, by identifier, heat that was energy of another kind [J].
    fn warm(&mut self, particles: &[u32], heat: f64) {
        let Some(first) = self.heat_columns() else { return };
        let ids: BTreeSet<_> = particles.iter().copied().collect();
        let fluid = self.world.kinds.segment(KindId::FLUID);
        let all: Vec<_> = fluid.filter(|&i| ids.contains(&self.world.particles.id[i])).collect();
        let of_all = &mut self.world.particles;
        let mass = |i: usize| f64::from(of_all.rest_density[i]) * f64::from(of_all.rest_volume[i]);
        let share = heat / all.iter().map(|&i| mass(i)).sum::<f64>();
        if !share.is_finite() {
            return;
        }
        for i in all {
            let [enthalpy, remainder] = [1, 2].map(|k| f64::from(of_all.own[first + k].values[i]));
            let [high, low] = split(enthalpy + remainder + share);
            of_all.own[first + 1].values[i] = high;
            of_all.own[first + 2].values[i] = low;
        }
        let received = HeatReceived { motion: heat, ..HeatReceived::default() };
        self.world.memory.heat = self.world.memory.heat.plus(received);
    }
}

impl World {
    /// The slot of the body of a cluster.
    fn slot_of(&mut self, target: Option<u32>, cluster: &Cluster) -> u32 {
        match (target, cluster.particles.first()) {
            (Some(slot), _) => slot,
            (None, Some(&first)) => self.new_body(self.particles.body[first]),
            (None, None) => 0,
        }
    }

    /// All particles of a body belong to another from now on, with what holds and pulls them.
    fn merge(&mut self, into: u32, from: u32) {
        let emptied = &mut self.bodies[from as usize];
        let (clamps, loads) = (std::mem::take(&mut emptied.clamps), std::mem::take(&mut emptied.loads));
        let count = std::mem::take(&mut emptied.particles);
        emptied.is_removed = true;
        let whole = &mut self.bodies[into as usize];
        let held_before = whole.clamps.len() as u32;
        whole.particles += count;
        whole.clamps.extend(clamps);
        whole.loads.extend(loads);
        // What lies near each other in the two shapes is not bonded for that.
        whole.is_reshaped = true;
        let particles = &mut self.particles;
        for (body, clamp) in particles.body.iter_mut().zip(&mut particles.clamp) {
            if *body == from {
                *body = into;
                *clamp += if *clamp > 0 { held_before } else { 0 };
            }
        }
    }
}

fn unprepared(error: crate::error::SetupError) -> StepError {
    StepError::Phases(error.to_string())
}

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;
