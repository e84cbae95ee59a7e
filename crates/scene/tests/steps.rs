//! How many steps a scene takes is known before.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::Scene;

/// A column of water falls in a tank, and something falls on it or beside it.
const TANK: &str = r#"
world = { spacing = 0.02, dimension = 2 }
time = { end = 1.0, fps = 25 }

[materials.water]
density = 1000.0

[materials.other]
density = 1000.0

[[bodies]]
name = "column"
material = "water"
shape.box = { min = [0.0, 0.0, 0.0], max = [0.4, 0.8, 0.0] }

[[bodies]]
name = "block"
material = "other"
shape.box = { min = [0.8, 0.4, 0.0], max = [1.2, 0.8, 0.0] }

[[walls]]
name = "tank"
shape.box = { min = [0.0, 0.0, 0.0], max = [1.6, 1.2, 0.0] }
inside = true
"#;

/// The kinds of scenes: what limits the step differs.
const KINDS: [(&str, &[&str]); 14] = [
    ("what suits", &[]),
    ("wcsph", &["pressure={ wcsph = {} }"]),
    ("pcisph", &["pressure={ pcisph = {} }"]),
    ("iisph", &["pressure={ iisph = {} }"]),
    ("dfsph", &["pressure={ dfsph = {} }"]),
    ("cohesion", &["pressure={ cohesion = {} }", "materials.water.fluid.viscosity={ artificial = {} }"]),
    ("viscous", &["materials.water.fluid.viscosity={ morris = { dynamic_viscosity = 50.0 } }"]),
    (
        "viscous iisph",
        &["pressure={ iisph = {} }", "materials.water.fluid.viscosity={ laplacian = { dynamic_viscosity = 100.0 } }"],
    ),
    ("two fluids", &["materials.other.density=500"]),
    ("implicit", &["materials.other.elastic={ implicit = { young_modulus = 5e4 } }"]),
    (
        "implicit alone",
        &[
            "bodies.0.material=other",
            "materials={ other = { density = 1000, elastic.implicit = { young_modulus = 1e5 } } }",
        ],
    ),
    ("explicit", &["materials.other.elastic={ corotated = { young_modulus = 5e5, damping = 1e-3 } }"]),
    (
        "explicit alone",
        &[
            "bodies.0.material=other",
            "materials={ other = { density = 1000, elastic.st_venant_kirchhoff = { young_modulus = 1e6 } } }",
        ],
    ),
    (
        "at rest",
        &[
            "pressure={ iisph = {} }",
            "bodies.0.shape.box.max=[1.6, 0.6, 0]",
            "bodies.1.shape.box={ min = [0, 0.6, 0], max = [1.6, 0.7, 0] }",
        ],
    ),
];

#[test]
fn steps_are_told_within_a_factor_of_one_and_a_half() {
    let mut wrong = String::new();
    for (kind, settings) in KINDS {
        let settings: Vec<_> = settings.iter().map(ToString::to_string).collect();
        let scene = Scene::read(kind, TANK, &settings).unwrap_or_else(|problems| panic!("{problems}"));
        let mut rehearsal = scene.rehearse().unwrap();
        while rehearsal.step().unwrap() {}
        let (told, rehearsed) = (rehearsal.forecast().steps as f64, rehearsal.steps());
        let mut simulation = scene.build().unwrap().simulation;
        for frame in 1..=25 {
            let time = f64::from(frame) / 25.0;
            while simulation.time() < time {
                simulation.step_until(time).unwrap();
            }
        }
        let made = simulation.steps() as f64;
        let row = format!("{kind}: {told} told after {rehearsed}, {made} made: {:.2}\n", told / made);
        print!("{row}");
        if !(1.0 / 1.5..1.5).contains(&(told / made)) {
            wrong += &row;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
