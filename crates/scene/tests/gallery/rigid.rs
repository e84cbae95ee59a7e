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
