//! Pressure of wall particles, extrapolated from the fluid (Adami, Hu & Adams 2012).
//!
//! ```text
//! p_b = Σ_f W_bf (p_f + ρ_f (g − a_b)·(x_b − x_f)) / Σ_f W_bf,   not below 0 unless fluids may pull
//! ```
//!
//! One value per wall particle: with a different one for each pair, side walls would feed energy into the fluid.

use crate::neighbors::{Pairs, Who};
use crate::real::Real;
use crate::stage::stage;
use crate::world::{Particles, World};
use crate::{each, sum};

/// Writes the pressure of every wall particle. `spare` is memory for them while the column is read.
pub(crate) fn extrapolate_pressures(world: &mut World, pairs: &Pairs, tension: bool, spare: &mut Vec<Real>) {
    stage!("wall pressures");
    let (walls, gravity) = (world.kinds.walls(), world.gravity);
    let Particles { pressure, density, acceleration, .. } = &mut world.particles;
    spare.resize(walls.len(), 0.0);
    each!(pairs, Who::Walls, spare, |b, near, p_b| {
        let pull = gravity - acceleration[b];
        // All neighbours of a wall particle are matter, and x_ij is x_b − x_f.
        let (pressures, weights) = sum!(near, |f| {
            let weight = f.w();
            (weight * (f.get(pressure) + f.get(density) * f.splat_vec(pull).dot(f.x_ij())), weight)
        });
        let extrapolated = if weights > 0.0 { pressures / weights } else { 0.0 };
        *p_b = if tension { extrapolated } else { extrapolated.max(0.0) };
    });
    pressure[walls].copy_from_slice(spare);
}
