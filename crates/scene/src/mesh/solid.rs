//! A mesh as a solid: how far a point is from its surface, and on which side.
//!
//! The distance is that to the nearest triangle. The side follows from the winding number: inside is where its
//! size is more than one half, so that it does not matter which way the faces look. A grid that is filled once knows
//! both at its nodes. Near most nodes that settles the side of every point; near the others it takes one step: across
//! each triangle between node and point the winding number of a closed surface changes by one.
//!
//! A hole is closed where the winding number is one half. There the surface has no triangles of its own, so it gets
//! some: those of the level in the grid (marching tetrahedra). Whether to trust that is decided by how much of the
//! volume is undecided, with a winding number near one half.

use glam::DVec3;
use rayon::prelude::*;

use super::holes::patches;
use super::tree::Tree;
use super::triangles::{OpenEdges, Triangles};
use crate::shape::{Bounds, Solid};

/// Cells of the grid along the longest side, and of an open mesh at least along the shortest.
const CELLS: f64 = 28.0;
const FEWEST_CELLS: f64 = 8.0;

/// Most nodes of the grid.
const MOST_NODES: f64 = 1e6;

/// Winding numbers between these are neither inside nor outside.
const UNDECIDED: std::ops::Range<f64> = 0.25..0.75;

/// The part of the volume that may be undecided.
const MOST_UNDECIDED: f64 = 0.05;

/// What is left of a volume of nothing by rounding, over area and extent.
const NO_VOLUME: f64 = 1e-12;

/// A mesh as a solid.
#[derive(Debug)]
pub(crate) struct MeshSolid {
    /// The triangles of the mesh, and what closes its holes.
    surface: Tree,
    /// The triangles of the mesh alone, if it has holes.
    open: Option<Tree>,
    grid: Grid,
}

/// Why a mesh has no inside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoInside {
    /// Its open edges.
    pub(crate) open: OpenEdges,
    /// Which part of its volume is neither inside nor outside [-]; none if nothing is inside.
    pub(crate) undecided: Option<f64>,
}

/// What is known at the nodes of a regular grid.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) low: DVec3,
    pub(super) edge: f64,
    /// Nodes along each axis.
    pub(super) nodes: [usize; 3],
    /// Winding number at each node [-].
    pub(super) winding: Vec<f64>,
    /// Distance to the nearest triangle at each node [m].
    pub(super) distance: Vec<f64>,
}

impl MeshSolid {
    /// The solid that a surface encloses.
    pub(crate) fn new(mesh: &Triangles) -> Result<MeshSolid, NoInside> {
        let tree = Tree::new(mesh);
        let open = mesh.open_edges();
        if open.count == 0 && mesh.volume().abs() <= NO_VOLUME * mesh.area() * mesh.extent() {
            return Err(NoInside { open, undecided: None });
        }
        let mut grid = Grid::new(&tree, open.count > 0);
        if open.count == 0 {
            return Ok(MeshSolid { surface: tree, open: None, grid });
        }
        let undecided = grid.undecided();
        if undecided.is_none_or(|share| share > MOST_UNDECIDED) {
            return Err(NoInside { open, undecided });
        }
        let surface = Tree::new(&patches(&grid, mesh));
        grid.measure(&surface);
        Ok(MeshSolid { surface, open: Some(tree), grid })
    }

    /// Is the point on the same side as a node that is so far from the surface, and so far away?
    fn is_settled(&self, known: f64, offset: f64) -> bool {
        // What closes a hole does not reach its rim to the last cell.
        known > offset && (self.open.is_none() || known > 3.0 * self.grid.edge)
    }

    fn is_inside(&self, point: DVec3, node: usize) -> bool {
        match &self.open {
            Some(mesh) => mesh.winding_number(point).abs() > 0.5,
            None => self.grid.step(&self.surface, node, point) != 0,
        }
    }
}

impl Solid for MeshSolid {
    fn distance(&self, point: DVec3) -> f64 {
        let (node, offset) = self.grid.nearest(point);
        let known = self.grid.distance[node];
        // No farther than by way of the node.
        let distance = self.surface.distance(point, (known + offset) * (1.0 + 1e-12));
        let inside = match self.is_settled(known, offset) {
            true => self.grid.winding[node].abs() > 0.5,
            false => self.is_inside(point, node),
        };
        if inside { -distance } else { distance }
    }

    fn bounds(&self) -> Bounds {
        let (min, max) = self.surface.bounds();
        Bounds { min, max }
    }
}

