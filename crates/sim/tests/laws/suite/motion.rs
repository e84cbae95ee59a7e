//! Walls that move, and the flow they drive.

use thixo_sim::{
    Adaptive, Central, Dimension, Field, FieldKind, ImplicitViscosity, Interpolation, Keyframe, Laplacian, Material,
    Morris, NewBody, NewWall, Path, Pressure, Real, Settings, StepError, StepSize, Uniform, Vec3, Viscosity, Wcsph,
    Xsph,
};

use super::worlds::{Tank, lattice, shell};
use super::{Recipe, Run, Stepper};

/// A straight way from rest, `far` along x in `time`.
fn way(far: f64, time: f64, interpolation: Interpolation) -> Path {
    let start = Keyframe::default();
    Path {
        keyframes: vec![start, Keyframe { time, translation: [far, 0.0, 0.0], rotation: None }],
        interpolation,
        repeat: false,
    }
}

pub(crate) fn water_in_a_moving_tank_goes_with_it<S: Stepper>() {
    let settings = Settings { spacing: 0.05, gravity: Vec3::ZERO, dimension: Dimension::Two, ..Settings::default() };
    let mut world = Recipe::new(settings, vec![Material::default()]);
    let position = lattice(0.05, [0, 0, 0], [10, 10, 0]);
    world.add(NewBody { name: "water".into(), position, ..NewBody::default() });
    let (position, to_surface) = shell(0.05, [10, 10, 0], 2);
    let path = Some(way(0.5, 1.0, Interpolation::Smooth));
    world.add(NewWall { name: "tank".into(), position, to_surface, path, ..NewWall::default() });
    let mut simulation: S = world.make();
    let start = simulation.totals().centre();
    simulation.advance(0.5).unwrap();
    let half = simulation.totals();
    let speed = half.momentum.x / half.mass;
    println!("half way at {:.4} m with {speed:.4} m/s", half.centre().x - start.x);
    // 15/8 of the mean speed in the middle, give or take the sound that the start left in the water.
    assert!((half.centre().x - start.x - 0.25).abs() < 0.01 && (speed - 0.9375).abs() < 0.06);
    simulation.advance(0.5).unwrap();
    let end = simulation.totals();
    assert!((end.centre().x - start.x - 0.5).abs() < 0.01 && (end.centre().y - start.y).abs() < 0.005);
}

/// As thin as water.
const WATER: Viscosity = Viscosity::Morris(Morris { dynamic_viscosity: 1e-3 });

const SOLVED: Viscosity = Viscosity::Implicit(ImplicitViscosity { dynamic_viscosity: 1e-3 });

/// A gap of 1 mm, 25 particles across; one plate drawn along by a path, or the fluid driven by a field.
fn channel(viscosity: Viscosity, plate_speed: f64, acceleration: Real) -> Recipe {
    let (across, along) = (25, 12);
    let spacing = 1e-3 / across as Real;
    let drive = FieldKind::Uniform(Uniform { acceleration: [acceleration, 0.0, 0.0] });
    let settings = Settings {
        spacing,
        gravity: Vec3::ZERO,
        dimension: Dimension::Two,
        periodic: [Some([0.0, along as Real * spacing]), None, None],
        pressure: Pressure::Wcsph(Wcsph::default()),
        fields: vec![Field { name: "drive".into(), kind: drive, region: None, from: 0.0, until: None }],
        ..Settings::default()
    };
    let mut material = Material::default();
    material.fluid.viscosity = viscosity;
    let mut world = Recipe::new(settings, vec![material]);
    let position = lattice(spacing, [0, 0, 0], [along, across, 0]);
    world.add(NewBody { name: "water".into(), position, ..NewBody::default() });
    for (name, first, surface) in [("floor", -2, 0), ("plate", across, across)] {
        let position = lattice(spacing, [0, first, 0], [along, 2, 0]);
        let height = surface as Real * spacing;
        let to_surface = position.iter().map(|x| Vec3::new(0.0, height - x.y, 0.0)).collect();
        let path = (name == "plate").then(|| way(plate_speed * 10.0, 10.0, Interpolation::Linear));
        world.add(NewWall { name: name.into(), position, to_surface, no_slip: true, path, ..NewWall::default() });
    }
    world
}

/// Nothing limits the step of friction that is solved for, which is of first order: a start within 45 ms is resolved by steps of 1.
fn resolved(mut world: Recipe) -> Recipe {
    world.settings.step = StepSize::Adaptive(Adaptive { longest: 1e-3, ..Adaptive::default() });
    world
}

/// Mean velocity along x at a height, between the two rows around it.
fn velocity_at<S: Stepper>(simulation: &S, spacing: Real, height: f64) -> f64 {
    let (particles, spacing) = (simulation.particles(), f64::from(spacing));
    let weigh = |i: usize| (1.0 - (f64::from(particles.position[i].y) - height).abs() / spacing).max(0.0);
    let sums = simulation.matter().fold((0.0, 0.0), |(sum, weights), i| {
        (sum + weigh(i) * f64::from(particles.velocity[i].x), weights + weigh(i))
    });
    sums.0 / sums.1
}

