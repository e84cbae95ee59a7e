//! Landscapes: closed surfaces under heights on a grid.

use glam::DVec3;

use super::triangles::Triangles;

/// Heights on a grid, over the bottom of a box.
#[derive(Clone, Debug)]
pub(crate) struct Landscape {
    /// The lowest corner of the box.
    pub(crate) min: DVec3,
    /// The highest corner.
    pub(crate) max: DVec3,
    /// The horizontal axes.
    pub(crate) axes: [usize; 2],
    /// The axis of the heights.
    pub(crate) up: usize,
    /// Nodes along each horizontal axis, two or more.
    pub(crate) nodes: [usize; 2],
    /// Heights at the nodes, the second axis fastest.
    pub(crate) heights: Vec<f64>,
}

impl Landscape {
    /// Where a node is, along the horizontal axes.
    pub(crate) fn place(&self, node: usize) -> [f64; 2] {
        let at = [node / self.nodes[1], node % self.nodes[1]];
        std::array::from_fn(|k| {
            let (low, high) = (self.min[self.axes[k]], self.max[self.axes[k]]);
            low + (high - low) * at[k] as f64 / (self.nodes[k] - 1) as f64
        })
    }

    /// The surface, its sides and its bottom. Where it lies on the bottom there is nothing.
    pub(crate) fn triangles(&self) -> Triangles {
        let count = self.heights.len();
        let vertex = |node: usize, height: f64| {
            let mut place = DVec3::ZERO;
            let [a, b] = self.place(node);
            (place[self.axes[0]], place[self.axes[1]], place[self.up]) = (a, b, height);
            place
        };
        let bottom = self.min[self.up];
        let tops = (0..count).map(|node| vertex(node, self.heights[node]));
        let vertices = tops.chain((0..count).map(|node| vertex(node, bottom))).collect();
        let mut faces = Vec::new();
        let below = |node: usize| (node + count) as u32;
        for [a, b, c] in self.cells() {
            if [a, b, c].iter().any(|&node| self.heights[node] > bottom) {
                faces.push([a as u32, b as u32, c as u32]);
                faces.push([below(a), below(c), below(b)]);
            }
        }
        for (from, to) in self.rim() {
            faces.push([to as u32, from as u32, below(from)]);
            faces.push([to as u32, below(from), below(to)]);
        }
        Triangles { vertices, faces }
    }

    /// Two triangles of nodes for each cell of the grid.
    fn cells(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let [rows, columns] = self.nodes;
        let corners = (0..rows - 1).flat_map(move |row| (0..columns - 1).map(move |column| row * columns + column));
        corners.flat_map(move |a| {
            let (b, c, d) = (a + 1, a + columns + 1, a + columns);
            [[a, b, c], [a, c, d]]
        })
    }

    /// The edges around the grid, in the direction in which its triangles have them.
    fn rim(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let [rows, columns] = self.nodes;
        let node = move |row: usize, column: usize| row * columns + column;
        let first = (1..columns).map(move |k| (node(0, k - 1), node(0, k)));
        let second = (1..rows).map(move |k| (node(k - 1, columns - 1), node(k, columns - 1)));
        let third = (1..columns).rev().map(move |k| (node(rows - 1, k), node(rows - 1, k - 1)));
        let fourth = (1..rows).rev().map(move |k| (node(k, 0), node(k - 1, 0)));
        first.chain(second).chain(third).chain(fourth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landscape(axes: [usize; 2], up: usize, heights: impl Fn(f64, f64) -> f64) -> Landscape {
        let (min, max) = (DVec3::new(-1.0, -2.0, 0.5), DVec3::new(2.0, 1.0, 3.0));
        let mut landscape = Landscape { min, max, axes, up, nodes: [7, 5], heights: Vec::new() };
        landscape.heights = (0..35).map(|node| landscape.place(node)).map(|[a, b]| heights(a, b)).collect();
        landscape
    }

    /// Six times the volume that the faces enclose.
    fn volume(mesh: &Triangles) -> f64 {
        let corner = |k: u32| mesh.vertices[k as usize];
        mesh.faces.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum::<f64>() / 6.0
    }

    #[test]
    fn landscapes_are_closed_and_have_their_volume() {
        // A slope: its mean height times its ground.
        let slope =
            landscape([0, 2], 1, |x, z| -2.0 + 0.5 * (x + 1.0) + 0.2 * (z - 0.5)).triangles().checked().unwrap();
        assert_eq!(slope.open_edges().count, 0);
        assert!((volume(&slope).abs() - 7.5 * (0.75 + 0.25)).abs() < 1e-12, "{}", volume(&slope));
        let upright = landscape([0, 1], 2, |x, _| 0.5 + 0.3 * (x + 1.0)).triangles().checked().unwrap();
        assert_eq!(upright.open_edges().count, 0);
        assert!((volume(&upright).abs() - 9.0 * 0.45).abs() < 1e-12, "{}", volume(&upright));
    }

    #[test]
    fn islands_are_closed_and_a_desert_is_nothing() {
        let islands = landscape([0, 2], 1, |x, z| if x < 0.0 && z < 1.5 || x > 1.4 { -1.5 } else { -2.0 });
        let mesh = islands.triangles().checked().unwrap();
        assert_eq!(mesh.open_edges().count, 0);
        assert!(landscape([0, 2], 1, |_, _| -2.0).triangles().checked().is_err());
    }
}
