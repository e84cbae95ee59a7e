//! What closes the holes of a mesh: triangles where its winding number is one half.

use glam::DVec3;

use super::solid::Grid;
use super::triangles::Triangles;

/// The corners of a cell, as steps from the lowest one.
const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]];

/// A cell as six tetrahedra around its diagonal; those of neighbouring cells fit together.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// The mesh, and the level one half of the winding number in the cells that it does not pass through.
pub(super) fn patches(grid: &Grid, mesh: &Triangles) -> Triangles {
    let mut closed = mesh.clone();
    let [nx, ny, nz] = grid.nodes;
    for x in 0..nx - 1 {
        for y in 0..ny - 1 {
            for z in 0..nz - 1 {
                let nodes = CORNERS.map(|[i, j, k]| ((x + i) * ny + y + j) * nz + z + k);
                cell(grid, nodes, &mut closed);
            }
        }
    }
    closed
}

fn cell(grid: &Grid, nodes: [usize; 8], closed: &mut Triangles) {
    let crosses = nodes.iter().any(|&node| is_inside(grid, node)) && !nodes.iter().all(|&node| is_inside(grid, node));
    // No triangle of the mesh is as near as the middle of the cell, so it is the winding number alone that changes.
    let is_clear = nodes.iter().all(|&node| grid.distance[node] > 0.9 * grid.edge);
    if crosses && is_clear {
        TETRAHEDRA.iter().for_each(|corners| tetrahedron(grid, corners.map(|corner| nodes[corner]), closed));
    }
}

fn is_inside(grid: &Grid, node: usize) -> bool {
    grid.winding[node].abs() > 0.5
}

/// Separates the corners inside from those outside. Which way the triangles face does not matter: only the distance
/// to them is asked for.
fn tetrahedron(grid: &Grid, nodes: [usize; 4], closed: &mut Triangles) {
    let (inside, outside): (Vec<_>, Vec<_>) = nodes.into_iter().partition(|&node| is_inside(grid, node));
    let mut cross = |a: usize, b: usize| {
        let (from, to) = (grid.winding[a].abs(), grid.winding[b].abs());
        let place: DVec3 = grid.place(a).lerp(grid.place(b), (0.5 - from) / (to - from));
        closed.vertices.push(place);
        closed.vertices.len() as u32 - 1
    };
    let faces: Vec<[u32; 3]> = match (inside.as_slice(), outside.as_slice()) {
        ([one], [a, b, c]) | ([a, b, c], [one]) => vec![[a, b, c].map(|other| cross(*one, *other))],
        ([a, b], [c, d]) => {
            let [ac, ad, bd, bc] = [cross(*a, *c), cross(*a, *d), cross(*b, *d), cross(*b, *c)];
            vec![[ac, ad, bd], [ac, bd, bc]]
        }
        _ => Vec::new(),
    };
    closed.faces.extend(faces);
}
