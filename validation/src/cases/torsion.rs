//! E7: a square bar that is twisted resists with the torque of Saint-Venant's theory.
//!
//! Warping is free in the reference and held by the clamps here; gradients that are exact for linear fields see too little
//! of the rest: 0.79, 0.86, 0.90 of the reference are known for 6, 8 and 10 layers.

use glam::{DMat3, DVec3};
use thixo_sim::measure::elastic_forces;
use thixo_sim::{Dimension, Elastic, Implicit, Real, StepSize};

use crate::experiment::{CaseError, Conditions};
use crate::row::Row;
use crate::solid::{Solid, block, wide};

const SIDE: f64 = 0.1;
const LENGTH: f64 = 0.5;
const YOUNG: f64 = 1.0e6;
const POISSON: f64 = 0.3;

/// The torque at an end of a bar of so many layers that is twisted by an angle [N m].
fn torque(layers: usize, angle: f64) -> Result<(f64, Conditions), CaseError> {
    let spacing = SIDE / layers as f64;
    // Two layers more at either end, that are held.
    let cells = [(LENGTH / spacing).round() as usize + 4, layers, layers];
    let elastic = Elastic::Implicit(Implicit {
        young_modulus: Some(YOUNG as Real),
        poisson_ratio: Some(POISSON as Real),
        damping: 0.05,
        tolerance: 1e-4,
        ..Implicit::default()
    });
    let is_held = |x: DVec3| x.x.abs() > 0.5 * LENGTH;
    let mut solid = Solid::new(elastic, Dimension::Three, spacing, block(cells, spacing, 0.0)).clamped(is_held);
    solid.settings.step = StepSize::Fixed(0.01);
    let twist = |x: DVec3| {
        let share = (x.x / LENGTH).clamp(-0.5, 0.5);
        DMat3::from_rotation_x(share * angle) * x
    };
    let mut simulation = solid.deformed(twist)?;
    simulation.advance(0.5)?;
    let particles = simulation.particles();
    let forces = elastic_forces(&simulation);
    let end = simulation.matter().filter(|&i| wide(particles.anchor[i]).x > 0.5 * LENGTH);
    // What is held is pulled back: the torque that holds it is the opposite.
    let torque = end.map(|i| -wide(particles.position[i]).cross(forces[i]).x).sum();
    Ok((torque, Conditions::of(&simulation)))
}

/// The torque at so many layers, and how it grows with the angle.
pub(crate) fn twisted(layers: usize, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let angle = 0.2;
    let expected = 0.140_577 * SIDE.powi(4) * YOUNG / (2.0 * (1.0 + POISSON)) * angle / LENGTH;
    let (found, conditions) = torque(layers, angle)?;
    let (small, _) = torque(layers, 0.25 * angle)?;
    Ok(vec![
        Row::relative("torque [N m]", found, expected, tolerance).under(&conditions),
        Row::relative("torque by four times that of a quarter of the angle [-]", found / (4.0 * small), 1.0, 0.03)
            .under(&conditions),
    ])
}

/// It converges: the more layers, the less is missing.
pub(crate) fn converging() -> Result<Vec<Row>, CaseError> {
    let mut rows = twisted(10, 0.12)?;
    let missing = |row: &Row| (row.measured / row.reference - 1.0).abs();
    let ten = missing(&rows[0]);
    let (six, _) = torque(6, 0.2)?;
    let six = (six / rows[0].reference - 1.0).abs();
    let conditions = rows[0].conditions.clone();
    rows.push(Row::at_most("what is missing with 10 layers by what is with 6 [-]", ten / six, 0.75).under(&conditions));
    Ok(rows)
}
