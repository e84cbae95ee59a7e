//! Poisson disk sampling: particles at random, but none nearer to another than a radius.
//!
//! The outermost particles come first, all at the same depth, then those behind them (Schechter 2012 begins at the
//! surface for the same reason: it stays even). Space is divided into bricks. A brick is filled by one thread: it throws
//! darts into its cells, which are so small that only one particle fits, and keeps those that are far enough from all
//! others, in the brick and around it. Bricks that are filled at the same time never touch (Wei 2008), and random
//! numbers belong to bricks: so the result does not depend on the number of threads.

use std::collections::HashMap;

use glam::DVec3;
use rayon::prelude::*;

use super::inset::Inset;
use super::walk::{Met, walk};
use super::{Lattice, random};
use crate::shape::{Bounds, Solid, gradient, surface_point};

/// Cells of a brick along each axis, and those around it that darts must keep clear of.
const CELLS: i64 = 8;
const AROUND: i64 = 2;
const SIDE: i64 = CELLS + 2 * AROUND;

/// Darts for each cell.
const DARTS: usize = 24;

/// No particle in a cell.
const NONE: u32 = u32::MAX;

/// Where particles may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// Inside.
    Inside,
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
    /// How deep the outermost are [m].
    pub(super) depth: f64,
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

/// Where the darts of a round may hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// As deep as the outermost particles are.
    Layer,
    /// As deep, or deeper.
    Behind,
}

/// The particles of the bricks that have some.
type Filled = HashMap<[i64; 3], Vec<DVec3>>;

impl Darts<'_> {
    /// The particles, in a fixed order.
    pub(super) fn throw(&self) -> Vec<DVec3> {
        let lattice = self.bricks();
        let margin = self.depth + 0.5 * lattice.spacing * (self.axes as f64).sqrt();
        let met = walk(self.solid, &lattice, margin, |bricks: &mut Vec<Brick>, met| match met {
            Met::Inside(block) if self.place == Where::Inside => {
                bricks.extend(block.cells().map(|place| Brick { place, is_inside: true }));
            }
            Met::Inside(_) => {}
            Met::Near(place, _) => bricks.push(Brick { place, is_inside: false }),
        });
        let bricks: Vec<_> = met.into_iter().flatten().collect();
        let mut filled = Filled::with_capacity(bricks.len());
        self.round(&lattice, &bricks, Target::Layer, &mut filled);
        if self.place == Where::Inside {
            self.round(&lattice, &bricks, Target::Behind, &mut filled);
        }
        bricks.iter().filter_map(|brick| filled.remove(&brick.place)).flatten().collect()
    }

    /// Throws darts into all bricks.
    fn round(&self, lattice: &Lattice, bricks: &[Brick], target: Target, filled: &mut Filled) {
        for colour in 0..1 << self.axes {
            let of_colour = |brick: &&Brick| {
                // No layer passes through a brick that is all inside.
                let is_met = !brick.is_inside || target == Target::Behind;
                is_met && (0..self.axes).all(|axis| brick.place[axis] & 1 == colour >> axis & 1)
            };
            let now: Vec<_> = bricks.iter().filter(of_colour).collect();
            let thrown: Vec<_> = now.par_iter().map(|brick| self.fill(lattice, **brick, target, filled)).collect();
            filled.extend(now.into_iter().map(|brick| brick.place).zip(thrown));
        }
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

    /// All particles of a brick after a round.
    fn fill(&self, lattice: &Lattice, brick: Brick, target: Target, filled: &Filled) -> Vec<DVec3> {
        let Brick { place: brick, is_inside } = brick;
        let half = self.flat(DVec3::splat(0.5 * lattice.spacing));
        let mut local = Local::new(lattice.centre(brick) - half, target, self);
        for k in (0..27).filter(|&k| k != 13) {
            let neighbour = [brick[0] + k / 9 - 1, brick[1] + k / 3 % 3 - 1, brick[2] + k % 3 - 1];
            filled.get(&neighbour).into_iter().flatten().for_each(|&point| local.add(point));
        }
        let own = local.points.len();
        filled.get(&brick).into_iter().flatten().for_each(|&point| local.add(point));
        let mut random = random::of_cell(u64::from(self.seed), brick);
        let look = |cell| if is_inside { Some(Cell::inside(cell)) } else { local.look(cell) };
        let mut cells: Vec<_> = local.cells().filter_map(look).collect();
        for _ in 0..DARTS {
            cells.retain(|cell| {
                let low = local.corner(cell.place);
                let dart = self.flat(random.point(low, low + self.cell()));
                local.is_free(cell.place) && local.hit(cell, dart)
            });
        }
        local.points.split_off(own)
    }

    fn flat(&self, vector: DVec3) -> DVec3 {
        if self.axes == 2 { vector.with_z(0.0) } else { vector }
    }
}

/// A cell that darts are thrown into.
#[derive(Clone, Copy)]
struct Cell {
    place: [i64; 3],
    /// How far its middle is above the outermost layer [m].
    above: f64,
    /// How that changes; zero if nobody needs to know.
    slope: DVec3,
}

impl Cell {
    fn inside(place: [i64; 3]) -> Cell {
        Cell { place, above: f64::NEG_INFINITY, slope: DVec3::ZERO }
    }
}

