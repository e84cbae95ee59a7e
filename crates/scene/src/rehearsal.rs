//! How many steps a scene will take: some are made, the others follow from the speed that matter may reach.
//!
//! What limits steps is known to a simulation alone: how fast elastic bodies vibrate, how stiff a fluid is, what accelerations
//! are left once pressures are known. So the first steps are made in earnest; then the simulation is asked how long steps would be at
//! other speeds. Matter that has begun to fall is taken to fall on, up to the speed that the height of the scene gives, and
//! to keep it, since jets of a splash are faster and what comes to rest is slower; matter that gravity has not set in motion is
//! taken to stay at rest.

use thixo_sim::{SetupError, Simulation, StepError};

use crate::Scene;

/// Steps times particles of a rehearsal: about a second of work.
const WORK: u64 = 500_000;

/// The fewest and the most steps of a rehearsal, if the scene has as many. With fewer, water that finds its rest cannot be told from
/// water that falls.
const STEPS: [u64; 2] = [10, 1000];

/// Matter that has less than this share of the speed of a free fall does not fall.
const FALLING: f64 = 0.1;

/// What impacts add to the speed of a fall, in the mean over a splash: with 1 the splashes of the gallery take up to 1.5 times as
/// many steps as are told; with more than 1.3 falls that hit little take as much fewer.
const IMPACT: f64 = 1.2;

/// Intervals of the remaining time, each with a speed of its own.
const INTERVALS: u32 = 32;

/// The first steps of a scene, for estimates.
pub struct Rehearsal<'a> {
    scene: &'a Scene,
    simulation: Simulation,
    /// Steps to be made at most.
    most: u64,
    /// The speed of the fastest particle now [m/s].
    fastest: f64,
}

/// How many steps a scene will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Their number.
    pub steps: u64,
    /// Their mean length [s].
    pub step: f64,
}

impl Scene {
    /// Builds the scene, to make its first steps for an estimate: at least ten, unless it ends before.
    pub fn rehearse(&self) -> Result<Rehearsal<'_>, SetupError> {
        let simulation = self.build()?.simulation;
        let most = (WORK / simulation.particles().len().max(1) as u64).clamp(STEPS[0], STEPS[1]);
        Ok(Rehearsal { scene: self, simulation, most, fastest: 0.0 })
    }
}

impl Rehearsal<'_> {
    /// Makes the next step, unless enough were made; says whether it did.
    pub fn step(&mut self) -> Result<bool, StepError> {
        let (time, fps, end) = (self.simulation.time(), self.scene.time.fps, self.scene.time.end);
        if time >= end || self.simulation.steps() >= self.most {
            return Ok(false);
        }
        // Steps head for frames, as those of a run.
        let frame = ((time * fps * (1.0 + 1e-9)).floor() + 1.0) / fps;
        self.fastest = self.simulation.step_towards(frame, frame.min(end))?.fastest;
        Ok(true)
    }

    /// Steps that were made.
    pub fn steps(&self) -> u64 {
        self.simulation.steps()
    }

    /// How many steps there will be in all.
    pub fn forecast(&self) -> Forecast {
        let (time, end) = (self.simulation.time(), self.scene.time.end);
        let prospect = self.scene.prospect(&self.scene.meaning.samples);
        let of_free_fall = prospect.first_speed + prospect.pull * time;
        let is_falling = of_free_fall > 0.0 && self.fastest > FALLING * of_free_fall;
        // What is faster than it fell is a jet, and does not last.
        let of_fall = IMPACT * prospect.highest_speed;
        let highest = if is_falling { of_fall.max((self.fastest * of_fall).sqrt()) } else { self.fastest };
        let interval = (end - time).max(0.0) / f64::from(INTERVALS);
        let steps_of = |k: u32| {
            let passed = (f64::from(k) + 0.5) * interval;
            let speed = (self.fastest + prospect.pull * passed).min(highest);
            interval / self.simulation.expected_step(speed, 1.0 / self.scene.time.fps)
        };
        let steps = self.steps() + (0..INTERVALS).map(steps_of).sum::<f64>().ceil() as u64;
        Forecast { steps, step: end / steps as f64 }
    }
}
