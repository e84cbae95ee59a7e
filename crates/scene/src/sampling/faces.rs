//! Where the flat faces of a solid are that a lattice along the axes can meet.

use glam::DVec3;

use super::Lattice;
use super::walk::{Met, walk};
use crate::shape::{Bounds, Solid, gradient, surface_point};

/// Cells along the longest side where the surface is looked at.
const CELLS: f64 = 24.0;

/// A face has so many of these cells at least, in 2D and in 3D: the top of something round has fewer.
const FEWEST: [usize; 2] = [3, 7];

/// So near to an axis is the normal of a face: to a thousandth.
const ALONG: f64 = 1.0 - 5e-7;

/// Faces whose places differ by less, in spacings, are met by the same lattice.
const SAME: f64 = 1e-3;

/// A lower face with this share of the largest is preferred: matter rests on it.
const LARGE: f64 = 0.4;

/// The place of the face along each axis that a lattice had best meet [m]: the lowest of the large ones, together with
/// those that are whole spacings from it.
pub(super) fn faces(solid: &dyn Solid, spacing: f64, axes: usize) -> [Option<f64>; 3] {
    flat_points(solid, axes).map(|mut places| {
        places.sort_unstable_by(f64::total_cmp);
        // Each face, how many cells it has, and how many those have that the same lattice meets.
        let mut found: Vec<(f64, usize)> = Vec::new();
        for place in places {
            let steps = |(other, _): &(f64, usize)| (place - other) / spacing;
            match found.iter_mut().find(|face| (steps(face) - steps(face).round()).abs() < SAME) {
                Some((_, count)) => *count += 1,
                None => found.push((place, 1)),
            }
        }
        let largest = found.iter().map(|(_, count)| *count).max().filter(|&count| count >= FEWEST[axes - 2])?;
        found.into_iter().find(|(_, count)| *count as f64 >= LARGE * largest as f64).map(|(place, _)| place)
    })
}

/// Places along each axis where the surface is across it [m].
fn flat_points(solid: &dyn Solid, axes: usize) -> [Vec<f64>; 3] {
    let reach = 1e-5 * (solid.bounds().max - solid.bounds().min).length();
    let mut points: [Vec<f64>; 3] = Default::default();
    for surface in surface_points(solid, axes) {
        let slope = gradient(solid, surface, reach);
        let across = (0..axes).find(|&axis| slope[axis].abs() > ALONG * slope.length() && slope[axis].abs() > 0.9);
        across.into_iter().for_each(|axis| points[axis].push(surface[axis]));
    }
    points
}

/// Points of the surface of a solid, one for each cell of a coarse lattice on it.
pub(super) fn surface_points(solid: &dyn Solid, axes: usize) -> Vec<DVec3> {
    let Bounds { min, max } = solid.bounds();
    let size = (max - min).to_array();
    let edge = size[..axes].iter().copied().fold(0.0, f64::max) / CELLS;
    if !(edge.is_finite() && edge > 0.0) {
        return Vec::new();
    }
    let cells = std::array::from_fn(|axis| if axis < axes { (size[axis] / edge).ceil().max(1.0) as i64 } else { 1 });
    let lattice = Lattice { corner: min, cells, spacing: edge, axes };
    let margin = 0.5 * edge * (axes as f64).sqrt();
    let met = walk(solid, &lattice, margin, |points: &mut Vec<DVec3>, met| match met {
        Met::Near(cell, distance) if distance.abs() <= margin => {
            points.extend(surface_point(solid, lattice.centre(cell), 1e-7 * edge));
        }
        _ => {}
    });
    met.into_iter().flatten().collect()
}
