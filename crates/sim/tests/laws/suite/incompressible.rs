//! Solvers that find pressures by iteration: they keep their bounds, and nothing that is thrown at them breaks them.

use thixo_sim::{
    Dfsph, Iisph, Material, NewBody, NewWall, PairPressure, Pcisph, Pressure, Real, Settings, StepError, StepSize,
    Vec3, WallMotion, Wcsph,
};

use super::worlds::{Tank, incompressible, lattice, shell};
use super::{Change, Recipe, Run, Stepper};

/// Every number is finite after every step; a run that stops says why.
fn survives<S: Stepper>(simulation: &mut S, steps: usize) -> Option<StepError> {
    for _ in 0..steps {
        if let Err(error) = simulation.step() {
            return Some(error);
        }
        let particles = simulation.particles();
        assert!(particles.position.iter().chain(&particles.velocity).all(|v| v.is_finite()));
        assert!(particles.pressure.iter().all(|p| p.is_finite()));
    }
    None
}

pub(crate) fn a_collapsing_column_keeps_its_density<S: Stepper>() {
    for pressure in incompressible() {
        let mut simulation: S =
            Tank { cavity: [24, 14, 6], fluid: [10, 12, 6], pressure: pressure.clone(), ..Tank::default() }.make();
        let (mut mean, mut worst, mut iterations) = (0.0, 0.0_f64, 0);
        let end = 0.6;
        while simulation.time() < end {
            let report = simulation.step_until(end).unwrap();
            mean += report.density_error;
            worst = worst.max(report.worst_density_error);
            iterations += report.iterations;
        }
        let steps = simulation.steps() as f64;
        println!(
            "{pressure:?}: {steps} steps, {:.1} iterations, mean {:.2e}, worst {worst:.2e}",
            f64::from(iterations) / steps,
            mean / steps
        );
        match pressure {
            Pressure::Pcisph(Pcisph { density_error, .. }) => assert!(worst < 3.0 * f64::from(density_error)),
            Pressure::Iisph(Iisph { density_error, .. }) | Pressure::Dfsph(Dfsph { density_error, .. }) => {
                assert!(mean / steps < f64::from(density_error));
            }
            _ => unreachable!(),
        }
    }
}

/// Water that hits the floor is stopped by pressures, ρ v h/Δt at the floor, whichever solve of a step finds them: DFSPH's
/// first finds nearly all.
pub(crate) fn pressures_are_those_of_all_solves_of_a_step<S: Stepper>() {
    let mean = |pressure: Pressure| {
        let settings = Settings { spacing: 0.05, step: StepSize::Fixed(1e-3), pressure, ..Settings::default() };
        let mut world = Recipe::new(settings, vec![Material::default()]);
        let (position, to_surface) = shell(0.05, [8, 14, 8], 1);
        world.add(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() });
        let position = lattice(0.05, [0, 0, 0], [8, 8, 8]);
        let velocity = vec![-Vec3::Y; position.len()];
        world.add(NewBody { name: "block".into(), position, velocity, ..NewBody::default() });
        let mut simulation: S = world.make();
        simulation.step().unwrap();
        let pressures = &simulation.particles().pressure[simulation.matter()];
        pressures.iter().map(|&p| f64::from(p)).sum::<f64>() / pressures.len() as f64
    };
    // Half of what it is at the floor.
    let by_hand = 0.5 * 1000.0 * 1.0 * 0.4 / 1e-3;
    for pressure in incompressible() {
        let found = mean(pressure.clone());
        println!("{pressure:?}: {found:.0} Pa, by hand {by_hand:.0}");
        assert!((found / by_hand - 1.0).abs() < 0.1, "{pressure:?}: {found} {by_hand}");
    }
}

pub(crate) fn water_at_rest_stays_and_carries_its_weight<S: Stepper>() {
    for pressure in incompressible() {
        let tank = Tank { cavity: [16, 22, 0], fluid: [16, 16, 0], pressure: pressure.clone(), ..Tank::default() };
        let mut simulation: S = tank.make();
        simulation.advance(1.0).unwrap();
        let (mut difference, mut scale, mut samples) = (0.0, 0.0, 0);
        while simulation.time() < 1.3 {
            simulation.step_until(1.3).unwrap();
            samples += 1;
            let particles = simulation.particles();
            for i in simulation.matter() {
                let expected = 9810.0 * (0.8 - f64::from(particles.position[i].y)).max(0.0);
                difference += f64::from(particles.pressure[i]) - expected;
                scale += expected;
            }
        }
        let totals = simulation.totals();
        let speed = (2.0 * totals.kinetic / totals.mass).sqrt();
        println!("{pressure:?}: {samples} samples, error {:.4}, speed {speed:.4}", difference / scale);
        assert!((difference / scale).abs() < 0.05 && speed < 0.02 * (9.81_f64 * 0.8).sqrt());
    }
}

