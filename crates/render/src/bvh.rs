//! A tree of boxes around anything that has bounds, four children to a node.
//!
//! Built top down by the surface-area heuristic on binned centres, the same tree for any number of threads, then
//! folded so that four boxes are tested at once.

use glam::{Vec3, Vec4};

use crate::ray::{Bounds, Ray};

/// Below this many things a box is not divided.
const LEAF: usize = 4;
/// Candidates for a division along an axis.
const BINS: usize = 16;
/// From this depth on boxes are halved, so that no tree is deeper than the stack of a walk.
const DEEP: usize = 20;
/// Enough for any tree: three boxes wait per level, and halving the most things there can be takes 29 levels.
const STACK: usize = 3 * (DEEP + 29);
/// Boxes with more things than this are divided in parallel.
const PARALLEL: usize = 4096;

/// A tree of boxes.
#[derive(Clone, Debug)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    bounds: Bounds,
}

/// Four boxes, coordinate by coordinate, and what is in them.
#[derive(Clone, Copy, Debug)]
struct Node {
    low: [Vec4; 3],
    high: [Vec4; 3],
    inside: [Inside; 4],
    /// A bit for each box that is there.
    used: u32,
}

/// What is in a box: a node, or up to four things that follow each other. The upper three bits count them.
#[derive(Clone, Copy, Debug, Default)]
struct Inside(u32);

impl Inside {
    const BITS: u32 = 29;

    fn new(first: usize, count: usize) -> Inside {
        Inside((count as u32) << Inside::BITS | first as u32)
    }

    /// The first thing and their number; the number of the node and 0.
    fn parts(self) -> (usize, usize) {
        ((self.0 & ((1 << Inside::BITS) - 1)) as usize, (self.0 >> Inside::BITS) as usize)
    }
}

/// The tree while it is built.
enum Tree {
    Leaf { bounds: Bounds, first: usize, count: usize },
    Fork { bounds: Bounds, children: Box<[Tree; 2]> },
}

/// A thing while the tree is built.
#[derive(Clone, Copy)]
struct Item {
    bounds: Bounds,
    centre: Vec3,
    index: u32,
}

impl Bvh {
    /// Builds a tree. Also gives the order in which the things must lie: the tree speaks of places in that order.
    /// Beyond 2^29 things the rest is left out.
    pub(crate) fn new(bounds: impl IntoIterator<Item = Bounds>) -> (Bvh, Vec<u32>) {
        let items = bounds.into_iter().zip(0..1 << Inside::BITS).map(|(bounds, index)| Item {
            bounds,
            centre: bounds.centre(),
            index,
        });
        let mut items: Vec<Item> = items.collect();
        let tree = divide(&mut items, 0, 0);
        let mut bvh = Bvh { nodes: Vec::with_capacity(items.len() / LEAF + 1), bounds: tree.bounds() };
        bvh.fold(&tree);
        (bvh, items.iter().map(|item| item.index).collect())
    }

    /// Around everything.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Appends a subtree, four children to a node, and gives its number.
    fn fold(&mut self, tree: &Tree) -> usize {
        let mut children = vec![tree];
        while children.len() < 4 {
            let area = |tree: &Tree| if let Tree::Fork { bounds, .. } = tree { bounds.area() } else { -1.0 };
            let largest = (0..children.len()).max_by(|&a, &b| area(children[a]).total_cmp(&area(children[b])));
            let Some(Tree::Fork { children: pair, .. }) = largest.map(|k| children[k]) else { break };
            children.swap_remove(largest.unwrap_or(0));
            children.extend(pair.iter());
        }
        let number = self.nodes.len();
        let used = (1 << children.len()) - 1;
        self.nodes.push(Node { low: [Vec4::ZERO; 3], high: [Vec4::ZERO; 3], inside: [Inside::default(); 4], used });
        for (k, child) in children.into_iter().enumerate() {
            let bounds = child.bounds();
            let inside = match child {
                Tree::Leaf { first, count, .. } => Inside::new(*first, *count),
                Tree::Fork { .. } => Inside::new(self.fold(child), 0),
            };
            let node = &mut self.nodes[number];
            node.inside[k] = inside;
            for axis in 0..3 {
                node.low[axis][k] = bounds.low[axis];
                node.high[axis][k] = bounds.high[axis];
            }
        }
        number
    }

