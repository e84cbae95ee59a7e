//! How fluids wet walls and solid bodies.
//!
//! To the surface of a fluid a wall that it wets is like more of the fluid, and a dry wall is like nothing:
//!
//! ```text
//! χ_b = min(1, Σ_f V0_f W_bf / w(depth)),      w: what a full half space of fluid gives
//! ```
//!
//! over particles f that flow. A surface that meets the wall at a right angle then has normals along the wall, nearly: χ fades
//! over a support where the surface ends, and a surface that was not turned would lean outwards, to 100 degrees. At the contact
//! angle θ the normals by which curvature is measured are turned (Brackbill 1992; for particles, Breinlinger 2013):
//!
//! ```text
//! n̂ = t̂ sin θ − ŵ cos θ
//! ```
//!
//! with the direction ŵ to the wall, and t̂ of the surface's normal along the wall, both pointing outwards. In the layer that
//! touches the wall all of the normal is turned, farther off the share Σ_b V0_b W_ib/w(½ d).

use super::smooth_step;
use crate::neighbors::{Pairs, Who, row};
use crate::real::{Real, Vec3};
use crate::world::{Body, World};
use crate::{each, sum};

/// How one fluid wets one wall, where it is not as the fluid itself says.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Wetting {
    /// Index of the material.
    pub material: usize,
    /// The contact angle [degrees].
    pub contact_angle: Option<Real>,
    /// The adhesion of Akinci 2013.
    pub adhesion: Option<Real>,
}

/// A surface that meets a solid at less than this share of the sine asked for lies along it, as that of a film does, and is turned the
/// less [-]: there t̂ is noise. An angle of 90 degrees is asked of all that leans by less than 30 degrees in full.
const PARALLEL: Real = 0.5;

/// How much of the volume of every particle is fluid, or wet by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Filling {
    /// V0 of what flows, 0 for others.
    flowing: Vec<Real>,
    /// V0 χ.
    volume: Vec<Real>,
    /// w by depth, in spacings.
    full: Vec<Real>,
    /// V0 of what does not flow, and V0 cos θ.
    solids: Vec<[Real; 4]>,
}

impl Filling {
    /// V0 χ of every particle.
    pub(super) fn volume(&self) -> &[Real] {
        &self.volume
    }

    /// V0 of what flows.
    pub(super) fn flowing(&self) -> &[Real] {
        &self.flowing
    }

    /// w of the layer that touches.
    pub(super) fn nearest(&self) -> Real {
        self.full.first().copied().unwrap_or(0.0)
    }

    /// Looks at the world as it is now.
    pub(super) fn find(&mut self, world: &World, pairs: &Pairs) {
        let Filling { flowing, volume, full, .. } = self;
        let (particles, kinds) = (&world.particles, &world.kinds);
        if full.is_empty() {
            half_spaces(pairs, world.spacing, full);
        }
        flowing.clear();
        flowing.resize(particles.len(), 0.0);
        flowing[kinds.flowing()].copy_from_slice(&particles.rest_volume[kinds.flowing()]);
        volume.clear();
        volume.extend_from_slice(flowing);
        let (flowing, full, spacing) = (&*flowing, &*full, world.spacing);
        let (solid, walls) = (kinds.solid(), kinds.walls());
        if !solid.is_empty() {
            each!(pairs, Who::Matter, &mut volume[kinds.matter()], |i, near, volume| {
                if i < solid.end {
                    let wet = sum!(near.matter(), |j| j.get(flowing) * j.w());
                    *volume = particles.rest_volume[i] * (wet / full[0]).min(1.0);
                }
            });
        }
        each!(pairs, Who::Walls, &mut volume[walls], |b, near, volume| {
            let wet = sum!(near, |j| j.get(flowing) * j.w());
            let depth = (particles.to_surface[b].length() / spacing) as usize;
            *volume = particles.rest_volume[b] * (wet / full[depth.min(full.len() - 1)]).min(1.0);
        });
    }

