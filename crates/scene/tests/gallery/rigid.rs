//! Facts about the scenes with rigid bodies.

use super::run;

/// Archimedes: a float of a quarter of water's density swims with a quarter of its height in it.
#[test]
fn floating_boxes_light_ones_swim_and_heavy_ones_lie_on_the_floor() {
    let end = run("floating-boxes", &["world.spacing=0.04", "time.end=2.0"]);
    let height = |name: &str| end(&format!("{name}.centre_y [m]"));
    // The pool and what is in it: 1.2 and 0.13 m^2 over 2 m.
    let level = 0.66;
    assert!((level..level + 0.09).contains(&height("float")), "{}", height("float"));
    assert!((level - 0.12..level + 0.05).contains(&height("log")), "{}", height("log"));
    assert!((level - 0.12..level + 0.05).contains(&height("plank")), "{}", height("plank"));
    assert!((0.06..0.14).contains(&height("block")), "{}", height("block"));
    assert!((0.06..0.14).contains(&height("pebble")), "{}", height("pebble"));
}

/// The ball has 4 m/s, 33 kg and so 270 J; the stack falls, and comes to rest.
#[test]
fn rigid_stack_the_top_falls_and_all_comes_to_rest() {
    let end = run("rigid-stack", &[]);
    assert!(end("top.centre_y [m]") < 0.12 && end("top.centre_x [m]") > 0.4, "{}", end("top.centre_y [m]"));
    assert!(end("all.kinetic [J]") < 0.5, "{}", end("all.kinetic [J]"));
}

/// However heavy it is, the capsule does not get through; the lightest bounces back fastest.
#[test]
fn capsule_shot_the_curtain_catches_capsules_of_any_weight() {
    for density in [200.0, 2000.0] {
        let settings = ["time.end=0.25".to_owned(), format!("materials.metal.density={density}")];
        let end = run("capsule-shot", &[&settings[0], &settings[1]]);
        assert!(end("capsule.velocity_x [m/s]") < 1.0, "{density}: {}", end("capsule.velocity_x [m/s]"));
        assert!(end("capsule.centre_x [m]") < end("curtain.position_x [m]"), "{density}");
    }
}