    /// The nearest thing that a ray meets before `limit`: its place and distance. `meet` tells the distance of one.
    pub(crate) fn nearest(&self, ray: &Ray, limit: f32, meet: impl Fn(usize) -> Option<f32>) -> Option<(usize, f32)> {
        let mut found = None;
        let mut limit = limit;
        self.walk(ray, limit, |things| {
            for thing in things {
                if let Some(distance) = meet(thing).filter(|&distance| distance < limit) {
                    limit = distance;
                    found = Some((thing, distance));
                }
            }
            Some(limit)
        });
        found
    }

    /// Does a ray meet anything before `limit`?
    pub(crate) fn is_met(&self, ray: &Ray, limit: f32, meet: impl Fn(usize) -> Option<f32>) -> bool {
        let mut is_met = false;
        self.walk(ray, limit, |mut things| {
            is_met = things.any(|thing| meet(thing).is_some_and(|distance| distance < limit));
            (!is_met).then_some(limit)
        });
        is_met
    }

    /// Visits leaves along a ray, near ones first, until `visit` gives no further limit.
    fn walk(&self, ray: &Ray, limit: f32, mut visit: impl FnMut(std::ops::Range<usize>) -> Option<f32>) {
        let (origin, inverse) = (ray.origin.to_array().map(Vec4::splat), ray.inverse.to_array().map(Vec4::splat));
        let mut limit = limit;
        // A waiting box: where it is entered, and what is in it.
        let mut stack = [(0.0_f32, Inside::default()); STACK];
        let mut waiting = usize::from(!self.bounds.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let (entered, inside) = stack[waiting];
            if entered >= limit {
                continue;
            }
            let (first, count) = inside.parts();
            if count > 0 {
                match visit(first..first + count) {
                    Some(shorter) => limit = shorter,
                    None => return,
                }
                continue;
            }
            let node = &self.nodes[first];
            let mut enter = Vec4::ZERO;
            let mut leave = Vec4::splat(limit);
            for axis in 0..3 {
                let a = (node.low[axis] - origin[axis]) * inverse[axis];
                let b = (node.high[axis] - origin[axis]) * inverse[axis];
                enter = enter.max(a.min(b));
                leave = leave.min(a.max(b));
            }
            let crossed = enter.cmple(leave).bitmask() & node.used;
            let enter = enter.to_array();
            let base = waiting;
            for (k, enter) in enter.into_iter().enumerate() {
                if crossed >> k & 1 == 1 {
                    // Kept in order, the nearest on top: there are four at most.
                    let mut place = waiting;
                    while place > base && stack[place - 1].0 < enter {
                        stack[place] = stack[place - 1];
                        place -= 1;
                    }
                    stack[place] = (enter, node.inside[k]);
                    waiting += 1;
                }
            }
        }
    }
}

impl Tree {
    fn bounds(&self) -> Bounds {
        match self {
            Tree::Leaf { bounds, .. } | Tree::Fork { bounds, .. } => *bounds,
        }
    }
}

/// Divides items, the first of which has the place `first`, and sorts them accordingly.
fn divide(items: &mut [Item], first: usize, depth: usize) -> Tree {
    let bounds = items.iter().fold(Bounds::EMPTY, |bounds, item| bounds.union(item.bounds));
    let count = items.len();
    if count <= LEAF {
        return Tree::Leaf { bounds, first, count };
    }
    let middle = split(items, depth);
    let (left, right) = items.split_at_mut(middle);
    let mut left = || divide(left, first, depth + 1);
    let mut right = || divide(right, first + middle, depth + 1);
    let (left, right) = if count > PARALLEL { rayon::join(left, right) } else { (left(), right()) };
    Tree::Fork { bounds, children: Box::new([left, right]) }
}

/// Sorts items into two parts, neither of them empty, and says where the second begins.
fn split(items: &mut [Item], depth: usize) -> usize {
    let centres = Bounds::around(items.iter().map(|item| item.centre));
    let best = if depth < DEEP { best_division(items, &centres) } else { None };
    if let Some((axis, bin)) = best {
        let bin_of = binning(&centres, axis);
        let (mut low, mut high) = (0, items.len());
        while low < high {
            if bin_of(items[low].centre[axis]) <= bin {
                low += 1;
            } else {
                high -= 1;
                items.swap(low, high);
            }
        }
        if (1..items.len()).contains(&low) {
            return low;
        }
    }
    let size = centres.high - centres.low;
    let widest = (0..3).fold(0, |widest, axis| if size[axis] > size[widest] { axis } else { widest });
    let middle = items.len() / 2;
    let place = |item: &Item| (item.centre[widest], item.index);
    items.select_nth_unstable_by(middle, |a, b| {
        let ((a, i), (b, j)) = (place(a), place(b));
        a.total_cmp(&b).then(i.cmp(&j))
    });
    middle
}