    /// Turns the normals of a fluid's surface, m and |m|, where it meets walls and solid bodies.
    pub(super) fn turn_normals(&mut self, world: &World, pairs: &Pairs, normals: &mut [[Real; 4]]) {
        let Filling { solids, full, .. } = self;
        let (particles, kinds) = (&world.particles, &world.kinds);
        let flowing = kinds.flowing();
        if kinds.solid().is_empty() && kinds.walls().is_empty() {
            return;
        }
        for &material in world.flowing_indices() {
            let usual = world.materials[material].tension.contact_angle;
            let angle_at = |body: &Body| wetting_of(body, material).contact_angle.unwrap_or(usual);
            solids.clear();
            solids.extend((0..particles.len()).map(|b| {
                let volume = if flowing.contains(&b) { 0.0 } else { particles.rest_volume[b] };
                [volume, volume * angle_at(&world.bodies[particles.body[b] as usize]).to_radians().cos(), 0.0, 0.0]
            }));
            let (solids, nearest) = (&*solids, full[0]);
            each!(pairs, Who::Matter, &mut normals[world.kinds.matter()], |i, near, normal| {
                let [x, y, z, length] = *normal;
                if length > 0.0 && particles.material[i] as usize == material {
                    let (towards, (weight, cosine)) = sum!(near, |b| {
                        let (numbers, _) = b.get_packed(solids);
                        let w = b.w();
                        (b.grad_w() * numbers.x, (numbers.x * w, numbers.y * w))
                    });
                    if weight > 0.0 {
                        let share = (weight / nearest).min(1.0);
                        let turned = turned(Vec3::new(x, y, z) / -length, towards, cosine / weight, share);
                        *normal = row(turned * -length, length);
                    }
                }
            });
        }
    }
}

/// What a wall says of how a fluid wets it.
pub(super) fn wetting_of(body: &Body, material: usize) -> Wetting {
    body.wetting.iter().find(|wetting| wetting.material == material).copied().unwrap_or_default()
}

/// The outward normal of a surface, of which such a share is turned to a contact angle at a solid in the direction `towards`.
fn turned(outwards: Vec3, towards: Vec3, cosine: Real, share: Real) -> Vec3 {
    let wall = towards.normalize_or_zero();
    let along = outwards - wall * outwards.dot(wall);
    let (direction, length) = (along.normalize_or_zero(), along.length());
    if direction == Vec3::ZERO {
        return outwards;
    }
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let share = share * smooth_step(length, [0.0, (PARALLEL * sine).max(Real::EPSILON)]);
    let wanted = direction * sine - wall * cosine;
    (outwards * (1.0 - share) + wanted * share).normalize_or(outwards)
}

/// Σ V0 W over the half space of a lattice that begins 1, 2, ... layers away.
fn half_spaces(pairs: &Pairs, spacing: Real, full: &mut Vec<Real>) {
    let kernel = pairs.kernel();
    let reach = kernel.support() / spacing;
    let cell = kernel.dimension().cell_volume(spacing);
    let layers = reach.ceil() as usize;
    full.resize(layers.saturating_sub(1).max(1), 0.0);
    for offset in crate::kernel::lattice_offsets(reach, kernel.dimension()).filter(|offset| offset.x > 0.5) {
        let weight = cell * kernel.value((offset * spacing).length());
        let layer = offset.x.round() as usize;
        full.iter_mut().take(layer).for_each(|sum| *sum += weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall below, fluid on the left: the outward normal at the wall makes the contact angle with the wall's own, which points
    /// down out of the fluid.
    #[test]
    fn normals_at_a_wall_are_turned_to_the_contact_angle() {
        let down = Vec3::new(0.0, -3.0, 0.0);
        for angle in [20.0, 60.0, 90.0, 120.0, 160.0] {
            let angle = Real::to_radians(angle);
            for lean in [-0.4, 0.0, 0.4] {
                let normal = Vec3::new(1.0, lean, 0.0).normalize();
                let found = turned(normal, down, angle.cos(), 1.0);
                let expected = Vec3::new(angle.sin(), angle.cos(), 0.0);
                assert!((found - expected).length() < 1e-5, "{found} {expected}");
                // Farther off, a share of the way.
                let part = turned(normal, down, angle.cos(), 0.25);
                assert!((part - (normal * 0.75 + expected * 0.25).normalize()).length() < 1e-5, "{part}");
            }
        }
    }

    #[test]
    fn the_surface_of_a_film_is_not_turned() {
        let (down, noise) = (Vec3::NEG_Y, Vec3::new(1e-3, 1.0, 0.0).normalize());
        assert!((turned(noise, down, 0.0, 1.0) - noise).length() < 1e-3);
        assert_eq!(turned(Vec3::Y, down, 0.0, 1.0), Vec3::Y);
    }
}
