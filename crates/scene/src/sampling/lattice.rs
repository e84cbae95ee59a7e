//! A block of lattice cells.

use glam::DVec3;

use crate::shape::Bounds;
use crate::{BoxShape, World};

/// A block of cubic cells along the axes; in 2D one layer of squares at z = 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lattice {
    /// Its lowest corner [m].
    pub(crate) corner: DVec3,
    /// Cells along each axis.
    pub(crate) cells: [i64; 3],
    /// Edge of a cell [m].
    pub(crate) spacing: f64,
    /// Number of axes, 2 or 3.
    pub(crate) axes: usize,
}

impl Lattice {
    /// The cells of a box, counted from its lowest corner; its size is rounded to whole cells.
    pub(crate) fn of_box(shape: &BoxShape, world: &World) -> Lattice {
        let corner = world.flat(shape.min);
        let size = (world.flat(shape.max) - corner).to_array();
        let axes = usize::from(world.dimension);
        let cells = std::array::from_fn(|axis| match axis < axes {
            true => (size[axis] / world.spacing).round() as i64,
            false => 1,
        });
        Lattice { corner, cells, spacing: world.spacing, axes }
    }

    /// The fewest cells that cover a box, about its centre; none if it is empty or has no end.
    pub(crate) fn over(Bounds { min, max }: Bounds, world: &World) -> Lattice {
        let axes = usize::from(world.dimension);
        let size = (max - min).to_array();
        let is_finite = size[..axes].iter().all(|size| size.is_finite() && *size >= 0.0);
        // Rounding must not add a cell.
        let cells = size.map(|size| ((size / world.spacing - 1e-6).ceil() as i64).max(1));
        let cells = std::array::from_fn(|axis| if axis < axes { cells[axis] * i64::from(is_finite) } else { 1 });
        let lattice = Lattice { corner: DVec3::ZERO, cells, spacing: world.spacing, axes };
        let corner = world.flat((0.5 * (min + max) - 0.5 * lattice.far_corner()).to_array());
        Lattice { corner, ..lattice }
    }

    /// How many cells, as a floating-point number: there may be more than any integer holds.
    pub(crate) fn count(&self) -> f64 {
        self.cells.iter().map(|&cells| cells.max(0) as f64).product()
    }

    /// Centre of a cell, also of one outside the block [m].
    pub(crate) fn centre(&self, cell: [i64; 3]) -> DVec3 {
        let offset = |axis: usize| match axis < self.axes {
            true => (cell[axis] as f64 + 0.5) * self.spacing,
            false => 0.0,
        };
        self.corner + DVec3::new(offset(0), offset(1), offset(2))
    }

    /// The cell whose centre is nearest to `point`, also outside the block.
    pub(crate) fn cell(&self, point: DVec3) -> [i64; 3] {
        let offset = ((point - self.corner) / self.spacing).floor().to_array();
        std::array::from_fn(|axis| if axis < self.axes { offset[axis] as i64 } else { 0 })
    }

    /// Is the cell one of the block?
    pub(crate) fn has(&self, cell: [i64; 3]) -> bool {
        cell.iter().zip(self.cells).all(|(&cell, cells)| (0..cells).contains(&cell))
    }

    /// Its highest corner [m].
    pub(crate) fn far_corner(&self) -> DVec3 {
        let extent = |axis: usize| if axis < self.axes { self.cells[axis] as f64 * self.spacing } else { 0.0 };
        self.corner + DVec3::new(extent(0), extent(1), extent(2))
    }

    /// The same block with so many more cells on both sides of each axis; fewer if negative.
    pub(crate) fn grown(&self, layers: [i64; 3]) -> Lattice {
        let cells = |axis: usize| self.cells[axis].saturating_add(2 * layers[axis]).max(0);
        let corner = self.corner - DVec3::from_array(layers.map(|layers| layers as f64 * self.spacing));
        Lattice { corner, cells: std::array::from_fn(cells), ..self.clone() }
    }

    /// The cells whose centres may lie between two corners.
    pub(crate) fn between(&self, low: DVec3, high: DVec3) -> impl Iterator<Item = [i64; 3]> + use<> {
        let (first, last) = (self.cell(low), self.cell(high));
        let [x, y, z] = std::array::from_fn(|axis| {
            let cells = self.cells[axis];
            first[axis].clamp(0, cells)..last[axis].clamp(-1, cells - 1) + 1
        });
        x.flat_map(move |x| {
            let z = z.clone();
            y.clone().flat_map(move |y| z.clone().map(move |z| [x, y, z]))
        })
    }

    /// About the same block with cells that are `ratio` times larger.
    pub(crate) fn coarser(&self, ratio: f64) -> Lattice {
        let cells = |axis: usize| if axis < self.axes { (self.cells[axis] as f64 / ratio).ceil() as i64 } else { 1 };
        Lattice { spacing: ratio * self.spacing, cells: std::array::from_fn(cells), ..self.clone() }
    }

    /// Every cell; the last axis runs fastest.
    pub(crate) fn iter(&self) -> impl Iterator<Item = [i64; 3]> + use<> {
        let [nx, ny, nz] = self.cells;
        (0..nx).flat_map(move |x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])))
    }
}
