//! `thixo bench elastic-table`: what elastic models cost (BIT09 Fig. 2), and what an implicit solve saves (Peer18 Fig. 5).
//!
//! The first rows measure the elastic forces of plain SPH, corotated SPH and corotated moving least squares, linear strain,
//! for cuboids of 1000 particles each. The others compare, for a block that swings freely, the implicit solver at 1 and
//! 10 ms with corotated SPH at the longest step at which that is stable, searched for by factors of √2: processor time per simulated
//! second, so that other programs disturb it little.

use std::f64::consts::SQRT_2;

use serde::Serialize;
use thixo_scene::Scene;
use thixo_sim::Simulation;
use thixo_sim::measure::{Totals, elastic_forces};

use crate::VERSION;
use crate::failure::Failure;
use crate::process;

/// What it is called.
pub(super) const NAME: &str = "elastic-table";

/// Cuboids of 10 x 10 x 10 particles.
const CUBOIDS: [usize; 5] = [1, 5, 10, 25, 50];
const MODELS: [&str; 3] = ["sph", "corotated", "mls"];

/// Shear and bulk moduli of Peer18 Table 1 [Pa].
const MODULI: [f64; 6] = [5e2, 5e3, 5e4, 5e5, 5e6, 2e7];

/// Steps of the implicit solver [s]: that of Peer18 Table 1, and one that only motion limits.
const LONG_STEPS: [f64; 2] = [1e-3, 1e-2];

/// Steps that a block must swing without gaining energy.
const TRIED: u64 = 1000;

/// A row of the table.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Row {
    /// BIT09 Fig. 2.
    Forces(Forces),
    /// Peer18 Fig. 5.
    Steps(Steps),
}

/// What elastic forces cost.
#[derive(Debug, Serialize)]
pub(super) struct Forces {
    scene: &'static str,
    particles: usize,
    /// Processor time per particle [ns]: plain, corotated, moving least squares.
    ns_per_particle: [f64; 3],
    /// The same over that of plain SPH.
    ratio: [f64; 3],
    version: &'static str,
}

/// What an implicit solve saves.
#[derive(Debug, Serialize)]
pub(super) struct Steps {
    scene: &'static str,
    particles: usize,
    /// [Pa]
    shear_modulus: f64,
    /// Longest stable step of corotated SPH [s].
    explicit_step: f64,
    /// The same, in spacings over the speed of sound.
    explicit_courant: f64,
    /// [s]
    implicit_step: f64,
    implicit_iterations: f64,
    step_cost_ratio: f64,
    /// Processor time of corotated SPH over that of the implicit solver, per simulated second.
    speed_up: f64,
    version: &'static str,
}

/// Measures all rows, telling each when it is ready.
pub(super) fn measure(tell: impl Fn(&Row) -> Result<(), Failure>) -> Result<(), Failure> {
    for cuboids in CUBOIDS {
        tell(&Row::Forces(forces(cuboids)?))?;
    }
    for modulus in MODULI {
        let explicit = Explicit::find(modulus, 12)?;
        for step in LONG_STEPS {
            tell(&Row::Steps(steps(modulus, 12, step, &explicit)?))?;
        }
    }
    Ok(())
}

fn build(text: &str) -> Result<Simulation, Failure> {
    let scene = Scene::read(NAME, text, &[]).map_err(Failure::Scene)?;
    let built = scene.build().map_err(|error| Failure::BadInput(format!("cannot build {NAME}: {error}")))?;
    Ok(built.simulation)
}

/// Cuboids in a row, all of one model.
fn cuboids(count: usize, model: &str) -> String {
    let mut text = format!(
        "world = {{ spacing = 0.1, gravity = [0, 0, 0] }}\ntime.end = 1\npressure.penalty = {{}}\n\
         materials.rubber = {{ density = 1000.0, elastic.{model} = {{ young_modulus = 1e5, poisson_ratio = 0.3 }} }}\n"
    );
    for k in 0..count {
        let [from, to] = [2 * k, 2 * k + 1];
        text += &format!(
            "[[bodies]]\nname = \"{k}\"\nmaterial = \"rubber\"\n\
             shape.box = {{ min = [{from}, 0, 0], max = [{to}, 1, 1] }}\n\
             velocity_field.linear = {{ gradient = [[0, 1, 0], [0, 0, 0], [0, 0, 0.5]], centre = [{from}, 0, 0] }}\n"
        );
    }
    text
}

fn forces(count: usize) -> Result<Forces, Failure> {
    let mut particles = 0;
    let mut cost = [0.0; 3];
    for (model, cost) in MODELS.iter().zip(&mut cost) {
        let mut simulation = build(&cuboids(count, model))?;
        // Deformed, as in motion.
        simulation.advance(0.01).map_err(|error| Failure::Failed(error.to_string()))?;
        particles = simulation.matter().len();
        let times = (2_000_000 / particles).max(3);
        let work = || (0..times).map(|_| elastic_forces(&simulation).len()).sum::<usize>();
        let (seconds, forces) = timed(work);
        *cost = 1e9 * seconds / forces as f64;
    }
    Ok(Forces {
        scene: NAME,
        particles,
        ns_per_particle: cost,
        ratio: cost.map(|model| model / cost[0]),
        version: VERSION,
    })
}

/// Processor time of some work [s], and what it gives.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let started = process::processor_seconds();
    let result = work();
    (process::processor_seconds().zip(started).map_or(f64::NAN, |(now, then)| now - then), result)
}

