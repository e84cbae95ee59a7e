//! The same bits whatever the threads, the instructions and the interruptions.

use thixo_sim::{
    DensityMethod, InstructionSet, Interpolation, Keyframe, NewWall, Path, Pressure, Rotation, Simulation, StepSize,
    Vec3, Wcsph,
};

use crate::worlds::{Tank, fingerprint, incompressible, jellies, lattice};

fn dam() -> Simulation {
    dam_under(Wcsph::default())
}

fn dam_under(wcsph: Wcsph) -> Simulation {
    dam_with(Pressure::Wcsph(wcsph))
}

fn dam_with(pressure: Pressure) -> Simulation {
    Tank { cavity: [24, 14, 8], fluid: [10, 12, 8], pressure, ..Tank::default() }.build()
}

#[test]
fn any_thread_count_gives_the_same_bits() {
    any_thread_count_gives_the_same(dam);
}

#[test]
fn any_thread_count_gives_the_same_bits_of_elastic_bodies() {
    any_thread_count_gives_the_same(jellies);
}

fn any_thread_count_gives_the_same(world: impl Fn() -> Simulation + Sync) {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = world();
            simulation.advance(0.3).unwrap();
            assert!(simulation.steps() > 110, "long enough to be sorted anew");
            fingerprint(&simulation)
        })
    };
    let alone = run(1);
    for threads in [2, 3, 5] {
        assert_eq!(run(threads), alone, "{threads} threads");
    }
}

#[test]
fn any_thread_count_gives_the_same_bits_to_solvers_that_iterate() {
    for pressure in incompressible() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut simulation = dam_with(pressure.clone());
                (0..30).for_each(|_| assert!(simulation.step().unwrap().iterations > 0));
                fingerprint(&simulation)
            })
        };
        assert_eq!(run(1), run(3), "{pressure:?}");
    }
}

/// Pressures are where the next step starts: they are remembered.
#[test]
fn restarted_run_with_a_solver_that_iterates_equals_unbroken_run() {
    for pressure in incompressible() {
        let dam = || dam_with(pressure.clone());
        let mut unbroken = dam();
        for _ in 0..95 {
            unbroken.step().unwrap();
        }
        let mut restarted = dam();
        restarted.restore(unbroken.snapshot()).unwrap();
        for _ in 0..12 {
            unbroken.step().unwrap();
            restarted.step().unwrap();
        }
        assert_eq!(fingerprint(&restarted), fingerprint(&unbroken), "{pressure:?}");
        let mut forgetful = dam();
        let mut snapshot = unbroken.snapshot();
        snapshot.particles.pressure.fill(0.0);
        forgetful.restore(snapshot).unwrap();
        unbroken.step().unwrap();
        forgetful.step().unwrap();
        assert_ne!(fingerprint(&forgetful), fingerprint(&unbroken), "{pressure:?} starts from its pressures");
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let run = |world: fn() -> Simulation, set: InstructionSet| {
        let mut simulation = world();
        simulation.set_instruction_set(set);
        simulation.advance(0.1).unwrap();
        fingerprint(&simulation)
    };
    let sets: Vec<_> = InstructionSet::ALL.into_iter().filter(|set| set.is_available()).collect();
    println!("instruction sets of this machine: {sets:?}");
    for world in [dam as fn() -> Simulation, jellies] {
        assert!(sets.windows(2).all(|pair| run(world, pair[0]) == run(world, pair[1])));
    }
}

#[test]
fn restarted_run_equals_unbroken_run() {
    restarted_run_equals_unbroken(dam);
}

/// Bonds are found anew from the undeformed shapes.
#[test]
fn restarted_run_of_elastic_bodies_equals_unbroken_run() {
    restarted_run_equals_unbroken(jellies);
}

/// Densities by the continuity equation are remembered, not found anew.
#[test]
fn restarted_run_with_carried_densities_equals_unbroken_run() {
    restarted_run_equals_unbroken(|| dam_under(Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() }));
}

/// A wall that turns and moves, and a field, are functions of time alone.
#[test]
fn restarted_run_with_a_moving_wall_equals_unbroken_run() {
    restarted_run_equals_unbroken(|| {
        let mut simulation = dam();
        let position = lattice(0.05, [20, 0, 2], [1, 6, 4]);
        let to_surface = vec![Vec3::X * -0.025; position.len()];
        let turned = |time: f64, x: f64, angle: f64| Keyframe {
            time,
            translation: [x, 0.0, 0.0],
            rotation: Some(Rotation { angle, centre: [1.0, 0.0, 0.0], axis: [0.0, 0.0, 1.0] }),
        };
        let keyframes = vec![turned(0.0, 0.0, 0.0), turned(0.4, -0.1, 0.5), turned(0.9, 0.0, 0.0)];
        let path = Some(Path { keyframes, interpolation: Interpolation::Smooth, repeat: true });
        let paddle = NewWall { name: "paddle".into(), position, to_surface, path, no_slip: true, ..NewWall::default() };
        simulation.add_wall(paddle).unwrap();
        simulation
    });
}

fn restarted_run_equals_unbroken(dam: impl Fn() -> Simulation) {
    let mut unbroken = dam();
    for step in 0..260 {
        if [0, 1, 57, 100, 203].contains(&step) {
            let mut restarted = dam();
            restarted.restore(unbroken.snapshot()).unwrap();
            let mut reference = dam();
            reference.restore(unbroken.snapshot()).unwrap();
            // One goes on with the memory of a fresh simulation, the other is the unbroken run itself.
            for _ in 0..30 {
                restarted.step().unwrap();
            }
            let mark = unbroken.snapshot();
            for _ in 0..30 {
                unbroken.step().unwrap();
            }
            assert_eq!(fingerprint(&restarted), fingerprint(&unbroken), "from step {step}");
            unbroken.restore(mark).unwrap();
        }
        unbroken.step().unwrap();
    }
}

#[test]
fn a_diverging_step_is_taken_back_and_retried_smaller() {
    // 30 times the stable step: the impact cannot be computed with it.
    let mut simulation = Tank { step: StepSize::Fixed(0.02), ..Tank::default() }.build();
    let mut retried = false;
    for _ in 0..400 {
        match simulation.step() {
            Ok(report) => retried |= report.tries > 1,
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.contains("water") && message.contains("wcsph") && message.contains("time.step"),
                    "{message}"
                );
                break;
            }
        }
        let particles = simulation.particles();
        assert!(particles.position.iter().chain(&particles.velocity).all(|v| v.is_finite()));
        assert!(particles.pressure.iter().all(|p| p.is_finite()));
    }
    assert!(retried);
}