pub(crate) fn momentum_is_conserved_without_walls<S: Stepper>() {
    for pressure in incompressible() {
        let settings =
            Settings { spacing: 0.05, gravity: Vec3::ZERO, pressure: pressure.clone(), ..Settings::default() };
        let materials = [1000.0, 100.0].map(|density| Material { density, ..Material::default() });
        let mut world = Recipe::new(settings, materials.to_vec());
        for (material, corner, speed) in [(0, [-6, 0, 0], 1.0), (1, [0, 1, 1], -1.0)] {
            let position = lattice(0.05, corner, [6, 6, 6]);
            let velocity = vec![Vec3::X * speed; position.len()];
            let name = format!("block {material}");
            world.add(NewBody { name, material, position, velocity, ..NewBody::default() });
        }
        let mut simulation: S = world.make();
        let before = simulation.totals();
        simulation.advance(0.1).unwrap();
        let after = simulation.totals();
        let change = (after.momentum - before.momentum).length() / before.momentum_scale;
        assert!(change < 1e-5 * S::ROUNDING, "{pressure:?}: {change:.2e}");
        let kept = after.kinetic / before.kinetic;
        assert!(kept < 1.0, "{pressure:?}: an impact of incompressible matter takes energy, but {kept} is left");
    }
}

/// A heavy fluid under a light one, at rest.
pub(crate) fn layers_of_any_density_ratio_stay_at_rest<S: Stepper>() {
    for pressure in incompressible() {
        for light in [500.0, 100.0, 10.0] {
            let settings = Settings { spacing: 0.05, pressure: pressure.clone(), ..Settings::default() };
            let materials = [1000.0, light].map(|density| Material { density, ..Material::default() });
            let mut world = Recipe::new(settings, materials.to_vec());
            for (material, corner) in [(0, [0, 0, 0]), (1, [0, 5, 0])] {
                let position = lattice(0.05, corner, [6, 5, 6]);
                let name = format!("layer {material}");
                world.add(NewBody { name, material, position, ..NewBody::default() });
            }
            let (position, to_surface) = shell(0.05, [6, 14, 6], 1);
            world.add(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() });
            let mut simulation: S = world.make();
            simulation.advance(0.4).unwrap();
            let particles = simulation.particles();
            let top = |body: u32, sign: Real| {
                let of_body = simulation.matter().filter(|&i| particles.body[i] == body);
                of_body.map(|i| sign * particles.position[i].y).fold(Real::MIN, Real::max)
            };
            let gap = (-top(1, -1.0) - top(0, 1.0)) / 0.05;
            let worst = simulation.totals().worst_density_error;
            println!("{pressure:?} 1000:{light}: gap {gap:.3} spacings, worst {worst:.4}");
            assert!((0.8..1.2).contains(&gap) && worst < 0.03, "{pressure:?} 1000:{light}: {gap} {worst}");
        }
    }
}