/// The winding number of a closed surface at the end of a way, from that at its start.
fn winding_after(tree: &Tree, from: DVec3, before: i32, to: DVec3) -> i32 {
    match tree.crossings(from, to) {
        Some(crossings) => before + crossings,
        None => tree.winding_number(to).round() as i32,
    }
}

impl Grid {
    fn new(tree: &Tree, is_open: bool) -> Grid {
        let (low, high) = tree.bounds();
        let size = high - low;
        let mut edge = size.max_element() / CELLS;
        if is_open {
            edge = edge.min(size.min_element() / FEWEST_CELLS);
        }
        // A flat mesh has a side of no length.
        let nodes = |edge: f64| (size / edge + 3.0).element_product();
        while edge == 0.0 || nodes(edge) > MOST_NODES {
            edge = (1.1 * edge).max(1e-3 * size.max_element());
        }
        let nodes = ((high - low) / edge).to_array().map(|cells| cells.ceil() as usize + 3);
        let low = 0.5 * (low + high) - 0.5 * edge * DVec3::from_array(nodes.map(|nodes| (nodes - 1) as f64));
        // Off the planes of symmetry, where edges are.
        let low = low + edge * DVec3::new(0.137, 0.071, 0.213);
        let mut grid = Grid { low, edge, nodes, winding: Vec::new(), distance: Vec::new() };
        let count = nodes.into_iter().product::<usize>();
        grid.winding = match is_open {
            true => (0..count).into_par_iter().map(|node| tree.winding_number(grid.place(node))).collect(),
            false => grid.counted(tree),
        };
        grid.measure(tree);
        grid
    }

    /// The winding numbers of a closed surface: zero outside, one more or less after each triangle on the way.
    fn counted(&self, tree: &Tree) -> Vec<f64> {
        let row = self.nodes[2];
        let mut numbers = vec![0.0; self.nodes.into_iter().product()];
        numbers.par_chunks_mut(row).enumerate().for_each(|(k, numbers)| {
            let mut last = 0;
            for (z, number) in numbers.iter_mut().enumerate().skip(1) {
                let node = k * row + z;
                last = winding_after(tree, self.place(node - 1), last, self.place(node));
                *number = f64::from(last);
            }
        });
        numbers
    }

    /// The winding number of a closed surface at a point near a node.
    fn step(&self, tree: &Tree, node: usize, point: DVec3) -> i32 {
        winding_after(tree, self.place(node), self.winding[node] as i32, point)
    }

    /// Notes the distances to a surface.
    fn measure(&mut self, surface: &Tree) {
        let row = self.nodes[2];
        let mut distances = vec![0.0; self.winding.len()];
        distances.par_chunks_mut(row).enumerate().for_each(|(k, distances)| {
            let mut reach = f64::INFINITY;
            for (z, distance) in distances.iter_mut().enumerate() {
                *distance = surface.distance(self.place(k * row + z), reach);
                // The next node is one edge away, and so at most one edge farther from the surface.
                reach = (*distance + self.edge) * (1.0 + 1e-12);
            }
        });
        self.distance = distances;
    }

    /// How much is neither inside nor outside, in parts of what is inside [-]; none if nothing is.
    fn undecided(&self) -> Option<f64> {
        // At the surface itself the winding number is one half: that tells nothing.
        let clear = self.winding.iter().zip(&self.distance).filter(|(_, distance)| **distance > 0.3 * self.edge);
        let (mut within, mut undecided) = (0, 0);
        for (winding, _) in clear {
            within += usize::from(winding.abs() > 0.5);
            undecided += usize::from(UNDECIDED.contains(&winding.abs()));
        }
        (within > 0).then(|| undecided as f64 / within as f64)
    }

    /// Where a node is [m].
    pub(super) fn place(&self, node: usize) -> DVec3 {
        let [_, ny, nz] = self.nodes;
        let cell = [node / (ny * nz), node / nz % ny, node % nz];
        self.low + self.edge * DVec3::from_array(cell.map(|k| k as f64))
    }

    /// The nearest node and its distance [m].
    fn nearest(&self, point: DVec3) -> (usize, f64) {
        let at = ((point - self.low) / self.edge).round().to_array();
        let [x, y, z] = std::array::from_fn(|axis| (at[axis].max(0.0) as usize).min(self.nodes[axis] - 1));
        let node = (x * self.nodes[1] + y) * self.nodes[2] + z;
        (node, self.place(node).distance(point))
    }
}
