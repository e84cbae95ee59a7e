//! A little grid of points, and the loop that fills it: particle after particle, rows of eight points at a time.

use glam::{DVec3, Vec3};

use super::Field;
use crate::kernel::Profile;

/// Points along an edge of a patch.
pub const PATCH: usize = 8;

/// Points of a patch.
pub const POINTS: usize = PATCH * PATCH * PATCH;

/// A grid of 8 × 8 × 8 points, x running fastest.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Its first point [m], in double precision so that patches far from the origin fit each other.
    pub origin: DVec3,
    /// Distance from one point to the next [m].
    pub cell: f32,
}

/// A particle that reaches a patch.
#[derive(Clone, Copy, Debug)]
pub struct Nearby {
    /// Where it is, from the first point of the patch, in units of the reach.
    pub place: Vec3,
    /// What it counts for.
    pub weight: f32,
}

impl Patch {
    /// The particles that reach the patch, in a fixed order.
    pub(crate) fn collect(&self, field: &(impl Field + ?Sized), nearby: &mut Vec<Nearby>) {
        nearby.clear();
        let samples = field.samples();
        let reach = samples.reach();
        let extent = self.cell * (PATCH - 1) as f32;
        let grown = DVec3::splat(f64::from(reach));
        let weights = field.weights();
        samples.each_run(self.origin - grown, self.origin + f64::from(extent) + grown, |run| {
            for (&position, &weight) in samples.position()[run.clone()].iter().zip(&weights[run]) {
                let place = (position.as_dvec3() - self.origin).as_vec3();
                let nearest = place.clamp(Vec3::ZERO, Vec3::splat(extent));
                if place.distance_squared(nearest) < reach * reach {
                    nearby.push(Nearby { place: place / reach, weight });
                }
            }
        });
    }

    /// Calls `row` for each row of points that a particle reaches, with the index of its first point, and the vector
    /// from the particle to that point and the step from one point to the next along it, in units of the reach.
    #[inline(always)]
    pub(crate) fn each_row(&self, reach: f32, nearby: &[Nearby], mut row: impl FnMut(usize, Vec3, f32, f32)) {
        let step = self.cell / reach;
        for &Nearby { place, weight } in nearby {
            for z in points_within(place.z, 1.0, step) {
                let dz = z as f32 * step - place.z;
                // What the sphere leaves for y at this height.
                let left = (1.0 - dz * dz).max(0.0).sqrt();
                for y in points_within(place.y, left, step) {
                    let dy = y as f32 * step - place.y;
                    row((z * PATCH + y) * PATCH, Vec3::new(-place.x, dy, dz), step, weight);
                }
            }
        }
    }

    /// Adds weight × W/W(0) of every particle to the points.
    #[inline(always)]
    pub(crate) fn add<P: Profile>(&self, reach: f32, nearby: &[Nearby], sums: &mut [f32; POINTS]) {
        self.each_row(reach, nearby, |first, from, step, weight| {
            let rest = from.y * from.y + from.z * from.z;
            if let Some(row) = sums.get_mut(first..first + PATCH) {
                for (k, sum) in row.iter_mut().enumerate() {
                    let x = from.x + k as f32 * step;
                    *sum += weight * P::value(x * x + rest);
                }
            }
        });
    }
}

/// Indices of the points of an axis that are nearer than `within` to a place; all in units of the reach.
#[inline(always)]
fn points_within(place: f32, within: f32, step: f32) -> std::ops::Range<usize> {
    // Casts saturate at zero.
    let first = ((place - within) / step).ceil() as usize;
    let last = ((place + within) / step).floor() + 1.0;
    first..(last.max(0.0) as usize).min(PATCH)
}

/// Runs a loop with the widest vector instructions there are. Neither the order of sums nor rounding depends on
/// them, so every machine gives the same bits.
macro_rules! widest {
    ($name:ident<$profile:ident>($($argument:ident: $type:ty),*), $body:expr) => {
        #[inline(always)]
        fn plain<$profile: Profile>($($argument: $type),*) {
            $body
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn wide<$profile: Profile>($($argument: $type),*) {
            plain::<$profile>($($argument),*);
        }
        fn $name<$profile: Profile>($($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has just been asked.
                #[expect(unsafe_code, reason = "instructions chosen at run time")]
                return unsafe { wide::<$profile>($($argument),*) };
            }
            plain::<$profile>($($argument),*);
        }
    };
}
pub(super) use widest;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_within_reach_are_all_there() {
        for place in [-1.3_f32, -0.4, 0.0, 0.31, 0.9, 2.0] {
            let step = 0.13;
            let range = points_within(place, 0.7, step);
            for k in 0..PATCH {
                assert_eq!(range.contains(&k), (k as f32 * step - place).abs() < 0.7, "{k} from {place}");
            }
        }
    }
}
