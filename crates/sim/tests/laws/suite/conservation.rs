//! Momentum, energy, free fall, order in time.

use thixo_sim::{
    Artificial, Central, Cohesion, DensityMethod, Dimension, Frictionless, Iisph, ImplicitViscosity, Laplacian,
    Material, Morris, NewBody, Pressure, Real, Settings, Shape, StepSize, Vec3, Viscosity, Wcsph, Xsph,
};

use super::worlds::lattice;
use super::{Recipe, Run, Stepper};

fn elastic() -> Wcsph {
    Wcsph { stiffness: Some(400.0), tension: true, ..Wcsph::default() }
}

fn free_drop<S: Stepper>(viscosity: Viscosity, step: StepSize, jitter: Real) -> S {
    free_drop_under(Pressure::Wcsph(elastic()), viscosity, step, jitter)
}

fn free_drop_under<S: Stepper>(pressure: Pressure, viscosity: Viscosity, step: StepSize, jitter: Real) -> S {
    let settings = Settings { spacing: 0.05, gravity: Vec3::ZERO, step, pressure, ..Settings::default() };
    let mut materials = vec![Material::default(), Material { density: 300.0, ..Material::default() }];
    materials.iter_mut().for_each(|material| material.fluid.viscosity = viscosity.clone());
    let mut world = Recipe::new(settings, materials);
    let mut noise = 12345_u32;
    let mut random = || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 8) as Real / (1 << 23) as Real - 1.0
    };
    for (material, corner, speed) in [(0, [0, 0, 0], 0.5), (1, [8, 1, 0], -1.0)] {
        let mut position = lattice(0.05, corner, [8, 8, 8]);
        for x in &mut position {
            *x += Vec3::new(random(), random(), random()) * (jitter * 0.05);
        }
        let velocity = position.iter().map(|x| Vec3::new(speed - x.y, x.x * 0.4, 0.3 * x.z)).collect();
        let name = format!("drop {material}");
        world.add(NewBody { name, material, position, velocity, ..NewBody::default() });
    }
    world.make()
}

fn honey(dynamic_viscosity: Real) -> Viscosity {
    Viscosity::Implicit(ImplicitViscosity { dynamic_viscosity })
}

pub(crate) fn momentum_is_conserved_without_walls<S: Stepper>() {
    let spiky = Wcsph { gradient_kernel: Some(Shape::Spiky), ..elastic() };
    let continuity = Wcsph { density: DensityMethod::Continuity, ..elastic() };
    let cohesion = Cohesion { stiffness: Some(400.0), ..Cohesion::default() };
    for (pressure, viscosity) in [
        (Pressure::Wcsph(elastic()), Viscosity::Xsph(Xsph { strength: 0.05 })),
        (Pressure::Wcsph(elastic()), Viscosity::Morris(Morris { dynamic_viscosity: 5.0 })),
        (Pressure::Wcsph(elastic()), Viscosity::Central(Central { dynamic_viscosity: 5.0 })),
        (Pressure::Wcsph(elastic()), Viscosity::Artificial(Artificial::default())),
        (Pressure::Wcsph(elastic()), honey(500.0)),
        (Pressure::Iisph(Iisph::default()), honey(5e4)),
        (Pressure::Wcsph(spiky), Viscosity::None(Frictionless {})),
        (Pressure::Wcsph(continuity), Viscosity::None(Frictionless {})),
        (Pressure::Cohesion(cohesion), Viscosity::None(Frictionless {})),
    ] {
        let mut simulation: S = free_drop_under(pressure.clone(), viscosity.clone(), StepSize::default(), 0.1);
        let before = simulation.totals();
        for _ in 0..300 {
            simulation.step().unwrap();
        }
        let after = simulation.totals();
        let drift = (after.momentum - before.momentum).length() / before.momentum_scale;
        println!("{pressure:?} {viscosity:?}: relative drift of momentum {drift:.2e}");
        assert!(drift < 1e-5 * S::ROUNDING);
    }
}

pub(crate) fn central_friction_conserves_angular_momentum<S: Stepper>() {
    for viscosity in [Viscosity::Central(Central { dynamic_viscosity: 20.0 }), honey(20.0), honey(2e4)] {
        let mut simulation: S = free_drop(viscosity.clone(), StepSize::Fixed(2.0e-4), 0.1);
        let before = simulation.totals().angular_momentum;
        simulation.advance(0.1).unwrap();
        let after = simulation.totals().angular_momentum;
        let drift = (after - before).length() / before.length();
        println!("{viscosity:?}: relative drift of angular momentum {drift:.2e}");
        assert!(drift < 1e-5 * S::ROUNDING, "{before} {after}");
    }
}

