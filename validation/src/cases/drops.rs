//! F7 and F8: drops that tension holds together, free or in fluid of the same density.
//!
//! ```text
//! Δp = σ/R                         Laplace, 2D
//! ω² = 6 σ/(ρ R³)                  free drop, mode 2, 2D (Rayleigh)
//! ω² = 6 σ/((ρ + ρ') R³)           in fluid of density ρ'
//! ```
//!
//! R follows from the area that the particles have.

use std::f64::consts::PI;

use thixo_sim::{Real, Simulation, Vec3};

use crate::experiment::{CaseError, Experiment};
use crate::plot::Plot;
use crate::row::Row;

/// σ [N/m] and ρ [kg/m³].
const TENSION: f64 = 1.0;
const DENSITY: f64 = 1.0;
const RADIUS: f64 = 0.1875;

/// What surrounds a drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    /// Nothing.
    Nothing,
    /// Fluid of the same density.
    Fluid,
}

impl Around {
    fn experiment(self, case: &str, solver: &str, spacing: f64, more: &[String]) -> Result<Experiment, CaseError> {
        let mut overrides = vec![format!("world.spacing={spacing}"), format!("pressure={{ {solver} = {{}} }}")];
        overrides.extend_from_slice(more);
        let text = match self {
            Around::Nothing => include_str!("../../scenes/drop_2d.toml"),
            Around::Fluid => include_str!("../../scenes/drop_in_fluid_2d.toml"),
        };
        Experiment::new(case, text, &overrides)
    }
}

/// The particles of the drop, about their centre.
struct Drop<'a> {
    simulation: &'a Simulation,
    particles: Vec<usize>,
    centre: Vec3,
}

