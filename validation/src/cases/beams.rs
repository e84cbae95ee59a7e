//! E3, E4, E5: beams that bend far, and beams that oscillate (plane strain).

use glam::DVec3;
use thixo_sim::{Dimension, Elastic, Implicit, Real, Simulation, StVenantKirchhoff, StepSize, Vec3};

use crate::experiment::{CaseError, Conditions};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::{Solid, Tip};

/// A beam along x from 0, of so many layers, held behind 0.
struct Beam {
    length: f64,
    height: f64,
    layers: u32,
}

impl Beam {
    fn spacing(&self) -> f64 {
        self.height / f64::from(self.layers)
    }

    /// The beam, with two layers more that are held, under a weight.
    fn solid(&self, elastic: Elastic, gravity: f64) -> Solid {
        let spacing = self.spacing();
        let columns = (self.length / spacing).round() as i32;
        let rest = (-2..columns).flat_map(|x| {
            let place = move |y: u32| DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0) * spacing;
            (0..self.layers).map(place)
        });
        let mut solid = Solid::new(elastic, Dimension::Two, spacing, rest.collect()).clamped(|x| x.x < 0.0);
        solid.settings.gravity = Vec3::new(0.0, -gravity as Real, 0.0);
        solid
    }

    fn tip(&self, simulation: &Simulation) -> Tip {
        Tip::new(simulation, self.length, self.spacing())
    }
}

/// An implicit material that comes to rest quickly.
fn damped(young: f64, poisson: f64, damping: f64) -> Elastic {
    Elastic::Implicit(Implicit {
        young_modulus: Some(young as Real),
        poisson_ratio: Some(poisson as Real),
        damping: damping as Real,
        tolerance: 1e-4,
        ..Implicit::default()
    })
}

/// E3: a heavy cantilever bends as the elastica does. The load is w = q L³/(E' I).
pub(crate) fn elastica(layers: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let beam = Beam { length: 1.0, height: 0.1, layers };
    let (young, poisson) = (1.0e6, 0.3);
    let mut rows = Vec::new();
    for (load, down, back) in [(2.0, 0.2385, 0.0331), (6.0, 0.5539, 0.1963)] {
        let gravity = load * young / (1.0 - poisson * poisson) * beam.height.powi(2) / (12.0 * 1000.0);
        let mut solid = beam.solid(damped(young, poisson, 0.3), gravity);
        solid.settings.step = StepSize::Fixed(0.02);
        let mut simulation = solid.deformed(|x| x)?;
        let tip = beam.tip(&simulation);
        simulation.advance(4.0)?;
        let before = tip.place(&simulation);
        simulation.advance(0.5)?;
        let end = tip.place(&simulation);
        let quantity = format!("sinking of the tip by the length, w = {load} [-]");
        let row = Row::relative(&quantity, 0.5 * beam.height - end.y, down, tolerance);
        rows.push(
            row.under(&Conditions::of(&simulation))
                .reporting("drawn back by the length", 1.0 - end.x)
                .reporting("reference of that", back)
                .reporting("moved in the last half second, by the length", (end - before).length()),
        );
    }
    Ok(rows)
}

/// The beam of Turek & Hron's benchmark: 0.35 m × 0.02 m, μ = 0.5 MPa, ν = 0.4, g = 2 m/s².
const TUREK: (f64, f64, f64, f64, f64) = (0.35, 0.02, 1.4e6, 0.4, 2.0);

/// E4, CSM1: where it comes to rest.
pub(crate) fn turek_rest(layers: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let (length, height, young, poisson, gravity) = TUREK;
    let beam = Beam { length, height, layers };
    let mut solid = beam.solid(damped(young, poisson, 0.1), gravity);
    solid.settings.step = StepSize::Fixed(0.01);
    let mut simulation = solid.deformed(|x| x)?;
    let tip = beam.tip(&simulation);
    let start = tip.place(&simulation);
    simulation.advance(2.5)?;
    let moved = tip.place(&simulation) - start;
    Ok(vec![
        Row::relative("displacement of the end, upwards [m]", moved.y, -66.10e-3, tolerance)
            .under(&Conditions::of(&simulation))
            .reporting("displacement of the end, outwards [m]", moved.x)
            .reporting("reference of that [m]", -7.188e-3),
    ])
}

/// E4, CSM3: how it swings when it is let go.
pub(crate) fn turek_swing(layers: u32, of_period: f64, of_peak: f64) -> Result<Vec<Row>, CaseError> {
    let (length, height, young, poisson, gravity) = TUREK;
    let beam = Beam { length, height, layers };
    let elastic = Elastic::StVenantKirchhoff(StVenantKirchhoff {
        young_modulus: Some(young as Real),
        poisson_ratio: Some(poisson as Real),
        ..StVenantKirchhoff::default()
    });
    let mut simulation = beam.solid(elastic, gravity).deformed(|x| x)?;
    let curve = swing(&mut simulation, &beam, 1.4)?;
    // It is lowest after half a period, and the mean of its swings is that of its lowest and highest places.
    let lowest = curve.iter().copied().fold((0.0, 0.0), |low, point| if point.1 < low.1 { point } else { low });
    let period = rising_period(&curve, 0.5 * lowest.1)?;
    let conditions = Conditions::of(&simulation);
    let plot = Plot::new("Turek & Hron, CSM3", "time [s]", "end, upwards [m]").line("simulated", curve.clone());
    Ok(vec![
        Row::relative("period [s]", period, 0.9140, of_period).under(&conditions).plotting(plot),
        Row::relative("lowest place of the end [m]", lowest.1, -0.1297, of_peak).under(&conditions),
    ])
}

