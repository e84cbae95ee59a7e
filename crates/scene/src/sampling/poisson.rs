//! Poisson disk sampling: particles at random, but none nearer to another than a radius.
//!
//! Space is divided into bricks. A brick is filled by one thread: it throws darts into its cells, which are so small
//! that only one particle fits, and keeps those that are far enough from all others, in the brick and around it. Bricks
//! that are filled at the same time never touch (Wei 2008), and random numbers belong to bricks: so the result does not
//! depend on the number of threads.

use std::collections::HashMap;

use glam::DVec3;
use rayon::prelude::*;

use super::walk::{Met, walk};
use super::{Lattice, random};
use crate::shape::{Bounds, Solid, surface_point};

/// Cells of a brick along each axis, and those around it that darts must keep clear of.
const CELLS: i64 = 8;
const AROUND: i64 = 2;
const SIDE: i64 = CELLS + 2 * AROUND;

/// Darts for each cell.
const DARTS: usize = 24;

/// No particle in a cell.
const NONE: u32 = u32::MAX;

/// Where particles may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Where {
    /// So deep inside, or deeper [m].
    Inside(f64),
    /// On the surface.
    Surface,
}

/// A solid to be sampled.
#[derive(Clone, Copy)]
pub(super) struct Darts<'a> {
    /// The solid.
    pub(super) solid: &'a dyn Solid,
    /// Two or three.
    pub(super) axes: usize,
    /// The least distance of two particles [m].
    pub(super) radius: f64,
    /// Where they may be.
    pub(super) place: Where,
    /// Start of the random numbers.
    pub(super) seed: u32,
}

/// Cells that are filled by one thread.
#[derive(Clone, Copy)]
struct Brick {
    place: [i64; 3],
    /// Particles may be anywhere in it.
    is_inside: bool,
}

impl Darts<'_> {
    /// The particles, in a fixed order.
    pub(super) fn throw(&self) -> Vec<DVec3> {
        let lattice = self.bricks();
        let depth = if let Where::Inside(depth) = self.place { depth } else { 0.0 };
        let margin = depth + 0.5 * lattice.spacing * (self.axes as f64).sqrt();
        let met = walk(self.solid, &lattice, margin, |bricks: &mut Vec<Brick>, met| match met {
            Met::Inside(block) if self.place != Where::Surface => {
                bricks.extend(block.cells().map(|place| Brick { place, is_inside: true }));
            }
            Met::Inside(_) => {}
            Met::Near(place, _) => bricks.push(Brick { place, is_inside: false }),
        });
        let bricks: Vec<_> = met.into_iter().flatten().collect();
        let mut filled: HashMap<[i64; 3], Vec<DVec3>> = HashMap::with_capacity(bricks.len());
        for colour in 0..1 << self.axes {
            let of_colour = |brick: &&Brick| (0..self.axes).all(|axis| brick.place[axis] & 1 == colour >> axis & 1);
            let now: Vec<_> = bricks.iter().filter(of_colour).collect();
            let thrown: Vec<_> = now.par_iter().map(|brick| self.fill(&lattice, **brick, &filled)).collect();
            filled.extend(now.into_iter().map(|brick| brick.place).zip(thrown));
        }
        bricks.iter().filter_map(|brick| filled.remove(&brick.place)).flatten().collect()
    }

    fn bricks(&self) -> Lattice {
        let Bounds { min, max } = self.solid.bounds();
        let edge = CELLS as f64 * self.cell();
        let cells = ((max - min) / edge).to_array();
        let cells = std::array::from_fn(|axis| if axis < self.axes { cells[axis].floor() as i64 + 1 } else { 1 });
        Lattice { corner: min, cells, spacing: edge, axes: self.axes }
    }

    /// Edge of a cell, whose diagonal is just shorter than the radius [m].
    fn cell(&self) -> f64 {
        0.999 * self.radius / (self.axes as f64).sqrt()
    }

    fn fill(&self, lattice: &Lattice, brick: Brick, filled: &HashMap<[i64; 3], Vec<DVec3>>) -> Vec<DVec3> {
        let Brick { place: brick, is_inside } = brick;
        let half = DVec3::splat(0.5 * lattice.spacing);
        let corner = lattice.centre(brick) - if self.axes == 2 { half.with_z(0.0) } else { half };
        let mut local = Local::new(corner, self);
        for k in 0..27 {
            let neighbour = [brick[0] + k / 9 - 1, brick[1] + k / 3 % 3 - 1, brick[2] + k % 3 - 1];
            filled.get(&neighbour).into_iter().flatten().for_each(|&point| local.add(point));
        }
        let own = local.points.len();
        let mut random = random::of_cell(u64::from(self.seed), brick);
        let look = |cell| if is_inside { Some((cell, true)) } else { Some((cell, local.holds(cell)?)) };
        let mut cells: Vec<_> = local.cells().filter_map(look).collect();
        for _ in 0..DARTS {
            cells.retain(|&(cell, is_inside)| {
                let low = local.corner(cell);
                let dart = random.point(low, low + self.cell());
                let dart = if self.axes == 2 { dart.with_z(0.0) } else { dart };
                if local.is_free(cell) {
                    local.place(dart, is_inside).into_iter().for_each(|point| local.add(point));
                }
                local.is_free(cell)
            });
        }
        local.points.split_off(own)
    }
}