/// The axis, and the last bin of the lower part, for which the expected number of tests is least.
fn best_division(items: &[Item], centres: &Bounds) -> Option<(usize, usize)> {
    let mut best = None;
    let mut least = f32::INFINITY;
    for axis in 0..3 {
        if centres.high[axis] <= centres.low[axis] {
            continue;
        }
        let bin_of = binning(centres, axis);
        let mut bins = [(0_usize, Bounds::EMPTY); BINS];
        for item in items {
            let (count, bounds) = &mut bins[bin_of(item.centre[axis])];
            *count += 1;
            *bounds = bounds.union(item.bounds);
        }
        let mut above = [0.0; BINS];
        let mut part = (0, Bounds::EMPTY);
        for bin in (1..BINS).rev() {
            part = (part.0 + bins[bin].0, part.1.union(bins[bin].1));
            above[bin] = part.0 as f32 * part.1.area();
        }
        part = (0, Bounds::EMPTY);
        for bin in 0..BINS - 1 {
            part = (part.0 + bins[bin].0, part.1.union(bins[bin].1));
            let cost = part.0 as f32 * part.1.area() + above[bin + 1];
            if cost < least {
                least = cost;
                best = Some((axis, bin));
            }
        }
    }
    best
}

/// The bin of a coordinate.
fn binning(centres: &Bounds, axis: usize) -> impl Fn(f32) -> usize + use<> {
    let low = centres.low[axis];
    let scale = BINS as f32 / (centres.high[axis] - low);
    // A cast ends at the limits of its type.
    move |coordinate| (((coordinate - low) * scale) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{Purpose, Sampler};

    /// Balls here and there, some at the very same place, one far away.
    fn balls(count: u32) -> Vec<(Vec3, f32)> {
        let balls = (0..count).map(|k| {
            let at = |axis| Sampler::new(axis, 11).at(k / 2 * 2).point(Purpose::Sky).x;
            let away = if k == count / 2 { 1e4 } else { 0.0 };
            (Vec3::new(at(0) + away, at(1), at(2)), 0.02)
        });
        balls.collect()
    }

    fn meet(ray: &Ray, (centre, radius): (Vec3, f32)) -> Option<f32> {
        crate::shapes::sphere_distance(ray, centre, radius)
    }

    #[test]
    fn tree_finds_what_looking_at_everything_finds() {
        for count in [0, 1, 3, 5, 300, 9000] {
            let balls = balls(count);
            let (bvh, order) = Bvh::new(balls.iter().map(|&(c, r)| Bounds { low: c, high: c }.grown(r)));
            assert_eq!(order.len(), balls.len());
            for k in 0..200 {
                let [a, b] = [0, 1].map(|n| Sampler::new(n, 3).at(k).point(Purpose::Sun));
                let target = Vec3::new(a.x, a.y, b.x);
                let origin = Vec3::new(b.y * 3.0 - 1.0, -0.5, 1.4);
                let ray = Ray::new(origin, (target - origin).normalize());
                let limit = if k % 3 == 0 { 0.8 } else { f32::INFINITY };
                let all = balls.iter().filter_map(|&ball| meet(&ray, ball)).filter(|&t| t < limit);
                let expected = all.fold(None, |least: Option<f32>, t| Some(least.map_or(t, |least| least.min(t))));
                let look = |place: usize| meet(&ray, balls[order[place] as usize]);
                let found = bvh.nearest(&ray, limit, look);
                assert_eq!(found.map(|(_, distance)| distance), expected, "{count} balls, ray {k}");
                assert_eq!(bvh.is_met(&ray, limit, look), expected.is_some());
            }
        }
    }

    #[test]
    fn any_number_of_threads_builds_the_same_tree() {
        let balls = balls(20_000);
        let build = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Bvh::new(balls.iter().map(|&(c, r)| Bounds { low: c, high: c }.grown(r)))).1
        };
        assert_eq!(build(1), build(3));
    }
}
