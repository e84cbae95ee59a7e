//! Random numbers that are the same on every computer.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

/// A sequence of random numbers: splitmix64 (Steele, Lea & Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The sequence that begins with a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number: any of 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between two numbers.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// In a box.
    pub(crate) fn point(&mut self, min: DVec3, max: DVec3) -> DVec3 {
        min + (max - min) * DVec3::new(self.unit(), self.unit(), self.unit())
    }

    /// Any rotation, each as likely as any other (Shoemake 1992).
    pub(crate) fn rotation(&mut self) -> DQuat {
        let (share, first, second) = (self.unit(), TAU * self.unit(), TAU * self.unit());
        let (low, high) = ((1.0 - share).sqrt(), share.sqrt());
        DQuat::from_xyzw(low * first.sin(), low * first.cos(), high * second.sin(), high * second.cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published generator for the seed 1234567.
    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        let mut random = Random::new(1234567);
        assert_eq!([random.bits(), random.bits()], [6457827717110365317, 3203168211198807973]);
    }

    #[test]
    fn rotations_turn_a_vector_anywhere() {
        let mut random = Random::new(7);
        let turned: Vec<DVec3> = (0..4000).map(|_| random.rotation() * DVec3::X).collect();
        let mean = turned.iter().sum::<DVec3>() / 4000.0;
        let squares = turned.iter().map(|v| *v * *v).sum::<DVec3>() / 4000.0;
        assert!(mean.length() < 0.03, "{mean}");
        assert!((squares * 3.0 - DVec3::ONE).abs().max_element() < 0.1, "{squares}");
    }
}
