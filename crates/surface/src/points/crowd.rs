//! Points around a place, laid out so that eight distances are told at a time.

use glam::Vec3;

use super::offspring::{Listed, Met};

/// Distances told at a time.
const LANES: usize = 8;

/// Some points, and what they are called.
#[derive(Default)]
pub(super) struct Crowd {
    groups: Vec<Group>,
    count: usize,
}

/// Some of the points.
#[derive(Clone, Copy)]
struct Group {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
    name: [u32; LANES],
}

/// Points in nobody's reach.
const FAR: Group = Group { x: [f32::INFINITY; LANES], y: [0.0; LANES], z: [0.0; LANES], name: [0; LANES] };

impl Crowd {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Takes those points in that are closer to a place than `reach`, and not listed under one that has been met.
    pub(super) fn add(&mut self, points: &[Listed], met: &Met, at: Vec3, reach: f32) {
        let room = (self.count + points.len()).div_ceil(LANES) + 1;
        if self.groups.len() < room {
            self.groups.resize(room, FAR);
        }
        for point in points {
            // Everyone is written down, and those who do not count are overwritten: who does is hard to foresee.
            let (group, lane) = (&mut self.groups[self.count / LANES], self.count % LANES);
            [group.x[lane], group.y[lane], group.z[lane]] = point.place.to_array();
            group.name[lane] = point.name;
            let is_close = point.place.distance_squared(at) < reach * reach;
            self.count += usize::from(is_close & !met.has(point.elsewhere));
        }
    }

    /// Fills the last group of lanes with points in nobody's reach.
    pub(super) fn complete(&mut self) {
        if let Some(group) = self.groups.get_mut(self.count / LANES) {
            group.x[self.count % LANES..].fill(f32::INFINITY);
        }
    }

    /// Visits the points closer to a place than `reach`. The crowd must be complete.
    #[inline]
    pub(super) fn within(&self, at: Vec3, reach: f32, mut visit: impl FnMut(u32)) {
        let squared = reach * reach;
        for group in &self.groups[..self.count.div_ceil(LANES)] {
            let is_close: [bool; LANES] = std::array::from_fn(|lane| {
                let (x, y, z) = (group.x[lane] - at.x, group.y[lane] - at.y, group.z[lane] - at.z);
                x * x + y * y + z * z < squared
            });
            // Hardly ever true, and told at once.
            if is_close != [false; LANES] {
                (0..LANES).filter(|&lane| is_close[lane]).for_each(|lane| visit(group.name[lane]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::offspring::NOBODY;
    use super::*;

    #[test]
    fn those_within_reach_are_visited_and_no_others() {
        let mut crowd = Crowd::default();
        let mut met = Met::default();
        met.add(77);
        for _ in 0..2 {
            crowd.clear();
            let listed = |k: u32| {
                let elsewhere = [NOBODY, 77, 78][usize::from(k == 17) + 2 * usize::from(k == 16)];
                Listed { place: Vec3::X * k as f32, name: k, elsewhere }
            };
            let points: Vec<Listed> = (0..20).map(listed).collect();
            crowd.add(&points[..5], &met, Vec3::ZERO, 100.0);
            crowd.add(&points[5..], &met, Vec3::X * 20.0, 12.5);
            crowd.complete();
            let mut found = Vec::new();
            crowd.within(Vec3::new(17.2, 0.5, 0.0), 2.5, |name| found.push(name));
            assert_eq!(found, [15, 16, 18, 19]);
        }
        crowd.clear();
        crowd.complete();
        crowd.within(Vec3::ZERO, 100.0, |name| panic!("{name} has been forgotten"));
    }
}
