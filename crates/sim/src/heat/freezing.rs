//! Who freezes together, to what, and by which bonds.

use std::collections::{BTreeMap, BTreeSet};

use crate::real::Real;
use crate::simulation::Simulation;
use crate::world::KindId;

/// How near to each other particles touch, in spacings: diagonal neighbours of a square do, those of a cube do not.
const TOUCH: Real = 1.5;

/// What sets together: particles by index, and the slots of solids that it joins.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub(super) particles: Vec<usize>,
    pub(super) solids: BTreeSet<u32>,
}

impl Simulation {
    /// Who sets together, and with which solids.
    pub(super) fn clusters(&self, melting: &[usize], setting: &[usize]) -> Vec<Cluster> {
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
    pub(super) fn bonds_to_come(&self, melting: &[usize], clusters: &[Cluster]) -> Vec<(usize, usize)> {
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
    pub(super) fn targets(&self, clusters: &[Cluster]) -> Vec<Option<u32>> {
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
}
