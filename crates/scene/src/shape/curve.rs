//! Curves with thickness: fibres, stalks, arms.
//!
//! A curve is a chain of straight pieces, each of which is everything in balls whose middles move along it while their
//! radius changes evenly. At the share t of a piece of length l with the radii r0 and r1, a point that is x along and y
//! across is `√((x − t l)² + y²) − r0 − t (r1 − r0)` from its ball. This is convex in t, and smallest at
//!
//! ```text
//! t = (x − y s/√(1 − s²))/l,    s = (r0 − r1)/l
//! ```
//!
//! or at an end if that is beyond it.

use std::sync::Arc;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::combine::Union;
use super::{Bounds, Solid};
use crate::Vector;

/// Everything near a line through points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The points [m].
    #[schemars(length(min = 2))]
    pub points: Vec<Vector>,
    /// Radius at each point [m]; a single number is that of all.
    #[schemars(length(min = 1), inner(range(min = 1e-9)))]
    pub radii: Vec<f64>,
    /// The line is bent through the points; otherwise it is straight between them.
    #[serde(default = "yes")]
    pub smooth: bool,
}

fn yes() -> bool {
    true
}

/// Straight pieces for each way between two points of a smooth curve.
const PIECES: usize = 8;

impl Curve {
    /// Its line, as straight pieces.
    pub(crate) fn line(&self) -> Vec<DVec3> {
        let nodes: Vec<_> = self.points.iter().map(|&point| (DVec3::from_array(point), 0.0)).collect();
        let nodes = if self.smooth { bent(&nodes) } else { nodes };
        nodes.into_iter().map(|(point, _)| point).collect()
    }

    /// None if there are neither as many radii as points nor a single one.
    pub(super) fn solid(&self) -> Option<Box<dyn Solid>> {
        let points: Vec<_> = self.points.iter().map(|&point| DVec3::from_array(point)).collect();
        let radii = match self.radii.as_slice() {
            &[radius] => vec![radius; points.len()],
            radii if radii.len() == points.len() => radii.to_vec(),
            _ => return None,
        };
        let nodes: Vec<_> = points.into_iter().zip(radii).collect();
        let nodes = if self.smooth { bent(&nodes) } else { nodes };
        let pieces = nodes.windows(2).map(|pair| Arc::new(Taper::new(pair[0], pair[1])) as Arc<dyn Solid>);
        Some(Box::new(Union::new(pieces.collect())))
    }

    /// How many parts it is made of.
    pub(super) fn pieces(&self) -> usize {
        let ways = self.points.len().saturating_sub(1);
        if self.smooth { ways * PIECES } else { ways }
    }
}

/// More points, on the cubic through the given ones whose slope at each is half the way from the one before to the one
/// behind (Catmull & Rom 1974). Radii change evenly.
fn bent(nodes: &[(DVec3, f64)]) -> Vec<(DVec3, f64)> {
    let last = nodes.len() - 1;
    let slope = |k: usize| {
        let (before, behind) = (k.saturating_sub(1), (k + 1).min(last));
        (nodes[behind].0 - nodes[before].0) / (behind - before).max(1) as f64
    };
    let mut fine = vec![nodes[0]];
    for k in 0..last {
        let ((from, first), (to, second)) = (nodes[k], nodes[k + 1]);
        fine.extend((1..=PIECES).map(|piece| {
            let t = piece as f64 / PIECES as f64;
            let rest = 1.0 - t;
            let point = rest * rest * ((1.0 + 2.0 * t) * from + t * slope(k))
                + t * t * ((3.0 - 2.0 * t) * to - rest * slope(k + 1));
            (point, first + t * (second - first))
        }));
    }
    fine
}

/// A straight piece.
#[derive(Debug)]
struct Taper {
    from: DVec3,
    way: DVec3,
    length: f64,
    radii: [f64; 2],
}

impl Taper {
    fn new((from, first): (DVec3, f64), (to, second): (DVec3, f64)) -> Taper {
        Taper { from, way: to - from, length: from.distance(to), radii: [first, second] }
    }

    /// Where on the piece the nearest ball is, from 0 to 1.
    fn share(&self, offset: DVec3) -> f64 {
        let [first, second] = self.radii;
        let sine = (first - second) / self.length;
        if self.length == 0.0 || sine.abs() >= 1.0 {
            // One ball holds all others.
            return if first >= second { 0.0 } else { 1.0 };
        }
        let along = offset.dot(self.way) / self.length;
        let across = (offset.length_squared() - along * along).max(0.0).sqrt();
        ((along - across * sine / (1.0 - sine * sine).sqrt()) / self.length).clamp(0.0, 1.0)
    }
}

impl Solid for Taper {
    fn distance(&self, point: DVec3) -> f64 {
        let offset = point - self.from;
        let share = self.share(offset);
        let [first, second] = self.radii;
        offset.distance(share * self.way) - first - share * (second - first)
    }

    fn bounds(&self) -> Bounds {
        let [first, second] = self.radii.map(DVec3::splat);
        Bounds::around(self.from, first).joined(Bounds::around(self.from + self.way, second))
    }
}
