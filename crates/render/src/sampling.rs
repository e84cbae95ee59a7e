//! Points that are well spread and always the same: no picture depends on threads or chance.
//!
//! Sobol's first two dimensions, shuffled and scrambled by hashing as in Bur20: for every pixel and every purpose
//! another sequence, each stratified in itself.

use glam::{Vec2, Vec3};

/// Samples of a pixel before points repeat themselves.
const MOST: u32 = 256;

/// The sample points of one pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampler {
    seed: u32,
    index: u32,
}

/// What a sample point is for. Each purpose has a sequence of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Pixel,
    Sun,
    Sky,
    Choice(u32),
}

impl Sampler {
    /// Of a pixel.
    pub(crate) fn new(x: u32, y: u32) -> Sampler {
        Sampler { seed: hash(x ^ hash(y ^ 0x9e37_79b9)), index: 0 }
    }

    /// The same pixel, next sample.
    pub(crate) fn at(self, index: u32) -> Sampler {
        Sampler { index, ..self }
    }

    /// A point of the unit square.
    pub(crate) fn point(self, purpose: Purpose) -> Vec2 {
        let purpose = match purpose {
            Purpose::Pixel => 0,
            Purpose::Sun => 1,
            Purpose::Sky => 2,
            Purpose::Choice(number) => 3 + number,
        };
        let seed = hash(self.seed ^ hash(purpose));
        // The lowest bits are the ones that differ between the samples of a pixel.
        let index = scramble(self.index, seed) & (MOST - 1);
        let x = scramble(index.reverse_bits(), hash(seed ^ 1));
        let y = scramble(sobol(index), hash(seed ^ 2));
        Vec2::new(unit(x), unit(y))
    }
}

/// The second dimension of Sobol's sequence.
fn sobol(mut index: u32) -> u32 {
    let (mut result, mut direction) = (0, 1_u32 << 31);
    while index != 0 {
        if index & 1 == 1 {
            result ^= direction;
        }
        index >>= 1;
        direction ^= direction >> 1;
    }
    result
}

/// Owen's nested scrambling of the bits, from the highest down.
fn scramble(value: u32, seed: u32) -> u32 {
    // The constants are those of Bur20; each step lets a bit influence only higher ones.
    let mut bits = value.reverse_bits().wrapping_add(seed);
    bits ^= bits.wrapping_mul(0x6c50_b47c);
    bits ^= bits.wrapping_mul(0xb82f_1e52);
    bits ^= bits.wrapping_mul(0xc7af_e638);
    bits ^= bits.wrapping_mul(0x8d22_f6e6);
    bits.reverse_bits()
}

/// Well mixed bits.
fn hash(mut value: u32) -> u32 {
    value = (value ^ (value >> 16)).wrapping_mul(0x21f0_aaad);
    value = (value ^ (value >> 15)).wrapping_mul(0xd35a_2d97);
    value ^ (value >> 15)
}

/// A number in [0, 1).
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / 16_777_216.0
}

/// A direction of the half space about `normal`, by the cosine of its angle.
pub(crate) fn cosine_direction(normal: Vec3, point: Vec2) -> Vec3 {
    let (sin, cos) = (std::f32::consts::TAU * point.x).sin_cos();
    let radius = point.y.sqrt();
    let height = (1.0 - point.y).max(0.0).sqrt();
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    (tangent * (radius * cos) + bitangent * (radius * sin) + normal * height).normalize_or(normal)
}

/// A direction towards a disc around `axis`, whose radius seen from here has that tangent.
pub(crate) fn disc_direction(axis: Vec3, tangent_of_radius: f32, point: Vec2) -> Vec3 {
    let (sin, cos) = (std::f32::consts::TAU * point.x).sin_cos();
    let radius = tangent_of_radius * point.y.sqrt();
    let (tangent, bitangent) = axis.any_orthonormal_pair();
    (axis + tangent * (radius * cos) + bitangent * (radius * sin)).normalize_or(axis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_points_fill_sixteen_cells_of_every_kind() {
        for pixel in 0..50 {
            let sampler = Sampler::new(pixel, 7 * pixel);
            let points: Vec<Vec2> = (0..16).map(|k| sampler.at(k).point(Purpose::Sun)).collect();
            for (columns, rows) in [(16, 1), (8, 2), (4, 4), (2, 8), (1, 16)] {
                let mut cells: Vec<_> =
                    points.iter().map(|p| ((p.x * columns as f32) as u32, (p.y * rows as f32) as u32)).collect();
                cells.sort_unstable();
                cells.dedup();
                assert_eq!(cells.len(), 16, "{columns} x {rows} of pixel {pixel}");
            }
        }
    }

    #[test]
    fn directions_have_the_means_of_their_distributions() {
        let normal = Vec3::new(1.0, 2.0, -0.5).normalize();
        let mut height = 0.0;
        for k in 0..1024 {
            let point = Sampler::new(3, 5).at(k).point(Purpose::Sky);
            let direction = cosine_direction(normal, point);
            assert!((direction.length() - 1.0).abs() < 1e-5 && direction.dot(normal) >= 0.0);
            height += direction.dot(normal) / 1024.0;
            let towards = disc_direction(normal, 0.1, point);
            assert!(towards.dot(normal) >= (1.0 + 0.1_f32.powi(2)).sqrt().recip() - 1e-6);
        }
        // The mean cosine of a cosine distribution is 2/3.
        assert!((height - 2.0 / 3.0).abs() < 2e-3, "{height}");
    }
}
