//! Facts about the scenes with heat.

use super::{run, run_watching_speed};

/// What is given to the wax is taken from the water, and most of the wax is molten in the end.
#[test]
fn melting_figure_melts_in_the_water_that_it_cools() {
    let end = run("melting-figure", &["world.spacing=0.025", "time.end=5.0"]);
    assert!(end("wax.temperature [degC]") > 55.0, "{}", end("wax.temperature [degC]"));
    // Of the wax there are about 2.3 litres.
    assert!(end("wax.liquid [kg]") > 1.0, "{}", end("wax.liquid [kg]"));
    assert_eq!(end("all.received [J]").abs().min(1.0), end("all.received [J]").abs(), "nothing comes from outside");
}

/// The wax, 72 kg per metre, is solid but for a core, and has lost its heat through the water and the walls. What sets gains no
/// energy, whatever presses it, and nobody is thrown: wax and water have fallen by 0.6 m, for which they get 3.5 m/s.
#[test]
fn setting_wax_is_solid_in_the_end_and_throws_nobody() {
    for (spacing, pressure) in [("0.02", "auto"), ("0.02", "dfsph"), ("0.03", "auto"), ("0.03", "dfsph")] {
        let pressure = if pressure == "auto" { "pressure=\"auto\"" } else { "pressure={ dfsph = {} }" };
        let settings = [format!("world.spacing={spacing}"), pressure.to_owned()];
        let (end, fastest) = run_watching_speed("setting-wax", &settings);
        // Of 72 kg; coarser wax meets less of what is cold.
        let most = if spacing == "0.02" { 20.0 } else { 40.0 };
        assert!(end("wax.liquid [kg]") < most, "{settings:?}: {}", end("wax.liquid [kg]"));
        assert!(end("all.received [J]") < 0.0, "{settings:?}: {}", end("all.received [J]"));
        assert!(fastest < 3.5, "{settings:?}: {fastest} m/s");
    }
}