/// A brick and what is around it.
struct Local<'a> {
    darts: &'a Darts<'a>,
    /// Lowest corner of the brick itself [m].
    low: DVec3,
    edge: f64,
    points: Vec<DVec3>,
    cells: Vec<u32>,
}

impl<'a> Local<'a> {
    fn new(low: DVec3, darts: &'a Darts<'a>) -> Local<'a> {
        let depth = if darts.axes == 2 { 1 } else { SIDE };
        Local { darts, low, edge: darts.cell(), points: Vec::new(), cells: vec![NONE; (SIDE * SIDE * depth) as usize] }
    }

    /// The cells of the brick, without those around it.
    fn cells(&self) -> impl Iterator<Item = [i64; 3]> + use<> {
        let depth = if self.darts.axes == 2 { 1 } else { CELLS };
        (0..CELLS).flat_map(move |x| (0..CELLS).flat_map(move |y| (0..depth).map(move |z| [x, y, z])))
    }

    fn corner(&self, cell: [i64; 3]) -> DVec3 {
        self.low + self.edge * DVec3::from_array(cell.map(|index| index as f64))
    }

    fn cell(&self, point: DVec3) -> [i64; 3] {
        ((point - self.low) / self.edge).floor().to_array().map(|index| index as i64)
    }

    /// Where a cell is in memory; none if it is too far away to matter.
    fn slot(&self, [x, y, z]: [i64; 3]) -> Option<usize> {
        let within = |index: i64| (-AROUND..CELLS + AROUND).contains(&index);
        let depth = if self.darts.axes == 2 { 0 } else { z + AROUND };
        let known = within(x) && within(y) && (self.darts.axes == 2 || within(z));
        known.then(|| (((depth * SIDE) + y + AROUND) * SIDE + x + AROUND) as usize)
    }

    fn is_free(&self, cell: [i64; 3]) -> bool {
        self.slot(cell).is_some_and(|slot| self.cells[slot] == NONE)
    }

    fn add(&mut self, point: DVec3) {
        if let Some(slot) = self.slot(self.cell(point)) {
            self.cells[slot] = self.points.len() as u32;
            self.points.push(point);
        }
    }

    /// May a particle be anywhere in a cell? None if it may be nowhere.
    fn holds(&self, cell: [i64; 3]) -> Option<bool> {
        let middle = self.corner(cell) + 0.5 * self.edge;
        let middle = if self.darts.axes == 2 { middle.with_z(0.0) } else { middle };
        let (distance, reach) = (self.darts.solid.distance(middle), 0.5 * self.darts.radius);
        match self.darts.place {
            Where::Inside(depth) => (distance <= reach - depth).then_some(distance <= -reach - depth),
            Where::Surface => (distance.abs() <= reach).then_some(false),
        }
    }

    /// Where a dart becomes a particle, if it does.
    fn place(&self, dart: DVec3, is_inside: bool) -> Option<DVec3> {
        match self.darts.place {
            Where::Inside(depth) => {
                let fits = self.has_room(dart) && (is_inside || self.darts.solid.distance(dart) <= -depth);
                fits.then_some(dart)
            }
            Where::Surface => {
                let point = surface_point(self.darts.solid, dart, 1e-3 * self.darts.radius)?;
                let own = self.cell(point).iter().take(self.darts.axes).all(|index| (0..CELLS).contains(index));
                (own && self.has_room(point)).then_some(point)
            }
        }
    }

    /// Is a point far enough from all particles?
    fn has_room(&self, point: DVec3) -> bool {
        let [x, y, z] = self.cell(point);
        let across = if self.darts.axes == 2 { 0..=0 } else { -AROUND..=AROUND };
        let least = self.darts.radius * self.darts.radius;
        for i in -AROUND..=AROUND {
            for j in -AROUND..=AROUND {
                for k in across.clone() {
                    let Some(slot) = self.slot([x + i, y + j, z + k]) else { continue };
                    let found = self.cells[slot];
                    if found != NONE && self.points[found as usize].distance_squared(point) < least {
                        return false;
                    }
                }
            }
        }
        true
    }
}
