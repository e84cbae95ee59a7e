//! The matrix of small displacements, and steps that solve with it.

use super::*;
use crate::elasticity::ImplicitScheme::{BackwardEuler, SecondOrder};
use crate::elasticity::implicit::ImplicitElasticity;

/// The longest stable step on a lattice is known: 1.08 d/c with corrected gradients, 1.83 d/c without (measured by steps
/// that do and do not explode).
#[test]
fn the_fastest_oscillation_is_that_of_a_lattice() {
    let corrected = model!(StVenantKirchhoff, StVenantKirchhoff { zero_energy_control: 0.0 });
    for (elastic, known) in [(corrected, 1.08), (model!(Sph, PlainSph {}), 1.83)] {
        let block = Block { undeformed: shape([9, 9, 9], 0.0), unequal: 0.0, ..Block::new(&elastic) };
        let simulation = block.deformed(|x| x);
        let longest = 2.0 / simulation.world().solids.fastest;
        let found = longest * elastic.sound_speed(1000.0) / SPACING;
        println!("2/ω = {found:.3} d/c");
        assert!((found / known - 1.0).abs() < 0.1, "{found} {known}");
    }
}

/// K p by displacements, of a block at rest.
fn stiffness_times(simulation: &Simulation, displacement: &[Vec3]) -> Vec<Vec3> {
    let rows: Vec<_> = displacement.iter().map(|&p| row(p, 0.0)).collect();
    linear_forces(simulation, |_| Mat3::IDENTITY, &rows).into_iter().map(|f| -f).collect()
}

#[test]
fn the_matrix_is_symmetric_and_its_blocks_are_known() {
    let simulation = Block::new(&implicit()).deformed(|x| x);
    let world = simulation.world();
    let count = world.solids.len();
    let (p, q): (Vec<_>, Vec<_>) = (0..count).map(|i| (random_vector(i), random_vector(i + 7000))).unzip();
    let dot = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(&a, &b)| wide(a).dot(wide(b))).sum::<f64>();
    let (kp, kq) = (stiffness_times(&simulation, &p), stiffness_times(&simulation, &q));
    assert!((dot(&p, &kq) - dot(&q, &kp)).abs() < f64::from(EXACT) * dot(&p, &kp));
    assert!(dot(&p, &kp) > 0.0);
    for i in [0, 21, 55] {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let mut unit = vec![Vec3::ZERO; count];
            unit[i] = axis;
            let found = stiffness_times(&simulation, &unit)[i] / world.particles.rest_volume[i];
            let expected = world.solids.sites[i].stiffness * axis;
            assert!((found - expected).length() < EXACT * expected.length(), "{found} {expected}");
        }
    }
}

/// The velocities that a step of backward Euler ends with solve the equation they should.
#[test]
fn implicit_steps_solve_their_equation() {
    let elastic =
        model!(Implicit, Implicit { tolerance: 1e-5, velocity_error: 0.0, damping: 2e-3, scheme: BackwardEuler });
    solves_its_equation(&Block::new(&elastic), 5e-3, 3..100, 2e-3);
}

/// The same where steps are so long that a coarse mesh helps: without it, twice as many iterations.
#[test]
fn meshes_shorten_the_solve_and_change_nothing_else() {
    let elastic =
        model!(Implicit, Implicit { tolerance: 1e-5, velocity_error: 0.0, damping: 2e-3, scheme: BackwardEuler });
    solves_its_equation(&Block { undeformed: shape([20, 4, 4], 0.2), ..Block::new(&elastic) }, 0.03, 3..60, 2e-3);
}

/// And for sheets, and worlds with two dimensions, of which every eight particles are turned one by one. (So strained, they
/// get back more of their momenta, which changes the solution by as much.)
#[test]
fn thin_bodies_solve_their_equation_too() {
    let elastic =
        model!(Implicit, Implicit { tolerance: 1e-5, velocity_error: 0.0, damping: 2e-3, scheme: BackwardEuler });
    let sheet = Block { undeformed: shape([7, 6, 1], 0.2), ..Block::new(&elastic) };
    solves_its_equation(&sheet, 5e-3, 3..100, 0.01);
    solves_its_equation(&Block { dimension: Dimension::Two, ..sheet }, 5e-3, 3..100, 0.01);
}

