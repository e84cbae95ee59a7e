//! Marching cubes over those parts of space that hold particles.
//!
//! Space is divided into bricks of 8 × 8 × 8 grid points; only bricks that particles reach exist, sorted by a key.
//! Each brick owns its points, the edges that start at them and the cubes whose first corner they are. So every
//! vertex and every triangle has one owner, and the mesh is the same for any number of threads.
//!
//! The mesh is closed, because whatever lies beyond the bricks is outside, and manifold, see `table`. Vertices keep a
//! small distance from grid points, so that no two coincide and no triangle is a needle.

mod brick;
mod level;
mod table;

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

use crate::error::{SurfaceError, positive};
use crate::field::{DensityField, Field, PATCH, POINTS, Patch};
use crate::mesh::Mesh;
use crate::samples::{cube_of, key, refuse_far, unkey};
use brick::{Brick, Crossings, Window};

/// The surface of a field as triangles, found on a grid of that cell size [m]. Normals and quantities are for later.
pub fn triangulate(field: &impl Field, cell: f32) -> Result<Mesh, SurfaceError> {
    Ok(Sampled::new(field, cell)?.mesh(0.0))
}

/// As [`triangulate`], at the level of density around which the mesh has that volume [m³]. The field is set to it.
pub fn triangulate_volume(field: &mut DensityField, cell: f32, volume: f64) -> Result<Mesh, SurfaceError> {
    let sampled = Sampled::new(field, cell)?;
    let level = level::of_volume(&sampled, volume);
    let mesh = sampled.mesh(level);
    field.raise(level);
    Ok(mesh)
}

/// The values of a field at all grid points that particles reach.
struct Sampled {
    bricks: Vec<Brick>,
    grid: Grid,
}

impl Sampled {
    fn new(field: &impl Field, cell: f32) -> Result<Sampled, SurfaceError> {
        positive("the cell size [m]", cell)?;
        refuse_far(field.bounds(), cell * PATCH as f32)?;
        let grid = Grid { cell: f64::from(cell) };
        let brick = |nearby: &mut Vec<_>, &key: &u64| {
            let patch = Patch { origin: grid.place(unkey(key), IVec3::ZERO), cell };
            patch.collect(field, nearby);
            (!nearby.is_empty()).then(|| {
                let mut values = [0.0; POINTS];
                field.fill(&patch, nearby, &mut values);
                Brick { key, values }
            })
        };
        let bricks = reached_bricks(field, &grid).par_iter().map_init(Vec::new, brick).flatten_iter().collect();
        Ok(Sampled { bricks, grid })
    }

    /// Numbers the vertices of all bricks and joins them to triangles.
    fn mesh(&self, level: f32) -> Mesh {
        let Sampled { bricks, grid } = self;
        let windows: Vec<Option<Window>> = bricks.par_iter().map(|brick| Window::new(bricks, brick, level)).collect();
        let crossings: Vec<Option<Crossings>> =
            windows.par_iter().map(|window| window.as_ref().and_then(Crossings::new)).collect();
        let mut first = Vec::with_capacity(bricks.len());
        let mut count = 0_u32;
        for crossings in &crossings {
            first.push(count);
            count += crossings.as_ref().map_or(0, |crossings| crossings.vertices.len() as u32);
        }
        let position = bricks.par_iter().zip(&crossings).flat_map_iter(|(brick, crossings)| {
            let vertices = crossings.iter().flat_map(|crossings| &crossings.vertices);
            vertices.map(|vertex| {
                let along = Vec3::AXES[usize::from(vertex.axis)].as_dvec3() * f64::from(vertex.share);
                (grid.place(unkey(brick.key), vertex.point) + along * grid.cell).as_vec3()
            })
        });
        let triangles =
            windows.par_iter().flatten().flat_map_iter(|window| window.triangles(&crossings, &first)).collect();
        Mesh { position: position.collect(), triangles, ..Mesh::default() }
    }
}

/// Where grid points lie: whole multiples of the cell size, so that grids of all frames fit each other.
struct Grid {
    cell: f64,
}

impl Grid {
    /// A point of a brick [m].
    fn place(&self, brick: IVec3, point: IVec3) -> DVec3 {
        (brick.as_dvec3() * PATCH as f64 + point.as_dvec3()) * self.cell
    }
}

/// Keys of all bricks with points in reach of a particle, and some more, ascending.
fn reached_bricks(field: &impl Field, grid: &Grid) -> Vec<u64> {
    let edge = grid.cell * PATCH as f64;
    let reach = field.samples().reach();
    let mut keys: Vec<u64> = field
        .samples()
        .occupied()
        .flat_map_iter(|bounds| {
            let grown = bounds.grown(reach);
            // A point below belongs to the cube that ends at the first point above it.
            let low = cube_of(grown.min - grid.cell as f32, edge);
            let high = cube_of(grown.max, edge);
            (low.z..=high.z).flat_map(move |z| {
                (low.y..=high.y).flat_map(move |y| (low.x..=high.x).map(move |x| key(IVec3::new(x, y, z))))
            })
        })
        .collect();
    keys.par_sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests;
