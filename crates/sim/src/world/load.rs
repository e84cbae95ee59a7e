//! Loads: forces from outside on parts of an elastic body.
//!
//! A load is a force F in a direction that does not turn with the body. Each particle that bears it bears a share:
//!
//! ```text
//! f_i(t) = s_i g(t) F,    Σ s_i = 1,    g = 0 before `from` and after `until`, (t − from)/ramp up to 1 between
//! ```
//!
//! Over a region the shares are those of the volumes. At a point p they are a kernel that reproduces linear functions,
//!
//! ```text
//! s_i = W_i/ΣW (1 − (r_i − r̄)·C⁺ r̄),    r_i = x_i − p,    r̄ = Σ W_i r_i / ΣW,    C = Σ W_i (r_i − r̄) ⊗ (r_i − r̄) / ΣW
//! ```
//!
//! so that Σ s_i x_i = p: force and moment are those of a force at p, which may lie half a spacing outside the particles,
//! on the surface. C⁺ leaves out directions in which no particle lies, as across a sheet.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use crate::elasticity::invert_where_spread;
use crate::force::{Force, StepContext};
use crate::kernel::Kernel;
use crate::real::{Dimension, Real, Vec3};
use crate::world::World;

/// A force from outside on a part of an elastic body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// All of it [N]; in 2D per metre of depth.
    pub force: [Real; 3],
    /// When it begins [s].
    pub from: f64,
    /// When it ends [s]; never if there is no such time.
    pub until: Option<f64>,
    /// How long it takes to grow to its full strength [s].
    pub ramp: f64,
    /// Who bears how much of it [-]: particles of the body, by their index in the world.
    pub shares: Vec<(u32, Real)>,
}

impl Load {
    /// What is wrong with it, if anything, for a body of so many particles.
    pub fn fault(&self, particles: usize) -> Option<&'static str> {
        let Load { force, from, until, ramp, shares } = self;
        let is_finite = force.iter().all(|component| component.is_finite()) && from.is_finite();
        match () {
            () if !is_finite => Some("a number is not finite"),
            () if until.is_some_and(|until| until.is_nan() || until <= *from) => Some("it ends before it begins"),
            () if !(*ramp >= 0.0 && ramp.is_finite()) => Some("it takes less than no time to grow"),
            () if shares.is_empty() => Some("no particle bears it"),
            () if shares.iter().any(|&(i, _)| i as usize >= particles) => {
                Some("a particle that bears it does not exist")
            }
            () if shares.iter().any(|(_, share)| !share.is_finite()) => Some("a share is not finite"),
            () => None,
        }
    }

    /// The force at the time of the world [N].
    pub(crate) fn force_at(&self, world: &World) -> Vec3 {
        world.dimension.flatten(Vec3::from_array(self.force)) * self.strength(world.clock.time)
    }

    /// How much of it acts at a time [s], 0 to 1.
    fn strength(&self, time: f64) -> Real {
        if time < self.from || self.until.is_some_and(|until| time >= until) {
            return 0.0;
        }
        if self.ramp > 0.0 { ((time - self.from) / self.ramp).min(1.0) as Real } else { 1.0 }
    }

    /// Shares in proportion to volumes.
    pub fn spread(volumes: impl Iterator<Item = (u32, f64)> + Clone) -> Vec<(u32, Real)> {
        let all: f64 = volumes.clone().map(|(_, volume)| volume).sum();
        volumes.map(|(i, volume)| (i, (volume / all) as Real)).collect()
    }

    /// Shares of the particles around a point, given the ways from the point to them [m]; none if no one is in reach of
    /// the kernel.
    pub fn focused(
        kernel: &Kernel,
        dimension: Dimension,
        ways: impl Iterator<Item = (u32, DVec3)>,
    ) -> Vec<(u32, Real)> {
        let weigh = |(i, way): (u32, DVec3)| (i, way, f64::from(kernel.value(way.length() as Real)));
        let near: Vec<_> = ways.map(weigh).filter(|&(.., weight)| weight > 0.0).collect();
        let all: f64 = near.iter().map(|&(.., weight)| weight).sum();
        let mean = near.iter().map(|&(_, way, weight)| way * weight).sum::<DVec3>() / all;
        let spread = near.iter().fold(DMat3::ZERO, |spread, &(_, way, weight)| {
            let off = way - mean;
            spread + DMat3::from_cols(off * off.x, off * off.y, off * off.z) * (weight / all)
        });
        let lean = invert_where_spread(spread, dimension) * mean;
        near.into_iter().map(|(i, way, weight)| (i, (weight / all * (1.0 - (way - mean).dot(lean))) as Real)).collect()
    }
}

