//! E8: a ball bounces on a wall as Hertz' theory of contact says.
//!
//! With the effective modulus E* = E/(1 − ν²) (a rigid wall) and the mass m, a ball of radius R with the velocity v sinks
//! in by δ = (15 m v²/(16 √R E*))^(2/5) and stays for 2.94328 δ/v.

use glam::DVec3;
use thixo_sim::measure::Totals;
use thixo_sim::{Dimension, NewWall, Penalty, Pressure, Real, Simulation, Vec3};

use crate::experiment::{CaseError, Conditions};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::{Solid, block, model, narrow};

const RADIUS: f64 = 0.1;
const YOUNG: f64 = 1.0e6;
const POISSON: f64 = 0.3;

/// Shells of evenly spread particles: a lattice would stand on a flat facet.
fn shells(layers: usize) -> Vec<DVec3> {
    let spacing = RADIUS / layers as f64;
    let mut places = Vec::new();
    for shell in 0..layers {
        let radius = (shell as f64 + 0.5) * spacing;
        let inner = shell as f64 * spacing;
        let volume = 4.0 / 3.0 * std::f64::consts::PI * ((inner + spacing).powi(3) - inner.powi(3));
        let count = (volume / spacing.powi(3)).round().max(1.0) as usize;
        for k in 0..count {
            // A spiral of the golden angle, begun elsewhere on every shell.
            let height = 1.0 - (2 * k + 1) as f64 / count as f64;
            let angle = (k as f64 + 0.37 * shell as f64) * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
            let around = (1.0 - height * height).sqrt();
            places.push(radius * DVec3::new(around * angle.cos(), height, around * angle.sin()));
        }
    }
    places
}

/// What a bounce was like.
struct Bounce {
    /// How long it touched [s].
    contact: f64,
    /// How far it sank in [m].
    depth: f64,
    /// How much of its speed came back [-].
    restitution: f64,
    /// How far from touching the wall it was when it first felt it, in spacings.
    offset: f64,
    curve: Vec<(f64, f64)>,
    conditions: Conditions,
}

fn hertz(speed: f64) -> (f64, f64) {
    let mass = 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3) * 1000.0;
    let modulus = YOUNG / (1.0 - POISSON * POISSON);
    let depth = (15.0 * mass * speed * speed / (16.0 * RADIUS.sqrt() * modulus)).powf(0.4);
    (depth, 2.943_28 * depth / speed)
}

fn bounce(layers: usize, speed: f64) -> Result<Bounce, CaseError> {
    let spacing = RADIUS / layers as f64;
    let (_, contact) = hertz(speed);
    let elastic = model("st_venant_kirchhoff", YOUNG, POISSON);
    let mut solid = Solid::new(elastic, Dimension::Three, spacing, shells(layers));
    solid.settings.pressure = Pressure::Penalty(Penalty::default());
    let gap = 0.5 * spacing;
    let mut simulation = solid.start(|x| x + DVec3::Y * (RADIUS + gap), |_| DVec3::NEG_Y * speed)?;
    let across = layers + 4;
    let floor = block([across, 1, across], spacing, 0.0).into_iter().map(|x| narrow(x - DVec3::Y * 0.5 * spacing));
    let to_surface = vec![Vec3::Y * (0.5 * spacing) as Real];
    let floor = NewWall { name: "floor".into(), position: floor.collect(), to_surface, ..NewWall::default() };
    simulation.add_wall(floor)?;
    let start = state(&simulation);
    let mut curve = vec![(0.0, start.1)];
    let (mut lowest, mut begin, mut end, mut offset) = (f64::INFINITY, None, 0.0, 0.0);
    let (mut last, mut highest_force) = (start, 0.0_f64);
    while simulation.time() < gap / speed + 2.0 * contact {
        let before = simulation.time();
        simulation.step()?;
        let now = state(&simulation);
        let force = (now.1 - last.1) / (simulation.time() - before);
        highest_force = highest_force.max(force);
        // A hundredth of the hardest push that is expected.
        let is_pushed = force > 0.01 * 2.0 * speed / contact;
        if is_pushed && begin.is_none() {
            begin = Some(before);
            offset = (last.0 - RADIUS) / spacing;
        }
        if is_pushed {
            end = simulation.time();
        }
        lowest = lowest.min(now.0);
        last = now;
        curve.push((simulation.time(), now.1));
    }
    let begin = begin.ok_or(CaseError::Nothing("it never touched the wall"))?;
    let depth = RADIUS + offset * spacing - lowest;
    let conditions = Conditions::of(&simulation);
    Ok(Bounce { contact: end - begin, depth, restitution: last.1 / speed, offset, curve, conditions })
}

/// Height [m] and velocity upwards [m/s] of the whole.
fn state(simulation: &Simulation) -> (f64, f64) {
    let totals = Totals::of(simulation, None);
    (totals.centre().y, totals.momentum.y / totals.mass)
}

/// Bounces at two speeds, of a ball with so many particles in its radius.
pub(crate) fn bounces(layers: usize, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    let mut times = Vec::new();
    for speed in [0.2, 0.5] {
        let (depth, contact) = hertz(speed);
        let found = bounce(layers, speed)?;
        times.push(found.contact);
        let plot = Plot::new("A bouncing ball", "time [s]", "velocity [m/s]").line("simulated", found.curve);
        let quantity = format!("time of contact at {speed} m/s [s]");
        let of_time = Row::relative(&quantity, found.contact, contact, tolerance).under(&found.conditions);
        rows.push(
            of_time
                .plotting(plot)
                .reporting("depth [m]", found.depth)
                .reporting("depth of theory [m]", depth)
                .reporting("offset of first contact [spacings]", found.offset),
        );
        let quantity = format!("restitution at {speed} m/s [-]");
        let missing = (0.95 - found.restitution).abs();
        rows.push(Row::new(&quantity, found.restitution, 0.95, missing, 0.05).under(&found.conditions));
    }
    let exponent = (times[1] / times[0]).ln() / (0.5_f64 / 0.2).ln();
    rows[0].report.insert("exponent of time by speed".to_owned(), exponent.into());
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_that_of_the_textbook() {
        let (depth, contact) = hertz(0.2);
        assert!((depth - 2.898e-3).abs() < 5e-6 && (contact - 42.64e-3).abs() < 1e-4, "{depth} {contact}");
        let (depth, _) = hertz(0.5);
        assert!((depth - 6.03e-3).abs() < 1e-5, "{depth}");
    }

    #[test]
    fn shells_fill_the_ball() {
        let places = shells(10);
        let volume = places.len() as f64 * 1e-6;
        assert!((volume / 4.18879e-3 - 1.0).abs() < 0.01, "{volume}");
        assert!(places.iter().all(|x| x.length() < RADIUS));
    }
}
