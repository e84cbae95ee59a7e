//! Friction that is solved for, by hand and by what it must keep.

use super::*;
use crate::elasticity::Elastic;
use crate::measure::Totals;
use crate::pressure::{Iisph, Pressure};
use crate::real::{Dimension, wide};
use crate::response::Alone;
use crate::settings::Settings;
use crate::simulation::{Simulation, test_worlds::three_particles};
use crate::viscosity::Viscosity;
use crate::world::{NewBody, NewWall, Rigid};
use weight::PairWeight;

fn thick(dynamic_viscosity: Real) -> Viscosity {
    Viscosity::Implicit(ImplicitViscosity { dynamic_viscosity })
}

/// What a solve found in a step of `dt`, from these accelerations.
fn solved(simulation: &Simulation, dt: Real, acceleration: &[Vec3]) -> ViscousSolve {
    let (world, pairs) = (simulation.world(), simulation.pairs());
    let mut solve = ViscousSolve::new(pairs.kernel(), world.spacing);
    let step = StepContext { world, pairs, sound_speed: 1.0, dt };
    solve.find(&step, None, &mut Alone, acceleration);
    solve
}

/// Three particles of unequal volume, density and viscosity: forces are those of the formula at velocities that satisfy the equation.
#[test]
fn forces_are_those_worked_by_hand_at_the_velocities_that_they_lead_to() {
    let mut simulation = three_particles();
    for (k, material) in simulation.world_mut().materials.iter_mut().enumerate() {
        material.fluid.viscosity = thick(20.0 + 30.0 * k as Real);
    }
    let acceleration = vec![Vec3::new(0.0, -10.0, 1.0); 3];
    let (dt, particles) = (0.01, simulation.particles());
    let solve = solved(&simulation, dt, &acceleration);
    let kernel = *simulation.pairs().kernel();
    let weight = PairWeight::new(&kernel, simulation.world().spacing);
    let mu = |i: usize| 20.0 + 30.0 * particles.body[i] as Real;
    let velocity = |i: usize| system::vector(solve.moving[i]);
    let (mut total, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    for (i, acceleration) in acceleration.iter().enumerate() {
        let mut force = Vec3::ZERO;
        for j in (0..3).filter(|&j| j != i) {
            let x_ij = particles.position[i] - particles.position[j];
            let harmonic = 2.0 * mu(i) * mu(j) / (mu(i) + mu(j));
            let omega = weight.at(&kernel, x_ij.length());
            let along = (velocity(j) - velocity(i)).dot(x_ij) / x_ij.length_squared();
            force += particles.rest_volume[i] * particles.rest_volume[j] * harmonic * omega * along * x_ij;
        }
        let found = solve.push()[i] * particles.mass(i);
        assert!((found - force).length() < 1e-5 * force.length(), "{i}: {found} {force}");
        let after = simulation.world().motion(dt).velocity(simulation.world(), i, acceleration + solve.push()[i]);
        assert!((after - velocity(i)).length() < 2e-3, "{i}: {after} {}", velocity(i));
        total += found;
        torque += particles.position[i].cross(found);
    }
    let scale = (solve.push()[0] * particles.mass(0)).length();
    assert!(total.length() < 1e-5 * scale && torque.length() < 1e-6 * scale, "{total} {torque}");
    assert!(solve.iterations() > 0);
}

/// A block of fluid in the plane, 9 particles along each side, the middle one at the origin, that moves like this.
fn block(viscosity: Real, velocity: impl Fn(Vec3) -> Vec3) -> Simulation {
    let settings = Settings { spacing: 0.1, dimension: Dimension::Two, gravity: Vec3::ZERO, ..Settings::default() };
    let mut material = Material::default();
    material.fluid.viscosity = thick(viscosity);
    let mut simulation = Simulation::new(settings, vec![material]).unwrap();
    let position: Vec<_> =
        (0..81).map(|k| 0.1 * Vec3::new((k % 9) as Real - 4.0, (k / 9) as Real - 4.0, 0.0)).collect();
    let velocity = position.iter().map(|&x| velocity(x)).collect();
    simulation.add_body(NewBody { name: "block".into(), position, velocity, ..NewBody::default() }).unwrap();
    simulation.prepare().unwrap();
    simulation
}

#[test]
fn rotation_and_translation_are_not_braked() {
    let largest = |simulation: &Simulation| {
        let none = vec![Vec3::ZERO; 81];
        solved(simulation, 0.01, &none).push().iter().map(|a| a.length()).fold(0.0, Real::max)
    };
    let turning = largest(&block(100.0, |x| Vec3::new(3.0 - 2.0 * x.y, 2.0 * x.x, 0.0)));
    let sheared = largest(&block(100.0, |x| Vec3::new(3.0 - 2.0 * x.y, 0.0, 0.0)));
    assert!(turning < 1e-4 * sheared, "{turning} {sheared}");
}

/// However thick the fluid: the thicker, the less a step leaves of a shear; momentum is what it was.
#[test]
fn the_thicker_the_sooner_shear_is_gone() {
    let mut last = f64::INFINITY;
    for viscosity in [1.0, 1e2, 1e4, 1e6] {
        let simulation = block(viscosity, |x| Vec3::new(x.y * x.y * x.y, 0.0, 0.0));
        let solve = solved(&simulation, 0.01, &[Vec3::ZERO; 81]);
        let (world, particles) = (simulation.world(), simulation.particles());
        let after = |i: usize| world.motion(0.01).velocity(world, i, solve.push()[i]);
        let energy: f64 = (0..81).map(|i| f64::from(after(i).length_squared() * particles.mass(i))).sum();
        let given = |i: usize| wide(solve.push()[i]) * f64::from(particles.mass(i));
        let momentum = (0..81).map(given).sum::<glam::DVec3>();
        let scale: f64 = (0..81).map(|i| given(i).length()).sum();
        println!("{viscosity} Pa s: {energy} J, {} iterations", solve.iterations());
        assert!(energy < last, "{viscosity}: {last} J, then {energy} J");
        assert!(momentum.length() < 1e-6 * scale, "{momentum} {scale}");
        last = energy;
    }
}

/// What walls get is what fluid loses.
#[test]
fn walls_receive_what_fluid_loses() {
    let mut simulation = block(50.0, |_| Vec3::X);
    let position: Vec<_> =
        (0..14).map(|k| 0.1 * Vec3::new((k % 7) as Real - 3.0, -5.0 - (k / 7) as Real, 0.0)).collect();
    let to_surface = position.iter().map(|x| Vec3::new(0.0, -0.45 - x.y, 0.0)).collect();
    let floor = NewWall { name: "floor".into(), position, to_surface, no_slip: true, ..NewWall::default() };
    simulation.add_wall(floor).unwrap();
    simulation.prepare().unwrap();
    let solve = solved(&simulation, 0.01, &[Vec3::ZERO; 81]);
    let mut on_walls = vec![Vec3::ZERO; 14];
    let step = StepContext { world: simulation.world(), pairs: simulation.pairs(), sound_speed: 1.0, dt: 0.01 };
    solve.add_wall_forces(&step, &mut on_walls);
    let given: Vec3 = on_walls.iter().sum();
    let lost = (0..81).fold(Vec3::ZERO, |sum, i| sum + solve.push()[i] * simulation.particles().mass(i));
    assert!(given.x > 10.0 && (given + lost).length() < 1e-4 * given.length(), "{given} {lost}");
}

/// A block of honey with a body in it that moves on: it takes the honey along, and all that both have is what it had.
fn stuck_in_honey(material: Material) -> (Simulation, usize) {
    let pressure = Pressure::Iisph(Iisph::default());
    let settings = Settings { spacing: 0.1, gravity: Vec3::ZERO, pressure, ..Settings::default() };
    let mut honey = Material::default();
    honey.fluid.viscosity = thick(500.0);
    let mut simulation = Simulation::new(settings, vec![honey, material]).unwrap();
    let cell = |k: usize| 0.1 * Vec3::new((k % 9) as Real, (k / 9 % 9) as Real, (k / 81) as Real);
    let (inside, outside): (Vec<_>, Vec<_>) =
        (0..729).map(cell).partition(|x| (*x - Vec3::splat(0.4)).abs().max_element() < 0.15);
    let count = inside.len();
    let velocity = inside.iter().map(|x| Vec3::new(1.0 - x.y, x.x, 0.2)).collect();
    let body = NewBody { name: "body".into(), material: 1, position: inside, velocity, ..NewBody::default() };
    simulation.add_body(body).unwrap();
    simulation.add_body(NewBody { name: "honey".into(), position: outside, ..NewBody::default() }).unwrap();
    simulation.prepare().unwrap();
    (simulation, count)
}

#[test]
fn bodies_move_in_the_same_solve_and_momentum_is_kept() {
    let rigid = Material { rigid: Some(Rigid::default()), density: 300.0, ..Material::default() };
    let implicit = Elastic::Implicit(crate::elasticity::Implicit { young_modulus: Some(1e6), ..Default::default() });
    let jelly = Material { elastic: Some(implicit), ..Material::default() };
    for (name, material) in [("rigid", rigid), ("elastic", jelly)] {
        let (mut simulation, count) = stuck_in_honey(material);
        let before = Totals::of(&simulation, None);
        let mut iterations = 0;
        let mut last = f64::INFINITY;
        while simulation.time() < 0.19 {
            iterations += simulation.step_until(0.2).unwrap().viscous_iterations;
            let kinetic = Totals::of(&simulation, None).kinetic;
            assert!(kinetic <= 1.001 * last, "{name}: {last} J, then {kinetic} J");
            last = kinetic;
        }
        let after = Totals::of(&simulation, None);
        let particles = simulation.particles();
        let mean = |range: std::ops::Range<usize>| {
            let all = range.len() as Real;
            range.map(|i| particles.velocity[i]).sum::<Vec3>() / all
        };
        let (body, honey) = (mean(0..count), mean(count..729));
        let drift = (after.momentum - before.momentum).length() / before.momentum_scale;
        let turn = (after.angular_momentum - before.angular_momentum).length() / before.angular_momentum.length();
        println!(
            "{name}: body {body}, honey {honey}, momentum {drift:.1e}, angular momentum {turn:.1e}, {iterations} iterations"
        );
        assert!(drift < 1e-5, "{name}: {drift}");
        assert!((body - honey).length() < 0.05, "{name}: {body} {honey}");
        assert!(turn < 1e-3, "{name}: {turn}");
    }
}