pub(crate) fn angular_momentum_and_energy_are_conserved_without_friction<S: Stepper>() {
    let continuity = Wcsph { density: DensityMethod::Continuity, ..elastic() };
    let cohesion = Cohesion { stiffness: Some(400.0), ..Cohesion::default() };
    for pressure in [Pressure::Wcsph(elastic()), Pressure::Wcsph(continuity), Pressure::Cohesion(cohesion)] {
        let viscosity = Viscosity::None(Frictionless {});
        let mut simulation: S = free_drop_under(pressure.clone(), viscosity, StepSize::Fixed(2.0e-4), 0.1);
        simulation.prepare().unwrap();
        let before = simulation.totals();
        simulation.advance(0.2).unwrap();
        let after = simulation.totals();
        let energy = (after.energy() - before.energy()).abs() / before.energy();
        let angular = (after.angular_momentum - before.angular_momentum).length() / before.angular_momentum.length();
        println!("{pressure:?}: relative change of energy {energy:.2e}, of angular momentum {angular:.2e}");
        assert!(energy < 2e-3 && angular < 1e-5 * S::ROUNDING);
    }
}

/// The largest difference between the compressions that the continuity equation has carried through the squeezing of a
/// block, and those of a sum over the same particles, where no surface is in reach.
fn density_drift<S: Stepper>(dt: Real) -> Real {
    let block = |density: DensityMethod| {
        let pressure = Pressure::Wcsph(Wcsph { density, stiffness: Some(10.0), ..elastic() });
        let step = StepSize::Fixed(dt);
        let settings = Settings { spacing: 0.05, gravity: Vec3::ZERO, step, pressure, ..Settings::default() };
        Recipe::new(settings, vec![Material::default()])
    };
    let position = lattice(0.05, [-6, -6, -6], [12, 12, 12]);
    let velocity = position.iter().map(|x| -*x * 2.0).collect();
    let mut carried = block(DensityMethod::Continuity);
    carried.add(NewBody { name: "block".into(), position, velocity, ..NewBody::default() });
    let mut carried: S = carried.make();
    carried.advance(0.08).unwrap();
    let mut summed: S = block(DensityMethod::Summation).make();
    let mut snapshot = carried.snapshot();
    snapshot.state.changed = false;
    summed.restore(snapshot).unwrap();
    summed.prepare().unwrap();
    let (a, b) = (carried.particles(), summed.particles());
    let inside = carried.matter().filter(|&i| a.position[i].abs().max_element() < 0.12);
    inside.map(|i| (a.compression(i) - b.compression(i)).abs() / (b.compression(i) - 1.0)).fold(0.0, Real::max)
}

pub(crate) fn continuity_follows_the_sum_to_second_order_in_time<S: Stepper>() {
    let (coarse, fine) = (density_drift::<S>(8e-3), density_drift::<S>(4e-3));
    println!("drift of density {coarse:.2e}, with half the step {fine:.2e}");
    assert!(coarse < 0.01 && coarse > 2.5 * fine);
}

pub(crate) fn friction_only_takes_energy<S: Stepper>() {
    for viscosity in [
        Viscosity::Xsph(Xsph { strength: 0.05 }),
        Viscosity::Laplacian(Laplacian { dynamic_viscosity: 5.0 }),
        Viscosity::Morris(Morris { dynamic_viscosity: 5.0 }),
        Viscosity::Central(Central { dynamic_viscosity: 5.0 }),
        Viscosity::Artificial(Artificial { alpha: 0.1, beta: 0.2 }),
        honey(5.0),
    ] {
        let mut simulation: S = free_drop(viscosity, StepSize::Fixed(2.0e-4), 0.1);
        simulation.prepare().unwrap();
        let mut last = simulation.totals().energy();
        for _ in 0..20 {
            simulation.advance(0.005).unwrap();
            let energy = simulation.totals().energy();
            assert!(energy < last, "{energy} {last}");
            last = energy;
        }
    }
}

