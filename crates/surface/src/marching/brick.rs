//! Bricks of grid points, and the surface within them.

use glam::IVec3;

use super::table::{Edge, TABLE};
use crate::field::{PATCH, POINTS};
use crate::samples::{key, unkey};

/// Vertices stay this far from grid points, in cells.
const MARGIN: f32 = 0.02;

/// What is said of a point that no particle reaches. Any negative number: it only tells outside from inside.
const NOTHING: f32 = -1.0;

/// Points along an edge of a brick and its neighbours' first ones.
const SIDE: usize = PATCH + 1;

/// 8 × 8 × 8 grid points.
pub(super) struct Brick {
    pub(super) key: u64,
    pub(super) values: [f32; POINTS],
}

fn find(bricks: &[Brick], key: u64) -> Option<usize> {
    bricks.binary_search_by_key(&key, |brick| brick.key).ok()
}

/// A brick and the seven after it, from which the last points of its cubes come.
pub(super) struct Window {
    values: Box<[f32; SIDE * SIDE * SIDE]>,
    /// Where in the list each is: bit 0 of the place says after along x, bit 1 along y, bit 2 along z.
    bricks: [Option<usize>; 8],
}

impl Window {
    /// Values above a level. None where the surface does not pass.
    pub(super) fn new(bricks: &[Brick], brick: &Brick, level: f32) -> Option<Window> {
        let window = Window::around(bricks, brick, level);
        let inside = window.values.iter().filter(|&&value| value > 0.0).count();
        (inside > 0 && inside < window.values.len()).then_some(window)
    }

    /// Values above a level.
    pub(super) fn around(bricks: &[Brick], brick: &Brick, level: f32) -> Window {
        let coordinates = unkey(brick.key);
        let after = |k: usize| {
            let offset = IVec3::new(k as i32 & 1, k as i32 >> 1 & 1, k as i32 >> 2 & 1);
            find(bricks, key(coordinates + offset))
        };
        let places: [Option<usize>; 8] = std::array::from_fn(after);
        let all = places.map(|place| place.map(|place| &bricks[place]));
        let mut values = Box::new([NOTHING; SIDE * SIDE * SIDE]);
        for z in 0..SIDE {
            for y in 0..SIDE {
                let behind = (y / PATCH) << 1 | (z / PATCH) << 2;
                let (row, from) = ((z * SIDE + y) * SIDE, ((z % PATCH) * PATCH + y % PATCH) * PATCH);
                if let Some(own) = all[behind] {
                    values[row..row + PATCH].copy_from_slice(&own.values[from..from + PATCH]);
                }
                if let Some(next) = all[behind | 1] {
                    values[row + PATCH] = next.values[from];
                }
            }
        }
        values.iter_mut().for_each(|value| *value -= level);
        Window { values, bricks: places }
    }

    pub(super) fn value(&self, point: [usize; 3]) -> f32 {
        self.values[(point[2] * SIDE + point[1]) * SIDE + point[0]]
    }

    /// The triangles of the cubes of this brick, by the numbers of their vertices.
    pub(super) fn triangles(&self, crossings: &[Option<Crossings>], first: &[u32]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        for z in 0..PATCH {
            for y in 0..PATCH {
                for x in 0..PATCH {
                    let inside = |k: usize| self.value([x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)]) > 0.0;
                    let case = (0..8).fold(0, |case, k| case | usize::from(inside(k)) << k);
                    for triangle in &TABLE[case] {
                        let numbers = triangle.map(|edge| self.number([x, y, z], edge, crossings, first));
                        if let [Some(a), Some(b), Some(c)] = numbers {
                            triangles.push([a, b, c]);
                        }
                    }
                }
            }
        }
        triangles
    }

    /// The number of the vertex on an edge of a cube.
    fn number(&self, cube: [usize; 3], edge: Edge, crossings: &[Option<Crossings>], first: &[u32]) -> Option<u32> {
        let corner = usize::from(edge.corner);
        let point = [cube[0] + (corner & 1), cube[1] + (corner >> 1 & 1), cube[2] + (corner >> 2)];
        let owner = (point[0] / PATCH) | ((point[1] / PATCH) << 1) | ((point[2] / PATCH) << 2);
        let brick = self.bricks[owner]?;
        let [x, y, z] = point.map(|coordinate| coordinate % PATCH);
        let place = (z * PATCH + y) * PATCH + x;
        let local = crossings[brick].as_ref()?.number(place, edge.axis);
        Some(first[brick] + local)
    }
}

/// A vertex on the edge that leads from a grid point along an axis.
pub(super) struct Vertex {
    pub(super) point: IVec3,
    pub(super) axis: u8,
    /// How far along the edge, in cells.
    pub(super) share: f32,
}

/// The places where the surface crosses edges that start in a brick.
pub(super) struct Crossings {
    pub(super) vertices: Vec<Vertex>,
    /// How many vertices come before those of each point.
    before: Box<[u16; POINTS]>,
    /// Bit k: the edge of the point along axis k is crossed.
    crossed: Box<[u8; POINTS]>,
}

impl Crossings {
    /// None if there are none.
    pub(super) fn new(window: &Window) -> Option<Crossings> {
        let mut vertices = Vec::new();
        let (mut before, mut crossed) = (Box::new([0; POINTS]), Box::new([0; POINTS]));
        for place in 0..POINTS {
            let point = [place % PATCH, place / PATCH % PATCH, place / (PATCH * PATCH)];
            before[place] = vertices.len() as u16;
            let here = window.value(point);
            for axis in 0..3 {
                let mut next = point;
                next[axis] += 1;
                let there = window.value(next);
                if (here > 0.0) != (there > 0.0) {
                    crossed[place] |= 1 << axis;
                    let share = (here / (here - there)).clamp(MARGIN, 1.0 - MARGIN);
                    let point = IVec3::from_array(point.map(|coordinate| coordinate as i32));
                    vertices.push(Vertex { point, axis: axis as u8, share });
                }
            }
        }
        (!vertices.is_empty()).then_some(Crossings { vertices, before, crossed })
    }

    fn number(&self, place: usize, axis: u8) -> u32 {
        let lower = self.crossed[place] & ((1 << axis) - 1);
        u32::from(self.before[place]) + lower.count_ones()
    }
}