/// The loads on all bodies.
pub(crate) struct LoadForce;

impl Force for LoadForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let world = step.world;
        for load in world.bodies.iter().filter(|body| !body.is_removed).flat_map(|body| &body.loads) {
            let force = load.force_at(world);
            for &(i, share) in &load.shares {
                acceleration[i as usize] += force * (share / world.particles.mass(i as usize));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelChoice;

    fn load() -> Load {
        Load { force: [0.0, -2.0, 0.0], from: 1.0, until: Some(3.0), ramp: 0.5, shares: vec![(0, 1.0)] }
    }

    fn reaches(point: DVec3, places: &[DVec3]) -> Vec<(u32, Real)> {
        let kernel = KernelChoice::default().kernel(0.1, Dimension::Three);
        Load::focused(&kernel, Dimension::Three, (0..).zip(places).map(|(i, &place)| (i, place - point)))
    }

    fn lattice(counts: [usize; 3]) -> Vec<DVec3> {
        let [x, y, z] = counts;
        let place = |k: usize| DVec3::new((k % x) as f64, (k / x % y) as f64, (k / x / y) as f64) + 0.5;
        (0..x * y * z).map(|k| place(k) * 0.1).collect()
    }

    #[test]
    fn it_grows_and_ends() {
        let expected = [(0.9, 0.0), (1.0, 0.0), (1.25, 0.5), (1.5, 1.0), (2.9, 1.0), (3.0, 0.0)];
        for (time, strength) in expected {
            assert!((load().strength(time) - strength).abs() < 1e-6, "at {time}");
        }
        assert_eq!(Load { ramp: 0.0, ..load() }.strength(1.0), 1.0);
    }

    /// In a body, on its surface, on an edge, over a sheet and at the end of a rod.
    #[test]
    fn shares_at_a_point_have_its_force_and_its_moment() {
        let cases = [
            ([6, 6, 6], DVec3::new(0.31, 0.28, 0.33)),
            ([6, 6, 6], DVec3::new(0.6, 0.28, 0.33)),
            ([6, 6, 6], DVec3::new(0.6, 0.6, 0.33)),
            ([6, 6, 1], DVec3::new(0.22, 0.31, 0.05)),
            ([6, 1, 1], DVec3::new(0.6, 0.05, 0.05)),
        ];
        for (counts, point) in cases {
            let places = lattice(counts);
            let shares = reaches(point, &places);
            assert!(shares.len() > 1, "{counts:?}");
            let sum: f64 = shares.iter().map(|&(_, share)| f64::from(share)).sum();
            let middle: DVec3 = shares.iter().map(|&(i, share)| places[i as usize] * f64::from(share)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{counts:?}: {sum}");
            assert!((middle - point).length() < 1e-6, "{counts:?}: {middle} {point}");
        }
    }

    #[test]
    fn a_single_particle_bears_all_and_none_in_reach_nothing() {
        assert_eq!(reaches(DVec3::ZERO, &[DVec3::splat(0.05)]), [(0, 1.0)]);
        assert_eq!(reaches(DVec3::ZERO, &[DVec3::splat(0.5)]), []);
    }

    #[test]
    fn loads_without_sense_are_told() {
        assert_eq!(load().fault(1), None);
        let fault = |change: &dyn Fn(&mut Load)| {
            let mut load = load();
            change(&mut load);
            load.fault(1).is_some()
        };
        assert!(fault(&|load| load.force[0] = Real::NAN));
        assert!(fault(&|load| load.from = f64::INFINITY));
        assert!(fault(&|load| load.until = Some(1.0)));
        assert!(fault(&|load| load.ramp = -1.0));
        assert!(fault(&|load| load.shares.clear()));
        assert!(fault(&|load| load.shares[0].0 = 1));
        assert!(fault(&|load| load.shares[0].1 = Real::INFINITY));
    }
}