/// A block of so many particles along each edge that is sheared and stretched, left alone.
fn block(edge: usize, model: &str, modulus: f64, step: f64) -> Result<Simulation, Failure> {
    let size = edge as f64 * 0.04;
    // A speed of the ends that strains it by some per cent.
    let rate = 0.05 * (modulus / 1000.0).sqrt() / size;
    build(&format!(
        "world = {{ spacing = 0.04, gravity = [0, 0, 0] }}\ntime = {{ end = 1, step.fixed = {step:e} }}\n\
         pressure.penalty = {{}}\n\
         materials.jelly = {{ density = 1000.0, elastic.{model} = {{ shear_modulus = {modulus:e}, bulk_modulus = {modulus:e} }} }}\n\
         [[bodies]]\nname = \"block\"\nmaterial = \"jelly\"\nshape.box = {{ min = [0, 0, 0], max = [{size}, {size}, {size}] }}\n\
         velocity_field.linear = {{ gradient = [[0, {rate}, 0], [0, 0, 0], [0, 0, {rate}]], centre = [0, 0, 0] }}\n"
    ))
}

/// Is corotated SPH stable at this step? Its cost of a step, if so [s].
fn explicit_cost(edge: usize, modulus: f64, step: f64) -> Result<Option<f64>, Failure> {
    let mut simulation = block(edge, "corotated", modulus, step)?;
    let start = simulation.prepare().map(|()| Totals::of(&simulation, None).kinetic);
    let start = start.map_err(|error| Failure::Failed(error.to_string()))?;
    let (seconds, is_stable) = timed(|| {
        (0..TRIED).all(|_| {
            // A step that had to be taken back was too long.
            simulation.step().is_ok_and(|report| report.tries == 1)
        })
    });
    let end = Totals::of(&simulation, None);
    let is_stable = is_stable && end.kinetic + end.deformation < 1.2 * start;
    Ok(is_stable.then_some(seconds / TRIED as f64))
}

/// Corotated SPH at its longest step.
struct Explicit {
    /// [s]
    step: f64,
    /// In spacings over the speed of sound.
    courant: f64,
    /// Processor time of a step [s].
    cost: f64,
}

impl Explicit {
    /// Searches from four spacings over the speed of sound downwards.
    fn find(modulus: f64, edge: usize) -> Result<Explicit, Failure> {
        // K + 4/3 G, of which waves of compression make their speed.
        let sound_speed = (7.0 / 3.0 * modulus / 1000.0_f64).sqrt();
        for power in 0..20 {
            let courant = 4.0 / SQRT_2.powi(power);
            let step = courant * 0.04 / sound_speed;
            if let Some(cost) = explicit_cost(edge, modulus, step)? {
                return Ok(Explicit { step, courant, cost });
            }
        }
        Err(Failure::Failed("corotated SPH is stable at no step".into()))
    }
}

fn steps(modulus: f64, edge: usize, step: f64, explicit: &Explicit) -> Result<Steps, Failure> {
    let mut simulation = block(edge, "implicit", modulus, step)?;
    let count = 200;
    let (seconds, iterations) =
        timed(|| (0..count).map(|_| simulation.step().map(|report| report.elastic_iterations)).sum::<Result<u32, _>>());
    let iterations = iterations.map_err(|error| Failure::Failed(error.to_string()))?;
    let implicit = seconds / f64::from(count);
    Ok(Steps {
        scene: NAME,
        particles: simulation.matter().len(),
        shear_modulus: modulus,
        explicit_step: explicit.step,
        explicit_courant: explicit.courant,
        implicit_step: step,
        implicit_iterations: f64::from(iterations) / f64::from(count),
        step_cost_ratio: implicit / explicit.cost,
        speed_up: explicit.cost / explicit.step / (implicit / step),
        version: VERSION,
    })
}

impl Row {
    /// One line.
    pub(super) fn json(&self) -> String {
        let line = serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
        format!("{line}\n")
    }

    /// A line for people.
    pub(super) fn table(&self) -> String {
        match self {
            Row::Forces(Forces { scene, particles, ns_per_particle: [plain, corotated, mls], ratio, .. }) => format!(
                "{scene}: forces of {particles} particles: plain SPH {plain:.0} ns each, corotated {corotated:.0} ({:.2} times), \
                 moving least squares {mls:.0} ({:.2} times)\n",
                ratio[1], ratio[2]
            ),
            Row::Steps(row) => format!(
                "{}: {} particles, G = K = {:.0e} Pa: corotated stable at {:.2e} s ({:.2} d/c), implicit {:.0e} s with {:.1} \
                 iterations; a step {:.2} times as dear, {:.2} times as fast\n",
                row.scene,
                row.particles,
                row.shear_modulus,
                row.explicit_step,
                row.explicit_courant,
                row.implicit_step,
                row.implicit_iterations,
                row.step_cost_ratio,
                row.speed_up
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_add_up() {
        let row = steps(5e4, 5, 1e-3, &Explicit::find(5e4, 5).unwrap()).unwrap();
        assert!((row.speed_up * row.step_cost_ratio * row.explicit_step / row.implicit_step - 1.0).abs() < 1e-9);
        assert!((0.1..4.0).contains(&row.explicit_courant), "{}", row.explicit_courant);
        assert!(row.implicit_iterations >= 1.0 && row.particles == 125);
        assert!(Row::Steps(row).json().contains("\"speed_up\""));
        let row = forces(1).unwrap();
        assert!(row.particles == 1000 && row.ratio[0] == 1.0 && row.ns_per_particle.iter().all(|cost| *cost >= 0.0));
    }
}
