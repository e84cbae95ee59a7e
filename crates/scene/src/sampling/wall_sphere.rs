//! Walls of spherical shape: shells of evenly spread points.
//!
//! The points of a shell follow a spiral with the golden angle between neighbours (Swinbank & Purser 2006); in
//! 2D they divide a circle evenly.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

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
