//! Walls of any shape: layers of particles that follow its surface.
//!
//! The cells of a lattice that lie where a layer is to be are moved onto it, each along the way to its nearest point of
//! the surface. So there is one particle for each square of the spacing on average, and on a flat face along the axes
//! the lattice remains. Elsewhere some come too close to each other: those repel each other along the layer. Then
//! gaps are filled. Where the shape is too thin for a particle half a spacing deep, it lies in the middle.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::inset::{Inset, Settled};
use super::walk::{Met, walk};
use super::{Lattice, WallParticle};
use crate::World;
use crate::near::Near;
use crate::shape::{Bounds, Solid};

/// The layers behind the surface of a solid.
#[derive(Clone, Debug)]
pub(crate) struct SolidLayers {
    solid: Arc<dyn Solid>,
    /// Distances times this are depths in the wall.
    sign: f64,
    lattice: Lattice,
    /// Particles are only here.
    limits: Bounds,
    layers: usize,
}

/// Particles closer than this are one too many, in spacings.
const CLOSEST: f64 = 0.6;

/// Farther than this from all others is a gap, in spacings.
const GAP: f64 = 0.87;

/// Cells along the longest side when the size of a surface is estimated.
const COARSE: f64 = 64.0;

/// Times that particles repel each other.
const ROUNDS: usize = 5;

impl SolidLayers {
    /// `limits` must be finite where the solid is not.
    pub(super) fn new(solid: Arc<dyn Solid>, inside: bool, limits: Bounds, layers: usize, world: &World) -> Self {
        let margin = if inside { layers as f64 * world.spacing } else { 0.0 };
        let lattice = Lattice::over(solid.bounds(), world);
        let lattice = match solid.bounds().is_finite() {
            true => lattice.grown([layers as i64, layers as i64, if world.dimension == 2 { 0 } else { layers as i64 }]),
            false => Lattice::over(solid.bounds().grown(margin).common(limits), world),
        };
        SolidLayers { solid, sign: if inside { 1.0 } else { -1.0 }, lattice, limits, layers }
    }

    /// About how many particles: a layer about the surface, one coarse cell thick to both sides, tells its size.
    pub(super) fn estimate(&self) -> f64 {
        let Lattice { spacing, axes, .. } = self.lattice;
        let longest = self.lattice.cells.into_iter().max().unwrap_or(0);
        let coarse = self.lattice.coarser((longest as f64 / COARSE).max(1.0));
        let area = self.near(&coarse, -coarse.spacing..=coarse.spacing).len() as f64 * coarse.spacing.powi(axes as i32);
        self.layers as f64 * area / (2.0 * coarse.spacing) / spacing.powi(axes as i32 - 1)
    }

    /// The cells of a lattice whose centres have distances in a range.
    fn near(&self, lattice: &Lattice, range: std::ops::RangeInclusive<f64>) -> Vec<[i64; 3]> {
        let margin = range.start().abs().max(range.end().abs());
        let parts = walk(&*self.solid, lattice, margin, |part: &mut Vec<_>, met| match met {
            Met::Near(cell, distance) if range.contains(&distance) => part.push(cell),
            _ => {}
        });
        parts.into_iter().flatten().collect()
    }

    /// How deep in the wall a point is [m].
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        self.sign * self.solid.distance(point)
    }

    /// The particles, in a fixed order.
    pub(super) fn particles(&self) -> Vec<WallParticle> {
        (0..self.layers).flat_map(|layer| self.layer(layer)).collect()
    }

    fn layer(&self, layer: usize) -> Vec<WallParticle> {
        let spacing = self.lattice.spacing;
        let depth = (layer as f64 + 0.5) * spacing;
        let mut particles = Vec::new();
        self.fill(&mut particles, &self.lattice, [depth - 0.5 * spacing, depth + 0.5 * spacing], CLOSEST);
        self.spread(&mut particles, depth);
        self.fill(&mut particles, &self.lattice.coarser(0.5), [depth - 0.25 * spacing, depth + 0.25 * spacing], GAP);
        self.spread(&mut particles, depth);
        particles
    }

    /// Adds particles from the cells of a lattice between two depths, where none is closer than `closest` spacings.
    fn fill(&self, particles: &mut Vec<WallParticle>, lattice: &Lattice, [low, high]: [f64; 2], closest: f64) {
        let mut near = Near::of(particles.iter().map(|particle| particle.position), closest * self.lattice.spacing);
        let depth = 0.5 * (low + high);
        // A cell is moved by half the range; if a particle is closer even then, it need not be.
        let safe = closest * self.lattice.spacing - 0.55 * (high - low);
        let is_free = |place: DVec3| near.around(place).all(|(_, way)| way.length() > safe);
        let cells = self.near(lattice, self.distances(low, high)).into_par_iter().map(|cell| lattice.centre(cell));
        let settled = cells.map(|place| is_free(place).then(|| self.settled(place, depth)).flatten());
        let settled: Vec<_> = settled.collect();
        for particle in settled.into_iter().flatten() {
            if !near.has_any(particle.position) {
                near.add(particle.position);
                particles.push(particle);
            }
        }
    }

    /// Particles closer than a spacing repel each other along the layer.
    fn spread(&self, particles: &mut [WallParticle], depth: f64) {
        let spacing = self.lattice.spacing;
        for _ in 0..ROUNDS {
            let near = Near::of(particles.iter().map(|particle| particle.position), 0.98 * spacing);
            let spread = particles.par_iter().enumerate().map(|(k, particle)| {
                let place = particle.position;
                let away = near
                    .around(place)
                    .filter(|(other, _)| *other != k)
                    .map(|(_, way)| way.normalize_or_zero() * -0.5 * (spacing - way.length()));
                let displacement = away.sum::<DVec3>().clamp_length_max(0.3 * spacing);
                let moved = (displacement != DVec3::ZERO).then(|| self.settled(place + displacement, depth)).flatten();
                moved.unwrap_or(*particle)
            });
            let spread: Vec<_> = spread.collect();
            particles.copy_from_slice(&spread);
        }
    }

    /// The particle of a layer that is nearest to a place; none if the wall is not that thick there, or ends.
    fn settled(&self, place: DVec3, depth: f64) -> Option<WallParticle> {
        let inset =
            Inset { solid: &*self.solid, sign: self.sign, axes: self.lattice.axes, spacing: self.lattice.spacing };
        let Settled { place, surface } = inset.settled(place, depth)?;
        (self.limits.distance(place) <= 0.0).then_some(WallParticle { position: place, to_surface: surface - place })
    }

    /// The distances that lie between two depths.
    fn distances(&self, low: f64, high: f64) -> std::ops::RangeInclusive<f64> {
        let (a, b) = (self.sign * low, self.sign * high);
        a.min(b)..=a.max(b)
    }
}