/// The share of a shear flow that default friction leaves in steps of such a length.
fn what_friction_leaves<S: Stepper>(step: Real) -> f64 {
    let spacing = 0.05;
    let period = Some([0.0, 20.0 * spacing]);
    let settings = Settings {
        spacing,
        dimension: Dimension::Two,
        gravity: Vec3::ZERO,
        step: StepSize::Fixed(step),
        periodic: [period, period, None],
        pressure: Pressure::Wcsph(Wcsph { stiffness: Some(1e-3), ..Wcsph::default() }),
        ..Settings::default()
    };
    let mut world = Recipe::new(settings, vec![Material::default()]);
    let position = lattice(spacing, [0, 0, 0], [20, 20, 0]);
    let velocity = position.iter().map(|x| Vec3::X * (1e-3 * (std::f64::consts::TAU * f64::from(x.y)).sin() as Real));
    let velocity = velocity.collect();
    world.add(NewBody { name: "water".into(), position, velocity, ..NewBody::default() });
    let mut simulation: S = world.make();
    let before = simulation.totals().kinetic;
    simulation.advance(4.0).unwrap();
    (simulation.totals().kinetic / before).sqrt()
}

pub(crate) fn default_friction_is_a_rate<S: Stepper>() {
    let [long, short, shortest] = [1e-2, 2.5e-3, 6.25e-4].map(what_friction_leaves::<S>);
    println!("{long:.4}, {short:.4} and {shortest:.4} of the velocity are left");
    assert!((0.1..0.9).contains(&shortest));
    assert!((short.ln() / shortest.ln() - 1.0).abs() < 0.02 && (long.ln() / shortest.ln() - 1.0).abs() < 0.05);
}

pub(crate) fn free_fall_follows_half_g_t_squared<S: Stepper>() {
    // Leapfrog is exact for a constant force, whatever the steps, if it starts with half a step.
    let settings = Settings { step: StepSize::Fixed(0.013), ..Settings::default() };
    let mut world = Recipe::new(settings, vec![Material::default()]);
    let (position, velocity) = (vec![Vec3::ZERO], vec![Vec3::X]);
    world.add(NewBody { name: "stone".into(), position, velocity, ..NewBody::default() });
    let mut simulation: S = world.make();
    simulation.advance(1.0).unwrap();
    let particles = simulation.particles();
    let rounding = 1e-5 * S::ROUNDING as Real;
    assert!((particles.position[0] - Vec3::new(1.0, -0.5 * 9.81, 0.0)).length() < rounding);
    assert!((particles.velocity[0] - Vec3::new(1.0, -9.81, 0.0)).length() < rounding);
}

/// Error of position and velocity of a pulsating pair of particles against a run with very short steps.
fn pair_error<S: Stepper>(dt: Real) -> (f64, f64) {
    let settings = Settings {
        spacing: 0.1,
        gravity: Vec3::ZERO,
        step: StepSize::Fixed(dt),
        pressure: Pressure::Wcsph(Wcsph { stiffness: Some(1.0), exponent: 1.0, tension: true, ..Wcsph::default() }),
        ..Settings::default()
    };
    let mut material = Material::default();
    material.fluid.viscosity = Viscosity::None(Frictionless {});
    let mut world = Recipe::new(settings, vec![material]);
    let position = vec![Vec3::ZERO, Vec3::new(0.08, 0.0, 0.0)];
    let velocity = vec![Vec3::ZERO, Vec3::new(0.05, 0.0, 0.0)];
    world.add(NewBody { name: "pair".into(), position, velocity, ..NewBody::default() });
    let mut simulation: S = world.make();
    simulation.advance(0.25).unwrap();
    let particles = simulation.particles();
    let distance = (particles.position[1] - particles.position[0]).length();
    let speed = (particles.velocity[1] - particles.velocity[0]).x;
    (f64::from(distance), f64::from(speed))
}

pub(crate) fn leapfrog_is_of_second_order_in_position_and_velocity<S: Stepper>() {
    let exact = pair_error::<S>(0.25 / 4096.0);
    let error = |dt: Real| {
        let (x, v) = pair_error::<S>(dt);
        ((x - exact.0).abs(), (v - exact.1).abs())
    };
    let (coarse, fine) = (error(0.25 / 8.0), error(0.25 / 32.0));
    let order = |coarse: f64, fine: f64| (coarse / fine).ln() / 4.0_f64.ln();
    println!("order {:.2} in position, {:.2} in velocity", order(coarse.0, fine.0), order(coarse.1, fine.1));
    assert!((order(coarse.0, fine.0) - 2.0).abs() < 0.3);
    assert!((order(coarse.1, fine.1) - 2.0).abs() < 0.3);
}
