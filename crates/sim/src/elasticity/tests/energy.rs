//! What oscillates without friction keeps its energy, however long: small amplitudes, short steps, far from the origin.

use super::*;

/// A thin bar in the plane, one metre from the origin, that bends to and fro with strains below 1e-3.
fn bar() -> Simulation {
    const SPACING: Real = 0.00625;
    let elastic = model!(StVenantKirchhoff, StVenantKirchhoff {});
    let material = Material { elastic: Some(elastic), ..Material::default() };
    let settings = Settings { spacing: SPACING, dimension: Dimension::Two, gravity: Vec3::ZERO, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![material]).unwrap();
    let place = |k: usize| Vec3::new(160.5 + (k % 40) as Real, 160.5 + (k / 40) as Real, 0.0) * SPACING;
    let position: Vec<_> = (0..240).map(place).collect();
    let velocity = position.iter().map(|x| Vec3::Y * (0.05 * ((x.x - 1.125) / 0.125).powi(2) - 0.02)).collect();
    simulation.add_body(NewBody { name: "bar".into(), position, velocity, ..NewBody::default() }).unwrap();
    simulation
}

fn energy(simulation: &Simulation) -> f64 {
    let totals = Totals::of(simulation, None);
    totals.kinetic + totals.deformation
}

/// Nor do frames change it, which cut time into pieces that no step fits into.
#[test]
fn energy_is_kept_over_thousands_of_steps_and_many_frames() {
    for frame in [0.7e-3, 2.1e-3, 9.7e-3] {
        let mut simulation = bar();
        simulation.prepare().unwrap();
        let start = energy(&simulation);
        while simulation.time() < 0.6 {
            simulation.advance(frame).unwrap();
        }
        let end = energy(&simulation);
        println!("frames of {frame} s, {} steps: energy {:.4} of the start", simulation.steps(), end / start);
        assert!(simulation.steps() > 3000);
        assert!((end / start - 1.0).abs() < 0.015, "{start} J, {end} J");
    }
}