/// Morris 1997: series solutions for nu = 1e-6 m²/s, at 0.25, 0.5 and 0.75 (Couette), 0.1, 0.25 and 0.5 (Poiseuille).
pub(crate) fn flow_between_plates_is_that_of_couette_and_poiseuille<S: Stepper>() {
    let couette = [(0.045, [1.549e-7, 1.195e-6, 5.058e-6]), (0.225, [2.515e-6, 5.386e-6, 8.764e-6])];
    let poiseuille = [(0.045, [1.936e-6, 3.518e-6, 4.235e-6]), (0.225, [4.067e-6, 8.385e-6, 1.110e-5])];
    let cases = [
        ("Couette", channel(WATER, 1.25e-5, 0.0), [0.25, 0.5, 0.75], couette),
        ("Poiseuille", channel(WATER, 0.0, 1e-4), [0.1, 0.25, 0.5], poiseuille),
        ("Couette, solved for", resolved(channel(SOLVED, 1.25e-5, 0.0)), [0.25, 0.5, 0.75], couette),
        ("Poiseuille, solved for", resolved(channel(SOLVED, 0.0, 1e-4)), [0.1, 0.25, 0.5], poiseuille),
    ];
    for (name, world, heights, moments) in cases {
        let mut simulation: S = world.make();
        for (time, expected) in moments {
            simulation.advance(time - simulation.time()).unwrap();
            for (height, expected) in heights.into_iter().zip(expected) {
                let error = (velocity_at(&simulation, world.settings.spacing, height * 1e-3) - expected) / 1.25e-5;
                println!("{name} at {time} s, {height} mm: error {error:.4} of the highest velocity");
                assert!(error.abs() < 0.02);
            }
        }
    }
}

/// Between plates that hold it fluid comes to shear evenly, from the velocity of one plate to that of the other, however it rubs.
pub(crate) fn plates_that_hold_drag_fluid_along_by_every_friction<S: Stepper>() {
    let plate_speed = 1.25e-5;
    for viscosity in [
        Viscosity::Xsph(Xsph { strength: 1.0 }),
        Viscosity::Morris(Morris { dynamic_viscosity: 1e-3 }),
        Viscosity::Central(Central { dynamic_viscosity: 1e-3 }),
        Viscosity::Laplacian(Laplacian { dynamic_viscosity: 1e-3 }),
        Viscosity::Implicit(ImplicitViscosity { dynamic_viscosity: 1e-3 }),
    ] {
        let mut world = channel(viscosity.clone(), plate_speed, 0.0);
        world.settings.step = StepSize::Fixed(1e-4);
        let mut simulation: S = world.make();
        simulation.advance(0.5).unwrap();
        for height in [0.1, 0.25, 0.5, 0.75, 0.9] {
            let share = velocity_at(&simulation, world.settings.spacing, height * 1e-3) / plate_speed;
            println!("{viscosity:?} at {height} mm: {share:.4} of the plate's velocity");
            assert!((share - height).abs() < 0.03);
        }
    }
}

/// How the run ends in which a plate drives water, three layers wide, against the side of a tank, or down onto its floor.
fn crush<S: Stepper>(pressure: &Pressure, goes_down: bool) -> StepError {
    let spacing = 0.05;
    let (cavity, water, corner, plate, way): (_, _, _, _, [f64; 3]) = match goes_down {
        true => ([6, 20, 0], [6, 3, 0], [0, 3, 0], [6, 2, 0], [0.0, -0.15, 0.0]),
        false => ([12, 20, 0], [3, 6, 0], [3, 0, 0], [2, 20, 0], [-0.15, 0.0, 0.0]),
    };
    let pressure = pressure.clone();
    let mut world = Tank { spacing, cavity, fluid: water, pressure, ..Tank::default() }.recipe();
    let position = lattice(spacing, corner, plate);
    // Its faces look to both sides; nobody is behind it.
    let middle =
        Vec3::new((2 * corner[0] + plate[0]) as Real, (2 * corner[1] + plate[1]) as Real, 0.0) * (0.5 * spacing);
    let out =
        |x: Vec3| if goes_down { Vec3::Y * (x.y - middle.y).signum() } else { Vec3::X * (x.x - middle.x).signum() };
    let to_surface = position.iter().map(|&x| out(x) * (0.5 * spacing)).collect();
    let keyframe = |time, translation| Keyframe { time, translation, rotation: None };
    let keyframes = vec![keyframe(0.0, [0.0; 3]), keyframe(0.3, way)];
    let path = Some(Path { keyframes, interpolation: Interpolation::Linear, repeat: false });
    world.add(NewWall { name: "plate".into(), position, to_surface, path, ..NewWall::default() });
    world.make::<S>().advance(0.3).unwrap_err()
}

pub(crate) fn who_crushes_matter_is_named<S: Stepper>() {
    for (pressure, goes_down) in super::worlds::incompressible().iter().flat_map(|p| [(p, true), (p, false)]) {
        let end = crush::<S>(pressure, goes_down);
        println!("{pressure:?}: {end}");
        assert!(end.to_string().contains("wall `plate` closes in on wall `tank`"), "{end}");
        assert!(matches!(&end, StepError::Diverged(diverged) if goes_down || diverged.time > 0.2), "{end}");
    }
}

pub(crate) fn a_wall_on_a_path_is_where_its_path_says_after_a_step_that_was_retried<S: Stepper>() {
    // Far too long a step: some are taken back.
    let mut world = Tank { step: StepSize::Fixed(0.02), ..Tank::default() }.recipe();
    let position = lattice(0.05, [2, 20, 2], [2, 1, 2]);
    let path = Some(way(1.0, 1.0, Interpolation::Smooth));
    let lid = world.add(NewWall { name: "lid".into(), position, path, ..NewWall::default() });
    let mut simulation: S = world.make();
    let mut tried = 0;
    while let Ok(report) = simulation.step() {
        tried = tried.max(report.tries);
        let particles = simulation.particles();
        let s = simulation.time();
        let share = s * s * s * (10.0 + s * (6.0 * s - 15.0));
        for i in (0..particles.len()).filter(|&i| particles.body[i] == lid) {
            assert!((f64::from(particles.position[i].x - particles.anchor[i].x) - share).abs() < 1e-6);
        }
        if s > 0.5 {
            break;
        }
    }
    assert!(tried > 1);
}
