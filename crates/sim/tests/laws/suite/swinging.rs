//! Implicit bodies keep their motion.

use thixo_sim::{
    Elastic, Iisph, Implicit, ImplicitScheme, Material, NewBody, NewWall, Pressure, Real, Settings, StepSize, Vec3,
    Wcsph,
};

use super::worlds::lattice;
use super::{Recipe, Run, Stepper};

fn material(implicit: Implicit) -> Vec<Material> {
    vec![Material { elastic: Some(Elastic::Implicit(implicit)), ..Material::default() }]
}

/// Where the particles of a cube are that was let go stretched and falls for some time, in so many steps.
fn places<S: Stepper>(pressure: &Pressure, scheme: ImplicitScheme, steps: u32) -> Vec<Vec3> {
    const TIME: f64 = 0.08;
    let step = StepSize::Fixed((TIME / f64::from(steps)) as Real);
    let settings = Settings { spacing: 0.1, pressure: pressure.clone(), step, ..Settings::default() };
    let implicit = Implicit { tolerance: 1e-6, velocity_error: 0.0, scheme, ..Implicit::default() };
    let mut world = Recipe::new(settings, material(implicit));
    let undeformed = lattice(0.1, [0, 0, 0], [4, 4, 4]);
    let position = undeformed.iter().map(|x| Vec3::new(x.x * 1.05, x.y + 0.1 * x.x * x.z, x.z * 0.96)).collect();
    let velocity = undeformed.iter().map(|x| Vec3::new(-x.y, x.x, 0.5)).collect();
    world.add(NewBody { position, velocity, undeformed, ..NewBody::default() });
    let mut simulation: S = world.make();
    simulation.advance(TIME).unwrap();
    simulation.particles().position[simulation.matter()].to_vec()
}

/// Whether the world moves by leapfrog (WCSPH) or by velocities that were corrected (IISPH).
pub(crate) fn implicit_steps_are_of_second_order<S: Stepper>() {
    for pressure in [Pressure::Wcsph(Wcsph::default()), Pressure::Iisph(Iisph::default())] {
        for (scheme, expected) in [(ImplicitScheme::SecondOrder, 2.0), (ImplicitScheme::BackwardEuler, 1.0)] {
            let exact = places::<S>(&pressure, ImplicitScheme::SecondOrder, 512);
            let error = |steps: u32| {
                let off = |(x, exact): (Vec3, &Vec3)| f64::from((x - *exact).length_squared());
                places::<S>(&pressure, scheme, steps).into_iter().zip(&exact).map(off).sum::<f64>().sqrt()
            };
            let (coarse, fine) = (error(24), error(48));
            let order = (coarse / fine).log2();
            println!("{scheme:?}: {coarse:.1e} m, {fine:.1e} m, order {order:.2}");
            assert!((order - expected).abs() < 0.35, "{scheme:?} {order}");
        }
    }
}

/// Of a ball on a floor, in steps from those that resolve the impact to such that are longer, and in steps that change.
pub(crate) fn a_ball_that_bounces_gains_nothing<S: Stepper>() {
    let fixed = [1e-3, 3e-3, 1e-2].map(StepSize::Fixed);
    for step in fixed.into_iter().chain([StepSize::default()]) {
        for (young, cells) in [(1e5, 6), (1e6, 6), (1e6, 9)] {
            let spacing = 0.2 / cells as Real;
            let pressure = Pressure::Iisph(Iisph::default());
            let settings =
                Settings { spacing, gravity: Vec3::ZERO, pressure, step: step.clone(), ..Settings::default() };
            let mut world = Recipe::new(
                settings,
                material(Implicit {
                    young_modulus: Some(young),
                    scheme: ImplicitScheme::SecondOrder,
                    ..Implicit::default()
                }),
            );
            let centre = Vec3::new(0.0, 0.13, 0.0);
            let half = cells / 2 + 1;
            let cube = lattice(spacing, [-half, 0, -half], [2 * half, 2 * half, 2 * half]);
            let position: Vec<_> = cube.into_iter().filter(|x| x.distance(centre) < 0.1).collect();
            let velocity = vec![Vec3::NEG_Y; position.len()];
            world.add(NewBody { name: "ball".into(), position, velocity, ..NewBody::default() });
            let floor = lattice(spacing, [-2 * half, -1, -2 * half], [4 * half, 1, 4 * half]);
            let to_surface = vec![Vec3::Y * (0.5 * spacing)];
            world.add(NewWall { name: "floor".into(), position: floor, to_surface, ..NewWall::default() });
            let mut simulation: S = world.make();
            simulation.prepare().unwrap();
            let before = simulation.totals();
            let (mut most, end) = (0.0_f64, 0.3);
            while simulation.time() < end {
                simulation.step_until(end).unwrap();
                most = most.max(simulation.totals().kinetic / before.kinetic);
            }
            let after = simulation.totals();
            let restitution = -after.momentum.y / before.momentum.y;
            let energy = after.energy() / before.energy();
            println!(
                "{young:.0e} Pa, {cells}: {restitution:.3}, energy {energy:.3}, kinetic at most {most:.3}, {step:?}"
            );
            assert!(restitution > 0.2 && restitution < 1.0, "{restitution}");
            assert!(energy < 1.0 && most < 1.001, "{energy} {most}");
        }
    }
}
