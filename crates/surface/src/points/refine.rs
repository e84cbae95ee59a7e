//! More points on a surface (Sol09 6.2): one between each two that see each other, unless it would be too close to others.
//!
//! In each step two points closer than r get a child, but not those closer than the next r, which is
//! r/2 √(4 − 2√2) (Eq. 6.15): their turn comes in the next step. Displacements are limited to r/2 (√2 − 1) (Eq. 6.14).
//! A child within 0.2 r of a point is not taken, and draws that point towards itself instead (Eq. 6.16 to 6.18).
//! Neighbours of the next step are found among the neighbours and children of the present ones, without a search (6.2.4).
//!
//! Where this departs: Sol09 takes children one after another. Here all children of a step are proposed at once, and
//! of two that collide the one with the smaller hash of its parents goes first. So all of it runs in parallel, and
//! gives the same bits for any number of threads. Only points of earlier steps are drawn, and no farther than a quarter
//! of the collision distance: children of one step lie as close as they may, and would be drawn into each other.

use glam::Vec3;
use rayon::prelude::*;

use super::crowd::Crowd;
use super::interpolate::{Displacement, Oriented, Rule, between};
use super::lists::Lists;
use super::offspring::{Listed, Met, Offspring};
use crate::error::{SurfaceError, positive};
use crate::mesh::Attribute;
use crate::quantity::Quantity;
use crate::samples::Samples;

/// Parameters of the refinement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// Steps; each makes about three times as many points.
    pub steps: u32,
    /// Which of the displacements that parents propose counts.
    pub displacement: Displacement,
    /// Tell concave from convex; without it, as printed in Sol09, concave places bulge.
    pub is_signed: bool,
    /// Children closer than this to another point are not taken, by the radius of the step [-].
    pub collision: f32,
}

impl Default for Refinement {
    fn default() -> Self {
        Refinement { steps: 3, displacement: Displacement::Smaller, is_signed: true, collision: 0.2 }
    }
}

/// Points with normals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointCloud {
    /// Where they are [m]. Those that were given come first.
    pub position: Vec<Vec3>,
    /// Unit normals.
    pub normal: Vec<Vec3>,
    /// The step in which each was made; 0 for those that were given.
    pub step: Vec<u8>,
    /// The two points that each was made between; a point that was given is its own parent.
    pub parents: Vec<[u32; 2]>,
    /// How much a point resists being drawn.
    weight: Vec<f32>,
}

impl PointCloud {
    /// Puts another cloud beside this one, the given points of both in front no longer.
    pub fn append(&mut self, other: PointCloud) {
        let first = self.position.len() as u32;
        self.position.extend(other.position);
        self.normal.extend(other.normal);
        self.step.extend(other.step);
        self.parents.extend(other.parents.iter().map(|parents| parents.map(|parent| parent + first)));
        self.weight.extend(other.weight);
    }

    /// A quantity of the given points, at all points: children have the mean of their parents.
    pub fn carry(&self, quantity: &Quantity<'_>) -> Result<Attribute, SurfaceError> {
        let given = self.step.partition_point(|&step| step == 0);
        quantity.check(given)?;
        let mut values = quantity.values.to_vec();
        values.reserve((self.position.len() - given) * quantity.components);
        for &[one, two] in &self.parents[given..] {
            for component in 0..quantity.components {
                let value = |parent: u32| values[parent as usize * quantity.components + component];
                values.push(0.5 * (value(one) + value(two)));
            }
        }
        Ok(Attribute { name: quantity.name.to_owned(), components: quantity.components, values })
    }
}

/// The radius of the next step.
pub fn shrink(radius: f32) -> f32 {
    0.5 * radius * (4.0 - 2.0 * 2.0_f32.sqrt()).sqrt()
}

/// Given points weigh so much, by the radius, that hardly anything draws them.
const HEAVY: f32 = 1e3;

/// Refines points that see each other up to `radius` [m]: the support of the simulation. Normals must have unit length.
pub fn refine(
    position: &[Vec3],
    normal: &[Vec3],
    radius: f32,
    refinement: &Refinement,
) -> Result<PointCloud, SurfaceError> {
    positive("the collision distance", refinement.collision)?;
    if normal.len() != position.len() {
        let (name, found, expected) = ("normal".to_owned(), normal.len(), position.len());
        return Err(SurfaceError::Uneven { name, found, expected, components: 1 });
    }
    let mut cloud = PointCloud {
        position: position.to_vec(),
        normal: normal.to_vec(),
        step: vec![0; position.len()],
        parents: (0..position.len() as u32).map(|i| [i, i]).collect(),
        weight: vec![HEAVY * radius; position.len()],
    };
    let samples = Samples::new(position, radius)?;
    let mut neighbors = Lists::gather(
        position.len(),
        || (),
        |i, (), list| {
            samples.near(position[i], |j, _, _| list.push(samples.index()[j]));
            list.retain(|&j| j as usize != i);
        },
    );
    let mut radius = radius;
    for step in 1..=refinement.steps {
        let parents = cloud.position.len();
        Step { radius, refinement, neighbors: &neighbors }.add_children(&mut cloud, step);
        if step < refinement.steps {
            neighbors = next_neighbors(&cloud, parents, &neighbors, shrink(radius));
        }
        radius = shrink(radius);
    }
    Ok(cloud)
}

