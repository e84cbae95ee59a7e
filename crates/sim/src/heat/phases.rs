//! Melting and freezing: particles leave solids and join them (Sol09 5.4).
//!
//! Between two steps, before the next, every particle is asked once: a solid one that has all its latent heat melts, a fluid one
//! that has no more than it has at the temperature at which it sets is solid from now on. All changes are made in one batch.
//!
//! - What melts drops its bonds, and its neighbours drop theirs to it. A solid that has fallen apart is several bodies from then
//!   on, of which the one with the most particles keeps the name.
//! - What sets joins the solids of its material that it touches, and whatever else sets there: they are one body. It is bonded
//!   to all of that body within its support, as they are now, so that no bond carries stress (Sol09 5.1: a vector for each
//!   pair, no shape at rest). Only what has just set is bonded: two solids that touch without melting stay two, and are not
//!   bonded where they merely touch even if they have frozen together elsewhere.
//! - Nobody's velocity changes. The energy of deformation of bonds that are dropped becomes heat of those who melt.
//!
//! All of it follows from columns, so that a run that is resumed decides the same. Sums over particles and unions go by
//! identifiers and slots, never by the order of memory.

use std::collections::{BTreeMap, BTreeSet};

use super::{HeatReceived, split};
use crate::elasticity::DeformationEnergies;
use crate::error::StepError;
use crate::real::{Mat3, Real};
use crate::reduce::Sum;
use crate::simulation::Simulation;
use crate::world::{KindId, World};

/// How near to each other particles touch, in spacings: diagonal neighbours of a square do, those of a cube do not.
const TOUCH: Real = 1.5;

/// Who changes: particles by index.
#[derive(Debug, Default)]
struct Flips {
    melting: Vec<usize>,
    setting: Vec<usize>,
}

