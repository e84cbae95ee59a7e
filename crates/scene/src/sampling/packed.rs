//! Particles in hexagonal layers, each above the gaps of the one below: the densest packing of balls. In 2D, triangles.
//!
//! Neighbours are about `a` apart, where `a³/√2` (in 2D `a² √3/2`) is the volume of a cell, so that there are as many
//! particles in a volume as in a cubic lattice. About, since rows and layers are stretched a little, to fit whole into
//! the box around a body: flat faces along the axes are met half a row inside. What a particle has of space, and so
//! its volume, is stretched with them.

use glam::DVec3;

use crate::shape::Bounds;

/// A hexagonal lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    origin: DVec3,
    /// From a particle to the next, from row to row, and from layer to layer [m].
    steps: DVec3,
    axes: usize,
}

impl Packed {
    /// Fitted into a box, with cells about as large as those of a cubic lattice.
    pub(super) fn fitted(Bounds { min, max }: Bounds, spacing: f64, axes: usize) -> Packed {
        let apart = if axes == 2 { (2.0 / 3.0_f64.sqrt()).sqrt() } else { 2.0_f64.powf(1.0 / 6.0) };
        let steps = apart * spacing * DVec3::new(1.0, 0.75_f64.sqrt(), (2.0 / 3.0_f64).sqrt());
        let size = max - min;
        let steps = size / (size / steps).round().max(DVec3::ONE);
        // Every second row begins half a step later, every second layer a third of a row.
        let first = if axes == 2 { DVec3::new(0.25, 0.5, 0.0) } else { DVec3::new(0.25, 1.0 / 3.0, 0.5) };
        let origin = min + first * steps;
        Packed { origin: if axes == 2 { origin.with_z(0.0) } else { origin }, steps, axes }
    }

    /// The volume of a cell [m^axes].
    pub(super) fn cell_volume(&self) -> f64 {
        self.steps.x * self.steps.y * if self.axes == 2 { 1.0 } else { self.steps.z }
    }

    /// The particles from the lowest corner of a box to before its highest.
    pub(super) fn within(self, Bounds { min, max }: Bounds) -> impl Iterator<Item = DVec3> {
        let Packed { origin, steps: DVec3 { x: apart, y: row, z: layer }, axes } = self;
        let (low, high) = (min - origin, max - origin);
        let range = |low: f64, high: f64, step: f64| (low / step).ceil() as i64..(high / step).ceil() as i64;
        let layers = if axes == 2 { 0..1 } else { range(low.z, high.z, layer) };
        layers.flat_map(move |k| {
            let raised = k.rem_euclid(2) as f64;
            let y_shift = raised * row / 3.0;
            range(low.y - y_shift, high.y - y_shift, row).flat_map(move |j| {
                let x_shift = 0.5 * apart * (raised + j.rem_euclid(2) as f64);
                range(low.x - x_shift, high.x - x_shift, apart).map(move |i| {
                    let height = if axes == 2 { 0.0 } else { k as f64 * layer };
                    origin + DVec3::new(i as f64 * apart + x_shift, j as f64 * row + y_shift, height)
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_particle_has_twelve_neighbours_or_six_in_the_plane() {
        for (axes, neighbours) in [(2, 6), (3, 12)] {
            let size = if axes == 2 { 2.0 / 3.0_f64.sqrt() } else { 2.0_f64.sqrt() };
            let apart = size.powf(1.0 / axes as f64);
            let steps = apart * DVec3::new(1.0, 0.75_f64.sqrt(), (2.0 / 3.0_f64).sqrt());
            let packed = Packed { origin: DVec3::ZERO, steps, axes };
            assert!((packed.cell_volume() - 1.0).abs() < 1e-12);
            let points: Vec<_> = packed.within(Bounds::around(DVec3::ZERO, DVec3::splat(6.0))).collect();
            for point in points.iter().filter(|point| point.length() < 3.0) {
                let near = points.iter().map(|other| other.distance(*point)).filter(|r| *r > 0.0);
                let touching = near.clone().filter(|r| (r - apart).abs() < 1e-9).count();
                assert_eq!(touching, neighbours);
                assert!(near.fold(f64::INFINITY, f64::min) > apart - 1e-9);
            }
            let volume = 12.0_f64.powi(axes as i32);
            assert!((points.len() as f64 / volume - 1.0).abs() < 0.1, "{} {volume}", points.len());
        }
    }

    #[test]
    fn boxes_side_by_side_have_every_particle_once() {
        let whole = Bounds { min: DVec3::new(0.1, 0.2, 0.3), max: DVec3::new(1.1, 1.4, 1.3) };
        let packed = Packed::fitted(whole, 0.3, 3);
        let count = |min: DVec3, max: DVec3| packed.within(Bounds { min, max }).count();
        let (low, high) = (DVec3::splat(-1.0), DVec3::splat(1.5));
        let halves = count(low, high.with_x(0.4)) + count(low.with_x(0.4), high);
        assert_eq!(halves, count(low, high));
    }

    #[test]
    fn a_box_has_whole_rows_half_a_row_inside() {
        for axes in [2, 3] {
            let bounds =
                Bounds { min: DVec3::new(0.3, 0.1, 0.0), max: DVec3::new(1.3, 0.9, if axes == 2 { 0.0 } else { 0.6 }) };
            let packed = Packed::fitted(bounds, 0.07, axes);
            let points: Vec<_> =
                packed.within(bounds.grown(1.0)).filter(|x| bounds.grown(1e-9).distance(*x) < 0.0).collect();
            let volume = if axes == 2 { 0.8 } else { 0.48 };
            assert!((points.len() as f64 * packed.cell_volume() / volume - 1.0).abs() < 1e-9);
            assert!((packed.cell_volume() / 0.07_f64.powi(axes as i32) - 1.0).abs() < 0.1);
            let sum: DVec3 = points.iter().sum();
            assert!((sum / points.len() as f64 - 0.5 * (bounds.min + bounds.max)).abs().max_element() < 0.01);
        }
    }
}
