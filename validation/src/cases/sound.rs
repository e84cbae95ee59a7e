//! F11: sound in a closed tube 1 m long, filled with particles (Sol09 2.5.2, Tables 2.1 and 2.2).
//!
//! On a lattice small waves travel with
//!
//! ```text
//! c = √k √(K_ρ K_p / S)
//! ```
//!
//! S is the sum of V W, K the gradient's consistency of K3, of the kernel of the density (ρ) and of the pressure
//! (p). A tube with two rigid ends is the half of a periodic one of twice the length whose waves are symmetric; so
//! no wall, and no wall's error, is in it.

use std::f64::consts::PI;

use serde_json::{Value, json};
use thixo_sim::{
    Adaptive, Dimension, Fluid, Frictionless, KernelChoice, Material, NewBody, PRECISION, Pressure, Real, Settings,
    Shape, Simulation, StepSize, Support, Vec3, Viscosity, Wcsph,
};

use super::kernels::sums;
use crate::experiment::{CaseError, Conditions};
use crate::numerics::{farthest, fitted_slope};
use crate::plot::Plot;
use crate::row::Row;

/// Length of the tube between its rigid ends [m].
const LENGTH: f64 = 1.0;
/// Compression where the wave is strongest [-].
const AMPLITUDE: f64 = 0.01;
/// Support radius in spacings.
const REACH: f64 = 2.0;

/// A periodic tube of twice the length, in its cross-section as thin as periodic space may be.
#[derive(Clone)]
struct Tube {
    /// Kernels of density and of pressure.
    shapes: [Shape; 2],
    spacing: f64,
    dimension: Dimension,
    stiffness: f64,
    step: StepSize,
}

impl Tube {
    fn new(along: u32, stiffness: f64) -> Tube {
        let spacing = LENGTH / f64::from(along);
        let longest = LENGTH as Real;
        // Time scales with 1/√k: let no limit in seconds interfere.
        let step = StepSize::Adaptive(Adaptive { longest, ..Adaptive::default() });
        Tube { shapes: [Shape::WendlandC2; 2], spacing, dimension: Dimension::Three, stiffness, step }
    }

    /// Particles at rest, moved along the tube by `shift` from their places on the lattice.
    fn filled(&self, shift: impl Fn(f64) -> f64) -> Result<Simulation, CaseError> {
        let across = if self.dimension == Dimension::One { 1 } else { 8 };
        let half = 0.5 * f64::from(across) * self.spacing;
        let around = (self.dimension != Dimension::One).then_some([-half as Real, half as Real]);
        let support = Support { support_over_spacing: Some(REACH as Real) };
        let [density, gradient] = self.shapes;
        let stiffness = Some(self.stiffness as Real);
        let gradient_kernel = (gradient != density).then_some(gradient);
        let pressure = Wcsph { stiffness, tension: true, gradient_kernel, ..Wcsph::default() };
        let settings = Settings {
            spacing: self.spacing as Real,
            gravity: Vec3::ZERO,
            dimension: self.dimension,
            periodic: [Some([-LENGTH as Real, LENGTH as Real]), around, around],
            kernel: KernelChoice::new(density, support),
            step: self.step.clone(),
            pressure: Pressure::Wcsph(pressure),
            ..Settings::default()
        };
        let fluid = Fluid { viscosity: Viscosity::None(Frictionless {}) };
        let material = Material { fluid, ..Material::default() };
        let along = (2.0 * LENGTH / self.spacing).round() as u32;
        let centre = |k: u32, half: f64| (f64::from(k) + 0.5) * self.spacing - half;
        let mut position = Vec::new();
        for x in (0..along).map(|k| centre(k, LENGTH)) {
            for y in (0..across).map(|k| centre(k, half)) {
                for z in (0..across).map(|k| centre(k, half)) {
                    position.push(Vec3::new((x + shift(x)) as Real, y as Real, z as Real));
                }
            }
        }
        let mut simulation = Simulation::new(settings, vec![material])?;
        simulation.add_body(NewBody { name: "tube".into(), position, ..NewBody::default() })?;
        Ok(simulation)
    }

    /// The speed of sound that the lattice has [m/s].
    fn speed(&self) -> f64 {
        let [density, pressure] = self.shapes.map(|shape| sums(shape, self.dimension, REACH));
        (self.stiffness * density.consistency * pressure.consistency / density.unity).sqrt()
    }
}

/// Period of the first mode of a tube, from the moment at which it stands still for the first time [s].
///
/// Not from a later one: where the wave thins the fluid out, pressure is below zero, and a square lattice under
/// tension does not keep its order for long.
fn period(tube: &Tube) -> Result<(f64, Conditions), CaseError> {
    let wave = PI / LENGTH;
    let mut simulation = tube.filled(|x| AMPLITUDE / wave * (wave * x).sin())?;
    let motion = |simulation: &Simulation| -> f64 {
        let particles = simulation.particles();
        let terms = particles.velocity.iter().zip(&particles.position);
        terms.map(|(v, x)| f64::from(v.x) * (wave * f64::from(x.x)).sin()).sum()
    };
    let mut last = (0.0, 0.0);
    while simulation.time() < 1.5 * LENGTH / tube.speed() {
        simulation.step()?;
        let now = (simulation.time(), motion(&simulation));
        if last.1 * now.1 < 0.0 {
            let still = last.0 + (now.0 - last.0) * last.1 / (last.1 - now.1);
            return Ok((2.0 * still, Conditions::of(&simulation)));
        }
        last = now;
    }
    Err(CaseError::Nothing("the wave did not swing back"))
}

