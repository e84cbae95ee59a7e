//! Relaxed sampling: particles without order, all of the same volume, as evenly spread as can be.
//!
//! They repel each other, and the space behind the surface repels them as if it were filled as evenly:
//!
//! ```text
//! F_i = Σ_j g(r_ij/d) (x_i − x_j)/r_ij + n ∫_outside g(r/d) cos θ dV/d^axes,    g(q) = (1 − q/2)²
//! ```
//!
//! for a flat surface with the normal n into the body. The integral depends on the depth alone and is tabulated. The
//! outermost particles, as many as the outermost layer of one spacing is worth, stay half a spacing inside, as those of a
//! lattice do, so that a body which touches a wall keeps its distance from it; left alone they would come as near as
//! the rows of their packing are apart, or a few would go and leave the others too much space. On surfaces the particles
//! stay on it, and nothing is behind. As in a fluid that comes to rest under pressure (Colagrossi 2012 packs particles
//! so), with a little inertia: unevenness over long ways takes many rounds without.

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;

use super::filler::OUTERMOST;
use super::inset::Inset;
use super::poisson::Where;
use super::random;
use crate::near::Near;
use crate::shape::{Solid, gradient, surface_point};

/// How far particles repel each other, in spacings.
const REACH: f64 = 2.0;

/// Rounds of repulsion; the steps become shorter from the first to the last.
const ROUNDS: usize = 80;

/// Rounds between two looks at the surface.
const LOOK: usize = 8;

/// Steps, in spacings: for a force of one, and at most; and how much of each goes on in the next.
const STEP: f64 = 0.12;
const LONGEST: f64 = 0.12;
const INERTIA: f64 = 0.9;

/// What is not so deep at the beginning becomes part of the outermost layer, in spacings. A little less than one: the
/// next layer lies in its hollows.
const OUTERMOST_LAYER: f64 = 0.97;

/// Moves points until they are evenly spread.
pub(super) struct Relaxation<'a> {
    /// The solid.
    pub(super) solid: &'a dyn Solid,
    /// Two or three.
    pub(super) axes: usize,
    /// The edge of the space that each point has [m].
    pub(super) spacing: f64,
    /// Inside, or on the surface.
    pub(super) place: Where,
}

/// The surface as seen from a point.
#[derive(Clone, Copy, Debug)]
struct Horizon {
    /// How deep the point is [m].
    depth: f64,
    /// The way in.
    inwards: DVec3,
}

/// A particle on its way.
#[derive(Clone, Copy, Debug)]
struct Grain {
    place: DVec3,
    /// Its last step [m].
    step: DVec3,
    horizon: Horizon,
    /// It stays in the outermost layer.
    is_outermost: bool,
}

impl Horizon {
    /// After a short step. Where the way in is not known, it may have led out.
    fn after(self, step: DVec3) -> Horizon {
        let deeper = if self.inwards == DVec3::ZERO { -step.length() } else { step.dot(self.inwards) };
        Horizon { depth: self.depth + deeper, ..self }
    }
}

