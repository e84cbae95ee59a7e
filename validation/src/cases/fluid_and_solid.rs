//! S2, S3: elastic bodies in water: a gate that opens, a block that floats.

use thixo_sim::measure::{centre, deformation_gradients};

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::particles_at;

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
    let water = experiment.simulation.movable() - experiment.simulation.world().elastic();
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
