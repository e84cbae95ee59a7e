//! V1: surfaces of a ball and a torus have their volume, and lie where they should.

use std::f32::consts::TAU;
use std::f64::consts::PI;

use thixo_surface::{CentreOfMass, IsoDensity, Mesh, Method, Reconstruction, Samples, Vec3};

use super::conditions;
use super::samplings::{Torus, ball, jitter, lattice, sunflower};
use crate::experiment::CaseError;
use crate::row::Row;

/// Particles are moved by up to this along each axis, in spacings.
const JITTER: f32 = 0.2;

const TORUS: Torus = Torus { ring: 1.0, tube: 0.4 };

/// A shape whose surface is known.
struct Body {
    name: &'static str,
    volume: f64,
    area: f64,
    particles: fn(f32) -> Vec<Vec3>,
    /// How far outside a place is [m].
    distance: fn(Vec3) -> f32,
    /// Points all over the surface.
    probes: fn() -> Vec<Vec3>,
}

const BODIES: [Body; 2] = [
    Body {
        name: "ball",
        volume: 4.0 / 3.0 * PI,
        area: 4.0 * PI,
        particles: ball,
        distance: |at| at.length() - 1.0,
        probes: || sunflower(4000).collect(),
    },
    Body {
        name: "torus",
        volume: 2.0 * PI * PI * 0.16,
        area: 4.0 * PI * PI * 0.4,
        particles: |spacing| TORUS.particles(spacing),
        distance: |at| TORUS.distance(at),
        probes: || {
            let angles = (0..4000_u32).map(|k| (TAU * (k % 40) as f32 / 40.0, TAU * (k / 40) as f32 / 100.0));
            angles.map(|(around, along)| TORUS.place(TORUS.tube, around, along)).collect()
        },
    },
];

/// Volume and place of the default surface of about so many particles; those of other methods are told.
pub(crate) fn shapes(count: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    for body in &BODIES {
        let spacing = (body.volume / f64::from(count)).cbrt() as f32;
        let mut particles = (body.particles)(spacing);
        jitter(&mut particles, JITTER * spacing);
        let conditions = conditions(particles.len(), f64::from(IsoDensity::default().support_over_spacing));
        let name = body.name;
        let mesh = surface(Reconstruction::default(), &particles, spacing)?;
        let mut volume = Row::relative(&format!("volume of a {name} [m^3]"), mesh.volume(), body.volume, tolerance)
            .reporting("area by that of the shape", mesh.area() / body.area)
            .reporting("flaws of the mesh", format!("{:?}", mesh.flaws()));
        for (method, reconstruction) in others() {
            let other = surface(reconstruction, &particles, spacing)?;
            volume = volume.reporting(&format!("volume error, {method}"), other.volume() / body.volume - 1.0);
        }
        // A lattice that is cut off at the surface is itself half a spacing off.
        let mut cut = lattice(spacing, 1.6, |at| (body.distance)(at) < 0.0);
        jitter(&mut cut, JITTER * spacing);
        let mesh_of_cut = surface(Reconstruction::default(), &cut, spacing)?;
        let own = cut.len() as f64 * f64::from(spacing).powi(3);
        volume = volume.reporting("volume error, cut lattice, by its particles", mesh_of_cut.volume() / own - 1.0);
        rows.push(volume.under(&conditions));
        let quantity = format!("Hausdorff distance from a {name}, in spacings [-]");
        let place = Row::at_most(&quantity, f64::from(hausdorff(body, &mesh, spacing)? / spacing), 0.5)
            .reporting("cut lattice", f64::from(hausdorff(body, &mesh_of_cut, spacing)? / spacing));
        rows.push(place.under(&conditions));
    }
    Ok(rows)
}

/// Methods whose volume is told beside that of the default.
fn others() -> [(&'static str, Reconstruction); 3] {
    let with = |method| Reconstruction { method, ..Reconstruction::default() };
    let plain = CentreOfMass { correction: false, ..CentreOfMass::default() };
    [
        ("DG96's level", with(Method::IsoDensity(IsoDensity::desbrun_gascuel()))),
        ("centre of mass", with(Method::CentreOfMass(CentreOfMass::default()))),
        ("centre of mass, uncorrected", with(Method::CentreOfMass(plain))),
    ]
}

fn surface(reconstruction: Reconstruction, particles: &[Vec3], spacing: f32) -> Result<Mesh, CaseError> {
    Ok(reconstruction.surface(particles, spacing, &[])?.mesh)
}

/// The farthest that the mesh is from the shape, or the shape from the mesh [m]; an upper limit.
fn hausdorff(body: &Body, mesh: &Mesh, spacing: f32) -> Result<f32, CaseError> {
    let outwards = mesh.position.iter().map(|&at| (body.distance)(at).abs()).fold(0.0, f32::max);
    // Corners, middles of sides and the middle of every triangle stand for all of it.
    let points: Vec<Vec3> = mesh
        .triangles
        .iter()
        .flat_map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| mesh.position[vertex as usize]);
            [a, 0.5 * (a + b), (a + b + c) / 3.0]
        })
        .collect();
    let samples = Samples::new(&points, 2.0 * spacing)?;
    let nearest = |at: Vec3| {
        let mut nearest = f32::INFINITY;
        samples.near(at, |_, _, squared| nearest = nearest.min(squared));
        nearest.sqrt()
    };
    Ok((body.probes)().into_iter().map(nearest).fold(outwards, f32::max))
}
