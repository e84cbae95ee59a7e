//! E2 and E6 from plain files: implicit bodies move as explicit ones do, in steps that nobody chose for them.

use crate::experiment::{CaseError, Conditions, Experiment};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::{Tip, particles_at};

/// How high the tip of a beam is, over time.
type Curve = Vec<(f64, f64)>;

/// A cantilever that is let go under its weight, solved implicitly, beside `st_venant_kirchhoff`, which needs steps thirty times as
/// short.
pub(crate) fn swings() -> Result<Vec<Row>, CaseError> {
    let (implicit, conditions) = swing(&[])?;
    let explicit = "materials.rubber.elastic={ st_venant_kirchhoff = { young_modulus = 4e6, poisson_ratio = 0.3 } }";
    let (reference, _) = swing(&[explicit.to_owned()])?;
    let lows = low_points(&implicit);
    let (Some(first), Some(eleventh)) = (lows.first(), lows.get(10)) else {
        return Err(CaseError::Nothing("it did not swing ten times"));
    };
    let others = low_points(&reference);
    let Some(expected) = others.get(10).map(|last| (last.0 - others[0].0) / 10.0) else {
        return Err(CaseError::Nothing("the explicit one did not swing ten times"));
    };
    // It swings about where it would rest: half as low as it first gets.
    let amplitude = |low: &(f64, f64)| 0.5 * first.1 - low.1;
    let kept = amplitude(eleventh) / amplitude(first);
    let plot = Plot::new("A cantilever is let go", "time [s]", "height of the tip [m]");
    let plot = plot.line("st_venant_kirchhoff", reference.clone()).line("implicit", implicit);
    let explicit_kept = others.get(10).map_or(0.0, |low| (0.5 * others[0].1 - low.1) / (-0.5 * others[0].1));
    Ok(vec![
        Row::absolute("amplitude after ten periods, over the first [-]", kept, 1.0, 0.1)
            .under(&conditions)
            .reporting("the same of st_venant_kirchhoff", explicit_kept)
            .plotting(plot),
        Row::relative("period [s]", (eleventh.0 - first.0) / 10.0, expected, 0.02).under(&conditions),
    ])
}

fn swing(overrides: &[String]) -> Result<(Curve, Conditions), CaseError> {
    let mut experiment = Experiment::new("E2", include_str!("../../scenes/swinging_beam.toml"), overrides)?;
    experiment.simulation.prepare()?;
    let tip = Tip::new(&experiment.simulation, 0.5, experiment.scene.world.spacing);
    let start = tip.place(&experiment.simulation).y;
    let mut curve = vec![(0.0, 0.0)];
    experiment.run(|simulation, _| curve.push((simulation.time(), tip.place(simulation).y - start)))?;
    Ok((curve, experiment.conditions()))
}

/// Where a curve is lowest, time after time: the lowest point of each stretch below half of the first low.
fn low_points(curve: &Curve) -> Vec<(f64, f64)> {
    let lowest = curve.iter().map(|point| point.1).fold(0.0, f64::min);
    let below = curve.chunk_by(|a, b| (a.1 < 0.5 * lowest) == (b.1 < 0.5 * lowest));
    let stretches = below.filter(|stretch| stretch[0].1 < 0.5 * lowest);
    stretches.filter_map(|stretch| stretch.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))).collect()
}

/// When does a place three quarters along a free bar follow its end? The speed is √(E/ρ).
pub(crate) fn wave(cells: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let spacing = 1.0 / f64::from(cells);
    let overrides = [format!("world.spacing={spacing}")];
    let mut experiment = Experiment::new("E6", include_str!("../../scenes/pushed_bar.toml"), &overrides)?;
    experiment.simulation.prepare()?;
    let (far, speed, expected) = (0.75, 0.01, (1.0e6_f64 / 1000.0).sqrt());
    let layer = particles_at(&experiment.simulation, |x| (x.x - far).abs() < 0.51 * spacing);
    let mut curve = vec![(0.0, 0.0)];
    experiment.run(|simulation, _| {
        let particles = simulation.particles();
        let own = simulation.matter().filter(|&i| layer.contains(&particles.id[i]));
        let sum: f64 = own.map(|i| f64::from(particles.velocity[i].x)).sum();
        curve.push((simulation.time(), sum / layer.len() as f64 / speed));
    })?;
    let after = curve.iter().position(|point| point.1 > 0.5).ok_or(CaseError::Nothing("no wave came"))?;
    let [(t0, v0), (t1, v1)] = [curve[after - 1], curve[after]];
    let found = far / (t0 + (0.5 - v0) / (v1 - v0) * (t1 - t0));
    let plot = Plot::new("A wave arrives", "time [s]", "velocity by that of the end").line("simulated", curve);
    let row = Row::relative("speed of a wave in a free bar [m/s]", found, expected, tolerance);
    Ok(vec![row.under(&experiment.conditions()).plotting(plot)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_swing_has_one_low_point() {
        let curve: Curve = (0..400).map(|k| f64::from(k) * 0.05).map(|t| (t, t.cos() - 1.0)).collect();
        let lows = low_points(&curve);
        assert_eq!(lows.len(), 3);
        assert!((lows[2].0 - 5.0 * std::f64::consts::PI).abs() < 0.03 && (lows[2].1 + 2.0).abs() < 1e-3);
    }
}
