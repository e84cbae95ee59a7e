//! Writes frames with known values, for checking what other programs read:
//! `cargo run --release -p thixo-frames --example write_sample -- FOLDER`.
//!
//! A number in the particle with identifier `id` is `8 id + s + k / 4` in component `k`, where `s` is the sum of the
//! bytes of the column's name modulo 100; an index is `id + s`. Frame 7 has ten particles, frame 8 has none. Frame 9 is frame 7
//! with two rigid bodies: body k has index 2 + k, and all its numbers are k but for a turn of (0, 0, k, 1).

use std::error::Error;
use std::path::PathBuf;

use thixo_frames::{Format, FrameInfo, RigidState, frame_path, write_frame, write_frame_with};
use thixo_sim::{Particles, Real, ValuesMut, Vec3};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("give the folder to write to")?);
    std::fs::create_dir_all(&folder)?;
    let particles = sample();
    for &format in Format::all() {
        for (frame, time, movable) in [(7, 0.14, 10), (8, 0.16, 0)] {
            write_frame(format, &frame_path(&folder, frame, format), FrameInfo { frame, time }, &particles, movable)?;
        }
        let (info, path) = (FrameInfo { frame: 9, time: 0.18 }, frame_path(&folder, 9, format));
        write_frame_with(format, &path, info, (&particles, 10), (&[], &[rigid(0), rigid(1)]))?;
    }
    Ok(())
}

fn rigid(k: u32) -> RigidState {
    let (number, vector) = (f64::from(k), [f64::from(k); 3]);
    RigidState {
        body: 2 + k,
        mass: number,
        first_centre: vector,
        centre: vector,
        turn: [0.0, 0.0, number, 1.0],
        velocity: vector,
        spin: vector,
    }
}

/// Ten particles of bodies in no order, then four of walls.
fn sample() -> Particles {
    let mut ids: Vec<u32> = (0..10).map(|k| 5 + 3 * ((7 * k) % 10)).collect();
    ids.extend(100..104);
    let mut particles = Particles::zeroed(ids.len());
    for (column, values) in particles.columns_mut() {
        let letters = column.name.bytes().map(u32::from).sum::<u32>() % 100;
        let number = |id: &u32, component: u32| (8 * id + letters) as Real + component as Real / 4.0;
        match values {
            ValuesMut::Scalar(values) => *values = ids.iter().map(|id| number(id, 0)).collect(),
            ValuesMut::Index(values) => *values = ids.iter().map(|id| id + letters).collect(),
            ValuesMut::Vector(values) => {
                *values = ids.iter().map(|id| Vec3::new(number(id, 0), number(id, 1), number(id, 2))).collect();
            }
        }
    }
    particles.id = ids;
    particles
}
