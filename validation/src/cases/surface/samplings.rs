//! Particles that fill a ball or a torus, layer by layer below the surface, and jittered.
//!
//! A lattice that is cut off at the surface would not do: its steps are half a spacing high, and that is as large as
//! what is to be measured. Every layer is one spacing thick and has as many particles as its volume asks for.

use std::f32::consts::{PI, TAU};

use thixo_surface::Vec3;

/// Numbers that look random and are the same in every run (xorshift64*).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From 0 to 1.
    pub(super) fn number(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Each coordinate from −1 to 1.
    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| 2.0 * self.number() - 1.0))
    }
}

/// Moves every particle by up to that distance along each axis.
pub(super) fn jitter(places: &mut [Vec3], distance: f32) {
    let mut random = Random::new(1);
    places.iter_mut().for_each(|place| *place += random.vector() * distance);
}

/// Points of the unit sphere, as a sunflower has seeds.
pub(super) fn sunflower(count: usize) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f32 / count as f32;
        let turn = k as f32 * PI * (3.0 - 5.0_f32.sqrt());
        Vec3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - z * z).max(0.0).sqrt() + Vec3::Z * z
    })
}

/// The unit ball.
pub(super) fn ball(spacing: f32) -> Vec<Vec3> {
    let mut places = Vec::new();
    let mut outer = 1.0_f32;
    while outer > 0.0 {
        let inner = (outer - spacing).max(0.0);
        let volume = 4.0 / 3.0 * PI * (outer.powi(3) - inner.powi(3));
        let count = (volume / spacing.powi(3)).round().max(1.0) as usize;
        let radius = if count == 1 { 0.0 } else { 0.5 * (outer + inner) };
        places.extend(sunflower(count).map(|place| place * radius));
        outer = inner;
    }
    places
}

/// A torus about the y axis.
pub(super) struct Torus {
    pub(super) ring: f32,
    pub(super) tube: f32,
}

impl Torus {
    /// How far outside a place is [m].
    pub(super) fn distance(&self, at: Vec3) -> f32 {
        let across = at.x.hypot(at.z) - self.ring;
        across.hypot(at.y) - self.tube
    }

    /// A place on the tube of that radius, by the angles around it and around the axis.
    pub(super) fn place(&self, tube: f32, around: f32, along: f32) -> Vec3 {
        let radius = self.ring + tube * around.cos();
        Vec3::new(radius * along.cos(), tube * around.sin(), radius * along.sin())
    }

    pub(super) fn particles(&self, spacing: f32) -> Vec<Vec3> {
        let mut places = Vec::new();
        let (mut outer, mut owed) = (self.tube, 0.0);
        while outer > 0.0 {
            let inner = (outer - spacing).max(0.0);
            let tube = if inner == 0.0 && outer < 0.6 * spacing { 0.0 } else { 0.5 * (outer + inner) };
            let rings = (TAU * tube / spacing).round().max(1.0);
            let area = PI * (outer * outer - inner * inner) / rings;
            for k in 0..rings as u32 {
                let around = TAU * (k as f32 + 0.5) / rings;
                let length = TAU * (self.ring + tube * around.cos());
                let wanted = area * length / spacing.powi(3) + owed;
                let count = wanted.round().max(1.0);
                owed = wanted - count;
                let shift = 0.5 * (k % 2) as f32;
                places.extend((0..count as u32).map(|j| self.place(tube, around, TAU * (j as f32 + shift) / count)));
            }
            outer = inner;
        }
        places
    }
}

/// Centres of the cells of a cubic lattice that lie inside.
pub(super) fn lattice(spacing: f32, extent: f32, is_inside: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let count = (extent / spacing).ceil() as i32;
    let line = || -count..count;
    let centres = line().flat_map(|z| line().flat_map(move |y| line().map(move |x| [x, y, z])));
    centres.map(|at| Vec3::from_array(at.map(|k| (k as f32 + 0.5) * spacing))).filter(|&at| is_inside(at)).collect()
}
