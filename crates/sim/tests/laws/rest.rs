//! What is at rest stays at rest, and carries its weight.

use thixo_sim::measure::{self, Totals};
use thixo_sim::{BodyId, Force, NewBody, Real, Simulation, StepContext, Vec3};

use crate::worlds::Tank;

/// Brakes everything until a given time: without it the sound of the start would run up and down for minutes.
struct Brake {
    until: f64,
}

impl Force for Brake {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        if step.world.clock.time < self.until {
            for (a, v) in acceleration.iter_mut().zip(&step.world.particles.velocity) {
                *a -= *v * 10.0;
            }
        }
    }
}

#[test]
fn a_full_tank_starts_at_rest_density_exactly() {
    for cavity in [[8, 6, 0], [6, 6, 6]] {
        // Filled to the lid: every particle has a full neighbourhood of fluid and wall.
        let simulation = Tank { cavity, fluid: cavity, ..Tank::default() }.build();
        for i in 0..simulation.movable() {
            let phi = simulation.particles().compression(i);
            assert!((phi - 1.0).abs() < 2e-6, "{cavity:?} {i}: {phi}");
        }
    }
}

/// Relative error of p against ρ g depth over all particles, and the speed of the mass as a whole (rms).
fn settle(simulation: &mut Simulation, depth: Real, seconds: f64) -> (f64, f64) {
    simulation.add_force(Box::new(Brake { until: 0.5 * seconds }));
    simulation.advance(seconds).unwrap();
    // Averages over sound waves that still run up and down.
    let mut mean = vec![0.0; simulation.movable()];
    let samples = 50;
    for _ in 0..samples {
        simulation.advance(0.002).unwrap();
        for i in 0..simulation.movable() {
            mean[simulation.particles().id[i] as usize] +=
                f64::from(simulation.particles().pressure[i]) / samples as f64;
        }
    }
    let (mut difference, mut scale) = (0.0, 0.0);
    for i in 0..simulation.movable() {
        let particles = simulation.particles();
        let expected = f64::from(1000.0 * 9.81 * (depth - particles.position[i].y).max(0.0));
        difference += (mean[particles.id[i] as usize] - expected).powi(2);
        scale += expected * expected;
    }
    let totals = Totals::of(simulation, None);
    ((difference / scale).sqrt(), (2.0 * totals.kinetic / totals.mass).sqrt())
}

#[test]
fn pressure_grows_linearly_with_depth_in_the_plane() {
    let tank = Tank { cavity: [20, 26, 0], fluid: [20, 20, 0], ..Tank::default() };
    let mut simulation = tank.build();
    let (error, speed) = settle(&mut simulation, 1.0, 2.0);
    println!("2D: relative error {error:.4}, rms speed {speed:.4} m/s");
    assert!(error < 0.055 && speed < 0.02);
}

#[test]
fn pressure_grows_linearly_with_depth_in_space() {
    let mut simulation = Tank::default().build();
    let (error, speed) = settle(&mut simulation, 0.5, 2.0);
    println!("3D: relative error {error:.4}, rms speed {speed:.4} m/s");
    assert!(error < 0.06 && speed < 0.02);
}

#[test]
fn the_tank_carries_the_weight_of_its_water() {
    let mut simulation = Tank::default().build();
    simulation.add_force(Box::new(Brake { until: 1.0 }));
    simulation.advance(1.0).unwrap();
    let mut mean = 0.0;
    for _ in 0..50 {
        simulation.advance(0.002).unwrap();
        mean += measure::force_on(&simulation, BodyId { slot: 1, generation: 0 }).y / 50.0;
    }
    let weight = Totals::of(&simulation, None).mass * 9.81;
    println!("force on the tank {mean:.2} N, weight {weight:.2} N");
    assert!((mean + weight).abs() < 0.02 * weight);
    let bottom = measure::pressure_at(&simulation, Vec3::new(0.25, 0.0, 0.25), 0.05);
    assert!((bottom - 1000.0 * 9.81 * 0.5).abs() < 0.06 * 4905.0, "{bottom}");
}

#[test]
fn a_lone_drop_gets_through_no_wall() {
    // Drops thrown at floor, sides and corners from everywhere, each alone: none has any pressure.
    for cavity in [[12, 12, 0], [8, 8, 8]] {
        let mut simulation = Tank { cavity, fluid: [1, 1, i32::from(cavity[2] > 0)], ..Tank::default() }.build();
        let size = 0.05 * cavity[0] as Real;
        let count = 40;
        let angle = |k: i32| k as Real * 2.399_963;
        let throw = |k: i32| Vec3::new(angle(k).cos(), angle(k).sin(), angle(2 * k).sin()) * 4.0;
        let flat = if cavity[2] == 0 { 0.0 } else { 0.5 * size };
        let position = (0..count).map(|k| Vec3::new(0.5 * size, 0.5 * size, flat) + throw(k) * 0.02).collect();
        let velocity = (0..count).map(throw).collect();
        simulation.add_body(NewBody { name: "spray".into(), position, velocity, ..NewBody::default() }).unwrap();
        simulation.advance(0.5).unwrap();
        let particles = simulation.particles();
        for x in &particles.position[..simulation.movable()] {
            let depth = (x.clamp(Vec3::ZERO, Vec3::splat(size)) - *x).length();
            assert!(depth < 0.5 * 0.05, "{x} of {cavity:?}");
        }
    }
}
