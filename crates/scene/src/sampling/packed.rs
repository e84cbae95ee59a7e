//! Particles in hexagonal layers, each above the gaps of the one below: the densest packing of balls. In 2D, triangles.
//!
//! Neighbours are `a` apart, where `a³/√2` (in 2D `a² √3/2`) is the volume of a cell, so that there are as many
//! particles in a volume as in a cubic lattice.

use glam::DVec3;

use crate::shape::Bounds;

/// A hexagonal lattice around a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    origin: DVec3,
    /// From a particle to its neighbours [m].
    apart: f64,
    axes: usize,
}

impl Packed {
    /// With a particle at `origin`, and cells as large as those of a cubic lattice.
    pub(super) fn new(origin: DVec3, spacing: f64, axes: usize) -> Packed {
        let apart = if axes == 2 { (2.0 / 3.0_f64.sqrt()).sqrt() } else { 2.0_f64.powf(1.0 / 6.0) };
        Packed { origin, apart: apart * spacing, axes }
    }

    /// The particles from the lowest corner of a box to before its highest.
    pub(super) fn within(self, Bounds { min, max }: Bounds) -> impl Iterator<Item = DVec3> {
        let Packed { origin, apart, axes } = self;
        let (row, layer) = (apart * 0.75_f64.sqrt(), apart * (2.0 / 3.0_f64).sqrt());
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
            let packed = Packed::new(DVec3::ZERO, 1.0, axes);
            let points: Vec<_> = packed.within(Bounds::around(DVec3::ZERO, DVec3::splat(6.0))).collect();
            for point in points.iter().filter(|point| point.length() < 3.0) {
                let near = points.iter().map(|other| other.distance(*point)).filter(|r| *r > 0.0);
                let touching = near.clone().filter(|r| (r - packed.apart).abs() < 1e-9).count();
                assert_eq!(touching, neighbours);
                assert!(near.fold(f64::INFINITY, f64::min) > packed.apart - 1e-9);
            }
            let volume = 12.0_f64.powi(axes as i32);
            assert!((points.len() as f64 / volume - 1.0).abs() < 0.1, "{} {volume}", points.len());
        }
    }

    #[test]
    fn boxes_side_by_side_have_every_particle_once() {
        let packed = Packed::new(DVec3::new(0.1, 0.2, 0.3), 0.3, 3);
        let count = |min: DVec3, max: DVec3| packed.within(Bounds { min, max }).count();
        let (low, high) = (DVec3::splat(-1.0), DVec3::splat(1.5));
        let halves = count(low, high.with_x(0.4)) + count(low.with_x(0.4), high);
        assert_eq!(halves, count(low, high));
    }
}
