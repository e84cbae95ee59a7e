//! What tests share: numbers that look random, and clouds of particles.

use glam::Vec3;

/// Numbers that look random and are the same in every run (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From 0 to 1.
    pub(crate) fn number(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Each coordinate from −1 to 1.
    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| 2.0 * self.number() - 1.0))
    }
}

/// Centres of the cells of that edge that lie inside a shape, within ± `extent`, each moved by up to `jitter` edges.
pub(crate) fn lattice(edge: f32, extent: f32, jitter: f32, is_inside: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let mut random = Random::new(1);
    let count = (extent / edge).ceil() as i32;
    let mut places = Vec::new();
    for z in -count..count {
        for y in -count..count {
            for x in -count..count {
                let centre = (Vec3::new(x as f32, y as f32, z as f32) + 0.5) * edge;
                if is_inside(centre) {
                    places.push(centre + random.vector() * jitter * edge);
                }
            }
        }
    }
    places
}
