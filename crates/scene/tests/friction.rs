//! Friction that nobody asked for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::Scene;
use thixo_sim::measure::Totals;

const DAM: &str = r#"
    world = { spacing = 0.02, dimension = 2 }
    time = { end = 1.0 }
    pressure.iisph = {}
    [materials.water]
    density = 1000.0
    [[bodies]]
    name = "column"
    material = "water"
    shape.box = { min = [0.0, 0.0, 0.0], max = [0.5, 0.5, 0.0] }
    [[walls]]
    name = "tank"
    shape.box = { min = [0.0, 0.0, 0.0], max = [1.0, 0.8, 0.0] }
    inside = true
"#;

/// The energy of a dam 1 s after it broke, in steps of such a length [J].
fn energy_of_dam(step: f64) -> f64 {
    let scene = Scene::read("dam", DAM, &[format!("time.step.fixed={step}")]);
    let mut simulation = scene.unwrap_or_else(|problems| panic!("{problems}")).build().unwrap().simulation;
    simulation.advance(1.0).unwrap();
    Totals::of(&simulation, None).energy()
}

#[test]
fn the_default_friction_of_a_dam_does_not_depend_on_the_step() {
    let [long, short] = [2e-3, 1e-3].map(energy_of_dam);
    println!("{long:.1} and {short:.1} J");
    assert!((long / short - 1.0).abs() < 0.02, "{long} {short}");
}

#[test]
fn walls_hold_what_has_a_viscosity_and_whatever_they_are_told_to() {
    let no_slip = |set: &[&str]| {
        let set: Vec<_> = set.iter().map(|&text| text.to_owned()).collect();
        Scene::read("dam", DAM, &set).unwrap().walls[0].no_slip
    };
    let honey = "materials.water.fluid.viscosity={ morris = { dynamic_viscosity = 10.0 } }";
    assert_eq!(no_slip(&[]), Some(false));
    assert_eq!(no_slip(&[honey]), Some(true));
    assert_eq!(no_slip(&["walls.tank.no_slip=true"]), Some(true));
    assert_eq!(no_slip(&[honey, "walls.tank.no_slip=false"]), Some(false));
}
