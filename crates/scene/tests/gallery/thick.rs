//! Facts about the scenes with thick fluids.

use super::run;

/// It lies in folds: higher than what spreads, and no wider than it is high.
#[test]
fn honey_sheet_folds_into_a_heap() {
    let end = run("honey-sheet", &[]);
    let (top, foot) = (end("top.front [m]"), end("foot.front [m]"));
    assert!((0.04..0.09).contains(&top) && foot < 0.09, "{top} {foot}");
    let water = run("honey-sheet", &["materials.honey.fluid.viscosity.implicit.dynamic_viscosity=0.5"]);
    assert!(water("foot.front [m]") > 0.11, "{}", water("foot.front [m]"));
}

/// The torque that it takes to stir it falls as structure is broken down, and is larger again after a rest.
#[test]
fn stirred_gel_thins_and_sets_again() {
    let torque = |time: f64| {
        let end = run("stirred-gel", &["world.spacing=0.00375", &format!("time.end={time}")]);
        -end("paddle.torque_z [N m]")
    };
    let [fresh, stirred, rested] = [0.1, 1.9, 4.1].map(torque);
    assert!(stirred < 0.35 * fresh, "{fresh} {stirred}");
    assert!(rested > 1.5 * stirred && rested < 0.9 * fresh, "{fresh} {stirred} {rested}");
}