impl<'a> Drop<'a> {
    fn of(experiment: &'a Experiment) -> Result<Drop<'a>, CaseError> {
        let simulation = &experiment.simulation;
        let particles: Vec<_> = simulation.particles_of(experiment.body("drop")?).collect();
        let position = &simulation.particles().position;
        let centre = particles.iter().map(|&i| position[i]).sum::<Vec3>() / particles.len() as Real;
        Ok(Drop { simulation, particles, centre })
    }

    fn places(&self) -> impl Iterator<Item = Vec3> {
        self.particles.iter().map(|&i| self.simulation.particles().position[i] - self.centre)
    }

    /// ln ⟨x²⟩/⟨y²⟩: zero for a circle.
    fn stretch(&self) -> f64 {
        let [x, y] = [0, 1].map(|axis| self.places().map(|x| f64::from(x[axis]).powi(2)).sum::<f64>());
        (x / y).ln()
    }

    /// The radius of a circle of its area [m].
    fn radius(&self) -> f64 {
        let area: f64 = self.particles.iter().map(|&i| f64::from(self.simulation.particles().rest_volume[i])).sum();
        (area / PI).sqrt()
    }

    /// The largest radius over the smallest of an outline R (1 + Σ ε_n cos(n θ + δ_n)) with these moments, for n from 2 to 8:
    /// ε_n = 2/(n + 2) |Σ rⁿ exp(i n θ)|/Σ rⁿ.
    fn radius_ratio(&self) -> f64 {
        let amplitude = |n: i32| {
            let (mut real, mut imaginary, mut all) = (0.0, 0.0, 0.0);
            for x in self.places() {
                let (weight, angle) =
                    (f64::from(x.length()).powi(n), f64::from(n) * f64::from(x.y).atan2(f64::from(x.x)));
                real += weight * angle.cos();
                imaginary += weight * angle.sin();
                all += weight;
            }
            2.0 / f64::from(n + 2) * real.hypot(imaginary) / all
        };
        let sum: f64 = (2..=8).map(amplitude).sum();
        (1.0 + sum) / (1.0 - sum)
    }

    /// Mean pressure within half the radius, less that of other matter beyond one and a half [Pa].
    fn pressure_jump(&self) -> f64 {
        let particles = self.simulation.particles();
        let mean = |choose: &dyn Fn(f64) -> bool| {
            let there = |&i: &usize| choose(f64::from((particles.position[i] - self.centre).length()));
            let chosen: Vec<_> = self.simulation.matter().filter(there).collect();
            let sum: f64 = chosen.iter().map(|&i| f64::from(particles.pressure[i])).sum();
            sum / chosen.len().max(1) as f64
        };
        mean(&|r| r < 0.5 * RADIUS) - mean(&|r| r > 1.5 * RADIUS)
    }

    fn fastest(&self) -> f64 {
        let velocity = &self.simulation.particles().velocity;
        self.simulation.matter().map(|i| f64::from(velocity[i].length())).fold(0.0, f64::max)
    }
}

/// F8: the pressure in a drop at rest, and what moves there; `across` spacings in the radius.
pub(crate) fn at_rest(around: Around, solver: &str, across: f64, slack: f64) -> Result<Vec<Row>, CaseError> {
    let mut experiment = around.experiment("F8", solver, RADIUS / across, &[])?;
    let (begin, end) = (0.5 * experiment.scene.time.end, experiment.scene.time.end);
    experiment.run_to(begin)?;
    let (mut jump, mut fastest, mut most, mut time) = (0.0, 0.0, 0.0f64, 0.0);
    while experiment.simulation.time() < end {
        let dt = f64::from(experiment.simulation.step_until(end)?.dt);
        let drop = Drop::of(&experiment)?;
        (jump, fastest, time) = (jump + dt * drop.pressure_jump(), fastest + dt * drop.fastest(), time + dt);
        most = most.max(drop.fastest());
    }
    let drop = Drop::of(&experiment)?;
    let (laplace, scale) = (TENSION / drop.radius(), (TENSION / (DENSITY * drop.radius())).sqrt());
    let rows = [
        Row::relative("pressure in the drop [Pa]", jump / time, laplace, slack * 0.05),
        Row::at_most(
            "speed of the fastest particle, mean over time, by √(σ/(ρ R)) [-]",
            fastest / time / scale,
            slack * 0.01,
        )
        .reporting("largest", most / scale)
        .reporting("drift of the centre by the radius", f64::from(drop.centre.length()) / RADIUS),
    ];
    let conditions = experiment.conditions();
    Ok(rows.into_iter().map(|row| row.under(&conditions)).collect())
}

/// F8: a square drop becomes round.
pub(crate) fn square(solver: &str, across: f64, slack: f64) -> Result<Vec<Row>, CaseError> {
    let half = 0.5 * RADIUS * PI.sqrt();
    let shape = format!("bodies.0.shape={{ box = {{ min = [-{half}, -{half}, 0], max = [{half}, {half}, 0] }} }}");
    let mut experiment = Around::Nothing.experiment("F8", solver, RADIUS / across, &[shape])?;
    experiment.run_to(experiment.scene.time.end)?;
    let ratio = Drop::of(&experiment)?.radius_ratio();
    let row = Row::relative("largest over smallest radius of a drop that was square [-]", ratio, 1.0, slack * 0.01);
    Ok(vec![row.under(&experiment.conditions())])
}

/// F7: the period of mode 2.
pub(crate) fn oscillation(around: Around, solver: &str, across: f64, slack: f64) -> Result<Vec<Row>, CaseError> {
    let axes = format!(
        "bodies.0.shape={{ ellipsoid = {{ centre = [0, 0, 0], radii = [{}, {}, 1] }} }}",
        1.05 * RADIUS,
        RADIUS / 1.05
    );
    let mut overrides = vec![axes, "materials.drop.fluid.viscosity.central.dynamic_viscosity=0.005".to_owned()];
    if around == Around::Fluid {
        overrides.push("materials.around.fluid.viscosity.central.dynamic_viscosity=0.005".to_owned());
    }
    let mut experiment = around.experiment("F7", solver, RADIUS / across, &overrides)?;
    let inertia = if around == Around::Fluid { 2.0 } else { 1.0 };
    let radius = Drop::of(&experiment)?.radius();
    let period = 2.0 * PI * (inertia * DENSITY * radius.powi(3) / (6.0 * TENSION)).sqrt();
    let mut curve = vec![(0.0, Drop::of(&experiment)?.stretch())];
    while experiment.simulation.time() < 1.6 * period {
        experiment.simulation.step_until(1.6 * period)?;
        curve.push((experiment.simulation.time(), Drop::of(&experiment)?.stretch()));
    }
    let crossing = |pair: &[(f64, f64)]| {
        let [(before, a), (after, b)] = [pair[0], pair[1]];
        (a * b < 0.0).then(|| before + (after - before) * a / (a - b))
    };
    let crossings: Vec<_> = curve.windows(2).filter_map(crossing).collect();
    let [first, .., last] = crossings[..] else { return Err(CaseError::Nothing("the drop does not swing")) };
    let measured = 2.0 * (last - first) / (crossings.len() - 1) as f64;
    let row = Row::relative("period of a drop that swings [s]", measured, period, slack * 0.08);
    let plot =
        Plot::new("Oscillating drop", "time [s]", "ln of the ratio of second moments [-]").line("simulated", curve);
    Ok(vec![row.plotting(plot).under(&experiment.conditions())])
}
