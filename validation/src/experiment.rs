//! A scene at work, and the circumstances of what is measured in it.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use thixo_scene::{BuiltScene, Probes, Problems, Scene};
use thixo_sim::{BodyId, PRECISION, SetupError, Simulation, StepError};
use thixo_surface::SurfaceError;

/// Why a case came to no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// Its scene is wrong.
    #[error("{0}")]
    Scene(Problems),
    /// The simulation refuses its scene, or a body.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A step diverged.
    #[error(transparent)]
    Step(#[from] StepError),
    /// There is no surface.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// What was to be measured did not happen.
    #[error("{0}")]
    Nothing(&'static str),
}

/// Circumstances of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// Movable particles; 0 where only formulas were evaluated.
    pub particles: u64,
    /// Steps made.
    pub steps: u64,
    /// Mean length of a step [s].
    #[serde(serialize_with = "digits")]
    pub dt: f64,
    /// Support radius in particle spacings [-].
    pub support_over_spacing: f64,
    /// How precise numbers are: `f32` or `f64`.
    pub precision: &'static str,
    /// The pressure solver, as in scene files.
    pub solver: String,
}

impl Default for Conditions {
    fn default() -> Self {
        let solver = "none".to_owned();
        Conditions { particles: 0, steps: 0, dt: 0.0, support_over_spacing: 0.0, precision: PRECISION, solver }
    }
}

impl Conditions {
    /// Those of a simulation so far.
    pub fn of(simulation: &Simulation) -> Self {
        let settings = simulation.settings();
        let steps = simulation.steps();
        // The solver's name in scene files is the key under which its parameters are written.
        let written = serde_json::to_value(&settings.pressure).unwrap_or_default();
        let solver = written.as_object().and_then(|choice| choice.keys().next());
        Conditions {
            particles: simulation.matter().len() as u64,
            steps,
            dt: simulation.time() / steps.max(1) as f64,
            // Written in decimal first: 2.4 in single precision is 2.4 for the reader.
            support_over_spacing: decimal(settings.kernel.support_over_spacing(settings.dimension)),
            solver: solver.cloned().unwrap_or_default(),
            ..Conditions::default()
        }
    }
}

/// The shortest decimal number that is this one in its own precision.
pub(crate) fn decimal(value: thixo_sim::Real) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// Six digits are more than any tolerance asks for, and can be read.
pub(crate) fn digits<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(format!("{value:.5e}").parse().unwrap_or(*value))
}

/// A scene at work.
pub(crate) struct Experiment {
    pub(crate) scene: Scene,
    pub(crate) simulation: Simulation,
    probes: Probes,
    ids: BTreeMap<String, BodyId>,
}

impl Experiment {
    /// Builds the scene of a case, with some values replaced.
    pub(crate) fn new(name: &str, text: &str, overrides: &[String]) -> Result<Experiment, CaseError> {
        let scene = Scene::read(name, text, overrides).map_err(CaseError::Scene)?;
        let BuiltScene { simulation, probes, ids } = scene.build()?;
        Ok(Experiment { scene, simulation, probes, ids })
    }

    /// The body or wall of this name.
    pub(crate) fn body(&self, name: &str) -> Result<BodyId, CaseError> {
        self.ids.get(name).copied().ok_or(CaseError::Nothing("the scene has no such body"))
    }

    /// Where a number of a probe stands in what [`Experiment::run`] hands over, by its name without its unit.
    pub(crate) fn column(&self, name: &str) -> Result<usize, CaseError> {
        let header = self.probes.header();
        let is_it = |column: &String| column.split(" [").next() == Some(name);
        header.iter().position(is_it).ok_or(CaseError::Nothing("the scene has no such probe"))
    }

    /// Runs to the end of the scene and hands over the simulation and its probes after every step.
    pub(crate) fn run(&mut self, mut watch: impl FnMut(&Simulation, &[f64])) -> Result<(), CaseError> {
        let mut sample = Vec::new();
        while self.simulation.time() < self.scene.time.end {
            self.simulation.step_until(self.scene.time.end)?;
            self.probes.sample(&self.simulation, &mut sample);
            watch(&self.simulation, &sample);
        }
        Ok(())
    }

    /// Runs to a time [s], exactly.
    pub(crate) fn run_to(&mut self, time: f64) -> Result<(), CaseError> {
        while self.simulation.time() < time {
            self.simulation.step_until(time)?;
        }
        Ok(())
    }

    /// The circumstances so far.
    pub(crate) fn conditions(&self) -> Conditions {
        Conditions::of(&self.simulation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supports_are_written_as_they_were_given() {
        assert_eq!(decimal(2.4), 2.4);
    }
}