/// A brick and what is around it.
struct Local<'a> {
    darts: &'a Darts<'a>,
    target: Target,
    /// Lowest corner of the brick itself [m].
    low: DVec3,
    edge: f64,
    points: Vec<DVec3>,
    cells: Vec<u32>,
    /// From a cell to those whose particles may be too near, the nearest first.
    ways: Vec<i64>,
}

impl<'a> Local<'a> {
    fn new(low: DVec3, target: Target, darts: &'a Darts<'a>) -> Local<'a> {
        let depth = if darts.axes == 2 { 1 } else { SIDE };
        let cells = vec![NONE; (SIDE * SIDE * depth) as usize];
        Local { darts, target, low, edge: darts.cell(), points: Vec::new(), cells, ways: ways(darts.axes) }
    }

    /// The cells of the brick, without those around it.
    fn cells(&self) -> impl Iterator<Item = [i64; 3]> + use<> {
        let depth = if self.darts.axes == 2 { 1 } else { CELLS };
        (0..CELLS).flat_map(move |x| (0..CELLS).flat_map(move |y| (0..depth).map(move |z| [x, y, z])))
    }

    fn corner(&self, cell: [i64; 3]) -> DVec3 {
        self.low + self.edge * DVec3::from_array(cell.map(|index| index as f64))
    }

    fn middle(&self, cell: [i64; 3]) -> DVec3 {
        self.darts.flat(self.corner(cell) + 0.5 * self.edge)
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

    /// What darts must know of a cell; none if no particle can be there.
    fn look(&self, place: [i64; 3]) -> Option<Cell> {
        let middle = self.middle(place);
        let (above, reach) = (self.above(middle), 0.5 * self.darts.radius);
        match self.target {
            Target::Layer if above.abs() <= reach => {
                let slope = gradient(self.darts.solid, middle, 0.05 * self.darts.radius);
                Some(Cell { place, above, slope: self.darts.flat(slope) })
            }
            Target::Behind if above <= reach => Some(Cell { place, above, slope: DVec3::ZERO }),
            _ => None,
        }
    }

    /// How far a point is above the outermost layer, or less [m].
    fn above(&self, point: DVec3) -> f64 {
        self.darts.solid.distance(point) + self.darts.depth
    }

    /// A dart flies into a cell, and becomes a particle if it can. Is another dart worth while?
    fn hit(&mut self, cell: &Cell, dart: DVec3) -> bool {
        let radius = self.darts.radius;
        match self.target {
            Target::Behind => match self.blocking(dart, radius) {
                Some(other) => !self.covers(other, cell.place),
                None if cell.above <= -0.5 * radius || self.above(dart) <= 0.0 => {
                    self.add(dart);
                    false
                }
                None => true,
            },
            Target::Layer => {
                // About where it will come to lie: most find no room there, and need not know it better.
                let above = cell.above + cell.slope.dot(dart - self.middle(cell.place));
                let about = dart - above * cell.slope / cell.slope.length_squared().max(0.05);
                if self.blocking(about, 0.95 * radius).is_none() {
                    self.on_layer(dart).into_iter().for_each(|point| self.add(point));
                }
                self.is_free(cell.place)
            }
        }
    }

    /// The place of the layer where a dart becomes a particle, if it does.
    fn on_layer(&self, dart: DVec3) -> Option<DVec3> {
        let Darts { solid, axes, radius, depth, .. } = *self.darts;
        let point = match depth == 0.0 {
            true => surface_point(solid, dart, 1e-3 * radius)?,
            false => Inset { solid, sign: -1.0, axes, spacing: 2.0 * depth }.settled(dart, depth)?.place,
        };
        let own = self.cell(point).iter().take(axes).all(|index| (0..CELLS).contains(index));
        (own && self.blocking(point, radius).is_none()).then_some(point)
    }

    /// A particle nearer than `reach` to a point; those around a point outside the brick are not all known.
    fn blocking(&self, point: DVec3, reach: f64) -> Option<DVec3> {
        let home = self.slot(self.cell(point))? as i64;
        let others = self.ways.iter().filter_map(|way| self.cells.get((home + way) as usize));
        let mut others = others.filter_map(|&found| self.points.get(found as usize)).copied();
        others.find(|other| other.distance_squared(point) < reach * reach)
    }

    /// Is all of a cell too near to a particle?
    fn covers(&self, point: DVec3, cell: [i64; 3]) -> bool {
        let to_corner = (point - self.middle(cell)).abs() + self.darts.flat(DVec3::splat(0.5 * self.edge));
        to_corner.length_squared() < self.darts.radius * self.darts.radius
    }
}

/// The ways in memory from a cell to all around it, the shortest first.
fn ways(axes: usize) -> Vec<i64> {
    let across = if axes == 2 { 0..=0 } else { -AROUND..=AROUND };
    let around = across.flat_map(|z| (-AROUND..=AROUND).flat_map(move |y| (-AROUND..=AROUND).map(move |x| [x, y, z])));
    let mut around: Vec<_> = around.collect();
    around.sort_by_key(|way| way.iter().map(|step| step * step).sum::<i64>());
    around.into_iter().map(|[x, y, z]| (z * SIDE + y) * SIDE + x).collect()
}
