//! Who bears the pressure of a curved surface: S.
//!
//! ```text
//! S_i = s(φ_i; φ_1 + ¼(1 − φ_1), 1)                         fluids with a tension; φ_1 is that of the first layer of a lattice
//! S_b = Σ_f V0_f S_f W_bf / Σ_f V0_f W_bf                   walls and solid bodies, f flows
//! ```
//!
//! s(x; a, b) is a smooth step from a to b, and other fluids have 1. Walls read S as they read pressures (`pressure/walls.rs`), wet
//! or dry: what a wall pulls is then what it pushes, particle by particle, wherever its surface ends. A wall that pulls only as far
//! as it is wet throws drops off, for beside the line of contact its particles push all the same.

use super::smooth_step;
use super::wetting::Filling;
use crate::neighbors::{Pairs, Who};
use crate::real::Real;
use crate::world::World;
use crate::{each, sum};

/// S rises over this share of the way from φ of the first layer to 1 [-]: from 0, the first layer bears pressure and gathers
/// particles; with less width than this S follows single particles.
const RISE: [Real; 2] = [0.25, 1.0];

/// S of every particle.
#[derive(Clone, Debug, Default)]
pub(super) struct Bearing {
    share: Vec<Real>,
    /// Of solids, and of walls.
    beside: [Vec<Real>; 2],
}

impl Bearing {
    /// S of every particle.
    pub(super) fn share(&self) -> &[Real] {
        &self.share
    }

    /// From the tension of every particle, and slopes whose number is φ φ_lattice.
    pub(super) fn find(
        &mut self,
        world: &World,
        pairs: &Pairs,
        (filling, tension): (&Filling, &[Real]),
        slopes: &[[Real; 4]],
    ) {
        let Bearing { share, beside: [beside_solids, beside_walls] } = self;
        let lattice_sum = pairs.kernel().lattice_sum(world.spacing);
        let missing = filling.nearest() / lattice_sum;
        share.clear();
        share.extend(slopes.iter().zip(tension).map(|(slope, &tension)| match tension > 0.0 {
            true => smooth_step(1.0 - (1.0 - slope[3] / lattice_sum) / missing, RISE),
            false => 1.0,
        }));
        let (solid, walls) = (world.kinds.solid(), world.kinds.walls());
        let (flowing, of_fluids) = (filling.flowing(), &*share);
        if !solid.is_empty() {
            beside_solids.resize(world.kinds.matter().len(), 0.0);
            each!(pairs, Who::Matter, beside_solids, |i, near, share| {
                if i < solid.end {
                    let (shares, weight) = sum!(near.matter(), |f| {
                        let weight = f.get(flowing) * f.w();
                        (f.get(of_fluids) * weight, weight)
                    });
                    *share = if weight > 0.0 { shares / weight } else { 0.0 };
                }
            });
        }
        beside_walls.resize(walls.len(), 0.0);
        each!(pairs, Who::Walls, beside_walls, |_b, near, share| {
            let (shares, weight) = sum!(near, |f| {
                let weight = f.get(flowing) * f.w();
                (f.get(of_fluids) * weight, weight)
            });
            *share = if weight > 0.0 { shares / weight } else { 0.0 };
        });
        if !solid.is_empty() {
            share[solid.clone()].copy_from_slice(&beside_solids[solid]);
        }
        share[walls].copy_from_slice(beside_walls);
    }
}