impl Relaxation<'_> {
    /// Points of a lattice, out of their rows.
    pub(super) fn shaken(&self, points: &mut [DVec3], seed: u32) {
        let half = DVec3::splat(0.3 * self.spacing);
        points.par_iter_mut().enumerate().for_each(|(k, point)| {
            let offset = random::of_cell(u64::from(seed), [k as i64, 0, 0]).point(-half, half);
            *point += if self.axes == 2 { offset.with_z(0.0) } else { offset };
        });
    }

    /// Spreads the points.
    pub(super) fn relax(&self, points: &mut [DVec3]) {
        let behind = Behind::new(self.dimension());
        let mut grains: Vec<_> = points.par_iter().map(|&place| self.grain(place)).collect();
        for round in 0..ROUNDS {
            let near = Near::of(grains.iter().map(|grain| grain.place), REACH * self.spacing);
            let strength = STEP * (1.0 - 0.7 * round as f64 / ROUNDS as f64);
            let looks = round % LOOK == LOOK - 1;
            let moved = grains.par_iter().map(|grain| {
                let force = self.repulsion(&near, grain.place) + self.inwards(&behind, &grain.horizon);
                let step = strength * force * self.spacing + INERTIA * grain.step;
                self.moved(grain, step.clamp_length_max(LONGEST * self.spacing), looks)
            });
            grains = moved.collect();
        }
        points.par_iter_mut().zip(&grains).for_each(|(point, grain)| *point = self.final_place(grain));
    }

    fn grain(&self, place: DVec3) -> Grain {
        let horizon = self.look(place);
        let is_outermost = self.place == Where::Inside && horizon.depth < OUTERMOST_LAYER * self.spacing;
        Grain { place, step: DVec3::ZERO, horizon, is_outermost }
    }

    /// Dimension of what the points fill.
    fn dimension(&self) -> usize {
        if self.place == Where::Surface { self.axes - 1 } else { self.axes }
    }

    fn repulsion(&self, near: &Near, point: DVec3) -> DVec3 {
        let others = near.around(point).map(|(_, way)| (way, way.length())).filter(|(_, distance)| *distance > 0.0);
        others.map(|(way, distance)| way / -distance * repulsion(distance / self.spacing)).sum()
    }

    fn inwards(&self, behind: &Behind, horizon: &Horizon) -> DVec3 {
        match self.place {
            Where::Surface => DVec3::ZERO,
            Where::Inside => horizon.inwards * behind.repulsion(horizon.depth / self.spacing),
        }
    }

    /// A particle after a step, back where it may be.
    fn moved(&self, grain: &Grain, step: DVec3, looks: bool) -> Grain {
        let mut place = grain.place + step;
        let mut horizon = grain.horizon.after(step);
        if self.place == Where::Surface {
            place = surface_point(self.solid, place, 1e-4 * self.spacing).unwrap_or(place);
            return Grain { place, step: place - grain.place, ..*grain };
        }
        if looks && horizon.depth < (REACH + LOOK as f64 * LONGEST) * self.spacing {
            horizon = self.look(place);
        }
        let depth = OUTERMOST * self.spacing;
        if grain.is_outermost || horizon.depth < depth {
            place += (depth - horizon.depth) * horizon.inwards;
            horizon.depth = depth;
        }
        Grain { place, step: place - grain.place, horizon, ..*grain }
    }

    /// Where a particle stays: the outermost exactly as deep as they shall be, or in the middle of what is too thin.
    fn final_place(&self, &Grain { place, is_outermost, .. }: &Grain) -> DVec3 {
        let Relaxation { solid, axes, spacing, .. } = *self;
        let depth = OUTERMOST * spacing;
        let is_settled = !is_outermost && (self.place == Where::Surface || self.look(place).depth >= depth);
        let settled = || Inset { solid, sign: -1.0, axes, spacing }.settled(place, depth);
        if is_settled { place } else { settled().map_or(place, |settled| settled.place) }
    }

    fn look(&self, point: DVec3) -> Horizon {
        if self.place == Where::Surface {
            return Horizon { depth: 0.0, inwards: DVec3::ZERO };
        }
        let distance = self.solid.distance(point);
        if distance < -(REACH + LOOK as f64 * LONGEST) * self.spacing {
            // Too deep to feel the surface, however it moves until the next look.
            return Horizon { depth: -distance, inwards: DVec3::ZERO };
        }
        let slope = gradient(self.solid, point, 1e-3 * self.spacing);
        let steepness = slope.length().max(0.2);
        Horizon { depth: -distance / steepness, inwards: -slope / steepness }
    }
}

/// How strongly two points repel each other, by their distance in spacings.
fn repulsion(distance: f64) -> f64 {
    let rest = (1.0 - distance / REACH).max(0.0);
    rest * rest
}

/// How strongly the space behind a flat surface repels, by the depth of a point.
struct Behind(Vec<f64>);

impl Behind {
    const STEPS: usize = 64;

    /// In 3D `π ∫ g(r) (r² − s²) dr` from the depth s to the reach, in 2D `2 ∫ g(r) √(r² − s²) dr`.
    fn new(dimension: usize) -> Behind {
        let at = |k: usize| {
            let depth = REACH * k as f64 / Behind::STEPS as f64;
            const PARTS: usize = 400;
            let part = (REACH - depth) / PARTS as f64;
            let sum: f64 = (0..PARTS)
                .map(|k| {
                    let r = depth + (k as f64 + 0.5) * part;
                    let seen = r * r - depth * depth;
                    repulsion(r) * if dimension == 3 { PI * seen } else { 2.0 * seen.sqrt() }
                })
                .sum();
            sum * part
        };
        Behind((0..=Behind::STEPS).map(at).collect())
    }

    fn repulsion(&self, depth: f64) -> f64 {
        let at = (depth.max(0.0) / REACH * Behind::STEPS as f64).min(Behind::STEPS as f64 - 1e-9);
        let (k, share) = (at as usize, at.fract());
        self.0[k] * (1.0 - share) + self.0[k + 1] * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of a fine lattice behind a plane repels as the integral says.
    #[test]
    fn the_space_behind_a_surface_repels_as_particles_would() {
        for dimension in [2, 3] {
            let behind = Behind::new(dimension);
            const FINE: f64 = 0.05;
            let cells = (REACH / FINE) as i64;
            let across = if dimension == 3 { -cells..=cells } else { 0..=0 };
            for depth in [0.0, 0.3, 1.0, 1.7] {
                let mut sum = 0.0;
                for x in 0..cells {
                    for y in -cells..=cells {
                        for z in across.clone() {
                            let way = DVec3::new(depth + (x as f64 + 0.5) * FINE, y as f64 * FINE, z as f64 * FINE);
                            sum += repulsion(way.length()) * way.x / way.length();
                        }
                    }
                }
                let exact = sum * FINE.powi(dimension as i32);
                assert!((behind.repulsion(depth) - exact).abs() < 0.01, "{dimension} {depth}: {exact}");
            }
        }
    }
}
