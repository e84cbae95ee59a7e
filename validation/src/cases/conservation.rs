//! C1: without walls nothing changes the momentum of matter.

use thixo_sim::PRECISION;
use thixo_sim::measure::Totals;

use crate::experiment::{CaseError, Experiment};
use crate::row::Row;

const STEPS: u32 = 1000;

/// Two drops of unequal density collide.
pub(crate) fn drops(dimension: u8) -> Result<Vec<Row>, CaseError> {
    let text = match dimension {
        2 => include_str!("../../scenes/drops_2d.toml"),
        _ => include_str!("../../scenes/drops_3d.toml"),
    };
    let mut experiment = Experiment::new("C1", text, &[])?;
    let before = Totals::of(&experiment.simulation, None);
    for _ in 0..STEPS {
        experiment.simulation.step()?;
    }
    let after = Totals::of(&experiment.simulation, None);
    let drift = (after.momentum - before.momentum).length();
    let turn = (after.angular_momentum - before.angular_momentum).length() / before.angular_momentum.length();
    let tolerance = if PRECISION == "f32" { 1e-5 } else { 1e-12 };
    let measured = after.momentum.length();
    let error = drift / after.momentum_scale;
    let row = Row::new(
        "momentum, its drift by the sum of |m v| [kg m/s]",
        measured,
        before.momentum.length(),
        error,
        tolerance,
    );
    let row = row.under(&experiment.conditions());
    Ok(vec![
        row.reporting("relative change of angular momentum", turn)
            .reporting("kinetic energy left", after.kinetic / before.kinetic),
    ])
}