pub(super) fn solves_its_equation(block: &Block, dt: Real, iterations: std::ops::Range<u32>, share: Real) {
    let mut simulation = block.deformed(bend);
    let lead = dt + 2e-3;
    let start: Vec<_> = simulation.world().kinds.matter().map(|i| random_vector(i + 31)).collect();
    simulation.world_mut().particles.velocity.copy_from_slice(&start);
    let external = Vec3::new(1.0, -9.81, 0.0);
    let (world, pairs) = (simulation.world(), simulation.pairs());
    let mut acceleration = vec![external; world.kinds.matter().len()];
    let mut solver = ImplicitElasticity::default();
    solver.add(&StepContext { world, pairs, sound_speed: 1.0, dt }, &[], &mut acceleration);
    println!("{} iterations", solver.iterations());
    assert!(iterations.contains(&solver.iterations()));
    let extent = |i: usize| world.solids.sites[i].extent;
    let turned = deformations(&simulation).into_iter().enumerate().map(|(i, f)| rotation_in(f, extent(i)));
    let rotations: Vec<_> = turned.collect();
    let velocity: Vec<_> = world.kinds.matter().map(|i| row((start[i] + dt * acceleration[i]) * lead, 0.0)).collect();
    let change = linear_forces(&simulation, |i| rotations[i], &velocity);
    let now = forces(&block.deformed(bend));
    let mass = |i: usize| world.particles.mass(i);
    let left: Vec<_> = (0..start.len()).map(|i| (acceleration[i] - external) * mass(i) - now[i] - change[i]).collect();
    assert!(largest(&left) < share * largest(&now), "{} {}", largest(&left), largest(&now));
}

/// And those of second order: the formula as it is printed in its file, with rotations in the middle of the step and a θ between.
#[test]
fn steps_of_second_order_solve_their_equation() {
    let elastic =
        model!(Implicit, Implicit { tolerance: 1e-5, velocity_error: 0.0, damping: 2e-3, scheme: SecondOrder });
    let block = Block::new(&elastic);
    let mut simulation = block.deformed(bend);
    let (dt, damping): (Real, Real) = (5e-3, 2e-3);
    let start: Vec<_> = simulation.world().kinds.matter().map(|i| random_vector(i + 31)).collect();
    let count = start.len();
    // The block is as bent in the middle of the step; it begins where these velocities come from.
    let now = forces(&simulation);
    let rotations: Vec<_> = deformations(&simulation).into_iter().map(|f| rotation_in(f, Extent::Volume)).collect();
    for theta in [0.5, 0.7, 1.0] {
        let world = simulation.world_mut();
        world.memory.vibrations = vec![Vibration { implicitness: theta, ..Vibration::default() }];
        world.particles.velocity.copy_from_slice(&start);
        world.particles.remainder.iter_mut().zip(&start).for_each(|(remainder, v)| *remainder = -0.5 * dt * *v);
        let external = Vec3::new(1.0, -9.81, 0.0);
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let mut acceleration = vec![external; count];
        let mut solver = ImplicitElasticity::default();
        solver.add(&StepContext { world, pairs, sound_speed: 1.0, dt }, &[], &mut acceleration);
        // While a step is made, (w − v)/Δt stands for what accelerates.
        let moves = |i: usize| start[i] + dt * acceleration[i];
        let from_middle = |i: usize| row((theta * dt + damping) * moves(i) - 0.5 * dt * start[i], 0.0);
        let change = linear_forces(&simulation, |i| rotations[i], &(0..count).map(from_middle).collect::<Vec<_>>());
        let mass = |i: usize| world.particles.mass(i);
        let missing = |i: usize| (acceleration[i] / theta - external) * mass(i) - now[i] - change[i];
        let left: Vec<_> = (0..count).map(missing).collect();
        println!("{theta}: {} of {} N", largest(&left), largest(&now));
        assert!(largest(&left) < 4e-3 * largest(&now), "{theta}: {} {}", largest(&left), largest(&now));
    }
}

