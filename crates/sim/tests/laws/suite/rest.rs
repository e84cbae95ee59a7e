//! What is at rest stays at rest, and carries its weight.

use thixo_sim::{
    BodyId, Damping, Field, FieldKind, Iisph, Material, NewBody, NewWall, Pressure, Real, Settings, Vec3, Wcsph,
    measure,
};

use super::worlds::{Tank, lattice};
use super::{Recipe, Run, Stepper};

/// Brakes everything until a given time: without it the sound of the start would run up and down for minutes.
fn brake(world: &mut Recipe, until: f64) {
    let kind = FieldKind::Damping(Damping { relaxation_time: 0.1 });
    world.settings.fields.push(Field { name: "brake".into(), kind, region: None, from: 0.0, until: Some(until) });
}

pub(crate) fn a_full_tank_starts_at_rest_density_exactly<S: Stepper>() {
    for cavity in [[8, 6, 0], [6, 6, 6]] {
        // Filled to the lid: every particle has a full neighbourhood of fluid and wall.
        let simulation: S = Tank { cavity, fluid: cavity, ..Tank::default() }.make();
        for i in simulation.matter() {
            let phi = simulation.particles().compression(i);
            assert!((phi - 1.0).abs() < 2e-6 * S::ROUNDING as Real, "{cavity:?} {i}: {phi}");
        }
    }
}

/// Relative error of p against ρ g depth over all particles, and the speed of the mass as a whole (rms).
fn settle<S: Stepper>(tank: &Tank, depth: Real, seconds: f64) -> (f64, f64) {
    let mut world = tank.recipe();
    brake(&mut world, 0.5 * seconds);
    let mut simulation: S = world.make();
    simulation.advance(seconds).unwrap();
    // Averages over sound waves that still run up and down.
    let mut mean = vec![0.0; simulation.matter().len()];
    let samples = 50;
    for _ in 0..samples {
        simulation.advance(0.002).unwrap();
        for i in simulation.matter() {
            mean[simulation.particles().id[i] as usize] +=
                f64::from(simulation.particles().pressure[i]) / samples as f64;
        }
    }
    let (mut difference, mut scale) = (0.0, 0.0);
    for i in simulation.matter() {
        let particles = simulation.particles();
        let expected = f64::from(1000.0 * 9.81 * (depth - particles.position[i].y).max(0.0));
        difference += (mean[particles.id[i] as usize] - expected).powi(2);
        scale += expected * expected;
    }
    let totals = simulation.totals();
    ((difference / scale).sqrt(), (2.0 * totals.kinetic / totals.mass).sqrt())
}

pub(crate) fn pressure_grows_linearly_with_depth_in_the_plane<S: Stepper>() {
    let tank = Tank { cavity: [20, 26, 0], fluid: [20, 20, 0], ..Tank::default() };
    let (error, speed) = settle::<S>(&tank, 1.0, 2.0);
    println!("2D: relative error {error:.4}, rms speed {speed:.4} m/s");
    assert!(error < 0.055 && speed < 0.02);
}

pub(crate) fn pressure_grows_linearly_with_depth_in_space<S: Stepper>() {
    let (error, speed) = settle::<S>(&Tank::default(), 0.5, 2.0);
    println!("3D: relative error {error:.4}, rms speed {speed:.4} m/s");
    assert!(error < 0.06 && speed < 0.02);
}

pub(crate) fn the_tank_carries_the_weight_of_its_water<S: Stepper>() {
    let mut world = Tank::default().recipe();
    brake(&mut world, 1.0);
    let mut simulation: S = world.make();
    simulation.advance(1.0).unwrap();
    let mut mean = 0.0;
    for _ in 0..50 {
        simulation.advance(0.002).unwrap();
        let tank = BodyId { slot: 1, generation: 0 };
        mean += simulation.measure(|simulation| simulation.account(tank).unwrap().force.linear[1]) / 50.0;
    }
    let weight = simulation.totals().mass * 9.81;
    println!("force on the tank {mean:.2} N, weight {weight:.2} N");
    assert!((mean + weight).abs() < 0.02 * weight);
    let at = Vec3::new(0.25, 0.0, 0.25);
    let bottom = simulation.measure(|simulation| measure::pressure_at(simulation, at, 0.05));
    assert!((bottom - 1000.0 * 9.81 * 0.5).abs() < 0.06 * 4905.0, "{bottom}");
}

