//! What is legal but surely not meant is said before it costs anything.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::Scene;

fn read(text: &str) -> Result<Scene, String> {
    let text =
        format!("world.spacing = 0.02\nworld.dimension = 2\ntime.end = 1\nmaterials.water.density = 1000\n{text}");
    Scene::read("scene.toml", &text, &[]).map_err(|problems| problems.to_string())
}

fn warnings(text: &str) -> Vec<String> {
    read(text).unwrap_or_else(|problems| panic!("{problems}")).warnings().to_vec()
}

fn body(shape: &str) -> String {
    format!("[[bodies]]\nname = \"water\"\nmaterial = \"water\"\nshape.{shape}\n")
}

fn wall(name: &str, shape: &str, more: &str) -> String {
    format!("[[walls]]\nname = \"{name}\"\nshape.{shape}\n{more}\n")
}

#[test]
fn a_body_of_a_few_particles_is_told() {
    let few = warnings(&body("sphere = { centre = [0, 0, 0], radius = 0.012 }"));
    assert_eq!(few.len(), 1, "{few:?}");
    assert!(few[0].starts_with("body `water` is but 1 particle, too few to behave as matter"), "{few:?}");
    assert_eq!(warnings(&body("sphere = { centre = [0, 0, 0], radius = 0.04 }")), Vec::<String>::new());
}

#[test]
fn parts_thinner_than_a_spacing_are_told() {
    let handle = |thickness: f64| {
        body(&format!(
            "union = [{{ box = {{ min = [0, 0, 0], max = [0.2, 0.2, 0] }} }}, {{ box = {{ min = [0.1, 0.105, 0], max = [0.6, {}, 0] }} }}]",
            0.105 + thickness
        ))
    };
    let thin = warnings(&handle(0.004));
    assert!(thin.iter().any(|text| text.contains("has parts thinner than the spacing of 0.02 m")), "{thin:?}");
    assert_eq!(warnings(&handle(0.04)), Vec::<String>::new());
}

#[test]
fn a_fluid_without_enough_room_is_told() {
    // Two rows where there is room for one and a half, and nowhere to go.
    let tank = wall("tank", "union = [{ box = { min = [0, 0, 0], max = [0.3, 0.03, 0] } }]", "inside = true");
    let told = warnings(&(body("box = { min = [0, 0, 0], max = [0.3, 0.04, 0] }") + &tank));
    assert!(told.iter().any(|text| text.starts_with("body `water` starts compressed by ")), "{told:?}");
}

const TANK: &str = "box = { min = [0, 0, 0], max = [1, 0.6, 0] }";
const POOL: &str = "box = { min = [0, 0, 0], max = [1, 0.2, 0] }";

/// A paddle in a tank of water, from `x` on, on a path between two translations.
fn paddle(x: f64, from: f64, to: f64) -> Vec<String> {
    let shape = format!("box = {{ min = [{x}, 0.04, 0], max = [{}, 0.5, 0] }}", x + 0.04);
    let path = format!(
        "path = [{{ time = 0, translation = [{from}, 0, 0] }}, {{ time = 0.5, translation = [{to}, 0, 0] }}, {{ time = 1, translation = [{from}, 0, 0] }}]"
    );
    let pool = body("box = { min = [0.5, 0, 0], max = [0.8, 0.2, 0] }");
    warnings(&(pool + &wall("tank", TANK, "inside = true") + &wall("paddle", &shape, &path)))
}

#[test]
fn paths_that_sweep_through_another_wall_are_told_with_both_names_and_the_moment() {
    // It comes in through the wall at x = 0, and goes out where it came in.
    let told = paddle(-0.1, 0.0, 0.3);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("walls `tank` and `paddle` meet at 0.8"), "{told:?}");
    // To and fro in the tank it meets nothing; nor does it where it only leaves a wall.
    assert_eq!(paddle(0.1, 0.0, 0.3), Vec::<String>::new());
    assert_eq!(paddle(0.1, 0.2, -0.02), Vec::<String>::new());
    assert_eq!(paddle(0.1, 0.2, -0.12).len(), 1);
    // One that stands on the floor lets nothing get behind it.
    let wave_maker = "path = [{ time = 0 }, { time = 0.5, translation = [0.2, 0, 0] }, { time = 1 }]";
    let told = warnings(
        &(body("box = { min = [0.1, 0, 0], max = [0.8, 0.2, 0] }")
            + &wall("tank", TANK, "inside = true")
            + &wall("paddle", "box = { min = [0, 0, 0], max = [0.1, 0.6, 0] }", wave_maker)),
    );
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn a_piston_that_goes_to_the_bottom_is_told() {
    let piston = |depth: f64| {
        let path = format!("path = [{{ time = 0 }}, {{ time = 0.4, translation = [0, -{depth}, 0] }}]");
        warnings(
            &(body(POOL)
                + &wall("tank", TANK, "inside = true")
                + &wall("piston", "box = { min = [0, 0.2, 0], max = [1, 0.3, 0] }", &path)),
        )
    };
    let told = piston(0.2);
    assert!(told.len() == 1 && told[0].contains("`tank` and `piston` meet at 0.3"), "{told:?}");
    assert_eq!(piston(0.1), Vec::<String>::new());
}

/// A box of so many cells that no computer of today holds them, but fewer than the program itself could number.
#[test]
fn more_particles_than_the_memory_holds_are_refused_before_they_are_made() {
    let huge = body(
        "union = [{ sphere = { centre = [0, 0, 0], radius = 1 } }, { sphere = { centre = [1, 0, 0], radius = 1 } }]",
    );
    let text = format!(
        "world.spacing = 0.004\ntime.end = 1\nmaterials.water.density = 1000\n{huge}\
         [[bodies]]\nname = \"drop\"\nmaterial = \"water\"\nshape.sphere = {{ centre = [5, 0, 0], radius = 0.02 }}\n"
    );
    let refused = Scene::read("scene.toml", &text, &[]).unwrap_err().to_string();
    assert!(refused.contains("particles at a spacing of 0.004 m need "), "{refused}");
    assert!(
        refused.contains("body `water` alone is 3 x 2 x 2 m and takes 99 % of them: is its unit right?"),
        "{refused}"
    );
}
