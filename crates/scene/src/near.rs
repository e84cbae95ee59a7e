//! Points by place: which are near a point.
//!
//! Points are chained by the cell they are in; cells are as large as the reach and share about as many chains as there
//! are points, so that memory is linear wherever they are. Cells in a row along x have adjacent chains.

use glam::DVec3;

/// Points that can be asked for by place.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    reach: f64,
    /// The last point of each chain; their number is a power of two.
    last: Vec<u32>,
    links: Vec<Link>,
}

/// A point in its chain.
#[derive(Clone, Copy, Debug)]
struct Link {
    place: DVec3,
    number: u32,
    /// The link before it in the chain.
    before: u32,
}

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// The fewest chains.
const FEWEST: usize = 64;

impl Near {
    /// No points yet; later questions reach as far as `reach` [m].
    pub(crate) fn new(reach: f64) -> Near {
        Near { reach, last: vec![NONE; FEWEST], links: Vec::new() }
    }

    /// These points, numbered in their order.
    pub(crate) fn of(points: impl Iterator<Item = DVec3>, reach: f64) -> Near {
        let links =
            points.enumerate().map(|(number, place)| Link { place, number: number as u32, before: NONE }).collect();
        let mut near = Near { reach, last: Vec::new(), links };
        near.chain();
        near
    }

    /// One more point; its number is how many were there before.
    pub(crate) fn add(&mut self, place: DVec3) {
        self.links.push(Link { place, number: self.links.len() as u32, before: NONE });
        match self.links.len() > self.last.len() {
            true => self.chain(),
            false => self.attach(self.links.len() - 1),
        }
    }

    /// The points closer than the reach, the point itself if it is one: their numbers, and the ways there [m].
    pub(crate) fn around(&self, point: DVec3) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let [x, y, z] = self.cell(point);
        let step = |index: i64, step: usize| index.saturating_add(step as i64 - 1);
        let cell = |k: usize| [step(x, k % 3), step(y, k / 3 % 3), step(z, k / 9)];
        let chains: [usize; 27] = std::array::from_fn(|k| self.chain_of(cell(k)));
        // Cells may share a chain, which is gone through once.
        let other = (0..27).filter(move |&k| !chains[..k].contains(&chains[k]));
        other.flat_map(move |k| self.within(chains[k], point))
    }

    /// Is any point closer than the reach?
    pub(crate) fn has_any(&self, point: DVec3) -> bool {
        self.around(point).next().is_some()
    }

    /// The points of a chain that are closer than the reach.
    fn within(&self, chain: usize, point: DVec3) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let link = |index: u32| self.links.get(index as usize);
        let links = std::iter::successors(link(self.last[chain]), move |known| link(known.before));
        links.filter_map(move |&Link { place, number, .. }| {
            let way = place - point;
            (way.length_squared() < self.reach * self.reach).then_some((number as usize, way))
        })
    }

    /// Chains all points anew, each chain in one piece of memory.
    fn chain(&mut self) {
        self.last = vec![0; (2 * self.links.len()).next_power_of_two().max(FEWEST)];
        let chains: Vec<_> = self.links.iter().map(|link| self.chain_of(self.cell(link.place))).collect();
        chains.iter().for_each(|&chain| self.last[chain] += 1);
        let mut start = 0;
        for next in &mut self.last {
            (*next, start) = (start, start + *next);
        }
        let mut sorted = self.links.clone();
        for (link, &chain) in self.links.iter().zip(&chains) {
            sorted[self.last[chain] as usize] = *link;
            self.last[chain] += 1;
        }
        self.links = sorted;
        self.last.fill(NONE);
        (0..self.links.len()).for_each(|index| self.attach(index));
    }

    fn attach(&mut self, index: usize) {
        let chain = self.chain_of(self.cell(self.links[index].place));
        self.links[index].before = std::mem::replace(&mut self.last[chain], index as u32);
    }

    fn cell(&self, point: DVec3) -> [i64; 3] {
        (point / self.reach).floor().to_array().map(|index| index as i64)
    }

    fn chain_of(&self, [x, y, z]: [i64; 3]) -> usize {
        let mixed = x.wrapping_add(y.wrapping_mul(73_856_093)).wrapping_add(z.wrapping_mul(19_349_663));
        mixed as usize & (self.last.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn points_are_found_as_by_looking_at_all() {
        let mut random = Random::new(4);
        for size in [0.3, 3.0, 1e9] {
            let points: Vec<_> = (0..300).map(|_| random.point(DVec3::splat(-size), DVec3::splat(size))).collect();
            let reach = 0.3 * size;
            let mut grown = Near::new(reach);
            points.iter().for_each(|&point| grown.add(point));
            for near in [Near::of(points.iter().copied(), reach), grown] {
                for &point in &points {
                    let mut found: Vec<_> = near.around(point).map(|(number, _)| number).collect();
                    found.sort_unstable();
                    let is_near = |number: &usize| points[*number].distance_squared(point) < reach * reach;
                    assert_eq!(found, (0..points.len()).filter(is_near).collect::<Vec<_>>());
                    assert!(near.around(point).all(|(number, way)| points[number] - point == way));
                }
            }
        }
    }
}
