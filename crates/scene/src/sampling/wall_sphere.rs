//! Walls of spherical shape: shells of evenly spread points.
//!
//! The points of a shell follow a spiral with the golden angle between neighbours (Swinbank & Purser 2006); in
//! 2D they divide a circle evenly. They are no lattice, so their rest volumes are weighted to count as much as
//! those of a flat lattice wall:
//!
//! ```text
//! V0_b = d^dim (Σ_k W_bk of the flat wall) / Σ_k W_bk
//! ```

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use glam::DVec3;
use thixo_sim::{Kernel, Real};

use super::WallParticle;
use crate::{Sphere, World};

/// Concentric shells of particles behind the surface of a ball.
#[derive(Clone, Debug)]
pub(crate) struct SphereShells {
    centre: DVec3,
    radius: f64,
    inside: bool,
    spacing: f64,
    axes: usize,
    /// Layers of a flat wall; a small ball has room for fewer.
    layers: usize,
    /// Radius of each shell [m], nearest to the surface first.
    shells: Vec<f64>,
}

impl SphereShells {
    pub(super) fn new(sphere: &Sphere, world: &World, layers: usize, inside: bool) -> SphereShells {
        let sign = if inside { 1.0 } else { -1.0 };
        let shell = |layer: usize| sphere.radius + sign * (layer as f64 + 0.5) * world.spacing;
        SphereShells {
            centre: world.flat(sphere.centre),
            radius: sphere.radius,
            inside,
            spacing: world.spacing,
            axes: usize::from(world.dimension),
            layers,
            shells: (0..layers).map(shell).filter(|&radius| radius >= -1e-9 * world.spacing).collect(),
        }
    }

    pub(super) fn count(&self) -> f64 {
        self.shells.iter().map(|&shell| self.points(shell)).sum()
    }

    pub(super) fn particles(&self) -> impl Iterator<Item = WallParticle> + '_ {
        self.shells.iter().flat_map(move |&shell| {
            let count = self.points(shell) as u64;
            (0..count).map(move |k| {
                let outwards = direction(k, count, self.axes);
                let position = self.centre + outwards * shell;
                WallParticle { position, to_surface: outwards * (self.radius - shell) }
            })
        })
    }

    pub(super) fn depth(&self, point: DVec3) -> f64 {
        let beyond = point.distance(self.centre) - self.radius;
        if self.inside { beyond } else { -beyond }
    }

    pub(super) fn rest_volumes(&self, world: &World) -> Vec<f64> {
        let kernel = world.kernel.kernel(world.spacing as Real, world.dimension());
        let positions: Vec<DVec3> = self.particles().map(|particle| particle.position).collect();
        let sums = kernel_sums(&positions, &kernel);
        let flat = self.shells.iter().enumerate().flat_map(|(layer, &shell)| {
            let sum = flat_wall_sum(&kernel, self.spacing, self.axes, (layer, self.layers));
            std::iter::repeat_n(sum, self.points(shell) as usize)
        });
        let cell = world.cell_volume();
        flat.zip(sums).map(|(flat, sum)| cell * flat / sum).collect()
    }

    /// Points of a shell: one for each square of the spacing, in 2D for each spacing; at least one.
    fn points(&self, shell: f64) -> f64 {
        let ratio = shell / self.spacing;
        let points = if self.axes == 2 { TAU * ratio } else { 2.0 * TAU * ratio * ratio };
        points.round().max(1.0)
    }
}

/// Direction of point `k` of `count`.
fn direction(k: u64, count: u64, axes: usize) -> DVec3 {
    let share = (k as f64 + 0.5) / count as f64;
    if axes == 2 {
        let (sin, cos) = (TAU * share).sin_cos();
        return DVec3::new(cos, sin, 0.0);
    }
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    let (sin, cos) = (golden_angle * k as f64).sin_cos();
    let height = 1.0 - 2.0 * share;
    let radius = (1.0 - height * height).max(0.0).sqrt();
    DVec3::new(radius * cos, height, radius * sin)
}

/// Σ_k W_bk over a flat lattice wall, for a particle of one of its layers.
pub(super) fn flat_wall_sum(kernel: &Kernel, spacing: f64, axes: usize, (layer, layers): (usize, usize)) -> f64 {
    let reach = (f64::from(kernel.support()) / spacing).ceil() as i64;
    let across = if axes == 2 { 0..=0 } else { -reach..=reach };
    let mut sum = 0.0;
    for other in 0..layers {
        for x in -reach..=reach {
            for z in across.clone() {
                let offset = DVec3::new(x as f64, other as f64 - layer as f64, z as f64);
                sum += f64::from(kernel.value((offset.length() * spacing) as Real));
            }
        }
    }
    sum
}

/// Σ_k W_ik over all points, each with itself.
fn kernel_sums(points: &[DVec3], kernel: &Kernel) -> Vec<f64> {
    let support = f64::from(kernel.support());
    let cell = |point: DVec3| (point / support).floor().to_array().map(|x| x as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (index, &point) in points.iter().enumerate() {
        cells.entry(cell(point)).or_default().push(index as u32);
    }
    let neighbours = |[x, y, z]: [i64; 3]| {
        let around = (0..27).map(move |k| [x + k / 9 - 1, y + k / 3 % 3 - 1, z + k % 3 - 1]);
        around.filter_map(|cell| cells.get(&cell)).flatten()
    };
    let weight = |a: DVec3, b: DVec3| f64::from(kernel.value(a.distance(b) as Real));
    points.iter().map(|&point| neighbours(cell(point)).map(|&k| weight(point, points[k as usize])).sum()).collect()
}