/// One step.
struct Step<'a> {
    radius: f32,
    refinement: &'a Refinement,
    neighbors: &'a Lists,
}

/// A child that is proposed.
#[derive(Clone, Copy)]
struct Child {
    place: Vec3,
    normal: Vec3,
    parents: [u32; 2],
    /// Its distance from them [m].
    weight: f32,
    /// A point that was there before and is too close.
    too_close: Option<u32>,
}

/// What is known of a child.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    Taken,
    Rejected,
}

impl Step<'_> {
    fn add_children(&self, cloud: &mut PointCloud, step: u32) {
        let children = self.propose(cloud);
        let rivals = self.rivals(cloud, &children);
        let fates = decide(&children, &rivals);
        let draws = children.iter().enumerate().filter_map(|(k, child)| child.too_close.map(|point| (point, k as u32)));
        let draws = Lists::by_owner(cloud.position.len(), draws);
        draw(cloud, &children, &draws, 0.25 * self.refinement.collision * self.radius);
        for (child, _) in children.iter().zip(fates).filter(|(_, fate)| *fate == Fate::Taken) {
            cloud.weight.push(child.weight);
            cloud.position.push(child.place);
            cloud.normal.push(child.normal);
            cloud.step.push(step.min(255) as u8);
            cloud.parents.push(child.parents);
        }
    }

    /// A child for each pair that is due, in the order of its first parent.
    fn propose(&self, cloud: &PointCloud) -> Vec<Child> {
        let (due, apart) = (shrink(self.radius).powi(2), (self.refinement.collision * self.radius).powi(2));
        let limit = 0.5 * f64::from(self.radius) * (2.0_f64.sqrt() - 1.0);
        let Refinement { displacement, is_signed, .. } = *self.refinement;
        let rule = Rule { displacement, is_signed, limit };
        let oriented = |i: u32| Oriented {
            place: cloud.position[i as usize].as_dvec3(),
            normal: cloud.normal[i as usize].as_dvec3(),
        };
        let children_of = |i: usize| {
            let around = self.neighbors.of(i);
            let here = cloud.position[i];
            let is_due = move |j: &&u32| **j as usize > i && cloud.position[**j as usize].distance_squared(here) > due;
            around.iter().filter(is_due).filter_map(move |&j| {
                let child = between(&oriented(i as u32), &oriented(j), &rule)?;
                let place = child.place.as_vec3();
                // Whatever is too close is a neighbour of both parents.
                let is_close = |k: &&u32| cloud.position[**k as usize].distance_squared(place) < apart;
                let too_close = around.iter().find(is_close).copied();
                let weight = place.distance(here);
                Some(Child { place, normal: child.normal.as_vec3(), parents: [i as u32, j], weight, too_close })
            })
        };
        (0..cloud.position.len()).into_par_iter().with_min_len(256).flat_map_iter(children_of).collect()
    }

    /// For each child, those that are too close to it and go before it.
    fn rivals(&self, cloud: &PointCloud, children: &[Child]) -> Lists {
        let open = (0..children.len() as u32).filter(|&k| children[k as usize].too_close.is_none());
        let offspring = Offspring::new(cloud.position.len(), open, |k| {
            let child = &children[k as usize];
            (child.place, child.parents)
        });
        let beta = self.refinement.collision * self.radius;
        // A child lies no farther than the next radius from its parents, but for rounding.
        let seen = 1.001 * shrink(self.radius) + beta;
        // Children come in the order of their first parent, and those of one parent are looked after together.
        let mut first = Vec::with_capacity(cloud.position.len() + 1);
        let mut next = 0;
        for parent in 0..=cloud.position.len() {
            next += children[next..].iter().take_while(|child| (child.parents[0] as usize) < parent).count();
            first.push(next);
        }
        let rank: Vec<u32> = children.par_iter().with_min_len(4096).map(rank).collect();
        let memory = <(Crowd, Met)>::default;
        Lists::gather_groups(cloud.position.len(), memory, |i, (crowd, met), lists| {
            let own = first[i]..first[i + 1];
            if own.is_empty() {
                return;
            }
            crowd.clear();
            met.clear();
            let around = || self.neighbors.of(i).iter().copied().chain([i as u32]);
            around().for_each(|point| met.add(point));
            for point in around() {
                crowd.add(offspring.of(point as usize), met, cloud.position[i], seen);
            }
            crowd.complete();
            for k in own {
                if children[k].too_close.is_none() {
                    crowd.within(children[k].place, beta, |other| {
                        if (rank[other as usize], other) < (rank[k], k as u32) {
                            lists.push(other);
                        }
                    });
                }
                lists.close();
            }
        })
    }
}

