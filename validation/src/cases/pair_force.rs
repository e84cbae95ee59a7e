//! DG96 Fig. 3: pressure and cohesion between two particles, with the spline and with the spiky kernel.
//!
//! Two particles of mass m at the distance r see the density ρ = m (W(0) + W(r)) and push each other with
//!
//! ```text
//! F = −2 k m² (ρ − ρ0)/ρ² W'(r)                                         DG96 Eq. 7
//! ```
//!
//! It is nothing at the distance at which ρ = ρ0, here half the support, attraction beyond, repulsion nearer. With
//! the spline, repulsion fades when particles come close, so they cluster; with the spiky kernel it grows. The
//! figure has no numbers; what the simulator does is held against the formula.

use serde_json::json;
use thixo_sim::{
    Cohesion, Dimension, Fluid, Frictionless, Kernel, KernelChoice, Material, NewBody, PRECISION, Pressure, Real,
    Settings, Shape, Simulation, StepSize, Support, Vec3, Viscosity,
};

use crate::experiment::{CaseError, Conditions};
use crate::plot::Plot;
use crate::row::Row;

/// Spacing, and half the support: h of DG96 [m].
const HALF_SUPPORT: f64 = 1.0;
const STIFFNESS: f64 = 10.0;
const DENSITY: f64 = 1000.0;
/// Distances, in so many parts of the support.
const PARTS: u32 = 40;

/// The force of two particles over their distance, from a simulation and from the formula.
pub(crate) fn figure_3() -> Result<Vec<Row>, CaseError> {
    let mut plot = Plot::new("Force between two particles", "distance by h [-]", "force by the hardest pull [-]");
    let mut rows = Vec::new();
    for (shape, name) in [(Shape::CubicSpline, "spline"), (Shape::Spiky, "spiky")] {
        let distances = || (1..PARTS).map(|k| 2.0 * HALF_SUPPORT * f64::from(k) / f64::from(PARTS));
        let pair = Pair::new(shape);
        let mut measured = Vec::new();
        let mut conditions = Conditions::default();
        for r in distances() {
            let simulation = pair.at(r)?;
            let force = pair.mass * f64::from(simulation.particles().acceleration[0].x);
            // The first particle in memory is whichever is; a push is away from the other.
            let away = f64::from(simulation.particles().position[0].x.signum());
            measured.push((r / HALF_SUPPORT, force * away));
            conditions = Conditions::of(&simulation);
        }
        let formula: Vec<_> = distances().map(|r| (r / HALF_SUPPORT, pair.force(r))).collect();
        let hardest_pull = formula.iter().map(|point| -point.1).fold(0.0, f64::max);
        let hardest_push = formula.iter().map(|point| point.1).fold(0.0, f64::max);
        let off = measured.iter().zip(&formula).map(|(a, b)| (a.1 - b.1).abs() / hardest_push).fold(0.0, f64::max);
        let scaled = |points: &[(f64, f64)]| points.iter().map(|&(r, f)| (r, f / hardest_pull)).collect::<Vec<_>>();
        let tolerance = if PRECISION == "f32" { 1e-5 } else { 1e-10 };
        let quantity = format!("force with the {name} kernel against DG96 Eq. 7, by the hardest push [-]");
        let told: Vec<_> = scaled(&measured).iter().map(|(r, f)| json!({ "r/h": r, "force": f })).collect();
        rows.push(
            Row::at_most(&quantity, off, tolerance)
                .under(&conditions)
                .reporting("push at h/20 by the hardest push", measured[0].1 / hardest_push)
                .reporting("hardest push by hardest pull", hardest_push / hardest_pull)
                .reporting("DG96 Fig. 3", told),
        );
        plot = plot
            .line(&format!("{name}, simulated"), scaled(&measured))
            .dots(&format!("{name}, Eq. 7"), scaled(&formula));
    }
    rows[0].plot = Some(plot);
    Ok(rows)
}

/// Two particles that are at rest half a support apart.
struct Pair {
    shape: Shape,
    kernel: Kernel,
    /// Rest volume of each [m^2].
    volume: f64,
    /// What densities are divided by.
    lattice_sum: f64,
    mass: f64,
}

impl Pair {
    fn new(shape: Shape) -> Pair {
        let kernel = Kernel::new(shape, (2.0 * HALF_SUPPORT) as Real, Dimension::Two);
        let lattice_sum = f64::from(kernel.lattice_sum(HALF_SUPPORT as Real));
        let w = |r: f64| f64::from(kernel.value(r as Real));
        let volume = lattice_sum / (w(0.0) + w(HALF_SUPPORT));
        Pair { shape, kernel, volume, lattice_sum, mass: DENSITY * volume }
    }

    /// Eq. 7, positive if it pushes. The mass of DG96 is that which gives the rest density at rest.
    fn force(&self, r: f64) -> f64 {
        let w = |r: f64| f64::from(self.kernel.value(r as Real));
        let mass = self.mass / self.lattice_sum;
        let density = mass * (w(0.0) + w(r));
        let slope = r * f64::from(self.kernel.slope_over_r(r as Real));
        // Densities are divided by the lattice sum, forces are not.
        let scale = self.lattice_sum * self.lattice_sum;
        -2.0 * scale * STIFFNESS * mass * mass * (density - DENSITY) / (density * density) * slope
    }

    /// Two particles after a step that is too short to move them.
    fn at(&self, r: f64) -> Result<Simulation, CaseError> {
        let support = Support { support_over_spacing: Some(2.0) };
        let settings = Settings {
            spacing: HALF_SUPPORT as Real,
            gravity: Vec3::ZERO,
            dimension: Dimension::Two,
            kernel: KernelChoice::new(self.shape, support),
            pressure: Pressure::Cohesion(Cohesion { stiffness: Some(STIFFNESS as Real), ..Cohesion::default() }),
            step: StepSize::Fixed(1e-6),
            ..Settings::default()
        };
        let fluid = Fluid { viscosity: Viscosity::None(Frictionless {}) };
        let mut simulation =
            Simulation::new(settings, vec![Material { density: DENSITY as Real, fluid, ..Material::default() }])?;
        let half = Vec3::new((0.5 * r) as Real, 0.0, 0.0);
        simulation.add_body(NewBody {
            name: "pair".into(),
            position: vec![-half, half],
            rest_volume: vec![self.volume as Real],
            ..NewBody::default()
        })?;
        simulation.step()?;
        Ok(simulation)
    }
}
