//! The run itself: steps, rows, frames and checkpoints, from where it stands to its end.
//!
//! A run that was stopped and goes on must give the bits of one that never stopped, whatever end either was told.
//! So a checkpoint is taken only where every run of the scene comes by: steps are shortened to meet frames, which
//! all runs do, but after a step that was shortened to meet an end between two frames there is no checkpoint.

use std::time::{Duration, Instant};

use thixo_frames::FrameError;
use thixo_sim::{EnergyBalance, Simulation, StepError, StepReport};

use super::interrupt::Interrupt;
use super::progress::{Progress, energy_from_nowhere};
use super::recorder::{RecordError, Recorder};
use super::timeline::{Goal, Timeline};
use crate::stages::Stages;

/// Frames from one checkpoint to the next, at most.
const FRAMES_PER_CHECKPOINT: u64 = 10;

/// Wall time from one checkpoint to the next, at most (and one step).
const TIME_PER_CHECKPOINT: Duration = Duration::from_secs(30);

/// A step below this share of the remaining time was certainly not shortened for its end: that begins at half.
const SURELY_FREE: f64 = 0.49;

/// A run between two steps.
pub(crate) struct Run {
    pub(crate) simulation: Simulation,
    pub(crate) recorder: Recorder,
    pub(crate) timeline: Timeline,
    /// The first frame that is not yet written.
    pub(crate) next_frame: u64,
    pub(crate) progress: Progress,
    checkpointed: Checkpointed,
    /// No step was shortened but for frames.
    is_on_track: bool,
    stages: Stages,
}

/// When the last checkpoint was taken.
struct Checkpointed {
    at: Instant,
    next_frame: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Finished,
    Interrupted,
}

/// What stopped a run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Step(#[from] StepError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("{0}; with `world.energy_gain = \"warn\"` in run.toml it goes on")]
    Energy(String),
}

impl From<FrameError> for RunError {
    fn from(error: FrameError) -> Self {
        RunError::Record(error.into())
    }
}

impl Run {
    /// A run that has a checkpoint of exactly this moment.
    pub(crate) fn new(
        simulation: Simulation,
        recorder: Recorder,
        timeline: Timeline,
        next_frame: u64,
        progress: Progress,
    ) -> Run {
        let checkpointed = Checkpointed { at: Instant::now(), next_frame };
        Run {
            simulation,
            recorder,
            timeline,
            next_frame,
            progress,
            checkpointed,
            is_on_track: true,
            stages: Stages::default(),
        }
    }

    /// Goes on to the end, or until someone interrupts.
    pub(crate) fn drive(&mut self, interrupt: &Interrupt) -> Result<Ending, RunError> {
        self.stages.clone().listen(|| self.drive_and_time(interrupt))
    }

    fn drive_and_time(&mut self, interrupt: &Interrupt) -> Result<Ending, RunError> {
        while let Some(goal) = self.timeline.goal(self.next_frame, self.simulation.time()) {
            while self.simulation.time() < goal.time {
                if interrupt.is_requested() {
                    self.checkpoint()?;
                    return Ok(Ending::Interrupted);
                }
                self.step(goal)?;
                if self.checkpointed.at.elapsed() >= TIME_PER_CHECKPOINT {
                    self.checkpoint()?;
                }
            }
            if goal.is_frame {
                self.frame()?;
            }
        }
        Ok(Ending::Finished)
    }

    fn step(&mut self, goal: Goal) -> Result<(), RunError> {
        self.stages.forget();
        let started = Instant::now();
        let remaining = goal.time - self.simulation.time();
        let report = self.simulation.step_towards(goal.frame, goal.time)?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        self.is_on_track &= goal.is_frame || is_free(&report, remaining);
        let is_frame = goal.is_frame && self.simulation.time() >= goal.time;
        let stages = self.stages.times();
        self.recorder.step(&self.simulation, &report, ms, &stages, is_frame).map_err(RecordError::from)?;
        if self.is_on_track {
            self.progress.watch(&self.simulation, &report);
        }
        self.progress.show(&self.simulation, self.next_frame, &report);
        match self.simulation.energy() {
            Some(balance) if self.recorder.stops_at_gain && balance.gain() > EnergyBalance::STOPS => {
                Err(RunError::Energy(energy_from_nowhere(&self.simulation, balance)))
            }
            _ => Ok(()),
        }
    }