/// The displacement of the tip upwards, as it goes on for a time [s].
fn swing(simulation: &mut Simulation, beam: &Beam, time: f64) -> Result<Vec<(f64, f64)>, CaseError> {
    let tip = beam.tip(simulation);
    let start = tip.place(simulation).y;
    let mut curve = vec![(0.0, 0.0)];
    let samples = 400;
    for k in 1..=samples {
        simulation.advance(time * f64::from(k) / f64::from(samples) - simulation.time())?;
        curve.push((simulation.time(), tip.place(simulation).y - start));
    }
    Ok(curve)
}

/// From one passage of a level to the next in the same direction.
fn rising_period(curve: &[(f64, f64)], level: f64) -> Result<f64, CaseError> {
    let passages = |falling: bool| {
        let crosses = move |pair: &&[(f64, f64)]| (pair[0].1 > level) == falling && (pair[1].1 > level) != falling;
        let time = move |pair: &[(f64, f64)]| {
            pair[0].0 + (level - pair[0].1) / (pair[1].1 - pair[0].1) * (pair[1].0 - pair[0].0)
        };
        curve.windows(2).filter(crosses).map(time).collect::<Vec<_>>()
    };
    match (&passages(true)[..], &passages(false)[..]) {
        ([first, second, ..], _) | (_, [first, second, ..]) => Ok(second - first),
        _ => Err(CaseError::Nothing("it did not swing twice")),
    }
}

/// E5: a plate that is struck oscillates (Landau & Lifshitz; Gray 2001).
pub(crate) fn plate(layers: u32, strength: f64, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let beam = Beam { length: 0.2, height: 0.02, layers };
    let (young, poisson, sound) = (2.0e6_f64, 0.3975, 57.03);
    let elastic = Elastic::StVenantKirchhoff(StVenantKirchhoff {
        young_modulus: Some(young as Real),
        poisson_ratio: Some(poisson as Real),
        ..StVenantKirchhoff::default()
    });
    let fast = |x: DVec3| if x.x < 0.0 { 0.0 } else { strength * sound * mode(x.x / beam.length) / mode(1.0) };
    let mut simulation = beam.solid(elastic, 0.0).start(|x| x, |x| DVec3::Y * fast(x))?;
    let curve = swing(&mut simulation, &beam, 0.4)?;
    let period = rising_period(&curve[1..], 0.0)?;
    let amplitude = curve.iter().map(|point| point.1.abs()).fold(0.0, f64::max);
    let conditions = Conditions::of(&simulation);
    if strength < 0.01 {
        let row = Row::relative("period of a small oscillation [s]", period, 0.2565, tolerance);
        let linear = 2.3057 * strength;
        return Ok(vec![
            row.under(&conditions).reporting("amplitude [m]", amplitude).reporting("that of linear theory [m]", linear),
        ]);
    }
    Ok(vec![
        Row::absolute("period of a large oscillation [s]", period, 0.2735, 0.0115).under(&conditions),
        Row::absolute("amplitude of a large oscillation [m]", amplitude, 0.115, 0.010).under(&conditions),
    ])
}

/// The first mode of a beam that is held at one end.
fn mode(share: f64) -> f64 {
    let end: f64 = 1.875_104_07;
    let x = end * share;
    (end.cos() + end.cosh()) * (x.cosh() - x.cos()) + (end.sin() - end.sinh()) * (x.sinh() - x.sin())
}

/// E2: the frequency at which a cantilever swings, and how far one of square section sinks.
pub(crate) fn frequency(layers: u32, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let beam = Beam { length: 1.0, height: 0.1, layers };
    let elastic = Elastic::StVenantKirchhoff(StVenantKirchhoff {
        young_modulus: Some(1.0e6),
        poisson_ratio: Some(0.3),
        ..StVenantKirchhoff::default()
    });
    let fast = |x: DVec3| if x.x < 0.0 { 0.0 } else { 0.01 * mode(x.x / beam.length) / mode(1.0) };
    let mut simulation = beam.solid(elastic, 0.0).start(|x| x, |x| DVec3::Y * fast(x))?;
    let curve = swing(&mut simulation, &beam, 3.0)?;
    let found = 1.0 / rising_period(&curve[1..], 0.0)?;
    Ok(vec![
        Row::relative("frequency of the first mode [Hz]", found, 0.5310, tolerance).under(&Conditions::of(&simulation)),
    ])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn periods_are_found() {
        let curve: Vec<_> = (0..200).map(|k| f64::from(k) * 0.01).map(|t| (t, (2.0 * PI * t / 0.7).sin())).collect();
        assert!((rising_period(&curve[1..], 0.0).unwrap() - 0.7).abs() < 1e-3);
        assert!(rising_period(&curve[..20], 0.0).is_err());
    }

    #[test]
    fn the_mode_is_that_of_a_beam_held_at_one_end() {
        assert!(mode(0.0) == 0.0 && mode(0.01).abs() < 1e-3 * mode(1.0).abs());
    }
}
