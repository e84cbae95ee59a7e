//! One case, run and timed.

use std::time::Instant;

use thixo_scene::Scene;
use thixo_sim::{InstructionSet, Simulation, StepError, StepReport, Who};

use super::cases::Case;
use crate::failure::Failure;
use crate::process;
use crate::stages::{Stage, Stages};

/// What was measured of a case.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) instruction_set: &'static str,
    pub(super) movable: usize,
    pub(super) walls: usize,
    pub(super) steps: u64,
    pub(super) simulated: f64,
    /// Wall time to build the scene and to make the first step [s].
    pub(super) set_up: f64,
    /// Wall time of all steps but the first [s].
    pub(super) stepping: f64,
    /// Processor time of all steps but the first [s].
    pub(super) processor: Option<f64>,
    /// Of all steps but the first.
    pub(super) stages: Vec<Stage>,
    /// (Particle, neighbour) entries in the lists of movable particles, at the end.
    pub(super) movable_pairs: usize,
    /// The same for wall particles.
    pub(super) wall_pairs: usize,
    /// Neighbours closer than the support radius that a movable particle has on average, at the end.
    pub(super) neighbors: f64,
    /// Compression of every step, added up: mean over particles.
    pub(super) compression: f64,
    /// Compression of the worst particle in any step.
    pub(super) worst_compression: f64,
    /// How often forces on a particle were found, in all steps.
    pub(super) force_evaluations: u64,
    /// Iterations of the pressure solver in all steps, for densities and for velocities.
    pub(super) iterations: [u64; 3],
    /// Where the end of an elastic body that is clamped is, its particles farthest along x [m].
    pub(super) tip: Option<f64>,
    pub(super) resident_before: Option<u64>,
    pub(super) peak_resident: Option<u64>,
    /// Why the run broke off before its end.
    pub(super) broken: Option<String>,
}

/// A few particles of water.
const WARM_UP: &str = r#"
[world]
spacing = 0.1
[time]
end = 0.001
[materials.water]
density = 1000.0
[[bodies]]
name = "block"
material = "water"
shape.box = { min = [0.0, 0.0, 0.0], max = [1.0, 1.0, 1.0] }
"#;

/// Wakes the workers and brings the program itself into memory, so that neither is taken for the cost of a case.
pub(super) fn warm_up(set: InstructionSet) -> Result<(), Failure> {
    measure(&Case { name: "warm-up", text: WARM_UP }, set).map(drop)
}

/// Runs a case from its scene to its end.
pub(super) fn measure(case: &Case, set: InstructionSet) -> Result<Measured, Failure> {
    process::forget_peak();
    let resident_before = process::resident_bytes();
    let started = Instant::now();
    let scene = Scene::read(case.name, case.text, &[]).map_err(Failure::Scene)?;
    let built = scene.build().map_err(|error| Failure::BadInput(format!("cannot build {}: {error}", case.name)))?;
    let mut simulation = built.simulation;
    simulation.set_instruction_set(set);
    let mut measured = Measured {
        instruction_set: set.name(),
        movable: simulation.matter().len(),
        walls: simulation.world().kinds.walls().len(),
        resident_before,
        ..Measured::default()
    };
    let stages = Stages::default();
    let ended = stages.listen(|| step_to_end(&mut simulation, scene.time.end, &stages, started, &mut measured));
    measured.broken = ended.err().map(|error| error.to_string());
    measured.peak_resident = process::peak_resident_bytes();
    measured.stages = stages.times();
    (measured.steps, measured.simulated) = (simulation.steps(), simulation.time());
    count_pairs(&simulation, &mut measured);
    measured.tip = tip(&simulation);
    Ok(measured)
}

/// The mean height of the particles farthest along x in the undeformed shape of a body that is clamped.
fn tip(simulation: &Simulation) -> Option<f64> {
    let particles = simulation.particles();
    let is_held = |&i: &usize| simulation.body_of(i).is_some_and(|body| !body.clamps.is_empty());
    let held: Vec<_> = simulation.world().kinds.bonded().filter(is_held).collect();
    let end = held.iter().map(|&i| particles.anchor[i].x).fold(f32::MIN as thixo_sim::Real, thixo_sim::Real::max);
    let last: Vec<_> = held.iter().filter(|&&i| particles.anchor[i].x > end - 1e-5).collect();
    let sum: f64 = last.iter().map(|&&i| f64::from(particles.position[i].y)).sum();
    (!last.is_empty()).then(|| sum / last.len() as f64)
}

fn step_to_end(
    simulation: &mut Simulation,
    end: f64,
    stages: &Stages,
    started: Instant,
    measured: &mut Measured,
) -> Result<(), StepError> {
    measured.add(&simulation.step_until(end)?);
    measured.set_up = started.elapsed().as_secs_f64();
    stages.forget();
    let (first, processor) = (Instant::now(), process::processor_seconds());
    while simulation.time() < end {
        measured.add(&simulation.step_until(end)?);
        measured.stepping = first.elapsed().as_secs_f64();
    }
    measured.processor = process::processor_seconds().zip(processor).map(|(now, then)| now - then);
    Ok(())
}

fn count_pairs(simulation: &Simulation, measured: &mut Measured) {
    let pairs = simulation.pairs();
    measured.movable_pairs = pairs.listed_by(Who::Matter);
    measured.wall_pairs = pairs.listed_by(Who::Walls);
    let close: usize = (0..measured.movable).map(|i| pairs.neighbors(i).count()).sum();
    measured.neighbors = close as f64 / measured.movable.max(1) as f64;
}

impl Measured {
    fn add(&mut self, report: &StepReport) {
        self.compression += report.density_error;
        self.worst_compression = self.worst_compression.max(report.worst_density_error);
        self.force_evaluations += report.force_evaluations as u64;
        self.iterations[0] += u64::from(report.iterations);
        self.iterations[1] += u64::from(report.divergence_iterations);
        self.iterations[2] += u64::from(report.elastic_iterations);
    }
}
