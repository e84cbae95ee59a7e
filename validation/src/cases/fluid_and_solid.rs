//! S1, S2, S3: elastic bodies in water: a plate that carries it, a gate that opens, a block that floats.

use thixo_sim::measure::{centre, deformation_gradients};

use crate::experiment::{CaseError, Conditions, Experiment};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::particles_at;

/// How far the middle of a plate sinks, thickness h, length L = 1 m, held at both ends, under q = 20 944 Pa: that of water 2 m
/// deep and of itself. With E' = E/(1 − ν²), D = E' h³/12 and a shear correction of 5/6, w = q L⁴/(384 D) + q L²/(8 · 5/6 G h).
fn sinking_of_plate(stiffness: f64) -> f64 {
    let (thickness, young, poisson) = (0.05_f64, 6.75e8 * stiffness, 0.3);
    let load = 9.81 * (1000.0 * 2.0 + 2700.0 * thickness);
    let bending = young / (1.0 - poisson * poisson) * thickness.powi(3) / 12.0;
    let shear = young / (2.0 * (1.0 + poisson));
    load / (384.0 * bending) + load / (8.0 * 5.0 / 6.0 * shear * thickness)
}

/// The plate of S1, so many layers thick.
#[derive(Clone, Copy)]
pub(crate) struct Plate {
    pub(crate) layers: u32,
    /// Its modulus over that of the scene.
    pub(crate) stiffness: f64,
    /// Steps over those that the scene chooses.
    pub(crate) steps: &'static [f64],
    /// How far from theory it may be: first-order gradients of few layers are soft.
    pub(crate) tolerance: f64,
}

/// How far a plate sinks: in the mean over whole periods [m], and in time.
struct Sinking {
    mean: f64,
    curve: Vec<(f64, f64)>,
    conditions: Conditions,
}

/// Eight layers, as stiff as the scene says.
pub(crate) const PLATE: Plate = Plate { layers: 8, stiffness: 1.0, steps: &[0.5, 0.25], tolerance: 0.15 };

impl Plate {
    /// How far its middle sinks. No step is longer than given, if it is.
    fn sink(&self, text: &str, longest: Option<f64>) -> Result<Sinking, CaseError> {
        let spacing = 0.05 / f64::from(self.layers);
        let elastic = "materials.plate.elastic.implicit";
        let mut overrides = vec![
            format!("world.spacing={spacing}"),
            format!("{elastic}.young_modulus={:e}", 6.75e8 * self.stiffness),
            // The same share of critical damping.
            format!("{elastic}.damping={:e}", 0.0023 / self.stiffness.sqrt()),
        ];
        overrides.extend(longest.map(|longest| format!("time.step.adaptive.longest={longest:e}")));
        let mut experiment = Experiment::new("S1", text, &overrides)?;
        experiment.simulation.prepare()?;
        let middle = particles_at(&experiment.simulation, |x| (x.x - 0.5).abs() < 1.1 * spacing);
        let start = centre(&experiment.simulation, &middle).y;
        let mut curve = vec![(0.0, 0.0)];
        experiment.run(|simulation, _| curve.push((simulation.time(), start - centre(simulation, &middle).y)))?;
        Ok(Sinking { mean: mean_over_periods(&curve), curve, conditions: experiment.conditions() })
    }
}

/// The mean over time between the second and the last moment at which a curve rises through its mean.
fn mean_over_periods(curve: &[(f64, f64)]) -> f64 {
    let mean = |from: f64, to: f64| {
        let steps = curve.windows(2).filter(|pair| pair[0].0 >= from && pair[1].0 <= to);
        let (sum, time) = steps.fold((0.0, 0.0), |(sum, time), pair| {
            let dt = pair[1].0 - pair[0].0;
            (sum + 0.5 * dt * (pair[0].1 + pair[1].1), time + dt)
        });
        sum / time
    };
    let all = mean(0.0, f64::INFINITY);
    let rises: Vec<_> =
        curve.windows(2).filter(|pair| pair[0].1 < all && pair[1].1 >= all).map(|pair| pair[1].0).collect();
    match rises[..] {
        [_, from, .., to] => mean(from, to),
        _ => all,
    }
}