/// The first mode for stiffnesses from 1e2 to 1e6: its period is 2L/c.
pub(crate) fn modes(along: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    let mut periods = Vec::new();
    for exponent in 2..=6 {
        let stiffness = 10f64.powi(exponent);
        let tube = Tube::new(along, stiffness);
        let (period, conditions) = period(&tube)?;
        let speed = 2.0 * LENGTH / period;
        periods.push((stiffness, period));
        let quantity = format!("speed of sound for k = 1e{exponent} m^2/s^2 [m/s]");
        rows.push(
            Row::relative(&quantity, speed, tube.speed(), slack * 0.02)
                .under(&conditions)
                .reporting("by sqrt(k)", speed / stiffness.sqrt()),
        );
    }
    let logarithms: Vec<_> = periods.iter().map(|(k, t)| (k.ln(), t.ln())).collect();
    let conditions = rows[0].conditions.clone();
    let law = periods.iter().map(|&(k, _)| (k, 2.0 * LENGTH / Tube::new(along, k).speed())).collect();
    let plot = Plot::new("Sound in a tube", "k [m^2/s^2]", "period [s]").logarithmic();
    rows.push(
        Row::absolute("exponent of the period's law [-]", fitted_slope(&logarithms), -0.5, slack * 0.005)
            .under(&conditions)
            .plotting(plot.line("simulated", periods).dots("lattice theory", law)),
    );
    Ok(rows)
}

/// Kernels as in Sol09: poly6 for densities and the spiky one for pressure; and the spiky one for both.
pub(crate) fn spiky(along: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let both = [("poly6 and spiky", [Shape::Poly6, Shape::Spiky]), ("spiky alone", [Shape::Spiky; 2])];
    let row = |(name, shapes)| {
        let tube = Tube { shapes, ..Tube::new(along, 100.0) };
        let (period, conditions) = period(&tube)?;
        let quantity = format!("speed of sound by sqrt(k), {name} [-]");
        let [measured, reference] = [2.0 * LENGTH / period, tube.speed()].map(|speed| speed / tube.stiffness.sqrt());
        Ok(Row::relative(&quantity, measured, reference, slack * 0.02).under(&conditions))
    };
    both.into_iter().map(row).collect()
}

/// The period does not depend on the step: the longest stable one, a half, a fifth and a tenth of it.
pub(crate) fn steps(along: u32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let stiffness = 100.0;
    let mut found = Vec::new();
    let mut last = Conditions::default();
    for parts in [1.0, 2.0, 5.0, 10.0] {
        let mut tube = Tube::new(along, stiffness);
        let step = 0.4 * REACH * tube.spacing / stiffness.sqrt() / parts;
        tube.step = StepSize::Fixed(step as Real);
        let (period, conditions) = period(&tube)?;
        found.push((step, period));
        last = conditions;
    }
    let finest = found[found.len() - 1].1;
    let worst = farthest(found.iter().map(|row| row.1), finest);
    let row = Row::relative("period with the step that changes it most [s]", worst, finest, slack * 0.005);
    let told: Vec<_> = found.iter().map(|(step, period)| json!({ "dt": step, "period": period })).collect();
    Ok(vec![row.under(&last).reporting("steps", told)])
}

/// Stiffness k and arrival time [s] of Sol09 Table 2.1.
const TABLE_2_1: [(f64, f64); 7] =
    [(1e1, 0.5988), (1e2, 0.1734), (1e3, 0.0413), (1e4, 0.0118), (1e5, 0.0034), (1e6, 0.0011), (1e7, 0.0003)];

/// Step [s] and arrival time [s] of Sol09 Table 2.2, for k = 100.
const TABLE_2_2: [(f64, f64); 4] = [(6e-4, 0.1734), (6e-5, 0.1712), (6e-6, 0.1727), (6e-7, 0.1802)];

/// Width of the pulse [m].
const WIDTH: f64 = 0.05;

