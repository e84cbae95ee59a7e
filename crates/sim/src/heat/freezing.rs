//! Who freezes together, to what, and by which bonds.

use std::collections::{BTreeMap, BTreeSet};

use crate::elasticity::{Extent, Moments, rotation_in};
use crate::real::{Mat3, Real};
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

/// How a cluster is bonded.
#[derive(Debug)]
pub(super) struct Seam {
    /// Pairs, by index, and how far the neighbourhoods have turned in which they are bonded as they are.
    pub(super) bonds: Vec<(usize, usize, Mat3)>,
    /// Solids, by slot, that have turned otherwise than the one that they join, and by what they must be turned at rest.
    pub(super) turns: Vec<(u32, Mat3)>,
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

    /// What is bonded, and how, when these clusters have frozen to what they touch.
    pub(super) fn seams(&self, melting: &[usize], clusters: &[Cluster], targets: &[Option<u32>]) -> Vec<Seam> {
        let seam = |(cluster, target): (&Cluster, &Option<u32>)| self.seam(melting, cluster, *target);
        clusters.iter().zip(targets).map(seam).collect()
    }

    fn seam(&self, melting: &[usize], cluster: &Cluster, target: Option<u32>) -> Seam {
        let Simulation { world, .. } = self;
        let body = &world.particles.body;
        let bonds = self.bonds_to_come(melting, cluster);
        let is_solid = |j: &usize| world.kinds.bonded().contains(j);
        // How each solid has turned where it is touched.
        let mut touched: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for &(_, j) in bonds.iter().filter(|(_, j)| is_solid(j)) {
            touched.entry(body[j]).or_default().insert(j);
        }
        let moments_of = |all: &BTreeSet<usize>| {
            all.iter().map(|&j| world.solids.moments_at(world, j)).fold(Moments::default(), Moments::plus)
        };
        let turned = |slot: u32| touched.get(&slot).and_then(|all| moments_of(all).rotation(world.dimension));
        let mut turns = BTreeMap::new();
        if let Some((slot, rotation)) = target.and_then(|slot| Some((slot, turned(slot)?))) {
            for &other in cluster.solids.iter().filter(|other| **other != slot) {
                turns.extend(turned(other).map(|own| (other, rotation.transpose() * own)));
            }
        }
        // What sets at a solid is in the frame of what it touches, and what sets farther off in that of what sets before it.
        let mut frames: BTreeMap<usize, Mat3> = BTreeMap::new();
        for &i in &cluster.particles {
            let own = bonds.iter().filter(|(from, j)| *from == i && is_solid(j));
            let moments = own.fold(Moments::default(), |all, (_, j)| {
                let moments = world.solids.moments_at(world, *j);
                all.plus(turns.get(&body[*j]).map_or(moments, |turn| moments.turned(*turn)))
            });
            frames.extend(moments.rotation(world.dimension).map(|rotation| (i, rotation)));
        }
        loop {
            let mut next: BTreeMap<usize, Mat3> = BTreeMap::new();
            for (i, j) in
                bonds.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).filter(|(i, j)| !is_solid(i) && !is_solid(j))
            {
                if let Some(frame) = frames.get(&j).filter(|_| !frames.contains_key(&i)) {
                    *next.entry(i).or_insert(Mat3::ZERO) += *frame;
                }
            }
            if next.is_empty() {
                break;
            }
            frames.extend(next.into_iter().map(|(i, sum)| (i, rotation_in(sum, Extent::Volume))));
        }
        let frame = |i: usize| frames.get(&i).copied().unwrap_or(Mat3::IDENTITY);
        let between = |(i, j): (usize, usize)| match is_solid(&j) || frame(i) == frame(j) {
            true => (i, j, frame(i)),
            false => (i, j, rotation_in(frame(i) + frame(j), Extent::Volume)),
        };
        Seam { bonds: bonds.into_iter().map(between).collect(), turns: turns.into_iter().collect() }
    }

    /// Pairs of which the first has just set, and both are of one body then.
    fn bonds_to_come(&self, melting: &[usize], cluster: &Cluster) -> Vec<(usize, usize)> {
        let Simulation { world, pairs, .. } = self;
        let particles = &world.particles;
        let bonded = world.kinds.segment(KindId::ELASTIC);
        let own: BTreeSet<_> = cluster.particles.iter().copied().collect();
        let mut bonds = Vec::new();
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

#[cfg(test)]
#[path = "freezing_tests.rs"]
mod tests;
