//! E2: a cantilever sinks as Timoshenko's beam does, the better the more layers it has.
//!
//! Plane strain, L = 1 m, h = 0.1 m, E = 1e6 Pa, ν = 0.3, ρ = 1000 kg/m³, g = 0.05 m/s². With E' = E/(1 − ν²),
//! I = h³/12 and a shear correction of 5/6,
//!
//! ```text
//! w = q L⁴/(8 E' I) + q L²/(2 · 5/6 G h),    q = ρ g h
//! ```
//!
//! Gradients that are exact for linear fields see too little of the bending: a beam of few layers is known to be too soft.

use crate::experiment::{CaseError, Conditions, Experiment};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::Tip;

fn timoshenko() -> f64 {
    let (length, height, young, poisson) = (1.0_f64, 0.1_f64, 1.0e6, 0.3);
    let weight = 1000.0 * 0.05 * height;
    let bending = weight * length.powi(4) / (8.0 * young / (1.0 - poisson * poisson) * height.powi(3) / 12.0);
    let shear = young / (2.0 * (1.0 + poisson));
    bending + weight * length * length / (2.0 * 5.0 / 6.0 * shear * height)
}

/// How far the tip of a beam of so many layers sinks [m].
fn sinking(layers: u32) -> Result<(f64, Conditions), CaseError> {
    let spacing = 0.1 / f64::from(layers);
    let text = include_str!("../../scenes/cantilever_2d.toml");
    let mut experiment = Experiment::new("E2", text, &[format!("world.spacing={spacing}")])?;
    experiment.simulation.prepare()?;
    let tip = Tip::new(&experiment.simulation, 1.0, spacing);
    let start = tip.place(&experiment.simulation);
    experiment.run(|_, _| ())?;
    Ok(((start - tip.place(&experiment.simulation)).y, experiment.conditions()))
}
/// With eight layers, which is all that a test has time for.
pub(crate) fn coarse() -> Result<Vec<Row>, CaseError> {
    let (sunk, conditions) = sinking(8)?;
    Ok(vec![Row::relative("sinking of the tip, 8 layers [m]", sunk, timoshenko(), 0.13).under(&conditions)])
}

/// With 8, 12 and 16 layers, and what they lead to.
pub(crate) fn converging() -> Result<Vec<Row>, CaseError> {
    let expected = timoshenko();
    let mut rows = Vec::new();
    let mut sunk = Vec::new();
    for (layers, tolerance) in [(8, 0.13), (12, 0.09), (16, 0.05)] {
        let (found, conditions) = sinking(layers)?;
        let quantity = format!("sinking of the tip, {layers} layers [m]");
        rows.push(Row::relative(&quantity, found, expected, tolerance).under(&conditions));
        sunk.push((f64::from(layers), found));
    }
    let (limit, order) = limit([sunk[0], sunk[1], sunk[2]]);
    let conditions = rows[2].conditions.clone();
    let row = Row::relative("sinking of the tip, as layers become many [m]", limit, expected, 0.02);
    rows.push(row.under(&conditions).reporting("fitted order", order));
    let plot = Plot::new("Cantilever", "1 / layers", "sinking [m]");
    let simulated = sunk.iter().rev().map(|(layers, found)| (1.0 / layers, *found)).collect();
    rows[0].plot = Some(plot.dots("simulated", simulated).line("Timoshenko", vec![(0.0, expected), (0.13, expected)]));
    Ok(rows)
}

/// What values at three resolutions n lead to, if they differ from it by c n^(−p); and p.
fn limit(values: [(f64, f64); 3]) -> (f64, f64) {
    let [(n1, v1), (n2, v2), (n3, v3)] = values;
    let ratio = (v1 - v2) / (v2 - v3);
    let of = |p: f64| (n1.powf(-p) - n2.powf(-p)) / (n2.powf(-p) - n3.powf(-p));
    let (mut low, mut high) = (0.2, 6.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if of(middle) < ratio { low = middle } else { high = middle }
    }
    let factor = (v2 - v3) / (n2.powf(-low) - n3.powf(-low));
    (v3 - factor * n3.powf(-low), low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_that_of_the_textbook() {
        assert!((timoshenko() - 6.903e-3).abs() < 1e-6, "{}", timoshenko());
    }

    #[test]
    fn limits_and_orders_are_found() {
        let (found, order) = limit([8.0, 12.0, 16.0].map(|n: f64| (n, 3.0 + 5.0 * n.powf(-1.7))));
        assert!((found - 3.0).abs() < 1e-6 && (order - 1.7).abs() < 1e-4);
    }
}