#[test]
fn implicit_steps_conserve_momenta_however_early_they_end() {
    // Angular momentum is that of positions (1 − θ) of a step ahead.
    for (scheme, ahead) in [(BackwardEuler, 0.0), (SecondOrder, 0.5)] {
        let elastic = model!(Implicit, Implicit { tolerance: 0.5, scheme: scheme });
        let mut simulation = Block::new(&elastic).deformed(bend);
        let start: Vec<_> = simulation.world().kinds.matter().map(|i| random_vector(i) * 0.5 + Vec3::X).collect();
        simulation.world_mut().particles.velocity.copy_from_slice(&start);
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let mut acceleration = vec![Vec3::ZERO; world.kinds.matter().len()];
        let mut solver = ImplicitElasticity::default();
        let dt = 5e-3;
        solver.add(&StepContext { world, pairs, sound_speed: 1.0, dt }, &[], &mut acceleration);
        let (mut force, mut torque, mut scale) = (glam::DVec3::ZERO, glam::DVec3::ZERO, 0.0);
        for (i, &a) in acceleration.iter().enumerate() {
            let own = wide(a) * f64::from(world.particles.mass(i));
            force += own;
            torque += (wide(world.particles.position[i]) + wide(start[i] * (ahead * dt))).cross(own);
            scale += own.length();
        }
        assert!(force.length() < f64::from(EXACT) * scale, "{force} {scale}");
        assert!(torque.length() < f64::from(EXACT) * scale * 0.5, "{torque} {scale}");
    }
}

/// Accelerations of a few particles after the first solve are taken up by all of them: momentum is what was given, the
/// equation is solved with them among the external ones, and these particles move less than they would alone.
#[test]
fn implicit_bodies_respond_to_surface_accelerations_as_a_whole() {
    let elastic = model!(Implicit, Implicit { tolerance: 1e-5, velocity_error: 0.0, scheme: BackwardEuler });
    let simulation = Block::new(&elastic).deformed(|x| x);
    let (world, pairs, dt) = (simulation.world(), simulation.pairs(), 5e-3);
    let step = StepContext { world, pairs, sound_speed: 1.0, dt };
    let mut acceleration = vec![Vec3::ZERO; world.kinds.matter().len()];
    let mut solver = ImplicitElasticity::default();
    solver.add(&step, &[], &mut acceleration);
    let before = acceleration.clone();
    let mut added = vec![Vec3::ZERO; world.kinds.matter().len()];
    (added[3], added[40]) = (Vec3::new(50.0, 20.0, 0.0), Vec3::new(0.0, 0.0, -30.0));
    acceleration.iter_mut().zip(&added).for_each(|(a, added)| *a += *added);
    solver.answer(&step, &added, &mut acceleration);
    let mass = |i: usize| f64::from(world.particles.mass(i));
    let total = |column: &[Vec3]| -> glam::DVec3 { (0..column.len()).map(|i| wide(column[i]) * mass(i)).sum() };
    let change: Vec<_> = acceleration.iter().zip(&before).map(|(after, before)| *after - *before).collect();
    assert!((total(&change) - total(&added)).length() < f64::from(EXACT) * total(&added).length());
    let along = |column: &[Vec3]| (0..added.len()).map(|i| wide(added[i]).dot(wide(column[i])) * mass(i)).sum::<f64>();
    let share = along(&change) / along(&added);
    println!("accelerated particles move by {share:.3} of what they would alone");
    assert!(share > 0.0 && share < 0.3, "{share}");
    // M a = M added + f(Δt² a).
    let displacement: Vec<_> = change.iter().map(|&a| row(a * (dt * dt), 0.0)).collect();
    let force = linear_forces(&simulation, |_| Mat3::IDENTITY, &displacement);
    let left: Vec<_> = (0..added.len()).map(|i| (change[i] - added[i]) * world.particles.mass(i) - force[i]).collect();
    assert!(largest(&left) < 1e-3 * largest(&added) * world.particles.mass(3), "{}", largest(&left));
    // Nothing added any more: as before, and as it is from then on.
    solver.answer(&step, &vec![Vec3::ZERO; added.len()], &mut acceleration);
    let left: Vec<_> = acceleration.iter().zip(&before).map(|(after, before)| *after - *before).collect();
    assert!(largest(&left) < 1e-3 * largest(&change), "{}", largest(&left));
    let rested = acceleration.clone();
    solver.answer(&step, &vec![Vec3::ZERO; added.len()], &mut acceleration);
    assert_eq!(acceleration, rested);
}
