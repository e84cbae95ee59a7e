//! Shapes made of shapes: union, intersection, difference, smooth union, shell.
//!
//! A function whose value changes by no more than the way that is gone, and that is zero on a surface, is never larger
//! than the distance to it. Smallest, largest and smoothly mixed values of such functions are such functions; so
//! whatever is combined here keeps the promise of [`Solid::distance`].

use std::sync::Arc;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bounds, Shape, Solid};

/// The union of shapes with their seams filled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmoothUnion {
    /// The shapes.
    #[schemars(length(min = 1))]
    pub shapes: Vec<Shape>,
    /// How far the seams reach [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub radius: f64,
}

/// The outermost part of a shape; hollow within.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// The shape.
    pub shape: Box<Shape>,
    /// How thick it is [m].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub thickness: f64,
}

/// A part of a combination, and the box that holds it.
#[derive(Clone, Debug)]
struct Part {
    solid: Arc<dyn Solid>,
    bounds: Bounds,
}

impl Part {
    fn new(solid: Arc<dyn Solid>) -> Part {
        Part { bounds: solid.bounds(), solid }
    }

    /// The distance, no less than that from the box: what is in a box is no nearer than it, and no deeper.
    fn distance(&self, point: DVec3) -> f64 {
        self.solid.distance(point).max(self.bounds.distance(point))
    }
}

fn around(parts: &[Part]) -> Bounds {
    parts.iter().fold(Bounds::EMPTY, |bounds, part| bounds.joined(part.bounds))
}

/// Everything that is in any of many parts: a tree of boxes, of which only the near ones are looked into.
#[derive(Debug)]
pub(super) struct Union {
    parts: Vec<Part>,
    nodes: Vec<Node>,
}

/// A box around parts next to each other. An inner node has its first child behind it.
#[derive(Debug)]
struct Node {
    bounds: Bounds,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Parts(std::ops::Range<usize>),
    SecondChild(usize),
}

/// Parts of a leaf of the tree.
const LEAF: usize = 4;

impl Union {
    pub(super) fn new(solids: Vec<Arc<dyn Solid>>) -> Union {
        let mut union = Union { parts: solids.into_iter().map(Part::new).collect(), nodes: Vec::new() };
        union.divide(0..union.parts.len());
        union
    }

    /// Adds the node of some parts, and those below it.
    fn divide(&mut self, range: std::ops::Range<usize>) {
        let bounds = around(&self.parts[range.clone()]);
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, content: Content::Parts(range.clone()) });
        if range.len() <= LEAF {
            return;
        }
        let size = bounds.max - bounds.min;
        let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
        let middle = |part: &Part| part.bounds.min[axis] + part.bounds.max[axis];
        self.parts[range.clone()].sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        let half = range.start + range.len() / 2;
        self.divide(range.start..half);
        self.nodes[node].content = Content::SecondChild(self.nodes.len());
        self.divide(half..range.end);
    }

    /// The smaller of `best` and the distance from the parts of a node.
    fn nearest(&self, node: usize, point: DVec3, best: f64) -> f64 {
        let Node { bounds, content } = &self.nodes[node];
        let gap = bounds.distance(point);
        if gap >= best {
            return best;
        }
        match content {
            Content::Parts(range) => self.parts[range.clone()].iter().fold(best, |best, part| {
                let gap = part.bounds.distance(point);
                if gap >= best { best } else { best.min(part.distance(point)) }
            }),
            &Content::SecondChild(second) => {
                let gap = |child: usize| self.nodes[child].bounds.distance(point);
                let (near, far) = if gap(node + 1) <= gap(second) { (node + 1, second) } else { (second, node + 1) };
                self.nearest(far, point, self.nearest(near, point, best))
            }
        }
    }
}

impl Solid for Union {
    fn distance(&self, point: DVec3) -> f64 {
        self.nearest(0, point, f64::INFINITY)
    }

    fn bounds(&self) -> Bounds {
        self.nodes[0].bounds
    }
}

/// Everything that is in all parts.
#[derive(Debug)]
pub(super) struct Intersection {
    parts: Vec<Arc<dyn Solid>>,
}

impl Intersection {
    pub(super) fn new(parts: Vec<Arc<dyn Solid>>) -> Intersection {
        Intersection { parts }
    }
}

impl Solid for Intersection {
    fn distance(&self, point: DVec3) -> f64 {
        self.parts.iter().map(|part| part.distance(point)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn bounds(&self) -> Bounds {
        self.parts.iter().fold(Bounds::EVERYWHERE, |bounds, part| bounds.common(part.bounds()))
    }
}

/// Everything that is not in a solid.
#[derive(Debug)]
pub(super) struct Complement(pub(super) Arc<dyn Solid>);

impl Solid for Complement {
    fn distance(&self, point: DVec3) -> f64 {
        -self.0.distance(point)
    }

    fn bounds(&self) -> Bounds {
        Bounds::EVERYWHERE
    }
}

/// A union whose seams are filled. Two distances a and b that differ by less than the radius r count as
///
/// ```text
/// min(a, b) − (r − |a − b|)² / 4r
/// ```
///
/// whose derivatives by a and b are positive and add up to one.
#[derive(Debug)]
pub(super) struct Blend {
    parts: Vec<Part>,
    radius: f64,
}

impl Blend {
    pub(super) fn new(solids: Vec<Arc<dyn Solid>>, radius: f64) -> Blend {
        Blend { parts: solids.into_iter().map(Part::new).collect(), radius }
    }
}

impl Solid for Blend {
    fn distance(&self, point: DVec3) -> f64 {
        self.parts.iter().fold(f64::INFINITY, |best, part| {
            // What is farther by the radius has no influence.
            let gap = part.bounds.distance(point);
            if gap >= best + self.radius {
                return best;
            }
            let distance = part.distance(point);
            let overlap = (self.radius - (best - distance).abs()).max(0.0);
            best.min(distance) - overlap * overlap / (4.0 * self.radius)
        })
    }

    /// Each further part fills a quarter of the radius at most, and all together no more than the radius: what they
    /// have filled by then is nearer by more than the radius.
    fn bounds(&self) -> Bounds {
        let quarters = (self.parts.len() - 1).min(4) as f64;
        around(&self.parts).grown(0.25 * quarters * self.radius)
    }
}

/// What is in a solid, but no deeper than a thickness.
#[derive(Debug)]
pub(super) struct Rind {
    pub(super) solid: Arc<dyn Solid>,
    pub(super) thickness: f64,
}

impl Solid for Rind {
    fn distance(&self, point: DVec3) -> f64 {
        let distance = self.solid.distance(point);
        distance.max(-distance - self.thickness)
    }

    fn bounds(&self) -> Bounds {
        self.solid.bounds()
    }
}
