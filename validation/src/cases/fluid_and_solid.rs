//! S1, S2, S3: elastic bodies in water: a plate that carries it, a gate that opens, a block that floats.

use thixo_sim::measure::{centre, deformation_gradients};

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::particles_at;

/// How far the middle of a plate sinks, thickness h, length L = 1 m, held at both ends, under q = 20 944 Pa: that of water 2 m
/// deep and of itself. With E' = E/(1 − ν²), D = E' h³/12 and a shear correction of 5/6, w = q L⁴/(384 D) + q L²/(8 · 5/6 G h).
fn sinking_of_plate() -> f64 {
    let (thickness, young, poisson) = (0.05_f64, 6.75e8, 0.3);
    let load = 9.81 * (1000.0 * 2.0 + 2700.0 * thickness);
    let bending = young / (1.0 - poisson * poisson) * thickness.powi(3) / 12.0;
    let shear = young / (2.0 * (1.0 + poisson));
    load / (384.0 * bending) + load / (8.0 * 5.0 / 6.0 * shear * thickness)
}

/// S1: a column of water on a plate of so many layers.
pub(crate) fn column(layers: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let spacing = 0.05 / f64::from(layers);
    let text = include_str!("../../scenes/column_on_plate.toml");
    let mut experiment = Experiment::new("S1", text, &[format!("world.spacing={spacing}")])?;
    experiment.simulation.prepare()?;
    let middle = particles_at(&experiment.simulation, |x| (x.x - 0.5).abs() < 1.1 * spacing);
    let start = centre(&experiment.simulation, &middle).y;
    let mut curve = vec![(0.0, 0.0)];
    experiment.run(|simulation, _| curve.push((simulation.time(), start - centre(simulation, &middle).y)))?;
    let end = experiment.scene.time.end;
    let late: Vec<_> = curve.iter().filter(|point| point.0 > 0.75 * end).map(|point| point.1).collect();
    let sunk = late.iter().sum::<f64>() / late.len() as f64;
    let expected = sinking_of_plate();
    let plot = Plot::new("Water on a plate", "time [s]", "sinking of the middle [m]")
        .line("simulated", curve)
        .line("Timoshenko", vec![(0.0, expected), (end, expected)]);
    let quantity = format!("sinking of the plate, {layers} layers [m]");
    Ok(vec![Row::relative(&quantity, sunk, expected, tolerance).under(&experiment.conditions()).plotting(plot)])
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
        assert!((sinking_of_plate() - 7.30e-3).abs() < 1e-5, "{}", sinking_of_plate());
    }
}
