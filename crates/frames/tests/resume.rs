//! A run that goes on from a checkpoint equals one that was never stopped.

use thixo_frames::{CheckpointRef, Format, FrameInfo, frame_path, latest_checkpoint, write_checkpoint, write_frame};
use thixo_sim::{Material, NewBody, NewWall, Real, Settings, SetupError, Simulation, Vec3};

const SPACING: Real = 0.1;

/// A block of water that falls on a floor.
fn falling_block() -> Result<Simulation, SetupError> {
    let mut simulation = Simulation::new(settings(), vec![Material::default()])?;
    let position = lattice(0..5, 1..5);
    simulation.add_body(NewBody { name: "block".into(), position, ..NewBody::default() })?;
    let position = lattice(-3..8, -1..0);
    let to_surface = vec![Vec3::new(0.0, 0.5 * SPACING, 0.0)];
    simulation.add_wall(NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() })?;
    Ok(simulation)
}

fn settings() -> Settings {
    Settings { spacing: SPACING, ..Settings::default() }
}

/// Cell centres, in a square of the ground and a range of heights.
fn lattice(ground: std::ops::Range<i32>, heights: std::ops::Range<i32>) -> Vec<Vec3> {
    let cell = |x, y, z| SPACING * (Vec3::new(x as Real, y as Real, z as Real) + 0.5);
    let column = |x, z| heights.clone().map(move |y| cell(x, y, z));
    ground.clone().flat_map(|x| ground.clone().flat_map(move |z| column(x, z))).collect()
}

#[test]
fn resumed_run_equals_unbroken_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut unbroken = falling_block().unwrap();
    // Past the first sorting of the particles, and not on it.
    for _ in 0..130 {
        unbroken.step().unwrap();
    }
    let state = unbroken.state();
    let checkpoint = CheckpointRef {
        version: "0",
        instruction_set: "any",
        state: &state,
        particles: unbroken.particles(),
        caller: &[],
    };
    write_checkpoint(folder.path(), &checkpoint).unwrap();

    let mut resumed = Simulation::new(settings(), vec![Material::default()]).unwrap();
    resumed.restore(latest_checkpoint(folder.path()).unwrap().checkpoint.snapshot).unwrap();
    let frames = [&mut unbroken, &mut resumed].map(|simulation| {
        for _ in 0..130 {
            simulation.step().unwrap();
        }
        let path = frame_path(folder.path(), simulation.steps(), Format::Native);
        let info = FrameInfo { frame: simulation.steps(), time: simulation.time() };
        write_frame(Format::Native, &path, info, simulation.particles(), simulation.matter().len()).unwrap();
        std::fs::read(path).unwrap()
    });
    assert!(frames[0] == frames[1]);
    assert_eq!(unbroken.snapshot(), resumed.snapshot());
    let velocities = &unbroken.particles().velocity[unbroken.matter()];
    assert!(velocities.iter().any(|velocity| velocity.x.abs() > 0.1), "the block never splashed on the floor");
}
