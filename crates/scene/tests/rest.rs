//! Fluids of random and relaxed particles come to rest in a tank that they fill.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::Scene;

/// Mean size of the density error of all particles, and their mean speed [m/s], after 0.2 s in a round tank.
fn settled(sampling: &str) -> (f64, f64) {
    let text = format!(
        "[world]\nspacing = 0.02\ngravity = [0, 0, 0]\n[time]\nend = 1\n[pressure.wcsph]\nstiffness = 400\n\
         [materials.water]\ndensity = 1000\nfluid.viscosity.xsph = {{ strength = 0.1 }}\n\
         [[bodies]]\nname = \"ball\"\nmaterial = \"water\"\nshape.sphere = {{ centre = [0, 0, 0], radius = 0.2 }}\n\
         sampling.{sampling} = {{ seed = 5 }}\n\
         [[walls]]\nname = \"tank\"\nshape.sphere = {{ centre = [0, 0, 0], radius = 0.2 }}\ninside = true\n"
    );
    let scene = Scene::read(sampling, &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let mut simulation = scene.build().unwrap().simulation;
    simulation.prepare().unwrap();
    let error = |simulation: &thixo_sim::Simulation| {
        let particles = simulation.particles();
        let movable = scene.estimate().movable() as usize;
        let ratios = particles.density[..movable].iter().zip(&particles.rest_density[..movable]);
        ratios.map(|(density, rest)| f64::from(density / rest - 1.0).abs()).sum::<f64>() / movable as f64
    };
    let before = error(&simulation);
    simulation.advance(0.2).unwrap();
    let velocities = &simulation.particles().velocity[..scene.estimate().movable() as usize];
    let speed = velocities.iter().map(|v| f64::from(v.length())).sum::<f64>() / velocities.len() as f64;
    let after = error(&simulation);
    println!("{sampling}: density error {:.2} % before, {:.2} % after; {speed:.4} m/s", 100.0 * before, 100.0 * after);
    (after, speed)
}

#[test]
fn relaxed_and_random_fluids_come_to_rest_at_their_density() {
    for sampling in ["relaxed", "poisson_disk"] {
        let (error, speed) = settled(sampling);
        assert!(error < 0.01, "{sampling}: {error}");
        // Sound has 20 m/s.
        assert!(speed < 0.1, "{sampling}: {speed} m/s");
    }
}
