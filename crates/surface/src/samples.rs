//! Particles sorted into cells, so that those around a point are found quickly.
//!
//! Only cells that hold particles exist, in one sorted list: rows of cells along x lie side by side in memory, and a
//! row is found by bisection. Memory is linear in particles, wherever they are.

use std::ops::Range;

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

use crate::error::{SurfaceError, positive};

/// Coordinates of cells and of bricks stay within ± this.
pub(crate) const FARTHEST: i32 = (1 << 20) - 2;

/// A box with faces along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates [m].
    pub min: Vec3,
    /// The corner with the largest coordinates [m].
    pub max: Vec3,
}

impl Bounds {
    /// The smallest box around points; none if there are none.
    pub fn around(points: &[Vec3]) -> Option<Bounds> {
        let first = *points.first()?;
        let start = Bounds { min: first, max: first };
        Some(points.iter().fold(start, |b, &p| Bounds { min: b.min.min(p), max: b.max.max(p) }))
    }

    /// The box with its faces moved outwards.
    pub fn grown(self, by: f32) -> Bounds {
        Bounds { min: self.min - by, max: self.max + by }
    }
}

/// One key for three coordinates; larger along z, then y, then x.
pub(crate) fn key(at: IVec3) -> u64 {
    let part = |x: i32| (i64::from(x) + (1 << 20)) as u64;
    part(at.z) << 42 | part(at.y) << 21 | part(at.x)
}

/// The coordinates that a key was made of.
pub(crate) fn unkey(key: u64) -> IVec3 {
    let part = |shift: u32| ((key >> shift & 0x1f_ffff) as i64 - (1 << 20)) as i32;
    IVec3::new(part(0), part(21), part(42))
}

/// The cube of that edge in which a place lies. In f64: in f32 a far place would be off by whole cubes.
pub(crate) fn cube_of(place: Vec3, edge: f64) -> IVec3 {
    // The cast saturates.
    (place.as_dvec3() / edge).floor().as_ivec3()
}

/// Particles in cells as large as their reach.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Positions in the order of cells.
    position: Vec<Vec3>,
    /// What the caller calls them.
    index: Vec<u32>,
    /// Occupied cells, ascending.
    cells: Vec<u64>,
    /// Where each cell begins, and the end.
    start: Vec<u32>,
    reach: f32,
    bounds: Option<Bounds>,
}

impl Samples {
    /// Sorts particles that are felt as far as `reach` [m].
    pub fn new(position: &[Vec3], reach: f32) -> Result<Samples, SurfaceError> {
        positive("the reach of particles [m]", reach)?;
        refuse_infinite(position)?;
        let bounds = Bounds::around(position);
        refuse_far(bounds, reach)?;
        let edge = f64::from(reach);
        let mut order: Vec<(u64, u32)> =
            position.par_iter().enumerate().map(|(i, &place)| (key(cube_of(place, edge)), i as u32)).collect();
        order.par_sort_unstable();
        let (mut cells, mut start) = (Vec::new(), Vec::new());
        for (at, &(cell, _)) in order.iter().enumerate() {
            if cells.last() != Some(&cell) {
                cells.push(cell);
                start.push(at as u32);
            }
        }
        start.push(order.len() as u32);
        let index: Vec<u32> = order.iter().map(|&(_, i)| i).collect();
        let position = index.par_iter().map(|&i| position[i as usize]).collect();
        Ok(Samples { position, index, cells, start, reach, bounds })
    }

    /// How far a particle is felt [m].
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The smallest box around the particles.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// Boxes that hold all particles, one for each occupied cell.
    pub fn boxes(&self) -> impl Iterator<Item = Bounds> {
        let corner = |cell: IVec3| (cell.as_dvec3() * f64::from(self.reach)).as_vec3();
        self.cells.iter().map(move |&cell| {
            let cell = unkey(cell);
            Bounds { min: corner(cell), max: corner(cell + 1) }
        })
    }

    /// The smallest box around the particles of each occupied cell, in parallel.
    pub(crate) fn occupied(&self) -> impl IndexedParallelIterator<Item = Bounds> {
        self.start.par_windows(2).map(|ends| {
            let places = &self.position[ends[0] as usize..ends[1] as usize];
            // No cell in the list is empty.
            Bounds::around(places).unwrap_or(Bounds { min: Vec3::ZERO, max: Vec3::ZERO })
        })
    }

    /// Positions in the order of cells.
    pub(crate) fn position(&self) -> &[Vec3] {
        &self.position
    }

    /// What the caller calls the particle at each place of that order.
    pub(crate) fn index(&self) -> &[u32] {
        &self.index
    }

