//! Facts about the scenes after figures of Becker 2009 and Peer 2018.

use super::run;

#[test]
fn falling_cuboids_tip_over_but_for_plain_sph() {
    let end = run("falling-cuboids", &["time.end=0.45"]);
    let tilt = |name: &str| {
        let at = |side: &str, axis: &str| end(&format!("{name}-{side}.position_{axis} [m]"));
        let [x, y] = ["x", "y"].map(|axis| at("right", axis) - at("left", axis));
        y.atan2(x).to_degrees()
    };
    let tilts = ["plain", "corotated", "implicit"].map(tilt);
    assert!(tilts[0] > -45.0 && tilts[1] < -65.0 && tilts[2] < -65.0, "{tilts:?}");
}

#[test]
fn spinning_cubes_keep_turning_but_for_plain_sph() {
    let end = run("spinning-cubes", &["world.spacing=0.1", "time.end=2.0"]);
    let momenta = ["implicit", "nonlinear", "plain"].map(|name| end(&format!("{name}.angular_momentum_z [kg m^2/s]")));
    // Angular acceleration, times time, times the moment of inertia of 4 x 4 x 4 particles.
    let expected = 2.0 * 1.5 * 64.0 * (0.16 - 0.01) / 6.0;
    assert!((momenta[0] / expected - 1.0).abs() < 0.01 && (momenta[1] / expected - 1.0).abs() < 0.01, "{momenta:?}");
    assert!(momenta[2].abs() < 0.7 * expected, "{momenta:?}");
}

#[test]
fn nonlinear_cuboids_the_implicit_one_falls_turns_and_lands_alike() {
    for (until, near) in [("time.end=0.25", 0.003), ("time.end=0.5", 0.05)] {
        let settings = ["world.spacing=0.1", until];
        let end = run("nonlinear-cuboids", &settings);
        for part in ["", "-right"] {
            for axis in ["x", "y"] {
                let [nonlinear, implicit] =
                    ["nonlinear", "implicit"].map(|name| end(&format!("{name}{part}.position_{axis} [m]")));
                assert!((nonlinear - implicit).abs() < near, "{part} {axis}: {nonlinear} {implicit}");
            }
        }
        // It fell from 0.55, and its right end was the higher one before it touched the ground.
        assert!(end("implicit.position_y [m]") < 0.3 && end("implicit-right.position_y [m]") > 0.1);
    }
}

#[test]
fn rubber_duck_falls_on_the_ball_and_not_through_it() {
    let end = run("rubber-duck", &["world.spacing=0.06", "time.end=0.4"]);
    // Without the ball it would be at 0.82 - 0.78.
    assert!((0.4..0.8).contains(&end("duck.position_y [m]")), "{}", end("duck.position_y [m]"));
}

#[test]
fn nine_moduli_the_stiffer_a_figure_the_higher_it_stands() {
    let end = run("nine-moduli", &["world.spacing=0.05", "time.end=0.3"]);
    let height = |name: &str| end(&format!("{name}.position_y [m]"));
    for row in ["shear", "both"] {
        let [low, high] = ["low", "high"].map(|size| height(&format!("{row}-{size}")));
        assert!(low < high - 0.01, "{row}: {low} {high}");
    }
}

#[test]
fn floating_solids_float_as_deep_as_they_are_dense() {
    let end = run("floating-solids", &["world.spacing=0.05", "time.end=1.0"]);
    let [ball, brick] = ["ball", "brick"].map(|name| end(&format!("{name}.position_y [m]")));
    assert!((0.3..0.8).contains(&ball) && (0.25..0.75).contains(&brick), "{ball} {brick}");
}

#[test]
fn plasticine_keeps_the_dent_and_rubber_does_not() {
    let end = run("plasticine", &["world.spacing=0.05", "time.end=1.6"]);
    let start = run("plasticine", &["world.spacing=0.05", "time.end=0.05"]);
    let dents = ["plasticine", "rubber"].map(|name| {
        let column = format!("dent-{name}.position_y [m]");
        start(&column) - end(&column)
    });
    // The stamp goes in by 0.08.
    assert!(dents[0] > 0.03 && dents[1] < 0.01, "{dents:?}");
}

#[test]
fn broken_plate_falls_to_pieces_under_the_ball() {
    let entry = thixo_scene::gallery().iter().find(|entry| entry.name == "broken-plate").unwrap();
    let settings = ["world.spacing=0.03", "time.end=0.3"].map(String::from);
    let scene = thixo_scene::Scene::read(entry.name, entry.text, &settings).unwrap();
    let thixo_scene::BuiltScene { mut simulation, ids, .. } = scene.build().unwrap();
    simulation.advance(scene.time.end).unwrap();
    let of_plate = |body: &&thixo_sim::Body| body.name == "plate" && !body.is_removed;
    let pieces = simulation.bodies().iter().filter(of_plate).count();
    let height = simulation.rigid_body(ids["ball"]).unwrap().centre.y;
    // Whole, the plate would bear it at 0.44.
    assert!(pieces >= 2 && height < 0.3, "{pieces} pieces, ball at {height} m");
}
