//! F8.angle: drops on a table come to the contact angle that is asked for (Young).
//!
//! Without weight a drop at rest is a cap of a circle. What it meets the table at follows from how high its centre of mass is, which
//! grows with the angle θ for a given area:
//!
//! ```text
//! A/R² = θ − sin θ cos θ,    y/R = ⅔ sin³ θ R²/A − cos θ
//! ```

use crate::experiment::{CaseError, Experiment};
use crate::row::Row;

/// How a drop begins: half its width and its height [m].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    /// A square, which spreads.
    Square,
    /// Flatter than any of the caps.
    Flat,
}

impl Start {
    fn size(self) -> [f64; 2] {
        match self {
            Start::Square => [0.006, 0.011],
            Start::Flat => [0.012, 0.0055],
        }
    }
}

/// The angle that a drop comes to, with 25 spacings or so across, or fewer where they are wider.
pub(crate) fn angle(asked: f64, start: Start, solver: &str, spacing: f64, slack: f64) -> Result<Vec<Row>, CaseError> {
    let [half, height] = start.size();
    let overrides = [
        format!("world.spacing={spacing}"),
        format!("pressure={{ {solver} = {{}} }}"),
        format!("materials.drop.tension.contact_angle={asked}"),
        format!("bodies.0.shape={{ box = {{ min = [-{half}, 0, 0], max = [{half}, {height}, 0] }} }}"),
    ];
    let mut experiment = Experiment::new("F8", include_str!("../../scenes/droplet_2d.toml"), &overrides)?;
    let (begin, end) = (0.75 * experiment.scene.time.end, experiment.scene.time.end);
    experiment.run_to(begin)?;
    let (mut sum, mut time, mut range) = (0.0, 0.0, [f64::INFINITY, f64::NEG_INFINITY]);
    while experiment.simulation.time() < end {
        let dt = f64::from(experiment.simulation.step_until(end)?.dt);
        let found = measured(&experiment)?;
        (sum, time) = (sum + dt * found, time + dt);
        range = [range[0].min(found), range[1].max(found)];
    }
    let row = Row::absolute("contact angle [degrees]", sum / time, asked, slack * 10.0)
        .reporting("smallest", range[0])
        .reporting("largest", range[1]);
    Ok(vec![row.under(&experiment.conditions())])
}

/// The contact angle of a cap with the area and the centre of mass of the drop [degrees]; more than 180 for a disc that does not
/// touch the table.
fn measured(experiment: &Experiment) -> Result<f64, CaseError> {
    let (mut area, mut moment) = (0.0, 0.0);
    let particles = experiment.simulation.particles();
    for i in experiment.simulation.particles_of(experiment.body("drop")?) {
        let volume = f64::from(particles.rest_volume[i]);
        (area, moment) = (area + volume, moment + volume * f64::from(particles.position[i].y));
    }
    Ok(cap_angle(moment / area / area.sqrt()).to_degrees())
}

/// The angle θ of the cap whose centre of mass is so high, by the root of its area.
fn cap_angle(height: f64) -> f64 {
    let disc = std::f64::consts::PI.sqrt().recip();
    if height >= disc {
        return std::f64::consts::PI * height / disc;
    }
    let (mut low, mut high) = (1e-3, std::f64::consts::PI - 1e-6);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if cap_height(middle) < height { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The height of the centre of mass of a cap, by the root of its area.
fn cap_height(angle: f64) -> f64 {
    let area = angle - angle.sin() * angle.cos();
    (2.0 / 3.0 * angle.sin().powi(3) / area - angle.cos()) / area.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a disc: 4/(3π) R high, with an area of π R²/2.
    #[test]
    fn the_angle_of_a_half_disc_is_right() {
        let pi = std::f64::consts::PI;
        let half = 4.0 / (3.0 * pi) / (0.5 * pi).sqrt();
        assert!((cap_angle(half) - 0.5 * pi).abs() < 1e-9);
        for degrees in [20.0f64, 60.0, 120.0, 170.0] {
            assert!((cap_angle(cap_height(degrees.to_radians())).to_degrees() - degrees).abs() < 1e-6);
        }
    }
}
