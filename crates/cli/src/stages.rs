//! A stopwatch for the stages of a step, which the simulation names as `tracing` spans.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// What one stage took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) time: Duration,
    /// How often it was entered.
    pub(crate) count: u64,
    entered: Option<Instant>,
}

/// The times of all stages, in the order in which they first came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stages(Arc<Mutex<Vec<Stage>>>);

impl Stages {
    /// Runs `work`, whose stages in this thread are timed.
    pub(crate) fn listen<R>(&self, work: impl FnOnce() -> R) -> R {
        tracing::dispatcher::with_default(&Dispatch::new(self.clone()), work)
    }

    /// Forgets all times so far.
    pub(crate) fn forget(&self) {
        for stage in self.lock().iter_mut() {
            (stage.time, stage.count) = (Duration::ZERO, 0);
        }
    }

    /// The times so far.
    pub(crate) fn times(&self) -> Vec<Stage> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Stage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, span: &Id, change: impl FnOnce(&mut Stage)) {
        let index = span.into_u64() as usize - 1;
        if let Some(stage) = self.lock().get_mut(index) {
            change(stage);
        }
    }
}

/// All spans of one name are one stage: its place in the list, counted from 1, is their identifier.
impl Subscriber for Stages {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("thixo_sim")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let name = span.metadata().name();
        let mut stages = self.lock();
        let index = stages.iter().position(|stage| stage.name == name).unwrap_or_else(|| {
            stages.push(Stage { name, time: Duration::ZERO, count: 0, entered: None });
            stages.len() - 1
        });
        Id::from_u64(index as u64 + 1)
    }

    fn enter(&self, span: &Id) {
        self.with(span, |stage| stage.entered = Some(Instant::now()));
    }

    fn exit(&self, span: &Id) {
        self.with(span, |stage| {
            stage.time += stage.entered.take().map_or(Duration::ZERO, |entered| entered.elapsed());
            stage.count += 1;
        });
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_sim::{Material, NewBody, Settings, Simulation, Vec3};

    #[test]
    fn stages_of_a_step_are_timed_and_counted() {
        let mut simulation = Simulation::new(Settings::default(), vec![Material::default()]).unwrap();
        let position = (0..64).map(|i| Vec3::new((i % 8) as _, (i / 8) as _, 0.0) * 0.02).collect();
        simulation.add_body(NewBody { position, ..NewBody::default() }).unwrap();
        let stages = Stages::default();
        stages.listen(|| (0..3).for_each(|_| assert!(simulation.step().is_ok())));
        simulation.step().unwrap();
        let times = stages.times();
        let find = |name| *times.iter().find(|stage: &&Stage| stage.name == name).unwrap();
        assert_eq!(find("move").count, 3);
        // Once more before the first step.
        assert_eq!(find("densities").count, 4);
        assert!(find("densities").time > Duration::ZERO);
        stages.forget();
        assert!(stages.times().iter().all(|stage| stage.count == 0 && stage.time == Duration::ZERO));
    }
}
