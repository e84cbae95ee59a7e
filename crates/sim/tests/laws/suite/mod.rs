//! The laws, for whatever can make and step a world.
//!
//! A law takes a [`Stepper`]: it makes worlds from [`Recipe`]s, which are plain data, steps them, and looks at columns. So
//! another implementation of the step is held to the same laws as the one of this crate:
//!
//! ```text
//! #[macro_use]
//! #[path = "../../sim/tests/laws/suite/mod.rs"]
//! mod suite;
//!
//! laws!(reference, crate::Reference, all);    // every law is a test: reference::conservation::momentum_is_...
//! twins!(reference_and_baseline, crate::Reference, crate::suite::Baseline);
//! ```
//!
//! Physics owes the same to all; what is rounded otherwise says by how much worse with [`Stepper::ROUNDING`]. The list of
//! laws is in `list.rs`: a law that is missing there is unused code, which lints find.

#[macro_use]
mod list;

pub(crate) mod accounts;
pub(crate) mod attachments;
pub(crate) mod bits;
pub(crate) mod conservation;
pub(crate) mod contact;
pub(crate) mod contact_by_hand;
pub(crate) mod elasticity;
pub(crate) mod embedding;
pub(crate) mod exactness;
pub(crate) mod impacts;
pub(crate) mod incompressible;
pub(crate) mod individual;
pub(crate) mod invariance;
pub(crate) mod motion;
mod native;
mod recipe;
pub(crate) mod rest;
pub(crate) mod restart;
pub(crate) mod swinging;
pub(crate) mod worlds;

use thixo_sim::measure::Totals;
use thixo_sim::{BodyId, Particles, SetupError, Simulation, Snapshot, StepError, StepReport};

pub(crate) use native::{Baseline, Detected, Threads, simulation};
pub(crate) use recipe::{Change, Recipe, Thing};

/// Something that can make and step a world.
pub(crate) trait Stepper: Sized {
    /// How many times as large as those of this crate's rounding errors may be: tolerances that come from rounding are
    /// multiplied by it.
    const ROUNDING: f64 = 1.0;

    /// A world as the recipe says.
    fn make(recipe: &Recipe) -> Result<Self, SetupError>;

    /// Lets bodies and walls come, go and be moved between two steps; names the one that did.
    fn change(&mut self, change: Change) -> Result<BodyId, SetupError>;

    /// Brings densities and pressures up to date; a step does it by itself.
    fn prepare(&mut self) -> Result<(), StepError>;

    /// Makes one of the steps of equal length that reach the time `limit` [s].
    fn step_until(&mut self, limit: f64) -> Result<StepReport, StepError>;

    /// Everything needed to go on from here.
    fn snapshot(&self) -> Snapshot;

    /// Goes back to a snapshot of a world of the same recipe.
    fn restore(&mut self, snapshot: Snapshot) -> Result<(), SetupError>;

    /// The world as it is.
    fn view(&self) -> View<'_>;

    /// What is no column is measured on a simulation of this crate: where the implementation is another, one of the same
    /// recipe that was restored from [`snapshot`](Self::snapshot) and prepared.
    fn measure<T>(&self, quantity: impl FnOnce(&Simulation) -> T) -> T;
}

/// A world between two steps.
#[derive(Clone)]
pub(crate) struct View<'a> {
    /// Simulated time [s].
    pub(crate) time: f64,
    /// Steps made.
    pub(crate) steps: u64,
    /// The particles that a step moves.
    pub(crate) matter: std::ops::Range<usize>,
    /// All columns.
    pub(crate) particles: &'a Particles,
}

impl<'a> View<'a> {
    /// Of a simulation of this crate.
    pub(crate) fn of(simulation: &'a Simulation) -> Self {
        let (time, steps, matter) = (simulation.time(), simulation.steps(), simulation.matter());
        View { time, steps, matter, particles: simulation.particles() }
    }
}

/// What laws do with a [`Stepper`], in fewer words.
pub(crate) trait Run: Stepper {
    fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_until(f64::INFINITY)
    }

    /// Steps until `seconds` from now, exactly; returns what the last step reported.
    fn advance(&mut self, seconds: f64) -> Result<StepReport, StepError> {
        let limit = self.time() + seconds;
        let mut report = StepReport::default();
        while self.time() < limit {
            report = self.step_until(limit)?;
        }
        Ok(report)
    }

    fn add(&mut self, thing: impl Into<Thing>) -> BodyId {
        self.change(Change::Add(Box::new(thing.into()))).unwrap()
    }

    fn particles(&self) -> &Particles {
        self.view().particles
    }

    fn matter(&self) -> std::ops::Range<usize> {
        self.view().matter
    }

    fn time(&self) -> f64 {
        self.view().time
    }

    fn steps(&self) -> u64 {
        self.view().steps
    }

    /// Over all matter.
    fn totals(&self) -> Totals {
        self.measure(|simulation| Totals::of(simulation, None))
    }
}

impl<S: Stepper> Run for S {}