/// What sets together: particles by index, and the slots of solids that it joins.
#[derive(Debug, Default)]
struct Cluster {
    particles: Vec<usize>,
    solids: BTreeSet<u32>,
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
        let concerned = self.flip(&melting, &setting)?;
        if may_fall_apart {
            self.split_solids(&concerned)?;
        }
        self.prepare()?;
        if !melting.is_empty() {
            let lost = before - self.deformation();
            self.warm(&molten, lost);
        }
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
        let bonds = self.bonds_to_come(melting, &clusters);
        let targets = self.targets(&clusters);
        let all: Vec<_> = melting.iter().chain(setting).copied().collect();
        let mut concerned = BTreeSet::new();
        let changed = self.change(&all, |batch, world| {
            // As they are before any bond is dropped or made: afterwards, what is known of neighbourhoods is not up to date.
            let solids = std::mem::take(&mut world.solids);
            let rotation = |i: usize| if i < solids.len() { solids.rotation_at(world, i) } else { Mat3::ZERO };
            let turned: BTreeMap<_, _> = bonds.iter().flat_map(|&(i, j)| [i, j]).map(|i| (i, rotation(i))).collect();
            world.solids = solids;
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
            for &(from, to) in &bonds {
                let (i, j) = (batch.renumbering.place_of(from), batch.renumbering.place_of(to));
                solids.tie(world, (i, j), [turned[&from], turned[&to]]);
                batch.touch(world, i, j);
            }
            world.solids = solids;
            concerned.clone_from(&batch.bodies);
        });
        changed.map_err(unprepared)?;
        Ok(concerned)
    }

    /// Who sets together, and with which solids.
    fn clusters(&self, melting: &[usize], setting: &[usize]) -> Vec<Cluster> {
        let Simulation { world, pairs, .. } = self;
        let particles = &world.particles;
        let bonded = world.kinds.segment(KindId::ELASTIC);
        let reach = (TOUCH * world.spacing).powi(2);
        let mut clusters = Vec::new();
        let mut cluster_of = BTreeMap::<usize, usize>::new();
        // Solids are nodes too: two that touch what sets between them become one.
        let mut of_solid = BTreeMap::<u32, Vec<usize>>::new();
        let touched = |i: usize| {
            let near = move |j: &usize| {
                let distance = world.domain.shortest(particles.position[i] - particles.position[*j]).length_squared();
                particles.material[*j] == particles.material[i] && distance <= reach
            };
            pairs.neighbors(i).filter(near).collect::<Vec<_>>()
        };
        for &i in setting {
            for j in touched(i).into_iter().filter(|j| bonded.contains(j) && melting.binary_search(j).is_err()) {
                of_solid.entry(particles.body[j]).or_default().push(i);
            }
        }
        for &seed in setting {
            if cluster_of.contains_key(&seed) {
                continue;
            }
            let mut cluster = Cluster::default();
            let mut open = vec![seed];
            cluster_of.insert(seed, clusters.len());
            while let Some(i) = open.pop() {
                cluster.particles.push(i);
                let mut reached = Vec::new();
                for j in touched(i) {
                    if setting.binary_search(&j).is_ok() {
                        reached.push(j);
                    } else if bonded.contains(&j)
                        && melting.binary_search(&j).is_err()
                        && cluster.solids.insert(particles.body[j])
                    {
                        reached.extend(of_solid.get(&particles.body[j]).into_iter().flatten());
                    }
                }
                for j in reached {
                    if cluster_of.insert(j, clusters.len()).is_none() {
                        open.push(j);
                    }
                }
            }
            cluster.particles.sort_unstable_by_key(|&i| particles.id[i]);
            clusters.push(cluster);
        }
        clusters
    }

    /// Pairs of which one has just set, and both are of one body then.
    fn bonds_to_come(&self, melting: &[usize], clusters: &[Cluster]) -> Vec<(usize, usize)> {
        let Simulation { world, pairs, .. } = self;
        let particles = &world.particles;
        let bonded = world.kinds.segment(KindId::ELASTIC);
        let mut bonds = Vec::new();
        for cluster in clusters {
            let own: BTreeSet<_> = cluster.particles.iter().copied().collect();
            for &i in &cluster.particles {
                let is_new = |j: &usize| own.contains(j) && particles.id[*j] > particles.id[i];
                let is_solid = |j: &usize| {
                    bonded.contains(j)
                        && cluster.solids.contains(&particles.body[*j])
                        && particles.material[*j] == particles.material[i]
                        && melting.binary_search(j).is_err()
                };
                let mut others: Vec<_> = pairs.neighbors(i).filter(|j| is_new(j) || is_solid(j)).collect();
                others.sort_unstable_by_key(|&j| particles.id[j]);
                bonds.extend(others.into_iter().map(|j| (i, j)));
            }
        }
        bonds
    }

    /// The body that each cluster belongs to from now on; none if it is a new one.
    fn targets(&self, clusters: &[Cluster]) -> Vec<Option<u32>> {
        let Simulation { world, .. } = self;
        let mut solid = vec![0_usize; world.bodies.len()];
        world.kinds.segment(KindId::ELASTIC).for_each(|i| solid[world.particles.body[i] as usize] += 1);
        let mut taken = BTreeSet::new();
        let target = |cluster: &Cluster| {
            // The largest, the first of several.
            let largest = cluster.solids.iter().max_by_key(|slot| (solid[**slot as usize], std::cmp::Reverse(**slot)));
            let own = cluster.particles.first().map(|&i| world.particles.body[i]);
            let free = own.filter(|own| solid[*own as usize] == 0 && taken.insert(*own));
            largest.copied().or(free)
        };
        clusters.iter().map(target).collect()
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

    /// May solids be in several parts when these particles have left them? Not if those around each hole are still connected by
    /// bonds among themselves: then every way through the hole has a way around it.
    fn may_fall_apart(&self, leaving: &[usize]) -> bool {
        let leaves = |i: &usize| leaving.binary_search(i).is_ok();
        let mut seen = BTreeSet::new();
        leaving.iter().any(|&seed| {
            if !seen.insert(seed) {
                return false;
            }
            let (mut open, mut around) = (vec![seed], BTreeSet::new());
            while let Some(i) = open.pop() {
                for j in self.solids.holding(i) {
                    match leaves(&j) {
                        true if seen.insert(j) => open.push(j),
                        true => {}
                        false => _ = around.insert(j),
                    }
                }
            }
            open.extend(around.pop_first());
            while let Some(i) = open.pop() {
                open.extend(self.solids.holding(i).filter(|j| around.remove(j)));
            }
            !around.is_empty()
        })
    }
}

fn unprepared(error: crate::error::SetupError) -> StepError {
    StepError::Phases(error.to_string())
}

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;