/// S1: a column of water on a plate, in steps as the scene chooses them and in shares of these.
pub(crate) fn column(plate: Plate) -> Result<Vec<Row>, CaseError> {
    let text = include_str!("../../scenes/column_on_plate.toml");
    let Plate { layers, stiffness, steps, tolerance } = plate;
    let Sinking { mean: sunk, curve, conditions } = plate.sink(text, None)?;
    let dry = plate.sink(include_str!("../../scenes/dry_plate.toml"), None)?.mean;
    let expected = sinking_of_plate(stiffness);
    let end = curve.last().map_or(0.0, |point| point.0);
    let plot = Plot::new("Water on a plate", "time [s]", "sinking of the middle [m]")
        .line("simulated", curve)
        .line("Timoshenko", vec![(0.0, expected), (end, expected)]);
    let of = format!("{layers} layers, {stiffness} times as stiff");
    let mut rows = vec![
        Row::relative(&format!("sinking of the plate, {of} [m]"), sunk, expected, tolerance)
            .under(&conditions)
            .plotting(plot),
        Row::relative(&format!("the same against the dry plate, {of} [m]"), sunk, dry, 0.05).under(&conditions),
    ];
    for share in steps {
        let Sinking { mean: other, conditions, .. } = plate.sink(text, Some(share * conditions.dt))?;
        let quantity = format!("the same in steps {share} times as long, {of} [m]");
        rows.push(Row::relative(&quantity, other, sunk, 0.03).under(&conditions));
    }
    Ok(rows)
}

/// S2: how far the free end of a gate is pushed outwards; no experiment is tabled, so only the order is judged.
pub(crate) fn gate(spacing: f64, wider: f64) -> Result<Vec<Row>, CaseError> {
    let text = include_str!("../../scenes/elastic_gate.toml");
    let mut experiment = Experiment::new("S2", text, &[format!("world.spacing={spacing}")])?;
    experiment.simulation.prepare()?;
    let end = particles_at(&experiment.simulation, |x| x.y < 1.1 * spacing);
    let start = centre(&experiment.simulation, &end);
    let mut curve = vec![(0.0, 0.0)];
    experiment.run(|simulation, _| curve.push((simulation.time(), (centre(simulation, &end) - start).x)))?;
    let (when, most) =
        curve.iter().copied().fold((0.0, 0.0), |most, point| if point.1 > most.1 { point } else { most });
    let known =
        [(0.021, 10.8), (0.041, 30.0), (0.062, 39.3), (0.082, 43.5), (0.103, 45.5), (0.124, 45.8), (0.165, 43.9)];
    let known = known.map(|(time, distance)| (time, distance * 1e-3));
    let plot = Plot::new("A gate of rubber", "time [s]", "end, outwards [m]")
        .line("simulated", curve)
        .dots("SPHinXsys, two layers", known.to_vec());
    let conditions = experiment.conditions();
    Ok(vec![
        Row::absolute("greatest opening [m]", most, 0.045, 0.015 * wider).under(&conditions).plotting(plot),
        Row::absolute("time of the greatest opening [s]", when, 0.13, 0.05 * wider).under(&conditions),
    ])
}

/// S3: a block floats as deep as its weight says, and keeps its volume.
pub(crate) fn floating(spacing: f64, until: f64) -> Result<Vec<Row>, CaseError> {
    let text = include_str!("../../scenes/floating_block.toml");
    let overrides = [format!("world.spacing={spacing}"), format!("time.end={until}")];
    let mut experiment = Experiment::new("S3", text, &overrides)?;
    experiment.simulation.prepare()?;
    let bottom = particles_at(&experiment.simulation, |x| x.y < 0.32 + spacing);
    let mut drafts = Vec::new();
    let water = experiment.simulation.world().kinds.flowing().len();
    let area = water as f64 * spacing * spacing;
    experiment.run(|simulation, _| {
        // Half a spacing above the bottom are the lowest particles. Water fills what the block leaves of the tank.
        let below = centre(simulation, &bottom).y - 0.5 * spacing;
        let level = (area - 0.4 * below) / (2.0 - 0.4);
        drafts.push((simulation.time(), level - below));
    })?;
    let late: Vec<_> = drafts.iter().filter(|point| point.0 > 0.75 * until).collect();
    let draft = late.iter().map(|point| point.1).sum::<f64>() / late.len() as f64;
    let gradients = deformation_gradients(&experiment.simulation);
    let in_plane = |f: &glam::DMat3| f.x_axis.x * f.y_axis.y - f.x_axis.y * f.y_axis.x;
    let squeezed = gradients.iter().map(in_plane).sum::<f64>() / gradients.len() as f64 - 1.0;
    let conditions = experiment.conditions();
    let plot = Plot::new("A floating block", "time [s]", "draft [m]").line("simulated", drafts);
    Ok(vec![
        Row::absolute("draft [m]", draft, 0.1, 0.5 * spacing).under(&conditions).plotting(plot),
        Row::at_most("change of the block's volume [-]", squeezed, 0.01).under(&conditions),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plate_is_that_of_the_textbook() {
        assert!((sinking_of_plate(1.0) - 7.30e-3).abs() < 1e-5, "{}", sinking_of_plate(1.0));
    }
}