    /// Runs of particles, in a fixed order, that hold every one in the box and some around it.
    #[inline]
    pub(crate) fn each_run(&self, min: DVec3, max: DVec3, mut visit: impl FnMut(Range<usize>)) {
        let edge = f64::from(self.reach);
        let low = (min / edge).floor().as_ivec3().clamp(IVec3::splat(-FARTHEST - 1), IVec3::splat(FARTHEST + 1));
        let high = (max / edge).floor().as_ivec3().clamp(IVec3::splat(-FARTHEST - 1), IVec3::splat(FARTHEST + 1));
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                let first = key(IVec3::new(low.x, y, z));
                let last = key(IVec3::new(high.x, y, z));
                let begin = self.cells.partition_point(|&cell| cell < first);
                let mut end = begin;
                while end < self.cells.len() && self.cells[end] <= last {
                    end += 1;
                }
                if begin < end {
                    visit(self.start[begin] as usize..self.start[end] as usize);
                }
            }
        }
    }

    /// Every particle within reach of a point, in a fixed order: its place in the order of cells, the vector from it
    /// to the point [m], and the square of that [m²].
    #[inline]
    pub fn near(&self, at: Vec3, mut visit: impl FnMut(usize, Vec3, f32)) {
        let reach2 = self.reach * self.reach;
        let (middle, around) = (at.as_dvec3(), DVec3::splat(f64::from(self.reach)));
        self.each_run(middle - around, middle + around, |run| {
            for (i, &place) in run.clone().zip(&self.position[run]) {
                let from = at - place;
                let squared = from.length_squared();
                if squared < reach2 {
                    visit(i, from, squared);
                }
            }
        });
    }
}

pub(crate) fn refuse_infinite(position: &[Vec3]) -> Result<(), SurfaceError> {
    let count = position.par_iter().filter(|place| !place.is_finite()).count();
    match position.iter().position(|place| !place.is_finite()) {
        Some(index) => Err(SurfaceError::NotFinite { index, count, total: position.len() }),
        None => Ok(()),
    }
}

/// Refuses places whose coordinates, in units of an edge, have no key.
pub(crate) fn refuse_far(bounds: Option<Bounds>, edge: f32) -> Result<(), SurfaceError> {
    let Some(bounds) = bounds else { return Ok(()) };
    let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
    if farthest / edge < FARTHEST as f32 { Ok(()) } else { Err(SurfaceError::TooFar { extent: farthest, cell: edge }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn keys_keep_coordinates_and_their_order() {
        let places = [IVec3::new(-FARTHEST, 3, FARTHEST), IVec3::ZERO, IVec3::new(5, -7, 11), IVec3::NEG_ONE];
        assert_eq!(places.map(key).map(unkey), places);
        assert!(key(IVec3::new(-1, 0, 0)) < key(IVec3::ZERO) && key(IVec3::new(9, 0, 0)) < key(IVec3::new(-9, 1, 0)));
    }

    #[test]
    fn neighbours_are_those_that_a_search_of_all_finds() {
        let mut random = Random::new(7);
        let position: Vec<Vec3> = (0..500).map(|_| random.vector() * 2.0).collect();
        let samples = Samples::new(&position, 0.3).unwrap();
        for _ in 0..50 {
            let at = random.vector() * 2.2;
            let mut found = Vec::new();
            samples.near(at, |i, from, squared| {
                let original = samples.index()[i] as usize;
                assert_eq!(position[original] + from, position[original] + (at - position[original]));
                assert_eq!(squared, from.length_squared());
                found.push(original);
            });
            found.sort_unstable();
            let all = (0..500).filter(|&i| position[i].distance_squared(at) < 0.3_f32 * 0.3);
            assert_eq!(found, all.collect::<Vec<_>>());
        }
    }

    #[test]
    fn places_that_are_none_are_refused_in_words() {
        let broken = [Vec3::ZERO, Vec3::new(f32::NAN, 0.0, 0.0), Vec3::splat(f32::INFINITY)];
        let refusal = Samples::new(&broken, 1.0).unwrap_err();
        assert_eq!(refusal, SurfaceError::NotFinite { index: 1, count: 2, total: 3 });
        assert!(matches!(Samples::new(&[Vec3::splat(1e30)], 1.0), Err(SurfaceError::TooFar { .. })));
        for reach in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(matches!(Samples::new(&[], reach), Err(SurfaceError::OutOfRange { .. })));
        }
        assert!(Samples::new(&[], 1.0).unwrap().is_empty());
    }
}