/// The order in which children are taken: by a hash of their parents, and where it is the same, by number.
fn rank(child: &Child) -> u32 {
    let [a, b] = child.parents;
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
}

/// A child is taken if no rival is, and rejected if one is. Children whose rivals are all decided are decided in turn.
fn decide(children: &[Child], rivals: &Lists) -> Vec<Fate> {
    let start = |child: &Child| if child.too_close.is_some() { Fate::Rejected } else { Fate::Open };
    let mut fates: Vec<Fate> = children.iter().map(start).collect();
    let mut open: Vec<u32> = (0..children.len() as u32).filter(|&k| fates[k as usize] == Fate::Open).collect();
    while !open.is_empty() {
        let decided: Vec<Fate> = open
            .par_iter()
            .with_min_len(1024)
            .map(|&k| {
                let rivals = rivals.of(k as usize).iter().map(|&rival| fates[rival as usize]);
                if rivals.clone().any(|fate| fate == Fate::Taken) {
                    Fate::Rejected
                } else if rivals.clone().all(|fate| fate == Fate::Rejected) {
                    Fate::Taken
                } else {
                    Fate::Open
                }
            })
            .collect();
        open.iter().zip(decided).for_each(|(&k, fate)| fates[k as usize] = fate);
        open.retain(|&k| fates[k as usize] == Fate::Open);
    }
    fates
}

/// Points are drawn towards the rejected children that came too close (Eq. 6.16 to 6.18), by no more than `most` [m].
fn draw(cloud: &mut PointCloud, children: &[Child], draws: &Lists, most: f32) {
    let PointCloud { position, normal, weight, .. } = cloud;
    let points = position.par_iter_mut().zip(normal.par_iter_mut()).zip(weight.par_iter_mut()).enumerate();
    points.with_min_len(1024).for_each(|(point, ((place, facing), weight))| {
        let mut drawn = *place;
        for &k in draws.of(point) {
            let child = &children[k as usize];
            let share = child.weight / (*weight + child.weight);
            drawn += (child.place - drawn) * share;
            *facing = facing.lerp(child.normal, share).normalize_or(*facing);
            *weight += child.weight;
        }
        *place += (drawn - *place).clamp_length_max(most);
    });
}

/// Who sees whom within the radius of the next step. Points from `parents` on were made in this one.
fn next_neighbors(cloud: &PointCloud, parents: usize, neighbors: &Lists, radius: f32) -> Lists {
    let made = parents as u32..cloud.position.len() as u32;
    let look = |k: u32| (cloud.position[k as usize], cloud.parents[k as usize]);
    let children = Offspring::new(parents, made, look);
    let squared = radius * radius;
    // Points whose children may be near, and a glance at who they are.
    let memory = <(Vec<u32>, Met)>::default;
    Lists::gather(cloud.position.len(), memory, |i, (close, met), list| {
        let here = cloud.position[i];
        close.clear();
        met.clear();
        let mut visit = |around: usize| {
            for &point in neighbors.of(around).iter().chain([&(around as u32)]) {
                let distance = cloud.position[point as usize].distance_squared(here);
                // Children are no farther than the radius from their parents, but may have been drawn.
                if distance <= 5.0 * squared && !met.has(point) {
                    met.add(point);
                    close.push(point);
                    if distance <= squared {
                        list.push(point);
                    }
                }
            }
        };
        if i < parents {
            visit(i);
        } else {
            cloud.parents[i].iter().for_each(|&parent| visit(parent as usize));
        }
        for &point in close.iter() {
            push_near(list, children.of(point as usize), met, here, squared);
        }
        list.sort_unstable();
        list.dedup();
        list.retain(|&other| other as usize != i);
    })
}

/// Adds the children closer to a place than a squared distance that are not listed under someone who has been met.
fn push_near(list: &mut Vec<u32>, children: &[Listed], met: &Met, at: Vec3, squared: f32) {
    let mut end = list.len();
    list.resize(end + children.len(), 0);
    for child in children {
        // Everyone is written down, and those who do not count are overwritten: who does is hard to foresee.
        list[end] = child.name;
        end += usize::from((child.place.distance_squared(at) <= squared) & !met.has(child.elsewhere));
    }
    list.truncate(end);
}

#[cfg(test)]
mod tests;
