//! How bodies respond to pushes while joints and contacts hold them.
//!
//! A light plate that lies on the floor bears the water above it because the floor bears the plate. Were it told to the water
//! as free, an exchange of contact and pressure would come closer by no more than the ratio of their masses at a time; and as
//! unknowns beside pressures, forces of contact take ten times the iterations. So contacts that pressed in the last step count as
//! joints of one row in this one, and what forces would do to free bodies is answered with all these rows kept:
//!
//! ```text
//! v ← v − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J v
//! ```
//!
//! It is a projection, symmetric in the inner product of M, so that a solve for pressures may ask for it in every iteration. A
//! contact that would have to pull lets go when contacts are solved for after pressures, and is none in the next step.
//!
//! A face touches with many particles; where it can go is told by the outermost.

use std::ops::Range;

use super::factor::{Factor, Factors};
use super::islands::root;
use super::rows::Row;
use super::{Contact, Inertia, Twist};

/// Bodies that hold on to each other by more rows than this respond as if free: piles are heavy, and factors grow with the cube.
const MOST_ROWS: usize = 240;

/// The cosine of the angle up to which contacts are of one face.
const ONE_FACE: f64 = 0.94;

/// Rows that are kept, by islands: scratch, nothing of it survives.
#[derive(Debug, Default)]
pub(crate) struct Holding {
    /// Rows, each with its island and its place among all.
    rows: Vec<([usize; 2], Row)>,
    islands: Vec<(Range<usize>, Factor)>,
    factors: Factors,
    parents: Vec<usize>,
    values: Vec<f64>,
    pressing: Vec<usize>,
}

impl Holding {
    /// Makes everything ready for a step with these rows of joints, and contacts of which those hold that are expected to press.
    pub(super) fn prepare<'a>(
        &mut self,
        inertias: &[Inertia],
        joints: impl Iterator<Item = &'a Row>,
        contacts: &[Contact],
    ) {
        let Self { rows, islands, factors, parents, values, pressing } = self;
        rows.clear();
        islands.clear();
        factors.clear();
        rows.extend(joints.map(|row| ([0; 2], row.clone())));
        pressing.clear();
        pressing.extend((0..contacts.len()).filter(|&c| contacts[c].impulse.dot(contacts[c].normal) > 0.0));
        let between = |c: usize| (contacts[c].first, contacts[c].second);
        pressing.sort_unstable_by_key(|&c| (between(c), c));
        for group in pressing.chunk_by(|a, b| between(*a) == between(*b)) {
            outermost(group, contacts, |c| rows.extend(Row::of(&contacts[c], inertias).map(|row| ([0; 2], row))));
        }
        parents.clear();
        parents.extend(0..inertias.len());
        for (_, row) in &*rows {
            if let (first, Some(second)) = row.bodies() {
                let (first, second) = (root(parents, first), root(parents, second));
                parents[first.max(second)] = first.min(second);
            }
        }
        for (place, (key, row)) in rows.iter_mut().enumerate() {
            *key = [root(parents, row.bodies().0), place];
        }
        rows.sort_unstable_by_key(|(key, _)| *key);
        let mut start = 0;
        for island in rows.chunk_by(|a, b| a.0[0] == b.0[0]) {
            if island.len() <= MOST_ROWS {
                let factor = factors.push(island.len(), |i, j| island[i].1.coupling(&island[j].1));
                islands.push((start..start + island.len(), factor));
            }
            start += island.len();
        }
        values.reserve(MOST_ROWS);
    }

    /// Takes changes of twists that forces would give to bodies that are free, and leaves those that are let through.
    pub(crate) fn hold(&mut self, changes: &mut [Twist]) {
        for (range, factor) in &self.islands {
            let rows = &self.rows[range.clone()];
            self.values.clear();
            self.values.extend(rows.iter().map(|(_, row)| -row.velocity(changes)));
            self.factors.solve(*factor, &mut self.values);
            for ((_, row), value) in rows.iter().zip(&self.values) {
                row.push(changes, *value);
            }
        }
    }
}

/// Calls `keep` with the outermost contacts of every face between two bodies.
fn outermost(group: &[usize], contacts: &[Contact], mut keep: impl FnMut(usize)) {
    for (k, &c) in group.iter().enumerate() {
        let normal = contacts[c].normal;
        let is_of_face = |other: &usize| contacts[*other].normal.dot(normal) > ONE_FACE;
        // The first of a face speaks for all.
        if group[..k].iter().any(is_of_face) {
            continue;
        }
        let face = || group[k..].iter().copied().filter(|other| is_of_face(other));
        let (along, across) = normal.any_orthonormal_pair();
        let mut kept = [usize::MAX; 4];
        for (place, direction) in [along, -along, across, -across].into_iter().enumerate() {
            let reach = |c: usize| contacts[c].point.dot(direction);
            let furthest = face().max_by(|a, b| reach(*a).total_cmp(&reach(*b))).unwrap_or(c);
            if !kept.contains(&furthest) {
                kept[place] = furthest;
                keep(furthest);
            }
        }
    }
}
