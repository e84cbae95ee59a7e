//! Points around a place, laid out so that eight distances are told at a time.

use glam::Vec3;

/// Distances told at a time.
const LANES: usize = 8;

/// Some points, and what they are called.
#[derive(Default)]
pub(super) struct Crowd {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    name: Vec<u32>,
}

impl Crowd {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        [&mut self.x, &mut self.y, &mut self.z].into_iter().for_each(Vec::clear);
        self.name.clear();
    }

    /// Takes those points in that are closer to a place than `reach`.
    pub(super) fn add(&mut self, points: &[(Vec3, u32)], at: Vec3, reach: f32) {
        for &(place, name) in points {
            if place.distance_squared(at) < reach * reach {
                self.x.push(place.x);
                self.y.push(place.y);
                self.z.push(place.z);
                self.name.push(name);
            }
        }
    }

    /// Fills the last group of lanes with points in nobody's reach.
    pub(super) fn complete(&mut self) {
        let length = self.name.len().next_multiple_of(LANES);
        [&mut self.x, &mut self.y, &mut self.z].into_iter().for_each(|values| values.resize(length, f32::INFINITY));
    }

    /// Visits the points closer to a place than `reach`. The crowd must be complete.
    #[inline]
    pub(super) fn within(&self, at: Vec3, reach: f32, mut visit: impl FnMut(u32)) {
        let squared = reach * reach;
        let groups =
            self.x.as_chunks::<LANES>().0.iter().zip(self.y.as_chunks::<LANES>().0).zip(self.z.as_chunks::<LANES>().0);
        for (group, ((xs, ys), zs)) in groups.enumerate() {
            let is_close: [bool; LANES] = std::array::from_fn(|lane| {
                let (x, y, z) = (xs[lane] - at.x, ys[lane] - at.y, zs[lane] - at.z);
                x * x + y * y + z * z < squared
            });
            // Hardly ever true, and told at once.
            if is_close != [false; LANES] {
                (0..LANES).filter(|&lane| is_close[lane]).for_each(|lane| visit(self.name[group * LANES + lane]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_within_reach_are_visited_and_no_others() {
        let mut crowd = Crowd::default();
        for _ in 0..2 {
            crowd.clear();
            let points: Vec<(Vec3, u32)> = (0..19).map(|k| (Vec3::X * k as f32, k)).collect();
            crowd.add(&points[..5], Vec3::ZERO, 100.0);
            crowd.add(&points[5..], Vec3::X * 20.0, 12.5);
            crowd.complete();
            let mut found = Vec::new();
            crowd.within(Vec3::new(17.2, 0.5, 0.0), 1.5, |name| found.push(name));
            assert_eq!(found, [16, 17, 18]);
        }
    }
}
