//! Points by place, for many questions about neighbours at once.
//!
//! Points are counted into cells as large as the reach; cells share as many buckets as there are points, so that memory
//! is linear wherever they are. Cells in a row along x lie in adjacent buckets.

use glam::DVec3;

/// Points by place.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    reach: f64,
    /// Where each bucket begins, and where the last ends.
    starts: Vec<u32>,
    /// The points and their numbers, bucket by bucket.
    points: Vec<(DVec3, u32)>,
}

impl Buckets {
    /// Sorts the points; questions reach as far as `reach` [m].
    pub(super) fn rebuild(&mut self, points: &[DVec3], reach: f64) {
        self.reach = reach;
        let count = points.len().next_power_of_two().max(64);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        let buckets: Vec<u32> = points.iter().map(|&point| bucket(self.cell(point), count) as u32).collect();
        buckets.iter().for_each(|&bucket| self.starts[bucket as usize + 1] += 1);
        (0..count).for_each(|k| self.starts[k + 1] += self.starts[k]);
        let mut next = self.starts.clone();
        self.points.resize(points.len(), (DVec3::ZERO, 0));
        for (number, (&point, bucket)) in points.iter().zip(buckets).enumerate() {
            let place = &mut next[bucket as usize];
            self.points[*place as usize] = (point, number as u32);
            *place += 1;
        }
    }

    /// Shows every point nearer than the reach, with its number and the way there; the point itself too.
    pub(super) fn around(&self, point: DVec3, mut show: impl FnMut(u32, DVec3)) {
        let count = self.starts.len() - 1;
        let [x, y, z] = self.cell(point);
        let reach = self.reach * self.reach;
        for k in -1..=1 {
            for j in -1..=1 {
                for i in -1..=1 {
                    let cell = [x + i, y + j, z + k];
                    let bucket = bucket(cell, count);
                    let found = &self.points[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
                    for (other, number) in found {
                        let way = *other - point;
                        // Other cells may share the bucket.
                        if way.length_squared() < reach && self.cell(*other) == cell {
                            show(*number, way);
                        }
                    }
                }
            }
        }
    }

    /// Is any point nearer than the reach?
    pub(super) fn has_any(&self, point: DVec3) -> bool {
        let mut any = false;
        self.around(point, |_, _| any = true);
        any
    }

    fn cell(&self, point: DVec3) -> [i64; 3] {
        (point / self.reach).floor().to_array().map(|index| index as i64)
    }
}

fn bucket([x, y, z]: [i64; 3], count: usize) -> usize {
    let hash = x.wrapping_add(y.wrapping_mul(73_856_093)).wrapping_add(z.wrapping_mul(19_349_663));
    hash as usize & (count - 1)
}
