//! Explicit elastic bodies whose contact is solved for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::Scene;

/// An ellipse of rubber is thrown on a floor.
const THROWN: &str = r#"
world = { spacing = 0.02, dimension = 2 }
time = { end = 0.3 }

[materials.rubber]
density = 2000.0
elastic.corotated = { young_modulus = 1e5, poisson_ratio = 0.3 }

[[bodies]]
name = "ellipse"
material = "rubber"
shape.ellipsoid = { centre = [0.481, 0.587, 0.0], radii = [0.1128, 0.094, 0.1128] }
velocity = [0.11, -1.762, 0.0]

[[walls]]
name = "tank"
shape.box = { min = [0.0, 0.0, 0.0], max = [0.8, 0.8, 0.0] }
inside = true
"#;

/// At the floor a hundred iterations of PCISPH left pressures that gave particles 20 km/s in a step, and nobody objected.
#[test]
fn no_step_throws_a_particle_beyond_its_neighbours() {
    for solver in ["pcisph", "iisph", "dfsph"] {
        for model in ["corotated", "st_venant_kirchhoff"] {
            let text = format!("pressure.{solver} = {{}}\n{}", THROWN.replace("corotated", model));
            let scene = Scene::read(solver, &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
            let mut simulation = scene.build().unwrap().simulation;
            let mut farthest = 0.0_f64;
            for frame in 1..=9 {
                let time = f64::from(frame) / 30.0;
                while simulation.time() < time {
                    let report = simulation.step_until(time).unwrap();
                    farthest = farthest.max(report.fastest * f64::from(report.dt));
                }
            }
            println!("{solver}, {model}: {farthest} m in a step");
            assert!(
                farthest < scene.world.support() + scene.world.spacing,
                "{solver}, {model}: {farthest} m in a step"
            );
        }
    }
}