/// When the peak of a pulse that starts at one end of the tube is at the other [s].
fn arrival(tube: &Tube) -> Result<(f64, Conditions), CaseError> {
    let mut simulation = tube.filled(|x| -AMPLITUDE * WIDTH * ((x / WIDTH).tanh() - x / LENGTH))?;
    let pressure = |simulation: &Simulation| -> f64 {
        let particles = simulation.particles();
        let end = |x: &Vec3| f64::from(x.x).abs() > LENGTH - 2.0 * tube.spacing;
        particles.position.iter().zip(&particles.pressure).filter(|(x, _)| end(x)).map(|(_, p)| f64::from(*p)).sum()
    };
    let (mut before, mut highest) = ([(0.0, 0.0); 2], (0.0, f64::NEG_INFINITY));
    let end = 1.6 * LENGTH / tube.speed();
    while simulation.time() < end {
        simulation.step()?;
        let now = (simulation.time(), pressure(&simulation));
        let [older, old] = before;
        if old.1 > highest.1 && old.1 >= older.1 && old.1 >= now.1 {
            highest = (peak(older, old, now), old.1);
        }
        before = [old, now];
    }
    if highest.1 > 0.0 {
        Ok((highest.0, Conditions::of(&simulation)))
    } else {
        Err(CaseError::Nothing("no pulse arrived"))
    }
}

/// Where the parabola through three points is highest.
fn peak(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    let (left, right) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    let middle = 0.5 * (a.0 + b.0);
    if left == right { b.0 } else { middle + left / (left - right) * 0.5 * (c.0 - a.0) }
}

/// A pulse runs through the tube, for the stiffnesses of Sol09 Table 2.1: t √k must not depend on k.
pub(crate) fn pulses(along: u32) -> Result<Vec<Row>, CaseError> {
    let mut found = Vec::new();
    let mut last = Conditions::default();
    for (stiffness, _) in TABLE_2_1 {
        let (time, conditions) = arrival(&Tube::new(along, stiffness))?;
        found.push((stiffness, time));
        last = conditions;
    }
    let products: Vec<_> = found.iter().map(|(k, t)| t * k.sqrt() / LENGTH).collect();
    let mean = products.iter().sum::<f64>() / products.len() as f64;
    let worst = farthest(products.iter().copied(), mean);
    let table: Vec<_> =
        TABLE_2_1.iter().zip(&found).map(|(&(k, printed), &(_, t))| table_row("k", k, printed, t, k)).collect();
    let plot = Plot::new("A pulse crosses a tube of 1 m", "k [m^2/s^2]", "arrival [s]").logarithmic();
    let row = Row::relative("arrival times sqrt(k)/L of the k that is farthest from the mean [-]", worst, mean, 0.05);
    Ok(vec![
        row.under(&last)
            .reporting("Sol09 Table 2.1", table)
            .reporting("expected", Tube::new(along, 1.0).speed().recip())
            .plotting(plot.line("simulated", found).dots("Sol09 Table 2.1", TABLE_2_1.to_vec())),
    ])
}

/// A pulse runs through a tube that is a line of particles, with the steps of Sol09 Table 2.2.
pub(crate) fn pulse_steps(along: u32, steps: usize) -> Result<Vec<Row>, CaseError> {
    let stiffness = 100.0;
    let mut found = Vec::new();
    let mut last = Conditions::default();
    for &(step, printed) in &TABLE_2_2[..steps] {
        let step_size = StepSize::Fixed(step as Real);
        let tube = Tube { dimension: Dimension::One, step: step_size, ..Tube::new(along, stiffness) };
        let (time, conditions) = arrival(&tube)?;
        found.push((step, printed, time));
        last = conditions;
    }
    // In single precision the two shortest steps move a particle by five, and by less than one, of the last digit of
    // its place: what they read is rounding, so it is told and not judged. Double precision judges all four.
    let resolved = if PRECISION == "f32" { found.len().min(2) } else { found.len() };
    let times = found[..resolved].iter().map(|row| row.2);
    let mean = times.clone().sum::<f64>() / resolved as f64;
    let worst = farthest(times, mean);
    let table: Vec<_> = found.iter().map(|&(dt, printed, t)| table_row("dt", dt, printed, t, stiffness)).collect();
    let row = Row::relative("arrival of the step that is farthest from the mean [s]", worst, mean, 0.005);
    Ok(vec![row.under(&last).reporting("Sol09 Table 2.2", table)])
}

/// A line of a table beside the printed one.
fn table_row(name: &str, value: f64, printed: f64, measured: f64, stiffness: f64) -> Value {
    let product = |t: f64| (t * stiffness.sqrt() / LENGTH * 1e4).round() / 1e4;
    json!({
        name: value,
        "printed [s]": printed,
        "measured [s]": measured,
        "printed t sqrt(k)/L": product(printed),
        "measured t sqrt(k)/L": product(measured),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_of_parabolas_are_found_between_samples() {
        let f = |t: f64| (t, 3.0 - 2.0 * (t - 0.7).powi(2));
        assert!((peak(f(0.2), f(0.6), f(1.3)) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn sound_on_the_lattice_is_slower_than_in_the_continuum() {
        let speed = |shapes| Tube { shapes, ..Tube::new(50, 1.0) }.speed();
        assert!((speed([Shape::WendlandC2; 2]) - 0.966).abs() < 5e-4);
        assert!((speed([Shape::Poly6, Shape::Spiky]) - 1.004).abs() < 5e-4);
        assert!((speed([Shape::Spiky; 2]) - 0.860).abs() < 5e-4);
    }
}