pub(crate) fn a_lone_drop_gets_through_no_wall<S: Stepper>() {
    // Drops thrown at floor, sides and corners from everywhere, each alone: none has any pressure.
    for cavity in [[12, 12, 0], [8, 8, 8]] {
        let mut world = Tank { cavity, fluid: [1, 1, i32::from(cavity[2] > 0)], ..Tank::default() }.recipe();
        let size = 0.05 * cavity[0] as Real;
        let count = 40;
        let angle = |k: i32| k as Real * 2.399_963;
        let throw = |k: i32| Vec3::new(angle(k).cos(), angle(k).sin(), angle(2 * k).sin()) * 4.0;
        let flat = if cavity[2] == 0 { 0.0 } else { 0.5 * size };
        let position = (0..count).map(|k| Vec3::new(0.5 * size, 0.5 * size, flat) + throw(k) * 0.02).collect();
        let velocity = (0..count).map(throw).collect();
        world.add(NewBody { name: "spray".into(), position, velocity, ..NewBody::default() });
        let mut simulation: S = world.make();
        simulation.advance(0.5).unwrap();
        let particles = simulation.particles();
        for x in &particles.position[simulation.matter()] {
            let depth = (x.clamp(Vec3::ZERO, Vec3::splat(size)) - *x).length();
            assert!(depth < 0.5 * 0.05, "{x} of {cavity:?}");
        }
    }
}

/// One layer of particles in the middle of a wall that is thinner than they are apart: each knows one of its two faces.
pub(crate) fn a_thin_wall_holds_matter_on_its_side<S: Stepper>() {
    let spacing = 0.05;
    for pressure in [Pressure::Wcsph(Wcsph::default()), Pressure::Iisph(Iisph::default())] {
        let settings = Settings { spacing, gravity: Vec3::ZERO, pressure, ..Settings::default() };
        let mut world = Recipe::new(settings, vec![Material::default()]);
        let position: Vec<_> =
            lattice(spacing, [-12, 0, -12], [24, 1, 24]).into_iter().map(|x| x.with_y(0.0)).collect();
        let face = |k: usize| if k * k % 7 < 3 { Vec3::Y } else { Vec3::NEG_Y };
        let to_surface = (0..position.len()).map(|k| face(k) * (0.4 * spacing)).collect();
        world.add(NewWall { name: "sheet".into(), position, to_surface, ..NewWall::default() });
        let above = 1;
        // Drops, and lone particles, which have no pressure, thrown at it from both sides.
        let mut position = lattice(spacing, [-2, 2, -2], [4, 4, 4]);
        position.extend((0..6).map(|k| spacing * Vec3::new(1.7 * k as Real - 4.3, 2.0, 5.5)));
        for (name, side) in [("above", 1.0), ("below", -1.0)] {
            let position = position.iter().map(|x| *x * Vec3::new(1.0, side, 1.0)).collect();
            let velocity = vec![Vec3::Y * (-2.0 * side)];
            world.add(NewBody { name: name.into(), position, velocity, ..NewBody::default() });
        }
        let mut simulation: S = world.make();
        let start = simulation.totals().kinetic;
        while simulation.time() < 0.15 {
            simulation.step().unwrap();
            let totals = simulation.totals();
            // The leapfrog predicts velocities: at an impact they have a little too much energy, for a step or two.
            assert!(totals.kinetic + totals.compression < 1.1 * start, "{} of {start}", totals.kinetic);
        }
        let totals = simulation.totals();
        assert!(totals.kinetic + totals.compression < start, "{} of {start}", totals.kinetic);
        let particles = simulation.particles();
        for i in simulation.matter() {
            let height = if particles.body[i] == above { particles.position[i].y } else { -particles.position[i].y };
            assert!(height > 0.0, "{height}");
        }
    }
}
