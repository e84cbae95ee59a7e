//! Points by place: which are near a point.

use std::collections::HashMap;

use glam::DVec3;

/// Points in cells as large as the distance that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    reach: f64,
    cells: HashMap<[i64; 3], Vec<(usize, DVec3)>>,
}

impl Near {
    /// No points yet; later questions reach as far as `reach` [m].
    pub(crate) fn new(reach: f64) -> Near {
        Near { reach, cells: HashMap::new() }
    }

    /// These points, numbered in their order.
    pub(crate) fn of(points: impl Iterator<Item = DVec3>, reach: f64) -> Near {
        let mut near = Near::new(reach);
        points.enumerate().for_each(|(number, point)| near.add(number, point));
        near
    }

    /// One more point.
    pub(crate) fn add(&mut self, number: usize, point: DVec3) {
        self.cells.entry(self.cell(point)).or_default().push((number, point));
    }

    /// The points closer than the reach, with their numbers.
    pub(crate) fn around(&self, point: DVec3) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let [x, y, z] = self.cell(point);
        let step = |index: i64, step: i64| index.saturating_add(step - 1);
        let cells = (0..27).map(move |k| [step(x, k / 9), step(y, k / 3 % 3), step(z, k % 3)]);
        let found = cells.filter_map(|cell| self.cells.get(&cell)).flatten().copied();
        found.filter(move |(_, other)| other.distance_squared(point) < self.reach * self.reach)
    }

    fn cell(&self, point: DVec3) -> [i64; 3] {
        (point / self.reach).floor().to_array().map(|index| index as i64)
    }
}
