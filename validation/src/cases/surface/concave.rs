//! V2: between two blocks, and in a crater, the centre of mass jumps. Plain Zhu-Bridson puts sheets there; with the
//! factor of Sol09 Eq. 6.22 they are gone.

use thixo_surface::{CentreOfMass, Mesh, Method, Reconstruction, Vec3};

use super::conditions;
use super::samplings::lattice;
use crate::experiment::CaseError;
use crate::row::Row;

const SPACING: f32 = 0.05;

/// Gaps between the particles of the blocks, and across the crater, in influence radii.
const GAPS: [f32; 4] = [1.2, 1.4, 1.6, 1.8];

/// Surface farther than this outside matter is none of it, in spacings: where it should be is half a spacing outside.
const FAR: f32 = 1.0;

/// Area of what is no surface, with the correction and without.
pub(crate) fn sheets() -> Result<Vec<Row>, CaseError> {
    let parameters = CentreOfMass::default();
    let influence = parameters.influence_over_spacing * SPACING;
    let mut rows = Vec::new();
    for (name, shift, outside) in [("two blocks", true, blocks as fn(Vec3, f32) -> f32), ("a crater", false, crater)] {
        let (mut plain, mut corrected, mut particles) = (0.0, 0.0, 0);
        for gap in GAPS {
            let width = gap * influence;
            let mut matter = lattice(SPACING, 0.6, |at| shift || outside(at, width) < 0.0);
            if shift {
                // Two halves of a lattice, moved until their particles are the gap apart.
                let apart = 0.5 * (width - SPACING);
                matter.iter_mut().for_each(|at| at.x += apart.copysign(at.x));
                matter.retain(|&at| outside(at, width) < 1e-4);
            }
            particles += matter.len();
            let area = |correction: bool| -> Result<f64, CaseError> {
                let method = Method::CentreOfMass(CentreOfMass { correction, ..parameters });
                let reconstruction = Reconstruction { method, smoothing: 0, ..Reconstruction::default() };
                let mesh = reconstruction.surface(&matter, SPACING, &[])?.mesh;
                Ok(spurious_area(&mesh, |at| outside(at, width)))
            };
            plain += area(false)?;
            corrected += area(true)?;
        }
        let conditions = conditions(particles, f64::from(parameters.influence_over_spacing));
        let quantity = format!("area of sheets at {name}, uncorrected [m^2]");
        rows.push(Row::at_most(&quantity, plain, 0.0).expected_to_fail().under(&conditions));
        let quantity = format!("area of sheets at {name}, by that without correction [-]");
        rows.push(Row::at_most(&quantity, corrected / plain, 0.01).under(&conditions));
    }
    Ok(rows)
}

/// How far outside a box a place is; inside, less than zero [m].
fn outside_box(at: Vec3, min: Vec3, max: Vec3) -> f32 {
    let beyond = (min - at).max(at - max);
    beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
}

/// Two blocks that face each other across a gap.
fn blocks(at: Vec3, width: f32) -> f32 {
    let mirrored = Vec3::new(at.x.abs(), at.y, at.z);
    outside_box(mirrored, Vec3::new(0.5 * width, -0.3, -0.3), Vec3::new(0.5 * width + 0.3, 0.3, 0.3))
}

/// A block with a round hollow in its upper face.
fn crater(at: Vec3, width: f32) -> f32 {
    let block = outside_box(at, Vec3::new(-0.4, -0.4, -0.4), Vec3::new(0.4, 0.0, 0.4));
    let hollow = 0.5 * width - at.length();
    block.max(hollow)
}

/// Area of the triangles far from matter [m²].
fn spurious_area(mesh: &Mesh, outside: impl Fn(Vec3) -> f32) -> f64 {
    let area = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| mesh.position[vertex as usize]);
        let is_far = outside((a + b + c) / 3.0) > FAR * SPACING;
        if is_far { 0.5 * f64::from((b - a).cross(c - a).length()) } else { 0.0 }
    };
    mesh.triangles.iter().map(area).sum()
}
