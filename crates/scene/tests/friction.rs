//! Friction that nobody asked for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::Scene;
use thixo_sim::measure::Totals;

const DAM: &str = r#"
    world = { spacing = 0.02, dimension = 2 }
    time = { end = 1.0 }
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

/// What dams of several widths have left of their energy 1 s after they broke, with such a solver in steps of such a length
/// [-]. How water splashes is chance: single dams differ by some two per cent.
fn energy_left(pressure: &str, step: f64) -> f64 {
    let dams = [0.42, 0.46, 0.5, 0.54].map(|width| {
        let size = format!("bodies.column.shape.box.max=[{width}, 0.5, 0.0]");
        let scene = Scene::read("dam", DAM, &[pressure.to_owned(), format!("time.step.fixed={step}"), size]);
        let mut simulation = scene.unwrap_or_else(|problems| panic!("{problems}")).build().unwrap().simulation;
        let before = Totals::of(&simulation, None).energy();
        simulation.advance(1.0).unwrap();
        Totals::of(&simulation, None).energy() / before
    });
    println!("{pressure}, {step} s: {dams:.3?}");
    dams.iter().sum::<f64>() / dams.len() as f64
}

#[test]
fn the_default_friction_of_a_dam_does_not_depend_on_the_step() {
    for (pressure, step) in [("pressure.iisph={}", 2e-3), ("pressure.wcsph.stiffness=1000", 5e-4)] {
        let [long, short] = [step, 0.5 * step].map(|step| energy_left(pressure, step));
        assert!((long / short - 1.0).abs() < 0.02, "{pressure}: {long} {short}");
    }
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
