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

/// In the worst step of PCISPH a hundred iterations left pressures that gave particles 20 km/s, and nobody objected.
#[test]
fn a_body_that_is_thrown_on_a_floor_is_not_shot_from_it() {
    for solver in ["pcisph", "iisph", "dfsph"] {
        for model in ["corotated", "st_venant_kirchhoff"] {
            let text = format!("pressure.{solver} = {{}}\n{}", THROWN.replace("corotated", model));
            let scene = Scene::read(solver, &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
            let mut simulation = scene.build().unwrap().simulation;
            let mut fastest = 0.0_f64;
            while simulation.time() < 0.3 {
                fastest = fastest.max(simulation.step_until(0.3).unwrap().fastest);
            }
            println!("{solver}, {model}: {fastest} m/s");
            assert!(fastest < 8.0, "{solver}, {model}: {fastest} m/s where a fall gives 3.9");
        }
    }
}
