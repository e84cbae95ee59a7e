//! Writes surfaces with known properties, for checking what other programs read:
//! `cargo run --release -p thixo-surface --example write_surface -- FOLDER`.
//!
//! `ball.ply` is the surface of a ball of radius 0.5 m about (1, 2, 3) m. Its vertices have the velocity of a body that
//! turns about z with 2 rad/s, and a density of 7. `points.ply` has its refined particles. `empty.ply` has nothing.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use thixo_surface::{Mesh, Quantity, Reconstruction, Refining, Vec3, ply};

const SPACING: f32 = 0.05;
const CENTRE: Vec3 = Vec3::new(1.0, 2.0, 3.0);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("give the folder to write to")?);
    std::fs::create_dir_all(&folder)?;
    let line = || (-10..10).map(|k| (k as f32 + 0.5) * SPACING);
    let cells = line().flat_map(|z| line().flat_map(move |y| line().map(move |x| Vec3::new(x, y, z))));
    let ball: Vec<Vec3> = cells.filter(|place| place.length() < 0.5).map(|place| place + CENTRE).collect();
    let velocity: Vec<f32> =
        ball.iter().flat_map(|place| [-2.0 * (place.y - CENTRE.y), 2.0 * (place.x - CENTRE.x), 0.0]).collect();
    let density = vec![7.0; ball.len()];
    let quantities = [
        Quantity { name: "velocity", components: 3, values: &velocity },
        Quantity { name: "density", components: 1, values: &density },
    ];
    let wanted = Reconstruction { refining: Some(Refining::default()), ..Reconstruction::default() };
    let surface = wanted.surface(&ball, SPACING, &quantities)?;
    let create = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    ply::write_mesh(&mut create("ball.ply")?, &surface.mesh, &["a ball"])?;
    ply::write_mesh(&mut create("empty.ply")?, &Mesh::default(), &[])?;
    let (cloud, attributes) = surface.points.ok_or("no points")?;
    ply::write_points(&mut create("points.ply")?, &cloud, &attributes, &[])?;
    println!("{} {} {}", surface.mesh.position.len(), surface.mesh.triangles.len(), cloud.position.len());
    Ok(())
}