    fn frame(&mut self) -> Result<(), RunError> {
        self.recorder.frame(&self.simulation, self.next_frame, self.simulation.time())?;
        let is_last = self.next_frame == self.timeline.last_frame;
        self.next_frame += 1;
        if is_last || self.next_frame >= self.checkpointed.next_frame + FRAMES_PER_CHECKPOINT {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Takes a checkpoint where every run of the scene comes by; elsewhere the last one has to do.
    fn checkpoint(&mut self) -> Result<(), RecordError> {
        if self.is_on_track {
            self.recorder.checkpoint(&self.simulation, self.next_frame)?;
        }
        self.checkpointed = Checkpointed { at: Instant::now(), next_frame: self.next_frame };
        Ok(())
    }
}

/// Was the step as long as it would have been without an end that was `remaining` away [s]?
fn is_free(report: &StepReport, remaining: f64) -> bool {
    let first_try = f64::from(report.dt) * 2.0_f64.powi(report.tries.saturating_sub(1) as i32);
    first_try < SURELY_FREE * remaining
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use thixo_frames::latest_checkpoint;
    use thixo_scene::{BuiltScene, Scene};
    use thixo_sim::{Force, InstructionSet, StepContext, Vec3};

    use super::super::folder::Folder;
    use super::*;

    const POND: &str = "
        world = { spacing = 0.1, dimension = 2 }
        time = { end = 1.0, fps = 1 }
        materials.water.density = 1000
        [[bodies]]
        name = 'pond'
        material = 'water'
        shape.box = { min = [0, 0, 0], max = [1, 1, 0] }
    ";

    fn run(root: &Path, end: f64) -> Run {
        run_with(root, end, &[])
    }

    fn run_with(root: &Path, end: f64, settings: &[String]) -> Run {
        let scene = Scene::read("pond", POND, settings).unwrap();
        let BuiltScene { mut simulation, probes, .. } = scene.build().unwrap();
        simulation.prepare().unwrap();
        let (folder, log) = Folder::create(root, false).unwrap();
        let recorder = Recorder::new(folder, log, (&scene, String::new()), probes, InstructionSet::Baseline).unwrap();
        let timeline = Timeline::new(scene.time.fps, end).unwrap();
        Run::new(simulation, recorder, timeline, 1, Progress::new(timeline, 0.0, true))
    }

    #[test]
    fn every_checkpoint_lies_on_the_way_of_every_run() {
        let folder = tempfile::tempdir().unwrap();
        let mut whole = run(&folder.path().join("whole"), 1.0);
        let mut times = vec![0.0];
        while whole.simulation.time() < 1.0 {
            whole.step(Goal { time: 1.0, frame: 1.0, is_frame: true }).unwrap();
            times.push(whole.simulation.time());
        }
        // Ends that fall on different parts of a step.
        for end in (0..8).map(|part| 0.025 + 0.0013 * f64::from(part)) {
            let root = folder.path().join(end.to_string());
            let mut short = run(&root, end);
            let goal = short.timeline.goal(1, 0.0).unwrap();
            assert!(!goal.is_frame);
            while short.simulation.time() < end {
                short.step(goal).unwrap();
                short.checkpoint().unwrap();
            }
            let clock = latest_checkpoint(&root.join("checkpoints")).unwrap().checkpoint.snapshot.state.clock;
            assert_eq!(clock.time, times[clock.step as usize], "at an end of {end}");
            let last = short.simulation.steps();
            assert!((2..last).contains(&clock.step), "{} of {last} steps have a checkpoint", clock.step);
        }
    }

    /// Drives what moves, out of nowhere.
    struct Perpetual;

    impl Force for Perpetual {
        fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
            let velocity = &step.world.particles.velocity;
            acceleration.iter_mut().zip(velocity).for_each(|(acceleration, v)| *acceleration += 3.0 * *v);
        }
    }

    #[test]
    fn energy_from_nowhere_ends_a_run_unless_the_scene_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        for (choice, ends) in [("stop", true), ("warn", false), ("ignore", false)] {
            let set = [format!("world.energy_gain=\"{choice}\"")];
            let mut run = run_with(&folder.path().join(choice), 1.0, &set);
            run.simulation.add_force(Box::new(Perpetual));
            match run.drive(&Interrupt::default()) {
                Err(RunError::Energy(told)) if ends => {
                    assert!(told.contains("J of energy have come from nowhere"), "{told}");
                    assert!(run.simulation.time() < 1.0);
                }
                Ok(Ending::Finished) if !ends => {}
                other => panic!("{choice}: {other:?}"),
            }
        }
        let mut run = run(&folder.path().join("right"), 1.0);
        assert_eq!(run.drive(&Interrupt::default()).unwrap(), Ending::Finished);
    }

    #[test]
    fn checkpoints_follow_frames_and_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = run(folder.path().join("x").as_path(), 30.0);
        let steps = |run: &Run| thixo_frames::list_checkpoints(&run.recorder.folder.checkpoints()).unwrap();
        for _ in 1..FRAMES_PER_CHECKPOINT {
            run.frame().unwrap();
        }
        assert!(steps(&run).is_empty());
        run.frame().unwrap();
        assert_eq!(steps(&run).len(), 1);
        run.step(Goal { time: 30.0, frame: 30.0, is_frame: true }).unwrap();
        let interrupt = Interrupt::default();
        interrupt.request();
        assert_eq!(run.drive(&interrupt).unwrap(), Ending::Interrupted);
        assert_eq!(steps(&run).len(), 2);
    }
}
