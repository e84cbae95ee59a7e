//! Facts about the scenes with rigid bodies.

use thixo_scene::{Scene, gallery};
use thixo_sim::measure::Totals;
use thixo_sim::{EnergyBalance, Real};

use super::run;

#[test]
fn floating_boxes_light_ones_swim_and_heavy_ones_lie_on_the_floor() {
    let end = run("floating-boxes", &["world.spacing=0.04", "time.end=2.0"]);
    let height = |name: &str| end(&format!("{name}.centre_y [m]"));
    // The pool and what is in it: 1.2 and 0.13 m^2 over 2 m.
    let level = 0.66;
    for name in ["float", "log", "plank"] {
        // Waves are as high as the smallest body.
        assert!((height(name) - level).abs() < 0.16, "{name}: {}", height(name));
    }
    assert!((0.06..0.14).contains(&height("block")), "{}", height("block"));
    assert!((0.06..0.14).contains(&height("pebble")), "{}", height("pebble"));
}

#[test]
fn rigid_stack_the_top_falls_and_little_moves_on() {
    let end = run("rigid-stack", &[]);
    assert!(end("top.centre_y [m]") < 0.12 && end("top.centre_x [m]") > 0.4, "{}", end("top.centre_y [m]"));
    // The ball came with 150 J, and may roll on.
    assert!(end("all.kinetic [J]") < 10.0, "{}", end("all.kinetic [J]"));
}

/// However heavy it is, the capsule does not get through; the lightest bounces back fastest.
#[test]
fn capsule_shot_the_curtain_catches_capsules_of_any_weight() {
    for density in [200.0, 2000.0] {
        let metal = format!("materials.metal.density={density}");
        let settings = ["time.end=0.25", &metal];
        let end = run("capsule-shot", &settings);
        assert!(end("capsule.velocity_x [m/s]") < 1.0, "{density}: {}", end("capsule.velocity_x [m/s]"));
        assert!(end("capsule.centre_x [m]") < end("curtain.position_x [m]"), "{density}");
    }
}

/// The water comes down on the right of the axle, so that the wheel turns clockwise, and has not stopped.
#[test]
fn water_wheel_falling_water_turns_the_wheel_about_its_hinge() {
    let end = run("water-wheel", &["world.spacing=0.04", "time.end=1.5"]);
    assert!(end("axle.angle [rad]") < -1.0, "{}", end("axle.angle [rad]"));
    let off = (end("wheel.centre_x [m]") - 1.2).hypot(end("wheel.centre_y [m]") - 0.64);
    assert!(off < 1e-3, "the axle is {off} from its place");
}

/// The boat floats upright, and the cargo stays aboard.
#[test]
fn boat_carries_its_cargo_over_the_waves() {
    let end = run("boat", &["time.end=2.0"]);
    let [tilt, height] = [2.0 * end("boat.turn_z [-]").asin(), end("boat.centre_y [m]")];
    assert!(tilt.abs() < 0.4 && (0.4..0.7).contains(&height), "{tilt} {height}");
    let cargo =
        ["x", "y"].map(|axis| end(&format!("cargo.position_{axis} [m]")) - end(&format!("boat.centre_{axis} [m]")));
    assert!(cargo[0].abs() < 0.34 && cargo[1].abs() < 0.3, "{cargo:?}");
    assert!(end("crest.front [m]") > 0.5, "{}", end("crest.front [m]"));
}

/// Nothing gets into anything: slabs are 0.3 m high and blocks 0.3 m wide, which soft ones lose a quarter of.
#[test]
fn blocks_on_blocks_lie_on_the_slabs_and_little_moves_on() {
    let end = run("blocks-on-blocks", &["time.end=1.5"]);
    for name in ["iron.centre", "jelly.position"] {
        let height = end(&format!("{name}_y [m]"));
        assert!((0.33..0.55).contains(&height), "{name}: {height}");
    }
    for name in ["left", "right"] {
        let height = end(&format!("{name}.position_y [m]"));
        assert!((0.1..0.155).contains(&height), "{name}: {height}");
    }
    // They fell with 540 J.
    assert!(end("all.kinetic [J]") < 40.0, "{}", end("all.kinetic [J]"));
}

/// Wood swims above rubber, rubber lies above stone, and hardly anything moves any more. Single bodies may be caught below others.
#[test]
fn hundred_bodies_sort_themselves_by_density() {
    let entry = gallery().iter().find(|entry| entry.name == "hundred-bodies").unwrap();
    let settings = ["world.spacing=0.05", "time.end=1.5"].map(str::to_owned);
    let scene = Scene::read(entry.name, entry.text, &settings).unwrap();
    let mut simulation = scene.build().unwrap().simulation;
    while simulation.time() < scene.time.end {
        simulation.step_until(scene.time.end).unwrap();
    }
    let particles = simulation.particles();
    let height = |density: Real| {
        let own = simulation.matter().filter(|&i| (particles.rest_density[i] - density).abs() < 1.0);
        let (sum, count) =
            own.fold((0.0, 0.0), |(sum, count), i| (sum + f64::from(particles.position[i].y), count + 1.0));
        sum / count
    };
    let [oak, rubber, stone] = [600.0, 1100.0, 2500.0].map(height);
    assert!(oak > rubber + 0.05 && rubber > stone + 0.05, "{oak} {rubber} {stone}");
    assert!(simulation.energy().map_or(0.0, EnergyBalance::gain) < 0.02);
    // They fell with 4000 J.
    let kinetic = Totals::of_motion(&simulation, None).kinetic;
    assert!(kinetic < 100.0, "{kinetic}");
}