/// Heavy fluid on light fluid, 20:1: they change places, and nothing gains energy on the way, least of all the light fluid
/// that is caught between walls and heavy fluid.
pub(crate) fn fluids_that_change_places_gain_no_energy<S: Stepper>() {
    let pair_pressure = PairPressure::DensityWeighted;
    let solvers = [
        Pressure::Iisph(Iisph { pair_pressure, ..Iisph::default() }),
        Pressure::Dfsph(Dfsph { pair_pressure, ..Dfsph::default() }),
    ];
    // Several times, each with its own eddies: bursts are rare.
    for (pressure, heavy) in
        solvers.iter().flat_map(|solver| [1996.0, 2000.0, 2002.0, 2012.0].map(|heavy| (solver, heavy)))
    {
        let settings = Settings { spacing: 0.05, pressure: pressure.clone(), ..Settings::default() };
        let materials = [heavy, 100.0].map(|density| Material { density, ..Material::default() });
        let mut world = Recipe::new(settings, materials.to_vec());
        // Not level, or they would stay for long.
        let is_light = |x: &Vec3| x.y < if x.x < 0.2 { 0.35 } else { 0.25 };
        let (light, heavy) = lattice(0.05, [0, 0, 0], [8, 12, 6]).into_iter().partition::<Vec<_>, _>(is_light);
        for (material, position) in [(1, light), (0, heavy)] {
            let name = format!("fluid {material}");
            world.add(NewBody { name, material, position, ..NewBody::default() });
        }
        let (position, to_surface) = shell(0.05, [8, 14, 6], 1);
        world.add(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() });
        let mut simulation: S = world.prepared();
        let height = |simulation: &S| simulation.totals().potential;
        // What is set free when all of the heavy fluid is below.
        let (start, free) = (height(&simulation), 1900.0 * 9.81 * 0.4 * 0.3 * 0.3 * 0.3);
        let mut most = f64::MIN;
        while simulation.time() < 1.0 {
            simulation.step_until(1.0).unwrap();
            most = most.max(simulation.totals().energy() - start);
        }
        let fallen = start - height(&simulation);
        println!("{pressure:?}: {most:.2} J gained, {fallen:.1} J fallen");
        assert!(most < 0.02 * fallen && fallen > 0.3 * free, "{pressure:?}: {most} {fallen} {free}");
    }
}

pub(crate) fn abuse_is_survived_or_diagnosed<S: Stepper>() {
    for pressure in incompressible().into_iter().chain([Pressure::Wcsph(Wcsph::default())]) {
        // Water that hits a wall at 45 m/s: a million pascals.
        let tank = Tank { cavity: [16, 8, 6], fluid: [1, 1, 1], pressure: pressure.clone(), ..Tank::default() };
        let mut simulation: S = tank.make();
        let position = lattice(0.05, [2, 1, 0], [6, 6, 6]);
        let velocity = vec![Vec3::X * 45.0; position.len()];
        simulation.add(NewBody { name: "jet".into(), position, velocity, ..NewBody::default() });
        let story = survives(&mut simulation, 60);
        assert!(story.is_none(), "{pressure:?}: {story:?}");

        // A closed box with more water than it holds.
        let full = Tank { cavity: [6, 6, 6], fluid: [6, 6, 6], pressure: pressure.clone(), ..Tank::default() };
        let mut simulation: S = full.make();
        let position = lattice(0.05, [2, 2, 2], [2, 2, 2]).iter().map(|x| *x + Vec3::splat(0.025)).collect();
        simulation.add(NewBody { name: "too much".into(), position, ..NewBody::default() });
        let story = survives(&mut simulation, 30);
        println!("overfilled, {pressure:?}: {story:?}");

        // One particle alone, and many at one point.
        let tank = Tank { cavity: [6, 6, 6], fluid: [1, 1, 1], pressure: pressure.clone(), ..Tank::default() };
        assert!(survives(&mut tank.make::<S>(), 60).is_none());
        let mut simulation: S = tank.make();
        let position = vec![Vec3::splat(0.15); 50];
        simulation.add(NewBody { name: "point".into(), position, ..NewBody::default() });
        let story = survives(&mut simulation, 30);
        println!("all at one point, {pressure:?}: {story:?}");

        // A wall that runs through the water at 100 m/s.
        let mut simulation: S =
            Tank { cavity: [16, 8, 6], fluid: [12, 6, 6], pressure: pressure.clone(), ..Tank::default() }.make();
        let position = lattice(0.05, [1, 0, 1], [1, 6, 4]);
        let to_surface = vec![Vec3::X * 0.025; position.len()];
        let paddle = simulation.add(NewWall { name: "paddle".into(), position, to_surface, ..NewWall::default() });
        let motion = WallMotion { translation: Vec3::X * 0.01, velocity: Vec3::X * 100.0, acceleration: Vec3::ZERO };
        for _ in 0..40 {
            simulation.change(Change::Move(paddle, motion)).unwrap();
            if let Some(story) = survives(&mut simulation, 1) {
                println!("wall at 100 m/s, {pressure:?}: {story}");
                break;
            }
        }
    }
}
